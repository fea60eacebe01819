"""``sottovoce publisher new | show``: the key that a publisher signs surveys with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sottovoce.base.errors import CorruptBytes
from sottovoce.cli.commands.keys import write_private
from sottovoce.cli.shared.exits import guarded
from sottovoce.cli.shared.options import AsJson, Force
from sottovoce.cli.shared.outputs import check_file, check_output, refuse_format
from sottovoce.cli.shared.screen import say, show_json, show_text
from sottovoce.surveys.signing import PublisherKey

__all__ = ["app", "new", "read_publisher_key", "show"]


@guarded
def new(
    *,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The file to write, for its owner alone.")
    ],
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make a publisher's key, and show its public half.

    `publish --sign FILE` signs with it. Give clients the public key by another way than the
    collector: they then answer no survey that another key signed. Keep the file off the collector.
    A lost key cannot be replaced: clients have to be given another one.
    """
    refuse_format(file, "a key is text")
    check_output(file, force=force, option="FILE")
    check_file(file, option="FILE")
    key = PublisherKey.generate()
    write_private(file, key.to_pem().decode("ascii"))
    if as_json:
        show_json({"file": file, "publisher": key.public})
        return
    say(f"the private key in {file}, for its owner alone; the public key is")
    show_text(key.public)


@guarded
def show(
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The key of a publisher.")],
    as_json: AsJson = False,
) -> None:
    """Show the public half of a publisher's key: what clients pin."""
    public = read_publisher_key(file).public
    if as_json:
        show_json({"publisher": public})
    else:
        show_text(public)


def read_publisher_key(file: Path) -> PublisherKey:
    """The key that a file holds; it is never shown."""
    try:
        return PublisherKey.from_pem(file.read_bytes())
    except CorruptBytes as error:
        raise CorruptBytes(f"{file}: {error}. sottovoce publisher new makes one") from None


app = typer.Typer(
    name="publisher",
    help="Make and show the key that a publisher signs surveys with.",
    no_args_is_help=True,
)
for _command in (new, show):
    app.command()(_command)
