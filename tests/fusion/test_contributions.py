"""What services contribute, what users have spent, and what asking once more would buy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.fusion.budget import asking_once_more, budget_of
from sottovoce.fusion.contributions import contributions, shape_contributions
from sottovoce.fusion.parts import Part, patterns, without

DOMAIN = sv.Interval(-1, 1, bins=32)
KINDS = {"sr": 0.5, "laplace": 1.0, "pm": 0.8, "sw": 2.0}
PEOPLE = 4_000
MECHANISMS = [sv.mechanism(name, DOMAIN, epsilon) for name, epsilon in KINDS.items()]


def everybody():
    values = 2 * np.random.default_rng(3).beta(2, 5, PEOPLE) - 1
    source = sv.Seeded(5)
    return [m.randomize(values, source=source) for m in MECHANISMS], values


def keyed():
    """Users 0 to 3,999; service j has no report of those with number j, j + 4, ... below a limit."""
    values = 2 * np.random.default_rng(3).beta(2, 5, PEOPLE) - 1
    source, who = sv.Seeded(6), np.arange(PEOPLE)
    keys = [who[(who % 4 != j) | (who >= 2_000)] for j in range(3)]
    reports = [
        m.randomize(values[k], source=source) for m, k in zip(MECHANISMS[:3], keys, strict=True)
    ]
    return sv.fuse(MECHANISMS[:3], reports, keys=keys, names=["a", "b", "c"]), reports, keys


# -- parts ---------------------------------------------------------------------------------------


def test_some_users_are_a_fusion_of_their_reports():
    reports, _ = everybody()
    whole = sv.fuse(MECHANISMS, reports)
    part = Part(whole, users=slice(1_000, 1_500))
    again = sv.fuse(MECHANISMS, [told[1_000:1_500] for told in reports])
    for method in ("population", "ua", "uwa"):
        assert part.mean(method).value == pytest.approx(again.mean(method).value, abs=1e-12)
        assert part.mean(method).stderr == pytest.approx(again.mean(method).stderr, abs=1e-12)
    found, expected = (f.distribution(inner="em", tolerance=0.5).shares for f in (part, again))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert (part.n, part.names) == (500, whole.names)


def test_some_users_of_some_services_by_key():
    whole, reports, keys = keyed()
    chosen = np.arange(PEOPLE) % 3 == 0
    part = Part(whole, services=[0, 2], users=chosen)
    some = [np.isin(keys[j], np.flatnonzero(chosen)) for j in (0, 2)]
    again = sv.fuse(
        [MECHANISMS[0], MECHANISMS[2]],
        [picked(reports[j], rows) for j, rows in zip((0, 2), some, strict=True)],
        keys=[keys[j][rows] for j, rows in zip((0, 2), some, strict=True)],
    )
    told_one = part.aligned.count(0) + part.aligned.count(1)
    assert told_one == again.aligned.count(0) + again.aligned.count(1)
    assert part.mean().value == pytest.approx(again.mean().value, abs=1e-12)


def picked(reports, rows):
    columns = {name: column[rows] for name, column in reports.columns.items()}
    return sv.Reports(reports.mechanism, columns)


def test_a_service_left_out_takes_its_own_users_with_it():
    whole, _, keys = keyed()
    left = without(whole, 0)
    assert left.names == ("b", "c")
    assert left.n == len(np.union1d(keys[1], keys[2])) == PEOPLE
    bank, shop = MECHANISMS[:2]
    both = sv.fuse(
        [bank, shop],
        [bank.randomize([0.1, 0.2]), shop.randomize([0.2, 0.3])],
        keys=[[1, 2], [2, 3]],
    )
    assert without(both, 0).n == 2
    alone = sv.fuse([bank], [bank.randomize([0.1, 0.2])])
    assert without(alone, 0) is None


def test_patterns_count_users_by_what_they_told():
    whole, _, keys = keyed()
    found = dict(patterns(whole.aligned))
    by_hand = {}
    sets = [set(k.tolist()) for k in keys]
    for user in range(PEOPLE):
        key = tuple(j for j in range(3) if user in sets[j])
        by_hand[key] = by_hand.get(key, 0) + 1
    assert found == by_hand
    assert next(iter(found)) == (0, 1, 2)
    reports, _ = everybody()
    assert patterns(sv.fuse(MECHANISMS, reports).aligned) == [((0, 1, 2, 3), PEOPLE)]


# -- contributions ---------------------------------------------------------------------------------


def test_errors_without_a_service_are_those_of_the_others():
    reports, _ = everybody()
    found = contributions(sv.fuse(MECHANISMS, reports, names=list(KINDS)))
    frame = found.frame()
    assert frame["service"] == list(KINDS)
    for j, said in enumerate(frame["without"]):
        rest = [k for k in range(4) if k != j]
        again = sv.fuse_mean([MECHANISMS[k] for k in rest], [reports[k] for k in rest])
        assert said == pytest.approx(again.stderr, rel=1e-9)
        assert said > found.fused.stderr
    assert math.isclose(sum(frame["weight"]), 1)
    most = int(np.argmax(frame["weight"]))
    assert frame["service"][most] == "sw"  # by far the largest budget
    assert frame["without"][most] == max(frame["without"])
    assert frame["alone"][most] == min(frame["alone"])
    assert "sw" in str(found)
    assert "4,000 users" in found.plot().get_suptitle()


def test_errors_add_up_as_precisions():
    """With population weights ``1/e^2 = sum 1/e_j^2``, and without j its part is missing."""
    reports, _ = everybody()
    frame = contributions(sv.fuse(MECHANISMS, reports)).frame()
    precisions = 1 / np.array(frame["alone"]) ** 2
    for j, said in enumerate(frame["without"]):
        assert 1 / said**2 == pytest.approx(precisions.sum() - precisions[j], rel=0.02)


def test_an_only_service_leaves_nothing():
    reports, _ = everybody()
    alone = sv.fuse(MECHANISMS[:1], reports[:1])
    frame = contributions(alone).frame()
    assert frame["without"] == ["nothing left"]
    assert frame["lost users"] == [PEOPLE]
    assert contributions(alone).plot() is not None
    with pytest.raises(Unfit, match="fuse two or more"):
        shape_contributions(alone)


def test_the_shape_moves_most_without_the_service_that_tells_most():
    reports, _ = everybody()
    chosen = [0, 2, 3]
    frame = shape_contributions(
        sv.fuse([MECHANISMS[j] for j in chosen], [reports[j] for j in chosen]), tolerance=0.1
    )
    assert frame["mechanism"][int(np.argmax(frame["moves it by"]))] == "square-wave"
    assert min(frame["moves it by"]) >= 0


# -- budgets -------------------------------------------------------------------------------------


def test_budgets_add_up_over_services():
    whole, _, keys = keyed()
    table = budget_of(whole)
    spent = np.zeros(PEOPLE)
    for mechanism, key in zip(MECHANISMS, keys, strict=False):
        spent[key] += mechanism.epsilon
    assert table.least == pytest.approx(spent.min())
    assert table.most == pytest.approx(spent.max()) == pytest.approx(2.3)
    assert table.mean == pytest.approx(spent.mean())
    users = table.users()
    assert sum(users["users"]) == PEOPLE
    assert users["told"][0] == "a, b, c"
    assert "fusing spends nothing more" in str(table)
    assert "delta" not in users.columns


def test_repeats_are_paid_for_one_by_one():
    bank = MECHANISMS[0]
    told = bank.randomize([0.1, 0.2, 0.3], source=sv.Seeded(1))
    both = sv.fuse([bank], [told], keys=[["ann", "ann", "ben"]], names=["bank"], repeats=[2])
    table = budget_of(both)
    assert (table.least, table.most) == (0.5, 1.0)


def test_deltas_add_up_too():
    noisy = sv.mechanism("gaussian", DOMAIN, 1.0, delta=1e-6)
    told = [noisy.randomize([0.1] * 3, source=sv.Seeded(k)) for k in range(2)]
    users = budget_of(sv.fuse([noisy, noisy], told)).users()
    assert users["delta"][0] == pytest.approx(2 * float(noisy.certificate().delta))
    assert users["epsilon"] == [2.0]


# -- asking once more ------------------------------------------------------------------------------


def test_predicted_errors_are_those_found_afterwards():
    reports, values = everybody()
    fusion = sv.fuse(MECHANISMS, reports)
    again = asking_once_more(fusion, 0.8, ["pm", "sr"])
    assert again.there == pytest.approx(fusion.mean().stderr, rel=1e-6)
    asked = sv.mechanism("pm", DOMAIN, 0.8)
    more = asked.randomize(values, source=sv.Seeded(9))
    alone = sv.fuse_mean([asked], [more])
    assert again.alone["piecewise"] == pytest.approx(alone.stderr, rel=0.02)
    both = sv.fuse_mean([*MECHANISMS, asked], [*reports, more])
    assert again.fused["piecewise"] == pytest.approx(both.stderr, rel=0.02)
    frame = again.frame()
    assert frame["spends"] == [0.0, 0.8, 0.8, 0.8, 0.8]
    assert frame["in all"][0] == pytest.approx(sum(KINDS.values()))
    assert frame["over fusing"][0] == 1.0


def test_errors_with_missing_services_are_predicted():
    whole, *_ = keyed()
    assert asking_once_more(whole, 0.5).there == pytest.approx(whole.mean().stderr, rel=1e-6)


def test_the_matching_question_tells_as_much():
    reports, values = everybody()
    again = asking_once_more(sv.fuse(MECHANISMS, reports), 0.1)
    errors = []
    for name in ("sr", "pm", "sw", "laplace"):
        asked = sv.mechanism(name, DOMAIN, again.matching)
        errors.append(sv.fuse_mean([asked], [asked.randomize(values, source=sv.Seeded(2))]).stderr)
    assert min(errors) == pytest.approx(again.there, rel=0.02)
    assert f"epsilon {again.matching:.3g}" in str(again)


def test_bad_questions():
    reports, _ = everybody()
    fusion = sv.fuse(MECHANISMS, reports)
    with pytest.raises(InvalidInput, match="epsilon"):
        asking_once_more(fusion, 0.0)
    with pytest.raises(Unfit, match="does not identify a mean"):
        asking_once_more(fusion, 1.0, ["oue"])
    oracle = sv.mechanism("grr", sv.Categories(4), 1.0)
    words = sv.fuse([oracle], [oracle.randomize([1, 2, 3], source=sv.Seeded(1))])
    with pytest.raises(Unfit, match="a mean needs numbers"):
        asking_once_more(words, 1.0)
