"""``sottovoce serve``: the collector, until it is told to stop."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from sottovoce.cli.shared.exits import guarded, outlive_pipes
from sottovoce.cli.shared.screen import say, show_json
from sottovoce.cli.shared.stores import without_password

__all__ = ["serve"]


@guarded
def serve(
    *,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", metavar="FILE", help="Settings, as TOML; the page docs/reference/settings.md lists them."
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="URL",
            help="A SQLite file, made if it is not there, or postgresql://user:password@host/database; "
            "collector.db if not given.",
        ),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option("--host", metavar="ADDRESS", help="Where to listen; 127.0.0.1 if not given."),
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", metavar="N", help="The port; 8000 if not given.")
    ] = None,
    secret_file: Annotated[
        str | None,
        typer.Option(
            "--secret-file",
            metavar="FILE",
            help="The secret that keys and tokens are made of, written at the first start; collector.secret "
            "if not given.",
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Once it listens, say where as JSON on standard output, and nothing else there."
        ),
    ] = False,
) -> None:  # fmt: skip
    """Run a collector: take reports, keep them, answer those who have a key.

    Settings come from --config, then from the environment (SOTTOVOCE_PORT and so on), then from
    these options; later ones win. It speaks plain HTTP: put a proxy with TLS before it unless
    everybody is on this machine. SIGTERM and Ctrl-C end it after the requests under way.
    """
    from sottovoce.service import load_settings
    from sottovoce.service.pages.answer import script_digest
    from sottovoce.service.serve import serve as serve_until_stopped

    settings = load_settings(config, store=store, host=host, port=port, secret_file=secret_file)
    told = {"store": without_password(settings.store), "secret_file": settings.secret_file}

    def announce(address: str) -> None:
        with suppress(BrokenPipeError):  # it serves all the same where nobody reads this
            if as_json:
                show_json(
                    {
                        "url": address,
                        **told,
                        "answer_script": script_digest(),
                        "process": os.getpid(),
                    }
                )
            else:
                say(f"listening on {address}, store {told['store']}")
                if settings.answer_page:
                    say(f"pages to answer on run answer.js, SHA-256 {script_digest()}")

    with outlive_pipes():
        serve_until_stopped(settings, announce)
