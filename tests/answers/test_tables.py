"""Tables of two questions: least squares, exact errors, coverage, independence."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.answers.pooled_sets import PooledSets
from sottovoce.answers.records.ratios import difference_of_ratios
from sottovoce.answers.records.table_html import NOT_ENOUGH
from sottovoce.base.errors import InvalidInput, NotIdentified, Unfit
from support.copies import pickled

ROWS, COLUMNS = np.array([0.6, 0.3, 0.1]), np.array([0.5, 0.25, 0.15, 0.1])
PAIR = sv.Record({"a": sv.Categories(["x", "y", "z"]), "b": sv.Categories(["p", "q", "r", "s"])})
THREE = sv.Record({"a": sv.Categories(2), "b": sv.Categories(3), "c": sv.Categories(4)})


def counts(table, n):
    return np.rint(n * np.asarray(table)).astype(int).ravel()


def estimate_of(mechanism, people, seed=1):
    return sv.estimate(mechanism.simulate(people, source=sv.Seeded(seed)))


@pytest.fixture(scope="module")
def mixed():
    mechanism = sv.mechanism("record", THREE, 1.0, design="mixed", rates=[3, 2, 1, 4, 2, 1])
    people = np.random.default_rng(1).integers(100, 3000, THREE.size)
    return estimate_of(mechanism, people)


# -- consistency ------------------------------------------------------------------------------------


def test_one_pass_is_the_least_squares_solution(mixed):
    """Against a general solver: all tables together, cells weighted by their variance."""
    model = mixed.error_model
    sets = PooledSets(model.channel.record, mixed.n, model.frequencies)
    channel, size = sets.channel, THREE.size
    lhs, rhs = [], []
    for number, asked in enumerate(channel.sets):
        even = 1 / channel.channels[number].inputs
        noise = channel.channels[number].support_probabilities.variance(np.array([even]))[0]
        noise = (noise + even * (1 - even)) / (1 - even)
        weight = math.sqrt(sets.counts[number] / noise)
        units = np.eye(size).reshape(-1, *channel.sizes)
        margins = [channel.margin(unit, (0, 1, 2), asked).ravel() for unit in units]
        lhs.append(weight * np.stack(margins, axis=1))
        rhs.append(weight * sets.tables[number])
    lhs.append(1e6 * np.ones((1, size)))
    rhs.append([1e6])
    solution = np.linalg.lstsq(np.vstack(lhs), np.concatenate(rhs), rcond=None)[0]
    joint = solution.reshape(channel.sizes)
    for first, second, other in (("a", "b", 2), ("a", "c", 1), ("b", "c", 0)):
        table = mixed.table(first, second)
        np.testing.assert_allclose(table.shares, joint.sum(axis=other), atol=1e-9)
        np.testing.assert_allclose(mixed.table(second, first).shares, table.shares.T, atol=1e-15)
        for axis, name in enumerate((first, second)):
            np.testing.assert_allclose(
                table.shares.sum(axis=1 - axis), mixed.part(name, "unbiased").shares, atol=1e-12
            )


def test_parities_of_whole_powers_of_two_are_least_squares():
    """All coefficients of order 1 and 2, each by its own reports: the table is their sum."""
    record = sv.Record({"a": sv.Categories(2), "b": sv.Categories(4)})
    mechanism = sv.mechanism("record", record, 1.0, design="parities")
    estimate = estimate_of(mechanism, np.random.default_rng(1).integers(100, 3000, 8))
    pair = mechanism.channel().channels[2]
    signs = np.array([pair.coefficients(unit) for unit in np.eye(8)])
    shares = estimate.table("a", "b").shares.ravel()
    interaction = signs @ (signs.T @ shares) / 8
    model = estimate.error_model
    sets = PooledSets(model.channel.record, estimate.n, model.frequencies)
    first, second = sets.shares(0), sets.shares(1)
    margins = first[:, None] / 4 + second[None, :] / 2 - 1 / 8
    np.testing.assert_allclose(shares, margins.ravel() + interaction, atol=1e-12)
    np.testing.assert_allclose(signs.T @ sets.tables[2], signs.T @ shares, atol=1e-12)


# -- errors by brute force ----------------------------------------------------------------------------


@pytest.mark.parametrize("design", ["pairs", "mixed", "parities", "joint", "split"])
def test_errors_are_those_of_repeated_surveys(design):
    """400 surveys of the same people: the spread of an answer is its standard error.

    A ratio of standard deviations from 400 draws errs by 3.5%: 0.2 is 5.6 of those.
    """
    mechanism = sv.mechanism("record", THREE, 1.0, design=design)
    people = np.random.default_rng(2).integers(20, 900, THREE.size)
    z = np.random.default_rng(3).normal(size=(3, 4))
    answers, errors = [], []
    for seed in range(400):
        estimate = estimate_of_unbiased(mechanism, people, seed)
        table, part = estimate.table("b", "c"), estimate.part("b", "unbiased")
        found = table.linear(z), part.share(1), table.share(1, 2)
        answers.append([answer.value for answer in found])
        errors.append([answer.stderr for answer in found])
    true = (people / people.sum()).reshape(2, 3, 4).sum(axis=0)
    expected = np.sqrt(np.mean(np.square(errors), axis=0))
    spread = np.std(answers, axis=0)
    assert np.all(np.abs(spread / expected - 1) < 0.2)
    assert np.all(np.abs(spread / (1.3 * expected) - 1) > 0.03)
    truth = [np.sum(z * true), true[1].sum(), true[1, 2]]
    assert np.all(np.abs(np.mean(answers, axis=0) - truth) < 5.5 * expected / 20)


def estimate_of_unbiased(mechanism, people, seed):
    return sv.estimate(mechanism.simulate(people, source=sv.Seeded(seed)), "unbiased")


def test_many_answers_have_errors_by_formula():
    """For more than 512 answers cells count as uncorrelated: as with all covariances, nearly."""
    record = sv.Record({"a": sv.Categories(520), "b": sv.Categories(2)})
    mechanism = sv.mechanism("record", record, 2.0, design="mixed")
    part = estimate_of(mechanism, np.full(record.size, 20)).part("a", "unbiased")
    for about in ("respondents", "population"):
        some = [part.error_model.stderr_of(np.eye(1, 520, i)[0], about) for i in (0, 100, 519)]
        np.testing.assert_allclose(part.error_model.stderr(about)[[0, 100, 519]], some, rtol=0.02)


# -- independence ---------------------------------------------------------------------------------------


def p_values(table, epsilon, n, draws, seed=0, **options):
    options = options or {"design": "pairs", "hash_ranges": [0]}
    mechanism = sv.mechanism("record", PAIR, epsilon, **options)
    rng = np.random.default_rng(seed)
    found = []
    for draw in range(draws):
        people = rng.multinomial(n, np.asarray(table).ravel())
        estimate = estimate_of_unbiased(mechanism, people, seed + draw)
        found.append(estimate.table("a", "b").independence())
    return found


def test_a_true_null_is_rejected_as_often_as_it_should():
    """300 draws at 5%: 15 expected; more than 37 have a chance of 4e-7. Pearson's test rejects all."""
    found = p_values(np.outer(ROWS, COLUMNS), 1.0, 20_000, 300)
    assert sum(each.p_value < 0.05 for each in found) <= 37
    assert {each.freedom for each in found} == {6}
    away = np.zeros((3, 4))
    away[:2, :2] = [[0.04, -0.04], [-0.04, 0.04]]
    power = p_values(np.outer(ROWS, COLUMNS) + away, 1.0, 20_000, 60)
    assert sum(each.p_value < 0.05 for each in power) > 40


