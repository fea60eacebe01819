"""Covariates: what is known of every respondent, as columns of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.channels.base import Floats

__all__ = ["INTERCEPT", "Design", "design_of"]

INTERCEPT = "intercept"


@dataclass(frozen=True, eq=False)
class Design:
    """A row per respondent and a column per coefficient; ``levels`` are those of columns of texts."""

    names: tuple[str, ...]
    rows: Floats
    levels: dict[str, tuple[str, ...]]


def design_of(
    covariates: Any, *, intercept: bool, levels: Mapping[str, tuple[str, ...]] | None = None
) -> Design:
    """Numbers as they are, truth values as 0 and 1, texts as a column per level but the first.

    Levels are in the order of a pandas categorical, else in that of the alphabet; with ``levels`` they
    are those of a model that was fitted before.
    """
    columns = _columns(covariates)
    lengths = {name: len(column) for name, column in columns.items()}
    if not columns or len(set(lengths.values())) != 1:
        raise InvalidInput("covariates", "regress", "columns of one length", lengths)
    n = next(iter(lengths.values()))
    names, parts = [], []
    known: dict[str, tuple[str, ...]] = {}
    if intercept:
        names.append(INTERCEPT)
        parts.append(np.ones(n))
    for name, column in columns.items():
        numbers = _numbers(name, column)
        if numbers is not None:
            names.append(name)
            parts.append(numbers)
            continue
        texts = [str(value) for value in column]
        known[name] = _levels(name, column, texts) if levels is None else levels[name]
        unknown = sorted(set(texts) - set(known[name]))
        if unknown:
            allowed = f"among {', '.join(known[name])}"
            raise InvalidInput(f"covariate {name}", "regress", allowed, unknown[0])
        for level in known[name][1:]:
            names.append(f"{name}={level}")
            parts.append(np.array([text == level for text in texts], dtype=np.float64))
    return Design(tuple(names), np.stack(parts, axis=1), known)


def _columns(covariates: Any) -> dict[str, Any]:
    if isinstance(covariates, Mapping):
        return {str(name): column for name, column in covariates.items()}
    names = getattr(covariates, "column_names", getattr(covariates, "columns", None))
    if names is not None:
        return {str(name): covariates[name] for name in names}
    if isinstance(covariates, np.ndarray) and covariates.ndim == 2:
        return {f"x{1 + place}": column for place, column in enumerate(covariates.T)}
    allowed = "a mapping of names to columns, a table, or an array with a row per respondent"
    raise InvalidInput("covariates", "regress", allowed, type(covariates).__name__)


def _numbers(name: str, column: Any) -> Floats | None:
    """The column as numbers; None where it holds texts."""
    array = np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)
    if array.ndim != 1:
        raise InvalidInput(f"covariate {name}", "regress", "a column", f"shape {array.shape}")
    if array.dtype.kind not in "biuf":
        try:
            array = np.array([value + 0.0 for value in array])  # decimals, nullable numbers
        except TypeError:
            _no_missing(name, column)
            return None
    numbers = array.astype(np.float64)
    if not np.isfinite(numbers).all():
        allowed = "finite numbers, none missing"
        raise InvalidInput(f"covariate {name}", "regress", allowed, "a missing or infinite one")
    return numbers


def _no_missing(name: str, column: Any) -> None:
    if any(value is None or value != value for value in column):  # noqa: PLR0124 - not a number
        raise InvalidInput(f"covariate {name}", "regress", "without missing values", None)


def _levels(name: str, column: Any, texts: list[str]) -> tuple[str, ...]:
    categories = getattr(getattr(column, "dtype", None), "categories", None)
    seen = set(texts)
    ordered = sorted(seen) if categories is None else [str(c) for c in categories if str(c) in seen]
    if len(ordered) < 2:
        allowed = "at least 2 different values"
        raise InvalidInput(f"covariate {name}", "regress", allowed, ordered[0])
    return tuple(ordered)
