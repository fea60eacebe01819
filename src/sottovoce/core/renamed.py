"""A mechanism over values by number, for a domain that gives these values their meaning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.randomness import Source
from sottovoce.channels.base import Channel
from sottovoce.channels.rows import Rows
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, Field
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Indices

__all__ = ["RenamedMechanism"]


@dataclass(frozen=True)
class RenamedMechanism(Mechanism):
    """``inner`` with another domain of as many values: its reports, cells and channel are the same.

    An oracle of one question of a record numbers the answers.  Public hashes are placed by everything
    that tells a mechanism apart, its domain included, so that the oracle cannot be made again over the
    question's own domain.  Analysts see it there by this one; devices and files have the record's.
    """

    name: ClassVar[str] = "renamed"

    _: KW_ONLY
    inner: Mechanism

    def _derive_weights(self) -> Any:
        return self.inner.weights

    def __str__(self) -> str:
        return str(self.inner).replace(str(self.inner.domain), str(self.domain))

    @property
    def fields(self) -> tuple[Field, ...]:
        return self.inner.fields

    @property
    def cells(self) -> int:
        return self.inner.cells

    @property
    def blocks(self) -> int:
        return self.inner.blocks

    @property
    def words_per_report(self) -> int:
        return self.inner.words_per_report

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        return iter(())

    def respond(self, index: int, source: Source) -> tuple[Any, ...]:
        return self.inner.respond(index, source)

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column, ...]:
        return self.inner.respond_many(indices, source)

    def count(self, reports: Reports) -> NDArray[np.int64]:
        return self.inner.count(reports)

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        return self.inner._simulate(counts, source)

    def _channel(self) -> Channel:
        return self.inner.channel()

    def rows(self, reports: Reports) -> Rows | None:
        return self.inner.rows(Reports(self.inner, reports.columns))

    def certificate(self) -> Certificate:
        return self.inner.certificate()
