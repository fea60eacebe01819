"""Dates between two days, in steps of the calendar."""

from __future__ import annotations

import datetime
from datetime import date

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput, Unfit
from sottovoce.cli.shared.screen import plain_json
from sottovoce.domains.base import domain_from_json

YEAR = sv.Dates("2026-01-01", "2026-12-31", step="month")


def exactly(domain: sv.Dates, people: list[int]) -> sv.Estimate:
    table = sv.mechanism("grr", domain, 20.0)
    return sv.estimate(
        table.simulate(1_000_000 * np.array(people), source=sv.Seeded(1)), "unbiased"
    )


def test_steps_are_those_of_the_calendar():
    assert sv.Dates("2025-11-15", "2026-02-10", step="month").labels() == [
        "2025-11-15", "2025-12-01", "2026-01-01", "2026-02-01",
    ]  # fmt: skip
    assert sv.Dates("2026-02-10", "2027-01-01", step="quarter").labels() == [
        "2026-02-10", "2026-04-01", "2026-07-01", "2026-10-01", "2027-01-01",
    ]  # fmt: skip
    assert sv.Dates("2023-06-01", "2025-06-01", step="year").labels() == [
        "2023-06-01", "2024-01-01", "2025-01-01",
    ]  # fmt: skip
    weeks = [
        date.fromisoformat(text)
        for text in sv.Dates("2026-01-01", "2026-03-01", step="week").labels()
    ]
    assert weeks[0] == date(2026, 1, 1) and all(day.weekday() == 0 for day in weeks[1:])
    assert sv.Dates("2024-02-28", "2024-03-01").labels() == [
        "2024-02-28",
        "2024-02-29",
        "2024-03-01",
    ]
    assert sv.Dates("9998-01-01", "9999-12-31", step="quarter").size == 8
    assert sv.Dates("0001-01-01", "0001-12-31", step="month").size == 12


@pytest.mark.parametrize("step", ["day", "week", "month", "quarter", "year"])
def test_every_day_is_in_the_step_that_begins_last_before_it(step):
    domain = sv.Dates("2023-11-07", "2026-03-19", step=step)
    days = np.arange("2023-11-07", "2026-03-20", dtype="datetime64[D]")
    starts = np.array(domain.labels(), dtype="datetime64[D]")
    assert np.array_equal(domain.indices(days), np.searchsorted(starts, days, "right") - 1)


def test_values_are_dates_of_any_make():
    day = [
        "2026-05-31", date(2026, 5, 31), datetime.datetime(2026, 5, 31, 23, 59), "2026-05-31T23:59:59+02:00",
        np.datetime64("2026-05-31"), np.datetime64("2026-05-31T12:00:00.5"), "2026-05-31 08:00",
    ]  # fmt: skip
    assert {YEAR.index(value) for value in day} == {4}
    assert YEAR.indices(day).tolist() == [4] * 7
    assert YEAR.indices(
        np.array(["2026-05-31", "2026-12-31"], dtype="datetime64[ns]")
    ).tolist() == [4, 11]
    pandas = pytest.importorskip("pandas")
    assert YEAR.index(pandas.Timestamp("2026-05-31 10:00")) == 4
    assert YEAR.indices(pandas.Series(pandas.to_datetime(["2026-05-31"]))).tolist() == [4]
    with pytest.raises(InvalidInput, match="must be a date from 2026-01-01 to 2026-12-31; got NaT"):
        YEAR.index(pandas.NaT)


@pytest.mark.parametrize(
    "value", ["2027-01-01", "2025-12-31", "31.05.2026", "2026-02-30", "20260531", 20260531, None, True,
              np.datetime64("NaT"), "2026-05-31T99:00", 5.5],
)  # fmt: skip
def test_what_is_no_date_inside_is_refused(value):
    with pytest.raises(
        InvalidInput, match=r"value of Dates\('2026-01-01', .* must be a date from 2026-01-01 to"
    ):
        YEAR.index(value)
    with pytest.raises(InvalidInput, match="from 2026-01-01 to|must be an answer in every row"):
        YEAR.indices(["2026-05-31", value])


def test_a_missing_time_is_refused_with_its_row():
    column = np.array(["2026-05-31", "NaT"], dtype="datetime64[s]")
    with pytest.raises(
        InvalidInput,
        match=r"got 'a missing value \(NaT\) in row 1'",
    ):
        YEAR.indices(column)
    with pytest.raises(InvalidInput, match="one date or a flat list"):
        YEAR.indices(column[None])
    for values in ("2026-05-31", 3):
        with pytest.raises(InvalidInput, match="values of Dates.* must be dates"):
            YEAR.indices(values)
    with pytest.raises(InvalidInput, match="at least one value"):
        YEAR.indices([])


