"""``sottovoce backup``: a checked copy of a store, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.files import part_of, sqlite_files, sync_folder
from sottovoce.cli.shared.exits import CHECK_FAILED, guarded
from sottovoce.cli.shared.options import AsJson, Force
from sottovoce.cli.shared.outputs import STDOUT, check_file, check_output, refuse_format
from sottovoce.cli.shared.screen import progress, say, show_json
from sottovoce.cli.shared.stores import STORE, StoreUrl, open_beside, without_password

__all__ = ["backup"]


@guarded
def backup(
    *,
    store: StoreUrl = STORE,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="The copy, a SQLite file."),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Only check the store, and copy nothing."),
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Copy a SQLite store while its collector runs, and check the copy.

    The copy holds what was acknowledged when it began, and only its owner can read it. It is checked before it gets its name: the
    database itself, and counters against reports and tallies. A copy that fails is not kept. PostgreSQL has
    its own tool, pg_dump; --check works for both.
    """
    if check == (output is not None):
        raise InvalidInput("--output, --check", "backup", "one of the two", output)
    if output is not None:
        if output == STDOUT:
            raise InvalidInput("--output", "backup", "a file", output)
        if store.startswith(("postgresql://", "postgres://")):
            raise Unfit(
                "PostgreSQL copies its databases itself: pg_dump --format=custom "
                f"--file={output} --dbname={without_password(store)}"
            )
        refuse_format(output, "the copy is a SQLite file, such as backup.db")
        check_output(output, force=force, inputs=[store.removeprefix("sqlite:///")])
        check_file(output)
    wrong = _check(store) if output is None else _copy(store, Path(output))
    held = 0 if output is None or wrong else Path(output).stat().st_size
    if as_json:
        show_json(
            {"store": without_password(store), "output": output, "bytes": held, "wrong": wrong}
        )
    for each in wrong:
        say(f"wrong: {each}")
    if wrong:
        raise typer.Exit(CHECK_FAILED)
    if not as_json:
        copied = "" if output is None else f", copied to {output} ({held:,} bytes)"
        say(f"{without_password(store)}: fine{copied}")


def _check(store: str) -> list[str]:
    with progress("checking"), open_beside(store) as opened:
        return opened.check()


def _copy(store: str, target: Path) -> list[str]:
    """A copy under the target's name if nothing is wrong with it; else none, and what is wrong."""
    part = part_of(target)
    try:
        with progress("copying"), open_beside(store) as opened:
            opened.backup(part)
        wrong = _check(str(part))
        if not wrong:
            part.replace(target)
            sync_folder(target.parent)
        return wrong
    finally:
        for left in sqlite_files(part):
            left.unlink(missing_ok=True)
