"""Whom answers are about: one word, ``about``, in every interface.

About the *respondents*, errors are those of randomization alone: how far an answer may be from the
one that all people who answered would have given together.  About the *population* that they were
drawn from, the error of having asked only these people is added.
"""

from __future__ import annotations

from typing import Any

from sottovoce.base.checks import check_choice

__all__ = ["ABOUT", "check_about", "share_of", "whole_of"]

ABOUT = ("respondents", "population")


def check_about(about: Any, owner: str) -> str:
    """One of the two words, or an error."""
    return check_choice(about, "about", owner, ABOUT)


def whole_of(about: str, windows: int = 1) -> str:
    """What shares are of, in words.

    Of several windows together, people who answered in each count once in each.

    >>> whole_of("respondents"), whole_of("population"), whole_of("respondents", windows=3)
    ('respondents', 'the population', 'reports')
    """
    if about == "population":
        return "the population"
    return "respondents" if windows <= 1 else "reports"


def share_of(about: str, windows: int = 1) -> str:
    """The same as a column head or an axis says it.

    >>> share_of("respondents"), share_of("population")
    ('share of respondents', 'share of the population')
    """
    return f"share of {whole_of(about, windows)}"
