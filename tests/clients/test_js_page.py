"""The script of the answer page and the element: small, strict, and built from what is beside them."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from clients.test_js import CLIENT, LARGEST_BUNDLE, NODE, TOOLS, needs_node, needs_tools, run

BUNDLES = (CLIENT / "dist" / "answer.js", CLIENT / "dist" / "ask.js")
LARGEST_PAGE, LARGEST_STYLE = 7_800, 1_300
"""Bytes after gzip that the answer page adds to the client, and that the style of the element adds."""


@needs_node
@needs_tools
def test_dist_is_what_page_builds(tmp_path):
    package = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    types, build = package["scripts"]["page"].split(" && ")
    program, *arguments = re.sub(r"(?<![\w./])dist|(?<==)dist", str(tmp_path), build).split()
    run(
        [
            NODE,
            str((TOOLS / "tsc").resolve()),
            *types.split()[1:],
            "--outDir",
            str(tmp_path / "page"),
        ]
    )
    run([NODE if program == "node" else str(TOOLS / program), *arguments])
    names = [*(path.name for path in BUNDLES), *(f"page/{path.name}" for path in declarations())]
    for name in names:
        built = (tmp_path / name).read_text(encoding="utf-8")
        assert (CLIENT / "dist" / name).read_text(encoding="utf-8") == built, f"{name}: run make js"


def declarations():
    found = sorted((CLIENT / "dist" / "page").iterdir())
    assert [path.name for path in found] == [
        f"{path.stem}.d.ts" for path in sorted((CLIENT / "page").glob("*.ts"))
    ]
    return found


def test_the_bundles_are_small():
    page, element = (len(gzip.compress(path.read_bytes(), 9)) for path in BUNDLES)
    assert page <= LARGEST_BUNDLE + LARGEST_PAGE
    assert element <= LARGEST_BUNDLE + LARGEST_PAGE + LARGEST_STYLE


@pytest.mark.parametrize("path", BUNDLES, ids=lambda path: path.name)
def test_a_bundle_loads_nothing(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"^import |\bimport\((?!\"./nodeledger.js\"\))", text, re.M)


def test_pages_are_built_of_elements_and_text():
    """No sink of markup or code, and only names that the package exports."""
    files = sorted((CLIENT / "page").glob("*.ts"))
    assert len(files) >= 7
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not re.search(
            r"\beval\b|(inner|outer|adjacent)HTML|Function\(|document\.write", text
        )
        sources = set(re.findall(r'from "([^"]+)"', text))
        assert all(each == "@sottovoce/client" or each.startswith("./") for each in sources), path
        assert len(text.splitlines()) <= 400
