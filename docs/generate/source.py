"""What stands in the source and nowhere else: texts below the attributes of a class."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache

__all__ = ["texts_beside"]


@cache
def _module(name: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[name]))


@cache
def texts_beside(owner: type) -> dict[str, str]:
    """Annotated attributes of a class that have a text below them, and that text."""
    found = {}
    for tree in _module(owner.__module__).body:
        if not isinstance(tree, ast.ClassDef) or tree.name != owner.__name__:
            continue
        for line, below in zip(tree.body, tree.body[1:], strict=False):
            if not isinstance(line, ast.AnnAssign) or not isinstance(line.target, ast.Name):
                continue
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                found[line.target.id] = str(below.value.value)
    return found
