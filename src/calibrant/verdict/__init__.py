"""What the numbers mean: findings, thresholds, and the verdict that they add up to."""

from __future__ import annotations

from calibrant.report.results import Finding, Verdict
from calibrant.verdict.judge import judge
from calibrant.verdict.thresholds import Thresholds, default_thresholds, reasons

__all__ = ["Finding", "Thresholds", "Verdict", "default_thresholds", "judge", "reasons"]
