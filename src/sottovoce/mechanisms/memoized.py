"""Memory: a permanent answer kept on the device, and a fresh one over it in every window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import MAX_EPSILON, check_choice, check_decimal, check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import decimal_text
from sottovoce.base.randomness import Source
from sottovoce.channels.base import Channel
from sottovoce.channels.rows import Rows
from sottovoce.core.cell_expression import CellExpression
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column
from sottovoce.core.mechanism import Field, Mechanism
from sottovoce.core.memory import Memory
from sottovoce.core.registry import mechanism, register, restore
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices
from sottovoce.domains.categories import Categories
from sottovoce.domains.interval import Interval
from sottovoce.mechanisms._inner import asked_mechanism, described
from sottovoce.mechanisms._level_oracle import best_hash_range
from sottovoce.mechanisms._linear_family import LinearFamily
from sottovoce.mechanisms._memo_bits import MOST_BITS, KeptBits
from sottovoce.mechanisms._memo_outputs import KeptCell, KeptNumber, KeptOutput
from sottovoce.mechanisms._memo_rounds import OWNER, Fresh, Rounds
from sottovoce.mechanisms.local_hashing import LocalHashing
from sottovoce.mechanisms.randomized_response import RandomizedResponse
from sottovoce.mechanisms.square_wave import SquareWave
from sottovoce.mechanisms.unary_encoding import UnaryEncoding

__all__ = ["Memoized"]


_KINDS: dict[type[Mechanism], Callable[[Any, bool], Rounds]] = {
    RandomizedResponse: lambda permanent, half: KeptOutput(permanent),
    LocalHashing: lambda permanent, half: KeptCell(permanent),
    SquareWave: lambda permanent, half: KeptNumber(permanent),
    UnaryEncoding: lambda permanent, half: KeptBits(permanent, half=half),
}


def rounds_of(permanent: Mechanism, *, half: bool) -> Rounds:
    """The rounds with that mechanism as the first."""
    made = _KINDS.get(type(permanent))
    if made is None or (half and not isinstance(permanent, UnaryEncoding)):
        allowed = ", ".join(kind.name for kind in _KINDS)
        raise InvalidInput("inner", OWNER, f"one of {allowed}", permanent.name)
    return made(permanent, half)


def unary(variant: str) -> dict[str, Any]:
    """Unary encoding as an inner mechanism."""
    return {"mechanism": "unary-encoding", "options": {"variant": variant}}


@register
@dataclass(frozen=True)
class Memoized(Mechanism):
    """For people who are asked again and again: ``epsilon`` for one report, ``lifetime`` for all.

    A device draws one permanent answer for each value it ever holds (the memo), at the lifetime's
    epsilon, and keeps it.  In every window it reports a fresh answer over the memo, so that one report
    keeps the smaller ``epsilon``.  Both rounds together draw exactly as ``inner`` does at ``epsilon``:
    memory costs no accuracy in a window, and the collector counts and estimates as without it.

    However many reports of one value somebody sees, they tell no more than the memo: ``lifetime``.
    A change of the value is not hidden; :meth:`cost` bounds what all windows tell when it changes.

    ``inner`` is randomized response for few values, local hashing for many, the square wave for
    numbers.  A hash is one of K, kept for good and shared by the devices that drew it: with a million
    devices and 1,024 values by about 900.  One bit a value is a fingerprint: two reports of a device
    match.  ``unary-encoding`` is there for comparison, up to 20 values unless ``linkable=True``.

    References: Erlingsson, Pihur, Korolova 2014 (L-SUE, without hashes); Arcolezi, Couchot, Al Bouna,
    Xiao 2021 (L-GRR, L-OSUE, L-OUE, L-SOUE); Arcolezi, Pinzon, Palamidessi, Gambs 2023 (LOLOHA).
    The published second rounds of L-GRR and LOLOHA add more noise than needed above two cells.

    >>> import sottovoce as sv
    >>> m = sv.mechanism("memoized", sv.Categories(1024), epsilon=1.0, lifetime=2.0)
    >>> print(m.inner)
    local-hashing(Categories(1024), epsilon=1)
    >>> print(m.certificate())
    worst ratio 2.71828182846 = e^1
    >>> print(m.certificate(reports="all"))
    worst ratio 7.38905609893 = e^2
    """

    name: ClassVar[str] = "memoized"
    aka: ClassVar[dict[str, dict[str, Any]]] = {
        "l-grr": {"inner": "randomized-response"},
        "loloha": {"inner": "local-hashing"},
        "biloloha": {"inner": {"mechanism": "local-hashing", "options": {"hash_range": 2}}},
        "l-sue": {"inner": unary("symmetric")},
        "l-osue": {"inner": unary("optimized")},
        "l-oue": {"inner": unary("optimized"), "half": True},
        "l-soue": {"inner": unary("symmetric"), "half": True},
    }
    is_planned: ClassVar[bool] = False
    remembers: ClassVar[bool] = True

    _: KW_ONLY
    lifetime: float | None = None
    """Epsilon of all reports of one value; it must be given.  Allowed: above epsilon, up to 20."""
    inner: Any = None
    """What is remembered and told; after birth the mechanism that both rounds draw as.  Allowed:
    randomized-response, local-hashing, square-wave, unary-encoding, or a mapping of ``mechanism`` and
    ``options``.  Unless given: by the kind and number of values.
    """
    half: bool = False
    """For unary-encoding, whether a one is told with chance 1/2 (L-OUE, L-SOUE).  Allowed: True or False."""
    linkable: bool = False
    """Whether a memo may be a fingerprint of its device.  Allowed: True or False."""

    def _check_domain(self) -> None:
        """The inner mechanism checks it."""

    def _check_options(self) -> None:
        for option in ("half", "linkable"):
            if not isinstance(getattr(self, option), bool):
                raise InvalidInput(option, self.name, "True or False", getattr(self, option))
        if self.lifetime is None:
            hint = "It is the epsilon of all reports of one value together."
            raise InvalidInput("lifetime", self.name, "given", self.lifetime, hint=hint)
        allowed = f"a number above epsilon = {self.epsilon:g}, at most {MAX_EPSILON:g}"
        lifetime = check_decimal(self.lifetime, "lifetime", self.name, allowed)
        if not self.epsilon < lifetime <= MAX_EPSILON:
            raise InvalidInput("lifetime", self.name, allowed, self.lifetime)
        object.__setattr__(self, "lifetime", lifetime)

    def _asked(self) -> tuple[str, dict[str, Any]]:
        if self.inner is not None:
            name, options = asked_mechanism(self.inner, "inner", self.name)
            return name, dict(options)
        if self.domain.numbers is not None and self.domain.ordered:
            return "square-wave", {"steps": 1}
        hashed = best_hash_range(self.domain.size, self.epsilon)
        return ("local-hashing" if hashed else "randomized-response"), {}

    def _derive_weights(self) -> Any:
        name, options = self._asked()
        alike = mechanism(
            name, self.domain, self.epsilon, **options
        )  # its shape is best at epsilon
        shape = alike.options()
        if "b" in shape:  # halfway between two whole widths
            shape["b"] = alike.weights[0] / (2 * alike.positions)
        rounds = self._rounds_with(mechanism(alike.name, self.domain, self.lifetime, **shape))
        return self._keep(rounds, rounds.derive(self.epsilon))

    def _check_weights(self, weights: Any) -> Any:
        if not isinstance(weights, Mapping) or set(weights) != {"permanent", "fresh"}:
            raise InvalidInput("weights", self.name, "those of permanent and fresh", weights)
        name, options = self._asked()
        permanent = restore(name, self.domain, self.total_epsilon, options, weights["permanent"])
        rounds = self._rounds_with(permanent)
        return self._keep(rounds, rounds.check(weights["fresh"]))

    def _rounds_with(self, permanent: Mechanism) -> Rounds:
        rounds = rounds_of(permanent, half=self.half)
        if rounds.is_fingerprint and not self.linkable:
            allowed = f"of at most {MOST_BITS} values with {permanent.name}"
            hint = (
                "A memo of so many bits identifies a device: use local-hashing, or linkable=True."
            )
            raise InvalidInput(
                "domain", self.name, allowed, f"{self.domain.size} values", hint=hint
            )
        return rounds

    def _keep(self, rounds: Rounds, fresh: Fresh) -> Any:
        found = self._one_report(rounds, fresh)
        if not found.holds(self.epsilon):
            allowed = f"such that no ratio exceeds e^{self.epsilon:g}"
            raise InvalidInput("weights", self.name, allowed, str(found))
        first = rounds.permanent
        alike = restore(
            first.name, self.domain, self.epsilon, first.options(), rounds.composed(fresh)
        )
        object.__setattr__(self, "inner", alike)
        return first.weights, fresh

    def _weights_document(self) -> Any:
        fresh = dict(zip(self.rounds.names, self.weights[1], strict=True))
        return {"permanent": self.rounds.permanent._weights_document(), "fresh": fresh}

    def options(self) -> dict[str, Any]:
        return {
            "lifetime": decimal_text(self.total_epsilon),
            "inner": described(self.inner),
            "half": self.half,
            "linkable": self.linkable,
        }

    def __str__(self) -> str:
        return f"{super().__str__()[:-1]}, lifetime={self.lifetime:g})"

    @property
    def total_epsilon(self) -> float:
        """The lifetime, a number by now."""
        assert self.lifetime is not None
        return self.lifetime

    @cached_property
    def rounds(self) -> Rounds:
        """Both rounds, in integers."""
        names = self.inner.weight_names
        weights = dict(zip(names, self.weights[0], strict=True))
        first = restore(
            self.inner.name, self.domain, self.total_epsilon, self.inner.options(), weights
        )
        return rounds_of(first, half=self.half)

    # -- device ----------------------------------------------------------------------------

    @property
    def positions(self) -> int:
        return int(self.inner.positions)

    def locate(self, values: Any) -> Indices:
        found: Indices = self.inner.locate(values)
        return found

    @property
    def words_per_report(self) -> int:
        return int(self.inner.words_per_report) + self.rounds.fresh_words

    @property
    def family(self) -> LinearFamily | None:
        """The hashes of which a device keeps one; None where there are none."""
        return self.inner.family if isinstance(self.inner, LocalHashing) else None

    @property
    def kept_hashes(self) -> int | None:
        return None if self.family is None else self.family.hashes

    def hash_number(self, source: Source) -> int:
        """The hash that a device keeps for good, from words of its own; 0 where there are none."""
        return self.rounds.hash_number(self.inner, source)

    def entry(self, hash_: int, index: int) -> int:
        """Which memo speaks for a position: the cell of the device's hash, or the position itself."""
        return self.rounds.entry(self.inner, hash_, index)

    def remember(self, entry: int, source: Source) -> Any:
        """The memo of an entry: drawn once, then kept."""
        return self.rounds.remember(entry, source)

    def tell(self, hash_: int, memo: Any, source: Source) -> tuple[Any, ...]:
        """A report from a memo, drawn afresh."""
        return self.rounds.tell(hash_, memo, self.weights[1], source)

    def respond(self, index: int, source: Source) -> tuple[Any, ...]:
        """The first report of a device that remembers nothing yet."""
        hash_ = self.hash_number(source)
        return self.tell(hash_, self.remember(self.entry(hash_, index), source), source)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column, ...]:
        return self.rounds.draw_many(self.inner, indices, self.weights[1], source)

    # -- collector and analyst: those of the inner mechanism ---------------------------------

    @property
    def fields(self) -> tuple[Field, ...]:
        fields: tuple[Field, ...] = self.inner.fields
        return fields

    @property
    def cells(self) -> int:
        return int(self.inner.cells)

    @property
    def blocks(self) -> int:
        return int(self.inner.blocks)

    def count(self, reports: Reports) -> NDArray[np.int64]:
        counted: NDArray[np.int64] = self.inner.count(self._of_inner(reports))
        return counted

    def cell_expression(self) -> CellExpression | None:
        expression: CellExpression | None = self.inner.cell_expression()
        return expression

    def _of_inner(self, reports: Reports) -> Reports:
        return Reports(self.inner, reports.columns, simulated=reports.simulated)

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        """One window: both rounds draw as the inner mechanism."""
        cells: NDArray[np.int64] = self.inner._simulate(counts, source)
        return cells

    def _channel(self) -> Channel:
        channel: Channel = self.inner.channel()
        return channel

    def memory(self) -> Memory:
        return self.rounds.memory(self.inner, self.weights[1])

    def rows(self, reports: Reports) -> Rows | None:
        rows: Rows | None = self.inner.rows(self._of_inner(reports))
        return rows

    # -- auditor -----------------------------------------------------------------------------

    def certificate(self, *, reports: str = "one") -> Certificate:
        """Of one report, both rounds together; of ``"all"`` reports of one value, however many, that of the memo."""
        if check_choice(reports, "reports", f"certificate of {self.name}", ("one", "all")) == "all":
            found: Certificate = self.rounds.permanent.certificate()
            return found
        return self._one_report(self.rounds, self.weights[1])

    def _one_report(self, rounds: Rounds, fresh: Fresh) -> Certificate:
        single = rounds.permanent.positions == 1  # of which nothing can be learned
        return Certificate(1, 1) if single else rounds.one_report(fresh)

    def cost(self, answers: int = 1, windows: int | None = None) -> float:
        """An epsilon that all reports keep together, between any two histories of a person.

        ``answers`` memos speak at most, in ``windows`` windows.  With one, the cost is the lifetime's.
        With k of them the windows fall into at most k blocks of one memo each.  Of two such divisions of
        T windows one becomes the other by moving at most ``D = floor(T (1 - 1/k))`` windows (some
        matching of blocks has T/k windows in common).  A window that moves tells at most the ratio of
        the fresh round; then blocks correspond, and each tells at most the lifetime's ratio.  So
        ``k lifetime + D eps_2`` holds, and so does ``T eps_2``, the fresh rounds alone.
        """
        k = check_int(answers, "answers", f"cost of {self.name}", 1)
        if k == 1:
            return self.total_epsilon
        if windows is None:
            hint = "Without an end there is no bound: every change of the answer reveals more."
            raise InvalidInput(
                "windows", f"cost of {self.name}", "given for 2 answers or more", None, hint=hint
            )
        turns = check_int(windows, "windows", f"cost of {self.name}", 1)
        each = self.rounds.epsilon_from_memo(self.weights[1])
        k = min(k, turns)
        moved = k * self.total_epsilon + (turns - -(-turns // k)) * each
        return min(moved, turns * each) * (1 + 2**-50)

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_] | None:
        found: NDArray[np.bool_] | None = self.inner.supports(self._of_inner(reports), index)
        return found

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Categories(["yes", "no"]), 1.0, lifetime=2.0)
        yield cls(Categories(5), 0.5, lifetime=1.0, inner="randomized-response")
        yield cls(Categories(40), 1.0, lifetime=2.0, inner="local-hashing")
        yield cls(Interval(0, 1, bins=12), 1.0, lifetime=3.0)
        yield cls(Categories(5), 1.0, lifetime=2.0, inner=unary("optimized"))
        yield cls(Categories(4), 1.0, lifetime=2.0, inner=unary("symmetric"), half=True)
        yield cls(Categories(6), 1.0, lifetime=2.0, inner=_COARSE)


_COARSE = {"mechanism": "randomized-response", "options": {"bits": 16}}
