"""Services joined by key from files, in bounded memory."""

from __future__ import annotations

import re
import tracemalloc

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch
from sottovoce.fusion.joining import files as files_module
from sottovoce.fusion.joining.aligned import align
from sottovoce.fusion.joining.files import ServiceFile
from sottovoce.fusion.joining.join import join
from sottovoce.fusion.joining.keys import pseudonyms, read_keys
from sottovoce.fusion.services import Fusion
from support.services import MECHANISMS, SECRET, as_lists, reports_of, single

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

KIND_OF_FILE = {
    "whole numbers": lambda who: pa.array(who),
    "text": lambda who: pa.array([f"person-number-{i}" for i in who.tolist()]),
    "dictionary": lambda who: pa.array([f"n{i}" for i in who.tolist()]).dictionary_encode(),
    "bytes": lambda who: pa.array([bytes([1 + i % 250]) * (1 + i // 250) for i in who.tolist()]),
    "pseudonyms": lambda who: pa.array(pseudonyms(who, SECRET).tolist(), pa.binary(16)),
}


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(files_module, "BATCH", 64)


def write(path, reports, key, group=150):
    pq.write_table(reports.to_arrow().append_column("id", key), path, row_group_size=group)


@pytest.mark.parametrize("memory", [2**28, 20_000])
@pytest.mark.parametrize("kind", KIND_OF_FILE)
def test_files_are_joined_as_columns_are(tmp_path, small_batches, kind, memory):
    rng = np.random.default_rng(5)
    columns = [rng.permutation(700)[:size] for size in (500, 300, 650)]
    columns[1] = np.concatenate([columns[1], columns[1][:40]])
    reports = [reports_of(m, len(k)) for m, k in zip(MECHANISMS, columns, strict=False)]
    services, done = [], []
    for j, (service, who) in enumerate(zip(reports, columns, strict=True)):
        write(tmp_path / f"s{j}.parquet", service, KIND_OF_FILE[kind](who))
        services.append(
            ServiceFile.open(tmp_path / f"s{j}.parquet", key="id", repeats=1 + (j == 1))
        )
    found = join(services, memory=memory, folder=tmp_path, progress=lambda *told: done.append(told))
    expected = align(None, reports, keys=columns, names=["s0", "s1", "s2"], repeats=[1, 2, 1])
    assert (found.n, found.names) == (expected.n, expected.names)
    assert sorted(as_lists(found, ["s0", "s1", "s2"])) == sorted(
        as_lists(expected, ["s0", "s1", "s2"])
    )
    parts = [part for _, part in done]
    assert {text for text, _ in done} == {"joining"}
    assert parts == sorted(parts) and parts[-1] == 1.0 and 0.5 in parts
    assert sorted(p.name for p in tmp_path.iterdir()) == ["s0.parquet", "s1.parquet", "s2.parquet"]


def test_parts_are_several_and_alike(tmp_path):
    from sottovoce.fusion.joining.join import _part_of

    for keys in (np.arange(10**5), [f"a-long-common-beginning-{i}" for i in range(10**5)]):
        words = read_keys(keys, "x").words
        sizes = np.bincount(_part_of(words, 16), minlength=16)
        assert sizes.min() > 0.9 * 10**5 / 16
        padded = (*words, np.zeros(10**5, dtype=np.uint64))
        np.testing.assert_array_equal(_part_of(words, 16), _part_of(padded, 16))


def test_files_by_position(tmp_path, small_batches):
    reports = [reports_of(m, 200) for m in MECHANISMS[:2]]
    for name, service in zip("ab", reports, strict=True):
        service.write(tmp_path / f"{name}.parquet")
    found = join([ServiceFile.open(tmp_path / f"{name}.parquet") for name in "ab"])
    assert (found.names, found.rows, found.n) == (("a", "b"), (None, None), 200)
    assert list(found.reports) == reports
    reports[1][:150].write(tmp_path / "b.parquet")
    files = [ServiceFile.open(tmp_path / f"{name}.parquet") for name in "ab"]
    with pytest.raises(Mismatch, match="service 'b' has 150 reports and service 'a' has 200"):
        join(files)


def test_a_temporary_folder_is_removed_after_an_error(tmp_path, small_batches):
    who = np.arange(100)
    reports = [reports_of(m, 100) for m in MECHANISMS[:2]]
    write(tmp_path / "a.parquet", reports[0], pa.array(who))
    write(tmp_path / "b.parquet", reports[1], pa.array(np.where(who == 70, 30, who)))
    files = [ServiceFile.open(tmp_path / f"{name}.parquet", key="id") for name in "ab"]
    with pytest.raises(
        InvalidInput,
        match="keys of service 'b', column 'id' must be different in every row; got 'one key in rows 31, 71'",
    ):
        join(files, folder=tmp_path)  # fmt: skip
    assert len(list(tmp_path.iterdir())) == 2


def test_bad_files_are_named(tmp_path, small_batches):
    who = np.arange(100)
    reports = [reports_of(m, 100) for m in MECHANISMS[:2]]
    write(tmp_path / "a.parquet", reports[0], pa.array(who))
    a = ServiceFile.open(tmp_path / "a.parquet", key="id")

    def second(key, **options):
        write(tmp_path / "b.parquet", reports[1], key)
        return ServiceFile.open(tmp_path / "b.parquet", key="id", **options)

    with pytest.raises(Mismatch, match="no user is in common between any of the services 'a', 'b'"):
        join([a, second(pa.array(who + 1000))])
    with pytest.raises(
        Mismatch, match="keys of service 'b' are text, those of service 'a' are whole"
    ):
        join([a, second(pa.array([str(i) for i in who]))])
    empty = [None if i == 80 else int(i) for i in who]
    with pytest.raises(
        InvalidInput, match="row 81 of the keys of service 'b', column 'id' must be not empty"
    ):
        join([a, second(pa.array(empty))])  # fmt: skip
    with pytest.raises(
        InvalidInput, match="keys of service 'b', column 'id' must be whole numbers.*'double'"
    ):
        join([a, second(pa.array(who.astype(float)))])  # fmt: skip
    good = second(pa.array(who))
    with pytest.raises(Mismatch, match="service 'b' has no key column"):
        join([a, ServiceFile.open(good.path)])
    with pytest.raises(InvalidInput, match="names of align must be different"):
        join([a, a])
    with pytest.raises(InvalidInput, match="files of join must be at least one"):
        join([])
    with pytest.raises(InvalidInput, match="repeats of service 'b' must be left out without keys"):
        join([ServiceFile.open(a.path), ServiceFile.open(good.path, repeats=2)])
    with pytest.raises(
        InvalidInput,
        match="the key column of service 'b' must be one of the columns.*output, id; got 'ID'",
    ):
        ServiceFile.open(good.path, key="ID")  # fmt: skip
    with pytest.raises(InvalidInput, match="the key column of service 'b' must be another"):
        ServiceFile.open(good.path, key="output")
    with pytest.raises(FileNotFoundError):
        ServiceFile.open(tmp_path / "none.parquet")
    (tmp_path / "c.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(
        CorruptBytes, match="service 'c': .*c.parquet is not a readable Parquet file"
    ):
        ServiceFile.open(tmp_path / "c.parquet")
    write(tmp_path / "b.parquet", reports[1][:0], pa.array([], pa.int64()))
    with pytest.raises(InvalidInput, match="rows of service 'b' must be at least one"):
        ServiceFile.open(tmp_path / "b.parquet", key="id")


def test_what_is_said_of_a_file_must_be_true(tmp_path):
    reports = reports_of(MECHANISMS[0], 20)
    reports.write(tmp_path / "a.parquet")
    open_ = ServiceFile.open
    assert open_(tmp_path / "a.parquet", mechanism="PM", epsilon=1).mechanism == MECHANISMS[0]
    told_ = re.escape(f"its file holds reports of {MECHANISMS[0]} ({MECHANISMS[0].fingerprint})")
    for name, epsilon in (("pm", 0.3), ("sw", 1.0)):
        with pytest.raises(Mismatch, match=f"service 'a' is said to be .*; {told_}"):
            open_(tmp_path / "a.parquet", mechanism=name, epsilon=epsilon)
    with pytest.raises(Mismatch, match="service 'a' is said to be"):
        open_(tmp_path / "a.parquet", mechanism="pm", epsilon=1.0, options={"output_bins": 300})
    with pytest.raises(InvalidInput, match="epsilon of service 'a', piecewise must be"):
        open_(tmp_path / "a.parquet", mechanism="pm", epsilon=-1)
    with pytest.raises(InvalidInput, match="units of service 'a' must be left out: the file holds"):
        open_(tmp_path / "a.parquet", units=(-1, 1))


def test_reports_outside_the_grid_name_service_and_column(tmp_path):
    reports = reports_of(MECHANISMS[0], 20)
    table = reports.to_arrow()
    wrong = table.set_column(0, "output", pa.array(single(reports) + 10**6))
    pq.write_table(wrong.replace_schema_metadata(table.schema.metadata), tmp_path / "a.parquet")
    file = ServiceFile.open(tmp_path / "a.parquet")
    with pytest.raises(
        InvalidInput, match="column 'output' of service 'a', reports of piecewise must be from 0 to"
    ):
        join([file])  # fmt: skip


def test_memory_is_bounded(tmp_path, monkeypatch):
    """Beside the result, which is what stays."""
    monkeypatch.setattr(files_module, "BATCH", 2**14)
    rng, count = np.random.default_rng(8), 150_000
    for name, mechanism in zip("ab", MECHANISMS, strict=False):
        keys = pa.array(rng.permutation(count))
        write(tmp_path / f"{name}.parquet", reports_of(mechanism, count), keys, group=20_000)
    files = [ServiceFile.open(tmp_path / f"{name}.parquet", key="id") for name in "ab"]
    result, peaks = count * 2 * (2 * 8 + 4), []  # rows for as many users as there could be
    for memory in (2**28, 2**20):
        tracemalloc.start()
        found = join(files, memory=memory)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert found.n == count
    assert peaks[1] < result + 4 * 2**20 < 0.6 * peaks[0]


def test_ten_thousand_parts_are_not_opened(tmp_path):
    who = np.arange(60)
    for name, mechanism in zip("ab", MECHANISMS, strict=False):
        write(tmp_path / f"{name}.parquet", reports_of(mechanism, 60), pa.array(who))
    found = join([ServiceFile.open(tmp_path / f"{n}.parquet", key="id") for n in "ab"], memory=1)
    assert found.n == 60 and [found.count(j) for j in range(2)] == [60, 60]


def test_an_empty_set_in_a_file_is_a_report(tmp_path):
    """Unary encoding over four bins, beside floats of elsewhere: who is absent is told by keys alone."""
    line = sv.Interval(0, 1, bins=4)
    oue = sv.mechanism("oue", line, 1.0)
    rng = np.random.default_rng(8)
    keys = [np.arange(4000), np.arange(3000, 9000)]
    sets = oue.randomize(rng.random(4000) ** 2, source=sv.Seeded(1))
    floats = rng.random(6000) ** 2 + rng.laplace(scale=1.0, size=6000)
    write(tmp_path / "sets.parquet", sets, pa.array(keys[0]))
    pq.write_table(pa.table({"x": floats, "id": keys[1]}), tmp_path / "floats.parquet")
    opened = [
        ServiceFile.open(tmp_path / "sets.parquet", key="id"),
        ServiceFile.open(
            tmp_path / "floats.parquet", key="id", mechanism="laplace", epsilon=1.0, domain=line
        ),
    ]
    found = Fusion(join(opened, folder=tmp_path)).mean()
    again = [sets, sv.foreign(floats, "laplace", line, 1.0)]
    expected = sv.fuse_mean(None, again, keys=keys, names=["sets", "floats"])
    assert found.services["users"] == expected.services["users"] == [4000, 6000]
    assert found.value == pytest.approx(expected.value, abs=1e-12)
    alone = sv.estimate(oue.tally(sets), "unbiased").mean().value
    assert found.services["mean"][0] == pytest.approx(alone, abs=1e-12)
