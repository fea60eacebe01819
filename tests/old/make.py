"""Writes the files of this folder for a new version: ``PYTHONPATH=tests python tests/old/make.py 0.3``.

Files of earlier versions are never rewritten: every later version must read them.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
from contextlib import closing
from datetime import date
from pathlib import Path

import numpy as np

import sottovoce as sv
from sottovoce.core.registry import registered
from sottovoce.mechanisms.question_sets import QuestionSets
from sottovoce.store import Refusals, Rules, Submission, open_store
from sottovoce.store.opening import _scripts
from sottovoce.surveys.charges import uptime
from support.stores import DAY, submission, survey_of

HERE = Path(__file__).parent


def write(mechanism: sv.Mechanism, stem: str) -> None:
    """The reports, the tally, and what it said: unbiased shares, or where there are none the
    ratio of a first pass of expectation-maximisation."""
    if (HERE / f"{stem}.svt").exists():
        return
    indices = np.arange(60) % mechanism.domain.size
    reports = mechanism.randomize_indices(indices, sv.Seeded(1))
    tally = mechanism.tally(reports)
    said = {"fingerprint": mechanism.fingerprint, "n": tally.n, "cells": tally.cells.tolist()}
    channel = mechanism.channel()
    if channel.inverse is not None:
        said["shares"] = sv.estimate(tally, "unbiased").shares.tolist()
    else:
        uniform = np.full(channel.inputs, 1 / channel.inputs)
        said["ratio"] = channel.em_step(uniform, tally.cells.astype(float))[0].tolist()
    tally.write(HERE / f"{stem}.svt")
    reports.write(HERE / f"{stem}.parquet")
    (HERE / f"{stem}.json").write_text(json.dumps(said, indent=1) + "\n")


def write_store() -> None:
    """A store of the present schema: reports held, scrubbed and deleted, folded and not."""
    path = HERE / f"store.{_scripts()[1].get_current_head()}.sql"
    if path.exists():
        return
    survey = survey_of()
    f, sent = survey.fingerprint, submission(survey, 12)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "collector.db"
        with open_store(file) as store:
            store.publish(survey, Rules(scrub=True))
            store.write([Submission(f, DAY, sent.ids[:7], sent.rows[:7])])
            store.scrub(date(2026, 11, 17))
            late = Submission(f, DAY, sent.ids[4:], sent.rows[4:])  # three of them again
            store.write([late, Refusals(f, "wrong-payload", 2)])
            store.fold(f)
            store.delete(f, sent.ids[9])
        with closing(sqlite3.connect(file)) as connection:
            path.write_text("\n".join(connection.iterdump()) + "\n")


def write_ledgers() -> None:
    """A ledger with one report, and one with a cohort and a permanent answer in addition."""
    mechanism = sv.mechanism("olh", sv.Categories(["a", "b", "other"]), 1.0)
    memory = sv.mechanism("memoized", sv.Categories(64), 1.0, lifetime=2.0)
    surveys = [
        sv.Survey("letters", "Which?", mechanism, "week"),
        sv.Survey("cohorts", "Which now?", mechanism, "day", ask="1/7"),
        sv.Survey("memory", "Which number?", memory, "day"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for day, survey in enumerate(surveys, 16):
            client = sv.Client(survey, folder=folder, clock=lambda day=day: date(2026, 11, day))
            client.report("a" if survey.mechanism is mechanism else 5)
            with closing(sqlite3.connect(Path(folder) / "ledger.sqlite")) as connection:
                (version,) = connection.execute("PRAGMA user_version").fetchone()
                dump = "\n".join(connection.iterdump()).replace(uptime()[0], "boot")
            pragmas = f"PRAGMA application_id = 1937140836;\nPRAGMA user_version = {version};\n"
            path = HERE / f"ledger.{version}.sql"
            if not path.exists() and survey is not surveys[1]:
                path.write_text(f"{dump}\n{pragmas}")


def main(version: str) -> None:
    write_store()
    write_ledgers()
    for cls in registered():
        write(next(iter(cls.examples())), f"{cls.name}.{version}")
    for mechanism in QuestionSets.examples():
        if mechanism.design in ("parities", "split"):  # reports of their own form
            write(mechanism, f"question-sets.{mechanism.design}.{version}")
    mechanism = sv.mechanism("olh", sv.Categories(["a", "b", "other"]), 1.0)
    rules = ("Which?", mechanism, "week", 50, "other", "2026-01-01")
    for name, survey in {
        "survey": sv.Survey("letters", *rules),
        "repeated-survey": sv.Survey("letters", *rules, ask="1/30"),
    }.items():
        path = HERE / f"{name}.{version}.json"
        if not path.exists():
            path.write_text(survey.to_json() + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
