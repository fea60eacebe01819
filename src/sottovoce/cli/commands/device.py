"""``sottovoce device view``: everything that left this device, and what it cost."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from sottovoce.base.errors import InvalidInput
from sottovoce.cli.shared.exits import guarded
from sottovoce.cli.shared.options import AsJson
from sottovoce.cli.shared.screen import say, show_json, show_table, show_text
from sottovoce.device.ledger import FILE, Ledger, Reported, default_folder
from sottovoce.surveys.limits import Limits

__all__ = ["app", "view"]


@guarded
def view(
    *,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder", metavar="FOLDER",
            help="The folder of the ledger; the user's own if not given.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Show every report of this device: to which survey, when, what it cost, what became of it.

    Answers are not shown: they are not stored. A report in the state pending has not left, or was not
    acknowledged. --json has the bytes of every report, as they are sent.
    """
    chosen = default_folder() if folder is None else folder
    if not (chosen / FILE).exists():
        allowed = f"a folder with the file {FILE}, which a client writes"
        raise InvalidInput("--folder", "device view", allowed, str(chosen))
    ledger = Ledger(chosen)
    reported = ledger.reported()
    if as_json:
        show_json(_document(ledger, reported))
        return
    if not reported:
        say("nothing was ever drawn on this device")
        return
    show_table([_row(each) for each in reported], f"{len(reported):,} reports, in {ledger.path}")
    show_table(_totals(reported), "Spent, and the default limits")
    for survey, count in ledger.permanent_answers().items():
        several = "answer" if count == 1 else "answers"
        show_text(
            f"{survey}: {count:,} permanent {several} kept here, paid for by the first report"
        )


def _row(each: Reported) -> dict[str, Any]:
    charge, receipt = each
    return {
        "survey": charge.survey,
        "window": charge.window or "once",
        "drawn": charge.day,
        "epsilon": charge.epsilon,
        "state": receipt.state + (f" ({receipt.code})" if receipt.code else ""),
        "bytes": len(receipt.upload),
        "id": receipt.id.hex(),
    }


def _totals(reported: list[Reported]) -> list[dict[str, Any]]:
    """Epsilon by name, series and publisher, and in all."""
    spent: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    for charge, _ in reported:
        spent["name", charge.name] += charge.cost
        if charge.series:
            spent["series", charge.series] += charge.cost
        if charge.publisher:
            spent["publisher", charge.publisher] += charge.cost
        spent["total", ""] += charge.cost
    order = ("name", "series", "publisher", "total")
    return [
        {
            "of": kind,
            "which": which,
            "epsilon": float(epsilon),
            "limit": getattr(Limits, f"{kind}_epsilon"),
        }
        for (kind, which), epsilon in sorted(
            spent.items(), key=lambda each: order.index(each[0][0])
        )
    ]


def _document(ledger: Ledger, reported: list[Reported]) -> dict[str, Any]:
    reports = [
        {
            **{
                name: value
                for name, value in vars(charge).items()
                if name not in ("boot", "uptime")
            },
            "state": receipt.state,
            "code": receipt.code,
            "id": receipt.id.hex(),
            "upload": receipt.upload.hex(),
        }
        for charge, receipt in reported
    ]
    kept = ledger.permanent_answers()
    spent = _totals(reported)
    return {"ledger": str(ledger.path), "reports": reports, "spent": spent, "permanent": kept}


app = typer.Typer(
    name="device",
    help="This device: everything that left it, and what it cost.",
    no_args_is_help=True,
)
app.command()(view)