@pytest.mark.parametrize(("design", "epsilon"), [("parities", 2.0), ("split", 3.0)])
def test_other_designs_reject_a_true_null_as_often_as_they_should(design, epsilon):
    """150 draws at 5%: 7.5 expected; more than 25 have a chance of 1e-7."""
    found = p_values(np.outer(ROWS, COLUMNS), epsilon, 20_000, 150, design=design)
    assert sum(each.p_value < 0.05 for each in found) <= 25
    away = np.zeros((3, 4))
    away[:2, :2] = [[0.06, -0.06], [-0.06, 0.06]]
    power = p_values(np.outer(ROWS, COLUMNS) + away, epsilon, 20_000, 30, design=design)
    assert sum(each.p_value < 0.05 for each in power) > 20


@pytest.mark.slow
def test_false_alarms_of_independence_are_5_percent():
    """10,000 draws: a rate of 5% errs by 0.22%; from 4 to 6% is 4.6 of those either side."""
    found = p_values(np.outer(ROWS, COLUMNS), 1.0, 100_000, 10_000)
    assert 0.04 < np.mean([each.p_value < 0.05 for each in found]) < 0.06


def test_cramers_v_is_corrected_for_noise():
    """phi^2 is 0.048 (V 0.155): the mean of squares is near, that of plain estimates twice as large."""
    away = np.zeros((3, 4))
    away[:2, :2] = [[0.04, -0.04], [-0.04, 0.04]]
    table = np.outer(ROWS, COLUMNS) + away
    phi = float(np.sum(away**2 / np.outer(ROWS, COLUMNS)))
    found = [each.cramers_v for each in p_values(table, 1.0, 100_000, 100, seed=7)]
    corrected = 2 * np.mean(np.square([each for each in found if each is not None]))
    assert corrected == pytest.approx(phi, rel=0.25)


