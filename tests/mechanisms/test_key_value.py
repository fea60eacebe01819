"""Key-value mechanisms: privacy of sets by enumeration, samplers against tables, answers, refusals."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import sottovoce as sv
from sottovoce.answers.errors import CellErrors
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.exact import exp_bounds
from sottovoce.base.randomness import uniform_below_many
from sottovoce.channels.base import Channel
from sottovoce.domains.base import domain_from_json
from sottovoce.domains.pair_sets import PairSets
from sottovoce.kernels import segments
from sottovoce.mechanisms._padding import drawn_slots
from sottovoce.privacy.audit import audit_black_box
from support.documents import integer_weights, read_again, with_weights

VARIANTS = [*itertools.product(("unary", "response"), ("rounding", "piecewise"))]
FALSE_ALARM = 1e-7


def make(
    keys, numbers, epsilon=1.0, *, count=3, bins=4, high=1, pairs=None, larger="refuse", **options
):
    domain = sv.KeyValues(count, -1, high, bins=bins, pairs=pairs, larger=larger)
    return sv.KeyValue(domain, epsilon, keys=keys, numbers=numbers, **options)


# -- privacy: all sets, all reports ---------------------------------------------------


def number_weights(mechanism, place):
    """The weights of outputs of a true number, from the integers, written out once more."""
    positions = mechanism.domain.interval.bins * mechanism.steps
    if mechanism.numbers == "rounding":
        base, unit = mechanism.weights[-2:]
        return [base + (positions - 1 - place) * unit, base + place * unit]
    width, low, unit = mechanism.weights[-3:]
    window = range(place, place + width)
    return [low + unit * (y in window) for y in range(positions + width - 1)]


def law(mechanism, slot):
    """The weights of all reports of a slot, (key, place) or None for no pair; of one sum for all."""
    keys, pairs = mechanism.domain.keys.size, mechanism.domain.pairs
    background = min(number_weights(mechanism, 0))
    true = number_weights(mechanism, 0 if slot is None else slot[1])
    added, outputs = sum(true) - background * len(true), len(true)
    if mechanism.keys == "response":
        found = [[background] * outputs for _ in range(keys)]
        no_pair = (pairs or 0) * outputs * background + added * (slot is None)
        if slot is not None:
            found[slot[0]] = true
        return [*itertools.chain(*found), *([] if pairs is None else [no_pair])]
    own, other = mechanism.weights[:2]
    whole, total = 2**mechanism.bits, sum(true)
    mine = [(whole - own) * total * outputs, *(own * w * outputs for w in true)]
    made_up = [(whole - other) * total * outputs, *[other * total] * outputs]
    blocks = [mine if slot is not None and slot[0] == key else made_up for key in range(keys)]
    return [math.prod(report) for report in itertools.product(*blocks)]


def all_sets(keys, places, most):
    """Every set of at most ``most`` pairs with distinct keys and numbers at these places."""
    for size in range(1, most + 1):
        for held in itertools.combinations(range(keys), size):
            for at in itertools.product(places, repeat=size):
                yield [*zip(held, at, strict=True)]


def worst_of_sets(mechanism, places):
    """The exact worst ratio over all reports and all pairs of sets, each drawing one of its slots."""
    keys, slots = mechanism.domain.keys.size, mechanism.domain.pairs or 1
    most = keys if mechanism.domain.larger == "sample" else min(slots, keys)
    nobody = [] if mechanism.domain.pairs is None else [None]
    inputs = [*itertools.product(range(keys), places), *nobody]
    laws = {slot: np.array(law(mechanism, slot), dtype=object) for slot in inputs}
    assert len({int(weights.sum()) for weights in laws.values()}) == 1
    shared = math.lcm(*range(slots, max(slots, most) + 1))
    means = []
    for held in all_sets(keys, places, most):
        slots_of = [*held, *[None] * max(slots - len(held), 0)]
        means.append(sum(laws[slot] for slot in slots_of) * (shared // len(slots_of)))
    table = np.array(means)
    largest, least = table.max(axis=0), table.min(axis=0)
    return max(Fraction(int(a), int(b)) for a, b in zip(largest, least, strict=True))


@pytest.mark.parametrize(("keys", "numbers"), VARIANTS)
@pytest.mark.parametrize("pairs", [None, 1, 2, 3])
def test_the_certificate_is_the_worst_ratio_of_all_sets(keys, numbers, pairs):
    for epsilon, (count, bits) in itertools.product(
        (0.1, 1.0, 4.0), ((1, 62), (2, 62), (2, 20), (3, 24), (4, 20))
    ):
        options = {"bins": 3, "high": 2, "steps": 1, "pairs": pairs, "bits": bits}
        mechanism = make(keys, numbers, epsilon, count=count, **options)
        worst = worst_of_sets(mechanism, (0, 2) if count > 2 else (0, 1, 2))
        assert worst == mechanism.certificate().ratio
        assert worst <= exp_bounds(epsilon)[0]


@pytest.mark.parametrize("pairs", [2, 3])
def test_a_report_without_any_key_may_be_the_worst(pairs):
    """Both sets hold a key that is not set: where there are no more keys than slots nothing hides it."""
    whole, count = 2**62, pairs
    weights = {"own": whole - 1, "other": whole // 2, "base": 9, "unit": 1}
    options = {"count": count, "bins": 2, "steps": 1, "pairs": pairs, "weights": weights}
    with pytest.raises(InvalidInput, match=r"no ratio exceeds e\^1.7; got 'worst ratio"):
        make("unary", "rounding", 1.7, **options)
    options["weights"] |= {"own": whole - whole // 1000}
    mechanism = make("unary", "rounding", 20.0, **options)
    unset = Fraction(whole // 1000, whole - whole // 2)
    assert mechanism.certificate().ratio == worst_of_sets(mechanism, (0, 1))
    one, all_ = (Fraction(n * unset + pairs - n, pairs) for n in (1, count))
    assert mechanism.certificate().ratio >= one / all_ > 1.7


@pytest.mark.parametrize(("keys", "numbers"), VARIANTS)
@pytest.mark.parametrize("pairs", [1, 2])
def test_larger_sets_that_are_sampled_cost_nothing_more(keys, numbers, pairs):
    for bits in (20, 62):
        options = {"count": 4, "bins": 2, "steps": 1, "pairs": pairs, "bits": bits}
        mechanism = make(keys, numbers, larger="sample", **options)
        plain = make(keys, numbers, **options).certificate().ratio
        assert worst_of_sets(mechanism, (0, 1)) == mechanism.certificate().ratio == plain


@pytest.mark.parametrize(("keys", "numbers"), VARIANTS)
@pytest.mark.parametrize("pairs", [None, 1, 2, 3])
@pytest.mark.parametrize("count", [1, 2, 10, 1000])
def test_certificates_are_at_most_e_epsilon_and_near_it(keys, numbers, pairs, count):
    for epsilon in (1e-6, 1e-3, 0.1, 1.0, 2.0, 8.0, 20.0):
        ratio = make(keys, numbers, epsilon, count=count, pairs=pairs).certificate().ratio
        limit = exp_bounds(epsilon)[0]
        assert 1 < ratio <= limit
        if keys == "response" or (pairs or 1) <= count:  # else dummies protect further
            assert limit - ratio <= limit * Fraction(1, 10**9)


def test_the_chances_are_those_of_the_formulas():
    """a, b and P, or s, as tabled in the docstring, from the integers."""
    epsilon, keys, E = 1.3, 5, math.exp(1.3)
    s = math.exp(epsilon / 2)
    for pairs in (None, 1, 3):
        slots, kinds = pairs or 1, keys + (pairs or 0)
        X = slots * (E - 1)
        r = math.sqrt(X + 1)
        expected = {
            ("unary", "rounding"): (0.5, 2 / (E + 3), E / (E + 1)),
            ("unary", "piecewise"): (0.5, 1 / (s + 1), s),
            ("response", "rounding"): ((X + 2) / (X + 2 * kinds), 2 / (X + 2 * kinds), (X + 1) / (X + 2)),
            ("response", "piecewise"): (r / (r + kinds - 1), 1 / (r + kinds - 1), r),
        }  # fmt: skip
        for (how, numbers), (a, b, of_number) in expected.items():
            mechanism = make(how, numbers, epsilon, count=keys, pairs=pairs)
            channel = mechanism.channel()
            assert channel.own == pytest.approx(a, rel=1e-4)
            assert channel.other == pytest.approx(b, rel=1e-4)
            reported = mechanism.reporter.numbers
            at_top = Fraction(reported.low + reported.top, reported.total)
            if numbers == "rounding":
                assert float(at_top) == pytest.approx(of_number, rel=1e-9)
            else:
                assert float(at_top * reported.outputs) == pytest.approx(of_number, rel=1e-4)


def test_epsilon_too_small_for_the_precision_is_refused():
    for keys, numbers in VARIANTS:
        with pytest.raises(InvalidInput, match=r"epsilon of key-value must be larger .* 16 bits"):
            make(keys, numbers, 1e-4, bits=16)


# -- samplers: all words of a small table ----------------------------------------------


def positions_of(mechanism):
    return range(mechanism.positions)


@pytest.mark.parametrize("numbers", ["rounding", "piecewise"])
@pytest.mark.parametrize("pairs", [None, 1, 2])
def test_response_over_all_words(numbers, pairs, scripted):
    """A draw below the total is a word below it: every row of the table, exactly."""
    mechanism = make("response", numbers, 2.0, count=2, bins=2, steps=2, pairs=pairs, bits=12)
    total = mechanism.reporter.total
    assert total <= 2**12
    for index in positions_of(mechanism):
        columns = mechanism.respond_many(np.full(total, index), scripted(np.arange(total)))
        reports = sv.Reports(
            mechanism, dict(zip(("key", columns_name(numbers)), columns, strict=True))
        )
        slot = divmod(index, 4)
        weights = law(mechanism, None if slot[0] == 2 else slot)
        np.testing.assert_array_equal(mechanism.count(reports), weights)


def columns_name(numbers):
    return "high" if numbers == "rounding" else "cell"


@pytest.mark.parametrize("numbers", ["rounding", "piecewise"])
def test_unary_over_all_words(numbers, scripted):
    """Own key, other keys, own number, made-up number: each over all of its words."""
    options = {"count": 3, "bins": 2, "steps": 2, "bits": 16, "pairs": 1}
    mechanism = make("unary", numbers, 0.8, **options)
    own, other = mechanism.weights[:2]
    total, outputs = mechanism.reporter.numbers.total, mechanism.reporter.numbers.outputs
    first = (other << 48) >> 56
    clear = np.uint64((255 << 16) + (255 << 8) + 255)  # three lanes that set nothing
    assert first < 255

    def read(columns):
        """A row a report: 0 for an unset key, else 1 more than the cell."""
        if numbers == "piecewise":
            return np.asarray(columns[0], dtype=int)
        is_set, high = (np.unpackbits(c, axis=1, count=3, bitorder="little") for c in columns)
        assert not np.any(high & ~is_set & 1)
        return is_set.astype(int) * (1 + high)

    def made_up(n, are_set, words=0):
        return np.full(n if numbers == "rounding" else are_set, words, dtype=np.uint64)

    # One's own key, over all 65,536 first words: set exactly `own` times.
    n = 2**16
    words = np.arange(n, dtype=np.uint64) << np.uint64(48)
    source = scripted(words, np.full(n, clear), [], made_up(n, 0), np.zeros(n))
    reports = read(mechanism.respond_many(np.full(n, 4), source))
    assert np.count_nonzero(reports[:, 1]) == own
    assert not reports[:, [0, 2]].any()

    # Another key: 256 first bytes, and where they tie 256 second bytes.
    lanes = np.arange(256, dtype=np.uint64) | np.uint64(255 << 8 | 255 << 16)
    certain = tied = 0
    for second in range(256):
        are_set = first + (second << 48 < (other << 48 & (2**56 - 1)))
        source = scripted(
            np.zeros(256), lanes, [second << 56], made_up(256, are_set), np.zeros(256)
        )
        reports = read(mechanism.respond_many(np.full(256, 4), source))
        certain, tied = first, tied + int(reports[first, 0] > 0)
        assert np.count_nonzero(reports[:, 0]) == are_set
    assert 256 * certain + tied == other

    # One's own number, over all draws below the total, from every position.
    for place in range(4):
        source = scripted(
            np.zeros(total), np.full(total, clear), [], made_up(total, 0), np.arange(total)
        )
        reports = read(mechanism.respond_many(np.full(total, 4 + place), source))
        seen = np.bincount(reports[:, 1], minlength=outputs + 1)
        np.testing.assert_array_equal(seen, [0, *number_weights(mechanism, place)])

    # A made-up number, over all of its outputs.
    n = outputs
    drawn = np.arange(n) << 2 if numbers == "rounding" else np.arange(n)  # bit 2 is of key 2
    lanes = np.full(n, np.uint64((0 << 16) + (255 << 8) + 255))
    source = scripted(np.full(n, 2**64 - 1), lanes, [], drawn, np.zeros(n))
    reports = read(mechanism.respond_many(np.full(n, 4), source))
    assert reports[:, 2].tolist() == list(range(1, n + 1))
    assert not reports[:, :2].any()


def test_slots_are_drawn_uniformly_and_empty_ones_have_no_pair(scripted):
    held = PairSets(np.array([1, 3, 2]), np.arange(6), np.zeros(6))
    for slot in range(3):
        rows, filled = drawn_slots(held, 3, scripted([slot] * 3))
        assert filled.tolist() == [slot < 1, True, slot < 2]
        assert rows[filled].tolist() == (np.array([0, 1, 4]) + slot)[filled].tolist()
    # Of a set with more pairs than slots any pair; everybody draws one word.
    larger = PairSets(np.array([4, 1]), np.arange(5), np.zeros(5))
    word = [np.uint64(3 << 62)]  # the top two bits of a word are the pair
    rows, filled = drawn_slots(larger, 3, scripted([1], word))
    assert (rows.tolist(), filled.tolist()) == ([3, 4], [True, False])


# -- tallies of sets: unbiased frequencies and means ------------------------------------


def population(keys, pairs, people, seed=1):
    """Columns (person, key, number): everybody holds 1 to ``pairs`` distinct keys."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, pairs + 1, people)
    order = np.argsort(rng.random((people, keys)) / np.arange(1, keys + 1), axis=1)
    taken = np.arange(pairs) < sizes[:, None]
    person = np.repeat(np.arange(people), sizes)
    key = order[:, :pairs][taken]
    return person, key, np.clip(rng.normal(key / keys - 0.3, 0.3), -1, 1)


