"""Kinds of domain are told apart in mechanisms and domains; elsewhere a domain is asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import sottovoce
from sottovoce.domains.base import domain_kinds

SOURCE = Path(sottovoce.__file__).parent
EXEMPT = ("mechanisms", "domains")
ALLOWED = 0
"""Places at most outside of mechanisms and domains."""

NAMES = {cls.__name__ for cls in domain_kinds().values()}
WORDS = set(domain_kinds())


def mentioned(node: ast.AST, names: set[str]) -> bool:
    """Whether an expression has a kind in it: by name, as an attribute, in a tuple or a union."""
    return any(
        (isinstance(part, ast.Name) and part.id in names)
        or (isinstance(part, ast.Attribute) and part.attr in names)
        for part in ast.walk(node)
    )


def local_names(tree: ast.Module) -> set[str]:
    """Names that stand for kinds in a module: their own, aliases, and constants made of them."""
    names = set(NAMES)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {each.asname for each in node.names if each.asname and each.name in NAMES}
    for node in tree.body:
        made_of = isinstance(node, ast.Assign) and isinstance(
            node.value, (ast.Tuple, ast.List, ast.BinOp, ast.Name, ast.Attribute)
        )
        if made_of and mentioned(node.value, names):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def is_type_of(node: ast.AST) -> bool:
    """``type(x)`` or ``x.__class__``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "type" and len(node.args) == 1
    return isinstance(node, ast.Attribute) and node.attr == "__class__"


def is_kind_of_a_domain(node: ast.AST) -> bool:
    """``domain.kind``, of anything with such a name."""
    named = isinstance(node, ast.Attribute) and node.attr == "kind"
    return named and ast.unparse(node.value).endswith("domain")


def is_word(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Constant) and part.value in WORDS for part in ast.walk(node))


def kind_tests(tree: ast.Module) -> Iterator[int]:
    """Lines in which code tells kinds of domain apart."""
    names = local_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            asks = node.func.id in ("isinstance", "issubclass") and len(node.args) == 2
            if asks and mentioned(node.args[1], names):
                yield node.lineno
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            by_type = any(map(is_type_of, sides)) and mentioned(node, names)
            by_word = any(map(is_kind_of_a_domain, sides))
            if by_type or (by_word and any(map(is_word, sides))):
                yield node.lineno
        elif isinstance(node, ast.MatchClass) and mentioned(node.cls, names):
            yield node.cls.lineno


def places() -> list[str]:
    return [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] not in EXEMPT
        for line in kind_tests(ast.parse(path.read_text(encoding="utf-8")))
    ]


def test_kinds_are_told_apart_in_mechanisms_and_domains_only():
    found = places()
    assert len(found) <= ALLOWED, "ask the domain (domains/base.py):\n" + "\n".join(found)


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(domain, Interval)",
        "isinstance(domain, (Domain, Counts))",
        "isinstance(domain, Domain | KeyValues)",
        "isinstance(domain, sv.Vector)",
        "issubclass(kind, Categories)",
        "type(domain) is Interval",
        "type(domain) in (Interval, Counts)",
        "domain.__class__ == Vector",
        "domain.kind == 'interval'",
        "self.domain.kind in ('counts', 'interval')",
        "match domain:\n    case Interval(low=low):\n        pass",
        "match domain:\n    case Other() | sv.Counts():\n        pass",
        "from sottovoce.domains.interval import Interval as Numbers\nisinstance(x, Numbers)",
        "_KINDS = (Interval, Vector)\nisinstance(x, _KINDS)",
    ],
)
def test_every_way_to_tell_kinds_apart_is_found(code):
    assert len(list(kind_tests(ast.parse(code)))) == 1


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(domain, Domain)",
        "domain.numbers is not None",
        "Interval(0, 1)",
        "type(domain) is dict",
        "def read(domain: Interval | None) -> Interval: ...",
        "column.kind == 'interval'",
        "ages = Interval(0, 120)\nisinstance(x, ages)",
    ],
)
def test_other_code_is_left_alone(code):
    assert list(kind_tests(ast.parse(code))) == []
