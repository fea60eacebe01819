"""The commands together, and the process around them."""

from __future__ import annotations

import io
import sys
import warnings
from typing import Annotated

import typer

import sottovoce
from sottovoce.cli.commands import (
    answers,
    backup,
    collect,
    compare,
    demo,
    design,
    device,
    estimate,
    export,
    fuse,
    keys,
    log,
    publish,
    publisher,
    research,
    send,
    serve,
    sql,
    survey,
    tokens,
    trend,
)
from sottovoce.cli.commands import audit as check
from sottovoce.cli.shared.exits import EXIT_CODES, INTERRUPTED, end_with_pipes
from sottovoce.cli.shared.groups import unfolded
from sottovoce.cli.shared.screen import say

__all__ = ["COMMANDS", "app", "run"]

COMMANDS = (
    design.methods, design.plan, collect.randomize, collect.tally, sql.sql, estimate.estimate,
    trend.trend, compare.compare, fuse.fuse, serve.serve, keys.keys, publish.publish, tokens.tokens, send.send,
    answers.answers, export.export, backup.backup, check.audit, research.bench, research.reproduce,
    demo.demo,
)  # fmt: skip
"""In the order of the data's way."""

app = typer.Typer(
    name="sottovoce",
    help="Local differential privacy, end to end: choose, randomize, tally, estimate, audit.",
    epilog="Exit codes: "
    + ", ".join(f"{code} {text}" for code, (text, _) in EXIT_CODES.items())
    + ".",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # a traceback with local variables could show people's values
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command in COMMANDS:
    app.command()(unfolded(_command))
for _group in (survey.app, publisher.app, log.app, device.app):
    app.add_typer(_group)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(sottovoce.__version__)
        raise typer.Exit


@app.callback()
def _all_commands(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """What goes before the name of a command."""


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """One line: the place in the source that Python adds says nothing at a terminal."""
    say(f"warning: {message}")


def run() -> None:
    """Run the command line in this process."""
    end_with_pipes()
    warnings.showwarning = _show_warning
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="sottovoce")
    except KeyboardInterrupt:
        say("interrupted")
        raise SystemExit(INTERRUPTED) from None
