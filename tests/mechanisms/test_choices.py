"""Sets of options: certificates of whole sets, exact variances, and what the reports tell."""

from __future__ import annotations

import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.exact import exp_bounds
from sottovoce.domains.choices import NONE
from sottovoce.mechanisms._choices import usual_mechanism
from sottovoce.mechanisms.choice_subsets import best_report_size
from sottovoce.mechanisms.randomized_response import respond_all
from sottovoce.surveys.toml import survey_from_toml, survey_to_toml
from sottovoce.surveys.wording import survey_in_words

NAMES = ("choice-response", "drawn-option", "choice-subsets")
PETS = sv.Choices(["cat", "dog", "fish"], most=2)


def boxes(d, most):
    return sv.Choices([f"o{option}" for option in range(d)], most)


def made(name, d, most, epsilon=1.0, **options):
    return sv.mechanism(name, boxes(d, most), epsilon, **options)


# -- the domain ------------------------------------------------------------------------------


@pytest.mark.parametrize(("d", "most"), [(1, 1), (3, 2), (5, 3), (4, 4), (6, 1)])
def test_sets_are_numbered_by_size_and_then_in_order(d, most):
    domain = boxes(d, most)
    sets = [held for size in range(most + 1) for held in itertools.combinations(range(d), size)]
    named = [tuple(f"o{option}" for option in held) for held in sets]
    assert domain.size == len(sets) and domain.labels() == named
    assert [domain.index(value) for value in named] == list(range(len(sets)))
    table = np.array([[option in held for option in range(d)] for held in sets])
    assert domain.indices(table).tolist() == list(range(len(sets)))
    items = [[*held, *range(d + len(held), d + most)] for held in sets]
    assert domain.items(np.arange(len(sets))).tolist() == items


def test_large_numbers_of_sets_have_exact_indices():
    domain, rng = boxes(200, 5), np.random.default_rng(1)
    assert domain.size == sum(math.comb(200, size) for size in range(6)) > 2**31
    for index in rng.integers(0, domain.size, 100).tolist():
        assert domain.index(domain.label(index)) == index


def test_values_are_lists_sets_tuples_and_tables():
    expected = [PETS.index(["dog", "cat"]), PETS.index([]), PETS.index({"fish"})]
    assert PETS.indices([("cat", "dog"), [], frozenset({"fish"})]).tolist() == expected
    ticks = np.array([[True, True, False], [False, False, False], [False, False, True]])
    assert PETS.indices(ticks).tolist() == expected
    frame = sv.Frame({"fish": ticks[:, 2], "cat": ticks[:, 0], "dog": ticks[:, 1]})
    assert PETS.indices(frame).tolist() == expected
    assert PETS.index(ticks[0]) == expected[0] and PETS.is_one(ticks[0]) and not PETS.is_one(ticks)
    read = PETS.reader()
    assert (read("cat; dog"), read(NONE), read("fish")) == (["cat", "dog"], [], ["fish"])
    assert len(PETS.indices([[]])) == 1 and PETS.is_one([]) and not PETS.is_one([[]])


def test_pandas_columns_of_truth_values():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"cat": [True, False], "dog": [True, False], "fish": [False, False]})
    assert PETS.indices(frame).tolist() == [PETS.index(["cat", "dog"]), 0]


def test_the_number_of_boxes_is_three_unless_given():
    assert [sv.Choices(["a", "b", "c", "d"]).most, sv.Choices(["a"]).most] == [3, 1]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (["cat", "cat"], "distinct options; got 'cat'"),
        (["cat", "dog", "fish"], 'at most 2 of the options; got "3:'),
        (["bird"], "options among cat, dog, fish; got 'bird'"),
        (["dgo"], "Did you mean 'dog'"),
        ("cat", 'One option is a list too, as \\["a"\\]; an empty list is "none of these"'),
        (None, "a list, tuple or set of options"),
        (3, "a list, tuple or set of options"),
    ],
)
def test_what_is_no_set_of_options_is_refused(value, said, tmp_path):
    m = sv.mechanism("choice-response", PETS, 1.0)
    with pytest.raises(InvalidInput, match=said):
        m.randomize(value)
    client = sv.Client(sv.Survey("pets", "Which?", m), folder=tmp_path)
    with pytest.raises(InvalidInput, match=said):
        client.report(value)
    assert client.spent == 0 and client.ledger.receipts() == []


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([], "at least one value"),
        (5, "a list of lists or sets"),
        (np.zeros((2, 4), dtype=bool), "rows of 3 truth values"),
        (np.ones((2, 3), dtype=bool), "at most 2 of the options; got '3 in row 1'"),
        (sv.Frame({"cat": [True], "dog": [True]}), "exactly the options cat, dog, fish"),
        (sv.Frame({"cat": [1], "dog": [0], "fish": [0]}), "truth values without gaps"),
    ],
)
def test_batches_that_are_no_sets_are_refused(values, said):
    with pytest.raises(InvalidInput, match=said):
        PETS.indices(values)


