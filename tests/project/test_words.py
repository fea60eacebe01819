"""What people read is plain technical English: messages, help and pages use none of these words."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import sottovoce as sv

SOURCE = Path(sv.__file__).parent
NOT_PLAIN = re.compile(
    r"\b(tells?|told|telling|speaks? of|worked out|comes? again|held back|for good|whoever|hardly|alike"
    r"|besides?|on the way|as likely as not|a mistake of)\b|(?<!there )\b(?:is|are) no (?!longer\b)",
    re.IGNORECASE,
)


def literals(tree: ast.AST):
    """Text that is not a docstring: what a program shows."""
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in silent
        ):
            yield node.lineno, node.value


def shown(path: Path):
    """The lines of a file that people see."""
    if path.suffix == ".py":
        yield from literals(ast.parse(path.read_text()))
    else:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code = re.findall(r"\{[{%].*?[}%]\}", line)
            quoted = [text for each in code for text in re.findall(r'"([^"]*)"', each)]
            words = re.sub(r"\{[{%#].*?[}%#]\}|<[^>]*>", " ", line)
            yield number, " ".join([words, *quoted])


def files():
    for path in sorted(SOURCE.rglob("*")):
        folder = path.relative_to(SOURCE).parts[0]
        if path.suffix in (".py", ".html") and folder != "experiments":  # those quote papers
            yield path


def test_what_people_read_is_plain():
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {match[0]!r} in {text.strip()[:80]!r}"
        for path in files()
        for line, text in shown(path)
        if " " in text and (match := NOT_PLAIN.search(text))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text", ["it tells the mean only", "these bytes are no tally", "read it beside the file"]
)
def test_words_that_are_not_plain_are_found(text):
    assert NOT_PLAIN.search(text)


@pytest.mark.parametrize("text", ["there are no reports", "it is no longer kept", "a tally"])
def test_plain_words_are_left_alone(text):
    assert not NOT_PLAIN.search(text)
