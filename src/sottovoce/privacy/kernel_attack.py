"""What an onlooker can find out about a mechanism that was not told: its kernel, or its epsilon.

Deconvolution needs to know what a mechanism does to a value.  Whoever does not can still learn it:

* from a device that may be asked again and again about one input: how often its reports
  support each value is the kernel h, ``p`` at the input and ``q`` elsewhere;
* from reports alone, where their size gives epsilon away.  A report of unary encoding
  supports ``m = p + (d-1) q`` values on average, whoever sends it.  OUE has p = 1/2 and
  ``q = 1/(E+1)``, so that ``E = (d-1)/(m - 1/2) - 1``; SUE has p = 1 - q, so that
  ``q = (m-1)/(d-2)`` and ``e^(eps/2) = (1-q)/q``.

Reports of one size (GRR, subset selection, Hadamard response) tell nothing of the kind.

Reference: Fang, Chen, Liu, Gao 2023, appendix B.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.answers.answer import Answer, answer
from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput, NotIdentified, Unfit
from sottovoce.channels.base import Floats
from sottovoce.core.tally import Tally

__all__ = ["RecoveredKernel", "blind_epsilon", "blind_kernel"]

_CHUNK = 2**16


@dataclass(frozen=True, eq=False)
class RecoveredKernel:
    """How often reports of one input support each value: ``kernel[k]`` of the value k further on."""

    kernel: Floats
    trials: int

    @property
    def stderr(self) -> Floats:
        """Of every entry, a share of ``trials`` reports."""
        return np.sqrt(self.kernel * (1 - self.kernel) / self.trials)


def blind_kernel(
    sample: Callable[[int, int], Any],
    supports: Callable[[Any, int], NDArray[np.bool_]],
    size: int,
    *,
    value: int = 0,
    trials: int = 100_000,
) -> RecoveredKernel:
    """The kernel of a randomizer that can be run at will on one input.

    ``sample(value, count)`` returns that many reports of ``value``; ``supports(reports, u)``
    says of each whether it supports u.

    >>> import numpy as np
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(3), 1.0)
    >>> def device(value, count):
    ...     return m.randomize_indices(np.full(count, value), sv.Seeded(value))
    >>> blind_kernel(device, m.supports, 3).kernel.round(2).tolist()
    [0.58, 0.21, 0.21]
    """
    check_int(size, "size", "blind_kernel", 2)
    check_int(value, "value", "blind_kernel", 0, size - 1)
    check_int(trials, "trials", "blind_kernel", 1)
    counts = np.zeros(size, dtype=np.int64)
    for start in range(0, trials, _CHUNK):
        asked = min(_CHUNK, trials - start)
        reports = sample(value, asked)
        for k in range(size):
            found = np.asarray(supports(reports, (value + k) % size))
            if found.shape != (asked,):
                allowed = f"{asked} booleans, one per report"
                raise InvalidInput("supports", "blind_kernel", allowed, f"shape {found.shape}")
            counts[k] += int(found.sum())
    return RecoveredKernel(counts / trials, trials)


def blind_epsilon(tally: Tally, *, confidence: float = 0.95) -> Answer:
    """Epsilon of unary encoding from the mean size of its reports, as if it had not been told.

    >>> import sottovoce as sv
    >>> m = sv.mechanism("oue", sv.Categories(100), 2.0)
    >>> tally = m.simulate([200] * 100, source=sv.Seeded(1))
    >>> print(blind_epsilon(tally))
    epsilon: 2.0017 +- 0.0022 (95% from 1.9973 to 2.0060)
    """
    mechanism, d = tally.mechanism, tally.mechanism.domain.size
    if mechanism.name != "unary-encoding":
        raise Unfit(
            f"the reports of {mechanism} do not give epsilon away by their size: that takes "
            "unary encoding; a device that can be asked again gives its kernel (blind_kernel)"
        )
    if tally.n == 0:
        raise InvalidInput("n", f"tally of {mechanism.name}", "at least 1", 0)
    optimized = mechanism.options()["variant"] == "optimized"
    if d < (2 if optimized else 3):
        raise NotIdentified(f"reports about {d} values have the same mean size for every epsilon")
    mean = float(tally.cells.reshape(d, 2)[:, 0].sum()) / tally.n
    low, high = (0.5, 0.5 + (d - 1) / 2) if optimized else (1.0, d / 2)
    if not low < mean < high:
        raise NotIdentified(
            f"a mean size of {mean:.4g} belongs to no epsilon: between {low:g} and {high:g} it would"
        )
    if optimized:
        q, p = (mean - 0.5) / (d - 1), 0.5
        epsilon = math.log(1 / q - 1)
        slope = 1 / ((d - 1) * q * (1 - q))
    else:
        q = (mean - 1) / (d - 2)
        p = 1 - q
        epsilon = 2 * math.log(p / q)
        slope = 2 / ((d - 2) * q * (1 - q))
    spread = math.sqrt((p * (1 - p) + (d - 1) * q * (1 - q)) / tally.n)
    return answer(epsilon, slope * spread, "epsilon", confidence)
