"""Answers on keys: frequencies, means, distributions, their errors, and what cannot be asked."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import sottovoce as sv
from sottovoce.answers import keys as answers
from sottovoce.answers.answer import two_sided
from sottovoce.answers.errors import LinearErrors
from sottovoce.base.errors import InvalidInput, Mismatch, NotIdentified, Unfit

NAMES = ["film", "book", "song"]
HELD = np.array([0.55, 0.35, 0.1])
SHAPES = [(6, 2), (2, 5), (3, 3)]
FALSE_ALARM = 1e-7


def counts_of(domain, people):
    """So many people by key and bin, the last key's numbers as in SHAPES; the rest hold no pair."""
    x = (np.arange(domain.interval.bins) + 0.5) / domain.interval.bins
    law = np.array([x ** (a - 1) * (1 - x) ** (b - 1) for a, b in SHAPES])
    held = HELD[:, None] * law / law.sum(axis=1, keepdims=True)
    counts = np.floor(people * held * (0.7 if domain.pairs else 1.0)).astype(np.int64).ravel()
    if domain.pairs:
        return np.append(counts, people - counts.sum())
    counts[0] += people - counts.sum()
    return counts


def true_answers(domain, counts):
    table = counts[: 3 * domain.interval.bins].reshape(3, -1)
    held = table.sum(axis=1)
    return (domain.pairs or 1) * held / counts.sum(), table @ domain.interval.midpoints / held


def through_a_table(domain, people=4000, seed=1):
    """A tally of a mechanism with unbiased shares, written as a table of weights."""
    mechanism = sv.mechanism("grr", domain, 3.0)
    return mechanism.simulate(counts_of(domain, people), source=sv.Seeded(seed))


# -- by formula ------------------------------------------------------------------------


def paper_chances(keys, epsilon, count, pairs):
    """a, b and P of the paper, worked out from epsilon alone."""
    e = math.exp(epsilon)
    if keys == "unary":
        return 0.5, 2 / (e + 3), e / (e + 1)
    if pairs is None:
        return (e + 1) / (e + 2 * count - 1), 2 / (e + 2 * count - 1), e / (e + 1)
    x, all_keys = pairs * (e - 1), count + pairs
    return (x + 2) / (x + 2 * all_keys), 2 / (x + 2 * all_keys), (x + 1) / (x + 2)


@pytest.mark.parametrize("pairs", [None, 1, 3])
@pytest.mark.parametrize("keys", ["unary", "response"])
def test_the_formulas_of_the_paper(keys, pairs):
    domain = sv.KeyValues(NAMES, -1, 1, bins=8, pairs=pairs)
    m = sv.KeyValue(domain, 1.3, keys=keys, numbers="rounding")
    counts = counts_of(domain, 100_000)
    tally = m.simulate(counts, source=sv.Seeded(3))
    a, b, right = paper_chances(keys, 1.3, 3, pairs)
    told = tally.cells[: 9 if keys == "unary" else 6].reshape(3, -1)[:, -2:]
    n, e = tally.n, sv.estimate(tally, "unbiased")
    assert e.shares is None and e.method == "unbiased"
    for key, (low, high) in zip(NAMES, told, strict=True):
        excess = low + high - n * b
        assert math.isclose(
            e.frequency(key).value, (pairs or 1) * excess / n / (a - b), abs_tol=1e-9
        )
        mean = (a - b) * (high - low) / (a * (2 * right - 1) * excess)
        assert math.isclose(e.mean(key).value, mean, abs_tol=1e-5)  # on a grid of 2^20


@pytest.mark.parametrize("keys", ["unary", "response"])
def test_the_formula_of_piecewise_numbers(keys):
    domain = sv.KeyValues(NAMES, -1, 1, bins=8)
    m = sv.KeyValue(domain, 2.0, keys=keys, numbers="piecewise")
    tally = m.simulate(counts_of(domain, 100_000), source=sv.Seeded(3))
    root = math.exp(1.0)
    a, b = (0.5, 1 / (root + 1)) if keys == "unary" else (root / (root + 2), 1 / (root + 2))
    cells = m.output_bins
    told = tally.cells.reshape(3, -1)[:, -cells:]
    reach = (root + 1) / (root - 1)
    middles = (2 * np.arange(cells) + 1 - cells) / cells * reach
    e = sv.estimate(tally, "unbiased")
    for key, row in zip(NAMES, told, strict=True):
        people = (row.sum() - tally.n * b) / (a - b)
        assert math.isclose(e.frequency(key).value, people / tally.n, abs_tol=1e-3)
        assert math.isclose(e.mean(key).value, row @ middles / (a * people), abs_tol=1e-2)


