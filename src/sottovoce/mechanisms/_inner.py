"""The mechanism inside another: what was asked for, as a name and options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sottovoce.base.errors import InvalidInput
from sottovoce.core.mechanism import Mechanism

__all__ = ["asked_mechanism", "check_forgets", "described"]


def asked_mechanism(asked: Any, parameter: str, owner: str) -> tuple[str, Mapping[str, Any]]:
    """Name and options of the mechanism that ``parameter`` asks for.

    It is a name, a mapping of ``mechanism`` and ``options`` as in a document, or a mechanism, of which a
    copy is made with another epsilon.
    """
    if isinstance(asked, str):
        return asked, {}
    if isinstance(asked, Mechanism):
        return asked.name, asked.options()
    if isinstance(asked, Mapping) and set(asked) == {"mechanism", "options"}:
        return asked["mechanism"], asked["options"]
    raise InvalidInput(parameter, owner, "the name of a mechanism", asked)


def described(inner: Mechanism) -> dict[str, Any]:
    """The same for a document."""
    return {"mechanism": inner.name, "options": inner.options()}


def check_forgets(inner: Mechanism, parameter: str, owner: str) -> None:
    """Memory is around a mechanism, not inside one: there nothing would be kept."""
    if inner.remembers:
        allowed = "a mechanism without memory"
        raise InvalidInput(parameter, owner, allowed, inner.name)
