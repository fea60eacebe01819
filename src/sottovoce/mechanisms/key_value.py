"""Key-value data: a key and a number, both randomized, the number only where the key was kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_choice, check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds
from sottovoce.base.randomness import OperatingSystem, Source, uniform_below_many
from sottovoce.core.audit_plan import AuditPlan
from sottovoce.core.cell_expression import CellExpression
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, Field
from sottovoce.core.mechanism import DEFAULT_BITS, Mechanism, check_bits
from sottovoce.core.registry import register
from sottovoce.core.reports import Reports
from sottovoce.domains.alignment import warn_if_misaligned
from sottovoce.domains.base import Indices
from sottovoce.domains.key_values import NO_PAIR, KeyValues
from sottovoce.domains.pair_sets import PairSets
from sottovoce.mechanisms._audit_plans import plan_for_pairs
from sottovoce.mechanisms._fine_grid import places_on_grid
from sottovoce.mechanisms._key_value_channel import PairsChannel
from sottovoce.mechanisms._key_value_response import ResponseKeys
from sottovoce.mechanisms._key_value_unary import UnaryKeys
from sottovoce.mechanisms._key_value_weights import PairWeights
from sottovoce.mechanisms._padding import drawn_slots
from sottovoce.mechanisms.piecewise import Piecewise
from sottovoce.mechanisms.stochastic_rounding import StochasticRounding

__all__ = ["KeyValue"]

_MOST_PAIRS = 2**16
"""Slots of a set; a device draws one of them."""


@register
@dataclass(frozen=True)
class KeyValue(Mechanism):
    """The key is randomized; where it was kept, the number is too, elsewhere a number is made up.

    ``keys="unary"``: a bit a key, set with chance a for one's own and b for any other.
    ``keys="response"``: one key, one's own with chance a, any other with b each.
    ``numbers="rounding"``: high or low, high with a chance from 1 - P to P.
    ``numbers="piecewise"``: one of many outputs, those in a window around the number more likely.
    A number that is made up is uniform, and tells nothing.

    **How privacy composes.**  Let a true number be reported, relative to a made-up one, at most
    ``R`` and at least ``r`` times as often: ``R / r = e^eps2``, with rounding
    ``R = 2 e^eps2 / (1 + e^eps2)``, with piecewise ``R = e^(eps2/2)``.  Two people with the same
    key differ by ``R / r``.  With keys k and k' they differ at most where k is reported at its top:

    - unary: a factor ``a R / b`` for k, and for k' one of ``(1 - b)/(1 - a)`` (it is unset) or
      ``b / (a r)`` (set, off its top).  With ``e^eps1 = a (1 - b) / (b (1 - a))`` the worst
      ratio is the larger of ``e^eps1 R`` and ``R / r``:
      ``eps = max(eps2, eps1 + ln(2 / (1 + e^-eps2)))`` for rounding and
      ``eps = max(eps2, eps1 + eps2/2)`` for piecewise.  With ``a = 1/2`` both are equal at
      ``eps2 = eps``, ``b = 2/(E + 3)`` and ``b = 1/(e^(eps/2) + 1)``.
    - response: ``a R / b`` against ``a r / b`` or 1, whichever is less.  They are equal where
      ``a r = b``; then all is said by ``a R / b = R / r = e^eps2``: ``eps2 = eps``.

    **Sets.**  Of a set of at most l pairs one slot out of l is drawn; an empty one has "no pair"
    (``KeyValues(pairs=l)``).  A report of response keys is, from a set, the mean over its slots,
    of which one at most has the key: ``eps2`` may be ``ln(1 + X)``, ``X = l (E - 1)``, and
    ``(1/l)(1 + X) + (1 - 1/l) = E``.  Each empty slot is a dummy key of its own, and all d + l keys
    are alike; dummies leave the device as one.  Unary keys gain nothing: all keys of a full
    set may be set at their tops at once.

    ==========  =========  ====================  ==================  ==================
    keys        numbers    a                     b                   number
    ==========  =========  ====================  ==================  ==================
    unary       rounding   1/2                   2/(E + 3)           P = E/(E + 1)
    unary       piecewise  1/2                   1/(s + 1)           s = e^(eps/2)
    response    rounding   (X + 2)/(X + 2d')     2/(X + 2d')         P = (X + 1)/(X + 2)
    response    piecewise  s/(s + d' - 1)        1/(s + d' - 1)      s = (X + 1)^(1/2)
    ==========  =========  ====================  ==================  ==================

    with ``d' = d + l``, or without sets ``d' = d, l = 1``.  See the proof page for the integers.

    ``output_bins`` are the cells in which piecewise numbers are reported, ``steps`` positions a
    bin as for numbers alone.  Reports tell the frequency of every key and the mean of its numbers,
    piecewise ones also their distribution.

    References: Gu, Li, Cheng, Xiong, Cao 2020 (PCKV-UE, PCKV-GRR); the piecewise numbers
    (PCKV-PM) are those of the mixture-reduction paper, which has them with unary keys.

    >>> import sottovoce as sv
    >>> ratings = sv.KeyValues(["film", "book", "song"], 0, 5, bins=10, pairs=2)
    >>> m = sv.mechanism("pckv-grr", ratings, epsilon=1.0)
    >>> reports = m.randomize([{"film": 4.5}, {"film": 1, "book": 2}])
    >>> len(reports), list(reports.columns)
    (2, ['key', 'high'])
    >>> print(sv.KeyValue(ratings, 1.0).certificate())
    worst ratio 2.71828182846 = e^1
    """

    name: ClassVar[str] = "key-value"
    aka: ClassVar[dict[str, dict[str, Any]]] = {
        "pckv-ue": {"keys": "unary", "numbers": "rounding"},
        "pckv-grr": {"keys": "response", "numbers": "rounding"},
        "pckv-pm": {"keys": "unary", "numbers": "piecewise"},
    }
    domain: KeyValues

    _: KW_ONLY
    keys: str = "unary"
    """How the key is randomized: a bit for every key, or one key, which is better for few keys.
    Allowed: "unary" or "response".
    """
    numbers: str = "piecewise"
    """How its number is: high or low, which tells means only, or one of many outputs.  Allowed:
    "rounding" or "piecewise".
    """
    steps: int | None = None
    """Positions a bin of the numbers.  Allowed: 1 to 2^22 / bins (rounding: 2^40 / bins).  Unless
    given: so many that there are 65,536 positions (rounding: 1,048,576).
    """
    output_bins: int | None = None
    """Cells in which piecewise numbers are reported.  Allowed: 2 to the number of outputs; rounding
    has 2.  Unless given: as many as bins, at least 255.
    """
    bits: int = DEFAULT_BITS
    """Weights are integers over 2^bits; fewer are for tests and for looking at.  Allowed: 8 to 62."""

    # -- options and weights -----------------------------------------------------------

    def _check_domain(self) -> None:
        if not isinstance(self.domain, KeyValues):
            raise InvalidInput("domain", self.name, "KeyValues: keys with numbers", self.domain)
        if (self.domain.pairs or 1) > _MOST_PAIRS:
            allowed = f"of at most {_MOST_PAIRS} pairs per person"
            raise InvalidInput("domain", self.name, allowed, f"{self.domain.pairs} pairs")

    def _check_options(self) -> None:
        check_choice(self.keys, "keys", self.name, ("unary", "response"))
        check_choice(self.numbers, "numbers", self.name, ("rounding", "piecewise"))
        check_bits(self.bits, self.name)
        grid = StochasticRounding if self.numbers == "rounding" else Piecewise
        bins, most = self.domain.interval.bins, grid.largest_grid
        if bins > most:
            raise InvalidInput("domain", self.name, f"of at most {most} bins", f"{bins} bins")
        if self.steps is None:
            object.__setattr__(self, "steps", -(-grid.default_positions // bins))
        check_int(self.steps, "steps", self.name, 1, most // bins)
        if self._each * bins == 1:
            raise InvalidInput("steps", self.name, "at least 2 where there is one bin", self.steps)
        if self.numbers == "rounding" and self.output_bins not in (None, 2):
            allowed = "left out where numbers are rounded: there are two outputs"
            raise InvalidInput("output_bins", self.name, allowed, self.output_bins)

    def _complete_options(self) -> None:
        object.__setattr__(self, "output_bins", self.reporter.numbers.cells)

    @property
    def _each(self) -> int:
        """Positions a bin, a number by now."""
        assert self.steps is not None
        return self.steps

    @property
    def _table(self) -> PairWeights:
        domain = self.domain
        return PairWeights(
            self.name, self.keys == "unary", self.numbers == "rounding", domain.keys.size,
            domain.pairs, domain.interval.bins, self._each, self.output_bins, self.bits,
        )  # fmt: skip

    def _derive_weights(self) -> tuple[int, ...]:
        weights = self._table.derive(exp_bounds(self.epsilon)[0])
        if weights is None:
            raise InvalidInput(
                "epsilon", self.name, f"larger for {self.domain} with weights of {self.bits} bits",
                self.epsilon, hint="At this precision the answer would carry nothing.",
            )  # fmt: skip
        return weights

    def _check_weights(self, weights: Any) -> tuple[int, ...]:
        return self._table.check(weights)

    def _weights_document(self) -> Any:
        return dict(zip(self._table.names, self.weights, strict=True))

    @cached_property
    def reporter(self) -> UnaryKeys | ResponseKeys:
        """How a pair becomes a report."""
        return self._table.reporter(self.weights)

    # -- device --------------------------------------------------------------------------

    @property
    def fields(self) -> tuple[Field, ...]:
        return self.reporter.fields

    @property
    def _grid(self) -> int:
        """Positions of a number."""
        return self.reporter.numbers.positions

    @property
    def positions(self) -> int:
        """Those of the numbers for every key, and where people hold sets one more: no pair."""
        return self.domain.keys.size * self._grid + self.domain.holds_sets

    @property
    def words_per_report(self) -> int:
        return self.reporter.words_per_report

    def locate(self, values: Any) -> Indices:
        """The positions of pairs (and of None, for no pair)."""
        return self._located(*self.domain.columns(values))

    def _located(self, keys: Indices, numbers: Any) -> Indices:
        found = np.full(len(keys), self.positions - 1, dtype=np.int64)
        held = keys != NO_PAIR
        if held.any():
            found[held] = self._places(keys[held], numbers[held])
        return found

    def _places(self, keys: Indices, numbers: Any) -> Indices:
        places = places_on_grid(self.domain.interval, self._each, numbers)
        return keys * self._grid + places

    def randomize(self, values: Any, *, source: Source | None = None) -> Reports:
        """Randomize what people hold: a pair each, or a set each; see ``KeyValues``."""
        chosen = OperatingSystem() if source is None else source
        if self.domain.pairs is not None:
            held = self.domain.sets(values)
            if len(held.sizes) > 1:
                warn_if_misaligned(self.domain.interval, held.numbers)
            return self.randomize_sets(held, chosen)
        if self.domain.is_one(values):
            return super().randomize(values, source=chosen)
        keys, numbers = self.domain.columns(values)
        positions = self._located(keys, numbers)
        warn_if_misaligned(self.domain.interval, numbers)
        return self.randomize_positions(positions, chosen)

    def randomize_sets(self, held: PairSets, source: Source) -> Reports:
        """Draw a slot of every set, and randomize the pair there, or that there is none."""
        rows, filled = drawn_slots(held, self.domain.pairs or 1, source)
        places = self._places(held.keys[rows], held.numbers[rows])
        return self.randomize_positions(np.where(filled, places, self.positions - 1), source)

    def randomize_indices(self, indices: Indices, source: Source | None = None) -> Reports:
        """Randomize people known by their pair, or no pair: anywhere in the bin alike."""
        chosen = OperatingSystem() if source is None else source
        within = uniform_below_many(self._each, len(indices), chosen).view(np.int64)
        last = self.domain.keys.size * self.domain.interval.bins
        places = np.where(indices == last, 0, within) + indices * self._each
        return self.randomize_positions(places, chosen)

    def respond(self, index: int, source: Source) -> tuple[Any, ...]:
        columns = self.respond_many(np.array([index]), source)
        return tuple(c[0].tobytes() if c.ndim == 2 else int(c[0]) for c in columns)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column, ...]:
        keys, places = np.divmod(indices, self._grid)
        return self.reporter.respond_many(keys, places, source)

    # -- collector -----------------------------------------------------------------------

    @property
    def cells(self) -> int:
        return self.reporter.cells

    @property
    def blocks(self) -> int:
        return self.reporter.blocks

    def count(self, reports: Reports) -> NDArray[np.int64]:
        return self.reporter.count(reports)

    def cell_expression(self) -> CellExpression | None:
        return self.reporter.cell_expression()

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        keys, bins = self.domain.keys.size, self.domain.interval.bins
        held = counts[: keys * bins].reshape(keys, bins)
        nobody = int(counts[-1]) if self.domain.holds_sets else 0
        return self.reporter.simulate(held, nobody, source)

    # -- analyst and auditor -----------------------------------------------------------------

    def _channel(self) -> PairsChannel:
        return self.reporter.channel()

    def certificate(self) -> Certificate:
        return self.reporter.certificate()

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_]:
        """Reports that speak for a position: its key, with a number that it makes more likely."""
        return self.reporter.supports(reports, *divmod(index, self._grid))

    def audit_plan(self) -> AuditPlan:
        return plan_for_pairs(self)

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        few = KeyValues(["film", "book"], 0, 5, bins=4)
        sets = KeyValues(["film", "book", "song"], 0, 5, bins=3, pairs=2)
        yield cls(few, 2.0, steps=8, output_bins=12)
        yield cls(few, 2.0, numbers="rounding")
        yield cls(few, 2.0, keys="response", numbers="rounding", steps=2, bits=16)
        yield cls(sets, 2.0, keys="response", output_bins=12)
        yield cls(sets, 2.0, numbers="rounding")
        yield cls(KeyValues(3, -1, 1, bins=2, pairs=1), 3.0, steps=4, output_bins=6, bits=16)
