"""``sottovoce keys``: the keys of the roles, made of a collector's secret."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sottovoce.base.checks import check_choice
from sottovoce.base.errors import InvalidInput
from sottovoce.base.files import write_whole
from sottovoce.cli.shared.exits import guarded
from sottovoce.cli.shared.options import AsJson, Force
from sottovoce.cli.shared.outputs import check_file, check_output, refuse_format
from sottovoce.cli.shared.screen import say, show_json
from sottovoce.service.auth.keys import ROLES, Keys, read_secret

__all__ = ["keys", "write_private"]


@guarded
def keys(
    *,
    secret_file: Annotated[
        Path,
        typer.Option(
            "--secret-file", metavar="FILE", envvar="SOTTOVOCE_SECRET_FILE",
            help="The secret of the collector. SOTTOVOCE_SECRET_FILE says it too.",
        ),
    ] = Path("collector.secret"),
    role: Annotated[
        str | None,
        typer.Option("--role", metavar="WORD", help="Only the key of publish, or of read."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="With --role: a file for its owner alone."
        ),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Show the keys of the roles, or write one to a file.

    Run it where the collector runs. Whoever has the publish key may publish and close surveys and issue
    tokens; whoever has the read key sees answers and exports reports. Keys last as long as the
    secret: to take one back, replace the secret file, which makes all keys and tokens new.
    """
    if role is not None:
        check_choice(role, "--role", "keys", ROLES)
    if output is not None:
        if role is None:
            raise InvalidInput("--output", "keys", "given together with --role", output)
        refuse_format(output, "a key is one line of text")
        check_output(output, force=force, inputs=[str(secret_file)])
        check_file(output)
    if not secret_file.exists():
        hint = "sottovoce serve makes it at its first start."
        allowed = "the secret file of a collector"
        raise InvalidInput("--secret-file", "keys", allowed, str(secret_file), hint=hint)
    made = Keys(read_secret(secret_file))
    wanted = {each: made.of_role(each) for each in ROLES if role in (None, each)}
    if output is not None and role is not None:
        write_private(output, wanted[role] + "\n")
        say(f"the {role} key in {output}, for its owner alone")
    elif as_json:
        show_json(wanted)
    elif role is not None:
        typer.echo(wanted[role])
    else:
        for each, key in wanted.items():
            typer.echo(f"{each}  {key}")


def write_private(output: str, text: str) -> None:
    """A text that only its owner may read, whole or not at all."""

    def fill(part: Path) -> None:
        part.chmod(0o600)
        part.write_text(text, encoding="ascii")

    write_whole(output, fill)
