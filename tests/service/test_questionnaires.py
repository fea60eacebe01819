"""Results of several questions over HTTP: per question, as tables of two, and never from too few reports."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

import httpx
import pytest

from sottovoce.service.refusals import CODES
from support.loading import running
from support.questionnaires import WEEKS, fill_questionnaires, questionnaires

SURVEY = "surveys/{}"


def after():
    return datetime(2026, 12, 1, tzinfo=UTC)


class Asking:
    def __init__(self, found, told):
        self.running, self.told = found, told
        key = found.keys.of_role("read")
        headers = {"authorization": f"Bearer {key}"}
        self.http = httpx.Client(base_url=found.url, headers=headers, timeout=60)

    def get(self, name, path, **parameters):
        return self.http.get(f"surveys/{self.told[name].fingerprint}/{path}", params=parameters)

    def json(self, name, path, **parameters):
        answer = self.get(name, path, **parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refusal(self, name, path, **parameters):
        answer = self.get(name, path, **parameters)
        told = answer.json()
        assert answer.status_code == CODES[told["code"]].status
        return told["code"], told["message"]


@pytest.fixture(scope="module")
def asking(tmp_path_factory):
    told = questionnaires()
    with running(tmp_path_factory.mktemp("several"), *told.values(), clock=after) as found:
        fill_questionnaires(found.store, told)
        for name in ("short", "single", "odd"):
            found.store.close_survey(told[name].fingerprint)
        made = Asking(found, told)
        yield made
        made.http.close()


def test_every_question_has_the_results_of_a_survey_of_its_own(asking):
    ages = asking.json("living", "answers", question="age", mean="1", quantile="0.5")
    assert ages["of_question"] == "age"
    assert 10_000 < ages["reports"] < 15_000  # those about this question, of 27,000
    assert abs(ages["answers"][0]["value"] - 45.2) < 3
    rents = asking.json("living", "estimate", question="rents", window=WEEKS[0])
    assert [row["label"] for row in rents["answers"]] == ["no", "yes"]
    table = asking.get("living", "estimate.csv", question="way")
    assert [row["label"] for row in csv.DictReader(io.StringIO(table.text))] == [
        "bus",
        "car",
        "on foot",
    ]
    assert asking.get("living", "estimate.parquet", question="mood").status_code == 200


def test_questions_have_trends_and_differences(asking):
    trend = asking.json("living", "trend", question="rents", share="yes")
    assert trend["windows"] == list(WEEKS)
    (series,) = trend["trends"]
    assert [(each["first"], each["value"] > 0) for each in series["shifts"]] == [(WEEKS[2], True)]
    steady = asking.json("living", "trend", question="mood", mean="1")["trends"][0]
    assert steady["shifts"] == []
    fingerprint = asking.told["living"].fingerprint
    sides = {
        "first": fingerprint,
        "second": fingerprint,
        "first_window": WEEKS[0],
        "second_window": WEEKS[2],
    }
    found = asking.http.get(
        "differences", params={**sides, "question": "rents", "share": "yes"}
    ).json()
    assert found["of_question"] == "rents"
    assert found["answers"][0]["value"] > 0.05
    assert found["answers"][0]["p_value"] < 1e-4


def test_tables_of_two_questions(asking):
    told = asking.json("living", "table", table="rents,way", independence="1")
    assert told["questions"] == ["rents", "way"]
    assert 1000 < told["reports"] < 27_000  # those about both
    assert sum(cell["share"] for cell in told["cells"]) == pytest.approx(1)
    assert told["independence"]["p_value"] < 1e-9
    assert 0.2 < told["independence"]["cramers_v"] < 0.7
    rows = asking.json("living", "table", table="rents,way", percent="rows")
    within = {(cell["row"], cell["column"]): cell for cell in rows["cells"]}
    assert within["yes", "bus"]["low"] < 0.6 < within["yes", "bus"]["high"]
    assert within["no", "car"]["low"] < 0.7 < within["no", "car"]["high"]
    given = asking.json("living", "table", table="way,rents", given="rents=yes")
    assert given["given"] == {"rents": "yes"}
    assert [cell["share"] for cell in given["cells"]] == [
        within["yes", way]["share"] for way in ("bus", "car", "on foot")
    ]
    text = asking.get("living", "table.csv", table="age,mood", window=WEEKS[1]).text
    cells = list(csv.DictReader(io.StringIO(text)))
    assert len(cells) == 50
    assert {row["note"] for row in cells} == {"", "below noise"}
    assert cells[0]["age"] == "0 to 10"


def test_names_with_signs_in_them(asking):
    name = asking.told["odd"].mechanism.domain.names[0]
    told = asking.json("odd", "table", table=f"{name},a,b=c&d", given="a,b=c&d=yes")
    assert told["questions"] == [name, "a,b=c&d"]
    assert told["given"] == {"a,b=c&d": "yes"}


def test_nothing_is_shown_from_too_few_reports(asking):
    """400 reports are above the minimum batch of 100; those about two questions are not."""
    assert 150 < asking.json("short", "answers", question="age", mean="1")["reports"] < 250
    code, message = asking.refusal("short", "table", table="age,mood")
    assert code == "below-minimum-batch"
    assert "shows nothing from fewer than 100 reports" in message
    assert "both of 'age' and 'mood'" in message
    code, _ = asking.refusal("silent", "table", table="age,mood")
    assert code == "below-minimum-batch"


def test_windows_with_too_few_reports_about_a_question_are_left_out_of_its_trend(
    asking, monkeypatch
):
    from sottovoce.service.analysis import answering

    def few(estimate, *questions):
        return (
            50
            if estimate.n == 9000 and few.calls.append(1) is None and len(few.calls) == 1
            else 5000
        )

    few.calls = []
    monkeypatch.setattr(answering, "reports_about", few)
    found = asking.json(
        "living", "trend", question="way", share="bus", confidence="0.9", to=WEEKS[2]
    )
    assert (found["windows"], found["left_out"]) == ([*WEEKS[1:]], [WEEKS[0]])


@pytest.mark.parametrize(
    ("name", "path", "query", "message"),
    [
        ("living", "estimate", {}, "question of a request must be given: one of age, rents, way, mood"),
        ("living", "answers", {"mean": "1"}, "question of a request must be given"),
        ("living", "trend", {"mean": "1"}, "question of a request must be given"),
        ("living", "answers", {"question": "aeg", "mean": "1"}, "Did you mean 'age'?"),
        ("living", "table", {}, "table of a request for a table must be given: two of age, rents, way, mood"),
        ("living", "table", {"table": "age"}, "two different questions"),
        ("living", "table", {"table": "age,rent"}, "Did you mean 'rents'?"),
        ("living", "table", {"table": "age,way", "percent": "all"}, "percent of a table must be one of"),
        ("living", "table", {"table": "age,way", "percent": "rows", "given": "way=bus"}, "one of the two"),
        ("living", "table", {"table": "age,way", "given": "mood=1"}, "an answer to one of the two"),
        ("living", "table", {"table": "age,way", "confidence": "2"}, "a number between 0 and 1"),
    ],
)  # fmt: skip
def test_bad_requests_say_what_is_wrong(asking, name, path, query, message):
    code, said = asking.refusal(name, path, **query)
    assert code == "invalid"
    assert message in said


def test_what_reports_do_not_tell_is_unfit(asking):
    code, message = asking.refusal("single", "table", table="age,mood")
    assert (code, "asked one question each" in message) == ("unfit", True)
    code, message = asking.refusal("living", "answers", question="way", mean="1")
    assert (code, "needs numbers" in message) == ("unfit", True)


def test_tables_need_the_key_of_a_reader(asking):
    path = f"surveys/{asking.told['living'].fingerprint}/table"
    answer = httpx.get(f"{asking.running.url}/{path}", params={"table": "age,way"})
    assert answer.json()["code"] == "no-key"
