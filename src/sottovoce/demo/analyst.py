"""What an analyst asks of the collector, with the read key and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from sottovoce.demo import population as town
from sottovoce.demo.findings import Findings, ask, ask_difference
from sottovoce.demo.questions import MEAN, below, had, liked, quantile, share
from sottovoce.demo.surveys import Poll
from sottovoce.device.remote_collector import RemoteCollector

__all__ = ["all_findings"]

_SLEPT = (
    MEAN, quantile(0.1, "a tenth slept less than"), quantile(0.5, "half slept less than"),
    quantile(0.9, "nine in ten slept less than"), below(6), below(8),
)  # fmt: skip


def all_findings(reader: RemoteCollector, polls: Sequence[Poll]) -> list[Findings]:
    """Everything that the demo shows: surveys by themselves, a day against a day, town against town."""
    hushwick, murmur, sleep, canteen = polls
    before, today = list(hushwick.days)[-2:]
    ways = [share(way) for way in town.COMMUTES]
    strike = [share(way) for way in ("bus", "bicycle", "on foot")]
    sea = [share(way) for way in ("bus", "on foot", "called in sick to go fishing")]
    dishes = list(town.DISHES)
    return [
        ask(reader, f"How Hushwick got to work, {hushwick.people:,} people", hushwick, ways),
        ask_difference(
            reader, "What the bus strike changed: today less yesterday, in percentage points",
            (hushwick, before), (hushwick, today), strike,
        ),
        ask_difference(
            reader, "Two towns: Murmur-on-Sea less Hushwick, in percentage points",
            (hushwick, None), (murmur, None), sea,
        ),
        ask(reader, f"Hours of sleep, {sleep.people:,} people", sleep, _SLEPT),
        ask_difference(
            reader, "What the strike cost in sleep: today less yesterday, in hours",
            (sleep, before), (sleep, today), [MEAN],
        ),
        ask(
            reader, f"Lunch at the canteen, {canteen.people:,} people", canteen,
            [had(name) for name in dishes],
        ),
        ask(
            reader, "How good it was, from 0 to 10, to those who had it", canteen,
            [liked(name) for name in dishes],
        ),
    ]  # fmt: skip
