"""One signature of progress: what is being done, and the part that is done."""

from __future__ import annotations

from sottovoce.base import progress as module
from sottovoce.base.progress import Counted, Meter, silent


def test_counts_become_parts_and_end_at_one():
    calls = []
    counted = Counted(lambda *call: calls.append(call), "reading", 8)
    for count in (3, 5, 1):
        counted.add(count)
    assert calls == [("reading", 3 / 8), ("reading", 1.0), ("reading", 1.0)]


def test_without_a_total_the_part_stays_zero():
    for total in (None, 0):
        calls = []
        Counted(lambda *call, calls=calls: calls.append(call), "reading", total).add(3)
        assert calls == [("reading", 0.0)]


def test_a_meter_calls_when_it_is_time_and_never_falls_back(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    calls = []
    meter = Meter(lambda *call: calls.append(call), "em", "passes", "gain", 10)
    meter.show(1, 5.0)  # too early
    now[0] = 0.2
    meter.show(6, 4.0)
    now[0] = 0.4
    meter.show(2, 0.5)  # another way to the optimum counts its own steps
    meter.end(8, 0.25)
    assert calls == [
        ("em: 6 passes, gain 4", 0.6),
        ("em: 2 passes, gain 0.5", 0.6),
        ("em: 8 passes, gain 0.25", 1.0),
    ]
    assert silent("em", 1.0) is None
