"""Questions asked together of an estimate or a difference: their goal, and a row per answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from sottovoce.answers.answer import Answer
from sottovoce.answers.comparing import holm
from sottovoce.answers.difference import Difference
from sottovoce.answers.estimate import Estimate
from sottovoce.answers.questions.record import Askable, Question
from sottovoce.answers.questions.subjects import parts_of
from sottovoce.answers.questions.texts import KEY
from sottovoce.answers.top import TopAnswer
from sottovoce.domains.base import Domain

__all__ = ["AskedQuestion", "Questions", "Row"]

Row = dict[str, Any]

_COLUMNS = ("stderr", "low", "high", "p_value", "adjusted")


class AskedQuestion(NamedTuple):
    """A question with its arguments."""

    question: Question
    arguments: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The name of the question."""
        return self.question.name


@dataclass(frozen=True)
class Questions:
    """Questions in the order in which they were asked; none asks for everything.

    Everything is the share of every value, or over pairs the frequency and mean of every key.
    """

    domain: Domain
    asked: tuple[AskedQuestion, ...] = ()
    confidence: float = 0.95

    @property
    def goal(self) -> str:
        """The best goal that all questions have in common, else the whole distribution.

        Over pairs it is the mean or the whole distribution.
        """
        has_keys = parts_of(self.domain).keys is not None
        if not self.asked:
            return "mean" if has_keys else "distribution"
        goals, *others = (each.question.goals for each in self.asked)
        common = (goal for goal in goals if all(goal in more for more in others))
        goal = next(common, "distribution")
        return "distribution" if has_keys and goal != "mean" else goal

    def of(self, source: Askable) -> list[Row]:
        """The answers, one row each.

        Over pairs: first answers about pairs, then frequencies and means of keys, then answers
        about the numbers of the keys that were named.

        P-values of a difference are adjusted for all that was asked; those of its largest values
        for all values, among which they were chosen.
        """
        keys = parts_of(self.domain).keys
        if keys is not None:
            return _adjusted(self._of_pairs(source, keys))
        if not self.asked:
            return _everything(source, self.confidence)
        asked = [row for each in self.asked for row in _rows(source, each, self.confidence)]
        return _adjusted(asked)

    def _of_pairs(self, source: Askable, keys: Domain) -> list[Row]:
        confidence = self.confidence
        rows = [
            row
            for each in self.asked
            if each.question.about == "values"
            for row in _rows(source, each, confidence)
        ]
        chosen = _chosen_keys(source, self.asked) if self.asked else keys.labels()
        rows += [_row("frequency", source.frequency(key, confidence=confidence)) for key in chosen]
        rows += [_row("mean", source.mean(key, confidence=confidence)) for key in chosen]
        on_numbers = [
            each
            for each in self.asked
            if each.question.about == "numbers" and not each.question.in_every_key
        ]
        named = [each.arguments[0] for each in self.asked if each.question.text is KEY]
        for key in dict.fromkeys(named) if on_numbers else ():
            numbers = source.distribution(key)
            for each in on_numbers:
                for row in _rows(numbers, each, confidence):
                    rows.append({**row, "label": f"{key}: {row['label']}"})
        return rows


def _adjusted(rows: list[Row]) -> list[Row]:
    """Holm's p-values over the questions that were asked; ``top`` has its own."""
    named = [row for row in rows if "p_value" in row and row["question"] != "top"]
    for row, adjusted in zip(named, holm([row["p_value"] for row in named]), strict=True):
        row["adjusted"] = float(adjusted)
    return rows


def _chosen_keys(source: Askable, asked: tuple[AskedQuestion, ...]) -> list[Any]:
    """The keys that questions choose, each once; of a difference, from either side."""
    sides = [source] if isinstance(source, Estimate) else [source.first, source.second]
    chosen: dict[Any, None] = {}
    for question, arguments in asked:
        if question.chooses is not None:
            for side in sides:
                chosen.update(dict.fromkeys(question.chooses(side, *arguments)))
    return list(chosen)


def _rows(source: Askable, asked: AskedQuestion, confidence: float) -> list[Row]:
    answers = asked.question.answers(source, asked.arguments, confidence=confidence)
    return [_row(asked.name, answer) for answer in answers]


def _row(question: str, answer: Answer) -> Row:
    row = {
        "question": question, "label": answer.label, "value": answer.value, "stderr": answer.stderr,
        "low": answer.low, "high": answer.high,
    }  # fmt: skip
    if isinstance(answer, TopAnswer):
        return {**row, "false_discovery": answer.false_discovery, "standing": answer.standing}
    if answer.p_value is None:
        return row
    return {**row, "p_value": answer.p_value, "adjusted": answer.adjusted}


def _everything(source: Askable, confidence: float) -> list[Row]:
    """Every value, in the order of the domain."""
    value = "difference" if isinstance(source, Difference) else "share"
    return [
        {
            "question": "share", "label": row["value"], "value": row[value],
            **{name: row[name] for name in _COLUMNS if name in row},
        }
        for row in source.frame(confidence=confidence)
    ]  # fmt: skip
