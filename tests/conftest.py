"""What holds for every test: no limits of time, and in CI the same random examples each time."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("calibrant", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("calibrant")
