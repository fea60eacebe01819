"""The pages of the project as data: which there are, their headings, links and blocks of code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(
    r"^( *)(`{3,}|~{3,}) *([\w-]*)[^\n]*\n(.*?)^\1\2 *$\n?", re.MULTILINE | re.DOTALL
)
_HEADING = re.compile(r"^#{1,6} +(.*?) *#* *$", re.MULTILINE)
_ATTRIBUTE = re.compile(r"(?:id|name)=\"([^\"]+)\"")
_LINK = re.compile(
    r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(<?([^()\s>]+(?:\([^()]*\))?)>?(?: \"[^\"]*\")?\)"
)
_SOURCE = re.compile(r"(?:src|href)=\"([^\"]+)\"")


@dataclass(frozen=True)
class Block:
    """A fenced block: what it is said to be, its text, and the line that it begins in."""

    kind: str
    text: str
    line: int
    before: str
    """The prose since the block before."""


@dataclass(frozen=True)
class Page:
    """A page of Markdown."""

    path: Path

    @property
    def name(self) -> str:
        """Its path in the project, or its name elsewhere."""
        if not self.path.is_relative_to(ROOT):
            return self.path.name
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def blocks(self) -> list[Block]:
        """All blocks in the order of reading."""
        found, last = [], 0
        for each in _FENCE.finditer(self.text):
            line = self.text.count("\n", 0, each.start()) + 1
            indent = each[1]
            lines = [row.removeprefix(indent) for row in each[4].splitlines(keepends=True)]
            found.append(Block(each[3], "".join(lines), line, self.text[last : each.start()]))
            last = each.end()
        return found

    @cached_property
    def prose(self) -> str:
        """The text without its blocks."""
        return _FENCE.sub("\n", self.text)

    @cached_property
    def anchors(self) -> set[str]:
        """What links can point to: headings, numbered where they repeat, and ids of HTML."""
        found: set[str] = set()
        for heading in _HEADING.findall(self.prose):
            slug, number = slug_of(heading), 0
            while (numbered := f"{slug}_{number}" if number else slug) in found:
                number += 1
            found.add(numbered)
        return found | set(_ATTRIBUTE.findall(self.prose))

    @cached_property
    def links(self) -> list[str]:
        """Targets of links and pictures; code that looks like one is none."""
        prose = re.sub(r"(`+).+?\1", "`code`", self.prose, flags=re.DOTALL)
        return [each[2] for each in _LINK.findall(prose)] + _SOURCE.findall(prose)

    def target(self, link: str) -> tuple[Path, str]:
        """The file and anchor that a relative link points to."""
        path, _, anchor = link.partition("#")
        return ((self.path.parent / path).resolve() if path else self.path), anchor


def slug_of(heading: str) -> str:
    """The anchor that the site gives a heading."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    ascii_only = text.encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_only).strip().lower())


@cache
def page(path: Path) -> Page:
    """The page at a path; read once."""
    return Page(path)


@cache
def docs_pages() -> tuple[Page, ...]:
    """Every page of the site."""
    return tuple(page(path) for path in sorted(DOCS.rglob("*.md")))


@cache
def all_pages() -> tuple[Page, ...]:
    """Every page of the project: the site's, and those beside the code."""
    top = sorted(ROOT.glob("*.md"))
    beside = sorted(
        path for folder in ("deploy", "vectors") for path in (ROOT / folder).rglob("*.md")
    )
    return (*(page(path) for path in (*top, *beside)), *docs_pages())
