"""The two rounds of a memoized mechanism, in integers.

Round 1 is drawn once for an input and kept: a report of the inner mechanism at the lifetime's epsilon.
Round 2 is drawn from it afresh in every window.  Over a table whose chances take two levels, *send what is
kept with chance a, else any output alike* gives the two levels of the inner mechanism at a smaller epsilon:

    a h + (1 - a)/N   and   a l + (1 - a)/N.

With N outputs their ratio is at most E where ``a (N (h - E l) + E - 1) <= E - 1``.  Bits are not outputs of
such a table together, so each is drawn by itself: it stays with chance ``stay``, rises with chance ``rise``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import log_above
from sottovoce.base.randomness import Source
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column
from sottovoce.core.memory import Memory
from sottovoce.domains.base import Indices

__all__ = ["OWNER", "Fresh", "Rounds"]

OWNER = "memoized"
Fresh = tuple[int, int]
"""The two weights of round 2."""


@dataclass(frozen=True)
class Rounds(ABC):
    """What is kept, and how it is told; ``permanent`` is the inner mechanism of round 1."""

    permanent: Any

    names: tuple[str, str] = ("", "")
    """What the two weights of round 2 are called."""

    @property
    def is_fingerprint(self) -> bool:
        """Whether a memo tells its device from most others."""
        return False

    @property
    def fresh_words(self) -> int:
        """Words that round 2 draws."""
        return 1

    @property
    def total(self) -> int:
        """What the weights of round 2 are over."""
        return int(2**self.permanent.bits)

    def check(self, weights: Any) -> Fresh:
        """Weights of round 2 that came from outside."""
        if not isinstance(weights, dict) or set(weights) != set(self.names):
            allowed = f"whole numbers named {' and '.join(self.names)}"
            raise InvalidInput("weights fresh", OWNER, allowed, weights)
        first, second = (check_int(weights[k], f"weight {k}", OWNER, 0) for k in self.names)
        return self._checked(first, second)

    @abstractmethod
    def _checked(self, first: int, second: int) -> tuple[int, int]:
        """Weights that fill the table."""

    @abstractmethod
    def derive(self, epsilon: float) -> tuple[int, int]:
        """The weights of least noise with which one report keeps epsilon."""

    @abstractmethod
    def one_report(self, fresh: Fresh) -> Certificate:
        """The worst ratio of both rounds together, exactly."""

    @abstractmethod
    def from_memo(self, fresh: Fresh) -> Fraction:
        """The worst ratio of round 2 alone, between any two kept answers."""

    def epsilon_from_memo(self, fresh: Fresh) -> float:
        """A float at least its logarithm."""
        return log_above(self.from_memo(fresh))

    @abstractmethod
    def composed(self, fresh: Fresh) -> dict[str, int]:
        """Weights of the inner mechanism that draw as both rounds do, to a part in 2^bits."""

    @abstractmethod
    def memory(self, inner: Any, fresh: Fresh) -> Memory:
        """What windows share."""

    # -- drawing: hash, entry, memo, report ------------------------------------------------

    def hash_number(self, inner: Any, source: Source) -> int:
        """The hash that a device keeps; 0 where there are none."""
        return 0

    def entry(self, inner: Any, hash_: int, index: int) -> int:
        """Which memo speaks for an input: the cell of a hash, or the input itself."""
        return index

    def remember(self, entry: int, source: Source) -> Any:
        """Round 1: the memo of an entry."""
        return self.permanent.respond(entry, source)[0]

    @abstractmethod
    def tell(self, hash_: int, memo: Any, fresh: Fresh, source: Source) -> tuple[Any, ...]:
        """Round 2: a report from a memo."""

    # -- the same for many devices ---------------------------------------------------------

    def hash_numbers(self, inner: Any, count: int, source: Source) -> Indices | None:
        """The hashes that devices keep; None where there are none."""
        return None

    def entries(self, inner: Any, hashes: Indices | None, indices: Indices) -> Indices:
        """Which memo speaks for the input of each device."""
        return indices

    def remember_many(self, entries: Indices, source: Source) -> Column:
        """The memo of each entry."""
        (memos,) = self.permanent.respond_many(entries, source)
        return np.asarray(memos)

    @abstractmethod
    def tell_many(
        self, hashes: Indices | None, memos: Column, fresh: Fresh, source: Source
    ) -> tuple[Column, ...]:
        """A report from each memo."""

    def draw_many(
        self, inner: Any, indices: Indices, fresh: Fresh, source: Source
    ) -> tuple[Column, ...]:
        """Hash, memo and report of many devices."""
        hashes = self.hash_numbers(inner, len(indices), source)
        memos = self.remember_many(self.entries(inner, hashes, indices), source)
        return self.tell_many(hashes, memos, fresh, source)