def test_answers_are_dates():
    e = exactly(YEAR, [0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0])
    assert e.share("2026-06-15").value == pytest.approx(0.5, abs=1e-4)
    assert e.quantile(0.5).value in (date(2026, 5, 31), date(2026, 6, 1))
    assert e.mean().value in (date(2026, 5, 31), date(2026, 6, 1))
    assert isinstance(e.mean().low, date) and e.mean().stderr < 1 and e.mean().unit == "days"
    assert e.range("2026-05-01", date(2026, 5, 31)).value == pytest.approx(0.5, abs=1e-4)
    assert e.range("2026-05-01", "2026-05-01").value == pytest.approx(0.5 / 31, abs=1e-4)
    assert e.range("2026-05-01", "2026-05-31").label == "from 2026-05-01 to 2026-05-31"
    assert e.cdf(np.datetime64("2026-05-31")).value == pytest.approx(0.5, abs=1e-4)
    assert str(e.quantile(0.25)).startswith("quantile 0.25: 2026-05-16 +- 0.")
    assert plain_json({"value": e.mean().value})["value"].startswith("2026-0")
    for low, high in (("2026-06-01", "2026-05-01"), ("2025-12-31", "2026-02-01")):
        with pytest.raises(InvalidInput, match="low, high of range must be a date from"):
            e.range(low, high)


def test_single_days_have_quantiles_that_are_days():
    domain = sv.Dates("2026-02-01", "2026-02-05")
    e = exactly(domain, [1, 2, 4, 2, 1])
    assert e.quantile(0.5).value == e.mean().value == date(2026, 2, 3)
    assert e.variance().value == pytest.approx((2 * 4 + 4 * 1) / 10, rel=1e-3)
    assert e.cdf("2026-02-02").value == pytest.approx(0.3, abs=1e-4)


def test_a_difference_of_dates_is_a_number_of_days():
    early, late = exactly(YEAR, [1] + 11 * [0]), exactly(YEAR, [0, 1] + 10 * [0])
    change = sv.difference(early, late)
    assert change.mean().value == pytest.approx(29.5, abs=0.01) and change.mean().unit == "days"
    assert change.quantile(0.5).value == pytest.approx(29.5, abs=0.1)
    assert change.range("2026-02-01", "2026-02-28").value == pytest.approx(1, abs=1e-4)


def test_mechanisms_for_numbers_take_dates():
    days = np.datetime64("2026-01-01") + np.random.default_rng(1).binomial(364, 0.4, 20_000)
    for name in ("square-wave", "hh", "olh"):
        m = sv.mechanism(name, sv.Dates("2026-01-01", "2026-12-31", step="week"), 3.0)
        e = sv.estimate(m.tally(m.randomize(days, source=sv.Seeded(1))))
        assert abs(e.quantile(0.5).value - date(2026, 5, 26)) <= datetime.timedelta(days=2)
    with pytest.raises(InvalidInput, match="an Interval of equal bins"):
        sv.mechanism("stochastic-rounding", sv.Dates("2026-01-01", "2026-01-31"), 1.0)


def test_trends_of_dates_have_shares_and_no_means():
    m = sv.mechanism("grr", YEAR, 2.0)
    tallies = [m.simulate([300] * 12, source=sv.Seeded(i)) for i in range(3)]
    trend = sv.trend(tallies, windows=["2026-01-01", "2026-01-02", "2026-01-03"])
    assert len(trend.share("2026-02-02").answers) == 3
    for ask in (trend.mean, lambda: trend.quantile(0.5)):
        with pytest.raises(
            Unfit, match=r"a trend of a .* needs numbers; these reports are over Dates"
        ):
            ask()


def test_the_nearest_date_takes_the_place_of_one_outside():
    assert YEAR.admit("2027-05-05", "nearest") == date(2026, 12, 31)
    assert YEAR.admit(date(2020, 1, 1), "nearest") == date(2026, 1, 1)
    with pytest.raises(InvalidInput):
        YEAR.admit("soon", "nearest")


def test_documents():
    assert YEAR.to_json() == {
        "kind": "dates", "version": 1, "first": "2026-01-01", "last": "2026-12-31", "step": "month",
    }  # fmt: skip
    assert sv.Dates("2026-01-01", "2026-12-31", step="quarter") != YEAR
    assert sv.Dates("2026-01-01", "2026-01-31", step="month") != sv.Dates(
        "2026-01-01", "2026-01-31", step="year"
    )
    with pytest.raises(CorruptBytes, match="dates domain of version 2"):
        domain_from_json({**YEAR.to_json(), "version": 2})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sv.Dates("2026-13-01", "2026-12-31"), "first of Dates must be a date such as 2026-05-31"),
        (lambda: sv.Dates("2026-01-01", None), "last of Dates must be a date such as 2026-05-31"),
        (lambda: sv.Dates("2026-01-02", "2026-01-01"), "last of Dates must be a date from first = 2026-01-02 on"),
        (lambda: sv.Dates("2026-01-01", "2026-12-31", step="hour"), "step of Dates must be one of day, month"),
        (lambda: sv.Dates("0001-01-01", "9999-12-31", step="week"), "2 to 4,096 numbers"),
        (lambda: sv.Dates("0001-01-01", "9999-12-31"), "at most 2,500,000 days after first, or a longer step"),
    ],
)  # fmt: skip
def test_bad_bounds(make, message):
    with pytest.raises(InvalidInput) as error:
        make()
    assert message in str(error.value)


def test_pictures_have_an_axis_of_dates():
    matplotlib = pytest.importorskip("matplotlib")
    e = exactly(YEAR, [1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1])
    figure = e.plot(between=("2026-05-01", "2026-06-30"))
    figure.canvas.draw()
    assert isinstance(figure.axes[0].xaxis.get_major_locator(), matplotlib.dates.AutoDateLocator)
    marked = e.plot("cdf", quantiles=(0.5,)).axes[0].texts
    assert marked[-1].get_text().startswith("2026-0")
