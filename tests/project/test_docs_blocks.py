"""Every block of code on every page runs, or is read by what it is for, or is on a list with the reason.

``pycon`` and ``python`` are run by doctest (or whole, where they have no prompts), shells in an
empty folder with our command and a collector where the page starts one, ``toml``, ``json`` and
their like are parsed and loaded.  ``text`` is what a shell block before it wrote, or no code at all.
"""

from __future__ import annotations

import configparser
import contextlib
import doctest
import io
import json
import os
import re
import shutil
import sqlite3
import tomllib
from dataclasses import fields
from fnmatch import fnmatch
from xml.etree import ElementTree

import numpy as np
import pytest

import sottovoce as sv
from docs.generate.commands import commands
from sottovoce.answers.questions.catalogue import GROUP as QUESTION_GROUP
from sottovoce.core.registry import GROUP as MECHANISM_GROUP
from sottovoce.estimators.methods import GROUP as METHOD_GROUP
from sottovoce.experiments.claims import read_claims
from sottovoce.service.settings import Settings, load_settings
from sottovoce.surveys.toml import survey_from_toml
from support.pages import DOCS, ROOT, Block, Page, all_pages, page
from support.shells import Said, blurred, calls, parses, run_blocks

SHELLS = {"sh", "bash", "console"}
PYTHON = {"pycon", "python"}
DATA = {"toml", "json", "yaml", "sql", "ini", "nginx", "html"}

NEVER_RUN = {
    "README.md": {r"^make ": "sets itself up over the network, and runs for minutes"},
    "CONTRIBUTING.md": {
        r"^make ": "the suite would run itself",
        r"^\.venv/bin/python -m pytest": "the suite would run itself",
    },
    "SECURITY.md": {r"^make ": "the suite would run itself"},
    "docs/index.md": {r"^make demo": "sets itself up over the network"},
    "docs/reproductions/*.md": {
        r"reproduce|sottovoce\.experiments": "minutes to hours; slow tests run each paper on less data"
    },
    "docs/tutorials/own-question.md": {r"^make demo": "sets itself up over the network"},
    "docs/how-to/add-a-mechanism.md": {r"-m pytest": "the suite would run itself"},
    "docs/how-to/back-up-and-restore.md": {
        r"^(pg_dump|createdb) ": "needs a PostgreSQL server with accounts"
    },
    "docs/how-to/deploy.md": {
        r"^useradd ": "changes the machine, as root",
        r"^docker |^echo .DATABASE_PASSWORD": "needs a container engine and the network",
    },
    "docs/how-to/deploy-with-postgresql.md": {r"\bsudo ": "changes the machine, as root"},
    "docs/how-to/tally-in-a-warehouse.md": {r"^psql ": "needs a PostgreSQL server with accounts"},
    "docs/how-to/run-on-spark.md": {r"^make spark": "sets itself up over the network"},
    "docs/how-to/upgrade.md": {r"^systemctl ": "changes the machine, as root"},
}
"""Shell blocks that cannot run here: page, what is in the block, and why.  They are read all the same."""

CONTINUE = {
    "docs/how-to/run-a-collector.md": (
        "docs/how-to/issue-tokens.md",
        "docs/how-to/back-up-and-restore.md",
    ),
}
"""Pages that go on with the collector of another; its last block, which stops it, comes after theirs."""

KNOWN = commands()
"""Every command, by what is typed after ``sottovoce``."""


def is_exempt(name: str, block: Block) -> bool:
    return any(
        re.search(needle, block.text, re.MULTILINE)
        for pages_like, needles in NEVER_RUN.items()
        if fnmatch(name, pages_like)
        for needle in needles
    )


def blocks_of(kinds: set[str]) -> list[tuple[Page, Block]]:
    return [(each, block) for each in all_pages() for block in each.blocks if block.kind in kinds]


def ids(pairs: list[tuple[Page, Block]]) -> list[str]:
    return [f"{each.name}:{block.line}" for each, block in pairs]


# -- what a block may be ---------------------------------------------------------------------------


