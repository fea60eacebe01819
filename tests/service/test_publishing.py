"""What devices ask before they send: about a survey, its signature, and the log, over HTTP."""

from __future__ import annotations

import httpx
import pytest

import sottovoce as sv
from sottovoce.base.errors import NotTrusted, Refused
from sottovoce.device.client import Client
from sottovoce.device.log_check import read_log
from sottovoce.device.remote_collector import Declined, RemoteCollector
from sottovoce.surveys.publications import EMPTY, digest_of, follow
from sottovoce.surveys.signing import PublisherKey
from support.loading import running

KEY = PublisherKey.generate()


def survey_of(number=0):
    return sv.Survey(
        f"s{number}", f"{number}?", sv.mechanism("grr", sv.Categories(["a", "b"]), 1.0)
    )


@pytest.fixture
def collector(tmp_path):
    with running(tmp_path, open_rate=0.0) as made:
        yield made


def posted(collector, path, body):
    key = {"authorization": f"Bearer {collector.keys.of_role('publish')}"}
    return httpx.post(collector.url + path, headers=key, json=body)


def signed_body(signed, **more):
    return {
        "survey": signed.survey.document(),
        "publisher": signed.publisher,
        "signature": signed.signature,
        **more,
    }


def test_a_device_answers_what_is_published_and_no_longer_when_it_is_closed(collector, tmp_path):
    survey = survey_of()
    client = Client(survey, url=collector.url, folder=tmp_path / "one")
    with pytest.raises(Refused, match="is not published. Nothing was drawn"):
        client.report("a")
    assert posted(collector, "/surveys", {"survey": survey.document()}).status_code == 201
    about = httpx.get(f"{collector.url}/surveys/{survey.fingerprint}/about").json()
    assert (about["upload"], about["closed"], about["publisher"]) == ("open", False, "")
    assert client.report("a").state == "acknowledged"
    posted(collector, f"/surveys/{survey.fingerprint}/close", {})
    other = Client(survey, url=collector.url, folder=tmp_path / "other")
    with pytest.raises(Refused, match="is closed. Nothing was drawn"):
        other.report("a")
    assert (other.spent, other.ledger.receipts()) == (0, [])
    unknown = httpx.get(f"{collector.url}/surveys/{'0' * 32}/about")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown-survey")


def test_a_survey_with_tokens_costs_nothing_without_one(collector, tmp_path):
    survey = survey_of()
    posted(collector, "/surveys", {"survey": survey.document(), "rules": {"upload": "tokens"}})
    client = Client(survey, url=collector.url, folder=tmp_path / "device")
    with pytest.raises(Refused, match="needs a token. Nothing was drawn"):
        client.report("a")
    assert client.spent == 0
    (token,) = posted(collector, f"/surveys/{survey.fingerprint}/tokens", {}).json()["tokens"]
    holder = Client(survey, url=collector.url, folder=tmp_path / "device", token=token)
    assert holder.report("a").state == "acknowledged"


def test_the_log_is_read_by_all_page_by_page(collector, monkeypatch):
    from sottovoce.service.api import surveys

    assert httpx.get(f"{collector.url}/log").json() == {
        "size": 0,
        "head": EMPTY.head,
        "entries": [],
    }
    asked = [survey_of(number) for number in range(5)]
    for survey in asked:
        posted(collector, "/surveys", {"survey": survey.document()})
        posted(collector, "/surveys", {"survey": survey.document()})
    monkeypatch.setattr(surveys, "MOST_ENTRIES", 2)
    page = httpx.get(f"{collector.url}/log?start=2").json()
    assert [entry["index"] for entry in page["entries"]] == [2, 3]
    entries, head = read_log(RemoteCollector(collector.url))
    assert [entry.survey for entry in entries] == [digest_of(survey) for survey in asked]
    assert (head.size, head.head) == (page["size"], page["head"])
    assert follow(EMPTY, [entry.document() for entry in entries]) == head
    for start in ("-1", "x", "1.0", "", "9999999999"):
        refused = httpx.get(f"{collector.url}/log?start={start}")
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid")


