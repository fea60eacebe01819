"""Trends: what windows share, against enumeration; levels, changes and means against panels of people."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from mechanisms.test_memoized import SMALL, rounds_as_tables
from sottovoce.answers.level_shifts import _clearest, _runs, find_shifts
from sottovoce.answers.local_level import _fit, _together, smooth
from sottovoce.answers.overlap import largest_variance
from sottovoce.base.errors import InvalidInput, Mismatch, Unfit
from support.panels import overlap_of, report_all, walk

DAYS = [f"2026-11-{day:02d}" for day in range(1, 29)]


# -- what one person who answers twice adds to a covariance ---------------------------------------


@pytest.mark.parametrize("m", [SMALL[1], SMALL[3]], ids=str)
def test_shared_noise_is_the_covariance_of_two_reports(m):
    """Summed over memos and reports of a person who holds one value in both windows."""
    one, two = (np.array(table, dtype=np.float64) for table in rounds_as_tables(m))
    random = np.random.default_rng(1)
    weights = (
        np.arange(m.domain.size) - 2.0 if m.domain.numbers else random.normal(size=m.domain.size)
    )
    gains = m.channel().cell_weights(weights).values
    shares = random.dirichlet(np.ones(m.domain.size))
    told = two @ gains  # E[g(report) | memo]
    brute = shares @ (one @ told**2 - (one @ told) ** 2)
    assert np.isclose(m.memory().variance_of(weights, gains, shares), brute, rtol=1e-9)


def test_shared_noise_of_hashes_and_bits():
    """By drawing: the covariance of two reports from one memo, and none where the memo is drawn anew."""
    for m in (SMALL[2], SMALL[4]):
        people, source = 400_000, sv.Seeded(3)
        value = np.zeros(people, dtype=np.int64)
        channel, weights = m.channel(), np.eye(m.domain.size)[0]
        gains, fresh = channel.cell_weights(weights).values, m.weights[1]
        hashes = m.rounds.hash_numbers(m.inner, people, source)
        memo = m.rounds.remember_many(m.rounds.entries(m.inner, hashes, value), source)
        told = [m.rounds.tell_many(hashes, memo, fresh, source) for _ in range(2)]
        if hashes is None:
            first, second = (_gain_of_bits(bits, gains, m.domain.size) for (bits,) in told)
        else:
            first, second = (gains[hash_ * m.inner.g + cell] for hash_, cell in told)
        product = (first - first.mean()) * (second - second.mean())
        wanted = m.memory().variance_of(weights, gains, weights)
        error = product.std() / np.sqrt(people)
        assert abs(product.mean() - wanted) < 6 * error
        assert wanted > 20 * error  # a memo that is drawn anew would be seen


def _gain_of_bits(packed, gains, size):
    bits = np.unpackbits(packed, axis=1, count=size, bitorder="little")
    inside, outside = gains.reshape(-1, 2).T
    return np.where(bits == 1, inside, outside).sum(axis=1)


def test_known_ratios_of_errors():
    """OUE at (2, 1): a difference of the same people has 0.8963 of the naive error, a mean of 30 windows 2.5888."""
    m = sv.mechanism("l-osue", sv.Categories(5), 1.0, lifetime=2.0)
    counts = [100_000, 0, 0, 0, 0]
    tallies = [m.simulate(counts, source=sv.Seeded(i)).of_window(day) for i, day in enumerate(DAYS)]
    more = [m.simulate(counts, source=sv.Seeded(99)).of_window(f"2026-12-0{i}") for i in (1, 2)]
    x = sv.trend(tallies + more, overlap=1, same_people=True, method="unbiased").share(4)
    alone = np.sqrt(x.variances.mean())
    assert abs(x.changes()[0].stderr / (alone * np.sqrt(2)) - 0.8963) < 0.002
    assert abs(x.average().stderr / (alone / np.sqrt(30)) - 2.5888) < 0.01


# -- panels of people ------------------------------------------------------------------------------


def cover(
    m, overlap, surveys: int, people: int = 2000, windows: int = 8, value: int = 0
) -> dict[str, float]:
    """How often intervals hold the truth of a panel of whom a tenth changes in every window."""
    held: dict[str, list[bool]] = {"level": [], "change": [], "mean": []}
    size = m.domain.size
    shares = [0.3] + [0.7 / (size - 1)] * (size - 1)
    for survey in range(surveys):
        values = walk(people, windows, shares, 0.1, np.random.default_rng([7, survey]))
        known = overlap_of(values) if overlap == "known" else overlap
        tallies = report_all(m, values, sv.Seeded(survey))
        x = sv.trend(tallies, overlap=known, same_people=True, method="unbiased").share(value)
        true = np.mean(values == value, axis=1)
        held["level"] += [a.low <= t <= a.high for a, t in zip(x.answers, true, strict=True)]
        held["change"] += [
            a.low <= t <= a.high for a, t in zip(x.changes(), np.diff(true), strict=True)
        ]
        mean = x.average()
        held["mean"].append(mean.low <= true.mean() <= mean.high)
    return {name: float(np.mean(found)) for name, found in held.items()}


def test_intervals_hold_the_truth_of_a_panel():
    """Coverage with the overlap known; with every window taken for new people the mean misses."""
    m = sv.mechanism("memoized", sv.Categories(4), 1.0, lifetime=2.0, inner="grr")
    found = cover(m, "known", 120)
    assert all(0.9 < found[name] < 0.99 for name in ("level", "change")), found
    assert found["mean"] > 0.9
    assert cover(m, 0.0, 120)["mean"] < 0.88  # power: the shared noise matters
    unknown = cover(m, None, 60)
    assert min(unknown.values()) > 0.9


def test_overlap_is_estimated_from_tallies_of_linear_hashes():
    """d 100, g 3, 20,000 people: rho_eff of 0.628 with a standard deviation of 0.29 for one pair."""
    m = sv.mechanism("memoized", sv.Categories(100), 1.0, lifetime=2.0, inner="local-hashing")
    leftover, found = m.memory().leftover, []
    for survey in range(30):
        random = np.random.default_rng(survey)
        values = walk(20_000, 2, [0.01] * 100, 0.453, random)
        first, second = (
            leftover.of(t.cells.astype(float)) for t in report_all(m, values, sv.Seeded(survey))
        )
        found.append(
            first @ second / np.linalg.norm(first) / np.linalg.norm(second) / leftover.kept
        )
    kept = 1 - 0.453 * 0.99
    wanted = kept + (1 - kept) * m.memory().kappa
    assert abs(np.mean(found) - wanted) < 5 * 0.29 / np.sqrt(30)
    assert 0.2 < np.std(found) < 0.42
    tallies = report_all(m, walk(500, 3, [0.01] * 100, 0.1, np.random.default_rng(1)), sv.Seeded(1))
    estimated = sv.trend(tallies, overlap="estimate", same_people=True)
    assert "estimated" in estimated.share(0).why and not estimated.overlap.is_known


def test_means_of_waves_share_noise_too():
    m = sv.mechanism("memoized", sv.Interval(0, 100, bins=10), 1.0, lifetime=2.0)
    tallies = [
        m.simulate(np.full(10, 500), source=sv.Seeded(i)).of_window(d)
        for i, d in enumerate(DAYS[:4])
    ]
    alone = sv.trend(tallies, overlap=0, same_people=True).mean()
    same = sv.trend(tallies, overlap=1, same_people=True).mean()
    assert same.average().stderr > 1.2 * alone.average().stderr
    assert same.changes()[0].stderr < 0.95 * alone.changes()[0].stderr
    unknown = sv.trend(tallies, same_people=True).mean()
    assert np.isclose(unknown.average().stderr, same.average().stderr)
    assert np.isclose(unknown.changes()[0].stderr, alone.changes()[0].stderr)
    assert "own quantiles" in sv.trend(tallies).quantile(0.5).why
    shareless = sv.trend(tallies, same_people=True, method="unbiased").mean().average()
    assert (
        shareless.stderr >= same.average().stderr
    )  # without shares, all of the error may be shared


def test_a_mean_without_shares_has_a_trend():
    """Rounding tells no spread of values: about the population, windows may share all of their error."""
    m = sv.mechanism("sr", sv.Interval(0, 10, bins=10), 1.0)
    tallies = [m.simulate([200] * 10, source=sv.Seeded(i)) for i in range(4)]
    x = sv.trend(tallies, DAYS[:4]).mean()
    assert np.isclose(x.average().stderr, np.sqrt(x.variances.mean()), rtol=1e-3)
    others = sv.trend(tallies, DAYS[:4], overlap=0).mean()
    assert np.isclose(others.average().stderr, x.average().stderr / 2, rtol=1e-3)


# -- whom it is about --------------------------------------------------------------------------


def fresh(counts, seed):
    return sv.mechanism("grr", sv.Categories(["bus", "car"]), 2.0).simulate(
        counts, source=sv.Seeded(seed)
    )


def test_a_mean_over_days_of_the_same_people_keeps_their_sampling_error():
    """Who answers every day is the same sample every day; other people in each window are not."""
    tallies = [fresh([600, 400], i) for i in range(10)]
    safe = sv.trend(tallies, DAYS[:10], method="unbiased").share("bus").average()
    others = sv.trend(tallies, DAYS[:10], overlap=0, method="unbiased").share("bus").average()
    respondents = (
        sv.trend(tallies, DAYS[:10], same_people=True, method="unbiased").share("bus").average()
    )
    sampling = np.sqrt(0.6 * 0.4 / 1000)
    assert np.isclose(safe.stderr**2 - respondents.stderr**2, sampling**2, rtol=0.05)
    assert np.isclose(others.stderr**2 - respondents.stderr**2, sampling**2 / 10, rtol=0.05)


def test_cohorts_answer_once_in_a_period():
    """With 1/7, two windows have people in common only where they are a multiple of seven apart."""
    tallies = [fresh([600, 400], i) for i in range(9)]
    asked = sv.trend(tallies, DAYS[:9], overlap="1/7", method="unbiased")
    assert asked.overlap.high[0, 7] > 0 == asked.overlap.high[0, 6]
    week, apart = (asked.share("bus").average(DAYS[1], DAYS[7]), sv.trend(tallies, DAYS[:9], overlap=0, method="unbiased").share("bus").average(DAYS[1], DAYS[7]))  # fmt: skip
    assert week.stderr == apart.stderr
    gap = sv.trend([tallies[0], tallies[1]], [DAYS[0], DAYS[14]], overlap=0.5, same_people=True)
    assert np.isclose(gap.overlap.high[0, 1] * 1000, 0.5**14)


def test_windows_are_put_in_order_and_periods_found():
    tallies = [fresh([600 + 10 * i, 400 - 10 * i], i) for i in range(10)]
    x = sv.trend(tallies[::-1], DAYS[:10][::-1]).share("bus")
    assert list(x.windows) == DAYS[:10]
    assert [a.label for a in x.since_last_period()] == DAYS[7:10]
    months = sv.trend(tallies[:3], ["2026-02", "2025-02", "2026-01"]).share("bus")
    assert [a.label for a in months.since_last_period()] == ["2026-02"]
    named = sv.trend(tallies[:3], ["b", "a", "c"]).share("bus")
    assert named.windows == ("b", "a", "c") and named.since_last_period() == []
    assert [
        a.label for a in sv.trend(tallies, DAYS[:10], period=9).share("bus").since_last_period()
    ] == [DAYS[9]]
    first, last = x.difference(DAYS[0], DAYS[3]), x.average(DAYS[2], DAYS[4])
    assert (
        first.p_value is not None
        and last.p_value is None
        and last.label == "2026-11-03 to 2026-11-05"
    )
    frame = x.frame()
    assert len(frame["window"]) == 10 and np.isnan(frame["change"][0])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"tallies": []}, InvalidInput, "tallies of trend must be a tally for each window"),
        ({"windows": None}, InvalidInput, "windows of trend must be 2 names"),
        ({"windows": ["a"]}, InvalidInput, "windows of trend must be 2 names"),
        ({"windows": ["a", "a"]}, Mismatch, "two tallies are of window a: add them first"),
        ({"overlap": 1.5}, InvalidInput, "overlap of trend must be None, or a number from 0 to 1"),
        ({"overlap": "all"}, InvalidInput, "None, numbers, cohorts such as"),
        ({"overlap": "estimate"}, Unfit, "needs memoized reports of local hashing"),
        ({"overlap": [[1, 0.5], [0.4, 1]]}, InvalidInput, "a symmetric matrix of 2 windows"),
        ({"about": "everybody"}, InvalidInput, "about of trend must be one of"),
    ],
)
def test_what_is_refused(arguments, error, message):
    given = {"tallies": [fresh([6, 4], 1), fresh([6, 4], 2)], "windows": ["a", "b"], **arguments}
    with pytest.raises(error, match=message):
        sv.trend(**given)


def test_labels_must_agree():
    labelled = fresh([6, 4], 1).of_window("2026-11-01")
    with pytest.raises(Mismatch, match="a tally of window 2026-11-01 was given as window b"):
        sv.trend([labelled, fresh([6, 4], 2)], ["b", "c"])
    other = sv.mechanism("grr", sv.Categories(["bus", "car"]), 1.0).simulate([5, 5])
    with pytest.raises(Mismatch, match="have no trend together"):
        sv.trend([labelled, other], ["2026-11-01", "b"])
    with pytest.raises(InvalidInput, match="with reports in every window; got 'none in b'"):
        sv.trend([labelled, sv.Tally.empty(labelled.mechanism)], ["2026-11-01", "b"])
    x = sv.trend([labelled], None).share("bus")
    assert x.changes() == [] and x.shifts() == [] and len(x.smoothed()) == 1
    with pytest.raises(InvalidInput, match="window of trend must be one of 2026-11-01"):
        x.average("2026-11-02")


# -- models --------------------------------------------------------------------------------------


def test_the_smoothed_level_solves_its_equations():
    """The level of a given step size, against the normal equations of levels themselves."""
    random = np.random.default_rng(2)
    W, step = 6, 0.7
    root = random.normal(size=(W, W))
    noise, y = root @ root.T + np.eye(W), random.normal(size=W)
    steps = np.arange(W)
    walk_ = np.minimum.outer(steps, steps) * 1.0
    _, level, variance = _fit(y, _together(noise, walk_, 2.0), step**2 / 2, np.ones((W, 1)))
    steps_matrix = np.diff(np.eye(W), axis=0)
    precision = np.linalg.inv(noise) + steps_matrix.T @ steps_matrix / step**2
    assert np.allclose(level, np.linalg.solve(precision, np.linalg.solve(noise, y)))
    assert np.allclose(variance, np.diag(np.linalg.inv(precision)))


def test_smoothed_levels_are_closer_and_covered():
    """Levels that walk by half an error: smoothing errs less, and its intervals hold them."""
    random = np.random.default_rng(4)
    held, gains = [], []
    for _ in range(150):
        level = np.cumsum(random.normal(0, 0.5, 20))
        y = level + random.normal(0, 1, 20)
        found, stderr = smooth(y, np.eye(20))
        held.append(np.abs(found - level) < 1.96 * stderr)
        gains.append(np.sum((found - level) ** 2) / np.sum((y - level) ** 2))
    assert 0.92 < np.mean(held) < 0.98 and np.mean(gains) < 0.65


def alarms(levels, surveys: int, alpha: float = 0.05) -> list[list[tuple[str, str]]]:
    random = np.random.default_rng(5)
    own, names = np.eye(len(levels)), DAYS[: len(levels)]
    found = []
    for _ in range(surveys):
        values = levels + random.normal(0, 1, len(levels))

        def combine(weights, values=values):
            from sottovoce.answers.answer import answer
            from sottovoce.answers.comparing import normal_p

            stderr = np.sqrt(weights @ own @ weights)
            value = weights @ values
            return answer(value, stderr, "", 0.95, p_value=float(normal_p(value, stderr)))

        shifts = find_shifts(names, values, (own, own), combine, alpha)
        found.append([(shift.first, shift.last) for shift in shifts])
    return found


def test_false_alarms_are_as_rare_as_stated_and_shifts_are_found():
    quiet = alarms(np.zeros(14), 200)
    assert np.mean([bool(found) for found in quiet]) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 200)
    strike = np.zeros(14)
    strike[9] = -8.0
    assert np.mean([(DAYS[9], DAYS[9]) in found for found in alarms(strike, 30)]) > 0.8
    lasting = np.where(np.arange(14) >= 11, 6.0, 0.0)
    assert np.mean([(DAYS[11], DAYS[13]) in found for found in alarms(lasting, 30)]) > 0.5


@pytest.mark.parametrize("windows", [2, 3, 13])
def test_the_clearest_run_is_that_of_all_contrasts(windows):
    """All runs at once, against each by itself, where covariances are bounded and windows differ."""
    random = np.random.default_rng(windows)
    starts, ends = _runs(windows)
    wanted = {(s, s + 2**k) for k in range(5) for s in range(windows) if 2 * 2**k <= windows}
    wanted = {run for run in wanted if run[1] <= windows} | {
        (s, windows) for s in range(1, windows)
    }
    assert set(zip(starts.tolist(), ends.tolist(), strict=True)) == wanted
    assert len(starts) == len(wanted)
    for _ in range(20):
        values, own = random.normal(size=windows), random.uniform(0.5, 2, windows)
        high = random.uniform(0, 0.4, (windows, windows))
        high = np.minimum(high, high.T)
        low = high * random.uniform(0, 1)
        np.fill_diagonal(low, own)
        np.fill_diagonal(high, own)
        weights, found = 1 / own, []
        for start, end in zip(starts, ends, strict=True):
            inside = np.arange(windows)
            inside = (start <= inside) & (inside < end)
            c = np.where(inside, weights / weights[inside].sum(), -weights / weights[~inside].sum())
            found.append(abs(c @ values) / np.sqrt(largest_variance(c, low, high)))
            both = np.where(np.outer(c, c) > 0, high, low)  # by itself
            assert np.isclose(found[-1], abs(c @ values) / np.sqrt(c @ both @ c))
        wanted_run = np.argmax(np.isclose(found, max(found), rtol=1e-9))
        assert _clearest((starts, ends), values, weights, low, high) == wanted_run


def test_a_strike_stands_out_and_does_not_bend_the_line():
    counts = [[500 + 5 * (i % 3), 500 - 5 * (i % 3)] for i in range(14)]
    counts[9] = [200, 800]
    x = sv.trend([fresh(c, i) for i, c in enumerate(counts)], DAYS[:14]).share("bus")
    (shift,) = x.shifts()
    assert shift.first == shift.last == DAYS[9] and shift.change.value < -0.2
    smoothed = [one.value for one in x.smoothed()]
    assert abs(smoothed[8] - 0.5) < 0.05 and abs(smoothed[10] - 0.5) < 0.05 and smoothed[9] < 0.3
    assert x.plot(truth=[c[0] / 1000 for c in counts]) is not None