def frequencies_and_sums(mechanism, tally):
    """Per key, by gains: the frequency, the sum of numbers over people, and their errors."""
    noise = CellErrors(mechanism.channel(), tally.n, tally.cells / tally.n)
    domain, found = mechanism.domain, []
    bins, slots = domain.interval.bins, domain.pairs or 1
    for key in range(domain.keys.size):
        for of_bins in (np.ones(bins), domain.interval.midpoints):
            weights = np.zeros(domain.size)
            weights[key * bins : (key + 1) * bins] = slots * of_bins
            found.append((noise.value_of(weights), noise.stderr_of(weights, "population")))
    return np.array(found).reshape(-1, 2, 2)


@pytest.mark.parametrize(("keys", "numbers"), VARIANTS)
@pytest.mark.parametrize("pairs", [None, 1, 2, 3])
def test_frequencies_and_means_are_right_on_average(keys, numbers, pairs):
    """40 surveys: the averages hit the truth, and a truth that is a little off would be noticed."""
    people, count, surveys = 4000, 4, 40
    person, key, number = population(count, pairs or 1, people)
    mechanism = make(keys, numbers, 2.0, count=count, bins=16, pairs=pairs)
    values = (key, number) if pairs is None else (person, key, number)
    source, found = sv.Seeded(5), []
    for _ in range(surveys):
        reports = mechanism.randomize(values, source=source)
        found.append(frequencies_and_sums(mechanism, mechanism.tally(reports)))
    told = np.array(found)
    truth = np.stack([np.bincount(key, minlength=count), np.bincount(key, number, count)], axis=1)
    truth = truth / people
    means, errors = told[..., 0].mean(axis=0), told[..., 0].std(axis=0, ddof=1)
    # Numbers are told at the middle of their bin's cells: allow for half a percent of a bin.
    z = np.abs(means - truth) / np.hypot(errors / np.sqrt(surveys), 5e-4)
    assert z.max() < stats.norm.isf(1e-7)
    wrong = np.abs(means - truth * 1.15 - 0.05) / (errors / np.sqrt(surveys))
    assert wrong.max() > stats.norm.isf(1e-7)
    # Errors by formula: those of 40 surveys, within what 40 can tell.
    ratio = told[..., 1].mean(axis=0) / errors
    assert 0.6 < ratio.min() < ratio.max() < 1.8


