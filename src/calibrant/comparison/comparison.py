"""The public function `compare`, and what it gives."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.comparison.join import join, own_figures
from calibrant.comparison.judging import Settings, judge_joined, judge_pair_block
from calibrant.comparison.rows import Answers, column_answers, file_answers, model_answers
from calibrant.comparison.unpaired import judge_unpaired
from calibrant.errors import InputError, OptionError
from calibrant.io.given import choice_of
from calibrant.tallies.collect import tally_block
from calibrant.tallies.pair import PAIR_SCHEMA, PairBlock, pair_block, pair_from_json
from calibrant.tallies.rows import score_rows
from calibrant.tallies.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from calibrant.comparison.results import Compared
    from calibrant.io.options import ColumnChoice, ReadOptions
    from calibrant.report.nodes import Report
    from calibrant.tallies.tally import Slice

__all__ = ["Comparison", "compare", "compare_sources"]

SCHEMA = "calibrant.comparison/1"
SAME_TALLIES = "unpaired: tallies do not tell which rows belong together; their rows are taken for independent"
OTHER_ITEMS = "unpaired: no item was answered by all; scores are not comparable across datasets, skill is more so"


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Models compared on the items that all of them answered.

    Attributes:
        slices: one comparison for each combination of the `by` columns.
        settings: how it was compared.
        source: name of what was read.
        notes: how it was read.
        blocks: the pair blocks, when asked for.
        lang: language of the sentences.
        command: the command that gave it, for the next one to copy.
    """

    slices: tuple[Compared, ...]
    settings: Settings
    source: str
    notes: tuple[str, ...] = ()
    blocks: tuple[PairBlock, ...] = ()
    lang: str = "en"
    command: str = "calibrant compare FILE FILE --id COLUMN"

    @property
    def report(self) -> Report:
        """The comparison as report nodes, for every face."""
        from calibrant.comparison.telling import comparison_report

        return comparison_report(self)

    def to_text(self, **options: Any) -> str:
        """As text for a terminal; options of `Report.to_text`."""
        return self.report.to_text(**options)

    def to_markdown(self, path: str | Path | None = None, *, full: bool = True) -> str:
        """As Markdown; also written to `path` if given."""
        return self.report.to_markdown(path, full=full)

    def to_json(self, path: str | Path | None = None) -> str:
        """As JSON of schema calibrant.comparison/1; also written to `path` if given."""
        from calibrant.report.write import written

        return written(json.dumps(self.as_dict(), ensure_ascii=False, allow_nan=False, indent=2) + "\n", path)

    def as_dict(self) -> dict[str, Any]:
        """As plain dicts, lists, strings and numbers."""
        from calibrant import __version__

        settings = self.settings
        return {
            "schema": SCHEMA,
            "version": __version__,
            "seed": settings.seed,
            "level": settings.level,
            "score": settings.score,
            "margin": settings.margin,
            "source": {"name": self.source, "notes": list(self.notes)},
            "headline": self.report.headline.text,
            "slices": [part.as_dict() for part in self.slices],
        }

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def compare(
    *models: Any,
    outcome: ArrayLike | None = None,
    names: Sequence[str] = (),
    id: str | Sequence[str] = (),  # noqa: A002  (the word of the command line)
    by_order: bool = False,
    model: str | None = None,
    compare_columns: Sequence[str] = (),
    cluster: ArrayLike | str | None = None,
    weight: ArrayLike | str | None = None,
    kind: str | None = None,
    margin: float | None = None,
    score: str = "brier",
    level: float = 0.95,
    bins: int = 10,
    seed: int = 0,
    lang: str = "en",
    **columns: Any,
) -> Comparison:
    """Compare models that answered the same questions: which is better, by how much, and is that more than noise?

    Every difference is first minus second on the items that all answered. Scores have paired t intervals by rows, or
    by clusters with clusters − 1 degrees of freedom; where few rows or clusters carry the difference, sign flips
    take over. Several pairs are adjusted together. The domain of each method is in docs/compare.md.

    Args:
        *models: arrays of probabilities of the same rows (then with `outcome`), paths, data frames, tallies, pair
            blocks; or one path or frame, with `model` or `compare_columns`.
        outcome: 0 or 1 per row, or the index of the right option, when `models` are arrays.
        names: names of the models.
        id: column or columns that name the item.
        by_order: join files row by row instead.
        model: column that names the model, in one file.
        compare_columns: columns of probabilities, one per model, in one file.
        cluster: cluster of each row, or the name of its column.
        weight: weight of each row, or the name of its column.
        kind: what arrays mean: "yes_no", "choice" or "score".
        margin: differences of `score` below it do not matter: asks for equivalence too.
        score: what decides: "brier", "log_loss", "rps" or "accuracy".
        level: confidence level.
        bins: bins of the debiased calibration error.
        seed: seed of everything simulated.
        lang: language of the sentences.
        **columns: how columns are found and read, as in `check`: prob, outcome_column, by, percent, na, …

    Raises:
        InputError: if the models cannot be compared.
        OptionError: if an option means nothing.

    Example:
        >>> y = np.arange(200) % 2
        >>> found = compare(np.where(y, 0.9, 0.1), np.full(200, 0.5) + np.arange(200) * 1e-4, outcome=y)
        >>> found.slices[0].pairs[0].code
        'first'
    """
    settings = Settings(score, margin, level, bins, seed)
    if outcome is not None:
        answers = _array_answers(models, outcome, names, kind, cluster, weight)
        return _of_answers(answers, settings, "arrays", lang=lang)
    given = {"cluster": cluster, "weight": weight, **columns}
    if "outcome_column" in given:
        given["outcome"] = given.pop("outcome_column")
    choice, options = choice_of(**given)
    return compare_sources(
        list(models),
        choice,
        options,
        settings,
        id=(id,) if isinstance(id, str) else tuple(id),
        by_order=by_order,
        model=model,
        compare_columns=tuple(compare_columns),
        names=tuple(names),
        lang=lang,
    )


