"""``--service FILE:MECHANISM:EPSILON:NAME=VALUE,...``: what is said of a service, and its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sottovoce.base.checks import check_epsilon, check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.cli.shared.options import parse_options
from sottovoce.domains.base import Domain
from sottovoce.domains.interval import Interval
from sottovoce.domains.parsing import split_list
from sottovoce.fusion.joining.files import ServiceFile, file_mechanism

__all__ = ["ServiceText", "open_services"]

_SHAPE = "FILE, FILE:MECHANISM:EPSILON or FILE:MECHANISM:EPSILON:NAME=VALUE,..."


@dataclass(frozen=True)
class ServiceText:
    """What was typed of one service."""

    path: Path
    name: str
    mechanism: str | None = None
    epsilon: float | None = None
    options: dict[str, Any] = field(default_factory=dict)
    """Of the mechanism."""
    key: str | None = None
    column: str | None = None
    units: tuple[float, float] | None = None
    repeats: int = 1

    @classmethod
    def read(cls, text: str) -> ServiceText:
        """The file is as much of the text, up to a colon, as names one that exists.

        >>> ServiceText.read("docs:pm").path
        Traceback (most recent call last):
        ...
        sottovoce.base.errors.InvalidInput: --service of fuse must be FILE, FILE:MECHANISM:EPSILON or FILE:MECHANISM:EPSILON:NAME=VALUE,... with a file that exists; got 'docs:pm'
        """
        pieces = text.split(":")
        cuts = range(len(pieces), 0, -1)
        cut = next((k for k in cuts if Path(":".join(pieces[:k])).is_file()), None)
        if cut is None:
            allowed = f"{_SHAPE} with a file that exists"
            raise InvalidInput("--service", "fuse", allowed, text)
        path, said = Path(":".join(pieces[:cut])), pieces[cut:]
        if len(said) == 1 or len(said) > 3 or not all(said):
            raise InvalidInput("--service", "fuse", _SHAPE, text)
        if not said:
            return cls(path, path.stem)
        more = parse_options(
            split_list(said[2], "--service", "the command") if len(said) == 3 else None
        )
        owner = f"service {more.get('name', path.stem)!r}"
        return cls(
            path,
            _text(more.pop("name", path.stem), "name", owner),
            said[0],
            check_epsilon(_number(said[1], "epsilon", owner), owner),
            key=_optional_text(more.pop("key", None), "key", owner),
            column=_optional_text(more.pop("column", None), "column", owner),
            units=_units(more.pop("units", None), owner),
            repeats=check_int(more.pop("repeats", 1), "repeats", owner, 1),
            options=more,
        )


def _text(value: Any, option: str, owner: str) -> str:
    """A name; one that is all digits was read as a number."""
    if (
        isinstance(value, (bool, float))
        or not isinstance(value, (str, int))
        or not str(value).strip()
    ):
        raise InvalidInput(option, owner, "a name", value)
    return str(value)


def _optional_text(value: Any, option: str, owner: str) -> str | None:
    return None if value is None else _text(value, option, owner)


def _number(text: str, option: str, owner: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidInput(option, owner, "a number", text) from None


def _units(given: Any, owner: str) -> tuple[float, float] | None:
    if given is None:
        return None
    low, dots, high = str(given).partition("..")
    if not dots:
        raise InvalidInput("units", owner, "an interval such as -1..1", given)
    return _number(low, "units", owner), _number(high, "units", owner)


def open_services(
    texts: Sequence[str],
    *,
    key_column: str | None,
    low: float | None,
    high: float | None,
    bins: int | None,
) -> list[ServiceFile]:
    """The files; those of floats are about the domain of ``--low, --high``, or of our own files."""
    services = [ServiceText.read(text) for text in texts]
    inside = [file_mechanism(service.path, service.name) for service in services]
    ours = next((mechanism.domain for mechanism in inside if mechanism is not None), None)
    domain = _domain(low, high, bins) or ours
    if domain is None:
        allowed = "given with --high: no file says what a value may be"
        raise InvalidInput("--low", "fuse", allowed, None)
    return [
        ServiceFile.open(
            service.path, name=service.name, mechanism=service.mechanism, epsilon=service.epsilon,
            domain=domain, key=service.key or key_column, repeats=service.repeats,
            column=service.column, units=service.units, options=service.options,
        )
        for service in services
    ]  # fmt: skip


def _domain(low: float | None, high: float | None, bins: int | None) -> Domain | None:
    if low is None and high is None and bins is None:
        return None
    if low is None or high is None:
        missing = "--low" if low is None else "--high"
        raise InvalidInput(missing, "fuse", "given when --low, --high or --bins is", None)
    return Interval(low, high) if bins is None else Interval(low, high, bins)
