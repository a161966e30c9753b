"""Reports: results go in, nodes come out, and faces (text, JSON, Markdown, HTML) render the nodes."""

from __future__ import annotations

from calibrant.report.build import build_report
from calibrant.report.nodes import Report
from calibrant.report.results import Finding, LimitResult, SliceResult, SourceFacts, Verdict

__all__ = ["Finding", "LimitResult", "Report", "SliceResult", "SourceFacts", "Verdict", "build_report"]
