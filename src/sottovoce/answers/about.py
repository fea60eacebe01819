"""Whom answers are about: one word, ``about``, in every interface.

About the *respondents*, errors are those of randomization alone: how far an answer may be from the
one that all people who answered would have given together.  About the *population* that they were
drawn from, the error of having asked only these people is added.
"""

from __future__ import annotations

from typing import Any

from sottovoce.base.checks import check_choice

__all__ = ["ABOUT", "check_about", "share_of"]

ABOUT = ("respondents", "population")


def check_about(about: Any, owner: str) -> str:
    """One of the two words, or an error."""
    return check_choice(about, "about", owner, ABOUT)


def share_of(about: str, windows: int = 1) -> str:
    """What a share is of, as a column head or an axis says it.

    Of several windows together, people who answered in each count once in each.

    >>> share_of("respondents"), share_of("population"), share_of("respondents", windows=3)
    ('share of respondents', 'share of the population', 'share of reports')
    """
    if about == "population":
        return "share of the population"
    return "share of respondents" if windows <= 1 else "share of reports"
