"""Do plans come true?

Surveys are repeated and their errors compared with what was predicted.  The root of
a mean square over R repeats of m independent errors has a relative standard
deviation of about ``1/sqrt(2 R m)``; every tolerance is at least 5.7 of them, measured
on the repeats themselves, so that a false alarm has a chance below 1e-6 over all cases.
"""

from __future__ import annotations

import math
import tracemalloc
from itertools import combinations, product

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.mechanisms import local_hashing
from sottovoce.mechanisms.randomized_response import response_limit
from sottovoce.planning import plan as planning
from sottovoce.planning.search import first

NAMES = ("grr", "oue", "sue", "olh", "blh", "olh-seeded", "flh", "ss", "hr")
SHAPES = {5: (100, 2300), 64: (320, 200), 300: (600, 60)}
"""Of each size the people, and how often they are asked."""


def zipf(size, exponent=1.3):
    weights = 1.0 / np.arange(1, size + 1) ** exponent
    return weights / weights.sum()


def rows(plan):
    """Prospects by paper name."""
    return {row.paper_name: row for row in plan.prospects}


def errors_of(name, epsilon, counts, repeats, seed=1, repeats_a_key=20):
    """Estimated minus true shares, a row a survey; fixed hashes are drawn anew all the time."""
    domain, source, found = sv.Categories(len(counts)), sv.Seeded(seed), []
    counts = np.asarray(counts)
    for i in range(repeats):
        if i == 0 or (name == "flh" and i % repeats_a_key == 0):
            mechanism = sv.mechanism(name, domain, epsilon + i * 1e-8)
            inverse, n = mechanism.channel().inverse, counts.sum()
        tally = mechanism.simulate(counts, source=source)
        found.append(inverse.forward(tally.cells / n) - counts / n)
    return np.array(found)


# -- plans come true -------------------------------------------------------------------


