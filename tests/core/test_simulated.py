"""Reports of repeatable randomness are marked, and never get where reports of people go."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.wire.payloads import payloads_of
from sottovoce.wire.uploads import Upload, new_id
from support.commands import run, run_json

DRINKS = sv.Survey("drinks", "?", sv.mechanism("grr", sv.Categories(["tea", "water"]), 1.0))
GRR = DRINKS.mechanism


def test_every_way_to_draw_marks_what_is_repeatable(mechanism):
    seeded, system = sv.Seeded(1), sv.OperatingSystem()
    if mechanism.domain.vector is None or mechanism.name == "sampled-coordinate":
        people = np.arange(3) % mechanism.domain.size
        assert mechanism.randomize_indices(people, seeded).simulated
        assert not mechanism.randomize_indices(people, system).simulated
    if mechanism.domain.vector is not None:
        low, high = mechanism.domain.interval.span
        one = np.linspace(low, high, mechanism.domain.coordinates)
        many = [one, one]
    else:
        one = mechanism.domain.label(0)
        if mechanism.domain.numbers is not None and not mechanism.domain.numbers.whole:
            one = mechanism.domain.span[0]
        elif mechanism.domain.record is not None:
            one = {"a": 0, "b": 0, "c": 0} if len(one) == 3 else {"os": "mac", "age": 31}
        elif mechanism.domain.keyed is not None:
            one = (one[0], mechanism.domain.interval.low)
            one = [one] if mechanism.domain.pairs else one
        many = [one, one]
    for values in (one, many):
        assert mechanism.randomize(values, source=seeded).simulated
        assert not mechanism.randomize(values, source=system).simulated
        assert not mechanism.randomize(values).simulated


def test_the_mark_stays(tmp_path):
    reports = GRR.randomize(["tea", "water"] * 5, source=sv.Seeded(1))
    assert repr(reports).startswith("<10 simulated reports of ")
    reports.write(tmp_path / "r.parquet")
    copies = [
        reports[:3], pickle.loads(pickle.dumps(reports)), copy.deepcopy(reports),  # noqa: S301
        sv.Reports.from_arrow(reports.to_arrow()), sv.Reports.read(tmp_path / "r.parquet"),
    ]  # fmt: skip
    assert all(each.simulated and each.certified for each in copies)
    assert all(each == reports for each in copies[1:])
    drawn = GRR.randomize(["tea"])
    assert not sv.Reports.from_arrow(drawn.to_arrow()).simulated
    assert b"sottovoce.simulated" not in drawn.to_arrow().schema.metadata
    assert sv.Reports(GRR, drawn.columns, simulated=True) != drawn


def test_uploads_stores_and_clients_refuse_them(tmp_path):
    reports = GRR.randomize(["tea"], source=sv.Seeded(1))
    message = (
        "must be drawn with the randomness of the operating system.*Seeded makes reports that can"
    )
    with pytest.raises(InvalidInput, match=message):
        Upload.of(DRINKS, "", [new_id()], reports)
    with pytest.raises(InvalidInput, match=message):  # the rows of a store
        payloads_of(reports)
    with pytest.raises(InvalidInput, match="source of Client must be the operating system's"):
        sv.Client(DRINKS, folder=tmp_path, source=sv.Seeded(1))
    assert len(payloads_of(GRR.randomize(["tea"]))) == 1


def test_they_can_be_counted_and_estimated():
    """They are for simulations: tallies of them are like others."""
    reports = GRR.randomize(["tea"] * 300, source=sv.Seeded(1))
    assert sv.estimate(GRR.tally(reports)).n == 300


def test_the_command_line_marks_them_too(tmp_path):
    values, reports = tmp_path / "v.csv", tmp_path / "r.parquet"
    values.write_text("drink,town\n" + "tea,A\nwater,B\n" * 200)
    arguments = "--column", "drink", "-m", "grr", "-e", 1, "--values", "tea,water", "--by", "town"
    said = run("randomize", values, *arguments, "--seed", 1, "-o", reports).stderr
    assert "these reports are a simulation" in said
    assert sv.Reports.read(reports).simulated
    run("randomize", values, *arguments, "-o", reports, "--force")
    assert not sv.Reports.read(reports).simulated
    assert run_json("estimate", reports)["reports"] == 400