@pytest.mark.parametrize(
    ("options", "most", "said"),
    [
        (["a", "a"], None, "distinct names"),
        ([], None, "at least one name"),
        (4, None, "a list of distinct options"),
        (["a", NONE], None, "other than 'none of these'"),
        (["a;b"], None, "without ';'"),
        (["a", "b"], 3, "from 1 to 2"),
        (["a", "b"], 0, "from 1 to 2"),
        ([f"o{i}" for i in range(100)], 50, "at most 2\\^62 sets of 100 options"),
    ],
)
def test_options_are_distinct_and_boxes_as_many_at_most(options, most, said):
    with pytest.raises(InvalidInput, match=said):
        sv.Choices(options, most)


def test_toml_names_its_options_in_a_list():
    with pytest.raises(InvalidInput, match="a list of distinct options"):
        sv.Choices.from_toml({"values": "a"})


# -- certificates ------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 4.0, 10.0])
@pytest.mark.parametrize("name", NAMES)
def test_certificates_are_the_worst_ratio_of_any_two_sets_and_tight(name, epsilon):
    """Brute force over all pairs of sets and all cells; of reports of several items over all reports."""
    for d, most in ((3, 1), (4, 2), (3, 3)):
        m = made(name, d, most, epsilon)
        certificate, low = m.certificate(), exp_bounds(epsilon)[0]
        assert 0 <= low / certificate.ratio - 1 < 1e-9
        if name == "choice-subsets":
            continue  # every report, in tests/contract/test_hostile_weights.py
        dense = m.channel().dense()
        worst = (dense.max(axis=1) / dense.min(axis=1)).max()
        np.testing.assert_allclose(worst, float(certificate.ratio), rtol=1e-9)


def test_subsets_at_e_3():
    m = made("choice-subsets", 4, 2, math.log(3), report_size=2)
    np.testing.assert_allclose([m.channel().p, m.channel().q], [5 / 11, 3 / 11], rtol=1e-12)
    one = made("choice-subsets", 5, 3, 1.0, report_size=1)
    np.testing.assert_allclose(
        one.channel().p, made("choice-response", 5, 3).channel().p, rtol=1e-15
    )


@pytest.mark.parametrize("name", NAMES)
def test_reports_take_the_same_words_whatever_the_set(name):
    m, used = made(name, 6, 3), set()
    for value in ([], ["o1"], ["o0", "o3", "o5"]):
        source = Counting()
        m.randomize(value, source=source)
        used.add(source.count)
    assert used == {m.words_per_report}


class Counting:
    """Random words, counted."""

    secure = False

    def __init__(self):
        self.count, self._words = 0, sv.Seeded(3)

    def words(self, count):
        self.count += count
        return self._words.words(count)


@pytest.mark.parametrize("name", NAMES)
def test_audits_hold_and_are_near_the_claim(name):
    found = sv.audit(made(name, 6, 2), trials=30_000)
    assert found.passed and 0.8 < found.lower_bound < 1.0


def test_the_audit_finds_items_that_are_not_drawn(monkeypatch):
    """The larger budget is for an item that is drawn: always the first one breaks the claim."""
    m = made("choice-response", 4, 3)
    plan = m.audit_plan()

    def first(value, count):
        items = np.full(count, m.items_of_one(value)[0])
        return sv.Reports(m, {"item": respond_all(items, m.weights, m.bits, sv.OperatingSystem())})

    changed = type(plan)(plan.values, first, plan.supports)
    monkeypatch.setattr(type(m), "audit_plan", lambda self: changed)
    assert not sv.audit(m, trials=30_000).passed


# -- errors --------------------------------------------------------------------------------------


def rare_variance(name, d, most, **options):
    channel = made(name, d, most, **options).channel()
    return channel.planned_variances(np.zeros(channel.items))[0]


