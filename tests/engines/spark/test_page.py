"""The page about Spark runs as it is written."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys

import pytest

from support.spark_cluster import ROOT

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "how-to" / "run-on-spark.md"
RUN = f"""
import doctest, sys
flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
sys.exit(doctest.testfile({str(PAGE)!r}, module_relative=False, optionflags=flags).failed)
"""


def test_the_page_runs(spark, tmp_path):
    """In a process of its own: the page starts a session and stops it."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", RUN], env=os.environ | {"PYTHONPATH": paths}, cwd=tmp_path,
        capture_output=True, text=True, check=False, timeout=400,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


def test_the_page_has_examples():
    examples = doctest.DocTestParser().get_examples(PAGE.read_text())
    assert len(examples) > 20
