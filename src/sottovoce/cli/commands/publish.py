"""``sottovoce publish``: a survey to a running collector, which takes reports of it from then on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sottovoce.base.checks import MAX_RETENTION, check_choice, check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.cli.commands.publisher import read_publisher_key
from sottovoce.cli.commands.survey import SurveyFile
from sottovoce.cli.shared.collector import LOCAL, Collector, KeyFile, PlainHttp, Url
from sottovoce.cli.shared.exits import guarded
from sottovoce.cli.shared.options import AsJson
from sottovoce.cli.shared.screen import say, show_json, show_text
from sottovoce.surveys.default_limits import client_doubt, default_client
from sottovoce.surveys.toml import read_survey
from sottovoce.surveys.wording import doubts

__all__ = ["publish"]

_RULES = "Rules of this collector"
_UPLOADS = ("open", "tokens")


@guarded
def publish(
    *,
    survey: SurveyFile,
    key_file: KeyFile,
    url: Url = LOCAL,
    upload: Annotated[
        str,
        typer.Option(
            "--upload", metavar="WORD", rich_help_panel=_RULES,
            help="Who may send: open (everyone), or tokens (holders of a token).",
        ),
    ] = "open",
    retention: Annotated[
        int | None,
        typer.Option(
            "--retention", metavar="DAYS", rich_help_panel=_RULES,
            help="Days after the end of their window when reports are removed (0 to 36500); their tally stays. Unlimited if not given.",
        ),
    ] = None,
    scrub: Annotated[
        bool,
        typer.Option(
            "--scrub", rich_help_panel=_RULES,
            help="Payloads are removed as soon as their window has closed and they are tallied.",
        ),
    ] = False,
    sign: Annotated[
        Path | None,
        typer.Option(
            "--sign", metavar="FILE",
            help="Sign the survey with this key, as `sottovoce publisher new` makes it.",
        ),
    ] = None,
    close: Annotated[
        bool,
        typer.Option(
            "--close", help="Instead: close the survey permanently. Stored reports stay."
        ),
    ] = False,
    plain_http: PlainHttp = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Publish a survey, with the publish key, or close it.

    A published survey never changes: its fingerprint is over all of it, and a changed file is another survey.
    To publish the same again with the same rules does nothing; with --sign it adds the signature where
    there was none. Every publication stands in the public log of the collector. Says how many windows clients with default
    limits answer, and warns as survey check does.
    """
    check_choice(upload, "--upload", "publish", _UPLOADS)
    if retention is not None:
        check_int(retention, "--retention", "publish", 0, MAX_RETENTION)
    if close and (upload != "open" or retention is not None or scrub or sign is not None):
        raise InvalidInput("--close", "publish", "given without rules and --sign", True)
    agreed = read_survey(survey)
    collector = Collector.at(url, key_file, plain_http=plain_http)
    if close:
        told: dict[str, Any] = collector.post(f"/surveys/{agreed.fingerprint}/close", {})
    else:
        rules = {"upload": upload, "retention": retention, "scrub": scrub}
        body: dict[str, Any] = {"survey": agreed.document(), "rules": rules}
        if sign is not None:
            signed = read_publisher_key(sign).sign(agreed)
            body |= {"publisher": signed.publisher, "signature": signed.signature}
        told = collector.post("/surveys", body)
    if as_json:
        show_json(told)
        return
    done = "closed" if close else "published" if told["published"] else "was published before"
    say(f"{agreed.name}: {done}, fingerprint {agreed.fingerprint}")
    if close:
        return
    if told["publisher"]:
        say(f"signed by {told['publisher']}")
    address = f"{collector.url}/surveys/{agreed.fingerprint}"
    show_text(address)
    if told.get("answer_page"):  # a collector of an older version has none
        who = "" if told["upload"] == "open" else ", with a token"
        say(f"to answer in a browser{who}: {address}/answer")
    if not client_doubt(agreed):
        say(default_client(agreed))
    for doubt in doubts(agreed):
        say(f"warning: {doubt}")