@pytest.mark.parametrize("each", all_pages(), ids=lambda each: each.name)
def test_every_block_says_what_it_is(each):
    for block in each.blocks:
        known = SHELLS | PYTHON | DATA | {"text"}
        assert block.kind in known, f"line {block.line}: ```{block.kind} is none of {sorted(known)}"
    assert each.text.count("\n```") == 2 * len(each.blocks), "a fence is not closed, or not found"


COMMANDS_IN_TEXT = re.compile(
    r"^(sottovoce|sudo|make|docker|pip|python3?|curl|systemctl|pg_dump|pg_restore|createdb|"
    r"useradd|mkdir|export|\.venv/bin/\S+) [^<>=]", re.MULTILINE,
)  # fmt: skip


@pytest.mark.parametrize("each", all_pages(), ids=lambda each: each.name)
def test_commands_are_shell_blocks(each):
    """What a reader is to type is checked; as ``text`` it would not be.  Usage lines are generated."""
    if each.name.startswith("docs/reference/commands/"):
        return
    for block in each.blocks:
        if block.kind == "text":
            found = COMMANDS_IN_TEXT.search(block.text)
            assert found is None, f"line {block.line}: {found} is for a shell: write ```sh"


# -- Python ----------------------------------------------------------------------------------------


def by_pytest(each: Page) -> bool:
    """Whether pytest itself runs the prompts of a page."""
    return each.path == ROOT / "README.md" or each.path.is_relative_to(DOCS)


def test_prompts_are_run_wherever_they_are():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert {"README.md", "docs"} <= set(told["testpaths"])
    assert "--doctest-glob=*.md" in told["addopts"]
    for each in all_pages():
        if not by_pytest(each) and any(">>> " in block.text for block in each.blocks):
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            failed, _ = doctest.testfile(str(each.path), module_relative=False, optionflags=flags)
            assert failed == 0, each.name


def test_what_is_said_to_have_prompts_has_them():
    for each, block in blocks_of({"pycon"}):
        assert block.text.startswith(">>> "), f"{each.name}:{block.line}"


PLAIN = sorted({each.name for each, block in blocks_of({"python"}) if ">>> " not in block.text})


@pytest.mark.parametrize("name", PLAIN)
def test_python_without_prompts_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for block in page(ROOT / name).blocks:
        if block.kind == "python" and ">>> " not in block.text:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block.text, f"{name}:{block.line}", "exec"), names)  # noqa: S102


# -- data -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("each", "block"), blocks_of({"toml"}), ids=ids(blocks_of({"toml"})))
def test_toml_is_loaded_by_what_reads_it(each, block, tmp_path):
    told = tomllib.loads(block.text)
    here = tmp_path / "block.toml"
    here.write_text(block.text)
    known = {each.name for each in fields(Settings)}
    if ("domain" in told or "questions" in told) and "mechanism" in told:
        assert survey_from_toml(block.text).question == told["question"]
    elif set(told) <= known:
        loaded = load_settings(here, environment={})
        assert {name: getattr(loaded, name) for name in told} == told
    elif "project" in told:  # a package of somebody else's, which offers something
        groups = {MECHANISM_GROUP, METHOD_GROUP, QUESTION_GROUP}
        assert set(told["project"]["entry-points"]) <= groups
    else:
        assert set(told) == {"claim"}, f"neither a survey, nor settings, nor claims: {sorted(told)}"
        assert len(read_claims(here)) == len(told["claim"])


def test_settings_are_told_with_their_defaults():
    told = {}
    for block in page(DOCS / "reference" / "settings.md").blocks:
        if block.kind == "toml":
            told |= tomllib.loads(block.text)
    assert told == {each.name: each.default for each in fields(Settings)}


@pytest.mark.parametrize(
    ("each", "block"), blocks_of(DATA - {"toml"}), ids=ids(blocks_of(DATA - {"toml"}))
)
def test_data_is_well_formed(each, block):
    if block.kind == "json":
        json.loads(block.text)
    elif block.kind == "yaml":
        pytest.importorskip("yaml").safe_load(block.text)
    elif block.kind == "ini":
        configparser.ConfigParser(strict=False, interpolation=None).read_string(block.text)
    elif block.kind == "sql":
        assert sqlite3.complete_statement(block.text)
    elif block.kind == "html":
        ElementTree.fromstring(f"<body>{block.text}</body>")  # noqa: S314 - our own page
    else:
        plain = re.sub(r"#.*", "", block.text)
        assert plain.count("{") == plain.count("}")
        assert all(line.rstrip()[-1] in "{};" for line in plain.splitlines() if line.strip())


