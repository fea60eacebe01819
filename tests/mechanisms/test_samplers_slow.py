"""Tests that need minutes: real installs, large samples (``make test-slow``)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

TOUR = """
import sottovoce as sv, sys
m = sv.mechanism("olh", sv.Categories(["a", "b", "c"]), 1.0)
e = sv.estimate(m.tally(m.randomize(["a"] * 900 + ["b"] * 100)))
print(e.share("a"), e.frame(), sep="\\n")
assert "scipy" not in sys.modules and "numba" not in sys.modules
"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_base_install_brings_numpy_and_nothing_else(tmp_path):
    run(sys.executable, "-m", "venv", tmp_path / "v")
    python = tmp_path / "v" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", str(ROOT))
    installed = {
        line.split()[0].lower() for line in run(python, "-m", "pip", "list").splitlines()[2:]
    }
    assert installed - {"pip", "setuptools", "wheel"} == {"numpy", "sottovoce"}
    assert "a: 0." in run(python, "-c", TOUR)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0, 8.0])
@pytest.mark.parametrize(
    "name", ["grr", "oue", "sue", "olh", "blh", "olh-seeded", "flh", "ss", "hr"]
)
def test_audit_with_ten_million_trials(name, epsilon):
    found = sv.audit(sv.mechanism(name, sv.Categories(4), epsilon), trials=10_000_000, alpha=1e-7)
    assert found.passed, str(found)
    assert found.lower_bound > 0.95 * epsilon - 0.05, str(found)


def test_a_million_values():
    """Local hashing over a million values: one transform, shares within their errors."""
    size = 1_000_000
    mechanism = sv.mechanism("olh", sv.Categories(size), 2.0)
    counts = np.bincount(np.arange(2_000_000) % 1000, minlength=size)
    e = sv.estimate(mechanism.simulate(counts, source=sv.Seeded(1)), "unbiased")
    errors = (e.shares - counts / counts.sum()) / e.stderr
    assert abs(errors.std() - 1) < 0.01
    assert np.abs(errors).max() < 7


@pytest.mark.parametrize("name", ["grr", "oue", "olh", "olh-seeded", "ss", "hr"])
def test_error_bars_at_scale(name):
    """A thousand values, a hundred thousand people: the squared error is what stderr says."""
    mechanism = sv.mechanism(name, sv.Categories(1024), 1.0)
    weights = 1.0 / np.arange(1, 1025) ** 1.5
    counts = np.floor(100_000 * weights / weights.sum()).astype(int)
    source, ratios = sv.Seeded(3), []
    for _ in range(40):
        e = sv.estimate(mechanism.simulate(counts, source=source), "unbiased")
        ratios.append(((e.shares - counts / counts.sum()) ** 2).mean() / (e.stderr**2).mean())
    assert abs(np.mean(ratios) - 1) < 0.05