def test_the_error_of_a_frequency_is_that_of_two_binomials():
    domain = sv.KeyValues(NAMES, -1, 1, bins=8)
    for keys in ("unary", "response"):
        m = sv.KeyValue(domain, 1.3, keys=keys, numbers="rounding")
        e = sv.estimate(m.simulate(counts_of(domain, 100_000), source=sv.Seeded(3)), "unbiased")
        a, b, _ = paper_chances(keys, 1.3, 3, None)
        for key in NAMES:
            told = e.frequency(key)
            of_these = told.value * a * (1 - a) + (1 - told.value) * b * (1 - b)
            assert math.isclose(told.stderr**2 * e.n, of_these / (a - b) ** 2, rel_tol=1e-9)
            wide = e.for_population().frequency(key).stderr ** 2 * e.n
            drawn = told.value * (1 - told.value)
            assert math.isclose(wide, of_these / (a - b) ** 2 + drawn, rel_tol=1e-9)


# -- errors are as large as they are said to be --------------------------------------------


def passes(errors, stderrs):
    """Whether errors have the size that they are said to have, each alike."""
    squares, draws = float(np.sum((errors / stderrs) ** 2)), len(errors)
    low, high = stats.chi2.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], draws)
    return bool(low < squares < high)


@pytest.mark.parametrize("how", ["pckv-ue", "pckv-grr", "pckv-pm"])
def test_errors_of_frequencies_and_means(how):
    domain = sv.KeyValues(NAMES, 0, 5, bins=8)
    counts = counts_of(domain, 20_000)
    m, draws = sv.mechanism(how, domain, 3.0), 250
    held, means = true_answers(domain, counts)
    told = [sv.estimate(m.simulate(counts, source=sv.Seeded(i)), "unbiased") for i in range(draws)]
    for place, key in enumerate(NAMES[:2]):
        rates, centres = (
            [q(key) for q in [getattr(e, w) for e in told]] for w in ("frequency", "mean")
        )
        stderrs = np.array([a.stderr for a in rates])
        errors = np.array([a.value - held[place] for a in rates])
        assert passes(errors, stderrs)
        assert not passes(errors, stderrs * 1.5) and not passes(errors, stderrs / 1.5)
        errors = np.array([a.value - means[place] for a in centres])
        stderrs = np.array([a.stderr for a in centres])
        assert not passes(errors, stderrs / 1.6)
        covered = sum(a.low <= means[place] <= a.high for a in centres)
        assert stats.binom.cdf(covered, draws, 0.95) > FALSE_ALARM


def test_errors_of_sets_hold_the_draw_of_a_pair():
    """Of people who hold the same keys every time, with one of three pairs drawn anew."""
    domain = sv.KeyValues(NAMES, 0, 5, bins=4, pairs=3)
    m, draws = sv.KeyValue(domain, 6.0, keys="response", numbers="rounding"), 250
    people, sizes = 2000, np.arange(2000) % 3 + 1
    person = np.repeat(np.arange(people), sizes)
    key = np.concatenate([np.arange(size) for size in sizes])
    number = 5 * ((person * 7 + key * 3) % 11) / 10
    held = np.bincount(key) / people
    found, bare = [], []
    for i in range(draws):
        reports = m.randomize((person, np.array(NAMES)[key], number), source=sv.Seeded(i))
        e = sv.estimate(m.tally(reports), "unbiased")
        found.append(e.frequency("book"))
        bare.append(e.error_model.stderr_of(answers.key_weights(domain, 1, 3.0), "respondents"))
    errors = np.array([a.value - held[1] for a in found])
    assert passes(errors, np.array([a.stderr for a in found]))
    assert not passes(errors, np.array(bare))


