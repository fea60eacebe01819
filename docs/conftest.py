"""For pages that register a mechanism or a method: it goes when the page ends."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import pytest

from sottovoce.core import registry

collect_ignore = ["how-to/run-on-spark.md"]  # needs Spark: tests/engines/spark runs it


@pytest.fixture(autouse=True)
def _only_ours_stay() -> Iterator[None]:
    """Names that a page has registered would else be known to every test that follows."""
    methods = import_module("sottovoce.estimators.methods")
    known = dict(methods._METHODS), dict(methods._NAMES)
    yield
    for names, before in zip((methods._METHODS, methods._NAMES), known, strict=True):
        for name in names.keys() - before.keys():
            del names[name]
    strangers = [
        cls for cls in registry._CLASSES.values() if not cls.__module__.startswith("sottovoce.")
    ]
    for cls in strangers:
        del registry._CLASSES[cls.name]
        for name in (cls.name, *cls.aka):
            del registry._NAMES[name]
