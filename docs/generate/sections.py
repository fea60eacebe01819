"""Sections of numpydoc docstrings: what stands before them, and each as Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from docs.generate.markdown import inline, prose, table

__all__ = ["Sections", "read_sections"]

NAMES = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "See Also", "Notes",
         "References", "Examples")  # fmt: skip
_HEADING = re.compile(rf"^({'|'.join(NAMES)})\n-+\n", re.MULTILINE)
_TABLES = {
    "Parameters": "parameter",
    "Attributes": "attribute",
    "Raises": "error",
    "Warns": "warning",
}


@dataclass(frozen=True)
class Sections:
    """A docstring: the words before its sections, and the text of each section by name."""

    words: str
    texts: dict[str, str] = field(default_factory=dict)

    def items(self, name: str) -> dict[str, tuple[str, str]]:
        """The entries of a section: each name with its type, or what stands for one, and its text."""
        found: dict[str, tuple[str, str]] = {}
        for entry in re.split(r"\n(?=\S)", self.texts.get(name, "").strip()):
            head, _, text = entry.partition("\n")
            called, _, kind = head.partition(" : ")
            if called:
                found[called.strip()] = kind.strip(), inspect.cleandoc(text)
        return found

    def markdown(self) -> Iterator[str]:
        """Every section but the examples, as Markdown."""
        for name, text in self.texts.items():
            if name in _TABLES:
                rows = [
                    (f"`{called}`", _cell(kind, words))
                    for called, (kind, words) in self.items(name).items()
                ]
                yield f"**{name}**\n\n{table([_TABLES[name], ''], rows)}"
            elif name in ("Returns", "Yields"):
                rows = [
                    (f"`{kind}`", _cell("", words)) for kind, (_, words) in self.items(name).items()
                ]
                yield f"**{name}**\n\n{table(['type', ''], rows)}"
            elif name != "Examples":
                yield f"**{name}**\n\n{prose(text)}"


def _cell(kind: str, words: str) -> str:
    """One cell of a table: the type in italics, then the words in one line."""
    line = inline(" ".join(words.split()))
    return f"*{kind}*. {line}" if kind else line


def read_sections(docstring: str) -> Sections:
    """Split a docstring at its headings; one without headings is all words."""
    text = inspect.cleandoc(docstring)
    heads = list(_HEADING.finditer(text))
    if not heads:
        return Sections(text)
    ends = [*(head.start() for head in heads[1:]), len(text)]
    texts = {
        head[1]: text[head.end() : end].strip("\n") for head, end in zip(heads, ends, strict=True)
    }
    return Sections(text[: heads[0].start()].rstrip(), texts)
