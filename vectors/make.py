"""Writes the golden vectors of this folder: ``python -m vectors.make``.

What they are and how to use them is in README.md beside this file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from sottovoce.core.registry import registered
from vectors.memory_cases import remembered
from vectors.repeated_cases import repeated_refused, repeated_taken
from vectors.report_cases import report_vectors
from vectors.signing_cases import log_vectors, signed_vectors
from vectors.survey_cases import (
    limits_refused,
    limits_taken,
    mechanisms_refused,
    refused_surveys,
    taken_surveys,
    weights_refused,
    weights_taken,
)
from vectors.upload_cases import known_surveys, refused_uploads, taken_uploads
from vectors.value_cases import value_vectors
from vectors.window_cases import clock_vectors, window_vectors

HERE = Path(__file__).parent
VERSION = 2


def _cases(make: Callable[[], Iterator[Any]]) -> Callable[[], dict[str, Any]]:
    return lambda: {"cases": list(make())}


def _uploads(make: Callable[[], Iterator[Any]]) -> Callable[[], dict[str, Any]]:
    def document() -> dict[str, Any]:
        surveys = {survey.fingerprint: survey.to_json() for survey in known_surveys().values()}
        return {"surveys": surveys, "cases": list(make())}

    return document


MAKERS: dict[str, Callable[[], dict[str, Any]]] = {
    **{f"{cls.name}.json": partial(report_vectors, cls) for cls in registered()},
    "surveys-taken.json": _cases(taken_surveys),
    "surveys-refused.json": _cases(refused_surveys),
    "mechanisms-refused.json": _cases(mechanisms_refused),
    "limits-taken.json": _cases(limits_taken),
    "limits-refused.json": _cases(limits_refused),
    "weights-taken.json": _cases(weights_taken),
    "weights-refused.json": _cases(weights_refused),
    "repeated-taken.json": _cases(repeated_taken),
    "repeated-refused.json": _cases(repeated_refused),
    "remembered.json": _cases(remembered),
    "values.json": _cases(value_vectors),
    "uploads-taken.json": _uploads(taken_uploads),
    "uploads-refused.json": _uploads(refused_uploads),
    "signed.json": _cases(signed_vectors),
    "log.json": _cases(log_vectors),
    "windows.json": lambda: {"cases": list(window_vectors()), "clock": list(clock_vectors())},
}
"""What every file is made by."""


def made(name: str) -> dict[str, Any]:
    """What is in a file."""
    return {"version": VERSION, **MAKERS[name]()}


def text_of(document: dict[str, Any]) -> str:
    """One line for every case."""
    lines: list[str] = []
    for key, value in document.items():
        if key in ("cases", "clock"):
            lines.append(f'"{key}": [\n' + ",\n".join(map(_line, value)) + "\n]")
        elif key == "surveys" and isinstance(value, list):
            lines.append('"surveys": [\n' + ",\n".join(map(_survey, value)) + "\n]")
        else:
            lines.append(f'"{key}": {_line(value)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _survey(told: dict[str, Any]) -> str:
    rest = {key: value for key, value in told.items() if key != "cases"}
    cases = ",\n".join(map(_line, told["cases"]))
    return _line(rest)[:-1] + ', "cases": [\n' + cases + "\n]}"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def main() -> None:
    """Write all files."""
    for name in MAKERS:
        (HERE / name).write_text(text_of(made(name)), encoding="utf-8")


if __name__ == "__main__":
    main()
