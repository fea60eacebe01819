"""Surveys that protect less than the whole answer: refused unless what they protect is named."""

from __future__ import annotations

from collections.abc import Collection

from sottovoce.base.errors import InvalidInput
from sottovoce.surveys.survey import Survey

__all__ = ["check_scopes"]


def check_scopes(survey: Survey, scopes: Collection[str], option: str = "scopes=({!r},)") -> None:
    """Refuse a survey whose certificate has a scope that is not among ``scopes``.

    ``option`` is how those who take part name it.

    >>> import sottovoce as sv
    >>> illness = sv.Categories(["none", "HIV"], sensitive=["HIV"])
    >>> survey = sv.Survey("illness", "Which?", sv.mechanism("urr", illness, 1.0))
    >>> check_scopes(survey, ("sensitive answer",))
    """
    scope = survey.mechanism.certificate().scope
    if scope is None or scope.hidden in scopes:
        return
    takes_part = f"{option.format(scope.hidden)} takes part all the same."
    hint = takes_part
    if scope.says_what_it_protects:
        hint = f"It {scope.says_what_it_protects}. {takes_part}"
    raise InvalidInput(
        "mechanism",
        f"survey {survey.name!r}",
        f"private between any two answers, not only between {scope.values}",
        str(survey.mechanism),
        hint=hint,
    )
