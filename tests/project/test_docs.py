"""Everything has its page, every page is found, every link leads somewhere, nothing is stale."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from operator import attrgetter

import pytest

import sottovoce as sv
from docs import generate
from docs.generate.commands import commands
from docs.generate.mechanisms import options_of
from docs.generate.methods import options_of_method
from docs.generate.names import _is_mechanism, anchor_of, topic_of
from docs.generate.nav import expanded
from docs.generate.routes import heading
from docs.generate.sections import read_sections
from sottovoce.answers.questions import registered_questions
from sottovoce.base import errors as base_errors
from sottovoce.cli.app import COMMANDS
from sottovoce.cli.shared.exits import EXIT_CODES
from sottovoce.core.registry import registered
from sottovoce.estimators.catalogue import METHODS
from sottovoce.service.metrics import Counters, metrics_text
from sottovoce.service.refusals import CODES, OTHERS
from sottovoce.service.routes import ROUTES
from sottovoce.service.settings import ENVIRONMENT, Settings
from sottovoce.store import Counts
from sottovoce.wire.uploads import REFUSALS
from support.pages import DOCS, ROOT, Page, all_pages, docs_pages, page, slug_of

REFERENCE = DOCS / "reference"
MECHANISMS = sorted(registered(), key=lambda cls: cls.name)


def reference(name: str) -> Page:
    found = REFERENCE / f"{name}.md"
    assert found.is_file(), f"no page {found.relative_to(ROOT)}: run `make docs`"
    return page(found)


def rows(of: Page) -> list[list[str]]:
    """The cells of all rows of tables."""
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in of.prose.splitlines()
        if line.startswith("|")
    ]


# -- what is generated ------------------------------------------------------------------------


def test_generated_pages_are_up_to_date():
    made = generate.pages()
    stale = [name for name, text in made.items() if not _is(DOCS / name, text)]
    assert not stale, f"run `make docs`, or python -m docs.generate: {stale}"
    there = {
        path.relative_to(DOCS).as_posix()
        for folder in generate.FOLDERS
        for path in (REFERENCE / folder).iterdir()
    }
    assert there <= set(made)


def _is(path, text):
    return path.is_file() and path.read_text(encoding="utf-8") == text


# -- everything has its page ---------------------------------------------------------------------


@pytest.mark.parametrize("cls", MECHANISMS, ids=lambda cls: cls.name)
def test_every_mechanism_has_a_page_a_proof_and_a_row(cls):
    own = reference(f"mechanisms/{cls.name}")
    assert (DOCS / "explanation" / "proofs" / f"{cls.name}.md").is_file()
    assert f"../../explanation/proofs/{cls.name}.md" in own.links
    overview = reference("mechanisms")
    assert f"mechanisms/{cls.name}.md" in overview.links
    for name in (cls.name, *cls.aka):
        assert f"`{name}`" in overview.text
        assert f"`{name}`" in own.text
    for option, (means, allowed, default) in options_of(cls).items():
        assert f"\n| `{option}` |" in own.text
        assert means and allowed and default, (
            f"{option} of {cls.name}: say below it what is allowed"
        )


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_has_a_page_and_a_row(method):
    own = reference(f"methods/{method.name}")
    overview = reference("methods")
    (row,) = (row for row in rows(overview) if row[0].startswith(f"[`{method.name}`]("))
    assert ", ".join(f"`{name}`" for name in method.aka) == row[1]
    for option, (_, means) in options_of_method(method).items():
        assert f"\n| `{option}` |" in own.text
        assert means
    assert (row[3] == "yes") == ("Shares sum to 1;" in own.text)
    assert (row[4] == "yes") == ("none is negative" in own.text)


def test_every_metric_has_an_entry_and_is_in_the_overview():
    overview, entries = reference("metrics"), reference("python/metrics")
    functions = [name for name in sv.metrics.__all__ if name[0].islower()]
    assert len(functions) > 10
    for name in functions:
        assert name in entries.anchors
        assert re.search(rf"`{name}[`(]", overview.text), name


def test_every_command_has_a_page_and_every_exit_code_a_row():
    overview = reference("command-line")
    typed = commands()
    assert {command.__name__ for command in COMMANDS} <= set(typed)
    for name, command in typed.items():
        own = f"commands/{name.replace(' ', '-')}"
        assert f"{own}.md" in overview.links
        for option in command.params:
            for told in option.opts if option.param_type_name == "option" else []:
                assert re.search(rf"[` ]{re.escape(told)}[`, ]", reference(own).text), told
    for code in EXIT_CODES:
        assert f"\n| {code} |" in overview.text


def test_every_setting_has_an_entry():
    entries = reference("settings")
    for each in fields(Settings):
        assert each.name in entries.anchors
        assert f"`{ENVIRONMENT}{each.name.upper()}`" in entries.text
        assert each.metadata["means"][1:] in entries.text
        assert f"\n{each.name} = " in entries.text


def test_every_route_has_an_entry():
    entries = reference("routes")
    listed = {row[0].partition("`](")[0].strip("[`"): tuple(row[1:]) for row in rows(entries)}
    for route in ROUTES:
        assert slug_of(heading(route)) in entries.anchors
        assert listed[heading(route)] == (route.role or "anybody", route.means)


def test_every_refusal_has_an_entry_and_those_of_uploads_are_the_wires():
    entries, wire = reference("refusals"), reference("wire")
    for code, told in CODES.items():
        assert code in entries.anchors
        assert f"## {code}\n\nHTTP {told.status}: {told.meaning}." in entries.text
    assert set(CODES) == {*REFUSALS, *OTHERS}
    for code in set(CODES) - set(OTHERS):
        assert f"| `{code}` | {CODES[code].status} |" in wire.text


def test_every_question_has_an_entry():
    assert {each.name for each in registered_questions()} <= reference("questions").anchors


def test_every_error_has_an_entry():
    errors = reference("errors")
    for name in base_errors.__all__:
        if name[0].isupper() and name != "SottovoceError":
            assert name.lower() in errors.anchors, name
    assert "`SottovoceError`" in errors.text


GAUGES = (
    "surveys", "uploads_waiting", "bytes_taken", "ready", "upkeep_failing", "clock_trusted",
)  # fmt: skip


def test_every_metric_of_a_collector_is_told():
    gauges = dict.fromkeys(GAUGES, ("", 0.0))
    text = metrics_text(Counters(), Counts(0, 0, {}, 0, 0), gauges)
    names = re.findall(r"# TYPE (\S+)", text)
    assert names
    assert [name for name in names if f"`{name}`" not in reference("http").text] == []


@pytest.mark.parametrize("name", sv.__all__)
def test_every_public_name_has_an_entry(name):
    overview = reference("python")
    assert f"[`{name}`](" in overview.text
    found = getattr(sv, name)
    if isinstance(found, type) and issubclass(found, sv.Mechanism) and found is not sv.Mechanism:
        assert f"mechanisms/{found.name}.md" in overview.links
        assert f"`sv.{name}`" in reference(f"mechanisms/{found.name}").text
    elif name not in ("metrics", "spark", "testing"):
        assert anchor_of(name) in reference(f"python/{topic_of(name)}").anchors


DOCUMENTED = [
    name
    for name in sv.__all__
    if not inspect.ismodule(getattr(sv, name)) and not _is_mechanism(name)
]
DOCUMENTED += [f"spark.{name}" for name in sv.spark.__all__]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_docstrings_have_the_sections_of_numpydoc(name):
    """Every parameter under its name, what comes back, what is raised, and an example."""
    found = attrgetter(name)(sv)
    sections = read_sections(found.__doc__)
    assert sections.words.partition("\n")[0].endswith("."), "one line first"
    assert "Examples" in sections.texts
    try:
        signature = inspect.signature(found)
    except ValueError:  # an error or a warning
        return
    described = {
        each.strip("*") for listed in sections.items("Parameters") for each in listed.split(", ")
    }
    assert described == set(signature.parameters)
    if inspect.isfunction(found):
        assert {"Returns", "Raises"} <= set(sections.texts)
        raised = set(sections.items("Raises"))
        assert raised <= set(base_errors.__all__), raised


def test_the_folders_are_mapped_for_contributors():
    page = (ROOT / "CONTRIBUTING.md").read_text()
    for folder in (ROOT / "src" / "sottovoce").iterdir():
        if folder.is_dir() and folder.name != "__pycache__":
            assert f"{folder.name}/" in page, folder.name


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


# -- pages are found ---------------------------------------------------------------------------------


def in_nav() -> list[str]:
    """Every page of the site's navigation, as mkdocs sees it."""
    yaml = pytest.importorskip("yaml")
    told = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))

    def leaves(entry):
        if isinstance(entry, str):
            return [entry]
        if isinstance(entry, dict):
            return [leaf for value in entry.values() for leaf in leaves(value)]
        return [leaf for each in entry for leaf in leaves(each)]

    return leaves(expanded(told["nav"], DOCS))


