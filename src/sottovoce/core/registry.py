"""Mechanisms by name: the explaining name, or the name a paper gave, in any case."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from typing import Any, TypeVar

from sottovoce.core.domain import Domain, domain_from_json
from sottovoce.core.errors import CorruptBytes, InvalidInput, SottovoceError, Unfit
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.suggestions import did_you_mean, unknown

__all__ = [
    "declare",
    "mechanism",
    "mechanism_from_document",
    "mechanism_from_json",
    "register",
    "registered",
]

_WHERE: dict[str, str] = {}
"""Modules that register a name when they are imported."""
_CLASSES: dict[str, type[Mechanism]] = {}
_NAMES: dict[str, tuple[type[Mechanism], Mapping[str, Any]]] = {}

M = TypeVar("M", bound=type[Mechanism])


def register(cls: M) -> M:
    """Make a mechanism known under its name and its paper names; a taken name is refused."""
    for name, options in {cls.name: {}, **cls.aka}.items():
        if name in _NAMES:
            raise InvalidInput("name", cls.__name__, "not taken yet", name)
        _NAMES[name] = (cls, options)
    _CLASSES[cls.name] = cls
    return cls


def declare(module: str, *names: str) -> None:
    """Say that importing ``module`` registers ``names``: it is imported when one is asked for."""
    _WHERE.update(dict.fromkeys(names, module))


def _is_known(name: object) -> bool:
    """Whether a mechanism has that name, its module imported if need be."""
    if not isinstance(name, str):
        return False
    if name not in _NAMES and name in _WHERE:
        import_module(_WHERE[name])
    return name in _NAMES


def registered() -> Iterator[type[Mechanism]]:
    """Every registered mechanism, in order of name."""
    for module in dict.fromkeys(_WHERE.values()):
        import_module(module)
    return iter(cls for _, cls in sorted(_CLASSES.items()))


def mechanism(name: str, domain: Domain, epsilon: float | None = None, **options: Any) -> Mechanism:
    """Make a mechanism by name.

    >>> import sottovoce as sv
    >>> print(sv.mechanism("OLH", sv.Categories(1024), 1.0))
    local-hashing(Categories(1024), epsilon=1)
    """
    key = name.strip().lower() if isinstance(name, str) else name
    if not _is_known(key):
        raise Unfit(unknown("mechanism", name, sorted({*_NAMES, *_WHERE})))
    if "report_bins" in options and key != "binned":
        bins, asked = options.pop("report_bins"), {"mechanism": key, "options": options}
        return mechanism("binned", domain, epsilon, report_bins=bins, oracle=asked)
    cls, preset = _NAMES[key]
    for option, value in preset.items():
        if options.get(option, value) != value:
            raise InvalidInput(option, name, f"{value!r} (or use {cls.name!r})", options[option])
    arguments = {**preset, **options}
    if epsilon is not None:
        arguments["epsilon"] = epsilon
    try:
        return cls(domain, **arguments)
    except TypeError as error:
        names = [each.name for each in fields(cls) if each.name != "domain"]
        strange = next((option for option in arguments if option not in names), "")
        allowed, hint = f"among {', '.join(names)}", did_you_mean(strange, names)
        told = f"{arguments}: {error}"
        raise InvalidInput("options", cls.name, allowed, told, hint=hint) from error


def mechanism_from_json(text: str) -> Mechanism:
    """Rebuild a mechanism from its canonical JSON."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise CorruptBytes(f"the description of a mechanism is no JSON: {error}") from error
    return mechanism_from_document(document)


def mechanism_from_document(document: Any) -> Mechanism:
    """Rebuild a mechanism from its document; its weights are taken as they are, and checked."""
    named = document.get("mechanism") if isinstance(document, Mapping) else document
    if not _is_known(named) or named not in _CLASSES:
        raise CorruptBytes(unknown("mechanism", named, (cls.name for cls in registered())))
    if document.get("version") != 1:
        raise CorruptBytes(
            f"{document['mechanism']} of version {document.get('version')!r}; this version reads 1"
        )
    try:
        return _CLASSES[document["mechanism"]](
            domain_from_json(document["domain"]),
            epsilon=float(document["epsilon"]),
            weights=document["weights"],
            **document["options"],
        )
    except SottovoceError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptBytes(
            f"the description of {document['mechanism']} is incomplete: {error}"
        ) from error
