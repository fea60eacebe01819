"""Commands of trust: a publisher's key, signing, the log, links with tokens, and what left a device."""

from __future__ import annotations

import json
import stat

import pytest

import sottovoce as sv
from sottovoce.device.client import Client
from sottovoce.surveys.signing import PublisherKey, SignedSurvey
from support.commands import refusal, run, run_json
from support.devices import MONDAY
from support.loading import running


@pytest.fixture
def place(tmp_path):
    """A running collector, its publish key in a file, and two surveys."""
    with running(tmp_path) as collector:
        (tmp_path / "key").write_text(collector.keys.of_role("publish"))
        for name in ("one", "two"):
            run(
                "survey",
                "new",
                tmp_path / f"{name}.toml",
                "--values",
                "a,b",
                "--question",
                f"{name}?",
            )
        collector.folder = tmp_path
        collector.at = ["--url", collector.url]
        collector.keyed = [*collector.at, "--key-file", tmp_path / "key"]
        yield collector


def test_a_publisher_makes_a_key_and_shows_its_public_half(tmp_path):
    file = tmp_path / "publisher.pem"
    public = run("publisher", "new", file).stdout.strip()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert run("publisher", "show", file).stdout.strip() == public
    assert run_json("publisher", "show", file) == {"publisher": public}
    assert PublisherKey.from_pem(file.read_bytes()).public == public
    assert "this one is taken" in refusal("publisher", "new", file)
    assert run_json("publisher", "new", file, "--force")["publisher"] != public
    file.write_text("-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n")
    assert "not an unencrypted Ed25519 private key in PEM" in refusal("publisher", "show", file)


def test_a_survey_is_signed_and_answered_by_who_pins_the_key(place, tmp_path):
    public = run("publisher", "new", tmp_path / "p.pem").stdout.strip()
    told = run_json("publish", tmp_path / "one.toml", *place.keyed, "--sign", tmp_path / "p.pem")
    assert (told["published"], told["publisher"]) == (True, public)
    again = run("publish", tmp_path / "one.toml", *place.keyed, "--sign", tmp_path / "p.pem")
    assert f"signed by {public}" in again.stderr
    found = place.store.surveys()[told["fingerprint"]]
    signed = SignedSurvey(found.survey, found.publisher, found.signature)
    client = Client(signed, publisher=public, url=place.url, folder=tmp_path / "device")
    assert client.report("a").state == "acknowledged"
    run("publisher", "new", tmp_path / "other.pem")
    other = ["--sign", tmp_path / "other.pem"]
    assert "mismatch" in refusal("publish", tmp_path / "one.toml", *place.keyed, *other)
    assert "--close" in refusal("publish", tmp_path / "one.toml", *place.keyed, "--close", *other)


def test_the_log_is_verified_and_must_continue(place, tmp_path):
    kept = tmp_path / "head.json"
    empty = run_json("log", "verify", *place.at)
    assert (empty["in_order"], empty["size"], empty["entries"]) == (True, 0, [])
    run("publish", tmp_path / "one.toml", *place.keyed)
    shown = run("log", "verify", *place.at, "--head", kept)
    assert "1 publications, head" in shown.stdout
    assert "not signed" in shown.stdout
    assert shown.stderr == "in order\n"
    run("publish", tmp_path / "two.toml", *place.keyed)
    told = run("log", "verify", *place.at, "--head", kept)
    assert "continues the 1 of last time" in told.stderr
    assert json.loads(kept.read_text())["size"] == 2
    with place.store.database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM publications WHERE number = 1")
    place.app.collector_state.refresh()
    failed = run("log", "verify", *place.at, "--head", kept, code=3)
    assert "it has 1 entries, and had 2" in failed.stderr
    assert json.loads(kept.read_text())["size"] == 2, "the head of the longer log stays"
    assert run_json("log", "verify", *place.at, "--head", kept, code=3)["in_order"] is False
    kept.write_text(json.dumps({"url": "https://other.example", "size": 1, "head": "0" * 64}))
    assert "has the head of https://other" in refusal("log", "verify", *place.at, "--head", kept)
    kept.write_text("{}")
    assert "is not a head" in refusal("log", "verify", *place.at, "--head", kept)


def test_links_have_their_token_after_the_hash(place, tmp_path):
    run("publish", tmp_path / "one.toml", *place.keyed, "--upload", "tokens")
    page = "https://survey.example/answer?lang=en"
    asked = ["tokens", tmp_path / "one.toml", *place.keyed, "--count", 2, "--links"]
    links = run(*asked, page).stdout.split()
    assert [link.partition("#")[0] for link in links] == [page, page]
    fingerprint = next(iter(place.store.surveys()))
    for link in links:
        token = link.partition("#")[2]
        assert place.keys.read_token(fingerprint, f"Bearer {token}") is not None
    for wrong in ("survey.example", "https://a.example/#x", "javascript:alert(1)", ""):
        assert "--links of tokens must be the address of a page" in refusal(*asked, wrong)


def test_everything_that_left_a_device_is_shown(tmp_path):
    assert "a folder with the file ledger.sqlite" in refusal("device", "view", "--folder", tmp_path)
    key, grr = PublisherKey.generate(), sv.mechanism("grr", sv.Categories(["a", "b"]), 0.5)
    more = {"folder": tmp_path, "clock": lambda: MONDAY}
    first = Client(sv.Survey("rain", "?", grr, series="Weather"), **more)
    assert "nothing was ever drawn" in run("device", "view", "--folder", tmp_path).stderr
    rain = first.report("a")
    sun = Client(key.sign(sv.Survey("sun", "??", grr, "week", series="weather")), **more).report(
        "b"
    )
    shown = run("device", "view", "--folder", tmp_path).stdout
    for text in (
        "2 reports",
        "rain",
        "sun",
        "2026-W47",
        "once",
        "pending",
        rain.id.hex(),
        key.public,
    ):
        assert text in shown, text
    told = run_json("device", "view", "--folder", tmp_path)
    assert {each["upload"] for each in told["reports"]} == {rain.upload.hex(), sun.upload.hex()}
    spent = {(each["of"], each["which"]): each["epsilon"] for each in told["spent"]}
    assert spent == {
        ("name", "rain"): 0.5, ("name", "sun"): 0.5, ("series", "weather"): 1.0,
        ("publisher", key.public): 0.5, ("total", ""): 1.0,
    }  # fmt: skip


def test_nothing_is_drawn_for_a_survey_that_takes_no_reports(place, tmp_path):
    (tmp_path / "values.txt").write_text("a\nb\n")
    asked = ["send", tmp_path / "one.toml", tmp_path / "values.txt", *place.at]
    kept = ["--journal", tmp_path / "journal"]
    assert "is not published. Nothing was drawn" in refusal(*asked, *kept)
    run("publish", tmp_path / "one.toml", *place.keyed, "--upload", "tokens")
    assert "needs a token. Nothing was drawn" in refusal(*asked, *kept)
    run("tokens", tmp_path / "one.toml", *place.keyed, "--allowance", 2, "-o", tmp_path / "token")
    run("publish", tmp_path / "two.toml", *place.keyed)
    run("publish", tmp_path / "two.toml", *place.keyed, "--close")
    closed = ["send", tmp_path / "two.toml", tmp_path / "values.txt", *place.at]
    assert "is closed. Nothing was drawn" in refusal(*closed)
    told = run_json(*asked, *kept, "--token-file", tmp_path / "token")
    assert (told["stored"], told["code"]) == (2, "")