def test_every_page_is_in_the_navigation_once():
    listed = in_nav()
    there = {each.path.relative_to(DOCS).as_posix() for each in docs_pages()}
    assert sorted(set(listed)) == sorted(there)
    assert len(listed) == len(set(listed))


def test_every_page_is_linked_from_another():
    linked = {
        each.target(link)[0]
        for each in all_pages()
        for link in each.links
        if not link.startswith(("http:", "https:", "mailto:")) and each.target(link)[0] != each.path
    }
    alone = [each.name for each in docs_pages() if each.path not in linked]
    assert alone == ["docs/index.md"] or alone == []


def broken(each: Page) -> list[str]:
    """Links that lead nowhere, out of the site, or to another host."""
    found = []
    for link in each.links:
        if re.match(r"[a-z]+:", link):
            if not re.match(HOSTS, link):
                found.append(f"{link}: a page is read without a network")
            continue
        path, anchor = each.target(link)
        if not path.exists():
            found.append(f"{link}: there is no such file")
        elif each.path.is_relative_to(DOCS) and not path.is_relative_to(DOCS):
            found.append(f"{link}: it leaves the site")
        elif anchor and anchor not in page(path).anchors:
            found.append(f"{link}: there is no such heading")
    return found


@pytest.mark.parametrize("each", all_pages(), ids=lambda each: each.name)
def test_links_lead_somewhere(each):
    assert broken(each) == []


def test_a_broken_link_would_be_noticed(tmp_path):
    text = """# A page
[here](#a-page) [there](#elsewhere) [a](other.md) ![b](b.png) <img src="c.png"> [d](https://cdn.example/x)
`[code](nowhere.md)`

```text
[e](nowhere.md)
```

## Twice
## Twice
[second](#twice_1) [third](#twice_2)
"""
    written = tmp_path / "page.md"
    written.write_text(text)
    links = [told.partition(":")[0] for told in broken(Page(written))]
    assert links == ["#elsewhere", "other.md", "b.png", "https", "#twice_2", "c.png"]


HOSTS = r"https://github\.com/(msgpack/msgpack|dequelabs/axe-core)\b"
"""Where links may lead outside: to a standard that others keep, to a tool that checks us."""


def test_headings_begin_with_one_title():
    for each in docs_pages():
        titles = re.findall(r"^# .+$", each.prose, re.MULTILINE)
        assert len(titles) == 1, each.name
        assert each.text.lstrip().startswith(("# ", "---\n")), each.name
