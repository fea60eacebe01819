"""Tick all that apply, and sensitive answers, at a collector: results, dashboard, answer page."""

from __future__ import annotations

import httpx
import pytest

import sottovoce as sv
from support.dashboards import Board, fill, now
from support.loading import running

PETS = sv.Choices(["cat", "dog", "fish"], most=2)
ILLNESS = sv.Categories(["none", "flu", "HIV"], sensitive=["HIV"])


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    surveys = {
        name: sv.Survey(name, "Which?", sv.mechanism(name, domain, 4.0))
        for name, domain in (
            ("choice-response", PETS), ("drawn-option", PETS), ("sensitive-response", ILLNESS)
        )
    }  # fmt: skip
    folder = tmp_path_factory.mktemp("sets")
    with running(folder, *surveys.values(), open_reading=True, clock=now) as collector:
        for name in ("choice-response", "drawn-option"):
            fill(collector.store, surveys[name], "", [["cat", "dog"]] * 2000 + [["cat"]] * 1000)
        fill(collector.store, surveys["sensitive-response"], "", ["flu"] * 2500 + ["HIV"] * 500)
        found = Board(collector, surveys)
        yield found
        found.http.close()


@pytest.mark.parametrize(
    ("name", "value", "share"),
    [
        ("choice-response", "dog", 2 / 3),
        ("drawn-option", "cat", 1.0),
        ("sensitive-response", "HIV", 1 / 6),
    ],
)
def test_results_and_pages_have_the_shares(board, name, value, share):
    fingerprint = board.surveys[name].fingerprint
    told = httpx.get(
        f"{board.running.url}/surveys/{fingerprint}/answers", params={"share": value}, timeout=60
    )
    assert told.status_code == 200, told.text
    (answer,) = told.json()["answers"]
    assert abs(answer["value"] - share) < 0.08
    page = board.page(name)
    assert "What the privacy means" in page.words and "What fake senders could do" in page.words
    if name == "choice-response":
        assert "none of these" in page.words


def test_totals_of_options_count_ticks(board):
    fingerprint = board.surveys["choice-response"].fingerprint
    path = f"{board.running.url}/surveys/{fingerprint}/answers"
    told = httpx.get(path, params={"total": "cat,dog"}, timeout=60).json()
    assert abs(told["answers"][0]["value"] - 5 / 3) < 0.1


def test_pages_say_which_answers_are_protected(board):
    page = board.page("sensitive-response")
    assert "Only these answers are protected: HIV (1 of 3 answers)." in page.words
    assert "never leaves the device" not in page.words


@pytest.mark.parametrize("name", ["choice-response", "sensitive-response"])
def test_there_is_a_page_to_answer_on(board, name):
    fingerprint = board.surveys[name].fingerprint
    answer = board.http.get(f"/surveys/{fingerprint}/answer")
    assert answer.status_code == 200
    assert "Which?" in answer.text
