"""Are the estimates unbiased, and are the error bars those of repeated surveys?

Each case repeats a survey thousands of times.  A relative error of a variance
over R repeats has standard deviation sqrt(2/R): the tolerance of 15% on totals
is more than five of them, and single shares are averaged over all values.
"""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv

SIZE, PEOPLE, REPEATS = 64, 4000, 2600
QUICK = {("grr", 0.5), ("oue", 1.0), ("ss", 1.0)}
CASES = [
    pytest.param((name, epsilon), marks=() if (name, epsilon) in QUICK else pytest.mark.slow)
    for name in ("grr", "oue", "sue", "olh", "olh-seeded", "ss", "hr")
    for epsilon in (0.5, 1.0, 2.0, 4.0)
]


def truth():
    weights = 1.0 / np.arange(1, SIZE + 1) ** 1.2
    counts = np.floor(PEOPLE * weights / weights.sum()).astype(int)
    return np.random.default_rng(5).permutation(counts)


def questions(mechanism):
    """Totals of random halves, of the first g values, of the 20 most frequent."""
    rng, counts = np.random.default_rng(6), truth()
    masks = {f"half {i}": rng.permutation(SIZE) < SIZE // 2 for i in range(3)}
    masks["first g"] = np.arange(SIZE) < getattr(mechanism, "hash_range", 3)
    masks["top 20"] = np.isin(np.arange(SIZE), np.argsort(-counts)[:20])
    return {name: mask.astype(float) for name, mask in masks.items()}


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]}-{case[1]:g}")
def repeated(request):
    name, epsilon = request.param
    mechanism = sv.mechanism(name, sv.Categories(SIZE), epsilon)
    asked, source, counts = questions(mechanism), sv.Seeded(7), truth()
    shares, errors, totals, total_errors = [], [], [], []
    for _ in range(REPEATS):
        e = sv.estimate(mechanism.simulate(counts, source=source), "unbiased")
        shares.append(e.shares)
        errors.append(e.stderr)
        answers = [e.linear(mask) for mask in asked.values()]
        totals.append([a.value for a in answers])
        total_errors.append([a.stderr for a in answers])
    return {
        "name": name, "true": counts / counts.sum(), "masks": np.array(list(asked.values())),
        "shares": np.array(shares), "errors": np.array(errors),
        "totals": np.array(totals), "total_errors": np.array(total_errors),
    }  # fmt: skip


def test_unbiased(repeated):
    """Every mean within 6.5 standard errors: a false alarm below 1e-8 over all values and cases."""
    means = repeated["shares"].mean(axis=0)
    sigma = repeated["errors"].mean(axis=0) / np.sqrt(REPEATS)
    assert np.abs(means - repeated["true"]).max() < 6.5 * sigma.max()
    biased = means + 0.5 * repeated["errors"].mean(axis=0)  # half a standard error off: noticed
    assert np.abs(biased - repeated["true"]).max() > 6.5 * sigma.max()


def test_variance_of_shares_within_five_percent(repeated):
    seen = repeated["shares"].var(axis=0, ddof=1).mean()
    said = (repeated["errors"] ** 2).mean()
    assert abs(seen / said - 1) < 0.05
    assert abs(seen / (1.1 * said) - 1) > 0.05  # errors 5% too large would be noticed


def test_variance_of_totals_within_fifteen_percent(repeated):
    seen = repeated["totals"].var(axis=0, ddof=1)
    said = (repeated["total_errors"] ** 2).mean(axis=0)
    np.testing.assert_allclose(seen / said, 1.0, atol=0.15)


def test_covariances_matter(repeated):
    """Adding up the variances of shares is wrong for a half under randomized response."""
    if repeated["name"] != "grr":
        return
    naive = repeated["masks"] @ (repeated["errors"] ** 2).mean(axis=0)
    seen = repeated["totals"].var(axis=0, ddof=1)
    assert np.abs(seen / naive - 1).max() > 0.15


def test_coverage(repeated):
    """95% intervals hold the truth in 93% to 97% of surveys, shares and totals alike."""
    inside = np.abs(repeated["shares"] - repeated["true"]) <= 1.959964 * repeated["errors"]
    assert 0.93 < inside.mean() < 0.97
    true_totals = repeated["masks"] @ repeated["true"]
    held = np.abs(repeated["totals"] - true_totals) <= 1.959964 * repeated["total_errors"]
    assert np.all((held.mean(axis=0) > 0.93) & (held.mean(axis=0) < 0.97))


@pytest.mark.slow
def test_coverage_for_the_population():
    """People drawn from a population: only the wider error bars cover its shares."""
    mechanism = sv.mechanism("grr", sv.Categories(4), 3.0)
    population, rng, source = np.array([0.4, 0.3, 0.2, 0.1]), np.random.default_rng(8), sv.Seeded(9)
    narrow, wide, totals = [], [], []
    for _ in range(6000):
        tally = mechanism.simulate(rng.multinomial(1000, population), source=source)
        e = sv.estimate(tally, "unbiased")
        p = e.for_population()
        narrow.append(np.abs(e.shares - population) <= 1.959964 * e.stderr)
        wide.append(np.abs(p.shares - population) <= 1.959964 * p.stderr)
        totals.append(p.total([0, 2]).low <= 0.6 <= p.total([0, 2]).high)
    assert 0.93 < np.mean(wide) < 0.97
    assert 0.93 < np.mean(totals) < 0.97
    assert np.mean(narrow) < 0.85