# -- shells -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("each", "block"), blocks_of(SHELLS), ids=ids(blocks_of(SHELLS)))
def test_commands_have_these_options(each, block):
    for words in calls(block.text):
        if words[0].startswith("-"):
            assert words[0] in ("--version", "--help", "-h"), words
            continue
        name = words[0] if words[0] in KNOWN else " ".join(words[:2])
        assert name in KNOWN, words
        options = {told for option in KNOWN[name].params for told in option.opts} | {"--help", "-h"}
        for word in words:
            if re.match(r"--?[a-zA-Z]", word):
                assert word.partition("=")[0] in options, f"sottovoce {name} has no {word}"


def test_shells_can_read_every_block():
    found = blocks_of(SHELLS)
    together = "".join(f"block{i}() {{\n{block.text}\n}}\n" for i, (_, block) in enumerate(found))
    if parses(together):
        wrong = {f"{each.name}:{block.line}": parses(block.text) for each, block in found}
        assert {where: told for where, told in wrong.items() if told} == {}
        raise AssertionError("blocks can be read one by one, but not together")


def test_make_knows_its_targets():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for each, block in blocks_of(SHELLS):
        for target in re.findall(r"^make ([a-z-]+)", block.text, re.MULTILINE):
            assert target in targets, f"{each.name}: make {target}"


def test_every_exemption_is_needed():
    for pages_like, needles in NEVER_RUN.items():
        for needle, reason in needles.items():
            used = [
                block
                for each, block in blocks_of(SHELLS)
                if fnmatch(each.name, pages_like) and re.search(needle, block.text, re.MULTILINE)
            ]
            assert used and reason, f"{pages_like}: {needle}"


def shell_pages() -> list[str]:
    """Pages with blocks to run, those that continue another with it."""
    continuing = {name for names in CONTINUE.values() for name in names}
    names = [each.name for each, block in blocks_of(SHELLS) if not is_exempt(each.name, block)]
    return [name for name in dict.fromkeys(names) if name not in continuing]


def blocks_to_run(name: str) -> list[tuple[str, int]]:
    """Page and place of every block to run, in order."""

    def own(of: str) -> list[tuple[str, int]]:
        found = page(ROOT / of).blocks
        return [
            (of, i)
            for i, block in enumerate(found)
            if block.kind in SHELLS and not is_exempt(of, block)
        ]

    if name not in CONTINUE:
        return own(name)
    *first, last = own(name)
    return [*first, *(place for other in CONTINUE[name] for place in own(other)), last]


UNIX = pytest.mark.skipif(
    os.name != "posix" or not shutil.which("awk"), reason="needs a Unix shell"
)


@UNIX
@pytest.mark.slow
@pytest.mark.parametrize("name", shell_pages())
def test_shell_blocks_run(name, tmp_path):
    (tmp_path / "work").mkdir()
    if name in GIVEN:
        GIVEN[name](tmp_path / "work")
    places = blocks_to_run(name)
    said = run_blocks([page(ROOT / of).blocks[i] for of, i in places], tmp_path)
    for (of, i), told in zip(places, said, strict=True):
        check_output(page(ROOT / of), i, told)
    everything = "".join(told.everything for told in said)
    for line in SAY.get(name, ()):
        assert line in everything
    for path, lines in LEAVE.get(name, {}).items():
        assert len((tmp_path / "work" / path).read_text().splitlines()) == lines


def check_output(of: Page, i: int, said: Said) -> None:
    """The text after a block: what it wrote; with words between, each line but for its numbers."""
    after = of.blocks[i + 1] if i + 1 < len(of.blocks) else None
    if after is None or after.kind != "text" or re.search(r"^#", after.before, re.MULTILINE):
        return
    where = f"{of.name}:{after.line}"
    if not after.before.strip():
        assert doctest.OutputChecker().check_output(after.text, said.output, doctest.ELLIPSIS), (
            f"{where}\n{said.output}"
        )
        return
    there = blurred(said.everything)
    for line in blurred(after.text):
        assert line in there, f"{where}: {line}\n{said.everything}"


