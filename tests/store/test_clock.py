"""A clock that runs ahead once removes nothing."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from sottovoce.base.errors import Unfit
from support.stores import place, server, store

__all__ = ["place", "server", "store"]
FIRST = date(2026, 11, 16)


def trusted(store, days, **options) -> list[bool]:
    """Whether the store trusts each of some days, given in days after the first."""
    return [store.trusts_day(FIRST + timedelta(day), **options) for day in days]


def test_days_that_follow_each_other_are_trusted(store):
    assert all(trusted(store, [0, 0, 1, 1, 2, 3, 3, 2, 3, 4]))


def test_a_clock_that_was_ahead_once_is_trusted_when_it_is_back(store):
    assert trusted(store, [0, 3650, 3650, 3651, 0, 1]) == [True, False, False, False, True, True]
    assert trusted(store, [3650, 3652]) == [False, True]  # it does not remember the first jump


def test_a_clock_that_runs_on_after_a_jump_is_trusted_after_two_days(store):
    """As after a month in which the collector was off."""
    assert trusted(store, [0, 30, 30, 31, 31, 32, 32, 33]) == [
        True, False, False, False, False, True, True, True,
    ]  # fmt: skip


@pytest.mark.parametrize("jumps", [[40, 60, 80, 100], [90, 70, 50, 30], [40, 38, 44, 40]])
def test_a_clock_that_jumps_again_and_again_is_not_trusted(store, jumps):
    assert trusted(store, [0, *jumps]) == [True, False, False, False, False]


def test_what_is_remembered_survives_a_restart(place):
    with place.open() as store:
        assert trusted(store, [0, 30]) == [True, False]
    with place.open() as store:
        assert trusted(store, [31, 32]) == [False, True]
    with place.open() as store:
        assert trusted(store, [33]) == [True]


def test_rounds_that_are_weeks_apart_need_longer_steps(store):
    assert trusted(store, [0, 7, 14, 21]) == [True, False, False, False]
    assert all(trusted(store, [0, 7, 14, 21, 29], step=8))


def test_the_ends_of_the_calendar_are_days_like_others(store):
    assert store.trusts_day(date.max)
    assert store.trusts_day(date.min)
    assert not store.trusts_day(date.max)
    assert not store.trusts_day(date.max)


def test_a_reader_cannot_say_what_day_it_is(place):
    place.open().close()
    with place.open(writable=False) as reader, pytest.raises(Unfit, match="only for reading"):
        reader.trusts_day(FIRST)
