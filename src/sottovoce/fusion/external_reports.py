"""Floats that were collected elsewhere, as reports of ours.

A service that is not ours ran a mechanism of the textbooks on real numbers and kept floats.  What
it kept is sorted into the cells of our mechanism of the same name, whose channel then says what a
report means.  **Its privacy is not certified**: floats leak more than their mechanism says, and
nothing here can undo it.  Reports made so say ``certified = False``.

In parts of the interval that values were scaled to, with E = e^eps and s = e^(eps/2), the laws are

==========  ===================================================================================
sw          density E q within b of the value v, q up to b beyond the interval
pm          density E q in a window of length ``(C-1)/2``, q elsewhere from ``(1-C)/2`` to
            ``(1+C)/2``, with ``C = (s+1)/(s-1)``
sr          ``(1 +- (E+1)/(E-1)) / 2``, the upper one with probability ``(1 + v (E-1)) / (E+1)``
laplace     ``v +`` noise of density ``eps/2 e^(-eps |x|)``
gaussian    ``v +`` normal noise of standard deviation sigma
==========  ===================================================================================

How near are our cells?  For sw, pm and sr their probabilities are those of the continuous law
within the weight of one position of the grid, which has 2^16 or more, for sr 2^20 (``steps``
makes it finer).  Laplace noise of ours moves whole bins, and cells differ by at most
``(eps/bins)^2 / 6``; normal noise differs by less.  What falls outside the interval is
counted at its ends, for normal noise ``reach`` cells beyond.  With Laplace noise that loses nothing:
out there the likelihoods of all values fall alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import MAX_EPSILON, MIN_EPSILON, check_real
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Domain

__all__ = ["Foreign", "foreign"]

Floats = NDArray[np.float64]

_ROUNDING = 1e-6
"""What single precision and decimals may add, in parts of all that a mechanism can give."""
_SOLVED = 1e-6
_ATTEMPTS = 60
_TINY_DELTA = 1e-12
_KNOWN = "sw, pm, sr, laplace, gaussian"


def foreign(
    values: Any,
    name: str,
    domain: Domain,
    epsilon: float,
    *,
    units: tuple[float, float] | None = None,
    service: str = "foreign",
    column: str = "values",
    **options: Any,
) -> Reports:
    """Convert floats that were randomized elsewhere into reports of one of our mechanisms.

    Parameters
    ----------
    values : array of float
        The randomized numbers.
    name : str
        The mechanism whose continuous counterpart made them, such as ``"pm"``.
    domain : Domain
        The domain of the numbers.
    epsilon : float
        The privacy parameter that they were made with.
    units : pair of float, optional
        The interval that numbers were scaled to before randomizing, in which the floats are:
        ``(-1, 1)``, ``(0, 1)``, or None for the domain's own.
    service, column : str
        Names used in error messages.
    **options
        Options of the mechanism; for ``gaussian`` also ``sigma``, the standard deviation of the noise
        in those units (the least that keeps epsilon and delta if not given).

    Returns
    -------
    Reports
        Reports with ``certified=False``.

    Raises
    ------
    InvalidInput
        Where the mechanism cannot give a value; the message names its row.

    Examples
    --------
    >>> import sottovoce as sv
    >>> reports = foreign([1.9, -0.4], "pm", sv.Interval(0, 100, bins=64), 1.5, units=(-1, 1))
    >>> len(reports), reports.mechanism.name, reports.certified
    (2, 'piecewise', False)
    """
    law = Foreign.make(name, domain, epsilon, units=units, service=service, **options)
    return law.reports(values, column=column)


@dataclass(frozen=True, eq=False)
class Foreign:
    """A continuous mechanism of elsewhere, and ours whose cells its floats are sorted into."""

    mechanism: Mechanism
    low: float
    high: float
    """The interval that numbers were scaled to."""
    service: str = "foreign"

    @classmethod
    def make(
        cls,
        name: str,
        domain: Domain,
        epsilon: float,
        *,
        units: tuple[float, float] | None = None,
        service: str = "foreign",
        **options: Any,
    ) -> Foreign:
        """The law of that name, over an interval."""
        owner = f"service {service!r}"
        numbers = domain.numbers
        if numbers is None or numbers.whole or numbers.uneven is not None:
            allowed = "an Interval of real numbers in equal bins"
            raise InvalidInput("domain", owner, allowed, str(domain))
        low, high = _interval(units, owner) or numbers.span
        sigma, reach = options.pop("sigma", None), options.get("reach")
        made = mechanism(name, domain, epsilon, **options)
        if made.name not in _LAWS:
            raise Unfit(f"{owner}: floats of {name!r} have no known law; those of {_KNOWN} do")
        if sigma is not None and made.name != "gaussian":
            raise InvalidInput("sigma", owner, "left out but for gaussian", sigma)
        if made.name == "laplace":
            made = _laplace(made)
        elif made.name == "gaussian":
            scaled = None if sigma is None else _positive(sigma, owner) / (high - low)
            made = _gaussian(made, scaled, reach, owner)
        return cls(made, low, high, service)

    def reports(self, values: Any, *, column: str = "values", first_row: int = 0) -> Reports:
        """The floats as reports; rows count from ``first_row``."""
        array = self._numbers(values, column)
        parts = (array - self.low) / (self.high - self.low)
        cells, inside = _LAWS[self.mechanism.name](self.mechanism, parts)
        wrong = np.flatnonzero(~inside)
        if len(wrong):
            row = int(wrong[0])
            where = f"row {first_row + row} of column {column!r}"
            owner, allowed = f"service {self.service!r}", self._allowed()
            raise InvalidInput(where, owner, allowed, float(array[row]), hint=self._hint())
        field = self.mechanism.fields[0].name
        return Reports(self.mechanism, {field: cells}, certified=False)

    def _numbers(self, values: Any, column: str) -> Floats:
        array = np.asarray(values)
        if array.ndim != 1 or array.dtype.kind not in "iuf":
            given = f"shape {array.shape}, dtype {array.dtype}"
            owner = f"service {self.service!r}"
            raise InvalidInput(f"column {column!r}", owner, "a flat column of numbers", given)
        return array.astype(np.float64)

    def _allowed(self) -> str:
        if self.mechanism.name in ("laplace", "gaussian"):
            return "a finite number"
        low, high = (self.low + part * (self.high - self.low) for part in _reach(self.mechanism))
        if self.mechanism.name == "stochastic-rounding":
            return f"{low:.6g} or {high:.6g}, all that it can give"
        return f"a number from {low:.6g} to {high:.6g}, all that it can give"

    def _hint(self) -> str:
        return f"Is it {self.mechanism.name} with epsilon {self.mechanism.epsilon:g} on values from {self.low:g} to {self.high:g}?"


# -- which cell of ours a float falls in, and whether the law can give it at all -----------------


def _reach(made: Mechanism) -> tuple[float, float]:
    """The least and the greatest float, in parts of the interval."""
    if made.name == "piecewise":
        beyond = 1 / math.expm1(made.epsilon / 2)  # (C - 1) / 2
    elif made.name == "stochastic-rounding":
        beyond = 1 / math.expm1(made.epsilon)
    else:
        around = made.wrap  # type: ignore[attr-defined]
        beyond = 0.0 if around else (made.outputs / made.positions - 1) / 2  # type: ignore[attr-defined]
    return -beyond, 1 + beyond


def _within(made: Mechanism, parts: Floats, slack: float) -> NDArray[np.bool_]:
    least, greatest = _reach(made)
    slack += _ROUNDING * (greatest - least)
    return np.asarray((parts >= least - slack) & (parts <= greatest + slack))  # False for NaN


def _waves(made: Mechanism, parts: Floats) -> tuple[Any, NDArray[np.bool_]]:
    """Outputs of the grid, spread over all that the law can give.

    Our half width is a whole number of positions: the true one may be one position larger.
    """
    least, greatest = _reach(made)
    inside = _within(made, parts, 1 / made.positions)
    outputs: int = made.outputs  # type: ignore[attr-defined]
    scaled = np.where(inside, (parts - least) / (greatest - least), 0.0) * outputs
    return np.clip(np.floor(scaled), 0, outputs - 1).astype(np.int64), inside


def _bits(made: Mechanism, parts: Floats) -> tuple[Any, NDArray[np.bool_]]:
    least, greatest = _reach(made)
    near = _ROUNDING * (greatest - least)
    high = np.abs(parts - greatest) <= near
    return high.astype(np.int64), high | (np.abs(parts - least) <= near)


def _bins(made: Mechanism, parts: Floats) -> tuple[Any, NDArray[np.bool_]]:
    """The bin, those beyond either end in its end cell."""
    bins = made.domain.size
    beyond = (made.cells - bins) // 2
    inside = np.isfinite(parts)
    cells = np.floor(np.where(inside, parts, 0.0) * bins) + beyond
    return np.clip(cells, 0, made.cells - 1).astype(np.int64), inside


_LAWS = {
    "square-wave": _waves,
    "piecewise": _waves,
    "stochastic-rounding": _bits,
    "laplace": _bins,
    "gaussian": _bins,
}


# -- noise: ours moves bins, theirs moves numbers -------------------------------------------------


def _laplace(made: Mechanism) -> Mechanism:
    """Our noise falls by e^eps over ``bins - 1`` bins, theirs over the whole interval.

    So the weights are those for ``eps (bins - 1) / bins``; they keep the epsilon claimed.
    """
    bins, options = made.domain.size, made.options()
    if bins == 1:
        return made
    slower = mechanism(made.name, made.domain, made.epsilon * (bins - 1) / bins, **options)
    weights = slower._weights_document()
    return mechanism(made.name, made.domain, made.epsilon, weights=weights, **options)


def _gaussian(made: Mechanism, sigma: float | None, reach: int | None, owner: str) -> Mechanism:
    """Our mechanism with the weights of their noise, ``sigma`` in parts of the interval.

    Numbers anywhere in their bin, and reports anywhere in theirs, add 1/12 bin^2 each to the
    variance of the noise in bins.
    """
    bins = made.domain.size
    if bins == 1:
        return made
    least = _sigma(made) * bins / (bins - 1)
    wanted = math.sqrt((least if sigma is None else sigma * bins) ** 2 + 1 / 6)
    options = {**made.options(), "reach": reach}
    try:
        own = _with_sigma(made, wanted, options)
        more = {"reach": own.options()["reach"], "weights": own._weights_document()}
        return mechanism(made.name, made.domain, made.epsilon, **{**options, **more})
    except InvalidInput as error:
        allowed = f"such that noise keeps epsilon {made.epsilon:g} and delta {options['delta']}"
        hint = "Say the epsilon and delta that it does keep."
        raise InvalidInput("sigma", owner, allowed, sigma, hint=hint) from error


def _with_sigma(made: Mechanism, wanted: float, options: dict[str, Any]) -> Mechanism:
    """Our mechanism of another epsilon and delta, whose noise is as wide as wanted.

    That is all it is for.  A tiny delta allows for any large sigma, ours for smaller ones.
    Sigma falls no faster than epsilon grows, so that steps by its ratio do not go too far.
    """
    for delta in (_TINY_DELTA, options["delta"]):
        epsilon = made.epsilon
        for _ in range(_ATTEMPTS):
            own = mechanism(made.name, made.domain, epsilon, **{**options, "delta": delta})
            ratio = _sigma(own) / wanted
            if abs(ratio - 1) < _SOLVED:
                return own
            epsilon = min(max(epsilon * ratio, MIN_EPSILON), MAX_EPSILON)
    raise InvalidInput("sigma", made.name, "one that our noise can have", wanted)


def _sigma(made: Mechanism) -> float:
    sigma: float = made.sigma  # type: ignore[attr-defined]
    return sigma


def _interval(units: Any, owner: str) -> tuple[float, float] | None:
    if units is None:
        return None
    allowed = "two numbers, the lower first, such as (-1, 1)"
    if isinstance(units, (str, bytes)) or not hasattr(units, "__len__") or len(units) != 2:
        raise InvalidInput("units", owner, allowed, units)
    low, high = (check_real(end, "units", owner, allowed) for end in units)
    if not low < high:
        raise InvalidInput("units", owner, allowed, units)
    return low, high


def _positive(sigma: Any, owner: str) -> float:
    allowed = "a number above 0"
    number = check_real(sigma, "sigma", owner, allowed)
    if number <= 0:
        raise InvalidInput("sigma", owner, allowed, sigma)
    return number
