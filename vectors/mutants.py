"""One-token mutants of Python code: what a client may have got wrong in one place.

Kinds: another comparison, another operator, a constant one more or less, a condition negated,
``and`` for ``or``, ``min`` for ``max``, a statement left out, the branches of an ``if`` exchanged.
Types, messages and text are left as they are.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Mutant", "mutants_of"]

_COMPARED: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}  # fmt: skip
_OPERATED: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Div: ast.Mult, ast.Pow: ast.Mult, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
}  # fmt: skip
_NAMED = {"min": "max", "max": "min", "all": "any", "any": "all"}
_LEFT_OUT = (ast.AugAssign, ast.Raise, ast.Continue, ast.Break)


@dataclass(frozen=True)
class Mutant:
    """A module with one change; ``name`` says where and what, and no two are alike."""

    module: str
    owner: str
    """Module and function."""
    at_import: bool
    """Whether the change is outside of all functions."""
    name: str
    source: str
    place: tuple[int, int]
    """Which node, and which of its changes."""

    def tree(self) -> ast.Module:
        """The changed module, to be compiled."""
        tree, (number, change) = ast.parse(self.source), self.place
        site = _sites(tree)[number]
        site.put(_others(site.node)[change])
        return ast.fix_missing_locations(tree)


@dataclass(frozen=True)
class _Site:
    """A node and where it hangs."""

    owner: str
    in_function: bool
    parent: Any
    field: str
    place: int | None

    @property
    def node(self) -> Any:
        value = getattr(self.parent, self.field)
        return value if self.place is None else value[self.place]

    def put(self, node: ast.AST) -> None:
        if self.place is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.place] = node


def mutants_of(module: str, source: str) -> Iterator[Mutant]:
    """All mutants of a module."""
    seen: Counter[str] = Counter()
    for number, site in enumerate(_sites(ast.parse(source))):
        for change, other in enumerate(_others(site.node)):
            owner = f"{module}.{site.owner}"
            name = f"{owner}: {_text(site.node)} -> {_text(other)}"
            seen[name] += 1
            again = f" ({seen[name]})" if seen[name] > 1 else ""
            outside = not site.in_function
            yield Mutant(module, owner, outside, name + again, source, (number, change))


def _text(node: ast.AST) -> str:
    return "`" + ast.unparse(node).split("\n")[0][:100].replace("|", "\\|") + "`"


def _sites(tree: ast.Module) -> list[_Site]:
    """Every node but annotations and messages."""
    return list(_walk(tree, "module", False))


def _walk(node: ast.AST, owner: str, inside: bool) -> Iterator[_Site]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        owner = node.name if owner == "module" else f"{owner}.{node.name}"
        inside = inside or isinstance(node, ast.FunctionDef)
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list") or _is_strict(node):
            continue
        for place, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.AST):
                place_in_list = place if isinstance(value, list) else None
                yield _Site(owner, inside, node, field, place_in_list)
                yield from _walk(child, owner, inside)


def _is_strict(node: ast.AST) -> bool:
    """``strict=`` of ``zip`` checks the code itself."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _others(node: ast.AST) -> list[ast.AST]:
    """What may stand in the place of a node."""
    if isinstance(node, ast.Compare):
        return [
            _with(node, ops=[other() if i == place else op for i, op in enumerate(node.ops)])
            for place, operator in enumerate(node.ops)
            for other in _COMPARED[type(operator)]
        ]
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATED:
        return [_with(node, op=_OPERATED[type(node.op)]())]
    if isinstance(node, ast.BoolOp):
        return [_with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.Constant):
        return _constants(node)
    if isinstance(node, (ast.IfExp, ast.If)):
        return [_with(node, test=ast.UnaryOp(ast.Not(), node.test))]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NAMED:
        return [_with(node, func=ast.Name(_NAMED[node.func.id], ast.Load()))]
    if isinstance(node, ast.Raise) and "NotImplementedError" in ast.unparse(node):
        return []
    called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    if called or isinstance(node, _LEFT_OUT):
        return [ast.Pass()]
    return []


def _constants(node: ast.Constant) -> list[ast.AST]:
    if isinstance(node.value, bool):
        return [ast.Constant(not node.value)]
    if isinstance(node.value, int):
        return [ast.Constant(node.value + by) for by in (1, -1)]
    return []


def _with(node: ast.AST, **changed: Any) -> ast.AST:
    other = copy.copy(node)
    for field, value in changed.items():
        setattr(other, field, value)
    return other
