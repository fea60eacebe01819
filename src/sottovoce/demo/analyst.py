"""What an analyst asks of the collector, with the read key and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sottovoce.demo import population as town
from sottovoce.demo.findings import Findings, ask, ask_difference, ask_table
from sottovoce.demo.questions import MEAN, below, had, liked, mean, quantile, share
from sottovoce.demo.surveys import Poll
from sottovoce.device.remote_collector import RemoteCollector

__all__ = ["all_findings"]

_SLEPT = (
    MEAN, quantile(0.1, "a tenth slept less than"), quantile(0.5, "half slept less than"),
    quantile(0.9, "nine in ten slept less than"), below(6), below(8),
)  # fmt: skip
_LIVING = {
    "age": (mean("years"), "mean age"), "rents": (share("yes"), "rent their home"),
    "dog": (share("yes"), "have a dog"), "fishing": (share("yes"), "called in sick to go fishing"),
    "sleep": (MEAN, "mean hours of sleep"), "happy": (mean("points"), "how happy, from 1 to 7"),
}  # fmt: skip
"""Some of the ten questions, and what is asked about each."""


def all_findings(reader: RemoteCollector, polls: Sequence[Poll]) -> list[Findings]:
    """Everything that the demo shows: surveys by themselves, a day against a day, town against town."""
    hushwick, murmur, sleep, canteen, living = polls
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
        _some_of_ten(reader, living),
        ask_table(
            reader, "Two of the ten together: how people get about, by where they live",
            living, ("town", "way"),
        ),
    ]  # fmt: skip


def _some_of_ten(reader: RemoteCollector, living: Poll) -> Findings:
    """Answers to some of the ten questions, in one table."""
    found = []
    for name, (asked, words) in _LIVING.items():
        told = ask(reader, "", living, [asked], name)
        found += [replace(each, words=words) for each in told.findings]
    title = f"Six of ten questions at once, {living.people:,} people"
    return Findings(title, found, told.method, told.why)
