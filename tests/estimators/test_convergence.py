"""A method that stops too early says so: once, and with what to do."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.estimators.convergence import warn_unless_converged
from sottovoce.estimators.likelihood.em import em

SW = sv.mechanism("sw", sv.Interval(0, 1, bins=16), 1.0)
TALLY = SW.simulate(np.arange(16) * 40, source=sv.Seeded(1))


def warned(run):
    """The result of a call, and the messages of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = run()
    assert all(one.category is sv.NotConverged for one in caught)
    assert all(one.filename == __file__ for one in caught), "the caller is to blame, not sottovoce"
    return found, [str(one.message) for one in caught]


def test_one_warning_with_what_remains_and_what_to_do():
    found, told = warned(lambda: sv.estimate(TALLY, "em", max_iterations=3))
    assert told == [
        "em did not converge: it stopped at iteration 3, its objective up to "
        f"{found.optimality:.3g} from the optimum. Give a larger max_iterations= or tolerance=, or "
        "choose another method (sv.methods lists them)."
    ]
    assert not found.converged
    assert repr(found) == (
        f"<em estimate over {SW.domain} from {TALLY.n} reports, not converged at iteration 3>"
    )
    _, told = warned(lambda: found.stderr)  # forty fits that stop as early
    assert told == []


def test_without_an_optimum_the_last_change_is_told():
    found, (told,) = warned(lambda: sv.estimate(TALLY, "ems", max_iterations=3))
    change = found.history[-1] - found.history[-2]
    assert f"and the last changed its objective by {change:.3g}. Give" in told


def test_a_single_iteration_and_options_of_other_names():
    tree = sv.mechanism("hierarchy", sv.Interval(0, 1, bins=16), 1.0)
    tally = tree.simulate(np.arange(16) * 4, source=sv.Seeded(1))
    _, (told,) = warned(lambda: sv.estimate(tally, "hh-admm", max_iterations=1))
    assert "hh-admm did not converge: it stopped at iteration 1" in told
    for name, advice in (("mle", "Give a larger gap=, or choose"), ("adaptive", "Choose")):
        stopped = replace(
            sv.estimate(TALLY, name), converged=False, history=(), optimality=math.inf
        )
        _, (told,) = warned(lambda stopped=stopped: warn_unless_converged(stopped))
        assert told.endswith(
            f"at iteration {stopped.iterations}. {advice} another method (sv.methods lists them)."
        )


def test_what_converges_is_quiet():
    for name in ("em", "ems", "mle", "mr", "adaptive", "unbiased"):
        found, told = warned(lambda name=name: sv.estimate(TALLY, name))
        assert told == []
        assert "converged" not in repr(found)


def test_fused():
    reports = SW.randomize(np.linspace(0, 1, 500), source=sv.Seeded(2))
    fusion = sv.fuse([SW, SW], [reports, reports])
    found, (told,) = warned(lambda: fusion.distribution(inner="em", max_iterations=2))
    assert told.startswith("ule + em did not converge: it stopped at iteration 2")
    assert "not converged at iteration 2" in repr(found)
    _, told = warned(lambda: found.stderr)
    assert told == []


def test_comparing_methods_is_quiet(monkeypatch):
    """Hundreds of fits to simulated surveys are nobody's estimates."""
    monkeypatch.setitem(em.__kwdefaults__, "max_iterations", 2)
    found, told = warned(lambda: sv.compare(TALLY, methods=["em", "ems"], replicates=3))
    assert found.best
    assert told == []


def test_wide_bins_warn_once():
    wide = sv.mechanism("binned", sv.Interval(0, 1, bins=16), 1.0, report_bins=4)
    tally = wide.simulate(np.arange(16) * 4, source=sv.Seeded(1))
    found, told = warned(lambda: sv.estimate(tally, "em", max_iterations=1, tolerance=0.0))
    assert len(told) == 1
    assert not found.converged


def test_at_least_one_iteration():
    with pytest.raises(InvalidInput, match="max_iterations of em must be a whole number of at l"):
        sv.estimate(TALLY, "em", max_iterations=0)


def test_the_command_line_says_it_in_one_line(tmp_path):
    TALLY.write(tmp_path / "t.svt")
    command = ["estimate", tmp_path / "t.svt", "--method", "em", "--option", "max_iterations=2"]
    done = subprocess.run(
        [sys.executable, "-m", "sottovoce.cli", *command],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line for line in done.stderr.splitlines() if "converge" in line]
    assert len(lines) == 1
    assert lines[0].startswith("warning: em did not converge: it stopped at iteration 2")
    assert "NotConverged" not in done.stderr
