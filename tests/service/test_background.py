"""Boards are worked out beside pages: at once where fresh, older ones meanwhile, nothing twice."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from sottovoce.base.errors import InvalidInput
from sottovoce.service.analysis import background as preparing
from sottovoce.service.analysis.background import BackgroundCache, Prepared
from sottovoce.service.refusals import Declined
from sottovoce.store import StoreDown


@pytest.fixture
def preparer():
    made = BackgroundCache()
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Pages wait for a moment only, and boards that were quick need no rest."""
    monkeypatch.setattr(preparing, "_PATIENCE", 0.02)


class Work:
    """Work that ends when it is told to, and counts how often it was begun."""

    def __init__(self, result: object = "board") -> None:
        self.result, self.begun = result, 0
        self.running, self.end = threading.Event(), threading.Event()

    def __call__(self) -> object:
        self.begun += 1
        self.running.set()
        assert self.end.wait(10)
        self.running.clear()
        return self.result


async def until_known(preparer: BackgroundCache, key: object, version: object) -> Prepared:
    """What is known once nothing is on its way any more."""
    for _ in range(500):
        found = await preparer.board(key, version, pytest.fail)
        if not found.pending:
            return found
    raise AssertionError("it was never worked out")


def test_a_quick_board_is_shown_at_once_and_made_once(preparer):
    made = []

    async def ask():
        return [await preparer.board("key", 1, lambda: made.append(1) or "board") for _ in range(3)]

    assert asyncio.run(ask()) == [Prepared("board")] * 3
    assert made == [1]


def test_a_page_does_not_wait_for_a_slow_board(preparer):
    work = Work()

    async def ask():
        first = await preparer.board("key", 1, work)
        again = await preparer.board("key", 1, work)  # the same is not begun twice
        work.end.set()
        return first, again, await until_known(preparer, "key", 1)

    first, again, last = asyncio.run(ask())
    assert first == again == Prepared(None, None, pending=True)
    assert last == Prepared("board")
    assert work.begun == 1


def test_who_is_patient_waits_longer_for_a_first_board_only(preparer, monkeypatch):
    monkeypatch.setattr(preparing, "_REST", 0.0)
    monkeypatch.setattr(preparing, "_LONG_PATIENCE", 5.0)
    first, second = Work("first"), Work("second")

    async def ask():
        assert (await preparer.board("key", 1, first)).pending
        threading.Timer(0.1, first.end.set).start()
        waited = await preparer.board("key", 1, pytest.fail, patient=True)
        shown = await preparer.board("key", 2, second, patient=True)
        second.end.set()
        return waited, shown

    waited, shown = asyncio.run(ask())
    assert waited == Prepared("first")
    assert shown == Prepared("first", None, pending=True)


def test_the_older_board_is_shown_while_another_is_worked_out(preparer, monkeypatch):
    monkeypatch.setattr(preparing, "_REST", 0.0)
    work = Work("newer")

    async def ask():
        await preparer.board("key", 1, lambda: "older")
        meanwhile = await preparer.board("key", 2, work)
        later_still = await preparer.board("key", 3, pytest.fail)  # one at a time for each key
        work.end.set()
        return meanwhile, later_still, await until_known(preparer, "key", 2)

    meanwhile, later_still, last = asyncio.run(ask())
    assert meanwhile == later_still == Prepared("older", None, pending=True)
    assert last == Prepared("newer")


def test_a_board_that_took_long_rests_before_it_is_begun_again(preparer, monkeypatch):
    """Five times as long as it took: here 0.5 s and more after 0.1 s of work."""
    clock = [100.0]
    monkeypatch.setattr(preparing, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def slow():
        clock[0] += 0.1
        return "older"

    async def ask():
        await preparer.board("key", 1, slow)
        clock[0] += 0.45
        resting = await preparer.board("key", 2, pytest.fail)
        clock[0] += 0.1
        return resting, await preparer.board("key", 2, lambda: "newer")

    resting, rested = asyncio.run(ask())
    assert resting == Prepared("older")
    assert rested == Prepared("newer")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Declined("below-minimum-batch", "too few"), "below-minimum-batch"),
        (InvalidInput("window", "a survey", "a day", "noon"), "invalid"),
        (ZeroDivisionError("a fault of ours"), "failed"),
    ],
)
def test_failures_become_refusals(preparer, monkeypatch, error, code):
    logged = []
    monkeypatch.setattr(preparing, "log_failure", logged.append)

    def fail():
        raise error

    async def ask():
        first = await preparer.board("key", 1, fail)
        monkeypatch.setattr(preparing, "_REST", 0.0)
        return first, await preparer.board("key", 2, lambda: "board")

    first, later = asyncio.run(ask())
    assert first.board is None and not first.pending
    assert first.declined is not None and first.declined.code == code
    assert logged == ([error] if first.declined.status >= 500 else [])
    assert later == Prepared("board")


