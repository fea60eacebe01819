"""What the reports say: a distribution with honest error bars."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from sottovoce.answers import keys, numbers, parts
from sottovoce.answers.about import check_about
from sottovoce.answers.answer import Answer, two_sided
from sottovoce.answers.anytime import Looks
from sottovoce.answers.calendar import in_days
from sottovoce.answers.companion import for_every_look, unbiased_of
from sottovoce.answers.errors import CellErrors, ErrorModel
from sottovoce.answers.intervals import ShareIntervals, share_bounds, within
from sottovoce.answers.notebook import estimate_html
from sottovoce.answers.records.answered import answered
from sottovoce.answers.records.calibrated import Calibrated, calibrated
from sottovoce.answers.records.joint import Joint, joint_of
from sottovoce.answers.show import renderer
from sottovoce.answers.tables import Table
from sottovoce.answers.top import TopAnswer, top_answers
from sottovoce.answers.trace import Reduction
from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput, NotIdentified, Unfit
from sottovoce.base.frame import Frame
from sottovoce.channels.base import Floats
from sottovoce.domains.base import Domain
from sottovoce.domains.choices import NONE
from sottovoce.domains.interval import Interval
from sottovoce.domains.key_values import KeyValues

if TYPE_CHECKING:
    from sottovoce.answers.difference import Difference  # made of estimates: imported when used

__all__ = ["Estimate"]

_NAMED = 4
"""How many values a total names one by one."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """A distribution over a domain, with errors. Every method returns the same fields.

    Standard errors are about the respondents: how far shares may be from the shares among the
    people who answered. :meth:`for_population` includes the sampling error, for the population
    that they were drawn from.

    Where reports identify only a mean, ``shares`` is None, ``why`` gives the reason, and
    :meth:`mean` can be asked; over keys with numbers, the frequency and mean of every key.

    Parameters
    ----------
    domain : Domain
        What the shares are of.
    shares : array of float, optional
        One share per input of the domain.
    n : int
        The number of reports.
    method : str
        The method, and those applied after it.
    why : str
        Why that method was chosen.
    error_model : ErrorModel
        Standard errors of shares and of sums of shares.
    converged : bool
        Whether an iterative method converged.
    iterations : int
        Iterations of an iterative method.
    history : tuple of float
        Its objective, iteration by iteration.
    optimality : float
        How far its objective may be from the optimum.
    about : str
        ``"respondents"`` or ``"population"``.
    clips : bool
        Whether negative answers are raised to 0.
    trace : tuple of Reduction
        The steps of a mixture reduction.
    unbiased_source : callable, optional
        Makes :attr:`unbiased`; None where the estimate is its own.
    boxes : int, optional
        How many options a person may tick, where shares need not sum to 1; None where people hold one value.
    looks : Looks, optional
        That intervals hold at every look (:meth:`anytime`); None for intervals of one look.
    part_source : callable, optional
        Makes the estimate of one question of a record (:meth:`part`); None over other domains.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("olh", sv.Categories(["tea", "coffee", "water"]), 1.0)
    >>> estimate = sv.estimate(m.simulate([6000, 3000, 1000], source=sv.Seeded(1)))
    >>> [answer.label for answer in estimate.top(2)]
    ['tea', 'coffee']
    """

    domain: Domain
    shares: Floats | None
    n: int
    method: str
    why: str
    error_model: ErrorModel
    converged: bool = True
    iterations: int = 0
    history: tuple[float, ...] = ()
    optimality: float = 0.0
    about: str = "respondents"
    clips: bool = False
    """Whether shares and totals below 0 are raised to 0 when asked for."""
    trace: tuple[Reduction, ...] = ()
    """The steps of a mixture reduction, kept and undone; empty for other methods."""
    unbiased_source: Callable[[], Estimate | None] | None = None
    """Makes the unbiased estimate of the same reports; None where this one is its own."""
    boxes: int | None = None
    """How many options a person may tick, where shares need not sum to 1; None where people hold one value."""
    looks: Looks | None = None
    """That answers are looked at again and again; None for one look."""
    part_source: Callable[..., Estimate] | None = None
    """Makes the estimate of one question of a record; None over other domains."""

    def __post_init__(self) -> None:
        check_about(self.about, "Estimate")
        self._freeze()

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._freeze()  # a pickle does not say that an array is read-only

    def _freeze(self) -> None:
        if self.shares is not None:
            self.shares.setflags(write=False)

    @cached_property
    def stderr(self) -> Floats:
        """The standard error of every share, computed when first asked for."""
        self.require_shares("stderr")
        return self.error_model.stderr(self.about)

    def for_population(self) -> Estimate:
        """The same shares, with the error of having asked only these people added."""
        return dataclasses.replace(self, about="population")

    @cached_property
    def unbiased(self) -> Estimate | None:
        """The unbiased estimate of the same reports, about the same people; None where there is none.

        Where reports identify no shares without bias, it answers what they do, such as the mean.
        """
        return unbiased_of(self)

    def anytime(self, planned: int | None = None, *, minimum_batch: int = 100) -> Estimate:
        """The unbiased estimate, with intervals that may be looked at as often as one likes.

        In 95 of 100 surveys that grow, such intervals hold the truth at *every* look; ordinary
        ones are right for one look, planned in advance. They are about 1.55 times as wide where
        they are narrowest: at half of the people ``planned``, or without a plan at ten times
        ``minimum_batch``. Fix these before the first look. Shares, totals, ranges, means, cumulative
        shares, quantiles and frequencies have them.
        """
        return for_every_look(self, Looks.planned(planned, minimum_batch))

    def reach(self, confidence: float, part: float = 1.0) -> float:
        """Standard errors to either side of an answer that its interval reaches.

        With ``part`` below 1, only that part of the misses that ``confidence`` leaves is allowed.
        """
        if self.looks is None:
            return two_sided(confidence, part)
        return self.looks.reach(self.n, 1 - (1 - confidence) * part)

    def require_one_look(self, question: str) -> None:
        """Refuse a question whose answer has no anytime interval."""
        if self.looks is not None:
            raise Unfit(f"{question} has no anytime interval: it is not a sum of shares")

    def require_shares(self, question: str) -> Floats:
        """The shares that a question needs; an error says what can be asked where there are none."""
        if self.shares is None:
            raise NotIdentified(
                f"{question} needs shares, and this estimate has none ({self.why}); "
                f"what can be asked of it: {_told_without_shares(self.domain)}"
            )
        return self.shares

    # -- answers -----------------------------------------------------------------

    def linear(self, weights: Any, label: Any = "", *, confidence: float = 0.95) -> Answer:
        """The answer ``sum_v weights_v share_v``, its error with all covariances."""
        z = np.asarray(weights, dtype=np.float64)
        if z.shape != (self.domain.size,) or not np.isfinite(z).all():
            raise InvalidInput(
                "weights", "linear", f"{self.domain.size} finite numbers", f"shape {z.shape}"
            )
        return self.sum_of(z, 0.0, label, confidence)

    def sum_of(
        self, weights: Floats, offset: float, label: Any, confidence: float, *, clips: bool = False,
        bounds: tuple[float, float] | None = None,
    ) -> Answer:  # fmt: skip
        """``offset + weights . shares`` within ``bounds``: from the shares, or where there are none from the cells."""
        value = offset + self.value_of(weights)
        stderr = self.error_model.stderr_of(weights, self.about)
        least, most = bounds or self._reachable(weights, offset)
        around = None
        if isinstance(self.error_model, ShareIntervals):
            centre = self.error_model.centre_of(weights, self.about)
            around = None if centre is None else offset + centre
        reach = self.reach(confidence)
        low, high = within(value, stderr, reach, least, most, around=around)
        shown = max(value, 0.0) if clips and self.clips else value
        return Answer(float(shown), stderr, low, high, label, confidence)

    def _reachable(self, weights: Floats, offset: float) -> tuple[float, float]:
        """The bounds of a sum: the least and largest weight, or where a person may tick several those together."""
        if self.boxes is None:
            return offset + float(weights.min()), offset + float(weights.max())
        ordered = np.sort(weights)
        least, most = ordered[: self.boxes], ordered[-self.boxes :]
        return offset + float(least[least < 0].sum()), offset + float(most[most > 0].sum())

    def value_of(self, weights: Floats) -> float:
        """``weights . shares``, without its error."""
        told = None
        if self.shares is None and isinstance(self.error_model, CellErrors):
            told = self.error_model.value_of(weights)
        return float(self.require_shares("this sum") @ weights) if told is None else told

    def bounds(
        self, confidence: float = 0.95, *, chosen: int | None = None
    ) -> tuple[Floats, Floats]:
        """The interval of every share: its low and its high bounds, within 0 and 1.

        With ``chosen``, right for so many values that were chosen for being large: of their
        intervals no more than ``1 - confidence`` miss, on average.
        """
        part = 1.0 if chosen is None else min(1.0, chosen / self.domain.size)
        if (confidence, part) not in self._bounds:
            self._bounds[confidence, part] = share_bounds(self, confidence, part)
        return self._bounds[confidence, part]

    @cached_property
    def _bounds(self) -> dict[tuple[float, float], tuple[Floats, Floats]]:
        """Those that were asked for: pages ask value by value."""
        return {}

    def share(self, value: Any, *, confidence: float = 0.95, anytime: bool = False) -> Answer:
        """The share of one value."""
        if anytime:
            return self.anytime().share(value, confidence=confidence)
        self.require_shares("share")
        return self._at([self.domain.index(value)], confidence)[0]

    def _at(
        self, indices: Iterable[int], confidence: float, chosen: int | None = None
    ) -> list[Answer]:
        shares, stderr = self.require_shares("share"), self.stderr
        low, high = self.bounds(confidence, chosen=chosen)
        shown = np.maximum(shares, 0.0) if self.clips else shares
        return [
            Answer(
                float(shown[i]), float(stderr[i]), float(low[i]), float(high[i]),
                self.domain.label(i), confidence,
            )
            for i in indices
        ]  # fmt: skip

    def total(
        self, values: Iterable[Any], *, confidence: float = 0.95, anytime: bool = False
    ) -> Answer:
        """The share of several values together; where people tick several, how many of these on average."""
        if anytime:
            return self.anytime().total(values, confidence=confidence)
        self.require_shares("total")
        chosen = [values] if self.domain.is_one(values) else list(values)
        indices = self.domain.indices(chosen)
        if len(np.unique(indices)) != len(indices):
            raise InvalidInput("values", "total", "distinct", chosen)
        few = len(chosen) <= _NAMED
        label = ", ".join(map(str, chosen)) if few else f"{len(chosen)} values"
        if len(indices) == 1:
            return dataclasses.replace(self._at(indices.tolist(), confidence)[0], label=label)
        mask = np.zeros(self.domain.size)
        mask[indices] = 1.0
        return self.sum_of(mask, 0.0, label, confidence, clips=True)

    def ticked(self, *, confidence: float = 0.95) -> Answer:
        """How many options people tick on average, where they may tick several."""
        if self.boxes is None:
            raise Unfit(
                f"ticked needs sets of options (Choices); this estimate is over {self.domain}"
            )
        weights = np.array([float(label != NONE) for label in self.domain.labels()])
        return self.sum_of(weights, 0.0, "options ticked", confidence)

    def top(self, count: int = 10, *, confidence: float = 0.95) -> list[TopAnswer]:
        """The values of largest estimated share, largest first.

        Each says whether it can be told from a value that nobody holds, with a bound on false
        discoveries, and which ranks it may have (:class:`~sottovoce.answers.top.TopAnswer`). The
        intervals are right although values were chosen for being large: of those shown, 5% miss.
        """
        shares = self.require_shares("top")
        wanted = min(check_int(count, "count", "top", 1), len(shares))
        order = np.argsort(-shares, kind="stable")[:wanted].tolist()
        answers = self._at(order, confidence, chosen=wanted)
        return top_answers(self, answers, order, confidence)

    # -- answers on numbers: see sottovoce.answers.numbers for what they assume ---------

    def mean(
        self, key: Any = None, *, top: float | None = None, confidence: float = 0.95,
        anytime: bool = False,
    ) -> Answer:  # fmt: skip
        """The mean, every number taken at the middle of its bin; over pairs, of a ``key``'s numbers.

        An open bin has no middle. With ``top`` every answer in it counts as that number, at least
        the bin's edge: with the edge itself the answer is the least that the mean can be.
        """
        if anytime:
            return self.anytime().mean(key, top=top, confidence=confidence)
        if self.domain.keyed is not None or key is not None:
            return keys.mean(self, *self._key(key, "mean"), confidence)
        domain = self._interval("mean")
        return in_days(numbers.mean(self, domain, top, confidence), domain)

    def variance(self, *, confidence: float = 0.95) -> Answer:
        """The variance, numbers spread evenly over their bin."""
        self.require_one_look("variance")
        return numbers.variance(self, self._interval("variance"), confidence)

    def std(self, *, confidence: float = 0.95) -> Answer:
        """The standard deviation: the root of :meth:`variance`."""
        return numbers.root(self.variance(confidence=confidence))

    def range(
        self, low: float, high: float, *, confidence: float = 0.95, anytime: bool = False
    ) -> Answer:
        """The share of numbers from ``low`` to ``high``, bins at the ends taken in proportion."""
        if anytime:
            return self.anytime().range(low, high, confidence=confidence)
        domain = self._interval("range")
        covered, told = domain.overlap(low, high), f"{domain.told(low)} or more"
        if high != math.inf:
            first = domain.told(low).removesuffix(f" {domain.unit}")
            told = f"from {first} to {domain.told(high)}"
        return self._part(covered, "range", told, confidence)

    def cdf(self, x: float, *, confidence: float = 0.95, anytime: bool = False) -> Answer:
        """The share of numbers up to ``x``."""
        if anytime:
            return self.anytime().cdf(x, confidence=confidence)
        domain = self._interval("cdf")
        return self._part(domain.below(x), "cdf", f"up to {domain.told(x)}", confidence)

    def _part(self, covered: Floats, question: str, label: str, confidence: float) -> Answer:
        self.require_shares(question)
        known = float(covered.mean())
        return self.sum_of(covered - known, known, label, confidence, clips=True)

    @overload
    def quantile(self, q: float, *, confidence: float = 0.95) -> Answer: ...

    @overload
    def quantile(self, q: Iterable[float], *, confidence: float = 0.95) -> list[Answer]: ...

    def quantile(
        self, q: float | Iterable[float], *, confidence: float = 0.95
    ) -> Answer | list[Answer]:
        """The number below which a share ``q`` lies, 0.5 for the median; several give a list.

        The interval holds every number that the reports do not rule out, and need not be
        symmetric.
        """
        domain = self._interval("quantile")
        self.require_shares("quantile")
        if np.iterable(q) and not isinstance(q, str):
            return [in_days(numbers.quantile(self, domain, one, confidence), domain) for one in q]
        return in_days(numbers.quantile(self, domain, q, confidence), domain)

    def median(self, *, confidence: float = 0.95) -> Answer:
        """The median: the number below which half of the numbers lie."""
        return dataclasses.replace(self.quantile(0.5, confidence=confidence), label="median")

    @cached_property
    def cumulative(self) -> numbers.Cumulative:
        """The cumulative share at every edge of the bins, with errors."""
        return numbers.cumulative(self, self._interval("cdf"))

    @cached_property
    def plain(self) -> Estimate:
        """Of dates, the same over numbers of days since 1970-01-01; of all else, itself."""
        dates = self.domain.dates
        if dates is None:
            return self
        source = self.unbiased_source
        if source is not None:
            source = functools.partial(_plain_of, source)
        return dataclasses.replace(self, domain=dates.days, unbiased_source=source)

    def _interval(self, question: str) -> Interval:
        numbers = self.domain.numbers or self.domain.dates
        if numbers is None:
            hint = ""
            if self.domain.may_decline is not None:
                hint = ". answered() is about those who answered"
            raise Unfit(
                f"{question} needs numbers (an Interval); this estimate is over {self.domain}{hint}"
            )
        return numbers

    # -- answers on keys: see sottovoce.answers.keys for what they are made of -------------

    def frequency(self, key: Any, *, confidence: float = 0.95, anytime: bool = False) -> Answer:
        """The share of people who hold a key."""
        if anytime:
            return self.anytime().frequency(key, confidence=confidence)
        return keys.frequency(self, *self._key(key, "frequency"), confidence)

    def distribution(self, key: Any) -> Estimate:
        """The numbers of one key: an estimate over their interval."""
        self.require_one_look("distribution")
        return keys.distribution(self, *self._key(key, "distribution"))

    def top_keys(self, count: int = 10, *, confidence: float = 0.95) -> list[Answer]:
        """The keys of largest estimated frequency, largest first; the caution of :meth:`top` holds."""
        return keys.top(self, self._pairs("top_keys"), count, confidence)

    def keys(self, *, confidence: float = 0.95) -> Frame:
        """Every key with its frequency and its mean, each with standard error and interval."""
        return keys.frame(self, self._pairs("keys"), confidence)

    def _key(self, key: Any, question: str) -> tuple[KeyValues, int]:
        domain = self._pairs(question)
        return domain, keys.index_of(domain, key, question)

    def _pairs(self, question: str) -> KeyValues:
        pairs = self.domain.keyed
        if pairs is None:
            what = "the mean of a key" if question == "mean" else question
            raise Unfit(
                f"{what} needs pairs of keys and numbers (KeyValues); "
                f"this estimate is over {self.domain}"
            )
        return pairs

    def answered(self) -> Estimate:
        """Of those who answered, where people may decline: an estimate over their answers.

        Its errors are those of ratios, of both the answers and how many declined; single shares
        have Fieller's intervals.
        """
        self.require_one_look("answered")
        return answered(self)

    # -- answers on records: see sottovoce.answers.parts for what they are made of ----------

    def part(
        self, question: str, method: str = "auto", *, goal: str = "distribution", **options: Any
    ) -> Estimate:
        """The answers to one question of a record: an estimate over its domain.

        From all reports about the question, by a method as for a survey of that question alone;
        tests, differences and anytime intervals take the unbiased shares.

        Parameters
        ----------
        question : str
            The name of the question.
        method : str
            The name of a method, as in :func:`sottovoce.estimate`.
        goal : str
            What ``"auto"`` chooses for.
        **options
            Options of the method.
        """
        self.require_one_look("part")
        return parts.part(self, question, method, goal=goal, **options)

    def table(self, first: str, second: str) -> Table:
        """The table of two questions of a record, from reports about both.

        Unbiased, and in agreement with :meth:`part`, whatever the method of this estimate.
        """
        self.require_one_look("table")
        return parts.table(self, first, second)

    def poststratified(
        self, known: Mapping[str, Any] | None = None, /, **shares: Any
    ) -> Calibrated:
        """The respondents of a record weighted to known shares: ``poststratified(os={"mac": 0.4, ...})``.

        Of each question a mapping of answers, or of groups of them, to their shares in the population, or
        a share per answer in order. With several questions weights are a sum of one per question
        (linear calibration, as in raking). Asked for a question, the result gives its shares in the
        population, with errors.
        """
        self.require_one_look("poststratified")
        record, sets = parts.record_sets(self, "poststratified")
        return calibrated(sets, record, self, dict(known or {}, **shares))

    def joint(self, *questions: str, max_iterations: int = 1000) -> Joint:
        """A model of several questions of a record together, from their tables of two.

        The distribution of most entropy with these tables: no answer to one question changes how two
        others depend on each other. Reports say nothing about that; it is assumed.
        """
        self.require_one_look("joint")
        return joint_of(self, questions, check_int(max_iterations, "max_iterations", "joint", 1))

    # -- shown ---------------------------------------------------------------------

    def frame(self, *, confidence: float = 0.95) -> Frame:
        """Every value with its share, standard error and interval."""
        told = self.require_shares("frame")
        low, high = self.bounds(confidence)
        shares = np.maximum(told, 0.0) if self.clips else told
        return Frame(
            {
                "value": self.domain.labels(),
                "share": shares,
                "stderr": self.stderr,
                "low": low,
                "high": high,
            },
            {"value": self.domain.unit},
        )

    def plot(self, kind: str | None = None, **options: Any) -> Any:
        """A matplotlib figure of the shares, for numbers also of the ``"cdf"`` or on a ``"ring"``,
        for pairs of all keys.

        ``ax=`` draws into axes of your own. See
        :func:`sottovoce.plots.estimate.draw_estimate` for all options.
        """
        return renderer("estimate")(self, kind, **options)

    def __sub__(self, other: Estimate) -> Difference:
        """``b - a``: the difference of two estimates from different reports (``sv.difference(a, b)``)."""
        if not isinstance(other, Estimate):
            return NotImplemented
        made: Difference = import_module("sottovoce.answers.difference").difference(other, self)
        return made

    def _repr_html_(self) -> str:
        """The estimate, for a notebook: a picture and the table."""
        return estimate_html(self)

    def __repr__(self) -> str:
        stopped = "" if self.converged else f", not converged at iteration {self.iterations}"
        return f"<{self.method} estimate over {self.domain} from {self.n} reports{stopped}>"


def _plain_of(source: Callable[[], Estimate | None]) -> Estimate | None:
    """What a source makes, over days."""
    found = source()
    return None if found is None else found.plain


def _told_without_shares(domain: Domain) -> str:
    if domain.record is not None:
        return "part, table"
    return "mean" if domain.keyed is None else "frequency, mean, keys, top_keys"