def test_strength_is_not_given_where_an_answer_is_too_rare():
    rare = np.outer([0.6, 0.4, 0.0], COLUMNS)
    (found,) = p_values(rare, 1.0, 5_000, 1)
    assert found.cramers_v is None
    assert "Cramer" not in str(found)
    (strong,) = p_values(np.outer(ROWS, COLUMNS), 4.0, 50_000, 1)
    assert "Cramer's V" in str(strong)


def test_large_tables_are_not_tested():
    record = sv.Record({"a": sv.Categories(40), "b": sv.Categories(40)})
    table = estimate_of(sv.mechanism("record", record, 1.0, design="pairs"), np.ones(1600, int))
    with pytest.raises(Unfit, match="at most 1024 cells; this one has 1600"):
        table.table("a", "b").independence()


# -- shares within a row or column ------------------------------------------------------------------------


def coverage(n, draws):
    """How often Fieller's intervals hold the share of p among z, and how many have no end."""
    mechanism = sv.mechanism("record", PAIR, 1.0, design="pairs", hash_ranges=[0])
    table = np.outer(ROWS, COLUMNS)
    rng = np.random.default_rng(5)
    held = without = 0
    for draw in range(draws):
        people = rng.multinomial(n, table.ravel())
        estimate = estimate_of_unbiased(mechanism, people, draw).for_population()
        row = next(iter(estimate.table("a", "b").given(a="z")))
        if row["note"]:
            assert (row["share"], row["note"]) == (None, NOT_ENOUGH)
            without += 1
        held += bool(row["note"]) or row["low"] <= COLUMNS[0] <= row["high"]
    return held / draws, without / draws


def test_intervals_within_a_row_hold_the_share():
    """300 draws at 95%: below 0.88 has a chance of 5e-7."""
    held, without = coverage(3_000, 300)
    assert held > 0.88 and without > 0.4
    held, without = coverage(20_000, 300)
    assert held > 0.88 and without < 0.15


@pytest.mark.slow
def test_coverage_within_a_row_is_95_percent():
    held, without = coverage(20_000, 4_000)
    assert 0.93 < held < 0.975
    assert without < 0.1


def test_intervals_of_shares_hold_them():
    """200 surveys, 12 cells each: 95% of 2,400 intervals."""
    mechanism = sv.mechanism("record", PAIR, 1.0, design="mixed")
    people = counts(np.outer(ROWS, COLUMNS), 20_000)
    true, held = people / people.sum(), 0
    for seed in range(200):
        frame = estimate_of_unbiased(mechanism, people, seed).table("a", "b").frame()
        held += np.sum((np.array(frame["low"]) <= true) & (true <= np.array(frame["high"])))
    assert 0.92 < held / 2400 < 0.99


def test_percentages_are_all_conditions(mixed):
    table = mixed.table("a", "b")
    frame = table.percentages("a")
    one = table.given(a=1)
    rows = [row for row in frame if row["a"] == 1]
    assert [row["share"] for row in rows] == one["share"]
    assert one["b"] == [0, 1, 2]
    assert table.given({"a": 1}).columns == one.columns
    assert sum(one["share"]) == pytest.approx(1, abs=0.05)
    assert sum(table.given(b=2)["share"]) == pytest.approx(1, abs=0.05)