def test_variances_of_the_reference():
    """n Var of an option that nobody ticks, at epsilon 1."""
    assert round(rare_variance("choice-response", 8, 3), 2) == 5.13
    assert round(rare_variance("drawn-option", 8, 3), 2) == 7.37
    assert round(rare_variance("choice-response", 200, 5), 1) == 72.0
    assert round(rare_variance("choice-subsets", 200, 5), 1) == 19.5
    assert best_report_size(200, 5, 1.0) == 10


@pytest.mark.parametrize("f", [0.0, 0.1, 0.6])
def test_variances_are_those_of_the_formulas(f):
    e, d, m = math.e, 8, 3
    z = d + m * e
    held = np.full(d + m, f)
    found = made("choice-response", d, m).channel().planned_variances(held)[0]
    np.testing.assert_allclose(found, (z - 1) / (e - 1) ** 2 + f * (z - e - 1) / (e - 1), rtol=1e-9)
    found = made("drawn-option", d, m).channel().planned_variances(held[:d])[0]
    np.testing.assert_allclose(found, d * e / (e - 1) ** 2 + (d - 1) * f * (1 - f), rtol=1e-9)


PEOPLE = [["o0"], ["o0", "o1"], ["o0", "o1"], [], ["o2"], ["o1", "o2"]]
"""Six people, whose sets are repeated."""
HELD = np.array([3, 3, 2, 0]) / 6


@pytest.mark.parametrize("name", NAMES)
def test_shares_are_unbiased_with_the_errors_that_are_said(name):
    """700 surveys of 600 people; about these people, and about the population for a sum.

    Standard deviations of 700 draws have a standard error of 2.7%: 16% is 6 of them.
    """
    options = {"report_size": 2} if name == "choice-subsets" else {}
    m = made(name, 4, 2, 2.0, **options)
    rows, surveys = np.tile(m.domain.indices(PEOPLE), 100), 700
    estimates = [
        sv.estimate(m.tally(m.randomize_indices(rows, sv.Seeded(seed)))) for seed in range(surveys)
    ]
    shares = np.array([e.shares[:4] for e in estimates])
    spread = shares.std(axis=0)
    assert (np.abs(shares.mean(axis=0) - HELD) / spread * math.sqrt(surveys)).max() < 6
    said = np.mean([e.stderr[:4] for e in estimates], axis=0)
    np.testing.assert_allclose(spread, said, rtol=0.16)
    ticked = np.array([e.ticked().value for e in estimates])
    bound = np.mean([e.ticked().stderr for e in estimates])
    assert ticked.std() < 1.16 * bound
    if name != "drawn-option":
        none = np.array([e.share(NONE).value for e in estimates])
        assert abs(none.mean() - 1 / 6) < 6 * none.std() / math.sqrt(surveys)


@pytest.mark.parametrize("name", NAMES)
def test_errors_about_the_population_are_those_of_brute_force(name):
    """Over all reports of all sets: variance of one report's contribution, exactly; of sums too."""
    options = {"report_size": 2} if name == "choice-subsets" else {}
    m, rng = made(name, 3, 2, 1.5, **options), np.random.default_rng(2)
    people = rng.dirichlet(np.ones(m.domain.size))
    channel = m.channel()
    frequencies = channel.forward(people)
    held = channel.shares_of_items(frequencies)
    reports, laws = reports_of(m)
    for weights in (*np.eye(channel.items), rng.normal(size=channel.items)):
        gains = channel.gains_of_items(weights)
        added = np.array([gains @ m.tally(report).cells for report in reports])
        chances = people @ laws
        mean = float(chances @ added)
        np.testing.assert_allclose(mean, weights @ held, atol=1e-9)
        brute = float(chances @ added**2) - mean**2
        said = channel.item_variance(weights, frequencies, held)
        if name == "drawn-option":  # given how many drew each option, which the reports tell
            assert said <= brute + 1e-9
            ticked = channel.support(frequencies)
            given = 3 * (weights**2 * ticked * (1 - ticked)).sum() / (channel.p - channel.q) ** 2
            np.testing.assert_allclose(said, given, rtol=1e-9)
        elif np.count_nonzero(weights) == 1 or name == "choice-response":
            np.testing.assert_allclose(said, brute, rtol=1e-9)
        else:
            assert brute <= said + 1e-9 < 1.5 * brute
    if name == "choice-subsets":
        single = channel.item_variances(frequencies)
        each = [channel.item_variance(unit, frequencies, held) for unit in np.eye(channel.items)]
        np.testing.assert_allclose(single, each, rtol=1e-9)


