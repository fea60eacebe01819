"""Error bars of many groups: a tally per row goes in, a row per value or answer comes out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sottovoce.answers.estimate import Estimate
from sottovoce.answers.questions import Questions, Words, read_questions
from sottovoce.base.errors import InvalidInput, Mismatch, NotConverged, Unfit
from sottovoce.base.text import label_text
from sottovoce.base.threads import one_product_thread
from sottovoce.core.mechanism import Mechanism
from sottovoce.domains.base import Domain
from sottovoce.engines.spark.frames import mechanism_of, quoted, tasks_or_default
from sottovoce.engines.spark.tallies import Group, batches_of, check_tallies, read_tally
from sottovoce.engines.spark.workers import Step, on_workers
from sottovoce.estimators import estimate as estimate_tally
from sottovoce.surveys.survey import Survey

__all__ = ["estimate"]

_ERRORS = ("stderr", "low", "high")
_SHARES = {"value": "string", "share": "float64"}
_ANSWERS = {"question": "string", "label": "string", "value": "float64"}
_MORE = {
    **dict.fromkeys(_ERRORS, "float64"), "n": "int64", "method": "string", "converged": "bool",
}  # fmt: skip
_SPARK = {"string": "string", "float64": "double", "int64": "bigint", "bool": "boolean"}


def estimate(
    tallies: Any,
    survey: Survey | Mechanism,
    method: str = "auto",
    *,
    questions: Mapping[str, Any] | None = None,
    confidence: float = 0.95,
    tasks: int | None = None,
    **options: Any,
) -> Any:
    """Estimate every group of a frame of tallies, on the cluster.

    Each group is estimated as :func:`sottovoce.estimate` does it. A group with fewer reports than
    the survey's minimum batch is not shown: its one row has no value, no share and no ``n``, and the
    method ``left out: below the minimum batch``, so that it can be counted.

    Parameters
    ----------
    tallies : pyspark.sql.DataFrame
        Tallies, best read back from storage: a lazy frame counts its reports again.
    survey : Survey or Mechanism
        What the tallies are of. A mechanism has no minimum batch.
    method : str
        The name of a method, as for :func:`sottovoce.estimate`.
    questions : mapping of str to object, optional
        What to answer instead of the share of every value, by the names of questions:
        ``{"mean": True, "quantile": [0.1, 0.5, 0.9]}``. Several of one kind are a list. Without
        ``goal``, the method is the one that suits them.
    confidence : float
        The confidence of the intervals.
    tasks : int, optional
        Into how many tasks the groups are divided; ``spark.sql.shuffle.partitions`` if not given.
    **options
        More parameters of :func:`sottovoce.estimate`, such as ``goal`` or ``about``.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of the groups, then ``value``, ``share``, ``stderr``, ``low``, ``high``, ``n``,
        ``method`` and ``converged``: a row per value and group. With ``questions``, a row per answer
        and group, with ``question``, ``label`` and ``value`` (a number) in place of ``value`` and
        ``share``. It is lazy.

    Raises
    ------
    InvalidInput
        Where the frame does not hold tallies, or a question cannot be read.
    Unfit
        Where a question does not fit the domain, such as a mean of categories.
    Mismatch
        Where a tally is of another mechanism; as the frame is lazy, when it is used.

    Examples
    --------
    >>> import sottovoce.spark as svs
    >>> tallies = spark.read.parquet("lake/tallies")  # doctest: +SKIP
    >>> svs.estimate(tallies, survey).where("value = 'tea'").show()  # doctest: +SKIP
    >>> svs.estimate(tallies, hours, questions={"mean": True, "quantile": 0.5})  # doctest: +SKIP
    """
    owner = "svs.estimate"
    by = check_tallies(tallies, owner)
    mechanism = mechanism_of(survey, owner)
    asked = None if questions is None else _read(questions, mechanism.domain, confidence)
    minimum = survey.minimum_batch if isinstance(survey, Survey) else 0
    if asked is not None:
        options = {"goal": asked.goal, **options}
    step = Estimates(mechanism, tuple(by), minimum, method, asked, confidence, options)
    for name in set(by) & set(step.columns):
        raise InvalidInput("tallies", owner, f"without a group named {name!r}", by)
    count = tasks_or_default(tallies, tasks)
    kinds = [f"{quoted(name)} {_SPARK[kind]}" for name, kind in step.kinds.items()]
    return on_workers(tallies.repartition(count), step, ", ".join(kinds))


def _read(questions: Any, domain: Domain, confidence: float) -> Questions:
    """Questions by name, each with a text, a number, True, or a list of these."""
    owner = "svs.estimate"
    if not isinstance(questions, Mapping) or not questions:
        allowed = 'a mapping such as {"mean": True, "quantile": [0.1, 0.5]}'
        raise InvalidInput("questions", owner, allowed, questions)
    named: list[tuple[str, str]] = []
    for name, given in questions.items():
        each = given if isinstance(given, (list, tuple)) else [given]
        named += [(name, str(int(one)) if isinstance(one, bool) else str(one)) for one in each]
    found = read_questions(domain, named, confidence=confidence, words=Words(owner))
    if not found.asked:
        raise InvalidInput("questions", owner, "at least one", questions)
    for one in found.asked:
        if not one.question.fits(domain):
            raise Unfit(f"{one.name} cannot be asked here: these tallies are over {domain}")
    return found


@dataclass(frozen=True)
class Estimates(Step):
    """Estimates the tallies of a partition."""

    mechanism: Mechanism
    by: tuple[str, ...]
    minimum: int
    method: str
    questions: Questions | None
    confidence: float
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, str]:
        """The columns of the result beside those of groups, with their types of Arrow."""
        return {**(_SHARES if self.questions is None else _ANSWERS), **_MORE}

    @property
    def kinds(self) -> dict[str, str]:
        """All columns of the result, with their types of Arrow."""
        return {**dict.fromkeys(self.by, "string"), **self.columns}

    def run(self, batches: Iterable[Any]) -> Iterator[Any]:
        with one_product_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)  # the column says so
            for batch in batches:
                yield from batches_of(self._rows(batch), self.kinds)

    def _rows(self, batch: Any) -> Iterator[tuple[Any, ...]]:
        labels = [batch.column(name).to_pylist() for name in self.by]
        groups = zip(*labels, strict=True) if self.by else [()] * batch.num_rows
        for group, data in zip(groups, batch.column("tally").to_pylist(), strict=True):
            yield from self._of_group(group, data)

    def _of_group(self, group: Group, data: bytes | None) -> Iterator[tuple[Any, ...]]:
        tally = read_tally(data, group)
        if tally.mechanism != self.mechanism:
            raise Mismatch(
                f"tally of {', '.join(group) or 'all reports'} is of {tally.mechanism} "
                f"({tally.mechanism.fingerprint}), not of {self.mechanism} "
                f"({self.mechanism.fingerprint})"
            )
        if tally.n < max(self.minimum, 1):
            nothing = [None] * (len(self.columns) - 2)
            yield (*group, *nothing, "left out: below the minimum batch", None)
            return
        found = estimate_tally(tally, self.method, **self.options)
        for answer in self._answers(found):
            yield (*group, *answer, tally.n, found.method, found.converged)

    def _answers(self, found: Estimate) -> Iterator[tuple[Any, ...]]:
        """What is said of every value, or in answer to every question."""
        if self.questions is None:
            frame = found.frame(confidence=self.confidence)
            rows = zip(*(frame[name] for name in ("value", "share", *_ERRORS)), strict=True)
            for value, *numbers in rows:
                yield (label_text(value), *numbers)
            return
        for row in self.questions.of(found):
            yield (
                row["question"],
                label_text(row["label"]),
                row["value"],
                *(row[n] for n in _ERRORS),
            )
