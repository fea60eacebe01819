"""The house itself: base install, kernels against plain code, old files, docs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce import mechanisms
from sottovoce.base.errors import MissingExtra
from sottovoce.base.extras import optional
from sottovoce.core.registry import registered
from sottovoce.estimators.walk import walk
from sottovoce.kernels import bits, lanes, loader

ROOT = Path(__file__).parents[2]
EXTRAS = ("scipy", "numba", "pyarrow", "matplotlib", "rich", "typer", "pandas")

BASE_INSTALL = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in %r:
            raise ImportError(f"{name} is not installed in a base install")

sys.meta_path.insert(0, Refuse())
import sottovoce as sv
m = sv.mechanism("oue", sv.Categories(300), 1.0)
t = m.tally(m.randomize([5] * 60_000))
e = sv.estimate(sv.Tally.from_bytes(t.to_bytes()))
assert abs(e.share(5).value - 1) < 0.1, e.share(5)
print(sv.difference(e, e).frame())
for ask, extra in ((e.plot, "analyse"), (m.randomize([1]).to_arrow, "analyse"), (lambda: sv.audit(sv.mechanism("grr", sv.Categories(2), 1.0), trials=10), "analyse")):
    try:
        ask()
    except sv.base.errors.MissingExtra as error:
        assert f"pip install '.[{extra}]'" in str(error), error
    else:
        raise AssertionError("an extra was found in a base install")
print("fine")
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_base_install_needs_numpy_only():
    assert run(BASE_INSTALL % (EXTRAS,)).endswith("fine\n")


def test_import_loads_no_extra():
    loaded = run("import sys, sottovoce; print(*{name.partition('.')[0] for name in sys.modules})")
    assert not set(loaded.split()) & set(EXTRAS)


def test_missing_extra_says_what_to_install():
    with pytest.raises(
        MissingExtra, match=r"telepathy needs no_such_package.*pip install '\.\[cli\]'"
    ):
        optional("no_such_package.part", extra="cli", purpose="telepathy")


# -- kernels ---------------------------------------------------------------------


@given(st.integers(0, 600), st.integers(1, 200), st.integers(0, 2**32 - 1))
def test_compiled_counts_are_the_plain_ones(rows, size, seed):
    rng = np.random.default_rng(seed)
    packed = np.packbits(rng.random((rows, size)) < 0.4, axis=1, bitorder="little")
    plain = bits.column_counts_plain(packed, size)
    small, bits._SMALL = bits._SMALL, 1
    try:
        np.testing.assert_array_equal(bits.column_counts(packed, size), plain)
    finally:
        bits._SMALL = small
    unpacked = np.unpackbits(packed, axis=1, count=size, bitorder="little")
    np.testing.assert_array_equal(plain, unpacked.sum(axis=0))


def test_many_small_batches_are_counted_by_the_compiled_kernel_too(monkeypatch):
    monkeypatch.setattr(loader, "_done", Counter())
    used = []
    plain = bits.column_counts_plain
    monkeypatch.setattr(bits, "column_counts_plain", lambda *a: used.append(1) or plain(*a))
    monkeypatch.setattr(bits, "_SMALL", 20)
    small = np.array([[3], [1]], dtype=np.uint8)
    for _ in range(30):
        assert bits.column_counts(small, 2).tolist() == [2, 1]
    assert len(used) == 9
    assert bits.column_counts(small[:0], 2).tolist() == [0, 0]


def test_counts_over_several_chunks_and_threads():
    rng = np.random.default_rng(1)
    packed = rng.integers(0, 256, (90_001, 100), dtype=np.uint8)
    assert packed.size > 2 * bits._CHUNK
    np.testing.assert_array_equal(
        bits.column_counts(packed, 797), bits.column_counts_plain(packed, 797)
    )


@given(st.integers(0, 60), st.integers(1, 40), st.integers(0, 2**32 - 1), st.booleans())
def test_compiled_comparisons_are_the_plain_ones(rows, size, seed, remembers):
    """Bytes near their thresholds, so that ties abound; both kinds of kept bits."""
    rng = np.random.default_rng(seed)
    low, high = rng.integers(0, 256, 2).tolist()
    near = rng.choice([0, 255, low, high, *rng.integers(0, 256, 6)], (rows, -(-size // 8) * 8))
    bytes_ = near.astype(np.uint8)
    kept = np.packbits(rng.random((rows, size)) < 0.4, axis=1, bitorder="little")
    kept = kept if remembers else None
    below, ties = lanes.bits_below_plain(bytes_, kept, (low, high), size)
    places = np.flatnonzero(np.unpackbits(ties, bitorder="little"))
    small, lanes._SMALL = lanes._SMALL, 1
    try:
        packed, found = lanes.bits_below(bytes_, kept, (low, high), size)
    finally:
        lanes._SMALL = small
    np.testing.assert_array_equal(packed, below)
    np.testing.assert_array_equal(found, places)
    limits = np.where(np.unpackbits(kept, axis=1, count=size, bitorder="little"), high, low) if remembers else low  # fmt: skip
    wanted = bytes_[:, :size] < limits
    np.testing.assert_array_equal(
        np.unpackbits(below, axis=1, count=size, bitorder="little"), wanted
    )


# -- the whole way ------------------------------------------------------------------


def test_walk_is_the_whole_way():
    mechanism, done = sv.mechanism("olh", sv.Categories(5), 2.0), []
    result = walk(
        mechanism,
        np.arange(5).repeat(5000),
        source=sv.Seeded(1),
        progress=lambda *told: done.append(told),
    )
    assert (done, result.tally.n) == ([("walk", 0.4), ("walk", 0.8), ("walk", 1.0)], 25_000)
    np.testing.assert_allclose(result.truth, 0.2)
    assert np.abs(result.estimate.shares - 0.2).max() < 6 * result.estimate.stderr.max()


# -- promises kept by files -----------------------------------------------------------


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests" / "old").glob("*.svt")), ids=lambda p: p.stem
)
def test_old_tallies_are_still_read(path):
    said = json.loads(path.with_suffix(".json").read_text())
    tally = sv.Tally.read(path)
    assert tally.n == said["n"]
    assert tally.mechanism.fingerprint == said["fingerprint"]
    if "shares" in said:
        shares = sv.estimate(tally, "unbiased").shares
        np.testing.assert_allclose(shares, said["shares"], atol=1e-12)
    else:
        channel = tally.mechanism.channel()
        uniform = np.full(channel.inputs, 1 / channel.inputs)
        ratio, _ = channel.em_step(uniform, tally.cells.astype(float))
        np.testing.assert_allclose(ratio, said["ratio"], atol=1e-11)
    assert tally.to_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests" / "old").glob("*.parquet")), ids=lambda p: p.stem
)
def test_old_reports_are_still_read(path):
    said = json.loads(path.with_suffix(".json").read_text())
    reports = sv.Reports.read(path)
    assert reports.fingerprint == said["fingerprint"]
    assert reports.mechanism.tally(reports).cells.tolist() == said["cells"]


def test_every_mechanism_has_old_files():
    stems = {path.stem.partition(".")[0] for path in (ROOT / "tests" / "old").glob("*.svt")}
    assert {cls.name for cls in registered()} <= stems


@pytest.mark.parametrize("name", ["survey", "repeated-survey"])
def test_old_surveys_are_still_read(name):
    text = (ROOT / "tests" / "old" / f"{name}.0.2.json").read_text().strip()
    assert sv.Survey.from_json(text).to_json() == text


def test_the_one_list_of_mechanisms_names_every_module_and_class():
    """Class and name follow from the module; everything else is derived from the list."""
    folder = ROOT / "src" / "sottovoce" / "mechanisms"
    modules = {path.stem for path in folder.glob("[!_]*.py")}
    assert list(mechanisms.MECHANISMS) == sorted(modules)
    ours = [cls for cls in registered() if cls.__module__.startswith("sottovoce.")]
    assert [cls.__module__ for cls in ours] == [
        f"sottovoce.mechanisms.{stem}" for stem in mechanisms.MECHANISMS
    ]
    assert [cls.name.replace("-", "_") for cls in ours] == list(mechanisms.MECHANISMS)
    assert [cls.__name__ for cls in ours] == mechanisms.__all__
    assert all(getattr(sv, cls.__name__) is cls for cls in ours)
    assert set(mechanisms.__all__) <= set(sv.__all__)


PAPER_NAMES = """
import sys
import sottovoce as sv
loaded = lambda: [name for name in sys.modules if name.startswith("sottovoce.mechanisms.")]
assert not loaded(), loaded()
sv.mechanism("local-hashing", sv.Categories(3), 1.0)
assert "sottovoce.mechanisms.wave" not in loaded(), loaded()
print(sv.mechanism("OLH", sv.Categories(3), 1.0).name)
"""


def test_a_module_of_a_mechanism_is_imported_when_its_name_is_used():
    assert run(PAPER_NAMES) == "local-hashing\n"


PUBLIC_TYPES = """
import sottovoce as sv
from sottovoce.mechanisms import UnaryEncoding
mechanism: sv.LocalHashing = sv.LocalHashing(sv.Categories(3), 1.0)
other: UnaryEncoding = sv.LocalHashing(sv.Categories(3), 1.0)
"""


def test_type_checkers_know_the_public_names(tmp_path):
    """The stub, which is made from the list, is what mypy reads: a wrong class is an error."""
    program = tmp_path / "program.py"
    program.write_text(PUBLIC_TYPES)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    arguments = ["--follow-imports=silent", "--ignore-missing-imports", str(program)]
    done = subprocess.run(
        [*command, *arguments],
        capture_output=True, text=True, check=False, cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 1, done.stdout + done.stderr
    assert "program.py:5" in errors[0]
    assert '"LocalHashing", variable has type "UnaryEncoding"' in errors[0]