@pytest.mark.parametrize("size", [pytest.param(5, marks=pytest.mark.slow), 64, 300])
@pytest.mark.parametrize("epsilon", [0.5, pytest.param(2.0, marks=pytest.mark.slow)])
def test_predicted_errors_and_ranks_are_those_of_repeated_surveys(size, epsilon):
    people, repeats = SHAPES[size]
    counts = np.full(size, people // size)
    plan = sv.plan(sv.Categories(size), epsilon=epsilon, users=counts.sum())
    seen = {}
    for row in plan.prospects:
        squares = (errors_of(row.paper_name, epsilon, counts, repeats) ** 2).mean(axis=1)
        seen[row] = rms = math.sqrt(squares.mean())
        spread = squares.std() / math.sqrt(repeats) / squares.mean() / 2
        assert 5.7 * spread < 0.05, row.name
        assert abs(rms / row.rms_error - 1) < 0.05, row.name
        for wrong in (0.85, 1.15):  # and a wrong prediction would be noticed
            assert abs(rms / (wrong * row.rms_error) - 1) > 0.05
    apart = [
        (better, worse)
        for better, worse in combinations(plan.prospects, 2)
        if worse.rms_error > 1.1 * better.rms_error
    ]
    assert len(apart) >= 6
    assert all(seen[better] < seen[worse] for better, worse in apart)


@pytest.mark.parametrize(("name", "epsilon"), [*product(NAMES, (0.7, 2.5))])
def test_errors_of_one_share_and_of_a_half(name, epsilon):
    """Of the most frequent of 12 values, and of totals of a new random half each time."""
    counts, repeats, rng = np.round(200 * zipf(12)).astype(int), 2000, np.random.default_rng(3)
    said = rows(
        sv.plan(
            sv.Categories(12), epsilon=epsilon, users=counts.sum(), shares=counts / counts.sum()
        )
    )[name]
    found = errors_of(name, epsilon, counts, repeats)
    halves = np.array([rng.permutation(12) < 6 for _ in range(repeats)])
    totals = (found * halves).sum(axis=1)
    for squares, error in ((found[:, 0] ** 2, said.share_error), (totals**2, said.half_error)):
        assert 5.7 * squares.std() / math.sqrt(repeats) / squares.mean() / 2 < 0.1
        assert abs(math.sqrt(squares.mean()) / error - 1) < 0.1
        for wrong in (0.8, 1.25):
            assert abs(math.sqrt(squares.mean()) / (wrong * error) - 1) > 0.1


def test_the_floor_of_fixed_hashing():
    """With 100,000 people and few frequent values most of its error is the floor."""
    counts = np.round(100_000 * zipf(40, 1.6)).astype(int)
    found = errors_of("flh", 2.0, counts, 180, repeats_a_key=1)
    users, shares = counts.sum(), counts / counts.sum()
    said = rows(sv.plan(sv.Categories(40), epsilon=2.0, users=users, shares=shares))["flh"]
    squares = (found**2).mean(axis=1)
    assert 5.7 * squares.std() / math.sqrt(180) / squares.mean() / 2 < 0.15
    assert abs(math.sqrt(squares.mean()) / said.rms_error - 1) < 0.15
    assert said.rms_error > 1.5 * math.sqrt(
        said.mechanism.channel().variance(shares).mean() / users
    )


# -- formulas ----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 5, 40, 130])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_the_prediction_is_the_full_formula(size, epsilon):
    shares = zipf(size)
    plan = sv.plan(sv.Categories(size), epsilon=epsilon, users=777, shares=shares, of=size - 1)
    for name, row in rows(plan).items():
        exact = row.mechanism.variance(shares, 777)
        few = 0.05 if name == "flh" else 1e-9  # predicted before its hashes are drawn
        assert np.isclose(row.rms_error, math.sqrt(exact.mean()), rtol=few)
        assert np.isclose(row.share_error, math.sqrt(exact[-1]), rtol=2 * few)
        yardstick = planning.ShareYardstick(plan.domain, shares, 0)
        variance, floor = yardstick.parts(row.mechanism)
        assert np.isclose(variance / 777 + floor, row.rms_error**2, rtol=1e-9)


@pytest.mark.parametrize("size", [2, 5, 6])
def test_the_half_is_the_mean_over_all_halves(size):
    shares = zipf(size)
    for name, row in rows(
        sv.plan(sv.Categories(size), epsilon=1.0, users=1, shares=shares)
    ).items():
        if name == "flh":
            continue
        channel, found = row.mechanism.channel(), []
        for half in combinations(range(size), size // 2):
            mask = np.isin(np.arange(size), half).astype(float)
            found.append(channel.variance_of(mask, channel.forward(shares), shares))
        assert np.isclose(row.half_error, math.sqrt(np.mean(found)), rtol=1e-9), name


def test_the_mean_over_fixed_hashes_not_yet_drawn():
    shares = zipf(12)
    channels = [
        sv.mechanism("flh", sv.Categories(12), 1 + i * 1e-9, hash_count=6).channel()
        for i in range(2500)
    ]
    drawn = np.array([channel.variance(shares) for channel in channels])
    sigma = drawn.std(axis=0) / 50
    expected = channels[0].expected_variance(shares)
    assert np.abs((drawn.mean(axis=0) - expected) / sigma).max() < 6
    ones = np.ones(12)
    totals = np.array([c.variance_of(ones, c.forward(shares), shares) for c in channels])
    assert abs(totals.mean() - channels[0].expected_variance_of_all(shares)) < totals.std() / 50 * 6


@pytest.mark.parametrize(("size", "g"), [(5, 3), (40, 3), (40, 7), (9, 3)])
def test_the_mean_over_places_not_looked_at(size, g, monkeypatch):
    shares, totals = zipf(size), []
    for i in range(600):
        mechanism = sv.mechanism("olh", sv.Categories(size), 1 + i * 1e-10, hash_range=g)
        totals.append(mechanism.channel().expected_variance_of_all(shares))
    monkeypatch.setattr(local_hashing, "_FEW_POINTS", 0)
    expected = mechanism.channel().expected_variance_of_all(shares)
    assert abs(np.mean(totals) - expected) < 6 * np.std(totals) / math.sqrt(600) + 1e-6


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.0, 3.0, 4.0])
def test_where_randomized_response_beats_unary_encoding(epsilon):
    """Up to 9, 20 and 51 values at epsilon 1, 2, 3; the same in the ranking, for any shares."""
    limit = response_limit(epsilon)
    assert {1.0: 9, 2.0: 20, 3.0: 51}.get(epsilon, int(limit)) == int(limit)
    for size in (2, int(limit) - 1, int(limit), int(limit) + 1, 3 * int(limit)):
        for shares in (None, zipf(size)):
            plan = sv.plan(sv.Categories(size), epsilon=epsilon, users=1000, shares=shares)
            order = list(rows(plan))
            assert (order.index("grr") < order.index("oue")) == (size < limit)


def test_rms_errors_of_pure_oracles_do_not_depend_on_the_shares():
    domain = sv.Categories(50)
    flat = rows(sv.plan(domain, epsilon=1.0, users=1000))
    steep = rows(sv.plan(domain, epsilon=1.0, users=1000, shares=zipf(50, 3.0)))
    for name in set(NAMES) - {"flh"}:
        assert np.isclose(flat[name].rms_error, steep[name].rms_error, rtol=1e-9)
        assert flat[name].share_error != steep[name].share_error or name == "sue"
    assert steep["flh"].rms_error > 1.05 * flat["flh"].rms_error