# -- what they are, and refusals ----------------------------------------------------------------------------


def test_tables_are_frames(mixed):
    table = pickled(mixed.table("a", "c"))
    assert list(table.frame().columns) == ["a", "c", "share", "stderr", "low", "high"]
    assert len(table.frame()) == 8
    assert "table of a and c" in repr(table)
    assert table.n < mixed.n


def test_what_cannot_be_asked_is_refused(mixed):
    table = mixed.table("a", "b")
    with pytest.raises(InvalidInput, match="one of a, b, c; got 'd'"):
        mixed.part("d")
    with pytest.raises(InvalidInput, match="questions of table must be two different ones"):
        mixed.table("a", "a")
    with pytest.raises(InvalidInput, match="condition of given must be one answer to a or b"):
        table.given(c=1)
    with pytest.raises(InvalidInput, match="condition of given must be one answer to a or b"):
        table.given()
    with pytest.raises(InvalidInput, match="of of percentages must be one of a, b; got 'c'"):
        table.percentages("c")
    with pytest.raises(InvalidInput, match="weights of linear of a table"):
        table.linear(np.ones((3, 2)))
    with pytest.raises(NotIdentified, match="what can be asked of it: part, table"):
        mixed.share({"a": 1, "b": 1, "c": 1})
    single = estimate_of(
        sv.mechanism("record", THREE, 1.0, design="sample"), np.full(THREE.size, 10)
    )
    with pytest.raises(Unfit, match="no report is about both 'a' and 'b'"):
        single.table("a", "b")
    grr = sv.mechanism("grr", sv.Categories(2), 1.0)
    for ask in (lambda e: e.part("a"), lambda e: e.table("a", "b")):
        with pytest.raises(Unfit, match=r"needs answers to several questions \(a Record\)"):
            ask(estimate_of(grr, [10, 10]))


def test_a_question_without_reports_is_not_identified():
    mechanism = sv.mechanism("record", THREE, 1.0, design="sample")
    reports = mechanism.randomize([{"a": 0, "b": 0, "c": 0}], source=sv.Seeded(1))
    estimate = sv.estimate(mechanism.tally(reports))
    failed = 0
    for name in THREE.names:
        try:
            estimate.part(name)
        except NotIdentified as error:
            assert str(error) == "no report is about this question"
            failed += 1
    assert failed == 2


# -- groups, totals and what they look like ------------------------------------------------------------------


AGES = sv.Record({"age": sv.Interval(0, 60, bins=6), "os": sv.Categories(["mac", "linux", "win"])})
LEAN = np.array([[8, 2, 0.5], [10, 4, 0.5], [9, 8, 0.5], [6, 10, 0.5], [3, 10, 0.5], [1, 6, 0.5]])
LEAN /= LEAN.sum()


@pytest.fixture(scope="module")
def ages():
    mechanism = sv.mechanism("record", AGES, 3.0, design="pairs")
    return estimate_of_unbiased(mechanism, counts(LEAN, 60_000), 3).table("age", "os")


def test_covariances_are_those_of_single_answers(ages):
    """Written out, and one sum at a time: the same errors, about both."""
    random = np.random.default_rng(4)
    for table in (ages, replace(ages, about="population")):
        weights = [random.normal(size=(6, 3)) for _ in range(3)]
        values, covariance = table.sums(weights)
        own = [table.linear(one) for one in weights]
        np.testing.assert_allclose(values, [answer.value for answer in own])
        plain = replace(table)
        vars(plain)["_covariance"] = None
        np.testing.assert_allclose(plain.sums(weights)[1], covariance, rtol=1e-8, atol=1e-15)
        np.testing.assert_allclose(
            np.sqrt(np.diag(covariance)), [answer.stderr for answer in own], rtol=1e-9
        )


