"""The client in TypeScript agrees with every golden vector, and its `dist` is what its `src` builds."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

CLIENT = Path(__file__).parents[2] / "clients" / "js"
BUNDLE = CLIENT / "dist" / "sottovoce.js"
NODE = shutil.which("node")
TOOLS = CLIENT / "node_modules" / ".bin"
OLDEST = 20
LARGEST_BUNDLE = 40_000
"""Bytes of the readable bundle after gzip. Cohorts and memory are 4,950 of them: the mechanism with its certificates and costs 1,900,
the device 1,500, rules of surveys 650, words 900. All kinds of questions and their mechanisms are 6,950."""


def node_reason() -> str:
    """Why the client cannot run here; empty where it can."""
    if NODE is None:
        return "node is not on the PATH"
    version = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout
    major = int(version.lstrip("v").split(".")[0])
    return "" if major >= OLDEST else f"node {OLDEST} or newer is needed; this is {version.strip()}"


REASON = node_reason()
needs_node = pytest.mark.skipif(bool(REASON), reason=REASON or "node is there")
needs_tools = pytest.mark.skipif(
    not (TOOLS / "esbuild").exists(), reason="clients/js/node_modules is missing: make js"
)


def test_node_is_there_where_it_is_demanded():
    """`SOTTOVOCE_NEED=node`, which `.ci/run` sets, turns a skip into a failure."""
    if "node" in os.environ.get("SOTTOVOCE_NEED", "").split(","):
        assert not REASON


@needs_node
def test_the_client_passes_its_tests():
    tests = sorted(str(path) for path in CLIENT.glob("test/*.test.js"))
    assert len(tests) >= 11
    done = subprocess.run(
        [NODE, "--test", "--test-concurrency=2", *tests],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr
    counts = [
        (int(passed), int(cases))
        for passed, cases in re.findall(r"[.]json: (\d+) of (\d+) cases", done.stdout)
    ]
    assert all(passed == cases for passed, cases in counts)
    assert sum(cases for _, cases in counts) == cases_of_the_vectors()


def cases_of_the_vectors() -> int:
    """The number of cases in all files of `vectors/`."""
    total = 0
    for path in (CLIENT.parents[1] / "vectors").glob("*.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        if "mechanism" in document:
            total += sum(len(survey["cases"]) for survey in document["surveys"])
        else:
            total += len(document["cases"]) + len(document.get("clock", ()))
    return total


@needs_node
@needs_tools
def test_dist_is_what_src_builds(tmp_path):
    package = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    bundle = package["scripts"]["bundle"].replace("dist/sottovoce.js", f"{tmp_path}/sottovoce.js")
    run([NODE, str((TOOLS / "tsc").resolve()), "-p", str(CLIENT), "--outDir", str(tmp_path)])
    run([NODE, *bundle.split()[1:]])
    assert contents(CLIENT / "dist") == contents(tmp_path), "run make js"


def run(command: list[str]) -> None:
    done = subprocess.run(
        command, cwd=CLIENT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def contents(folder: Path) -> dict[str, str]:
    """Every file of a folder that is built from `src`, by its path in it."""
    files = (path for path in folder.rglob("*") if path.is_file() and not is_of_pages(path))
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files}


def is_of_pages(path: Path) -> bool:
    """Whether a file of `dist` is built from `page`, which `test_js_page.py` is about."""
    return path.parent.name == "page" or path.name in ("answer.js", "ask.js")


def test_the_package_names_no_host_and_no_dependency():
    lock = (CLIENT / "package-lock.json").read_text(encoding="utf-8")
    assert "://" not in lock
    assert '"resolved"' not in lock
    package = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    assert "dependencies" not in package
    assert set(package["devDependencies"]) == {"esbuild", "fake-indexeddb", "typescript"}
    assert not re.search(r"^import |\bimport\(", BUNDLE.read_text(), re.M)


def test_the_bundle_is_small():
    assert len(gzip.compress(BUNDLE.read_bytes(), 9)) <= LARGEST_BUNDLE


def test_the_code_runs_under_a_strict_content_security_policy():
    files = [*(CLIENT / "src").rglob("*.ts"), *(CLIENT / "dist").rglob("*.js")]
    assert len(files) > 80
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\beval\b|innerHTML|Function\(|Math\.random|document\.write", text), (
            path
        )
        bundled = path == BUNDLE or is_of_pages(path)
        assert bundled or len(text.splitlines()) <= 400, path