# -- the other ways round ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "epsilon", "error"), [(2, 1.0, 0.01), (30, 0.4, 0.05), (200, 4, 1e-3), (8, 20.0, 0.4)]
)
def test_the_fewest_users(size, epsilon, error):
    plan = sv.plan(sv.Categories(size), epsilon=epsilon, error=error)
    shares = np.full(size, 1 / size)
    needed = {row.paper_name: row.needed for row in plan.prospects}
    assert plan.users == min(n for n in needed.values() if n is not None)
    assert plan.prospects[0].rms_error <= error * (1 + 1e-12)
    for name, n in needed.items():
        mechanism = sv.mechanism(name, sv.Categories(size), epsilon)
        if name == "flh":
            assert n is None or n >= plan.users
            continue
        assert isinstance(n, int)
        assert mechanism.variance(shares, n).mean() <= error**2 * (1 + 1e-12)
        assert n == 1 or mechanism.variance(shares, n - 1).mean() > error**2
    assert sv.plan(sv.Categories(size), epsilon=epsilon, users=plan.users).best == plan.best


def test_a_floor_makes_it_impossible_for_fixed_hashing_only():
    shares = zipf(30)
    plan = sv.plan(sv.Categories(30), epsilon=1.0, error=1e-4, shares=shares)
    assert [row.paper_name for row in plan.prospects if row.needed is None] == ["flh"]
    assert plan.prospects[-1].paper_name == "flh"
    assert "never" in str(plan)
    assert plan.frame()["users needed"][-1] is None
    plan = sv.plan(sv.Categories(30), users=10**9, error=1e-4, shares=shares)
    assert rows(plan)["flh"].needed is None or rows(plan)["flh"].needed > 5


@pytest.mark.parametrize(
    ("size", "users", "error"), [(2, 1000, 0.02), (64, 10**5, 0.01), (5, 50, 0.2)]
)
def test_the_smallest_epsilon(size, users, error):
    domain = sv.Categories(size)
    plan = sv.plan(domain, users=users, error=error)
    assert plan.prospects[0].rms_error <= error * (1 + 1e-12)
    assert plan.epsilon == min(row.needed for row in plan.prospects if row.needed is not None)
    less = sv.plan(domain, epsilon=plan.epsilon - 1e-6, users=users)
    assert less.prospects[0].rms_error > error
    for row in plan.prospects:
        if row.needed is not None:
            at = rows(sv.plan(domain, epsilon=row.needed, users=users))
            below = rows(sv.plan(domain, epsilon=row.needed - 1e-6, users=users))
            if row.paper_name in at and row.paper_name in below:
                assert at[row.paper_name].rms_error <= error * (1 + 1e-12)
                assert below[row.paper_name].rms_error > error


def test_the_first_crossing_is_found_where_errors_rise_again():
    """Reached from 3,000,000 to 3,200,000 and from 3,400,000 on."""
    assert first(lambda k: 3_000_000 <= k < 3_200_000 or k >= 3_400_000, 20_000_000) == 3_000_000
    assert first(lambda k: True, 20_000_000) == 1
    assert first(lambda k: k == 20_000_000, 20_000_000) == 20_000_000
    assert first(lambda k: False, 20_000_000) is None


def test_the_ends_of_epsilon():
    assert sv.plan(sv.Categories(2), users=2**62, error=0.9).epsilon == 1e-6
    with pytest.raises(InvalidInput, match=r"error of plan must be larger: 10 users .* epsilon 20"):
        sv.plan(sv.Categories(3000), users=10, error=1e-6)
    with pytest.raises(
        InvalidInput, match=r"error of plan must be larger: .* more than 2\^62 users"
    ):
        sv.plan(sv.Categories(30), epsilon=1e-6, error=1e-6)


# -- what a plan shows ---------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 9, 70, 300])
def test_costs_are_those_of_real_reports(size):
    for row in sv.plan(sv.Categories(size), epsilon=1.0, users=10).prospects:
        mechanism = row.mechanism
        reports = mechanism.randomize([0] * 6, source=sv.Seeded(1))
        tally = mechanism.tally(reports)
        assert row.report_bytes == reports.nbytes / 6
        line = next(
            line
            for line in sv.plan(sv.Categories(size), epsilon=1.0, users=10).frame()
            if line["paper name"] == row.paper_name
        )
        assert (line["tally cells"], line["tally bytes"]) == (len(tally.cells), tally.cells.nbytes)
        assert line["words"] == mechanism.words_per_report


