"""Which columns of a file are read, and whether they suit the domain."""

from __future__ import annotations

from dataclasses import dataclass

from sottovoce.base.errors import InvalidInput
from sottovoce.core.mechanism import Mechanism

__all__ = ["Columns"]


@dataclass(frozen=True)
class Columns:
    """The columns of a file that are read: all private but ``by``."""

    column: str
    number: str | None
    person: str | None
    by: str | None

    def check(self, chosen: Mechanism) -> None:
        """Refuse columns that the domain has no use for, and what must not be in the clear."""
        pairs = chosen.domain.keyed
        if pairs is not None and self.number is None:
            raise InvalidInput("--number", "randomize", "given with --keys", None)
        if pairs is None and self.number is not None:
            raise InvalidInput("--number", "randomize", "left out without --keys", self.number)
        if self.person is not None and (pairs is None or pairs.pairs is None):
            raise InvalidInput("--person", "randomize", "left out without --pairs", self.person)
        private = [name for name in (self.column, self.number, self.person) if name is not None]
        if len(set(private)) < len(private):
            allowed = "different columns"
            raise InvalidInput("--column, --number, --person", "randomize", allowed, private)
        if self.by is None:
            return
        if self.by in private:
            allowed = "a public column, not the private one: it is written in the clear"
            raise InvalidInput("--by", "randomize", allowed, self.by)
        fields = [field.name for field in chosen.fields]
        if self.by in fields:
            allowed = f"no name of a report's own columns ({', '.join(fields)}); rename the column"
            raise InvalidInput("--by", "randomize", allowed, self.by)
