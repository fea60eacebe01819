"""The integers of a key-value mechanism: how they are derived, named, and what they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.mechanisms._key_value_numbers import (
    PiecewiseNumbers,
    ReportedNumbers,
    RoundedNumbers,
)
from sottovoce.mechanisms._key_value_response import ResponseKeys
from sottovoce.mechanisms._key_value_unary import UnaryKeys
from sottovoce.mechanisms.piecewise import Piecewise

__all__ = ["PairWeights"]

_FEWEST_CELLS = 255
"""Cells of piecewise numbers; with "unset" they fill a byte."""


@dataclass(frozen=True)
class PairWeights:
    """What is chosen before the weights: which ways, how many keys, pairs, bins, steps and bits."""

    owner: str
    unary: bool
    rounded: bool
    keys: int
    pairs: int | None
    bins: int
    steps: int
    output_bins: int | None
    bits: int

    @property
    def _numbers(self) -> type[ReportedNumbers]:
        return RoundedNumbers if self.rounded else PiecewiseNumbers

    @property
    def names(self) -> tuple[str, ...]:
        """What the integers are, in order: those of the keys, if any, then of the numbers."""
        return (*(UnaryKeys.weight_names if self.unary else ()), *self._numbers.weight_names)

    def derive(self, ratio: Fraction) -> tuple[int, ...] | None:
        """The weights in which no ratio exceeds ``ratio``; None where nothing would be told.

        With response keys a slot may gain ``l (ratio - 1)``, and the background is that of
        all keys and dummies; with unary keys the number has the whole ratio, and ``other`` is made
        to fit it.
        """
        slots, kinds = self.pairs or 1, self.keys + (self.pairs or 0)
        gain, backgrounds = (ratio - 1, 1) if self.unary else (slots * (ratio - 1), kinds)
        made = self._numbers.derive(self.bins, self.steps, backgrounds, gain, self.bits)
        if min(made) < 1:
            return None
        if not self.unary:
            return made
        own, other = UnaryKeys.derive(self.numbers(made), ratio, self.bits)
        return (own, other, *made) if other < own else None

    def check(self, weights: Any) -> tuple[int, ...]:
        """Weights that came from JSON, all those named, positive and of totals that can be drawn."""
        if not isinstance(weights, Mapping) or set(weights) != set(self.names):
            allowed = f"whole numbers named {', '.join(self.names)}"
            raise InvalidInput("weights", self.owner, allowed, weights)
        found = tuple(check_int(weights[k], f"weight {k}", self.owner, 1) for k in self.names)
        if not self.rounded:
            check_int(weights["width"], "weight width", self.owner, 1, Piecewise.largest_grid)
        reporter = self.reporter(found)
        total = reporter.total if isinstance(reporter, ResponseKeys) else reporter.numbers.total
        if total > 2**63:
            raise InvalidInput("weights", self.owner, "of a total of at most 2^63", weights)
        if isinstance(reporter, UnaryKeys) and not reporter.other < reporter.own < 2**self.bits:
            raise InvalidInput("weights", self.owner, f"other < own < 2^{self.bits}", weights)
        return found

    def numbers(self, weights: tuple[int, ...]) -> ReportedNumbers:
        """How a number is reported."""
        if self.rounded:
            return RoundedNumbers(self.bins, self.steps, 2, weights)
        outputs = PiecewiseNumbers(self.bins, self.steps, 1, weights).outputs
        cells = self.output_bins
        if cells is None:
            cells = outputs if self.steps == 1 else min(max(self.bins, _FEWEST_CELLS), outputs)
        check_int(cells, "output_bins", self.owner, min(2, outputs), outputs)
        return PiecewiseNumbers(self.bins, self.steps, cells, weights)

    def reporter(self, weights: tuple[int, ...]) -> UnaryKeys | ResponseKeys:
        """How a pair is reported."""
        if not self.unary:
            return ResponseKeys(self.numbers(weights), self.keys, self.pairs)
        own, other, *rest = weights
        numbers = self.numbers(tuple(rest))
        return UnaryKeys(numbers, self.keys, self.pairs, self.bits, own, other)