@UNIX
@pytest.mark.parametrize(
    ("shell", "shown", "fine"),
    [
        ("x=2; echo $x", "2\n", True),
        ("x=2; echo $x", "3\n", False),
        ("echo out; echo err >&2", "out\n", True),
        ("echo out; false", "out\n", False),
        ("false | cat", "", False),
        ("sleep 60 & echo on", "on\n", True),
    ],
)
def test_a_wrong_block_would_be_noticed(shell, shown, fine, tmp_path):
    written = tmp_path / "page.md"
    written.write_text(f"# A page\n\n```sh\n{shell}\n```\n\n```text\n{shown}```\n")
    made = Page(written)
    noticed = contextlib.nullcontext() if fine else pytest.raises(AssertionError)
    with noticed:
        (said,) = run_blocks(made.blocks[:1], tmp_path)
        check_output(made, 0, said)


def test_outputs_with_words_before_them_may_have_other_numbers(tmp_path):
    written = tmp_path / "page.md"
    written.write_text("# A page\n\n```sh\ntrue\n```\n\nNearly:\n\n```text\ntea  0.41 -0.1\n```\n")
    check_output(Page(written), 0, Said("", "name share\ntea 0.3999 0.2\n"))
    with pytest.raises(AssertionError):
        check_output(Page(written), 0, Said("", "coffee 0.41 -0.1\n"))


def test_calls_are_found_wherever_they_stand():
    text = (
        "x=$(sottovoce keys --json)\nsudo -u me /opt/bin/sottovoce serve & docker run sottovoce\n"
    )
    assert calls(text) == [["keys", "--json"], ["serve"]]


SAY = {
    "docs/how-to/run-a-collector.md": (
        "5,000 reports: 5,000 stored, 0 there already, 0 pending",
        "3 reports: 3 stored",
        "restored/collector.db: fine",
    ),
}
"""What a page must have seen, whether or not it shows it."""
LEAVE = {"docs/how-to/run-a-collector.md": {"restored/drinks.csv": 5001}}
"""Files that are there in the end, and how many lines they have."""


# -- what pages take for given -------------------------------------------------------------------------


def _people(folder):
    drinks = ["tea", "coffee", "water", "juice"]
    rows = "".join(f"{i},{drinks[i * 7 % 10 % 4]}\n" for i in range(2000))
    (folder / "people.csv").write_text(f"person,drink\n{rows}")


def _ratings(folder):
    items = ["film", "book", "song"]
    rows = "".join(
        f"{i // 2},{items[(i * 7 + i % 2) % 3]},{i % 11 / 2.2:.2f}\n" for i in range(3000)
    )
    (folder / "ratings.csv").write_text(f"user,item,rating\n{rows}")


def _services(folder):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    ages, random = sv.Interval(0, 100, bins=20), np.random.default_rng(1)
    values = random.beta(2, 5, 3000) * 100
    person = pa.array([f"user-{i}" for i in range(len(values))])
    for seed, (name, short, epsilon) in enumerate((("bank", "pm", 1.0), ("shop", "sw", 0.5))):
        reports = sv.mechanism(short, ages, epsilon).randomize(values, source=sv.Seeded(seed))
        pq.write_table(
            reports.to_arrow().append_column("person", person), folder / f"{name}.parquet"
        )
    floats = random.uniform(-2, 2, len(values))
    pq.write_table(pa.table({"person": person, "age": floats}), folder / "old.parquet")


def _monday(folder):
    m = sv.mechanism("olh", sv.Categories(["tea", "coffee", "water", "juice"]), 1.0)
    m.simulate([900, 500, 400, 200], source=sv.Seeded(1)).write(folder / "monday.svt")


GIVEN = {
    "README.md": _people,
    "docs/how-to/ask-about-pairs.md": _ratings,
    "docs/how-to/compare-methods.md": _monday,
    "docs/how-to/fuse-services.md": _services,
}
"""Files that a page speaks of as there already."""
