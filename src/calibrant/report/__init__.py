"""Reports: nodes, and faces that render them."""

from __future__ import annotations