def compare_sources(
    sources: Sequence[Any],
    choice: ColumnChoice,
    options: ReadOptions,
    settings: Settings,
    *,
    id: tuple[str, ...] = (),  # noqa: A002
    by_order: bool = False,
    model: str | None = None,
    compare_columns: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
    keep_block: bool = False,
    lang: str = "en",
) -> Comparison:
    """Compare paths, frames, tallies or a pair block; see `compare`.

    Raises:
        InputError: if the models cannot be compared.
        OptionError: if options are missing or exclude one another.
    """
    if not sources:
        raise OptionError(
            "There is nothing to compare.", hint="Give two files, or one with --model or --compare-columns."
        )
    name = ", ".join(str(part) if isinstance(part, (str, Path)) else type(part).__name__ for part in sources)
    ready = [_stored(part) for part in sources]
    if all(isinstance(part, PairBlock) for part in ready):
        return _of_pairs([part for part in ready if isinstance(part, PairBlock)], settings, name, lang)
    if all(isinstance(part, Tally) for part in ready):
        return _of_tallies([part for part in ready if isinstance(part, Tally)], sources, names, settings, name, lang)
    if any(part is not None for part in ready):
        raise InputError(
            "Rows and stored sums cannot be compared with one another.", hint="Give rows, or tallies, alone."
        )
    if model is not None and compare_columns:
        raise OptionError("Use just one of --model and --compare-columns.")
    if len(sources) == 1:
        if model is not None:
            answers = model_answers(sources[0], choice, options, model=model, id=id)
        elif compare_columns:
            answers = column_answers(sources[0], choice, options, columns=compare_columns, id=id)
        else:
            raise OptionError(
                "One file holds several models only when told how.",
                hint="Add --model COLUMN (a row per model and item) or --compare-columns A,B (a column per model).",
            )
    elif model is not None or compare_columns:
        raise OptionError("--model and --compare-columns are for a single file.")
    else:
        answers = file_answers(sources, choice, options, id=id, by_order=by_order, names=names)
    found = _of_answers(answers, settings, name, lang=lang)
    return replace(found, blocks=(block_of_answers(answers),)) if keep_block else found


def _stored(source: Any) -> Tally | PairBlock | None:
    """Stored sums, or None for rows."""
    if isinstance(source, (Tally, PairBlock)):
        return source
    if not isinstance(source, (str, Path)) or str(source) == "-":
        return None
    path = Path(source)
    try:
        with path.open("rb") as file:
            head = file.read(200)
    except OSError:
        return None
    if head[:4] == b"PAR1":
        from calibrant.tallies.parquet import is_tally, read_parquet

        return read_parquet(path) if is_tally(path) else None
    from calibrant.safe import read_capped
    from calibrant.tallies.store import from_json

    if PAIR_SCHEMA.encode() in head:
        return pair_from_json(read_capped(path))
    return from_json(read_capped(path)) if head.lstrip().startswith(b"{") and b'"calibrant.tally/' in head else None


