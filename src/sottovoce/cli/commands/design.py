"""``sottovoce methods`` and ``sottovoce plan``: what to choose, before anything is collected."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sottovoce.base.errors import InvalidInput
from sottovoce.cli.shared.domains import DomainOptions, PlainDomainOptions
from sottovoce.cli.shared.exits import guarded
from sottovoce.cli.shared.options import (
    AsJson,
    Epsilon,
    MechanismName,
    Options,
    describe,
    make_mechanism,
)
from sottovoce.cli.shared.screen import progress, show_json, show_table, show_text
from sottovoce.domains.base import Domain
from sottovoce.domains.parsing import read_value
from sottovoce.estimators import methods as methods_for
from sottovoce.surveys.toml import read_survey

__all__ = ["methods", "plan"]

_LIFETIME = 2.0
"""What clients with default limits allow."""
_ONLY_JSON = ("tally cells", "tally bytes", "words")
"""Columns of a plan that a terminal has no room for."""


@guarded
def methods(
    *,
    mechanism: MechanismName,
    epsilon: Epsilon = None,
    given: DomainOptions,
    option: Options = None,
    users: Annotated[
        int | None,
        typer.Option("--users", metavar="N", help="How many people answer; many if left out."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the methods of estimation: which apply to a mechanism, and why or why not.

    The column rule names the goals for which auto chooses a method, for so many users.
    """
    chosen = make_mechanism(mechanism, given.make(), epsilon, option)
    rows = list(methods_for(chosen, users=users))
    if as_json:
        show_json({"mechanism": describe(chosen), "methods": rows})
    else:
        show_table(rows, str(chosen))


@guarded
def plan(
    *,
    epsilon: Annotated[
        float | None,
        typer.Option("--epsilon", "-e", metavar="X", help="The privacy budget per report."),
    ] = None,
    users: Annotated[
        int | None, typer.Option("--users", metavar="N", help="How many people will answer.")
    ] = None,
    error: Annotated[
        float | None,
        typer.Option(
            "--error", metavar="X", help="The root-mean-square error of a share, or of the goal."
        ),
    ] = None,
    goal: Annotated[
        str | None,
        typer.Option(
            "--goal",
            metavar="GOAL",
            help="Whose error: shares; for numbers distribution (the default), range or mean; for several "
            "questions parts, tables or both (the default).",
        ),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option("--of", metavar="VALUE", help="The value whose error is shown in addition."),
    ] = None,
    windows: Annotated[
        int | None,
        typer.Option(
            "--windows",
            metavar="W",
            help="Compare designs for asking the same people in W windows, with --lifetime.",
        ),
    ] = None,
    lifetime: Annotated[
        float | None,
        typer.Option(
            "--lifetime",
            metavar="X",
            help="With --windows: the privacy budget of all reports of a person; 2 if not given.",
        ),
    ] = None,
    survey: Annotated[
        Path | None,
        typer.Option(
            "--survey",
            metavar="FILE",
            help="Plan for the domain of this survey file, in place of options; several questions have "
            "no other way. Its epsilon is taken where only --users or --error is given.",
        ),
    ] = None,
    given: PlainDomainOptions,
    as_json: AsJson = False,
) -> None:
    """Rank mechanisms by the error to expect, or find how many users or which epsilon it takes.

    Give two of --epsilon, --users and --error; the third is found. With --windows: give --users or --error; fresh
    reports, cohorts, memory and a split budget are compared.
    """
    from sottovoce.planning.plan import plan as plan_for

    domain = given.make() if survey is None else _domain_of(survey, given)
    if survey is not None and epsilon is None and (users is None) != (error is None):
        epsilon = read_survey(survey).mechanism.epsilon
    if windows is not None:
        _check_left_out({"--goal": goal, "--of": of})
        _plan_windows(
            domain, windows, lifetime=lifetime, epsilon=epsilon, users=users, error=error, as_json=as_json,
        )  # fmt: skip
        return
    _check_left_out({"--lifetime": lifetime}, "without --windows")
    value = None if of is None else read_value(of, domain, "--of", "the command")
    with progress("planning"):
        found = plan_for(domain, epsilon=epsilon, users=users, error=error, goal=goal, of=value)
    rows = list(found.frame())
    if as_json:
        result = {"domain": str(domain), "epsilon": found.epsilon, "users": found.users}
        result |= {"error": found.error, "found": found.found, "goal": found.goal}
        result |= {"best": describe(found.best), "default_client": found.clients}
        show_json({**result, "mechanisms": rows, "left_out": found.unfit})
        return
    heading, _, _ = str(found).partition("\n")
    show_table([{k: v for k, v in row.items() if k not in _ONLY_JSON} for row in rows], heading)
    show_text(found.explain())


def _domain_of(survey: Path, given: PlainDomainOptions) -> Domain:
    """The domain of a survey file, if no option says another."""
    if given.given:
        raise InvalidInput("the domain", "plan", "left out with --survey", "both")
    return read_survey(survey).mechanism.domain


def _check_left_out(options: dict[str, object], when: str = "with --windows") -> None:
    for option, value in options.items():
        if value is not None:
            raise InvalidInput(option, "plan", f"left out {when}", value)


def _plan_windows(
    domain: Domain,
    windows: int,
    *,
    lifetime: float | None,
    epsilon: float | None,
    users: int | None,
    error: float | None,
    as_json: bool,
) -> None:
    """Designs for the same people in several windows."""
    from sottovoce.planning.windows import plan_windows

    with progress("planning"):
        found = plan_windows(
            domain,
            windows,
            lifetime=_LIFETIME if lifetime is None else lifetime,
            epsilon=epsilon,
            users=users,
            error=error,
        )
    rows = list(found.frame())
    if as_json:
        told = {"domain": str(domain), "windows": windows, "users": users, "error": error}
        show_json({**told, "designs": rows})
        return
    heading, _, _ = str(found).partition("\n")
    show_table(rows, heading)
