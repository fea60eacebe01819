"""Options that several commands share, and what is made of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from sottovoce.base.errors import InvalidInput
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.domains.base import Domain

__all__ = [
    "AsJson", "ByColumn", "Epsilon", "Force", "MechanismName", "Options", "describe", "make_mechanism",
    "parse_options",
]  # fmt: skip

_MECHANISM = "How it is randomized"

MechanismName = Annotated[
    str,
    typer.Option(
        "--mechanism", "-m", metavar="NAME", rich_help_panel=_MECHANISM,
        help="The mechanism by its explaining or paper name, such as local-hashing or olh.",
    ),
]  # fmt: skip
Epsilon = Annotated[
    float | None,
    typer.Option(
        "--epsilon", "-e", metavar="X", rich_help_panel=_MECHANISM,
        help="The privacy budget per report, from 1e-6 to 20. A table needs none: it is computed from it.",
    ),
]  # fmt: skip
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="NAME=VALUE", rich_help_panel=_MECHANISM,
        help="An option of the mechanism, such as hash_range=2; the value is read as JSON, else as text. "
        "Repeatable.",
    ),
]  # fmt: skip
ByColumn = Annotated[
    str | None,
    typer.Option("--by", metavar="COLUMN", help="A public column that identifies groups."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace an output that exists.")]
AsJson = Annotated[
    bool, typer.Option("--json", help="The result as JSON on standard output, and nothing else there.")
]  # fmt: skip


def parse_options(
    given: Sequence[str] | None, taken: Sequence[str] = ("domain", "epsilon")
) -> dict[str, Any]:
    """``name=value`` pairs; a value is read as JSON where it is JSON, else as text.

    ``taken`` names have options of their own, or none.
    """
    parsed: dict[str, Any] = {}
    for pair in given or ():
        name, equals, text = pair.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise InvalidInput("--option", "the command", "a pair such as alpha=0.05", pair)
        if name in taken:
            allowed = f"another name than {', '.join(taken)}"
            raise InvalidInput("--option", "the command", allowed, pair)
        if name in parsed:
            raise InvalidInput(f"--option {name}", "the command", "given once", pair)
        try:
            parsed[name] = json.loads(text)
        except ValueError:
            parsed[name] = text
    return parsed


def make_mechanism(
    name: str, domain: Domain, epsilon: float | None, options: Sequence[str] | None
) -> Mechanism:
    """The mechanism of that name; only a table's epsilon may be left out."""
    more = parse_options(options)
    if epsilon is None and "weights" not in more:
        raise InvalidInput("--epsilon", name, "given: a number from 1e-6 to 20", None)
    return mechanism(name, domain, epsilon, **more)


def describe(chosen: Mechanism) -> dict[str, Any]:
    """A mechanism in the JSON of a result, with what its epsilon is between where not any two values."""
    scope = chosen.certificate().scope
    return {
        "name": chosen.name,
        "epsilon": chosen.epsilon,
        **({} if scope is None else {"epsilon_between": scope.values}),
        "domain": str(chosen.domain),
        "fingerprint": chosen.fingerprint,
    }
