"""A cluster of two workers, executors that die, tasks run twice, and Spark Connect without Java."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sottovoce.base.errors import NoJava
from support.spark_cluster import ROOT, cluster, connect, environment

pytestmark = pytest.mark.slow

CLIENT = "SOTTOVOCE_CONNECT_PYTHON"


@pytest.fixture(scope="module")
def _spark_is_here():
    pytest.importorskip("pyspark", reason="pyspark is not installed: make spark")
    try:
        environment()
    except NoJava as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def url(_spark_is_here, tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


def run(job: str, url: str, python: str, env: dict[str, str]) -> None:
    done = subprocess.run(
        [python, "-m", "support.spark_jobs", job, url],
        env=env, cwd=ROOT, capture_output=True, text=True, check=False, timeout=400,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.endswith("as the library\n")


@pytest.mark.parametrize("job", ["everything", "killed-in-map", "killed-in-merge", "run-twice"])
def test_a_cluster_of_two_workers(job, url):
    run(job, url, sys.executable, environment())


def test_connect_from_a_client_without_java(_spark_is_here, tmp_path):
    python = os.environ.get(CLIENT, "")
    if not python:
        pytest.skip(f"no Python with pyspark-client: make spark, or set {CLIENT}")
    with connect(tmp_path / "server") as found:
        paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)])
        env = {"PATH": str(Path(python).parent), "PYTHONPATH": paths}
        assert shutil.which("java", path=env["PATH"]) is None
        run("everything", found, python, env)
