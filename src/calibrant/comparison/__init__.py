"""Comparing models: which is better, by how much, and is that more than noise?"""

from __future__ import annotations

from calibrant.comparison.comparison import Comparison, compare

__all__ = ["Comparison", "compare"]
