"""A series as a document, and as rows of a table: what HTTP and the command line hand on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sottovoce.answers.answer import Answer

if TYPE_CHECKING:
    from sottovoce.answers.series import Series

__all__ = ["COLUMNS", "SMOOTHED", "series_document", "series_rows"]

_LEVEL = ("value", "stderr", "low", "high")
_CHANGE = (*_LEVEL, "p_value", "adjusted")
COLUMNS = (
    "question", "label", "window", "reports", *_LEVEL,
    "against", "change", "change_stderr", "change_low", "change_high", "p_value", "adjusted",
    "period_against", "period_change", "period_low", "period_high", "period_p_value",
    "period_adjusted", "shift",
)  # fmt: skip
"""Of a row per window."""
SMOOTHED = ("smoothed", "smoothed_low", "smoothed_high")
"""Columns more, where the level was smoothed."""


def series_document(
    series: Series, confidence: float, smooth: bool, alpha: float
) -> dict[str, Any]:
    """Windows with their changes, shifts with the rate of false alarms, and the mean over all.

    A change names the window that it is ``against``: the one before that is there, which need not be
    the one before in the calendar.
    """
    windows = series.windows
    before = dict(zip(windows[1:], windows, strict=False))
    changes = {one.label: one for one in series.changes(confidence=confidence)}
    earlier = {
        window: windows[index]
        for window, index in zip(windows, series.earlier, strict=True)
        if index is not None
    }
    since = {one.label: one for one in series.since_last_period(confidence=confidence)}
    rows: list[dict[str, Any]] = []
    for window, reports, one in zip(windows, series.reports, series.answers, strict=True):
        row = {"window": window, "reports": reports, **_parts(one, _LEVEL)}
        row["change"] = _change(changes, before, window)
        row["since_last_period"] = _change(since, earlier, window)
        rows.append(row)
    if smooth:
        for row, level in zip(rows, series.smoothed(confidence=confidence), strict=True):
            row["smoothed"] = _parts(level, _LEVEL)
    return {
        "label": series.label,
        "about": series.about,
        "why": series.why,
        "false_alarms": alpha,
        "average": _parts(series.average(confidence=confidence), _LEVEL),
        "shifts": [
            {"first": shift.first, "last": shift.last, **_parts(shift.change, _CHANGE)}
            for shift in series.shifts(alpha=alpha)
        ],
        "windows": rows,
    }


def _parts(one: Answer, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(one, name) for name in names}


def _change(
    found: Mapping[str, Answer], against: Mapping[str, str], window: str
) -> dict[str, Any] | None:
    if window not in found:
        return None
    return {"against": against[window], **_parts(found[window], _CHANGE)}


def series_rows(document: Mapping[str, Any], question: str, label: Any) -> list[dict[str, Any]]:
    """The windows of a document as rows under :data:`COLUMNS`; ``shift`` is rise, fall or empty."""
    shifted = _shifted(document)
    rows = []
    for each in document["windows"]:
        change, since = each["change"] or {}, each["since_last_period"] or {}
        smoothed = each.get("smoothed", {})
        rows.append(
            {
                "question": question, "label": label, "window": each["window"],
                "reports": each["reports"], **{name: each[name] for name in _LEVEL},
                "against": change.get("against"), "change": change.get("value"),
                **{f"change_{name}": change.get(name) for name in ("stderr", "low", "high")},
                "p_value": change.get("p_value"), "adjusted": change.get("adjusted"),
                "period_against": since.get("against"), "period_change": since.get("value"),
                **{f"period_{name}": since.get(name) for name in ("low", "high", "p_value", "adjusted")},
                "shift": shifted.get(each["window"], ""),
                "smoothed": smoothed.get("value"), "smoothed_low": smoothed.get("low"),
                "smoothed_high": smoothed.get("high"),
            }
        )  # fmt: skip
    return rows


def _shifted(document: Mapping[str, Any]) -> dict[str, str]:
    """The windows that stand apart, and which way."""
    names = [each["window"] for each in document["windows"]]
    found = {}
    for shift in document["shifts"]:
        inside = names[names.index(shift["first"]) : names.index(shift["last"]) + 1]
        found.update(dict.fromkeys(inside, "rise" if shift["value"] > 0 else "fall"))
    return found