# -- shares ----------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["unbiased", "norm-sub", "em", "mle"])
def test_answers_are_sums_of_shares(method):
    domain = sv.KeyValues(NAMES, 0, 5, bins=4)
    e = sv.estimate(through_a_table(domain), method)
    table, middles = e.shares.reshape(3, 4), domain.interval.midpoints
    for row, (key, shares) in zip(e.keys(), zip(NAMES, table, strict=True), strict=True):
        rate, mean = e.frequency(key), e.mean(key)
        assert math.isclose(rate.value, shares.sum(), abs_tol=1e-12)
        assert math.isclose(mean.value, shares @ middles / shares.sum(), abs_tol=1e-12)
        assert row == {
            "key": key, "frequency": rate.value, "stderr": rate.stderr, "low": rate.low,
            "high": rate.high, "mean": mean.value, "mean stderr": mean.stderr,
            "mean low": mean.low, "mean high": mean.high,
        }  # fmt: skip
        part = e.distribution(key)
        assert np.allclose(part.shares, shares / shares.sum())
        assert part.domain == domain.interval and part.why.endswith(f"numbers of key {key!r}")
        assert math.isclose(part.mean().value, mean.value, abs_tol=1e-9)
        assert math.isclose(part.mean().stderr, mean.stderr, rel_tol=1e-9)
    order = sorted(NAMES, key=lambda key: -e.frequency(key).value)
    assert [a.label for a in e.top_keys(2)] == order[:2]
    assert [a.label for a in e.top_keys(99)] == order


def test_sets_count_for_as_many_people():
    domain = sv.KeyValues(NAMES, 0, 5, bins=4, pairs=2)
    m = sv.KeyValue(domain, 4.0, keys="response")
    counts = counts_of(domain, 40_000)
    e = sv.estimate(m.simulate(counts, source=sv.Seeded(2)), "em")
    held, means = true_answers(domain, counts)
    assert math.isclose(e.frequency("film").value, 2 * e.shares[:4].sum(), abs_tol=1e-12)
    assert abs(e.frequency("film").value - held[0]) < 0.05
    assert abs(e.mean("book").value - means[1]) < 0.3
    assert abs(e.distribution("film").shares.sum() - 1) < 1e-9


def test_the_noise_of_one_key_is_that_of_a_quotient():
    """Against the exact covariance of the unbiased shares, and the derivative of the quotient."""
    domain = sv.KeyValues(NAMES, 0, 5, bins=4)
    e = sv.estimate(through_a_table(domain), "unbiased")
    assert isinstance(e.error_model, LinearErrors)
    units = np.eye(12)
    squares = np.array(
        [[e.error_model.stderr_of(u + v, "respondents") ** 2 for u in units] for v in units]
    )
    alone = np.array([e.error_model.stderr_of(u, "respondents") ** 2 for u in units])
    covariance = (squares - alone[:, None] - alone[None, :]) / 2
    covariance[np.diag_indices(12)] = alone
    part, held = e.distribution("book"), e.shares[4:8].sum()
    slopes = np.zeros((4, 12))
    slopes[:, 4:8] = (np.eye(4) - part.shares[:, None]) / held
    assert np.allclose(part.stderr, np.sqrt(np.diag(slopes @ covariance @ slopes.T)))
    assert part.linear(np.ones(4)).stderr < 1e-9


def test_the_interval_of_a_mean_holds_what_is_not_ruled_out():
    domain = sv.KeyValues(NAMES, 0, 5, bins=4)
    grid = np.linspace(0, 5, 1001)
    for people, method in ((4000, "unbiased"), (400, "unbiased"), (400, "em")):
        e = sv.estimate(through_a_table(domain, people), method)
        for place, key in enumerate(NAMES):
            told, held = e.mean(key), e.frequency(key).value
            tests = [
                answers.key_weights(domain, place, domain.interval.midpoints - mu) for mu in grid
            ]
            errors = np.array([e.error_model.stderr_of(weights, e.about) for weights in tests])
            kept = grid[np.abs(told.value - grid) * held <= two_sided(0.95) * errors]
            assert abs(told.low - kept[0]) < 0.006 and abs(told.high - kept[-1]) < 0.006