def test_the_difference_of_two_groups_by_brute_force():
    """Its ends are those of all differences that some pair of shares explains, on a fine grid."""
    random = np.random.default_rng(1)
    for _ in range(5):
        v, t = random.uniform(0.2, 0.4, 2), random.uniform(0.3, 0.7, 2)
        root = random.normal(size=(4, 4)) * 0.01
        covariance = root @ root.T + 1e-5 * np.eye(4)
        sums = np.array([v[0] * t[0], v[0], v[1] * t[1], v[1]])
        found = difference_of_ratios(sums, covariance, 1.96, (0.0, 1.0))
        grid = np.linspace(0, 1, 801)
        s, u = np.meshgrid(grid, grid, indexing="ij")
        h = np.stack([sums[0] - s * sums[1], sums[2] - u * sums[3]], axis=-1)
        rows = np.zeros((*s.shape, 2, 4))
        rows[..., 0, 0] = rows[..., 1, 2] = 1
        rows[..., 0, 1], rows[..., 1, 3] = -s, -u
        noise = rows @ covariance @ np.swapaxes(rows, -1, -2)
        squares = np.einsum("...i,...i", h, np.linalg.solve(noise, h[..., None])[..., 0])
        inside = (u - s)[squares <= 1.96**2]
        assert found.low == pytest.approx(inside.min(), abs=0.003)
        assert found.high == pytest.approx(inside.max(), abs=0.003)
        least = squares[np.arange(801), np.arange(801)].min()
        assert found.p_value == pytest.approx(math.erfc(math.sqrt(least / 2)), abs=0.02)


def test_differences_hold_the_truth_where_nobody_gives_an_answer():
    """2,000 draws of the normal law, first share 0: 95% errs by 0.5%."""
    random, held = np.random.default_rng(2), 0
    root = np.diag([0.01, 0.015, 0.01, 0.015]) @ np.linalg.cholesky(0.8 * np.eye(4) + 0.2)
    true = np.array([0.0, 0.2, 0.06, 0.15])
    for _ in range(2_000):
        drawn = true + root @ random.normal(size=4)
        found = difference_of_ratios(drawn, root @ root.T, 1.96, (0.0, 1.0))
        held += found.low <= 0.4 <= found.high
    assert 0.93 < held / 2_000 < 0.975


def test_groups_differ_as_they_do(ages):
    change = ages.difference(os=("mac", "linux"))
    within = LEAN / LEAN.sum(axis=0)
    for row, true in zip(change, within[:, 1] - within[:, 0], strict=True):
        assert row["difference"] == pytest.approx(row["second"] - row["first"])
        assert abs(row["difference"] - true) < 1.2 * (row["high"] - row["low"])
        assert row["adjusted"] >= row["p_value"]
    assert min(change["adjusted"]) < 1e-6
    mean = ages.mean_difference(os=("mac", "linux"))
    true = float((within[:, 1] - within[:, 0]) @ AGES.domains[0].midpoints)
    assert mean.low < true < mean.high and mean.p_value < 1e-6
    own = ages.mean(os="linux").value - ages.mean(os="mac").value
    assert mean.value == pytest.approx(own)


def test_a_group_is_several_answers_or_numbers_between_two(ages):
    young = ages.given(age=(0, 30))
    assert young["share"] == pytest.approx(
        (ages.shares[:3].sum(axis=0) / ages.shares[:3].sum()).tolist()
    )
    both = ages.given(os=["mac", "linux"])
    assert both["share"] == pytest.approx(
        (ages.shares[:, :2].sum(axis=1) / ages.shares[:, :2].sum()).tolist()
    )
    old = ages.difference(age=((0, 30), (30, 60)))
    assert old["difference"][0] < -0.2 and old["p_value"][0] < 1e-6


def test_totals_sorted_and_as_pandas(ages):
    pandas = pytest.importorskip("pandas")
    frame = ages.frame(totals=True)
    totals = {row["age"]: row["share"] for row in frame if row["os"] == "total"}
    assert len(totals) == 6
    assert list(totals.values()) == pytest.approx(ages.shares.sum(axis=1).tolist())
    largest = ages.frame(sort=True)["share"]
    assert largest == sorted(largest, reverse=True)
    rows = ages.percentages("os", totals=True, sort=True)
    shares = [row["share"] for row in rows if row["os"] == "total"]
    assert shares == pytest.approx(sorted(ages.shares.sum(axis=1).tolist(), reverse=True))
    wide = ages.to_pandas()
    assert isinstance(wide, pandas.DataFrame) and wide.shape == (7, 4)
    assert wide.loc["total", "total"] == pytest.approx(1)
    assert wide["mac"].iloc[0] == ages.shares[0, 0]
    assert (wide.index.name, wide.columns.name) == ("age", "os")
    assert ages.to_pandas("os")["mac"].tolist() == ages.given(os="mac")["share"]
    assert ages.to_pandas("age").iloc[0].tolist() == ages.given(age=5)["share"]


