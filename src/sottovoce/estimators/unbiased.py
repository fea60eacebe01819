"""The unbiased linear estimate: right on average, whatever the truth.

``f = B x`` with ``B A = I``, x the cell frequencies; for a pure oracle
``f_v = (c_v / n - q) / (p - q)``.  Shares may be negative and need not sum to 1;
their errors are known exactly, which is what differences and totals need.
"""

from __future__ import annotations

from sottovoce.core.errors import NotIdentified
from sottovoce.core.estimate import Estimate, LinearNoise
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.tally import Tally
from sottovoce.estimators.methods import Method, register_method

__all__ = ["UNBIASED", "unbiased"]


def unfit(mechanism: Mechanism) -> str:
    """Only a channel with a left inverse has an unbiased estimate."""
    if mechanism.channel().inverse is None:
        return "different distributions give the same reports, so none can be told from them"
    return ""


def unbiased(tally: Tally, why: str) -> Estimate:
    """The unbiased estimate of a tally, with its exact noise."""
    mechanism = tally.mechanism
    channel = mechanism.channel()
    inverse = channel.inverse
    if inverse is None:
        raise NotIdentified(f"{mechanism}: {unfit(mechanism)}")
    frequencies = tally.cells / tally.n
    shares = inverse.forward(frequencies)
    noise = LinearNoise(channel, tally.n, frequencies, shares)
    return Estimate(mechanism.domain, shares, tally.n, UNBIASED.name, why, noise)


UNBIASED = register_method(
    Method("unbiased", "right on average, with exact errors", unfit, unbiased, aka=("base",))
)
