"""The gallery: every kind of question has an entry, whose code is short and draws its picture."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest
from PIL import Image

from sottovoce.answers.questions import registered_questions
from sottovoce.domains import base as domains

DOCS = Path(__file__).parents[2] / "docs"

_spec = importlib.util.spec_from_file_location("generate_gallery", DOCS / "generate_gallery.py")
gallery = importlib.util.module_from_spec(_spec)
sys.modules["generate_gallery"] = gallery  # dataclasses look their module up
_spec.loader.exec_module(gallery)

ENTRIES = {entry.name: entry for entry in gallery.entries()}
ALL_CODE = "\n".join(entry.code for entry in ENTRIES.values())
MORE = ("draw", "difference", "fuse_mean", "fuse_distribution", "plan", "compare", "influence")
QUICK = ("share", "total", "top", "difference", "plan")


@pytest.mark.parametrize("question", registered_questions(), ids=repr)
def test_every_question_is_asked(question):
    assert f".{question.answer or question.name}(" in ALL_CODE


@pytest.mark.parametrize("kind", domains._KINDS)
def test_every_kind_of_domain_has_an_entry(kind):
    assert f"sv.{domains._KINDS[kind].__name__}(" in ALL_CODE


@pytest.mark.parametrize("function", MORE)
def test_what_else_can_be_asked_has_an_entry(function):
    assert f"sv.{function}(" in ALL_CODE


def test_names_are_those_of_one_entry_each():
    assert len(ENTRIES) == len(list(gallery.entries())) >= 20


@pytest.mark.parametrize("name", ENTRIES)
def test_entries_are_whole(name):
    entry = ENTRIES[name]
    assert 6 <= entry.lines <= 14
    assert entry.question.endswith("?")
    assert max(map(len, entry.code.splitlines())) <= 91  # prompts included
    after = entry.text.partition(f"images/{name}.png)")[2]
    prose = re.sub(r"\([^)]*\)|\[[^\]]*\]", "", after)
    assert len(re.findall(r"[.:;]\s", prose)) >= 3, "says how to read the picture"
    assert "](../" in after, "links to where more is said"
    assert entry.picture.stat().st_size < 60_000
    with Image.open(entry.picture) as picture:
        assert picture.size == gallery.SIZE


def test_no_picture_is_left_over():
    kept = {path.stem for path in (gallery.FOLDER / "images").iterdir()}
    assert kept == set(ENTRIES)


def test_the_cards_are_up_to_date():
    written = (gallery.FOLDER / "index.md").read_text(encoding="utf-8")
    assert written == gallery.index(), "run `make docs`, or python docs/generate_gallery.py"
    for entry in ENTRIES.values():
        assert f"({entry.anchor})" in written


@pytest.mark.parametrize("name", QUICK)
def test_code_draws_a_picture(name, capsys):
    drawn = ENTRIES[name].draw()
    assert drawn.size == gallery.SIZE
    assert len(drawn.getcolors()) > 8


@pytest.mark.slow
@pytest.mark.parametrize("name", ENTRIES)
def test_code_draws_the_picture(name, capsys):
    with Image.open(ENTRIES[name].picture) as kept:
        if kept.info["Software"] != gallery.SOFTWARE:
            pytest.skip("drawn by another version, which may place letters otherwise")
        different = gallery.differs(ENTRIES[name].draw(), kept)
    assert not different, "run `make docs`, and look at the picture"


def test_pictures_of_other_data_differ():
    """Else "up to date" would say nothing."""
    with (
        Image.open(ENTRIES["mean"].picture) as one,
        Image.open(ENTRIES["fused-mean"].picture) as other,
    ):
        assert gallery.differs(one, other)
    with Image.open(ENTRIES["mean"].picture) as one:
        changed = one.convert("RGB")
        changed.paste((255, 255, 255), (0, 0, 400, 200))  # a label is gone
        assert gallery.differs(one, changed)
        assert not gallery.differs(one, one.convert("RGB"))
