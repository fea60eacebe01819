"""Questions that people may decline: the value, and answers of those who answered."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.answers.questions import read_questions
from sottovoce.answers.questions.over_windows import check_over_windows
from sottovoce.base.errors import InvalidInput, NotIdentified, Unfit

NO = "Prefer not to say"
HOURS = sv.MayDecline(sv.Interval(0, 40, bins=8, unit="h"))
PEOPLE = np.array([300, 500, 900, 1200, 900, 500, 300, 200, 1200])


def test_declining_is_the_last_value():
    assert HOURS.indices([3, NO, 39.5]).tolist() == [0, 8, 7]
    assert HOURS.indices(np.array([3.0, 39.5])).tolist() == [0, 7]
    assert HOURS.indices(np.array([3.0, NO], dtype=object)).tolist() == [0, 8]
    assert (HOURS.index(NO), HOURS.index(12), HOURS.label(8), HOURS.unit) == (8, 2, NO, "h")
    drinks = sv.MayDecline(sv.YesNo(), "No answer")
    assert drinks.indices([True, "No answer", "no"]).tolist() == [1, 2, 0]
    with pytest.raises(
        InvalidInput, match=r"a number from 0 to 40, or 'Prefer not to say'; got 41"
    ):
        HOURS.index(41)
    with pytest.raises(InvalidInput, match=r"'Prefer not to say'; got 41"):
        HOURS.indices([NO, 41.0])
    for values in ("tea", 3):
        with pytest.raises(InvalidInput, match="values of MayDecline.* must be a flat list"):
            HOURS.indices(values)
    with pytest.raises(InvalidInput, match="at least one value"):
        HOURS.indices([])
    assert HOURS.admit(99, "nearest") == 40
    assert HOURS.indices([NO, NO]).tolist() == [8, 8]


def test_missing_answers_are_not_taken_for_declining():
    for missing in (None, float("nan")):
        with pytest.raises(InvalidInput):
            HOURS.index(missing)
        with pytest.raises(
            InvalidInput, match="in row 0'. Leave .* ask with MayDecline and put its label"
        ):
            HOURS.indices([missing, 3.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sv.MayDecline("age"), "a domain of one value per person"),
        (lambda: sv.MayDecline(HOURS), "a domain of one value per person"),
        (lambda: sv.MayDecline(sv.KeyValues(["a"], 0, 1)), "a domain of one value per person"),
        (lambda: sv.MayDecline(sv.YesNo(), "no"), "label of MayDecline must be none of the answers"),
        (lambda: sv.MayDecline(sv.YesNo(), ""), "label of MayDecline must be text of 1 to 100"),
        (lambda: sv.MayDecline.from_toml({"answers": 3}), "answers of MayDecline must be a table such as"),
        (lambda: sv.MayDecline.from_toml({"answers": {"kind": "age"}}), "kind of answers must be one of"),
        (lambda: sv.MayDecline.from_toml({"answers": {"kind": "counts"}}), "most of answers must be given"),
        (
            lambda: sv.MayDecline.from_toml({"answers": {"kind": "counts", "most": 3, "moss": 4}}),
            "a key of answers must be one of most, unit; got 'moss'. Did you mean 'most'?",
        ),
    ],
)  # fmt: skip
def test_bad_questions(make, message):
    with pytest.raises(InvalidInput) as error:
        make()
    assert message in str(error.value)


def test_answers_are_of_everybody_or_of_those_who_answered():
    m = sv.mechanism("grr", HOURS, 20.0)
    e = sv.estimate(m.simulate(1_000 * PEOPLE, source=sv.Seeded(1)), "unbiased")
    assert e.share(NO).value == pytest.approx(0.2, abs=1e-3)
    assert e.share(12).value == pytest.approx(0.15, abs=1e-3)
    among, told = e.answered(), PEOPLE[:8] / 4800
    assert among.domain == HOURS.domain and among.shares.sum() == pytest.approx(1)
    assert among.share(12).value == pytest.approx(0.1875, abs=1e-3)
    assert among.mean().value == pytest.approx(told @ HOURS.domain.midpoints, abs=0.05)
    assert among.mean().unit == "h" and among.why.startswith("among the 80.0% who answered")
    assert among.quantile(0.5).value == pytest.approx(17.92, abs=0.1)
    with pytest.raises(
        Unfit, match=r"mean needs numbers .*answered\(\) is about those who answered"
    ):
        e.mean()
    with pytest.raises(Unfit, match="answered needs people who may decline"):
        among.answered()
    dates = sv.MayDecline(sv.Dates("2026-01-01", "2026-12-31", step="quarter"))
    oracle = sv.mechanism("grr", dates, 20.0)
    when = sv.estimate(
        oracle.simulate([0, 5000, 0, 0, 5000], source=sv.Seeded(1)), "unbiased"
    ).answered()
    assert when.mean().value == datetime.date(2026, 5, 16)


@pytest.mark.parametrize("name", ["grr", "oue"])
@pytest.mark.parametrize("about", ["respondents", "population"])
def test_errors_are_those_of_ratios(name, about):
    """Spread over 400 surveys against the stated errors, and how often intervals hold the truth."""
    m, draws = sv.mechanism(name, HOURS, 1.0), np.random.default_rng(1)
    true = PEOPLE[:8] / PEOPLE[:8].sum()
    mean, found, held, errors, shares = true @ HOURS.domain.midpoints, [], 0, [], 0
    for seed in range(400):
        people = PEOPLE if about == "respondents" else draws.multinomial(6000, PEOPLE / 6000)
        e = sv.estimate(m.simulate(people, source=sv.Seeded(seed)), "unbiased")
        among = (e if about == "respondents" else e.for_population()).answered()
        told = among.mean()
        found.append(told.value)
        errors.append(told.stderr)
        held += told.low <= mean <= told.high
        shares += among.share(12).low <= true[2] <= among.share(12).high
    assert np.std(found) == pytest.approx(np.mean(errors), rel=0.18)  # 5 standard errors
    assert abs(np.mean(found) - mean) < 5 * np.std(found) / 20
    assert held >= 355 and shares >= 355  # of 400: below 355 once in 10^6 at 95%


def test_too_few_who_answered_are_said_so():
    m = sv.mechanism("grr", HOURS, 0.5)
    e = sv.estimate(m.simulate([1, 0, 0, 0, 0, 0, 0, 0, 999], source=sv.Seeded(1)), "unbiased")
    with pytest.raises(NotIdentified, match="too few people answered: "):
        e.answered()


def test_those_who_answered_are_compared_and_part_of_records():
    m = sv.mechanism("olh", HOURS, 3.0)
    one, other = (
        sv.estimate(m.simulate(people, source=sv.Seeded(1))).answered()
        for people in (PEOPLE, PEOPLE[[7, 6, 5, 4, 3, 2, 1, 0, 8]])
    )
    assert sv.difference(one, other).mean().p_value < 1e-6
    assert sv.difference(one, one).mean().value == 0
    record = sv.Record({"hours": HOURS, "os": sv.Categories(["mac", "linux"])})
    asked = sv.mechanism("record", record, 3.0)
    rows = [{"hours": NO if i % 5 == 0 else 22, "os": "mac"} for i in range(3000)]
    e = sv.estimate(asked.tally(asked.randomize(rows, source=sv.Seeded(1))))
    part = e.part("hours").answered()
    assert part.share(22).value == pytest.approx(1, abs=0.1)
    with pytest.raises(Unfit, match="answered has no anytime interval"):
        sv.estimate(m.simulate(PEOPLE, source=sv.Seeded(1)), "unbiased").anytime().answered()


@pytest.mark.parametrize("name", ["square-wave", "hh", "haar", "binned", "gaussian"])
def test_mechanisms_that_need_numbers_say_what_to_take(name):
    options = (
        {"delta": 1e-6} if name == "gaussian" else {"report_bins": 2} if name == "binned" else {}
    )
    with pytest.raises(
        InvalidInput,
        match="Where people may decline, take a frequency oracle, such as local-hashing",
    ):
        sv.mechanism(name, HOURS, 1.0, **options)


def test_questions_about_numbers_are_about_those_who_answered():
    m = sv.mechanism("olh", HOURS, 3.0)
    e = sv.estimate(m.simulate(PEOPLE, source=sv.Seeded(1)), "unbiased")
    asked = [("mean", "1"), ("quantile", "0.5"), ("range", "10:20"), ("share", NO), ("cdf", "20")]
    rows = read_questions(HOURS, asked).of(e)
    assert rows[0]["label"] == "mean, of those who answered"
    assert rows[0]["value"] == e.answered().mean().value
    assert rows[3]["value"] == e.share(NO).value
    change = sv.difference(e, e)
    assert [row["value"] for row in read_questions(HOURS, asked[:2]).of(change)] == [0, 0]
    when = sv.MayDecline(sv.Dates("2026-01-01", "2026-12-31", step="quarter"))
    dates = sv.estimate(
        sv.mechanism("grr", when, 9.0).simulate([500] * 5, source=sv.Seeded(1)), "unbiased"
    )
    (row,) = read_questions(when, [("range", "2026-01-01:2026-06-30")]).of(dates)
    assert row["value"] == pytest.approx(0.5, abs=0.05)
    with pytest.raises(Unfit, match="a trend of a mean needs numbers"):
        check_over_windows(HOURS, read_questions(HOURS, [("mean", "1")]), "a test")
