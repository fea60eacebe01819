"""What is asked of an estimate: options into questions, answers into rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.answers import Difference
from sottovoce.cli.options import split_list
from sottovoce.cli.values import parse_value
from sottovoce.core.answer import Answer
from sottovoce.core.domain import Domain
from sottovoce.core.errors import InvalidInput, Unfit
from sottovoce.core.estimate import Estimate
from sottovoce.core.key_values import KeyValues

__all__ = ["Questions", "Row"]

Row = dict[str, Any]


@dataclass(frozen=True)
class Questions:
    """Shares, totals, the most frequent, answers on numbers and on keys; if nothing is asked, all.

    All is the share of every value, or over pairs the frequency and the mean of every key.
    """

    domain: Domain
    top: int | None = None
    shares: Sequence[str] = ()
    totals: Sequence[str] = ()
    ranges: Sequence[str] = ()
    cdfs: Sequence[float] = ()
    quantiles: Sequence[float] = ()
    mean: bool = False
    variance: bool = False
    keys: Sequence[str] = ()
    top_keys: int | None = None

    def __post_init__(self) -> None:
        pairs = isinstance(self.domain, KeyValues)
        if self._on_keys and not pairs:
            raise Unfit(
                "--key and --top-keys need pairs of keys and numbers; "
                f"these reports are over {self.domain}"
            )
        if pairs and self._on_numbers and not self.keys:
            allowed = "given with questions on numbers, to say whose"
            raise InvalidInput("--key", "estimate", allowed, None)

    @property
    def goal(self) -> str:
        """The goal that the questions have in common, else the whole distribution.

        Ranges, quantiles, the mean and the variance are sums over many values alike; so are
        the frequencies and means of keys.
        """
        if isinstance(self.domain, KeyValues):
            beyond = self._beyond_the_mean or self.shares or self.totals or self.top is not None
            return "distribution" if beyond else "mean"
        asked = {
            "top": self.top is not None,
            "distribution": bool(self.shares),
            "subset": bool(self.totals),
            "range": self._on_numbers,
        }
        goals = [goal for goal, wanted in asked.items() if wanted]
        if goals == ["range"] and not self._beyond_the_mean:
            return "mean"
        return goals[0] if len(goals) == 1 else "distribution"

    @property
    def everything(self) -> bool:
        """Whether nothing in particular is asked."""
        asked = self.shares or self.totals or self._on_numbers or self._on_keys
        return not asked and self.top is None

    @property
    def _on_keys(self) -> bool:
        return bool(self.keys) or self.top_keys is not None

    @property
    def _beyond_the_mean(self) -> bool:
        return bool(self.ranges or self.cdfs or self.quantiles or self.variance)

    @property
    def _on_numbers(self) -> bool:
        return self.mean or self._beyond_the_mean

    def of_estimate(self, estimate: Estimate, confidence: float) -> list[Row]:
        """The answers, a row each, in the order of the options' help."""
        if self.everything and not isinstance(self.domain, KeyValues):
            return [
                {"question": "share", "label": row.pop("value"), "value": row.pop("share"), **row}
                for row in estimate.frame(confidence=confidence)
            ]
        rows = []
        if self.top is not None:
            rows += [_row("top", a) for a in estimate.top(self.top, confidence=confidence)]
        return rows + self._named(estimate, [estimate], confidence)

    def of_difference(
        self, difference: Difference, confidence: float, tops: Iterable[Any]
    ) -> list[Row]:
        """The same questions about a difference; ``tops`` are the indices on top of either side."""
        if self.everything and not isinstance(self.domain, KeyValues):
            return [
                {
                    "question": "share", "label": row["value"], "value": row["difference"],
                    "stderr": row["stderr"], "low": row["low"], "high": row["high"],
                    "p_value": row["p_value"], "adjusted": row["adjusted"],
                }
                for row in difference.frame(confidence=confidence)
            ]  # fmt: skip
        frame = list(difference.frame(confidence=confidence)) if self.top is not None else []
        rows = [
            {
                "question": "top", "label": row["value"], "value": row["difference"],
                "stderr": row["stderr"], "low": row["low"], "high": row["high"],
                "p_value": row["p_value"],
            }
            for row in (frame[index] for index in tops)
        ]  # fmt: skip
        sides = [difference.first, difference.second]
        return rows + self._named(difference, sides, confidence)

    def _named(
        self, told: Estimate | Difference, sides: Sequence[Estimate], confidence: float
    ) -> list[Row]:
        """Questions that estimates and differences answer alike; the former is its only side."""
        rows = []
        for text in self.shares:
            value = parse_value(text, self.domain, "--share")
            rows.append(_row("share", told.share(value, confidence=confidence)))
        for text in self.totals:
            items = split_list(text, "--total")
            values = [parse_value(item, self.domain, "--total") for item in items]
            rows.append(_row("total", told.total(values, confidence=confidence)))
        if isinstance(self.domain, KeyValues):
            return rows + self._of_keys(told, sides, self.domain, confidence)
        return rows + self._of_numbers(told, confidence, mean=self.mean)

    def _of_numbers(
        self, told: Estimate | Difference, confidence: float, *, mean: bool = False
    ) -> list[Row]:
        """Questions on numbers."""
        rows = []
        for text in self.ranges:
            rows.append(_row("range", told.range(*_bounds(text), confidence=confidence)))
        for x in self.cdfs:
            rows.append(_row("cdf", told.cdf(x, confidence=confidence)))
        for q in self.quantiles:
            rows.append(_row("quantile", told.quantile(q, confidence=confidence)))
        if mean:
            rows.append(_row("mean", told.mean(confidence=confidence)))
        if self.variance:
            rows.append(_row("variance", told.variance(confidence=confidence)))
        return rows

    # -- on keys -----------------------------------------------------------------------

    def _of_keys(
        self, told: Estimate | Difference, sides: Sequence[Estimate], domain: KeyValues,
        confidence: float,
    ) -> list[Row]:  # fmt: skip
        """Frequencies, means, and the questions on numbers for each key that was named."""
        named = [parse_value(text, domain.keys, "--key") for text in self.keys]
        chosen = domain.keys.labels() if self.everything else named
        if self.top_keys is not None:
            most = [a.label for side in sides for a in side.top_keys(self.top_keys)]
            chosen = list(dict.fromkeys([*most, *named]))
        rows = [_row("frequency", told.frequency(key, confidence=confidence)) for key in chosen]
        rows += [_row("mean", told.mean(key, confidence=confidence)) for key in chosen]
        for key in named if self._beyond_the_mean else []:
            answers = self._of_numbers(told.distribution(key), confidence)
            rows += [{**row, "label": f"{key}: {row['label']}"} for row in answers]
        return rows


def _row(question: str, answer: Answer) -> Row:
    row = {
        "question": question, "label": answer.label, "value": answer.value, "stderr": answer.stderr,
        "low": answer.low, "high": answer.high,
    }  # fmt: skip
    return row if answer.p_value is None else {**row, "p_value": answer.p_value}


def _bounds(text: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    try:
        bounds = float(low), float(high)
    except ValueError:
        bounds = math.nan, math.nan
    if not colon or not all(map(math.isfinite, bounds)):
        raise InvalidInput("--range", "the command", "two numbers such as 20:30", text)
    return bounds