def reports_of(m):
    """Every report, and its chance from every set."""
    if m.name == "choice-subsets":
        total, items = 2**m.bits, m.items
        sets = [{*held} for held in itertools.combinations(range(items), m.l)]
        rows = m.domain.items(np.arange(m.domain.size)).tolist()
        chances = [
            Fraction(weight, total * ways) for weight, ways in zip(m.weights, m._ways, strict=True)
        ]
        laws = [[float(chances[len(held & {*row})]) for held in sets] for row in rows]
        bits = [np.isin(np.arange(items), list(held)) for held in sets]
        columns = [{"bits": np.packbits([row], axis=1, bitorder="little")} for row in bits]
        return [sv.Reports(m, each) for each in columns], np.array(laws)
    sizes = [range(field.size) for field in m.fields]
    names = [field.name for field in m.fields]
    columns = [
        dict(zip(names, ([x] for x in each), strict=True)) for each in itertools.product(*sizes)
    ]
    reports = [sv.Reports(m, each) for each in columns]
    cells = [int(m.tally(report).cells.argmax()) for report in reports]
    return reports, m.channel().dense()[cells].T


def test_shares_need_not_sum_to_1_and_totals_are_ticks():
    m = sv.mechanism("choice-response", PETS, 4.0)
    e = sv.estimate(m.tally(m.randomize([["cat", "dog"]] * 30_000, source=sv.Seeded(1))))
    assert e.boxes == 2 and e.domain.labels() == ["cat", "dog", "fish", NONE]
    assert abs(e.total(["cat", "dog"]).value - 2) < 0.1 and e.ticked().high <= 2
    assert {answer.label for answer in e.top(2)} == {"cat", "dog"}
    assert e.share("fish").low == 0 and e.frame().columns["value"][3] == NONE
    wider = e.for_population()
    assert wider.boxes == 2 and wider.share("cat").stderr >= e.share("cat").stderr
    assert pickle.loads(pickle.dumps(e)).ticked() == e.ticked()  # noqa: S301
    change = sv.difference(e, e)
    assert change.share("dog").value == 0 and change.total(["cat", "dog"]).value == 0
    assert e.anytime().share("cat").low < e.share("cat").low
    e.plot()
    assert "which are ticked together" in e.why


def test_drawn_option_does_not_tell_who_ticks_nothing():
    m = sv.mechanism("drawn-option", PETS, 1.0)
    e = sv.estimate(m.tally(m.randomize([["cat"]] * 100, source=sv.Seeded(1))))
    assert e.domain.labels() == ["cat", "dog", "fish"]
    few = sv.estimate(m.tally(m.randomize([["cat"]], source=sv.Seeded(1))))
    assert np.isinf(few.stderr).sum() == 2  # options that nobody drew


def test_ticked_is_for_sets():
    e = sv.estimate(sv.mechanism("grr", sv.Categories(3), 1.0).simulate([5, 5, 5]))
    with pytest.raises(Unfit, match="ticked needs sets of options"):
        e.ticked()


def test_other_methods_do_not_apply():
    m = sv.mechanism("choice-response", PETS, 1.0)
    tally = m.tally(m.randomize([["cat"]] * 100, source=sv.Seeded(1)))
    for method in ("em", "norm-sub", "exchangeable"):
        with pytest.raises(Unfit, match="do not sum to 1"):
            sv.estimate(tally, method)
    with pytest.raises(Unfit, match="tick several options"):
        sv.compare(tally)


def test_a_channel_of_too_many_sets_is_no_operator():
    m = made("choice-response", 60, 5)
    with pytest.raises(InvalidInput, match="to be used as an operator"):
        m.channel().forward(np.ones(3))
    values = [["o1"], ["o2", "o59"], []] * 500
    e = sv.estimate(m.tally(m.randomize(values, source=sv.Seeded(1))))
    assert len(e.shares) == 61