def test_a_key_that_may_be_nobodys_has_any_mean():
    domain = sv.KeyValues(NAMES, 0, 5, bins=4)
    m = sv.mechanism("pckv-ue", domain, 0.5)
    counts = np.zeros(12, dtype=np.int64)
    counts[:8] = 40
    tallies = [m.simulate(counts, source=sv.Seeded(i)) for i in range(20)]
    estimates = [sv.estimate(tally, "unbiased") for tally in tallies]
    rates = [e.frequency("song").value for e in estimates]
    assert min(rates) < 0 < max(rates)
    for e, rate in zip(estimates, rates, strict=True):
        told = e.mean("song")
        assert 0 <= told.low <= told.value <= told.high <= 5 and 0 < told.stderr <= 2.5
        if rate < 1.9 * e.frequency("song").stderr:
            assert (told.low, told.high) == (0, 5)
        if rate <= 0:
            assert (told.value, told.stderr) == (2.5, 2.5)


def test_one_bin_has_a_certain_mean():
    domain = sv.KeyValues(NAMES, 0, 5, bins=1)
    e = sv.estimate(through_a_table(domain), "unbiased")
    told = e.mean("film")
    assert (told.value, told.stderr, told.low, told.high) == (2.5, 0, 2.5, 2.5)


def test_clipped_answers_clip_frequencies():
    domain = sv.KeyValues(NAMES, 0, 5, bins=4)
    mechanism = sv.mechanism("grr", domain, 0.2)
    counts = np.zeros(12, dtype=np.int64)
    counts[:4] = 100
    tally = mechanism.simulate(counts, source=sv.Seeded(4))
    plain, clipped = (sv.estimate(tally, name) for name in ("unbiased", "post-pos"))
    assert min(a.value for a in plain.top_keys(3)) < 0
    for key in NAMES:
        assert clipped.frequency(key).value == max(0.0, plain.frequency(key).value)


# -- likelihood ------------------------------------------------------------------------


