"""Threads: as many as the process may use, and no more than OpenMP is told."""

from __future__ import annotations

import os
import threading

import pytest

from sottovoce.base.threads import cores, in_parallel


@pytest.mark.parametrize(
    ("setting", "wanted"),
    [("1", 1), ("1,4", 1), (" 1 ", 1), ("0", None), ("many", None), ("", None), ("4096", None)],
)
def test_cores_obey_the_setting_of_openmp(monkeypatch, setting, wanted):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    all_of_them = cores()
    monkeypatch.setenv("OMP_NUM_THREADS", setting)
    assert cores() == (wanted or all_of_them)


def test_one_thread_is_the_callers(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert set(in_parallel(lambda _: threading.get_ident(), range(5))) == {threading.get_ident()}


def test_work_is_done_in_order_and_its_first_error_reaches_the_caller(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert in_parallel(lambda x: x * x, range(50)) == [x * x for x in range(50)]
    assert in_parallel(lambda x: x, []) == []
    with pytest.raises(ZeroDivisionError):
        in_parallel(lambda x: 1 // x, [1, 0, 2])
