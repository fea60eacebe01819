"""Writes the files of this folder for a new version: ``python tests/old/make.py 0.2``.

Files of earlier versions are never rewritten: every later version must read them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import sottovoce as sv
from sottovoce.core.registry import registered

HERE = Path(__file__).parent


def main(version: str) -> None:
    for cls in registered():
        mechanism = next(iter(cls.examples()))
        indices = np.arange(60) % mechanism.domain.size
        reports = mechanism.randomize_indices(indices, sv.Seeded(1))
        tally = mechanism.tally(reports)
        said = {
            "fingerprint": mechanism.fingerprint, "n": tally.n, "cells": tally.cells.tolist(),
            "shares": sv.estimate(tally, "unbiased").shares.tolist(),
        }  # fmt: skip
        stem = f"{cls.name}.{version}"
        if not (HERE / f"{stem}.svt").exists():
            tally.write(HERE / f"{stem}.svt")
            reports.write(HERE / f"{stem}.parquet")
            (HERE / f"{stem}.json").write_text(json.dumps(said, indent=1) + "\n")
    survey = HERE / f"survey.{version}.json"
    if not survey.exists():
        mechanism = sv.mechanism("olh", sv.Categories(["a", "b", "other"]), 1.0)
        text = sv.Survey(
            "letters", "Which?", mechanism, "week", 50, "other", "2026-01-01"
        ).to_json()
        survey.write_text(text + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
