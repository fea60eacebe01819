"""What people are told to install and to read is there: nothing by a name that may be a stranger's."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from sottovoce.base.errors import MissingExtra
from sottovoce.service import Settings
from support.commands import run

ROOT = Path(__file__).parents[2]
BY_NAME = re.compile(r"pip install[^\n`]*[ '\"]sottovoce\b")
FILES = [
    path
    for pattern in ("*.md", "docs/**/*.md", "docs/**/*.py", "src/**/*.py", "deploy/*", "Makefile")
    for path in ROOT.glob(pattern)
    if path.is_file()
]


def test_nothing_is_installed_by_a_name_that_is_not_published():
    assert len(FILES) > 400
    wrong = [path for path in FILES if BY_NAME.search(path.read_text(encoding="utf-8"))]
    assert wrong == []
    for line in ("pip install 'sottovoce[all]'", "pip install --upgrade sottovoce"):
        assert BY_NAME.search(line)
    assert not BY_NAME.search("/opt/sottovoce/bin/pip install '.[all]'")


def test_a_missing_extra_is_right_in_a_clone_and_elsewhere():
    told = str(MissingExtra("pyarrow", "analyse", "Parquet"))
    assert "It comes with the extra 'analyse'" in told
    assert "in a clone of the repository, pip install '.[analyse]'" in told


def test_the_help_of_serve_names_the_page_of_all_settings(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    (page,) = set(re.findall(r"docs/[\w/-]+\.md", run("serve", "--help").stdout))
    text = (ROOT / page).read_text(encoding="utf-8")
    assert all(re.search(rf"\b{each.name}\b", text) for each in fields(Settings))


@pytest.mark.parametrize("path", ["README.md", "docs/how-to/deploy.md", "docs/how-to/upgrade.md"])
def test_extras_that_are_named_exist(path):
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = re.findall(r"'\.\[([\w,]+)\]'", (ROOT / path).read_text(encoding="utf-8"))
    assert named
    assert {extra for names in named for extra in names.split(",")} <= set(
        project["optional-dependencies"]
    )
