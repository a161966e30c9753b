"""When a model says 84%, is it right 84% of the time?

Rows become a tally; everything else is computed from the tally:

    import calibrant as cb
    report = cb.check("predictions.csv")      # or arrays, or any data frame
    print(report)                             # the first screen
    cb.event_ece(prob, outcome, bins=15)      # single numbers from arrays

Names are loaded when they are used, so that importing the package stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calibrant.api import check, tally
    from calibrant.arrays import CalibrantWarning
    from calibrant.calibration.by_option import classwise_ece, top_label_ece
    from calibrant.calibration.classic_tests import hosmer_lemeshow, spiegelhalter_test
    from calibrant.calibration.corp import corp_decomposition
    from calibrant.calibration.curve import reliability_curve
    from calibrant.calibration.debiased import debiased_calibration_error
    from calibrant.calibration.decomposition import murphy_decomposition
    from calibrant.calibration.ece import confidence_ece, event_ece
    from calibrant.calibration.noise import noise_floor
    from calibrant.calibration.significance import calibration_test
    from calibrant.calibration.slope import calibration_slope
    from calibrant.calibration.smooth import smooth_ece
    from calibrant.calibration.sweep import ece_sweep
    from calibrant.comparison.comparison import Comparison, compare
    from calibrant.errors import (
        CalibrantError,
        ColumnError,
        FileError,
        InputError,
        LimitError,
        OptionError,
        RowError,
        TallyError,
    )
    from calibrant.recalibration.recalibrate import recalibrate
    from calibrant.recalibration.recalibrator import Recalibrator
    from calibrant.report.nodes import Report
    from calibrant.routing.policy import Policy
    from calibrant.routing.route import route
    from calibrant.scores.accuracy import accuracy
    from calibrant.scores.auc import auc
    from calibrant.scores.brier import brier_score, brier_skill_score, uniform_brier
    from calibrant.scores.log import log_loss
    from calibrant.scores.ranked import ranked_probability_score
    from calibrant.scores.votes import fair_brier_score
    from calibrant.tallies.tally import Tally

__version__ = "0.1.0"

__all__ = [
    "CalibrantError",
    "CalibrantWarning",
    "ColumnError",
    "Comparison",
    "FileError",
    "InputError",
    "LimitError",
    "OptionError",
    "Policy",
    "Recalibrator",
    "Report",
    "RowError",
    "Tally",
    "TallyError",
    "accuracy",
    "auc",
    "brier_score",
    "brier_skill_score",
    "calibration_slope",
    "calibration_test",
    "check",
    "classwise_ece",
    "compare",
    "confidence_ece",
    "corp_decomposition",
    "debiased_calibration_error",
    "ece_sweep",
    "event_ece",
    "fair_brier_score",
    "hosmer_lemeshow",
    "log_loss",
    "murphy_decomposition",
    "noise_floor",
    "ranked_probability_score",
    "recalibrate",
    "reliability_curve",
    "route",
    "smooth_ece",
    "spiegelhalter_test",
    "tally",
    "top_label_ece",
    "uniform_brier",
]

_HOMES = {
    "CalibrantWarning": "arrays",
    "Comparison": "comparison.comparison",
    "Policy": "routing.policy",
    "Recalibrator": "recalibration.recalibrator",
    "Report": "report.nodes",
    "Tally": "tallies.tally",
    "accuracy": "scores.accuracy",
    "auc": "scores.auc",
    "brier_score": "scores.brier",
    "brier_skill_score": "scores.brier",
    "calibration_slope": "calibration.slope",
    "calibration_test": "calibration.significance",
    "check": "api",
    "classwise_ece": "calibration.by_option",
    "compare": "comparison.comparison",
    "confidence_ece": "calibration.ece",
    "corp_decomposition": "calibration.corp",
    "debiased_calibration_error": "calibration.debiased",
    "ece_sweep": "calibration.sweep",
    "event_ece": "calibration.ece",
    "fair_brier_score": "scores.votes",
    "hosmer_lemeshow": "calibration.classic_tests",
    "log_loss": "scores.log",
    "murphy_decomposition": "calibration.decomposition",
    "noise_floor": "calibration.noise",
    "ranked_probability_score": "scores.ranked",
    "recalibrate": "recalibration.recalibrate",
    "reliability_curve": "calibration.curve",
    "route": "routing.route",
    "smooth_ece": "calibration.smooth",
    "spiegelhalter_test": "calibration.classic_tests",
    "tally": "api",
    "top_label_ece": "calibration.by_option",
    "uniform_brier": "scores.brier",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'calibrant' has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"calibrant.{_HOMES.get(name, 'errors')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
