"""Limits of a device: pinned surveys, one answer per name, question and window, and wrong clocks."""

from __future__ import annotations

import json
from datetime import date, timedelta
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Mismatch, OverBudget
from sottovoce.surveys import charges
from sottovoce.surveys.charges import Charge
from sottovoce.surveys.limits import Limits
from support.devices import MONDAY, client_of, make_survey

HOUR = 3600.0


@pytest.fixture
def machine(monkeypatch):
    """When the machine started, and the seconds since, as a test sets them."""
    found = {"boot": "first", "uptime": 0.0}
    monkeypatch.setattr(charges, "uptime", lambda: (found["boot"], found["uptime"]))
    return found


def on(day):
    return lambda: day


def forged(survey, **more):
    """A survey as somebody in the middle changes it."""
    document = json.loads(survey.to_json())
    document.update({name: value for name, value in more.items() if name != "epsilon"})
    epsilon = more.get("epsilon", survey.mechanism.epsilon)
    document["mechanism"] = sv.mechanism("olh", survey.mechanism.domain, epsilon).document()
    made = sv.Survey.from_json(json.dumps(document))
    assert made.fingerprint != survey.fingerprint
    return made


# -- the survey that was agreed to ------------------------------------------------------------


def test_a_pinned_survey_is_answered_and_no_other(tmp_path):
    survey = make_survey()
    assert client_of(tmp_path, survey, fingerprint=survey.fingerprint).report("tea")
    with pytest.raises(Mismatch, match=f"not {survey.fingerprint}, which was agreed to") as caught:
        client_of(tmp_path, forged(survey, epsilon=2.0), fingerprint=survey.fingerprint)
    assert "'drinks'" in str(caught.value)
    for wrong in ("", "drinks", survey.fingerprint.upper(), survey.fingerprint[:31], 5, b"x" * 32):
        with pytest.raises(InvalidInput, match="fingerprint of Client must be 32 hexadecimal"):
            client_of(tmp_path, survey, fingerprint=wrong)


# -- one answer per name, question and window ---------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"minimum_batch": 7}, {"epsilon": 0.5}, {"window": "day"}, {"window": "once"},
        {"question": "And again?"}, {"name": "another"}, {"name": "another", "window": "month"},
        {"name": "  DRINKS ", "question": "And again?"},
        {"name": "another", "question": "what  about DRINKS\uff1f"},
    ],
    ids=str,
)  # fmt: skip
def test_the_same_survey_under_another_fingerprint_gets_no_second_answer(tmp_path, change):
    survey = make_survey()
    first = client_of(tmp_path, survey).report("tea")
    other = client_of(tmp_path, forged(survey, **change))
    with pytest.raises(OverBudget, match="one window gets one answer") as caught:
        other.report("tea")
    assert "tea" not in str(caught.value)
    assert survey.fingerprint in str(caught.value)
    assert other.ledger.receipts() == [first]


def test_another_question_under_another_name_is_answered(tmp_path):
    client_of(tmp_path, make_survey()).report("tea")
    assert client_of(tmp_path, make_survey("meals")).report("tea").state == "pending"
    third = make_survey("hours", question="What about drinks?")
    wider = sv.mechanism("olh", sv.Categories(9), 1.0)  # the same words, another domain
    third = sv.Survey(third.name, third.question, wider, "week")
    assert client_of(tmp_path, third, day_epsilon=9.0).report(3).state == "pending"


def test_an_answer_ever_is_one_answer_ever(tmp_path):
    survey = make_survey(window="once")
    client_of(tmp_path, survey).report("tea")
    later = on(MONDAY + timedelta(4000))
    for window in ("once", "day", "week", "month"):
        other = forged(survey, window=window, minimum_batch=7)
        with pytest.raises(OverBudget, match="one window gets one answer"):
            client_of(tmp_path, other, clock=later).report("tea")
    assert client_of(tmp_path, survey, clock=later).report("water").window == ""


def test_a_known_survey_does_not_become_dearer_unless_pinned(tmp_path):
    survey = make_survey(epsilon=0.5)
    client_of(tmp_path, survey).report("tea")
    dear, cheap = forged(survey, epsilon=2.0), forged(survey, epsilon=0.25)
    week = on(MONDAY + timedelta(7))
    with pytest.raises(OverBudget, match=r"under the fingerprint .* it asked for 0\.5") as caught:
        client_of(tmp_path, dear, clock=week).report("tea")
    assert f"fingerprint={dear.fingerprint!r}" in str(caught.value)
    assert client_of(tmp_path, cheap, clock=week).report("tea").window == "2026-W48"
    after = on(MONDAY + timedelta(14))
    pinned = client_of(tmp_path, dear, clock=after, fingerprint=dear.fingerprint)
    assert pinned.report("tea").epsilon == "2"
    with pytest.raises(OverBudget, match="one window gets one answer"):  # pinned or not
        client_of(tmp_path, survey, clock=after, fingerprint=survey.fingerprint).report("tea")


