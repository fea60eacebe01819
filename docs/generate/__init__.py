"""The reference, written from the code: ``python -m docs.generate``, or ``make docs``.

Every function of this package yields pages as pairs of path (below ``docs``) and text.  What is
committed must be what is written now; a test compares.  One is not a page: the stub of names that
are imported lazily, which type checkers read.
"""

from __future__ import annotations

from pathlib import Path

from docs.generate.commands import command_pages
from docs.generate.licences import licence_pages
from docs.generate.mechanisms import mechanism_pages
from docs.generate.methods import method_pages
from docs.generate.names import name_pages
from docs.generate.questions import question_pages
from docs.generate.routes import route_pages
from docs.generate.settings import setting_pages
from docs.generate.stubs import stub_pages

__all__ = ["DOCS", "FOLDERS", "pages", "write"]

DOCS = Path(__file__).parent.parent
FOLDERS = ("mechanisms", "methods", "commands", "python")
"""Folders of the reference in which everything is generated."""


def pages() -> dict[str, str]:
    """Every generated page, by its path below ``docs``."""
    makers = (
        mechanism_pages, method_pages, command_pages, setting_pages, route_pages, question_pages, name_pages,
        licence_pages, stub_pages,
    )  # fmt: skip
    return {path: text for maker in makers for path, text in maker()}


def write() -> int:
    """Write all pages, remove those that are no more, and say how many there are."""
    made = pages()
    for folder in FOLDERS:
        (DOCS / "reference" / folder).mkdir(exist_ok=True)
        for path in (DOCS / "reference" / folder).glob("*.md"):
            if path.relative_to(DOCS).as_posix() not in made:
                path.unlink()
    for name, text in made.items():
        path = DOCS / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return len(made)