def test_what_counting_costs():
    counting = {row.paper_name: row.counting for row in sv.plan(sv.Categories(20), epsilon=1.0, users=10).prospects}  # fmt: skip
    assert set(counting) == set(NAMES)
    assert {name for name, cost in counting.items() if cost == "n x d bits"} == {"oue", "sue", "ss"}
    assert {name for name, cost in counting.items() if cost == "n x d hashes"} == {"olh-seeded"}


def test_every_oracle_is_there_once_and_tables_are_not():
    plan = sv.plan(sv.Categories(2), epsilon=1.0, users=10)
    made = [row.mechanism for row in plan.prospects]
    assert len(set(made)) == len(made)
    assert "table" not in {mechanism.name for mechanism in made}
    assert plan.best == made[0] == sv.mechanism("grr", sv.Categories(2), 1.0)
    assert len(plan.frame()) == len(made)


def test_the_best_is_ready_to_use():
    domain = sv.Categories(["tea", "coffee", "water"])
    best = sv.plan(domain, epsilon=2.0, users=1000).best
    e = sv.estimate(best.tally(best.randomize(["tea"] * 900 + ["water"] * 100)), "unbiased")
    assert e.share("tea").value > 0.6


def test_a_domain_too_large_for_one_oracle_leaves_it_out():
    plan = sv.plan(sv.Categories(200_000), epsilon=1.0, users=10)
    assert list(plan.unfit) == ["flh"]
    assert "left out: flh: hash_count of fixed-hashing must be" in str(plan)


def test_bins_and_pairs_are_planned_like_categories():
    for domain in (sv.Interval(0, 120, bins=24), sv.KeyValues(["film", "book"], 0, 5, bins=12)):
        plan, plain = (
            sv.plan(d, epsilon=1.0, users=5000, shares=zipf(24), goal="shares")
            for d in (domain, sv.Categories(24))
        )
        for name, said in rows(plain).items():
            row = rows(plan)[name]
            assert (row.rms_error, row.share_error) == (said.rms_error, said.share_error)
            if name != "olh":  # its values are placed by its fingerprint
                assert row.half_error == said.half_error
        assert plan.best.domain == domain
        epsilon = sv.plan(domain, users=5000, error=0.02, goal="shares").epsilon
        assert epsilon == sv.plan(sv.Categories(24), users=5000, error=0.02).epsilon
    told = sv.plan(sv.Interval(0, 120, bins=24), epsilon=1.0, users=10, of=17)
    assert "of the value (15.0, 20.0), if its share is 0.04167" in str(told)
    assert "of the value ('film', (0.0, 2.5))" in str(
        sv.plan(sv.KeyValues(["film"], 0, 5, bins=2), epsilon=1.0, users=10, of=("film", 1))
    )


def test_a_single_value_is_certain():
    domain = sv.Categories(["all"])
    plan = sv.plan(domain, epsilon=1.0, users=1)
    assert all(row.rms_error == row.share_error == row.half_error == 0 for row in plan.prospects)
    assert plan.best.name == "randomized-response"  # the cheapest
    assert "a single value: its share is 1" in plan.explain()
    assert sv.plan(domain, epsilon=1.0, error=0.1).users == 1
    assert sv.plan(domain, users=1, error=0.1).epsilon == 1e-6
    e = sv.estimate(plan.best.tally(plan.best.randomize(["all"])))
    assert (e.share("all").value, e.share("all").stderr) == (1.0, 0.0)


def test_explained():
    small = sv.plan(sv.Categories(4), epsilon=1.0, users=1000)
    survey = sv.Survey("name", "question?", small.best)
    assert small.explain().startswith(survey.privacy() + "\n")
    assert "randomized-response (grr) errs least: 0.0435 for a typical share." in small.explain()
    assert "(unary-encoding) below 9.1 values at this epsilon; here there are 4." in small.explain()
    large = sv.plan(sv.Categories(1024), epsilon=1.0, users=1000).explain()
    assert "subset-selection (ss) errs least" in large
    assert "local-hashing (olh) errs 1.2% more, in 3 bytes per report instead of 128." in large
    assert "fixed-hashing" not in large  # its floor depends on shares that nobody knows yet


