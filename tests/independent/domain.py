"""What every domain has: its document, of one version or two."""

from __future__ import annotations

from independent.decimals import whole
from independent.documents import demand, keys_of


def is_number(value: object) -> bool:
    return type(value) in (int, float)


class Domain:
    """A list of inputs."""

    size: int
    keys: tuple[str, ...]
    more: tuple[str, ...] = ()
    """Keys of version 2."""

    def __init__(self, document: object) -> None:
        demand(isinstance(document, dict), "not an object")
        self.version = whole(document.get("version"), 1, 2 if self.more else 1)
        keys = (*self.keys, *self.more) if self.version == 2 else self.keys
        self.document = keys_of(document, "kind", "version", *keys)
        self.unit = unit_of(self.document["unit"]) if "unit" in self.document else ""
        self.check()

    def check(self) -> None:
        raise NotImplementedError

    def input_of(self, value):
        """The input of what one person holds."""
        raise NotImplementedError


def unit_of(value: object) -> str:
    """What numbers are of."""
    demand(isinstance(value, str) and len(value) <= 24, "unit")
    assert isinstance(value, str)
    demand(not (value.startswith(" ") or value.endswith(" ")), "spaces at an end of a unit")
    demand(not any(map(is_control, value)), "a control character in a unit")
    return value


def is_control(mark: str) -> bool:
    return mark < " " or "\x7f" <= mark <= "\x9f"
