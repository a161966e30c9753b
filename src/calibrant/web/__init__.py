"""The browser page: one self-contained HTML file, built from web/."""