def test_a_signed_survey_is_verified_kept_and_given_out(collector, tmp_path):
    survey = survey_of()
    signed = KEY.sign(survey)
    remote, path = RemoteCollector(collector.url), f"/surveys/{survey.fingerprint}"
    assert posted(collector, "/surveys", {"survey": survey.document()}).status_code == 201
    with pytest.raises(Declined, match="not-signed"):
        remote.signed_survey(survey.fingerprint)
    told = posted(collector, "/surveys", signed_body(signed))
    assert (told.status_code, told.json()["publisher"]) == (200, KEY.public)
    assert remote.signed_survey(survey.fingerprint) == signed
    assert httpx.get(f"{collector.url}{path}/signed").text == signed.to_json()
    assert [entry.publisher for entry in read_log(remote)[0]] == ["", KEY.public]
    client = Client(signed, publisher=KEY.public, url=collector.url, folder=tmp_path / "device")
    assert client.report("a").state == "acknowledged"


def test_a_wrong_signature_is_not_published(collector):
    signed, other = KEY.sign(survey_of()), KEY.sign(survey_of(1))
    for body, code in (
        (signed_body(signed, signature=other.signature), "not-trusted"),
        (signed_body(signed, publisher=PublisherKey.generate().public), "not-trusted"),
        (signed_body(signed, publisher="ab"), "invalid"),
        ({"survey": signed.survey.document(), "publisher": KEY.public}, "invalid"),
    ):
        refused = posted(collector, "/surveys", body)
        assert refused.json()["code"] == code, refused.text
    assert httpx.get(f"{collector.url}/log").json()["size"] == 0
    posted(collector, "/surveys", signed_body(signed))
    twice = posted(collector, "/surveys", signed_body(PublisherKey.generate().sign(signed.survey)))
    assert (twice.status_code, twice.json()["code"]) == (409, "mismatch")


def test_a_survey_that_is_not_in_the_log_gets_no_report(collector, tmp_path, monkeypatch):
    """A collector that shows some people a survey of their own leaves it out of its log."""
    survey = survey_of()
    posted(collector, "/surveys", {"survey": survey.document()})
    hidden = survey_of(1)
    monkeypatch.setattr("sottovoce.store.catalogue.append", lambda *arguments: None)
    posted(collector, "/surveys", {"survey": hidden.document()})
    client = Client(hidden, url=collector.url, folder=tmp_path / "device")
    with pytest.raises(NotTrusted, match="is not in the log"):
        client.report("a")
    assert client.spent == 0


def test_what_goes_with_every_upload_is_not_held_to_the_open_rate(tmp_path):
    with running(tmp_path, survey_of(), open_rate=1.0) as collector:
        about = f"/surveys/{survey_of().fingerprint}/about"
        for path in (about, "/log"):
            statuses = {httpx.get(collector.url + path).status_code for _ in range(8)}
            assert statuses == {200}
    with running(tmp_path, survey_of(), address_rate=1.0) as collector:
        statuses = {httpx.get(collector.url + about).status_code for _ in range(4)}
        assert 429 in statuses


def test_cohorts_and_memory_are_collected(collector, tmp_path):
    """A collector treats their reports as any others; pages say what all of them cost."""
    yes_no = sv.Categories(["a", "b"])
    kept = sv.mechanism("memoized", yes_no, 1.0, lifetime=2.0)
    remembered = sv.Survey("kept", "Which usually?", kept, "day")
    cohorts = sv.Survey("some", "Which now?", sv.mechanism("grr", yes_no, 1.0), "day", ask="1/2")
    for survey in (remembered, cohorts):
        told = posted(collector, "/surveys", {"survey": survey.document()})
        assert told.status_code == 201, told.text
        text = httpx.get(f"{collector.url}/surveys/{survey.fingerprint}").text
        assert sv.Survey.from_json(text) == survey
    again = posted(collector, "/surveys", {"survey": remembered.document()}).json()
    assert again["windows_answered"] is None
    receipt = Client(remembered, url=collector.url, folder=tmp_path / "kept").report("a")
    assert (receipt.state, receipt.epsilon) == ("acknowledged", "2")
    states = [
        Client(cohorts, url=collector.url, folder=tmp_path / f"some {device}").report("a").state
        for device in range(24)
    ]
    assert set(states) == {"acknowledged", "not-asked"}
    page = httpx.get(collector.url).text
    assert "epsilon 2 for all reports, 1 for one" in page
    assert "once a day, 1/2 of people" in page
