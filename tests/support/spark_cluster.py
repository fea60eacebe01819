"""A cluster of Spark on this machine: a master, two workers on two names of it, Spark Connect."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sottovoce.engines.spark.java import java_home

ROOT = Path(__file__).parents[2]
_PATIENCE = 120.0
"""Seconds that a part of the cluster may take to answer; the machine may be busy."""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def environment() -> dict[str, str]:
    """What every process of Spark needs: our code, this Python, Spark itself, Java."""
    import pyspark

    home, java = Path(pyspark.__file__).parent, java_home(Path(tempfile.mkdtemp()))
    paths = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]
    return os.environ | {
        "SPARK_HOME": str(home),
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(paths),
        "SPARK_LOCAL_IP": "127.0.0.1",
        **({} if java is None else {"JAVA_HOME": str(java)}),
    }


@contextmanager
def started(name: str, words: list[str], log: Path, **more: str) -> Iterator[subprocess.Popen]:
    """A process of Spark; it ends, with what it started, when the block does."""
    env = environment()
    command = [f"{env['SPARK_HOME']}/bin/spark-class", *words]
    with (log / f"{name}.log").open("wb") as output:
        process = subprocess.Popen(
            command, env=env | more, cwd=log, stdout=output, stderr=output, start_new_session=True
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_for(what: str, ready, log: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while not ready():
        if time.monotonic() > until:
            told = "\n".join(each.read_text()[-2000:] for each in log.glob("*.log"))
            raise AssertionError(f"{what} did not start:\n{told}")
        time.sleep(0.2)


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """Two workers of one core each; on two addresses, since a copy of a task goes to another host."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    url = f"spark://127.0.0.1:{port}"
    master = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]  # fmt: skip
    with started("master", master, folder):
        wait_for("the master", lambda: answers("127.0.0.1", port), folder)
        with worker(1, url, folder), worker(2, url, folder):
            told = folder / "master.log"
            wait_for("the workers", lambda: told.read_text().count("Registering worker") >= 2, folder)  # fmt: skip
            yield url


def worker(number: int, url: str, folder: Path):
    host = f"127.0.0.{number}"
    words = ["org.apache.spark.deploy.worker.Worker", "--host", host, "--webui-port", "0", "-c", "1", "-m", "1g"]  # fmt: skip
    words += ["--work-dir", str(folder / f"work{number}"), url]
    return started(f"worker{number}", words, folder, SPARK_LOCAL_IP=host)


@contextmanager
def connect(folder: Path) -> Iterator[str]:
    """A server of Spark Connect on two cores."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    settings = {
        "spark.connect.grpc.binding.port": str(port),
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    words = ["org.apache.spark.deploy.SparkSubmit", "--master", "local[2]"]
    for name, value in settings.items():
        words += ["--conf", f"{name}={value}"]
    words += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]  # fmt: skip
    with started("connect", words, folder):
        wait_for("Spark Connect", lambda: answers("127.0.0.1", port), folder)
        yield f"sc://127.0.0.1:{port}"
