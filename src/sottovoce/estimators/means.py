"""The mean straight from the cells, for mechanisms whose reports give no unbiased shares."""

from __future__ import annotations

from sottovoce.core.estimate import Estimate
from sottovoce.core.gains import Gains
from sottovoce.core.interval import Interval
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.noise import CellNoise
from sottovoce.core.tally import Tally

__all__ = ["mean_estimate", "mean_gains", "only_the_mean"]


def mean_gains(mechanism: Mechanism) -> Gains | None:
    """What each cell adds to the mean of the numbers; None where that cannot be told."""
    domain, channel = mechanism.domain, mechanism.channel()
    if not isinstance(domain, Interval) or channel.blocks != 1:
        return None
    return channel.gains(domain.midpoints)


def only_the_mean(mechanism: Mechanism) -> bool:
    """Whether an unbiased estimate exists of the mean, but not of the shares."""
    return mechanism.channel().inverse is None and mean_gains(mechanism) is not None


def mean_estimate(tally: Tally, method: str, why: str) -> Estimate:
    """An estimate without shares, from which :meth:`~sottovoce.core.estimate.Estimate.mean` can be asked."""
    mechanism, channel = tally.mechanism, tally.mechanism.channel()
    noise = CellNoise(channel, tally.n, tally.cells / tally.n)
    if channel.tells_shares:
        reason = (
            f"{mechanism.name} has unbiased answers to the mean only, shares take another method"
        )
    else:
        reason = f"reports of {mechanism.name} are the same for all distributions of one mean"
    return Estimate(mechanism.domain, None, tally.n, method, f"{why}; {reason}", noise)
