"""The built page (`page.html`), made from the sources in `web/` of the repository."""