def test_a_table_is_shown_in_notebooks(ages):
    html = ages._repr_html_()
    assert html.count("<tr>") == 8 and "<small>" in html and ">total<" in html
    assert f"{100 * ages.shares[0, 0]:.1f}%" in html
    evil = sv.Record({"<b>": sv.Categories(["<i>", "x"]), "b": sv.Categories(2)})
    shown = estimate_of(sv.mechanism("record", evil, 2.0, design="joint"), [9, 9, 9, 9])
    assert "<i>" not in shown.table("<b>", "b")._repr_html_()


def test_plots_have_the_numbers(ages):
    (heat, bar) = ages.plot().axes
    texts = [text.get_text() for text in heat.texts]
    assert len(texts) == 18 and f"{100 * ages.shares[0, 0]:.1f}%" in texts[0]
    assert bar.get_ylabel() == "share of respondents"
    within, _ = ages.plot(of="os").axes
    assert f"{100 * ages.given(os='mac')['share'][0]:.1f}%" in within.texts[0].get_text()
    (stacked,) = ages.plot("stacked", of="os").axes
    assert [tick.get_text() for tick in stacked.get_yticklabels()] == ["mac", "linux", "win"]
    ends = [patch.get_x() + patch.get_width() for patch in stacked.patches]
    assert max(ends) == pytest.approx(1)


def test_a_group_that_may_be_empty_has_no_numbers():
    rare = np.outer([0.6, 0.4, 0.0], COLUMNS)
    mechanism = sv.mechanism("record", PAIR, 1.0, design="pairs")
    table = estimate_of_unbiased(mechanism, counts(rare, 3_000), 2).table("a", "b")
    change = table.difference(a=("x", "z"))
    assert set(change["note"]) == {NOT_ENOUGH} and set(change["p_value"]) == {None}
    (axes, *_) = table.plot("stacked").axes
    assert NOT_ENOUGH in [text.get_text() for text in axes.texts]
    assert any("not\nenough" in text.get_text() for text in table.plot(of="a").axes[0].texts)


def test_groups_that_cannot_be_compared_are_refused(ages):
    with pytest.raises(InvalidInput, match="groups of difference must be two answers"):
        ages.difference(os="mac")
    with pytest.raises(InvalidInput, match="without an answer in common"):
        ages.difference(os=("mac", ["mac", "win"]))
    with pytest.raises(Unfit, match="mean needs numbers; 'os' is over"):
        ages.mean(age=10)
    with pytest.raises(InvalidInput, match="group of .* must be at least one answer"):
        ages.given(os=[])
    with pytest.raises(InvalidInput, match="kind of plot of a table"):
        ages.plot("pie")
    with pytest.raises(InvalidInput, match="of of plot of a table"):
        ages.plot(of="x")
    with pytest.raises(InvalidInput, match="confidence"):
        ages.independence(confidence=95)
    record = sv.Record({"a": sv.Categories(60), "b": sv.Categories(60)})
    large = estimate_of(sv.mechanism("record", record, 1.0, design="pairs"), np.ones(3600, int))
    with pytest.raises(Unfit, match="at most 2500 cells"):
        large.table("a", "b").plot()


def test_the_interval_of_cramers_v_holds_it():
    """60 surveys with V 0.155: 95% within, give or take 2.8%; most do not reach 0."""
    away = np.zeros((3, 4))
    away[:2, :2] = [[0.04, -0.04], [-0.04, 0.04]]
    table = np.outer(ROWS, COLUMNS) + away
    v = math.sqrt(float(np.sum(away**2 / np.outer(ROWS, COLUMNS))) / 2)
    found = p_values(table, 1.0, 100_000, 60, seed=11)
    assert sum(each.low <= v <= each.high for each in found) >= 50
    assert all(each.low <= each.cramers_v <= each.high for each in found)
    assert np.mean([each.low > 0 for each in found]) > 0.9
    none = p_values(np.outer(ROWS, COLUMNS), 1.0, 100_000, 60, seed=12)
    assert sum(each.low == 0 for each in none) >= 50
