"""The golden vectors: the library agrees with each, and the generator makes just these."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

import sottovoce as sv
from independent.golden import FOLDER, digest, load, survey_bytes, upload_bytes
from sottovoce.base.canonical import canonical_json
from sottovoce.base.errors import CorruptBytes, InvalidInput, NotTrusted, Refused, SottovoceError
from sottovoce.core.registry import registered
from sottovoce.domains.base import domain_from_json
from sottovoce.service.upload.reading import decode_upload, parse_upload
from sottovoce.surveys.publications import LogHead, follow
from sottovoce.surveys.signing import SignedSurvey, message_of
from sottovoce.surveys.windows import (
    check_window,
    first_day,
    window_days,
    window_index,
    window_name,
)
from sottovoce.wire.payloads import payloads_of, reports_from_payloads
from sottovoce.wire.uploads import REFUSALS, Upload, encode_upload
from vectors.make import MAKERS, made, text_of
from vectors.report_cases import certificate_of, held
from vectors.value_cases import index_of
from vectors.words import as_if_drawn

VECTORS = load()
MECHANISMS = sorted(name for name, document in VECTORS.items() if "mechanism" in document)
KINDS = ("surveys", "limits", "weights", "repeated")
REFUSED_SURVEYS = ("mechanisms-refused", *(f"{kind}-refused" for kind in KINDS))
TAKEN_SURVEYS = tuple(f"{kind}-taken" for kind in KINDS)


class Poured:
    """Prepared words, however many are asked for at once."""

    secure = False

    def __init__(self, data: bytes) -> None:
        self.rest = np.frombuffer(data, dtype="<u8").astype(np.uint64)

    def words(self, count):
        drawn, self.rest = self.rest[:count], self.rest[count:]
        assert len(drawn) == count
        return drawn


@pytest.mark.parametrize("name", MECHANISMS)
def test_words_and_a_value_give_the_upload(name):
    for document in VECTORS[name]["surveys"]:
        survey = sv.Survey.from_json(document["survey"])
        assert (survey.to_json(), survey.fingerprint) == (
            document["survey"],
            document["fingerprint"],
        )
        assert certificate_of(survey.mechanism) == document["certificate"]
        if "largest" in document:
            largest = bytes.fromhex(document["largest"])
            assert payloads_of(reports_from_payloads(survey.mechanism, [largest])) == [largest]
        for payload in document.get("beyond", ()):
            with pytest.raises(Refused, match="wrong-payload"):
                reports_from_payloads(survey.mechanism, [bytes.fromhex(payload)])
        for case in document["cases"]:
            source = Poured(bytes.fromhex(case["words"]))
            value = survey.admit(held(survey.mechanism.domain, case["value"]))
            reports = as_if_drawn(survey.mechanism.randomize(value, source=source))
            assert len(source.rest) == 0
            upload = Upload.of(survey, case["window"], [bytes.fromhex(case["id"])], reports)
            assert digest(upload.payloads[0]) == case["payload"]
            data = encode_upload(upload)
            assert digest(data) == case["msgpack"]
            assert decode_upload(data, survey).reports == reports
            if "json" in case:
                assert encode_upload(upload, "json").decode() == case["json"]
                assert decode_upload(case["json"].encode(), survey, "json").reports == reports


@pytest.mark.parametrize("name", TAKEN_SURVEYS)
def test_surveys_are_taken(name):
    for case in VECTORS[name]["cases"]:
        survey = sv.Survey.from_json(survey_bytes(case).decode())
        assert survey.fingerprint == case["fingerprint"], case["why"]
        assert certificate_of(survey.mechanism) == case["certificate"], case["why"]


@pytest.mark.parametrize("name", REFUSED_SURVEYS)
def test_surveys_are_refused(name):
    for case in VECTORS[name]["cases"]:
        with pytest.raises(SottovoceError):
            sv.Survey.from_json(survey_bytes(case))
            pytest.fail(f"taken: {case['why']}")


def test_values_have_their_inputs():
    for case in VECTORS["values"]["cases"]:
        value = float(case["number"]) if "number" in case else case["value"]
        domain = domain_from_json(case["domain"])
        found = index_of(domain, case["outside"], case["steps"], value)
        expected = {key: case[key] for key in ("input", "position", "refused") if key in case}
        assert found == expected, case


def test_uploads_are_taken_in_any_length_and_are_one_upload():
    document = VECTORS["uploads-taken"]
    surveys = {mark: sv.Survey.from_json(text) for mark, text in document["surveys"].items()}
    assert all(survey.fingerprint == mark for mark, survey in surveys.items())
    for case in document["cases"]:
        data = upload_bytes(case)
        upload = parse_upload(data, case["form"])
        assert digest(encode_upload(upload)) == case["shortest"], case["why"]
        received = decode_upload(data, surveys, case["form"])
        assert len(received.reports) == len(received.ids) == len(upload.ids)
        if "json" in case:
            assert encode_upload(upload, "json").decode() == case["json"]
            assert decode_upload(case["json"].encode(), surveys, "json").reports == received.reports


def test_wrong_uploads_are_refused_with_their_code():
    document = VECTORS["uploads-refused"]
    surveys = {mark: sv.Survey.from_json(text) for mark, text in document["surveys"].items()}
    for case in document["cases"]:
        with pytest.raises(Refused) as caught:
            decode_upload(upload_bytes(case), surveys, case["form"])
        found = (caught.value.code, caught.value.position)
        assert found == (case["code"], case["position"]), case["why"]
        assert str(caught.value).startswith(f"{case['code']}: ")


def test_signed_surveys_are_taken_from_the_pinned_key_alone():
    for case in VECTORS["signed"]["cases"]:
        try:
            signed = SignedSurvey.from_json(case["text"])
            signed.check_pinned(case["publisher"])
        except SottovoceError:
            assert not case["taken"], case["name"]
        else:
            assert case["taken"], case["name"]
            assert (signed.to_json(), message_of(signed.survey).decode()) == (
                case["text"],
                case["message"],
            )


def test_logs_are_followed_or_refused():
    for case in VECTORS["log"]["cases"]:
        try:
            head = vars(follow(LogHead(**case["kept"]), case["entries"]))
        except NotTrusted:
            head = None
        assert head == case["head"], case["name"]


def test_windows_have_their_names_and_days():
    for case in VECTORS["windows"]["cases"]:
        if "refused" in case:
            with pytest.raises(InvalidInput, match="window of a survey with window"):
                window_days(case["window"], case["name"])
            continue
        assert window_name(case["window"], date.fromisoformat(case["day"])) == case["name"]
        first, last = window_days(case["window"], case["name"])
        assert [first.isoformat(), last.isoformat()] == [case["first"], case["last"]]
        if "number" in case:
            assert window_index(case["window"], last) == case["number"]
            assert first_day(case["window"], case["number"]) == first


def test_the_clock_says_what_the_vectors_say():
    plain = sv.mechanism("grr", sv.Categories(2), 1.0)
    for case in VECTORS["windows"]["clock"]:
        rules = {key: case[key] for key in ("window", "opens", "closes")}
        survey, today = sv.Survey("s", "?", plain, **rules), date.fromisoformat(case["today"])
        code = ""
        try:
            check_window(survey, case["name"], earliest=today, latest=today)
        except Refused as refused:
            code = refused.code
        assert code == case["code"], case


def test_there_are_vectors_for_everything():
    counts = {
        name: sum(len(told["cases"]) for told in VECTORS[name]["surveys"]) for name in MECHANISMS
    }
    assert {cls.name for cls in registered()} == set(counts)
    assert sum(counts.values()) >= 4000
    assert min(counts.values()) >= 50
    refused = Counter(case["code"] for case in VECTORS["uploads-refused"]["cases"])
    assert set(refused) == {
        "unknown-survey", "wrong-version", "malformed", "wrong-payload", "no-id", "too-large"
    }  # fmt: skip
    assert set(refused) <= set(REFUSALS)
    assert sum(len(VECTORS[name]["cases"]) for name in REFUSED_SURVEYS) >= 700
    sizes = [path.stat().st_size for path in FOLDER.glob("*.json")]
    assert max(sizes) < 600_000
    assert sum(sizes) < 4_800_000


def test_payloads_have_every_width():
    """Lengths on both sides of every change of form, and numbers of 1, 2, 4 and 8 bytes."""
    lengths = Counter()
    for name in MECHANISMS:
        for document in VECTORS[name]["surveys"]:
            survey = sv.Survey.from_json(document["survey"])
            lengths[sum(field.width for field in survey.mechanism.fields)] += 1
    assert {1, 2, 4, 9, 10, 12, 255, 256, 32_768} <= set(lengths)


def test_a_weight_beside_the_ratio_is_told_apart():
    """Of every mechanism some weights hold, and one of their neighbours does not."""
    kept, broken = ({case["why"].split(":")[0] for case in VECTORS[name]["cases"]}
                    for name in ("weights-taken", "weights-refused"))  # fmt: skip
    assert len(kept & broken) >= 30
    nearest = [
        Fraction(case["certificate"]["ratio"])
        for case in VECTORS["weights-taken"]["cases"]
        if case["why"].startswith("response: ")
    ]
    assert abs(max(nearest) - Fraction("2.718281828459045235360287")) < Fraction(1, 10**15)


def test_the_generator_makes_what_is_stored():
    quick = ("haar", "table", "randomized-response", "windows", "values", "uploads-refused")
    check_made(*(f"{name}.json" for name in quick))


@pytest.mark.slow
def test_the_generator_makes_all_that_is_stored():
    assert set(MAKERS) == {path.name for path in FOLDER.glob("*.json")}
    check_made(*MAKERS)


def check_made(*names):
    for name in names:
        document = made(name)
        stored = (FOLDER / name).read_text(encoding="utf-8")
        assert text_of(document) == stored, f"run python -m vectors.make ({name})"
        assert json.loads(stored) == json.loads(json.dumps(document))


def test_taken_texts_are_hashed_in_canonical_form():
    for name in TAKEN_SURVEYS:
        for case in VECTORS[name]["cases"]:
            assert sv.Survey.from_json(case["survey"]).to_json() == canonical_json(
                json.loads(case["survey"])
            )


def test_what_is_not_an_object_is_refused_in_words():
    with pytest.raises(CorruptBytes, match="the survey is not a JSON object"):
        sv.Survey.from_json("2")
    document = json.loads(VECTORS["surveys-taken"]["cases"][0]["survey"])
    text = json.dumps({**document, "mechanism": "randomized-response"})
    with pytest.raises(CorruptBytes, match="description of a mechanism is not an object"):
        sv.Survey.from_json(text)


def test_blank_is_what_has_nothing_above_the_space():
    plain = sv.mechanism("grr", sv.Categories(2), 1.0)
    for blank in ("", " ", "\t\n", "\x1f \x01"):
        with pytest.raises(InvalidInput, match="name of Survey must be text of 1 to 200"):
            sv.Survey(blank, "?", plain)
    assert sv.Survey("\u2003", "?", plain).name == "\u2003"


def test_the_page_counts_them():
    page = (FOLDER.parent / "docs" / "reference" / "wire.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:4] for line in page.splitlines() if ".json`" in line and "|" in line]
    counted = {
        name: int(number.replace(",", ""))
        for files, _, numbers in rows
        for name, number in zip(
            re.findall(r"`([a-z-]+)[.]json`", files), numbers.split(", "), strict=True
        )
    }
    reports = sum(len(told["cases"]) for name in MECHANISMS for told in VECTORS[name]["surveys"])
    assert counted.pop("randomized-response") == reports
    others = {
        name: len(document["cases"]) + len(document.get("clock", ()))
        for name, document in VECTORS.items()
        if name not in MECHANISMS
    }
    assert counted == others
