"""Shared by all tests: deterministic Hypothesis, every mechanism's examples, scripted randomness."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from sottovoce.core.registry import registered
from sottovoce.testing import Recording, Scripted

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("repeatable")

EXAMPLES = [example for cls in registered() for example in cls.examples()]


def name_of(mechanism) -> str:
    options = "-".join(str(v) for v in mechanism.options().values())
    return f"{mechanism.name}-{mechanism.domain.size}-{mechanism.epsilon:.3g}-{options}"


def pytest_generate_tests(metafunc):
    if "mechanism" in metafunc.fixturenames:
        metafunc.parametrize("mechanism", EXAMPLES, ids=[name_of(m) for m in EXAMPLES])


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
