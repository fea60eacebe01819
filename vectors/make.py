"""Writes the golden vectors of this folder: ``python -m vectors.make``.

What they are and how to use them is in README.md beside this file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sottovoce.core.registry import registered
from vectors.report_cases import report_vectors
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


def files() -> dict[str, Any]:
    """Every file and what is in it."""
    made: dict[str, Any] = {f"{cls.name}.json": report_vectors(cls) for cls in registered()}
    surveys = {s.fingerprint: s.to_json() for s in known_surveys().values()}
    made["uploads-taken.json"] = {"surveys": surveys, "cases": list(taken_uploads())}
    made["uploads-refused.json"] = {"surveys": surveys, "cases": list(refused_uploads())}
    made["surveys-taken.json"] = {"cases": list(taken_surveys())}
    made["surveys-refused.json"] = {"cases": list(refused_surveys())}
    made["mechanisms-refused.json"] = {"cases": list(mechanisms_refused())}
    made["limits-taken.json"] = {"cases": list(limits_taken())}
    made["limits-refused.json"] = {"cases": list(limits_refused())}
    made["weights-taken.json"] = {"cases": list(weights_taken())}
    made["weights-refused.json"] = {"cases": list(weights_refused())}
    made["values.json"] = {"cases": list(value_vectors())}
    made["windows.json"] = {"cases": list(window_vectors()), "clock": list(clock_vectors())}
    return {name: {"version": VERSION, **document} for name, document in made.items()}


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
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """Write all files."""
    for name, document in files().items():
        (HERE / name).write_text(text_of(document), encoding="utf-8")


if __name__ == "__main__":
    main()