# -- amounts --------------------------------------------------------------------------------------


def test_a_name_and_a_question_have_their_own_limits(tmp_path, machine):
    for k in range(5):
        client_of(tmp_path, make_survey(), clock=on(MONDAY + timedelta(7 * k))).report("tea")
        machine["uptime"] += 7 * 24 * HOUR
    later = on(MONDAY + timedelta(40))
    message = r"of the 5 that this device may spend on {} \({}\), 5 are spent"
    with pytest.raises(OverBudget, match=message.format("surveys of one name", "name_epsilon")):
        client_of(tmp_path, make_survey(), clock=later).report("tea")
    renamed = make_survey("another", question="What about drinks?")
    with pytest.raises(OverBudget, match=message.format("one question", "question_epsilon")):
        client_of(tmp_path, renamed, clock=later).report("tea")
    more = {"question_epsilon": 6.0, "clock": later}
    assert client_of(tmp_path, renamed, **more).report("tea").state == "pending"


def test_a_day_has_its_own_limit(tmp_path, machine):
    for name in ("a", "b"):
        client_of(tmp_path, make_survey(name)).report("tea")
    third = make_survey("c")
    message = r"of the 2 that this device may spend per day \(day_epsilon\), 2 are spent"
    with pytest.raises(OverBudget, match=message):
        client_of(tmp_path, third).report("tea")
    assert client_of(tmp_path, third, day_epsilon=3.0).report("tea").state == "pending"
    machine["uptime"] = 20 * HOUR
    fourth = make_survey("d", 0.5)
    assert client_of(tmp_path, fourth, clock=on(MONDAY + timedelta(1))).report("tea")


def test_limits_are_numbers(tmp_path):
    names = ("maximum_epsilon", "maximum_delta", "day_epsilon", "name_epsilon", "question_epsilon")
    for name in (*names, "total_epsilon"):
        for wrong in (-1, float("nan"), "2", None, True):
            with pytest.raises(InvalidInput, match=f"{name} of Client must be a number of at"):
                client_of(tmp_path, **{name: wrong})
    assert not (tmp_path / "ledger.sqlite").exists()


def test_how_many_windows_are_answered():
    assert Limits().answers(2.5) == (0, "maximum_epsilon")
    assert Limits(maximum_epsilon=3.0).answers(2.5) == (0, "day_epsilon")
    assert Limits().answers(0.1) == (50, "name_epsilon")  # exactly, though not in floats
    assert Limits(name_epsilon=20.0, question_epsilon=20.0).answers(1.0) == (10, "total_epsilon")


# -- clocks ---------------------------------------------------------------------------------------


def test_a_clock_that_goes_back_opens_no_window(tmp_path, machine):
    client_of(tmp_path).report("tea")
    for k in range(1, 60):
        machine["uptime"] += 48 * HOUR  # real time passes, so only the windows are in the way
        back = client_of(tmp_path, clock=on(MONDAY - timedelta(7 * k)))
        with pytest.raises(OverBudget, match="windows are answered in order. Check the clock"):
            back.report("tea")
    assert client_of(tmp_path).spent == 1
    assert client_of(tmp_path, clock=on(MONDAY + timedelta(7))).report("tea").state == "pending"


def test_a_clock_that_goes_back_refills_no_day(tmp_path, machine):
    for name in ("a", "b"):
        client_of(tmp_path, make_survey(name)).report("tea")
    for k in range(1, 9):
        machine.update(boot=f"start {k}")
        with pytest.raises(OverBudget, match=r"per day \(day_epsilon\), 2 are spent"):
            client_of(tmp_path, make_survey("c"), clock=on(MONDAY - timedelta(k))).report("tea")
    # The date that was wrong is forgotten: the next day has its own budget again.
    healed = client_of(tmp_path, make_survey("c"), clock=on(MONDAY - timedelta(7)))
    assert healed.report("tea").state == "pending"


def test_a_clock_that_is_set_forward_gives_two_days_of_budget_in_a_real_day(tmp_path, machine):
    """Every step is a new window, and a new day by date: elapsed time stops it."""
    more = {"name_epsilon": 99.0, "question_epsilon": 99.0, "total_epsilon": 99.0}
    survey, answered = make_survey(epsilon=1.0, window="day"), 0
    for k in range(30):
        machine["uptime"] += 60.0
        try:
            client_of(tmp_path, survey, clock=on(MONDAY + timedelta(k)), **more).report("tea")
            answered += 1
        except OverBudget as refused:
            assert "per 24 hours since the machine started (day_epsilon), 4 are" in str(refused)
    assert answered == 4
    machine["uptime"] += 24 * HOUR
    last = client_of(tmp_path, survey, clock=on(MONDAY + timedelta(30)), **more)
    assert last.report("tea").state == "pending"


