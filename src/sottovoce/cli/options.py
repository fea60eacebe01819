"""Options that several commands share, and what is made of them: a domain, a mechanism."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sottovoce.core.categories import Categories
from sottovoce.core.counts import Counts
from sottovoce.core.domain import Domain
from sottovoce.core.errors import InvalidInput
from sottovoce.core.interval import Interval
from sottovoce.core.key_values import KeyValues
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.core.texts import split_list

__all__ = [
    "AsJson", "Bins", "ByColumn", "Epsilon", "Force", "High", "Keys", "KeysFile", "Larger", "Low",
    "MechanismName", "Most", "Options", "Pairs", "Size", "Values", "ValuesFile", "describe", "make_domain",
    "make_mechanism", "parse_options",
]  # fmt: skip

_DOMAIN = "What a value may be (names, whole numbers, numbers in bins, or keys with numbers)"
_MECHANISM = "How it is randomized"

Values = Annotated[
    str | None,
    typer.Option(
        "--values", metavar="A,B,C", rich_help_panel=_DOMAIN,
        help="Named values, with commas between them; quote a value that has a comma.",
    ),
]  # fmt: skip
ValuesFile = Annotated[
    Path | None,
    typer.Option(
        "--values-from-file", metavar="FILE", rich_help_panel=_DOMAIN,
        help="Named values, one a line of this UTF-8 file.",
    ),
]  # fmt: skip
Size = Annotated[
    int | None,
    typer.Option(
        "--size", metavar="N", rich_help_panel=_DOMAIN, help="Whole numbers from 0 to N - 1."
    ),
]
Most = Annotated[
    int | None,
    typer.Option(
        "--most", metavar="N", rich_help_panel=_DOMAIN,
        help="How many, from 0 to N: whole numbers in order, with a mean, such as degrees of a graph.",
    ),
]  # fmt: skip
Low = Annotated[
    float | None,
    typer.Option(
        "--low", metavar="X", rich_help_panel=_DOMAIN, help="Numbers from this one, with --high."
    ),
]
High = Annotated[
    float | None,
    typer.Option(
        "--high", metavar="X", rich_help_panel=_DOMAIN, help="Numbers up to this one, with --low."
    ),
]
Bins = Annotated[
    int | None,
    typer.Option(
        "--bins", metavar="N", rich_help_panel=_DOMAIN,
        help="How many equal bins numbers are seen through, with --low and --high; 256 if not given, "
        "with keys 64.",
    ),
]  # fmt: skip
Keys = Annotated[
    str | None,
    typer.Option(
        "--keys", metavar="A,B,C", rich_help_panel=_DOMAIN,
        help="Keys that numbers come with, with --low and --high: a value is a pair.",
    ),
]  # fmt: skip
KeysFile = Annotated[
    Path | None,
    typer.Option(
        "--keys-from-file", metavar="FILE", rich_help_panel=_DOMAIN,
        help="Keys, one a line of this UTF-8 file.",
    ),
]  # fmt: skip
Pairs = Annotated[
    int | None,
    typer.Option(
        "--pairs", metavar="N", rich_help_panel=_DOMAIN,
        help="A person may hold 1 to N pairs with distinct keys; if not given, exactly one.",
    ),
]  # fmt: skip
Larger = Annotated[
    str | None,
    typer.Option(
        "--larger", metavar="WORD", rich_help_panel=_DOMAIN,
        help="Who holds more than N pairs: refuse, or sample, which draws one of them; refuse if not "
        "given.",
    ),
]  # fmt: skip
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
        help="The privacy budget of a report, from 1e-6 to 20. A table needs none: it is read off.",
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
    typer.Option("--by", metavar="COLUMN", help="A public column that tells groups apart."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace an output that exists.")]
AsJson = Annotated[
    bool, typer.Option("--json", help="The result as JSON on standard output, and nothing else there.")
]  # fmt: skip


def make_domain(
    *,
    values: str | None,
    values_file: Path | None,
    size: int | None,
    low: float | None,
    high: float | None,
    bins: int | None,
    most: int | None = None,
    keys: str | None = None,
    keys_file: Path | None = None,
    pairs: int | None = None,
    larger: str | None = None,
) -> Domain:
    """The domain that the options describe, in exactly one of these ways."""
    numbers = low is not None or high is not None or bins is not None
    named = _keys(keys, keys_file, pairs, larger)
    if named and not numbers:
        raise InvalidInput("--low, --high", "the command", "given with keys", None)
    ways = {
        "--values": values is not None,
        "--values-from-file": values_file is not None,
        "--size": size is not None,
        "--most": most is not None,
        "--low, --high": numbers,
    }
    chosen = [way for way, given in ways.items() if given]
    if len(chosen) != 1:
        allowed = f"exactly one of {'; '.join(ways)}"
        raise InvalidInput(
            "the domain", "the command", allowed, "; ".join(chosen) or "none of them"
        )
    if size is not None:
        return Categories(size)
    if most is not None:
        return Counts(most)
    if numbers:
        if low is None or high is None:
            missing = "--low" if low is None else "--high"
            raise InvalidInput(
                missing, "the command", "given when --low, --high or --bins is", None
            )
        if named:
            more: dict[str, Any] = {} if bins is None else {"bins": bins}
            return KeyValues(named, low, high, pairs=pairs, larger=larger or "refuse", **more)
        return Interval(low, high) if bins is None else Interval(low, high, bins)
    if values is not None:
        return Categories(split_list(values, "--values", "the command"))
    assert values_file is not None  # one of the ways was chosen
    return Categories(_lines(values_file, "--values-from-file"))


def _keys(
    keys: str | None, keys_file: Path | None, pairs: int | None, larger: str | None
) -> list[str]:
    """The names of keys; none where values are not pairs."""
    if keys is not None and keys_file is not None:
        raise InvalidInput("--keys, --keys-from-file", "the command", "one of the two", "both")
    if keys is not None:
        return split_list(keys, "--keys", "the command")
    if keys_file is not None:
        return _lines(keys_file, "--keys-from-file")
    for option, given in (("--pairs", pairs), ("--larger", larger)):
        if given is not None:
            raise InvalidInput(option, "the command", "left out without --keys", given)
    return []


def _lines(path: Path, option: str) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").rstrip("\n").split("\n")
    except UnicodeDecodeError as error:
        raise InvalidInput(option, "the command", "UTF-8 text", str(path)) from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            where = f"line {number}"
            raise InvalidInput(where, str(path), "a value; lines must not be blank", line)
    return lines


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
