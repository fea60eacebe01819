"""Did you mean: names of mechanisms, methods, options, columns, settings and commands."""

from __future__ import annotations

import pytest

import sottovoce as sv
from sottovoce.base.checks import check_choice
from sottovoce.base.errors import CorruptBytes, InvalidInput, Unfit
from sottovoce.base.suggestions import did_you_mean, unknown
from sottovoce.core.registry import mechanism_from_document
from sottovoce.service import load_settings
from support.commands import refusal, run

FOUR = sv.Categories(4)


def test_the_nearest_name_is_meant():
    assert did_you_mean("OLH ", ["grr", "olh"]) == "Did you mean 'olh'?"
    assert did_you_mean("drnk", ["Drink", "age"]) == "Did you mean 'Drink'?"
    assert did_you_mean("zzz", ["grr", "olh"]) == ""
    assert did_you_mean(7, ["grr"]) == did_you_mean("grr", []) == ""
    assert unknown("color", "rd", ["red"]) == "unknown color 'rd'. Did you mean 'red'?"
    assert unknown("color", "x", ["red", "blue"]) == "unknown color 'x'. Known: red, blue"


def test_names_of_the_library():
    with pytest.raises(Unfit, match="^unknown mechanism 'local_hashing'. Did you mean 'local-ha"):
        sv.mechanism("local_hashing", FOUR, 1.0)
    document = sv.mechanism("grr", FOUR, 1.0).document()
    with pytest.raises(CorruptBytes, match="'randomised-response'. Did you mean 'randomized-resp"):
        mechanism_from_document({**document, "mechanism": "randomised-response"})
    tally = sv.mechanism("grr", FOUR, 1.0).tally(sv.mechanism("grr", FOUR, 1.0).randomize([1] * 9))
    with pytest.raises(Unfit, match="^unknown method 'norm_sub'. Did you mean 'norm-sub'\\?$"):
        sv.estimate(tally, "norm_sub")
    with pytest.raises(Unfit, match="^unknown method 'magic'. Known: auto, unbiased"):
        sv.estimate(tally, "magic")
    with pytest.raises(InvalidInput, match=r"Did you mean 'hash_range'\?$"):
        sv.mechanism("olh", FOUR, 1.0, hash_rang=2)
    with pytest.raises(InvalidInput, match=r"option tolerances of em .*Did you mean 'tolerance'"):
        sv.estimate(tally, "em", tolerances=2)
    with pytest.raises(InvalidInput, match=r"one of day, week; got 'weak'. Did you mean 'week'\?"):
        check_choice("weak", "window", "Survey", ("day", "week"))


def test_settings_of_a_collector(tmp_path):
    path = tmp_path / "collector.toml"
    path.write_text("prt = 8000\n")
    with pytest.raises(InvalidInput, match=r"got 'prt'. Did you mean 'port'\?"):
        load_settings(path, {})


def test_columns_and_commands(tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("drink,age\ntea,3\n")
    more = ["--column", "drnk", "--values", "tea,water", "-m", "grr", "-e", 1]
    told = refusal("randomize", people, "-o", tmp_path / "r.parquet", *more)
    assert f"no column 'drnk' in {people} (it has: drink, age). Did you mean 'drink'?" in told
    assert "Did you mean 'estimate'?" in run("estimte", people, code=2).stderr
    assert "Did you mean 'olh'?" in refusal("methods", "-m", "ohlh", "--size", 4, "-e", 1)