def test_an_honest_clock_is_never_stopped(tmp_path, machine):
    """A day's budget late on one day and early on the next, for a week."""
    more = {"name_epsilon": 99.0, "question_epsilon": 99.0, "total_epsilon": 99.0}
    survey = make_survey(epsilon=2.0, window="day")
    for k in range(7):
        machine["uptime"] = (24 * k + (23 if k % 2 == 0 else 1)) * HOUR
        client_of(tmp_path, survey, clock=on(MONDAY + timedelta(k)), **more).report("tea")


def test_the_time_since_the_start_goes_on(monkeypatch, tmp_path):
    boot, before = charges.uptime()
    assert charges.uptime()[0] == boot
    assert charges.uptime()[1] >= before
    monkeypatch.setattr(charges, "_BOOT_ID", tmp_path / "nothing")
    charges._boot.cache_clear()
    try:
        assert charges.uptime()[0] == charges.uptime()[0] != boot  # one per process
    finally:
        charges._boot.cache_clear()


# -- an oracle ------------------------------------------------------------------------------------


def allowed(history, survey, day, limits):
    """The rules once more, plainly: ``history`` has (survey, first, last, cost, counted day)."""
    first, _ = days_of(survey.window, day)
    cost, kept = Fraction(str(survey.mechanism.epsilon)), []
    for other, _, other_last, other_cost, _ in history:
        if other.name == survey.name or other.question == survey.question:
            if first <= other_last:
                return False
            if other.fingerprint != survey.fingerprint:
                kept.append(other_cost)
    if kept and cost > max(kept):
        return False
    sums = {
        "day": [h[3] for h in history if h[4] >= day],
        "name": [h[3] for h in history if h[0].name == survey.name],
        "question": [h[3] for h in history if h[0].question == survey.question],
        "total": [h[3] for h in history],
    }
    return all(sum(costs) + cost <= Fraction(str(limits[k])) for k, costs in sums.items())


def days_of(window, day):
    if window == "once":
        return date.min, date.max
    if window == "day":
        return day, day
    monday = day - timedelta(day.weekday())
    return monday, monday + timedelta(6)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_histories_spend_what_an_oracle_says(tmp_path_factory, machine, data):
    """Random surveys, days and limits, clocks back and forth, each at a new start of the machine."""
    folder, history, reports = tmp_path_factory.mktemp("ledger"), [], {}
    limits = {
        name: data.draw(st.sampled_from([0.5, 1.0, 2.3]), label=name)
        for name in ("day", "name", "question", "total")
    }
    more = {f"{name}_epsilon": value for name, value in limits.items()}
    for k in range(data.draw(st.integers(1, 8))):
        machine["boot"] = f"start {k}"
        survey = make_survey(
            data.draw(st.sampled_from(["a", "b"])),
            data.draw(st.sampled_from([0.1, 0.3, 0.7])),
            data.draw(st.sampled_from(["once", "week", "day"])),
            question=data.draw(st.sampled_from(["q", "r"])),
        )
        day = MONDAY + timedelta(data.draw(st.integers(0, 20)))
        client = client_of(folder, survey, clock=on(day), **more)
        key = survey.fingerprint, days_of(survey.window, day)
        if key in reports:
            assert client.report("water") == reports[key]
            continue
        fits = allowed(history, survey, day, limits)
        history = [(*row[:4], min(row[4], day)) for row in history]
        if fits:
            reports[key] = client.report("tea")
            cost = Fraction(str(survey.mechanism.epsilon))
            history.append((survey, *days_of(survey.window, day), cost, day))
        else:
            with pytest.raises(OverBudget):
                client.report("tea")
        assert client.spent == sum((row[3] for row in history), Fraction(0))


def test_charges_ask_alike_by_name_or_question():
    rest = ("2026-11-16", "2026-11-22", "2026-11-16", "boot", 0.0)
    one = Charge("f", "w", "A", "1", "0", "a", "q", *rest)
    assert one.asks_like(Charge("g", "w", "A", "1", "0", "a", "r", *rest))
    assert one.asks_like(Charge("g", "w", "B", "1", "0", "b", "q", *rest))
    assert not one.asks_like(Charge("f", "w", "B", "1", "0", "b", "r", *rest))
