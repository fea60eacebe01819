"""``sottovoce audit``: does a randomizer keep its promise?"""

from __future__ import annotations

from typing import Annotated

import typer

from sottovoce.cli.shared.domains import DomainOptions
from sottovoce.cli.shared.exits import CHECK_FAILED, guarded
from sottovoce.cli.shared.options import (
    AsJson,
    Epsilon,
    MechanismName,
    Options,
    describe,
    make_mechanism,
)
from sottovoce.cli.shared.screen import progress, show_json, show_text
from sottovoce.privacy import audit as audits

__all__ = ["audit"]


@guarded
def audit(
    *,
    mechanism: MechanismName,
    epsilon: Epsilon = None,
    given: DomainOptions,
    option: Options = None,
    trials: Annotated[
        int, typer.Option("--trials", metavar="N", help="Reports drawn of every value.")
    ] = 1_000_000,
    alpha: Annotated[
        float,
        typer.Option("--alpha", metavar="X", help="The chance of blaming an innocent mechanism."),
    ] = 1e-6,
    as_json: AsJson = False,
) -> None:
    """Audit a mechanism: its exact certificate, and an attack by samples.

    For domains of 2 to 64 values. The exit code is 3 where the promise is broken.
    """
    chosen = make_mechanism(mechanism, given.make(), epsilon, option)
    with progress(f"auditing {chosen}"):
        found = audits.audit(chosen, trials=trials, alpha=alpha)
    if as_json:
        exact = found.certificate
        shown = None if exact is None else {
            "numerator": exact.numerator, "denominator": exact.denominator,
            "delta": float(exact.delta), "between": exact.between, "text": str(exact),
        }  # fmt: skip
        show_json({
            "passed": found.passed, "claimed": found.claimed, "lower_bound": found.lower_bound,
            "trials": found.trials, "alpha": found.alpha, "worst": found.worst, "varies": found.varies,
            "certificate": shown, "mechanism": describe(chosen),
        })  # fmt: skip
    else:
        show_text(f"{chosen}\n{found}")
    if not found.passed:
        raise typer.Exit(CHECK_FAILED)