def test_larger_sets_are_counted_too_low():
    """Who holds 4 keys where 2 are declared speaks of each with 1/4 instead of 1/2."""
    mechanism = make("response", "rounding", 8.0, count=4, pairs=2, larger="sample")
    people = np.repeat(np.arange(20_000), 4)
    columns = (people, np.tile(np.arange(4), 20_000), np.zeros(80_000))
    tally = mechanism.tally(mechanism.randomize(columns, source=sv.Seeded(1)))
    told = frequencies_and_sums(mechanism, tally)[:, 0]
    assert np.all(np.abs(told[:, 0] - 0.5) < 6 * told[:, 1])


# -- the channel ---------------------------------------------------------------------


@pytest.mark.parametrize(("keys", "numbers"), VARIANTS)
@pytest.mark.parametrize("pairs", [None, 2])
def test_gains_of_lines_within_keys(keys, numbers, pairs):
    mechanism = make(keys, numbers, count=3, bins=6, pairs=pairs)
    channel, rng = mechanism.channel(), np.random.default_rng(1)
    dense = channel.dense()
    for slopes in (np.zeros(3), rng.normal(size=3), [0.0, 1.0, 0.0]):
        lines = rng.normal(size=3)[:, None] + np.outer(slopes, np.arange(6) - 2.5)
        weights = lines.ravel() if pairs is None else np.append(lines.ravel(), rng.normal())
        cell_weights = channel.cell_weights(weights)
        missed = np.abs(dense.T @ cell_weights.values - weights).max()
        assert missed <= cell_weights.bias_bound + 1e-9 * np.abs(cell_weights.values).max()
        assert cell_weights.bias_bound <= 1e-3 * max(np.ptp(weights), 1e-300)
        assert cell_weights.bias_bound == 0 or np.any(slopes)
    assert channel.cell_weights(rng.normal(size=channel.inputs)) is None
    assert np.ptp(channel.cell_weights(np.ones(channel.inputs)).values) < 1e-12  # sure


