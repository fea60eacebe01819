"""Weights to known margins, sampling weights, and models of several questions together."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.answers.records.joint import fit_pairs, positive_table
from sottovoce.base.errors import InvalidInput, Unfit

RECORD = sv.Record(
    {"age": sv.Interval(0, 60, bins=3), "area": sv.Categories(["a", "b"]), "yes": sv.YesNo()}
)
LAW = np.random.default_rng(5).dirichlet(np.full(12, 3.0)).reshape(3, 2, 2)
AGES, AREAS = np.array([0.35, 0.33, 0.32]), np.array([0.4, 0.6])


def estimate_of(design, n=20_000, seed=1, epsilon=2.0, law=LAW):
    mechanism = sv.mechanism("record", RECORD, epsilon, design=design)
    people = np.random.default_rng(seed + 10_000).multinomial(n, law.ravel())
    return sv.estimate(mechanism.simulate(people, source=sv.Seeded(seed)))


# -- known margins ------------------------------------------------------------------------------------


def test_with_one_question_it_is_poststratification():
    """The sum of known shares times the shares within; with its own shares it changes nothing."""
    estimate = estimate_of("mixed")
    table = estimate.table("age", "yes").shares
    found = estimate.poststratified(age=AGES).part("yes")
    np.testing.assert_allclose(found.shares, AGES @ (table / table.sum(axis=1, keepdims=True)))
    own = estimate.part("age", "unbiased").shares
    same = estimate.poststratified(age=own).part("yes")
    np.testing.assert_allclose(same.shares, estimate.part("yes", "unbiased").shares)
    assert (found.about, found.method) == ("population", "calibrated")
    assert found.why == "weighted to known shares of age"
    assert found.share("yes").low < found.shares[1] < found.share("yes").high
    weights = estimate.poststratified(age=AGES).weights()
    np.testing.assert_allclose(weights["weight"], AGES / own)
    grouped = estimate.poststratified(age={(0, 40): 0.68, (40, 60): 0.32}).part("yes")
    halves = np.array([table[:2].sum(axis=0) / table[:2].sum(), table[2] / table[2].sum()])
    np.testing.assert_allclose(grouped.shares, np.array([0.68, 0.32]) @ halves)


def test_with_two_questions_it_is_linear_calibration_of_the_people():
    """At epsilon 20 over whole records, against weights solved person by person."""
    mechanism = sv.mechanism("record", RECORD, 20.0, design="joint")
    people = np.rint(LAW * 100_000).astype(int)
    estimate = sv.estimate(mechanism.simulate(people.ravel(), source=sv.Seeded(1)))
    found = estimate.poststratified(age=AGES, area={"a": 0.4, "b": 0.6}).part("yes")
    cells = np.stack(np.unravel_index(np.arange(12), (3, 2, 2)), axis=1)
    x = np.concatenate([np.eye(3)[cells[:, 0]], np.eye(2)[cells[:, 1]]], axis=1)
    d = people.ravel() / people.sum()
    multipliers = np.linalg.lstsq(
        x.T @ (d[:, None] * x), np.concatenate([AGES, AREAS]), rcond=None
    )[0]
    weights = d * (x @ multipliers)
    assert weights.sum() == pytest.approx(1)
    np.testing.assert_allclose(found.shares[1], weights @ cells[:, 2], atol=1e-3)
    np.testing.assert_allclose(weights @ x, np.concatenate([AGES, AREAS]), atol=1e-9)


@pytest.mark.parametrize("known", [{"age": AGES}, {"age": AGES, "area": AREAS}])
def test_errors_are_those_of_repeated_surveys(known):
    """150 surveys: a ratio of standard deviations errs by 5.8%; 0.3 is 5 of those."""
    found = [estimate_of("mixed", seed=s).poststratified(**known).part("yes") for s in range(150)]
    spread = np.std([one.shares[1] for one in found])
    expected = np.sqrt(np.mean([one.stderr[1] ** 2 for one in found]))
    assert abs(spread / expected - 1) < 0.3


def test_known_shares_that_cannot_be_used_are_refused():
    estimate = estimate_of("pairs")
    for known, message in (
        ({"age": [0.5, 0.5]}, "shares of age of poststratified must be 3 shares"),
        ({"age": [0.5, 0.4, 0.3]}, "not negative, and 1 in all"),
        ({"area": {"a": 1.0}}, "with every answer in one group; got \"'b' is not\""),
        ({}, "shares of at least one question"),
        ({"aera": AREAS}, "Did you mean 'area'"),
    ):
        with pytest.raises(InvalidInput, match=message):
            estimate.poststratified(**known)
    with pytest.raises(Unfit, match="the shares of 'age' are known"):
        estimate.poststratified(age=AGES).part("age")
    empty = LAW.copy()
    empty[0] = 0
    nobody = estimate_of("pairs", law=empty / empty.sum())
    with pytest.raises(Unfit, match="not enough people: the share of age = "):
        nobody.poststratified(age=AGES)
    with pytest.raises(Unfit, match="need reports about both 'age' and 'yes'"):
        estimate_of("sample").poststratified(age=AGES).part("yes")


# -- sampling weights ----------------------------------------------------------------------------------


def test_weights_of_strata_combine_them():
    m = sv.mechanism("grr", sv.Categories(4), 1.5)
    random = np.random.default_rng(3)
    first = m.randomize(random.choice(4, 3_000, p=[0.4, 0.3, 0.2, 0.1]), source=sv.Seeded(31))
    second = m.randomize(random.choice(4, 1_000, p=[0.1, 0.1, 0.2, 0.6]), source=sv.Seeded(32))
    both = sv.Reports(
        m, {"value": np.concatenate([first.columns["value"], second.columns["value"]])}
    )
    found = sv.weighted(both, np.repeat([1.0, 5.0], [3_000, 1_000]))
    parts = [sv.estimate(m.tally(one), "unbiased") for one in (first, second)]
    np.testing.assert_allclose(found.shares, (3 * parts[0].shares + 5 * parts[1].shares) / 8)
    noise = np.hypot(3 * parts[0].stderr, 5 * parts[1].stderr) / 8
    np.testing.assert_allclose(found.stderr[:3] > 0, True)
    respondents = sv.weighted(both, np.repeat([1.0, 5.0], [3_000, 1_000]), about="respondents")
    np.testing.assert_allclose(respondents.stderr, noise, rtol=0.02)
    assert "design effect is 1.75" in found.why
    equal = sv.weighted(both, np.ones(4_000))
    plain = sv.estimate(m.tally(both), "unbiased")
    np.testing.assert_allclose(equal.shares, plain.shares)
    np.testing.assert_allclose(equal.stderr, plain.for_population().stderr, rtol=1e-6)


def test_weighted_intervals_hold_the_population():
    """200 surveys with a chance to be asked that depends on the answer."""
    m = sv.mechanism("olh", sv.Categories(5), 2.0)
    law, asked = np.array([0.4, 0.3, 0.15, 0.1, 0.05]), np.array([1.0, 0.5, 0.25, 1.0, 0.5])
    random, held = np.random.default_rng(9), []
    for seed in range(200):
        values = random.choice(5, 4_000, p=law)
        values = values[random.random(4_000) < asked[values]]
        found = sv.weighted(m.randomize(values, source=sv.Seeded(500 + seed)), 1 / asked[values])
        low, high = found.bounds()
        held += ((low <= law) & (law <= high)).tolist()
    assert 0.92 < np.mean(held) < 0.98


def test_bad_weights_are_refused():
    m = sv.mechanism("grr", sv.Categories(3), 1.0)
    reports = m.randomize([0, 1, 2])
    for weights in ([1, 2], [1, -1, 1], [0, 0, 0], [1, np.nan, 1]):
        with pytest.raises(InvalidInput, match="weights of weighted must be 3 finite numbers"):
            sv.weighted(reports, weights)
    with pytest.raises(InvalidInput, match="reports of weighted must be Reports"):
        sv.weighted(m.tally(reports), [1, 1, 1])
    bits = sv.mechanism("oue", sv.Categories(3), 1.0)
    with pytest.raises(Unfit, match="weighted needs reports of one cell"):
        sv.weighted(bits.randomize([0, 1]), [1, 1])


# -- models of three questions ---------------------------------------------------------------------------


def test_most_entropy_without_interactions_of_three_is_the_law_itself():
    random = np.random.default_rng(2)
    a, b, c = random.normal(size=(3, 4)), random.normal(size=(3, 2)), random.normal(size=(4, 2))
    law = np.exp(a[:, :, None] + b[:, None, :] + c[None, :, :])
    law /= law.sum()
    tables = {(0, 1): law.sum(axis=2), (0, 2): law.sum(axis=1), (1, 2): law.sum(axis=0)}
    found, gap, _ = fit_pairs((3, 4, 2), tables, 1000)
    np.testing.assert_allclose(found, law, atol=1e-8)
    assert gap < 1e-9


def test_a_chain_is_the_product_of_its_tables():
    """If the first and the last are independent given the middle: f_ab f_bc / f_b."""
    ab, c = np.random.default_rng(3).dirichlet(np.ones(6)).reshape(2, 3), np.array([0.2, 0.5, 0.9])
    law = ab[:, :, None] * np.stack([c, 1 - c], axis=1)[None]
    tables = {(0, 1): law.sum(axis=2), (0, 2): law.sum(axis=1), (1, 2): law.sum(axis=0)}
    np.testing.assert_allclose(fit_pairs((2, 3, 2), tables, 1000)[0], law, atol=1e-8)


def test_tables_without_a_joint_are_met_as_far_as_possible():
    """Three pairs that each always differ: no joint has that. Even shares are the fair answer."""
    differ = np.array([[0.0, 0.5], [0.5, 0.0]]) * 0.98 + 0.005
    found, gap, rounds = fit_pairs(
        (2, 2, 2), {(0, 1): differ, (0, 2): differ, (1, 2): differ}, 5000
    )
    assert gap > 0.1 and rounds < 5000
    assert found.sum() == pytest.approx(1, abs=1e-6)


def test_negative_shares_are_raised_and_margins_kept():
    table = np.array([[0.3, -0.02, 0.1], [0.2, 0.12, 0.3]])
    found = positive_table(table)
    assert found.min() > 0
    np.testing.assert_allclose(found.sum(axis=1), table.sum(axis=1), atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=0), table.sum(axis=0), atol=1e-9)


@pytest.mark.parametrize("design", ["pairs", "mixed", "joint"])
def test_a_joint_has_the_tables_of_the_reports(design):
    estimate = estimate_of(design, n=200_000)
    joint = estimate.joint("yes", "age", "area")
    assert joint.converged and "a model" in joint.why
    assert joint.shares.shape == (2, 3, 2) and joint.shares.sum() == pytest.approx(1)
    tolerance = joint.adjusted + joint.gap + 1e-9
    for first, second in (("yes", "age"), ("area", "age")):
        table = estimate.table(first, second).shares
        np.testing.assert_allclose(joint.margin(first, second), table, atol=tolerance)
    assert joint.share(yes="yes") == pytest.approx(joint.margin("yes")[1])
    assert joint.share({"yes": "yes"}, area="b") == pytest.approx(joint.margin("yes", "area")[1, 1])
    frame = joint.frame()
    assert list(frame.columns) == ["yes", "age", "area", "model"]
    assert frame["model"] == joint.shares.ravel().tolist()
    assert (
        repr(joint) == "<model of yes, age, area together: most entropy with their tables of two>"
    )


def test_joints_that_cannot_be_made_are_refused():
    estimate = estimate_of("pairs")
    with pytest.raises(InvalidInput, match="questions of joint must be at least three different"):
        estimate.joint("age", "area")
    with pytest.raises(InvalidInput, match="questions of joint must be at least three different"):
        estimate.joint("age", "area", "age")
    joint = estimate.joint("age", "area", "yes")
    with pytest.raises(InvalidInput, match="answers of share of a joint"):
        joint.share(city=1)
    with pytest.raises(InvalidInput, match="question of margin"):
        joint.margin("city")
    wide = sv.Record({name: sv.Categories(110) for name in "abc"})
    mechanism = sv.mechanism("record", wide, 2.0, design="pairs")
    reports = mechanism.randomize_positions(np.zeros((300, 3), np.int64), sv.Seeded(1))
    with pytest.raises(Unfit, match="at most 1048576 combinations"):
        sv.estimate(mechanism.tally(reports)).joint("a", "b", "c")