def test_a_mechanism_for_one_value_and_a_record_refuse_sets():
    with pytest.raises(InvalidInput, match="choice-response, drawn-option and choice-subsets"):
        sv.mechanism("grr", PETS, 1.0)
    with pytest.raises(InvalidInput, match="one value per person"):
        sv.Record({"pets": PETS, "smokes": sv.YesNo()})
    with pytest.raises(InvalidInput, match="one value per person"):
        sv.MayDecline(PETS)
    with pytest.raises(InvalidInput, match="Choices: tick all that apply"):
        sv.mechanism("drawn-option", sv.Categories(3), 1.0)


# -- plans, surveys, fakes -----------------------------------------------------------------------


def test_plans_rank_the_three_and_the_usual_one_is_the_best():
    assert usual_mechanism(boxes(8, 3), 1.0) == "choice-response"
    assert usual_mechanism(boxes(4, 3), 1.0) == "drawn-option"
    assert usual_mechanism(boxes(200, 5), 1.0) == "choice-subsets"
    for d, most in ((8, 3), (4, 4), (200, 5)):
        found = sv.plan(boxes(d, most), epsilon=1.0, users=10_000, shares=np.zeros(d))
        assert found.best.name == usual_mechanism(boxes(d, most), 1.0)
        assert {row.mechanism.name for row in found.prospects} == {*NAMES}
        assert "half error" not in found.frame().columns
    found = sv.plan(boxes(8, 3), epsilon=1.0, error=0.01, of="o2")
    assert abs(found.users / 10_000 - 5.13) < 1.5 and "of the option o2" in found.told
    assert sv.plan(boxes(8, 3), users=100_000, error=0.01).epsilon < 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"goal": "mean"}, "has no numbers"),
        ({"shares": [0.5]}, "8 numbers from 0 to 1, which need not sum to 1"),
        ({"shares": [2.0] * 8}, "8 numbers from 0 to 1"),
        ({"of": "x"}, "'x'"),
    ],
)
def test_a_plan_refuses_what_sets_do_not_have(more, said):
    with pytest.raises(InvalidInput, match=said):
        sv.plan(boxes(8, 3), epsilon=1.0, users=100, **more)


@pytest.mark.parametrize("name", NAMES)
def test_surveys_are_written_and_read(name):
    survey = sv.Survey("pets", "Which?", sv.mechanism(name, PETS, 1.0))
    assert sv.Survey.from_json(survey.to_json()) == survey
    assert survey_from_toml(survey_to_toml(survey)) == survey
    assert "tick all that apply, at most 2 of cat, dog, fish, or none of these" in survey_in_words(
        survey
    )


@pytest.mark.parametrize("name", NAMES)
def test_fakes_push_an_option_as_far_as_one_report_can(name):
    m = sv.mechanism(name, PETS, 1.0)
    tally = m.tally(m.randomize([["cat"], []] * 500, source=sv.Seeded(1)))
    found = sv.influence(tally, 0.01, values="cat")
    channel = m.channel()
    k = 3 if name == "drawn-option" else 1
    top = k * (1 - channel.q) / (channel.p - channel.q)
    share = channel.shares_of_items(tally.cells / tally.n)[0]
    np.testing.assert_allclose(found.rise, 0.01 * (top - share), rtol=1e-9)
    assert sv.influence(m, 0.01, values="cat").rise > found.rise
    for values, said in ((["cat"], "one option"), (None, "one option")):
        with pytest.raises(Unfit, match=said):
            sv.influence(m, 0.01, values=values)
    with pytest.raises(InvalidInput, match="one of cat, dog, fish"):
        sv.influence(m, 0.01, values="bird")


# -- weights and options from outside --------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("choice-response", {"weights": {"keep": 1, "other": 1}}, "positive with keep"),
        ("drawn-option", {"weights": {"keep": 1, "other": 1}}, "positive with keep"),
        ("choice-subsets", {"report_size": 5}, "from 1 to 4"),
        ("choice-subsets", {"report_size": 2, "weights": "12"}, "3 positive whole numbers"),
        (
            "choice-subsets",
            {"report_size": 2, "weights": [2**62 - 2, 1, 1]},
            "3 positive whole numbers",
        ),
    ],
)
def test_weights_and_options_from_outside(name, options, said):
    with pytest.raises(InvalidInput, match=said):
        made(name, 4, 2, **options)


@pytest.mark.parametrize("name", ["choice-response", "choice-subsets"])
def test_an_epsilon_too_small_for_the_bits_is_refused(name):
    with pytest.raises(InvalidInput, match="with weights of 8 bits"):
        made(name, 9, 4, 1e-4, bits=8)
