"""``exchangeable`` beside its rivals: the populations, and the run that measures them."""

from __future__ import annotations

import numpy as np
import pytest

from sottovoce.experiments.mixture_reduction import populations, rivals


def test_populations_are_those_of_the_settings():
    found, skipped = populations.load(populations.names(), None)
    assert {d.name for d in found} | {s.partition(":")[0] for s in skipped} == set(
        populations.SIZES
    )
    for data in found:
        assert data.size == populations.SIZES[data.name]
        assert data.n in (300_000, 50_000, 43_386)
        order = np.argsort(data.counts)
        assert not np.array_equal(order, np.sort(order))  # shuffled
        assert data.size in rivals.SETTINGS
    alike = next(d for d in found if d.name == "alike-60")
    assert np.ptp(alike.counts) < 8 * np.sqrt(43_386 / 60)


@pytest.mark.parametrize(("oracle", "names"), [("grr", [""]), ("oue", ["", "slow-"])])
def test_rivals_are_measured_on_the_same_tallies(oracle, names, monkeypatch):
    monkeypatch.setattr(rivals, "SETTINGS", {60: {oracle: (1.0, 4.0)}})
    monkeypatch.setattr(rivals, "QUICK", ("exchangeable", "norm-sub"))
    monkeypatch.setattr(rivals, "SLOW", ("exchangeable", "mle"))
    told = []
    curves, skipped = rivals.rivals(
        4, workers=1, progress=lambda what, part: told.append(part), wanted=["spikes-60", "pay-60"]
    )
    assert len(skipped) == 1
    assert told[-1] == 1.0
    assert set(curves) == {
        ("spikes-60", f"{oracle}-{name}{measure}") for name in names for measure in rivals.MEASURES
    }
    curve = curves["spikes-60", f"{oracle}-mse"]
    assert curve.values.shape == (2, 3 if oracle == "grr" else 2, 4)
    assert curve.mean(4.0, "exchangeable") < curve.mean(1.0, "exchangeable")
    assert curve.mean(1.0, "exchangeable") < curve.mean(1.0, "norm-sub")
    mae = curves["spikes-60", f"{oracle}-mae"].at(1.0, "norm-sub")
    assert np.all(mae**2 <= curve.at(1.0, "norm-sub") * (1 + 1e-12))