def number_law(mechanism):
    """Cells by bins of a true number, and the cells of a made-up one, from the published weights."""
    bins, steps, cells = mechanism.domain.interval.bins, mechanism.steps, mechanism.output_bins
    width, low, unit = mechanism.weights[-3:]
    outputs = bins * steps + width - 1
    places, said = np.arange(bins * steps)[:, None], np.arange(outputs)
    weights = low + unit * ((said >= places) & (said < places + width))
    by_cell = np.zeros((bins * steps, cells))
    np.add.at(by_cell.T, said * cells // outputs, weights.T)
    law = by_cell.reshape(bins, steps, cells).mean(axis=1).T
    uniform = np.bincount(said * cells // outputs, minlength=cells) / outputs
    return law / law.sum(axis=0), uniform


@pytest.mark.parametrize("keys", ["unary", "response"])
def test_em_is_that_of_the_dense_likelihood(keys):
    """The composite likelihood of unary reports, the complete one of responses, written out."""
    domain = sv.KeyValues(NAMES, 0, 5, bins=4)
    m = sv.KeyValue(domain, 2.0, keys=keys, steps=6, output_bins=9)
    law, uniform = number_law(m)
    if keys == "unary":
        a, b = (weight / 2**m.bits for weight in m.weights[:2])
    else:
        added = m.weights[0] * m.weights[2]
        background = m.weights[1] * (4 * 6 + m.weights[0] - 1)
        a, b = ((background + x) / (3 * background + added) for x in (added, 0))
    rows = []
    for block in range(3):
        of_key = np.repeat(np.arange(3) == block, 4)
        told = np.where(of_key, a * np.tile(law, (1, 3)), b * uniform[:, None])
        rows.append(np.vstack([1 - told.sum(axis=0), told]) if keys == "unary" else told)
    matrix = np.vstack(rows)
    tally = m.simulate(counts_of(domain, 3000), source=sv.Seeded(5))
    shares, history = np.full(12, 1 / 12), []
    for _ in range(60):
        expected = matrix @ shares
        history.append(float(tally.cells @ np.log(expected)))
        shares = shares * (matrix.T @ (tally.cells / expected)) / tally.cells.sum()
    with pytest.warns(sv.NotConverged):
        e = sv.estimate(tally, "em", tolerance=0.0, max_iterations=60)
    assert np.allclose(e.shares, shares, atol=1e-9)
    assert np.allclose(e.history[:-1], history)
    table = shares.reshape(3, 4)
    assert math.isclose(e.frequency("song").value, table[2].sum(), abs_tol=1e-9)
    mean = table[1] @ domain.interval.midpoints / table[1].sum()
    assert math.isclose(e.mean("book").value, mean, abs_tol=1e-7)


def test_reduced_mixtures_answer_as_well():
    domain = sv.KeyValues(NAMES, 0, 5, bins=8)
    counts = counts_of(domain, 50_000)
    m = sv.mechanism("pckv-pm", domain, 3.0)
    e = sv.estimate(m.simulate(counts, source=sv.Seeded(6)), "mr")
    held, means = true_answers(domain, counts)
    for place, key in enumerate(NAMES[:2]):
        assert abs(e.frequency(key).value - held[place]) < 6 * e.frequency(key).stderr
        assert abs(e.mean(key).value - means[place]) < 6 * e.mean(key).stderr
        assert 0 < e.distribution(key).quantile(0.5).stderr < 1


def test_what_auto_chooses():
    domain = sv.KeyValues(NAMES, 0, 5, bins=4)
    rounded, pieces = (sv.mechanism(name, domain, 2.0) for name in ("pckv-grr", "pckv-pm"))
    rows = {row["method"]: row for row in sv.methods(rounded)}
    assert rows["unbiased"]["applies"] == "to frequencies and means of keys only"
    assert rows["unbiased"]["rule"] == "distribution, subset, top, mean, range"
    assert "at most a mean of every key" in rows["em"]["why"]
    rows = {row["method"]: row for row in sv.methods(pieces)}
    assert rows["em"]["rule"] == "distribution, subset, top, mean, range"
    assert [rows[name]["applies"] for name in ("em", "mle", "mr", "ems", "adaptive")] == [
        "yes", "yes", "yes", "no", "no",
    ]  # fmt: skip
    for m, method in ((rounded, "unbiased"), (pieces, "em")):
        tally = m.simulate(counts_of(domain, 2000), source=sv.Seeded(1))
        for goal in ("distribution", "top", "mean"):
            e = sv.estimate(tally, goal=goal)
            assert e.method == method and "frequencies and means" in e.why
    assert "numbers: EM stopped early" in e.why


def test_methods_compared_by_the_means_of_keys():
    domain = sv.KeyValues(NAMES, 0, 5, bins=4)
    for name, pairs in (("pckv-pm", None), ("pckv-ue", None), ("pckv-ue", 2)):
        held = sv.KeyValues(NAMES, 0, 5, bins=4, pairs=pairs)
        m = sv.mechanism(name, held, 2.0)
        tally = m.simulate(counts_of(held, 5000), source=sv.Seeded(1))
        found = sv.compare(tally, "mean", replicates=6)
        compared = {one.name for one in found.contenders}
        if name == "pckv-pm":
            assert compared >= {"em", "mle", "mr", "unbiased"}
        else:
            assert compared == {"unbiased"}
        assert all(0 < one.error < 2 for one in found.contenders)
        assert "mean per key" in found.measure
    with pytest.raises(Unfit, match="what would work: goal='mean'"):
        sv.compare(tally, "distribution")
    with pytest.raises(Unfit, match="goals that would work: distribution, subset, top, mean"):
        sv.compare(through_a_table(domain), "range")


# -- differences -------------------------------------------------------------------------


def test_differences_of_keys():
    domain = sv.KeyValues(NAMES, 0, 5, bins=4)
    first, second = (
        sv.estimate(through_a_table(domain, 4000, seed), "unbiased") for seed in (1, 2)
    )
    change = sv.difference(first, second, same_people=True)
    for question in ("frequency", "mean"):
        a, b, c = (getattr(e, question)("book") for e in (first, second, change))
        assert c.value == b.value - a.value and c.label == "book"
        assert math.isclose(c.stderr, math.hypot(a.stderr, b.stderr), rel_tol=0.02)
        assert 0 < c.p_value < 1
    part = change.distribution("film")
    assert np.allclose(
        part.shares, second.distribution("film").shares - first.distribution("film").shares
    )
    assert len(part.frame()) == 4
    rounded = sv.mechanism("pckv-ue", domain, 2.0)
    told = sv.estimate(rounded.simulate(counts_of(domain, 4000), source=sv.Seeded(1)))
    assert sv.difference(first, told).mean("film").stderr > first.mean("film").stderr
    with pytest.raises(Mismatch, match="different domains"):
        sv.difference(first, sv.estimate(through_a_table(sv.KeyValues(NAMES, 0, 6, bins=4))))


# -- pictures ----------------------------------------------------------------------------


def test_pictures_of_keys():
    domain = sv.KeyValues(NAMES, 0, 5, bins=4)
    tally = through_a_table(domain)
    e, truth = sv.estimate(tally, "unbiased"), counts_of(domain, 4000) / 4000
    left, right = e.plot(truth=truth, name="rating", title="what people like").axes
    assert [label.get_text() for label in left.get_yticklabels()] == ["film", "book", "song"]
    assert left.get_title(loc="left") == "what people like"
    assert right.get_xlabel() == "mean rating" and right.get_xlim() == (0, 5)
    assert len(e.plot(most=2).axes[0].get_yticklabels()) == 2
    one = e.plot(key="book", truth=e.distribution("book").shares).axes[0]
    assert one.get_title(loc="left") == "book: 4,000 reports, unbiased"
    assert e.plot("cdf", key="book").axes[0].get_ylabel() == "share of pairs with book up to it"
    assert len(e.plot("shares").axes) == 1
    rounded = sv.mechanism("pckv-ue", domain, 1.0)
    told = sv.estimate(rounded.simulate(counts_of(domain, 900), source=sv.Seeded(1)))
    assert len(told.plot().axes) == 2
    with pytest.raises(NotIdentified, match="distribution needs shares"):
        told.plot(key="film")
    with pytest.raises(Unfit, match="key= chooses the numbers of one key"):
        e.plot("cdf")
    with pytest.raises(Unfit, match='kind="keys" needs pairs of keys and numbers'):
        e.distribution("film").plot("keys")
    with pytest.raises(InvalidInput, match="truth of plot must be 12 shares"):
        e.plot(truth=[1.0])


# -- what cannot be asked ------------------------------------------------------------------


def test_bad_questions():
    domain = sv.KeyValues(NAMES, 0, 5, bins=4)
    e = sv.estimate(through_a_table(domain), "unbiased")
    for question in ("frequency", "mean", "distribution"):
        with pytest.raises(InvalidInput, match=f"key of {question} must be one of .*; got 'opera'"):
            getattr(e, question)("opera")
    with pytest.raises(InvalidInput, match="key of mean must be one of"):
        e.mean()
    with pytest.raises(InvalidInput, match="count of top_keys must be .*; got 0"):
        e.top_keys(0)
    with pytest.raises(InvalidInput, match="confidence"):
        e.frequency("film", confidence=1)
    with pytest.raises(Unfit, match="variance needs numbers"):
        e.variance()


def test_domains_without_keys():
    named = sv.mechanism("grr", sv.Categories(["a", "b"]), 1.0)
    e = sv.estimate(named.simulate([50, 50], source=sv.Seeded(1)), "unbiased")
    asked = (lambda: e.frequency("a"), lambda: e.distribution("a"), e.top_keys, e.keys)
    for ask, word in zip(asked, ("frequency", "distribution", "top_keys", "keys"), strict=True):
        with pytest.raises(Unfit, match=f"{word} needs pairs of keys and numbers .*Categories"):
            ask()
    with pytest.raises(Unfit, match="the mean of a key needs pairs"):
        e.mean("a")
    with pytest.raises(Unfit, match="distribution needs pairs"):
        e.plot(key="a")


def test_what_rounded_numbers_do_not_tell():
    m = sv.mechanism("pckv-grr", sv.KeyValues(NAMES, 0, 5, bins=4), 1.0)
    e = sv.estimate(m.simulate(np.full(12, 20), source=sv.Seeded(1)))
    for ask in (lambda: e.distribution("film"), lambda: e.share(("film", 3)), e.top, e.frame):
        with pytest.raises(
            NotIdentified, match="what can be asked of it: frequency, mean, keys, top_keys"
        ):
            ask()
    with pytest.raises(Unfit, match="em does not apply to key-value"):
        sv.estimate(m.simulate(np.full(12, 20), source=sv.Seeded(1)), "em")


def test_a_key_that_nobody_seems_to_hold_has_no_distribution():
    domain = sv.KeyValues(NAMES, 0, 5, bins=4)
    m = sv.mechanism("grr", domain, 1.0)
    counts = np.zeros(12, dtype=np.int64)
    counts[:4] = 100
    estimates = [sv.estimate(m.simulate(counts, source=sv.Seeded(i)), "unbiased") for i in range(9)]
    e = next(e for e in estimates if e.frequency("song").value < 0)
    with pytest.raises(NotIdentified, match="the share of key 'song' is estimated as -"):
        e.distribution("song")
