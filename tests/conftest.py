"""Shared by all tests: deterministic Hypothesis, every mechanism's examples, scripted randomness."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from sottovoce.core.registry import registered

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("repeatable")

EXAMPLES = [example for cls in registered() for example in cls.examples()]


def name_of(mechanism) -> str:
    options = "-".join(str(v) for v in mechanism.options().values())
    return f"{mechanism.name}-{mechanism.domain.size}-{mechanism.epsilon:.3g}-{options}"


def pytest_generate_tests(metafunc):
    if "mechanism" in metafunc.fixturenames:
        metafunc.parametrize("mechanism", EXAMPLES, ids=[name_of(m) for m in EXAMPLES])


class Scripted:
    """Gives prepared words, one array a call, and notices a call of another size."""

    secure = False

    def __init__(self, *calls) -> None:
        self.calls = [np.asarray(call, dtype=np.uint64).ravel() for call in calls]

    def words(self, count):
        call = self.calls.pop(0)
        assert len(call) == count, f"asked for {count} words, {len(call)} were prepared"
        return call

    def generator(self):
        raise AssertionError("a device never asks for a generator")


class Recording:
    """Passes another source's words on, and remembers every call."""

    secure = False

    def __init__(self, source) -> None:
        self.source, self.calls = source, []

    def words(self, count):
        self.calls.append(self.source.words(count))
        return self.calls[-1]

    def generator(self):
        return self.source.generator()


@pytest.fixture
def scripted():
    return Scripted


@pytest.fixture
def recording():
    return Recording


@pytest.fixture(scope="session")
def data_folder() -> Path:
    folder = os.environ.get("SOTTOVOCE_DATA", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("real data sets are not here: set SOTTOVOCE_DATA to their folder")
    return Path(folder)