@pytest.mark.parametrize("how", ["unary", "response"])
def test_rounding_tells_no_shares(how):
    mechanism = make(how, "rounding")
    assert not mechanism.channel().identifies_distribution
    assert make(how, "piecewise").channel().identifies_distribution
    with pytest.raises(Unfit, match="em does not apply"):
        sv.estimate(mechanism.simulate(np.full(12, 9), source=sv.Seeded(1)), "em")


def test_products_of_many_rows_are_those_of_each():
    channel = make("response", "piecewise", bins=16).channel().numbers
    pieces, rng = channel.segments, np.random.default_rng(1)
    w, r = rng.normal(size=(5, channel.inputs)), rng.normal(size=(5, channel.cells))
    compiled, plain = segments.compiled, (lambda name: None)
    try:
        for choice in (compiled, plain):
            segments.compiled = choice
            for rows, one, many in (
                (w, pieces.forward_plain, pieces.forward_rows),
                (r, pieces.adjoint_plain, pieces.adjoint_rows),
            ):
                np.testing.assert_allclose(many(rows), [one(row) for row in rows], atol=1e-12)
    finally:
        segments.compiled = compiled


@pytest.mark.parametrize("how", ["unary", "response"])
@pytest.mark.parametrize(("pairs", "count"), [(None, 1), (None, 4), (2, 3)])
def test_compiled_passes_are_the_plain_ones(how, pairs, count):
    mechanism = make(how, "piecewise", count=count, bins=8, pairs=pairs)
    channel, rng = mechanism.channel(), np.random.default_rng(1)
    cells = rng.integers(0, 9, channel.cells).astype(float)
    cells[:5] = cells[-1] = 0
    shares = rng.dirichlet(np.ones(channel.inputs))
    shares[0] = 0
    for table in (cells, mechanism.simulate(np.full(channel.inputs, 7), source=sv.Seeded(1)).cells):
        ratio, likelihood = channel.em_step(shares, table.astype(float))
        plain, expected = Channel.em_step(channel, shares, table.astype(float))
        np.testing.assert_allclose(ratio, plain, rtol=1e-12)
        assert likelihood == pytest.approx(expected, rel=1e-12)
    after, ratio, likelihoods = channel.em_run(cells).run(shares, 4, 0.0, 0)
    here = shares
    for told in likelihoods:
        plain, expected = Channel.em_step(channel, here, cells)
        assert told == pytest.approx(expected, rel=1e-12)
        last, here = here, here * plain
    np.testing.assert_allclose(after, last, rtol=1e-11)
    np.testing.assert_allclose(ratio, plain, rtol=1e-11)
    assert len(channel.em_run(cells).run(shares, 9, 1e9, 0)[2]) == 2  # one pass gains too little
    with pytest.raises(InvalidInput, match="keys have no order"):
        channel.em_run(cells).run(shares, 4, 0.0, 1)


