"""What reproductions on sets of numbers tell of their data."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import Any

from sottovoce.base.frame import Frame
from sottovoce.experiments.outcome import Outcome

__all__ = ["NumberOutcome"]


@dataclass(frozen=True, eq=False)
class NumberOutcome(Outcome, ABC):
    """An outcome whose data sets are :class:`~sottovoce.experiments.numbers.Numbers`."""

    def facts(self, source: Any) -> dict[str, Any]:
        return {"people": source.n, "bins": source.bins, "low": source.low, "high": source.high}

    def data_table(self) -> Frame:
        sets = list(self.datasets.values())
        return Frame(
            {
                "name": [d.name for d in sets],
                "data": [d.title for d in sets],
                "from": [f"{d.low:,.0f}" for d in sets],
                "to": [f"{d.high:,.0f}" for d in sets],
                "people": [f"{d.n:,}" for d in sets],
                "bins": [f"{d.bins:,}" for d in sets],
            }
        )