def test_what_was_refused_stays_so_and_what_failed_is_tried_again(preparer, monkeypatch):
    monkeypatch.setattr(preparing, "_REST", 0.0)
    monkeypatch.setattr(preparing, "log_failure", lambda error: None)

    def fail(error):
        raise error

    async def ask(error):
        await preparer.board(repr(error), 1, lambda: fail(error))
        return await preparer.board(repr(error), 1, lambda: "board")

    refused = asyncio.run(ask(Declined("below-minimum-batch", "too few")))
    assert refused.declined is not None and refused.declined.code == "below-minimum-batch"
    assert asyncio.run(ask(StoreDown("no answer"))) == Prepared("board")


def test_the_least_recently_asked_for_is_forgotten_but_nothing_under_way():
    preparer = BackgroundCache(kept=3)
    slow, made = Work("slow"), []

    def work(key):
        return lambda: made.append(key) or key

    async def ask():
        await preparer.board("slow", 1, slow)  # the oldest of all
        for key in ("a", "b", "a", "c", "d"):
            await preparer.board(key, 1, work(key))
        assert made == ["a", "b", "c", "d"]
        slow.end.set()
        assert await until_known(preparer, "slow", 1) == Prepared("slow")
        await preparer.board("d", 1, pytest.fail)  # kept
        await preparer.board("b", 1, work("b"))  # forgotten: made again
        assert made == ["a", "b", "c", "d", "b"]

    asyncio.run(ask())
    assert slow.begun == 1
    assert len(preparer._entries) == 3


def test_two_are_worked_out_at_a_time_and_others_wait(preparer):
    works = [Work(n) for n in range(3)]

    async def ask():
        for n, work in enumerate(works):
            await preparer.board(n, 1, work)
        assert works[0].running.is_set() and works[1].running.is_set()
        assert works[2].begun == 0
        works[0].end.set()
        await until_known(preparer, 0, 1)
        assert works[2].running.wait(5)
        works[1].end.set()
        works[2].end.set()
        assert [(await until_known(preparer, n, 1)).board for n in range(3)] == [0, 1, 2]

    asyncio.run(ask())


def test_nothing_is_begun_after_the_end(preparer):
    preparer.stop()
    time.sleep(0.05)
    found = asyncio.run(preparer.board("key", 1, pytest.fail))
    assert found == Prepared(None, None, pending=True)


def test_a_process_ends_though_work_is_under_way():
    code = (
        "import asyncio, time\n"
        "from sottovoce.service.analysis.background import BackgroundCache\n"
        "preparer = BackgroundCache()\n"
        "found = asyncio.run(preparer.board('key', 1, lambda: time.sleep(600)))\n"
        "assert found.pending\n"
        "preparer.stop()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)


def test_many_who_ask_at_once_get_the_same_board(preparer):
    work = Work()
    work.end.set()

    async def ask():
        return await asyncio.gather(*(preparer.board("key", 1, work) for _ in range(20)))

    found = asyncio.run(ask())
    assert work.begun == 1
    assert {each.board for each in found if not each.pending} <= {"board"}
    assert asyncio.run(until_known(preparer, "key", 1)).board == "board"


def test_whoever_asks_for_too_much_is_told_to_come_back():
    preparer, work = BackgroundCache(waiting=3), Work()

    async def ask():
        for key in range(5):  # two are worked out, three wait
            assert (await preparer.board(key, 1, work)).pending
        with pytest.raises(Declined, match="rate-limited") as refused:
            await preparer.board("one more", 1, work)
        assert refused.value.headers["retry-after"]
        assert (await preparer.board(4, 1, work)).pending  # what waits may be asked for again
        work.end.set()

    asyncio.run(ask())
    assert asyncio.run(until_known(preparer, 4, 1)).board == "board"


def test_an_older_board_is_shown_where_there_is_no_room_for_another(monkeypatch):
    monkeypatch.setattr(preparing, "_REST", 0.0)
    preparer, work = BackgroundCache(waiting=1), Work()

    async def ask():
        await preparer.board("key", 1, lambda: "older")
        for other in range(3):  # two are worked out, one waits
            await preparer.board(other, 1, work)
        crowded = await preparer.board("key", 2, pytest.fail)
        work.end.set()
        await until_known(preparer, 2, 1)
        return crowded, await preparer.board("key", 2, lambda: "newer")

    crowded, later = asyncio.run(ask())
    assert crowded == Prepared("older")
    assert later == Prepared("newer")