def test_another_best_has_no_reason_given():
    plan = sv.plan(sv.Categories(20), epsilon=1.0, users=1000)
    oue = [row for row in plan.prospects if row.paper_name == "oue"]
    only = sv.Plan(plan.domain, 1.0, 1000, None, "error", plan.told, tuple(oue))
    assert only.explain().splitlines()[2:] == [
        f"unary-encoding (oue) errs least: {oue[0].rms_error:.3g} for a typical share.",
        "Clients with default limits answer 5 windows, then stop: epsilon 5 is spent (name_epsilon 5).",
    ]


def test_a_plan_says_what_default_clients_do():
    shown = {
        epsilon: sv.plan(sv.Categories(4), epsilon=epsilon, users=1000) for epsilon in (0.5, 3)
    }
    assert shown[0.5].clients.startswith("Clients with default limits answer 10 windows, then stop")
    assert shown[3].clients == (
        "Clients with default limits refuse it: it asks for epsilon 3 per report, above maximum_epsilon 2."
    )
    assert all(
        plan.clients in str(plan) and plan.clients in plan.explain() for plan in shown.values()
    )


def test_headings():
    domain = sv.Categories(4)
    assert str(sv.plan(domain, epsilon=1.0, users=1000)).startswith(
        "Categories(4): with 1,000 users at epsilon 1 the least rms error is 0.04346, by randomized-response (grr)\n"
    )
    assert str(sv.plan(domain, epsilon=1.0, error=0.01)).startswith(
        "Categories(4): an rms error of 0.01 with epsilon 1 takes 18,891 users, by randomized-response (grr)\n"
    )
    assert " with 1,000 users takes epsilon 2." in str(sv.plan(domain, users=1000, error=0.015))


# -- large domains -------------------------------------------------------------------------


def test_a_million_values_take_no_reports():
    tracemalloc.start()
    plan = sv.plan(sv.Categories(1_000_000), epsilon=1.0, users=1000)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 300 * 2**20
    assert "oue" not in rows(plan)  # a report would have 125,000 bytes
    assert rows(plan)["olh"].half_error < rows(plan)["olh-seeded"].half_error


# -- what is refused ------------------------------------------------------------------------

DOMAIN = sv.Categories(["a", "b", "c"])


@pytest.mark.parametrize("given", [{}, {"users": 1}, {"error": 0.1}, {"epsilon": 1.0}, {"epsilon": 1.0, "users": 9, "error": 0.1}])  # fmt: skip
def test_exactly_two_of_three(given):
    with pytest.raises(
        InvalidInput, match="exactly two of epsilon, users and error; got"
    ) as caught:
        sv.plan(DOMAIN, **given)
    assert str(caught.value).endswith("The third is what plan finds.")
    assert all(name in str(caught.value).partition("got")[2] for name in given)


@pytest.mark.parametrize(
    ("parameter", "given"),
    [
        *(("users", {"epsilon": 1.0, "users": bad}) for bad in (0, -5, 1.5, True, "many", 2**62 + 1)),
        *(("error", {"epsilon": 1.0, "error": bad}) for bad in (0, -0.1, 1, 1.0, 7, math.nan, "small", True)),
        *(("epsilon", {"users": 10, "epsilon": bad}) for bad in (0, -1, 1e-7, 20.01, math.inf, "1")),
        *(("epsilon", {"error": 0.1, "epsilon": bad}) for bad in (0, 21)),
        *(
            ("shares", {"epsilon": 1.0, "users": 10, "shares": bad})
            for bad in (
                [0.5, 0.5], [[0.2, 0.3, 0.5]], 1.0, [0.5, 0.6, -0.1], [0.3, 0.3, 0.3], [0.5, 0.25, 0.250002],
                [math.nan, 0.5, 0.5], [math.inf, 0, 0], ["a", "b", "c"], [[1], [2, 3], []],
            )
        ),
        ("value", {"epsilon": 1.0, "users": 10, "of": "d"}),
    ],
)  # fmt: skip
def test_bad_input(parameter, given):
    with pytest.raises(InvalidInput) as caught:
        sv.plan(DOMAIN, **given)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize("domain", [12, ["a", "b"], None, sv.Categories(2**22 + 1)])
def test_bad_domains(domain):
    with pytest.raises(
        InvalidInput, match="domain of plan must be a domain of at most 4,194,304 values"
    ):
        sv.plan(domain, epsilon=1.0, users=10)


def test_shares_are_brought_to_one():
    plain = sv.plan(DOMAIN, epsilon=1.0, users=10, shares=[0.5, 0.25, 0.25])
    near = sv.plan(DOMAIN, epsilon=1.0, users=10, shares=[0.5, 0.25, 0.2500009])
    assert np.isclose(plain.prospects[0].share_error, near.prospects[0].share_error, rtol=1e-6)
