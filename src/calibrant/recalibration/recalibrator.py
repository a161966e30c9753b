"""Recalibrator: fitted maps with their verdicts; applies, tells, saves and exports them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.checks import as_numbers
from calibrant.errors import InputError, OptionError
from calibrant.recalibration.document import as_document, repairs_of, to_text
from calibrant.recalibration.exports import llama_keys, to_javascript, to_python
from calibrant.recalibration.repair import Repair, matching
from calibrant.safe import read_capped, write_atomic
from calibrant.tallies.tally import Source

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from calibrant.recalibration.effect import VerdictCode
    from calibrant.report.nodes import Report

__all__ = ["Recalibrator"]


@dataclass(frozen=True, slots=True, eq=False)
class Recalibrator:
    """What `recalibrate` found. `print(it)` is the report.

    Attributes:
        repairs: one map for each combination, with its verdict.
        method: the method that was asked for.
        source: what it was fitted on.
        left_out: rows left out.
        level: confidence level.
        seed: seed of the folds.
        lang: language of the report.
    """

    repairs: tuple[Repair, ...]
    method: str
    source: Source = Source()  # noqa: RUF009  (a frozen value)
    left_out: int = 0
    level: float = 0.95
    seed: int = 0
    lang: str = "en"

    @property
    def verdict(self) -> VerdictCode:
        """The verdict of the only map; of several, "harms" if any harms, else "helps" if any helps."""
        codes = {repair.verdict for repair in self.repairs}
        return next((code for code in ("harms", "helps") if code in codes), "not_shown")

    @property
    def report(self) -> Report:
        """The report: verdict, before and after, what did not change."""
        from calibrant.recalibration.telling import recalibration_report

        return recalibration_report(self)

    def transform(self, prob: ArrayLike, *, force: bool = False, **by: str) -> NDArray[np.float64]:
        """Repaired probabilities.

        A map that is not shown to help is not applied: the probabilities come back as they are, unless `force`.

        Args:
            prob: shape (n,), or (n, k) for choices; the options in the order of the fit.
            force: apply the map in any case, also when there is none for exactly this combination.
            **by: the combination, such as model="jev-1.13.0", question="billing".

        Raises:
            InputError: if there is no map for this combination or number of options.
        """
        repair = matching(self.repairs, by, force=force)
        p = as_numbers(prob, "prob")
        if p.ndim == 2 and p.shape[1] == 2 and repair.kind == "yes_no":
            p = p[:, 1]
        count = 2 if p.ndim == 1 else p.shape[1]
        kind_fits = (p.ndim == 1) == (repair.kind in ("yes_no", "answer"))
        why = repair.refusal(None, None, count) if kind_fits else "the number of probabilities a row is another"
        if why is not None and not (force and kind_fits):
            raise InputError(f"This calibration does not fit: {why}.", hint="Fit one on such questions.")
        if not bool(np.all((p >= 0) & (p <= 1) | np.isnan(p))):
            raise InputError("Probabilities to repair must lie from 0 to 1.")
        return repair.apply(p, force=force)

    def interval(self, prob: ArrayLike, **by: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Venn–Abers' interval of each probability; see `Repair.interval`."""
        return matching(self.repairs, by).interval(as_numbers(prob, "prob"))

    def to_json(self, path: str | Path | None = None) -> str:
        """The calibration file (schema calibrant.calibration/1); also written to `path` if given."""
        from calibrant import __version__

        settings = {"method": self.method, "level": self.level, "seed": self.seed}
        source = {"names": list(self.source.names), "rows": self.source.rows, "left_out": self.left_out}
        text = to_text(as_document(self.repairs, version=__version__, settings=settings, source=source))
        if path is not None:
            write_atomic(path, text)
        return text

    @classmethod
    def from_json(cls, document: str | Path) -> Recalibrator:
        """Read a calibration file, from its path or its text.

        Raises:
            FileError: if it is no calibration file, damaged, or too new.
        """
        text, name = str(document), "calibration"
        if isinstance(document, Path) or not text.lstrip().startswith("{"):
            name = text
            text = read_capped(document).decode("utf-8", "replace")
        repairs, found = repairs_of(text, name)
        settings: dict[str, Any] = found.get("settings", {})
        source: dict[str, Any] = found.get("source", {})
        return cls(
            repairs,
            str(settings.get("method", "")),
            Source(tuple(source.get("names", ())), int(source.get("rows", 0))),
            int(source.get("left_out", 0)),
            float(settings.get("level", 0.95)),
            int(settings.get("seed", 0)),
        )

    def export(self, form: str, **by: str) -> str:
        """The map as code or keys without dependencies.

        Args:
            form: "python", "javascript" or "llama.cpp".
            **by: the combination whose map is meant; not for "llama.cpp", which takes them all.

        Raises:
            InputError: if there is no such map, or it cannot be exported so.
            OptionError: if there is no such form.
        """
        if form == "llama.cpp":
            import json

            return json.dumps(llama_keys(self.repairs), indent=1) + "\n"
        if form not in ("python", "javascript"):
            raise OptionError(f"There is no export {form!r}.", hint="Use python, javascript or llama.cpp.")
        repair = self.repairs[0] if len(self.repairs) == 1 and not by else matching(self.repairs, by)
        return to_python(repair) if form == "python" else to_javascript(repair)

    def __str__(self) -> str:
        return str(self.report)
