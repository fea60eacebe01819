"""How often intervals of trends hold the truth: 100,000 people, 30 days, a tenth change every day."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.coverage.panel import Panel
from benchmarks.coverage.windows import CASES, coverage

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("case", "surveys"), list(zip(CASES, (400, 400, 60), strict=True)), ids=str
)
def test_trends_hold_the_truth(case, surveys):
    """Overlap known: 93.5 to 96.5%, wider for the few surveys of numbers; else not below 95% at 1e-3."""
    rates = coverage(case, surveys)
    few = surveys * max(1, len(case.asked))  # windows of one survey share noise
    error = math.sqrt(0.05 * 0.95 / few)
    for what, rate in rates.items():
        said, asked = what.split()
        if said == "known" and asked in ("windows", "mean", "change", "period"):
            off = 0.015 if case.asked else 0.05
            assert abs(rate - 0.95) <= off, what
        else:
            assert rate >= 0.95 - 3.09 * error, what


def test_a_panel_by_law_is_a_panel_by_reports():
    """Two windows of one person's value: the means and covariances of cells, against both rounds' tables."""
    m, people = CASES[0].mechanism, 200
    random, found = np.random.default_rng(1), []
    for _ in range(4000):
        panel = Panel(m, people, np.eye(6)[0], 0.0, random)
        found.append(np.concatenate([cells for _, cells in panel.windows(2)]))
    keep, other = m.weights[1]
    again = np.full((6, 6), other / (keep + 6 * other)) + np.eye(6) * keep / (keep + 6 * other)
    kept = m.rounds.permanent.channel().dense()[:, 0]
    one = again @ kept
    between = (again * kept) @ again.T - np.outer(one, one)
    moments = np.cov(np.array(found).T) / people
    error = np.sqrt(np.outer(*[np.diag(moments)[:6]] * 2) / 4000)
    assert np.allclose(np.mean(found, axis=0) / people, np.tile(one, 2), atol=0.003)
    assert np.all(np.abs(moments[:6, 6:] - between) < 5.5 * error)
    assert between[0, 0] > 10 * error[0, 0]  # memos that are drawn anew would be seen