@pytest.mark.parametrize(("keys", "numbers"), VARIANTS)
def test_a_simulated_tally_has_the_spread_of_reports(keys, numbers):
    """Not only the means: covariances of cells within a tally are those of reports."""
    mechanism = make(keys, numbers, 2.0, count=2, bins=2, pairs=2, steps=4, output_bins=None)
    counts, source = np.array([30, 10, 0, 20, 40]), sv.Seeded(4)
    indices = np.repeat(np.arange(5), counts)
    drawn = [mechanism.simulate(counts, source=source).cells for _ in range(700)]
    seen = [mechanism.tally(mechanism.randomize_indices(indices, source)).cells for _ in range(700)]
    weights = np.random.default_rng(1).normal(size=(6, mechanism.cells))
    for z in weights:
        one, two = np.array(drawn) @ z, np.array(seen) @ z
        assert stats.ks_2samp(one, two).pvalue > FALSE_ALARM
        assert stats.ks_2samp(one.mean() + 1.6 * (one - one.mean()), two).pvalue < 1e-3


# -- audits ----------------------------------------------------------------------------


@pytest.mark.parametrize(("keys", "numbers"), VARIANTS)
@pytest.mark.parametrize("pairs", [None, 1, 3])
def test_audits_pass_and_come_near(keys, numbers, pairs):
    joint = keys == "unary" and pairs == 3  # three keys at their tops at once are rare
    trials = 200_000 if joint else 60_000
    found = sv.audit(make(keys, numbers, 1.0, count=4, pairs=pairs), trials=trials)
    assert found.passed, found
    assert found.lower_bound > (0.2 if joint else 0.75)


