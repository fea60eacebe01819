"""Docstrings as Markdown, and the few shapes that all pages are made of."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence

__all__ = [
    "bullets",
    "code",
    "fence",
    "option_clauses",
    "prose",
    "sentence",
    "split_doctest",
    "table",
]

_ROLE = re.compile(r":\w+:`(~?)([^`]+)`")
_RULE = re.compile(r"^=+(?:\s+=+)+$")
_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s")
_PROMPT = ">>> "


def _role(found: re.Match[str]) -> str:
    """``:func:`~a.b``` is b, and ``:func:`a.b``` as it stands."""
    short, name = found.groups()
    return f"`{name.rpartition('.')[2] if short else name}`"


def inline(text: str) -> str:
    """Roles and double backticks as single ones; one blank after a sentence."""
    text = _ROLE.sub(_role, text).replace("``", "`")
    return re.sub(r"(?<=[.:;?!)`\"*]) {2,}(?=\S)", " ", text)


def fence(kind: str, text: str) -> str:
    """A block of code; doctests need a blank line before its end."""
    end = "\n" if kind == "pycon" else ""
    return f"```{kind}\n{text.rstrip()}\n{end}```"


def split_doctest(docstring: str) -> tuple[str, str]:
    """The words of a docstring, and its examples."""
    words: list[str] = []
    examples: list[str] = []
    for paragraph in inspect.cleandoc(docstring).split("\n\n"):
        (examples if paragraph.startswith(_PROMPT) else words).append(paragraph)
    return "\n\n".join(words), "\n".join(examples)


def prose(docstring: str) -> str:
    """A docstring as Markdown: paragraphs, lists, tables, formulas and examples."""
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(docstring))
    return "\n\n".join(_paragraph(each) for each in paragraphs)


def _paragraph(text: str) -> str:
    lines = text.splitlines()
    if text.startswith(_PROMPT):
        return fence("pycon", text)
    if all(line.startswith("    ") for line in lines):
        return fence("text", inspect.cleandoc(text).replace("``", ""))
    if _RULE.match(lines[0]):
        return _drawn_table(lines)
    return inline(_with_lists(lines))


def _with_lists(lines: Sequence[str]) -> str:
    """A blank line before a list, as Markdown wants it."""
    found: list[str] = []
    for line in lines:
        if _ITEM.match(line) and found and not _ITEM.match(found[0]):
            return "\n".join([*found, "", *lines[len(found) :]])
        found.append(line)
    return "\n".join(found)


def _drawn_table(lines: Sequence[str]) -> str:
    """A table between rules of ``=``, cut where the rules are."""
    ends = [(each.start(), each.end()) for each in re.finditer(r"=+", lines[0])]
    last = len(ends) - 1
    rows = [
        [line[start : None if i == last else end].strip() for i, (start, end) in enumerate(ends)]
        for line in lines
        if not _RULE.match(line)
    ]
    return table(rows[0], rows[1:])


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; bars within cells are escaped."""
    cells = [[str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    lines = [head, ["---"] * len(head), *cells]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def bullets(items: Iterable[str]) -> str:
    """A list."""
    return "\n".join(f"* {item}" for item in items)


def code(names: Iterable[object]) -> str:
    """Names as code, by commas."""
    return ", ".join(f"`{name}`" for name in names)


def sentence(docstring: str | None) -> str:
    """The first sentence of a docstring, for a cell of a table."""
    first = " ".join(inspect.cleandoc(docstring or "").split("\n\n")[0].split())
    return inline(first)


def option_clauses(docstring: str, names: Sequence[str]) -> dict[str, str]:
    """What a docstring says of options: the clause that begins with each.

    >>> option_clauses("``gap`` is how near; ``most`` the most passes.", ["gap", "most"])
    {'gap': 'how near', 'most': 'the most passes'}
    """
    words = " ".join(split_doctest(docstring)[0].replace("\n\n", "  ").split("\n"))
    words = re.sub(r"\s+", " ", words)
    begins = "|".join(map(re.escape, names))
    clause = re.compile(rf"(?:^|(?<=[.;:,] ))``({begins})(\([^`]*\))?`` (?:(is|are) )?")
    found = list(clause.finditer(words))
    ends = [*(each.start() for each in found[1:]), len(words)]
    told: dict[str, str] = {}
    for each, end in zip(found, ends[: len(found)], strict=True):
        text = words[each.end() : end]
        whole = re.match(r"(.*?)(?:\.(?= |$)|$)", text)
        assert whole is not None
        called = f"`{each[1]}{each[2]}` {each[3] or ''} " if each[2] else ""
        text = " ".join(f"{called}{whole[1]}".split()).rstrip(" ;,.")
        told.setdefault(each[1], inline(text.removesuffix(" and")))
    return told
