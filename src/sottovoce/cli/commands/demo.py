"""``sottovoce demo``: the whole way, devices to dashboard, with made-up people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sottovoce.base.extras import optional
from sottovoce.cli.shared.exits import guarded, outlive_pipes
from sottovoce.cli.shared.options import AsJson
from sottovoce.cli.shared.screen import show_json
from sottovoce.demo.options import HELP, NEEDED, Options

__all__ = ["demo"]


@guarded
def demo(
    *,
    people: Annotated[
        int, typer.Option("--people", metavar="N", help=HELP["people"])
    ] = Options.people,
    port: Annotated[int | None, typer.Option("--port", metavar="N", help=HELP["port"])] = None,
    network: Annotated[bool, typer.Option("--network", help=HELP["network"])] = False,
    once: Annotated[bool, typer.Option("--once", help=HELP["once"])] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help=HELP["output"])
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE", help=HELP["picture"])
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Two made-up towns answer what they would not say aloud, through a real collector.

    Simulated devices send it their reports over HTTP, its answers are shown beside the truth, and
    its dashboard stays until Ctrl-C, with a page to answer a question on. With --json the demo ends by itself.
    """
    options = Options(people, port or 0, network, once or as_json, output, picture)
    for package in NEEDED:
        optional(package, extra="all", purpose="the demo")
    from sottovoce.demo.run import run
    from sottovoce.demo.screen import console

    with outlive_pipes():
        shown = run(options, console(stderr=as_json))
    if as_json:
        show_json(shown.document())