class RepeatsTheSign(sv.KeyValue):
    """A made-up number that is the true one: what a published PCKV-GRR client did."""

    def respond_many(self, indices, source):
        keys, numbers = super().respond_many(indices, source)
        high = indices % self._grid >= self._grid // 2
        return keys, np.where(keys == indices // self._grid, numbers, high)


class NeverPads(sv.KeyValue):
    """Always a pair, never an empty slot, with chances that count on empty slots."""

    def randomize_sets(self, held, source):
        drawn = uniform_below_many(2**20, len(held.sizes), source).view(np.int64) % held.sizes
        rows = held.starts + drawn
        return self.randomize_positions(self._places(held.keys[rows], held.numbers[rows]), source)


def test_audits_catch_planted_bugs():
    domain = sv.KeyValues(["film", "book", "song"], 0, 5, bins=4)
    right = sv.mechanism("pckv-grr", domain, 1.0)
    wrong = RepeatsTheSign(domain, 1.0, keys="response", numbers="rounding")
    found = sv.audit(wrong, trials=60_000)
    assert wrong.certificate() == right.certificate()  # the table is fine, the code is not
    assert not found.passed
    assert found.lower_bound > 5
    sets = sv.KeyValues(["film", "book", "song"], 0, 5, bins=4, pairs=3)
    found = sv.audit(NeverPads(sets, 1.0, keys="response"), trials=60_000)
    assert not found.passed
    assert 1.5 < found.lower_bound < math.log(1 + 3 * (math.e - 1))


def test_a_black_box_sees_an_epsilon_that_is_too_large():
    mechanism = make("unary", "rounding", 1.1, count=2, bins=2)

    def sample(index, count):
        return mechanism.randomize_positions(np.full(count, index), sv.OperatingSystem())

    ends = [0, mechanism.positions - 1]
    options = {"supports": mechanism.supports, "trials": 400_000}
    assert not audit_black_box(sample, ends, 1.0, **options).passed
    assert audit_black_box(sample, ends, 1.1, **options).passed


# -- what people hold ---------------------------------------------------------------------


def test_forms_of_pairs():
    domain = sv.KeyValues(["film", "book"], 0, 5, bins=10)
    for form in (
        [("film", 1), ("book", 5)],
        (np.array(["film", "book"]), np.array([1, 5])),
        iter([("film", 1.0), ("book", 5.0)]),
    ):
        assert domain.indices(form).tolist() == [2, 19]
    mechanism = sv.KeyValue(domain, 1.0)
    assert len(mechanism.randomize(("film", 1))) == 1
    assert mechanism.locate([("book", 0), ("film", 5)]).tolist() == [
        mechanism.positions // 2, mechanism.positions // 2 - 1
    ]  # fmt: skip


def test_forms_of_sets():
    domain = sv.KeyValues(["film", "book", "song"], 0, 5, bins=10, pairs=2)
    assert domain.size == 31
    assert domain.label(30) is None
    assert domain.indices([("film", 0), None]).tolist() == [0, 30]
    assert domain.indices([None]).tolist() == [30]
    for one in ({"film": 1, "book": 2}, [("film", 1), ("book", 2)], (("film", 1), ("book", 2))):
        held = domain.sets(one)
        assert (held.sizes.tolist(), held.keys.tolist()) == ([2], [0, 1])
        assert held.numbers.tolist() == [1, 2]
        domain.check(one)
    assert domain.sets(("song", 1)).sizes.tolist() == [1]
    mixed = domain.sets([{"film": 1}, [("book", 2), ("song", 3)], [["film", 0]], ("song", 5)])
    assert mixed.sizes.tolist() == [1, 2, 1, 1]
    assert mixed.keys.tolist() == [0, 1, 2, 0, 2]
    columns = (np.array([7, 3, 7]), np.array(["film", "song", "book"]), np.array([1.0, 2, 3]))
    held = domain.sets(columns)
    assert (held.sizes.tolist(), held.keys.tolist()) == ([1, 2], [2, 0, 1])
    assert held.numbers.tolist() == [2, 1, 3]
    pairs = domain.sets((np.array(["film", "song"]), np.array([1, 2])))
    assert pairs.sizes.tolist() == [1, 1]
    numbered = sv.KeyValues(4, 0, 1, pairs=1)
    assert numbered.sets([{3: 0.5}, {0: 1}]).keys.tolist() == [3, 0]


def test_domains_as_json():
    plain = sv.KeyValues(["film"], 0, 5, bins=2)
    assert plain.to_json() == {
        "kind": "key-values",
        "version": 1,
        "keys": {"kind": "categories", "version": 1, "size": 1, "values": ["film"]},
        "interval": {"kind": "interval", "version": 1, "low": "0", "high": "5", "bins": 2},
        "pairs": None,
        "larger": "refuse",
    }
    for larger in ("refuse", "sample"):
        sets = sv.KeyValues(["film"], 0, 5, bins=2, pairs=3, larger=larger)
        again = domain_from_json(sets.to_json())
        assert again == sets != plain
        assert again.larger == larger
    assert str(sets) == "KeyValues(Categories(['film']), Interval(0, 5, bins=2), pairs=3)"


SETS = sv.KeyValues(["film", "book"], 0, 5, bins=4, pairs=2)
PAIRS = sv.KeyValues(["film", "book"], 0, 5, bins=4)


@pytest.mark.parametrize(
    ("domain", "values", "message"),
    [
        (PAIRS, ("song", 1), r"one of \['film', 'book'\]; got 'song'"),
        (PAIRS, [("film", 1), ("song", 1)], r"one of \['film', 'book'\]; got 'song'"),
        (PAIRS, ("film", 6), "a number from 0 to 5; got 6"),
        (PAIRS, ("film", float("nan")), "a number from 0 to 5; got nan"),
        (PAIRS, [("film", "one")], "numbers; got 'an array of dtype <U3'"),
        (PAIRS, [("film", [1, 2]), ("film", [1])], "pairs with one number each"),
        (PAIRS, [], "at least one value"),
        (PAIRS, None, r"pairs \(key, number\); got None"),
        (PAIRS, 5, r"pairs \(key, number\); got 5"),
        (SETS, 5, "dicts {key: number} or lists of pairs"),
        (SETS, None, "dicts {key: number} or lists of pairs"),
        (PAIRS, [None], r"pairs \(key, number\); got None"),
        (PAIRS, (np.array(["film"]), np.array([1, 2])), "flat arrays of one length"),
        (PAIRS, (np.array(["film"]), np.array([np.nan])), "a number from 0 to 5; got nan"),
        (SETS, {"song": 1}, r"one of \['film', 'book'\]; got 'song'"),
        (SETS, {"film": -0.1}, "a number from 0 to 5; got -0.1"),
        (SETS, [{"film": 1}, {"book": float("nan")}], r"a missing value \(nan\) in row 1"),
        (SETS, {}, 'an empty set.*a separate key such as "none"'),
        (SETS, [{"film": 1}, {}], "a set of 1 to 2 pairs; got 'an empty set'"),
        (SETS, [{"film": 1}, []], "a set of 1 to 2 pairs; got 'an empty set'"),
        (SETS, [], "at least one value"),
        (SETS, [("film", 1), ("book", 2), ("film", 3)], "a set of 1 to 2 pairs; got 'a set of 3'"),
        (SETS, [[("film", 1), ("film", 2)]], "distinct keys; got .*'film' twice"),
        (SETS, [{"film": 1}, 5], "dicts {key: number} or lists of pairs"),
        (SETS, [[("film", 1, 2)]], r"made of pairs \(key, number\); got \('film', 1, 2\)"),
        (SETS, (np.array([0.5]), np.array(["film"]), np.array([1])), "identify people"),
        (SETS, (np.array([1, 1]), np.array(["film"] * 2), np.array([1, 2])), "distinct keys"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("keys", ["unary", "response"])
def test_what_nobody_can_hold_is_refused(domain, values, message, keys):
    with pytest.raises(InvalidInput, match=message):
        sv.KeyValue(domain, 1.0, keys=keys).randomize(values)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sv.KeyValues(2, 0, 1, pairs=0), "pairs of KeyValues must be a whole number of at"),
        (lambda: sv.KeyValues(2, 0, 1, pairs=1.5), "pairs of KeyValues must be a whole number"),
        (lambda: sv.KeyValues(2, 0, 1, pairs=2, larger="cut"), "one of refuse, sample; got 'cut'"),
        (lambda: sv.KeyValues(2, 0, 1, larger="sample"), "left out where people hold one pair"),
        (lambda: PAIRS.sets({"film": 1}), "given for sets of pairs"),
        (lambda: SETS.check([{"film": 1}, {"film": 2}]), "a single set of pairs"),
        (lambda: SETS.index("film"), r"a pair \(key, number\); got 'film'"),
        (lambda: SETS.indices([{"film": 1}]), "Sets of pairs are for the mechanism key-value"),
        (lambda: sv.mechanism("grr", SETS, 1.0), "one value per person.*the mechanism key-value"),
        (lambda: sv.plan(SETS, epsilon=1.0, users=9), "one value per person.*Sets of pairs have one"),
        (lambda: sv.mechanism("key-value", sv.Interval(0, 1), 1.0), "KeyValues: keys with numbers"),
        (lambda: sv.KeyValue(PAIRS, 1.0, keys="hash"), "keys of key-value must be one of"),
        (lambda: sv.KeyValue(PAIRS, 1.0, numbers="laplace"), "numbers of key-value must be one of"),
        (lambda: sv.KeyValue(PAIRS, 1.0, steps=0), "steps of key-value"),
        (lambda: sv.KeyValue(sv.KeyValues(2, 0, 1, bins=1), 1.0, steps=1), "at least 2 where"),
        (lambda: sv.KeyValue(PAIRS, 1.0, output_bins=10**6), "output_bins of key-value"),
        (lambda: sv.KeyValue(PAIRS, 1.0, numbers="rounding", output_bins=9), "left out where"),
        (lambda: sv.mechanism("pckv-ue", PAIRS, 1.0, keys="response"), "'unary' .or use 'key-val"),
    ],
)  # fmt: skip
def test_wrong_options_are_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()


def test_paper_names():
    names = {"pckv-ue": ("unary", "rounding"), "pckv-grr": ("response", "rounding")}
    for name, (keys, numbers) in {**names, "pckv-pm": ("unary", "piecewise")}.items():
        assert sv.mechanism(name, PAIRS, 1.0) == sv.KeyValue(PAIRS, 1.0, keys=keys, numbers=numbers)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"own": 1}, r"other < own < 2\^62"),
        ({"own": 0}, "weight own of key-value"),
        ({"width": 2**40}, "weight width of key-value"),
        ({"low": 2**62}, r"a total of at most 2\^63"),
        ({"more": 1}, "whole numbers named own, other, width, low, unit"),
    ],
)
def test_weights_from_outside_are_checked(changed, message):
    document = sv.KeyValue(PAIRS, 1.0).document()
    weights = integer_weights(document) | changed
    with pytest.raises(InvalidInput, match=message):
        read_again(with_weights(document, weights))