def _array_answers(
    models: Sequence[Any],
    outcome: ArrayLike,
    names: Sequence[str],
    kind: str | None,
    cluster: Any,
    weight: Any,
) -> list[Answers]:
    from calibrant.checks import as_numbers
    from calibrant.predictions import judge_choices, judge_events

    given = list(models[0].items()) if len(models) == 1 and isinstance(models[0], dict) else None
    if given is None:
        labels = list(names) or [f"model {k}" for k in range(1, len(models) + 1)]
        if len(labels) != len(models):
            raise OptionError(f"There are {len(models)} models and {len(labels)} names.")
        given = list(zip(labels, models, strict=True))
    y = as_numbers(outcome, "outcome")
    w = None if weight is None else as_numbers(weight, "weight")
    groups = None if cluster is None else np.asarray(cluster)
    out = []
    for name, values in given:
        p = as_numbers(values, str(name))
        for label, column in (("outcome", y), ("weight", w), ("cluster", groups)):
            if column is not None and column.shape != p.shape[:1]:
                raise InputError(f"`{label}` has the shape {column.shape} where {name} has {len(p):,} rows.")
        if p.ndim == 1:
            block = judge_events(p, y, weight=w, strict=True)
        else:
            options = tuple(str(k) for k in range(p.shape[1]))
            block = judge_choices(
                p, y, options=options, kind="score" if kind == "score" else "choice", weight=w, strict=True
            )
        items = (block.kept + 1).astype(object)
        out.append(Answers(str(name), {}, block, items, None if groups is None else groups[block.kept], 0))
    return out


def _of_answers(answers: Sequence[Answers], settings: Settings, source: str, *, lang: str) -> Comparison:
    notes = []
    slices: dict[tuple[tuple[str, str], ...], list[Answers]] = {}
    for one in answers:
        if len(one):
            slices.setdefault(tuple(one.by.items()), []).append(one)
        else:
            notes.append(f"{one.name} is left out: it has no usable row")
    found = []
    for by, group in slices.items():
        if len(group) < 2:
            notes.append(f"{', '.join(f'{k}={v}' for k, v in by) or 'the file'} has just one model: {group[0].name}")
            continue
        part = _slice(group, dict(by), settings)
        if part is None:
            notes.append(f"{', '.join(f'{k}={v}' for k, v in by) or 'the file'} has fewer than two items in common")
        else:
            found.append(part)
    if not found:
        raise InputError(f"There are no two models to compare: {'; '.join(notes)}.", hint="Check the columns named.")
    return Comparison(tuple(found), settings, source, tuple(notes), (), lang)


def _slice(group: Sequence[Answers], by: Mapping[str, str], settings: Settings) -> Compared | None:
    joined = join(group)
    if len(joined.items) < 2:
        if joined.different_outcomes:
            raise InputError(
                f"The models' files give different outcomes for all {joined.different_outcomes} common items."
            )
        if by or joined.items.size or len(group[0]) < 2:
            return None
        slices = [
            tally_block(one.block, weights=None if one.block.weight is None else "sampling").slices[0] for one in group
        ]
        return judge_unpaired([one.name for one in group], slices, settings, OTHER_ITEMS)
    own = {one.name: own_figures(one, joined.all_items) for one in group}
    return judge_joined(joined, own, by, settings)


def _of_pairs(pairs: Sequence[PairBlock], settings: Settings, name: str, lang: str) -> Comparison:
    whole = pairs[0]
    for pair in pairs[1:]:
        whole += pair
    return Comparison((judge_pair_block(whole, settings),), settings, name, (), (whole,), lang)


def _of_tallies(
    tallies: Sequence[Tally],
    sources: Sequence[Any],
    names: Sequence[str],
    settings: Settings,
    name: str,
    lang: str,
) -> Comparison:
    parts: list[Slice] = []
    labels: list[str] = []
    for place, (tally, source) in enumerate(zip(tallies, sources, strict=True), start=1):
        stem = Path(source).stem if isinstance(source, (str, Path)) else f"tally {place}"
        for part in tally.slices:
            parts.append(part)
            rest = ", ".join(part.by.values())
            labels.append(f"{stem}: {rest}" if rest and len(tallies) > 1 else rest or stem)
    if len(parts) < 2:
        raise InputError(
            "One tally of one slice is nothing to compare.", hint="Give two tallies, or one made --by model."
        )
    if names and len(names) == len(parts):
        labels = list(names)
    return Comparison((judge_unpaired(labels, parts, settings, SAME_TALLIES),), settings, name, (), (), lang)


def block_of_answers(answers: Sequence[Answers]) -> PairBlock:
    """The pair block of two models, to be stored.

    Raises:
        InputError: if there are not exactly two models of one slice.
    """
    if len(answers) != 2:
        raise InputError(f"A pair block is of two models, got {len(answers)}.")
    joined = join(answers)
    scored = [score_rows(block) for block in joined.blocks]
    return pair_block(
        (joined.names[0], joined.names[1]),
        (joined.blocks[0], joined.blocks[1]),
        (scored[0], scored[1]),
        weight=joined.weight,
        cluster=joined.cluster,
    )
