"""``sottovoce tokens``: what people or relays need to send to a survey that wants tokens."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

import typer

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.cli.commands.keys import write_private
from sottovoce.cli.shared.collector import (
    LOCAL,
    Collector,
    KeyFile,
    PlainHttp,
    SurveyOrFingerprint,
    Url,
    find_survey,
)
from sottovoce.cli.shared.exits import guarded
from sottovoce.cli.shared.options import AsJson, Force
from sottovoce.cli.shared.outputs import check_file, check_output, refuse_format
from sottovoce.cli.shared.screen import progress, say, show_json, show_text
from sottovoce.service.auth.keys import MOST_ALLOWED

__all__ = ["tokens"]

_AT_ONCE = 10_000
"""How many a collector issues at a time."""


@guarded
def tokens(
    *,
    survey: SurveyOrFingerprint,
    key_file: KeyFile,
    url: Url = LOCAL,
    count: Annotated[int, typer.Option("--count", metavar="N", help="How many tokens.")] = 1,
    allowance: Annotated[
        int,
        typer.Option(
            "--allowance", metavar="N",
            help="Reports that a token allows per window: 1 for a person, more for a relay.",
        ),
    ] = 1,
    links: Annotated[
        str | None,
        typer.Option(
            "--links", metavar="URL",
            help="Links to this page, each with a token after #, which a browser does not send to any server.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE",
            help="One token a line, in a file for its owner alone; standard output if not given.",
        ),
    ] = None,
    plain_http: PlainHttp = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Issue tokens for a survey, with the publish key.

    A token is checked by computing, not by looking it up: nobody keeps a list of them, and one that was given
    out cannot be taken back. The collector remembers only that some token was used in a window, and
    not with which report.
    """
    check_int(count, "--count", "tokens", 1)
    check_int(allowance, "--allowance", "tokens", 1, MOST_ALLOWED)
    page = None if links is None else _check_page(links)
    if output is not None:
        refuse_format(output, "tokens are lines of text")
        check_output(output, force=force)
        check_file(output)
    fingerprint = find_survey(survey)
    collector = Collector.at(url, key_file, plain_http=plain_http)
    made: list[str] = []
    with progress("issuing", count) as advance:
        while len(made) < count:
            body = {"count": min(_AT_ONCE, count - len(made)), "allowance": allowance}
            told = collector.post(f"/surveys/{fingerprint}/tokens", body)
            made += told["tokens"]
            advance(len(told["tokens"]))
    if page is not None:
        made = [f"{page}#{token}" for token in made]
    if output is not None:
        write_private(output, "".join(f"{token}\n" for token in made))
    if as_json:
        told = {"fingerprint": fingerprint, "count": count, "allowance": allowance}
        show_json({**told, "output": output} if output else {**told, "tokens": made})
    elif output is not None:
        say(f"{count:,} tokens in {output}, for its owner alone")
    else:
        show_text("\n".join(made))


def _check_page(url: str) -> str:
    """The address of a page, to which a token can be added."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or "#" in url or " " in url:
        allowed = "the address of a page without #, such as https://survey.example/answer"
        raise InvalidInput("--links", "tokens", allowed, url)
    return url