def test_rows_of_numbers_are_checked(tmp_path):
    """The column of a number for every key: its shape, its bounds, and on its way to a file."""
    mechanism = sv.KeyValue(PAIRS, 1.0, output_bins=300)
    reports = mechanism.randomize([("film", 1)] * 5)
    column = reports.columns["cell"]
    assert (column.dtype, column.shape) == (np.dtype("<u2"), (5, 2))
    for wrong in (column[:, :1], column.astype(float), column[0]):
        with pytest.raises(InvalidInput, match="rows of 2 whole numbers"):
            sv.Reports(mechanism, {"cell": wrong})
    with pytest.raises(InvalidInput, match="column 'cell' .* from 0 to 300; got 301"):
        sv.Reports(mechanism, {"cell": np.full((1, 2), 301)})
    table = reports.to_arrow()
    assert sv.Reports.from_arrow(table[1:3]) == reports[1:3]
    arrow = pytest.importorskip("pyarrow")
    one = arrow.FixedSizeListArray.from_arrays(arrow.array(np.zeros(5, "u2")), 1)
    with pytest.raises(InvalidInput, match="of 2 whole numbers per row"):
        sv.Reports.from_arrow(table.set_column(0, "cell", one))
    holes = arrow.array([[1, None]] * 5, type=arrow.list_(arrow.uint16(), 2))
    with pytest.raises(InvalidInput, match="row 1 of column 'cell' .* got None"):
        sv.Reports.from_arrow(table.set_column(0, "cell", holes))
