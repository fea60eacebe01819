"""Pages of HTTP: an entry for every route and every refusal, from the tables of the service."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docs.generate.markdown import bullets, fence, table
from sottovoce.service import documents
from sottovoce.service.openapi import body_media
from sottovoce.service.refusals import CODES
from sottovoce.service.routes import ROUTES, Described, Parameter
from sottovoce.service.schemas import components, schema_words

__all__ = ["heading", "route_pages"]

_EVERYWHERE = ("invalid", "store-down", "disk-full", "stopping", "wrong-host")
_FREE = {documents.Survey: "the survey's JSON.", documents.OpenApi: "an OpenAPI document."}


def route_pages() -> Iterator[tuple[str, str]]:
    """The page of routes, and that of refusals."""
    rows = [
        (f"[`{route.method} {route.path}`](#{_slug(heading(route))})", route.role or "anybody", route.means)
        for route in ROUTES
    ]  # fmt: skip
    entries = "\n\n".join(map(_entry, ROUTES))
    overview = table(["route", "role", ""], rows)
    yield "reference/routes.md", f"{_HEAD}\n\n{overview}\n\n{_START}\n\n{entries}\n"
    yield "reference/refusals.md", _refusals()


def heading(route: Described) -> str:
    """The heading of a route's entry."""
    return f"{route.method} {route.path}"


def _slug(text: str) -> str:
    """The anchor that a heading gets."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def _entry(route: Described) -> str:
    who = f"Needs the key of the role **{route.role}**." if route.role else "Anybody may ask."
    parts = [f"## {heading(route)}", f"{route.means} {who}"]
    if route.parameters:
        rows = [(f"`{each.name}`", _parameter(each)) for each in route.parameters]
        parts.append(table(["parameter", ""], rows))
    if route.asks:
        parts.append(
            "And the [questions](questions.md), each as often as wanted; none asks for everything."
        )
    if route.takes is not None:
        parts.append(
            f"Takes {_shape(route.takes, 'a form' if _FORM in body_media(route) else 'an object')}"
        )
    statuses = " or ".join(map(str, route.statuses))
    parts.append(f"Answers {statuses} with {_shape(route.gives)}")
    own = [code for code in route.codes if code not in _EVERYWHERE]
    if own:
        refused = (
            f"[`{code}`](refusals.md#{code}) ({CODES[code].status}): {CODES[code].meaning}"
            for code in own
        )
        parts.append("Refuses with\n\n" + bullets(refused))
    parts.append(fence("sh", _example(route)))
    return "\n\n".join(parts)


def _parameter(each: Parameter) -> str:
    more = [
        word for word, told in (("needed", each.needed), ("may be repeated", each.many)) if told
    ]
    return each.means + (f" ({', '.join(more)})" if more else "")


def _shape(kind: Any, what: str = "an object") -> str:
    """A document in words: its fields, or a media type."""
    if isinstance(kind, str):
        return f"`{kind}`."
    if kind in _FREE:
        return _FREE[kind]
    schema = components()[kind.__name__]
    rows = [
        (f"`{name}`", schema_words(field) + ("" if name in schema["required"] else "; may be left out"))
        for name, field in schema["properties"].items()
    ]  # fmt: skip
    return f"{what}:\n\n{table(['field', 'is'], rows)}"


# -- examples -----------------------------------------------------------------------------------

_BODIES: dict[Any, str] = {
    documents.Upload: "{\"version\": 2, \"fingerprint\": \"'$FINGERPRINT'\", \"window\": \"\",\n  \"reports\": [{\"id\": \"'$ID'\", \"payload\": \"02\"}]}",
    documents.Publication: "{\"survey\": '\"$(cat survey.json)\"'}",
    documents.TokensWanted: "{\"count\": 2, \"allowance\": 1}",
}  # fmt: skip
"""A body for everything that is taken, within single quotes of a shell."""

_VALUES = {
    "first": "$FINGERPRINT", "second": "$OTHER", "share": "tea", "top": "2", "table": "drink,milk",
}  # fmt: skip
"""Values for parameters in the address: those needed, and some of the others."""

_FORMS = {"key": "$(cat read.key)", "to": "dashboard/$FINGERPRINT"}
"""Values for fields of forms."""
_FORM = "application/x-www-form-urlencoded"
_BINARY = "application/vnd.apache.parquet"
_BEFORE: dict[Any, str] = {documents.Upload: "ID=$(openssl rand -hex 16)\n"}


def _example(route: Described) -> str:
    several = any(each.name == "table" for each in route.parameters)
    fingerprint = "$QUESTIONNAIRE" if several else "$FINGERPRINT"
    path = route.path.replace("{fingerprint}", fingerprint).replace("{id}", "$ID")
    names = [each.name for each in route.query if each.needed or each.name in ("share", "top")]
    query = "&".join(f"{name}={_VALUES[name]}" for name in names)
    words = ["curl --fail --silent --show-error"]
    if route.method not in ("GET", "POST") or (route.method == "POST" and route.takes is None):
        words.append(f"--request {route.method}")
    if route.role:
        words.append(f'--header "Authorization: Bearer $(cat {route.role}.key)"')
    if route.takes is not None and _FORM in body_media(route):
        words += [f'--data-urlencode "{name}={value}"' for name, value in _FORMS.items()]
    elif route.takes is not None:
        words.append('--header "Content-Type: application/json"')
        words.append(f"--data '{_BODIES[route.takes]}'")
    if route.gives == _BINARY:
        words.append(f"--output {route.path.rpartition('/')[2]}")
    words.append(f'"$SOTTOVOCE_URL{path}{"?" + query if query else ""}"')
    return _BEFORE.get(route.takes, "") + _wrapped(words)


def _wrapped(words: list[str]) -> str:
    line = " ".join(words)
    return line if len(line) <= 110 else " \\\n  ".join(words)


# -- refusals --------------------------------------------------------------------------------------


def _refusals() -> str:
    parts = [_REFUSALS]
    for code, told in CODES.items():
        places = [route for route in ROUTES if code in route.codes]
        if code in _EVERYWHERE:
            where = "by any route"
        elif len(places) > 0:
            where = "by " + ", ".join(
                f"[`{heading(r)}`](routes.md#{_slug(heading(r))})" for r in places
            )
        else:
            where = "before any route is reached, or where the collector itself is at fault"
        again = (
            "The same will be refused again."
            if told.final
            else "The same may be taken later, or otherwise."
        )
        parts.append(f"## {code}\n\nHTTP {told.status}: {told.meaning}. {again} Refused {where}.")
    return "\n\n".join(parts) + "\n"


_REFUSALS = """\
# Refusals

Every code that a collector refuses with, its HTTP status and what it means. Those of uploads belong to the
[wire](wire.md#refusals), which says in which order they are found; how a refusal is written is on the page of
[HTTP](http.md#refusals)."""

_HEAD = """\
# Routes

All addresses of a collector; `GET /openapi.json` says the same to programs. What holds for all of them, roles and
uploads, is told in [HTTP](http.md). Answers are JSON unless an entry says otherwise. A parameter that a route does
not know is refused, and nothing is redirected. Every route may refuse with [`invalid`](refusals.md#invalid),
[`store-down`](refusals.md#store-down), [`disk-full`](refusals.md#disk-full), [`stopping`](refusals.md#stopping) and
[`wrong-host`](refusals.md#wrong-host)."""

_START = """\
The examples below can be run one after the other, with this before them: a collector, its keys, two surveys that ask two towns the
same, one of two questions, and a few reports.

```sh
export SOTTOVOCE_URL="${SOTTOVOCE_URL:-http://127.0.0.1:8000}"
sottovoce serve &
until curl --fail --silent "$SOTTOVOCE_URL/health/ready"; do sleep 0.2; done
sottovoce keys --role publish --output publish.key
sottovoce keys --role read --output read.key
for town in north south; do
  sottovoce survey new $town.toml --name $town --question "What do you drink?" --values tea,coffee,water \\
    --mechanism grr --epsilon 1 --minimum-batch 1
  sottovoce publish $town.toml --key-file publish.key > $town.address
  printf 'tea\\ncoffee\\ntea\\n' | sottovoce send $town.toml -
done
printf '%s\\n' 'name = "both"' 'question = "Your breakfast"' 'minimum_batch = 1' \\
  '[[questions]]' 'name = "drink"' 'kind = "categories"' 'values = ["tea", "coffee"]' \\
  '[[questions]]' 'name = "milk"' 'kind = "yes-no"' \\
  '[mechanism]' 'name = "record"' 'epsilon = 1' 'options = {design = "joint"}' > both.toml
sottovoce publish both.toml --key-file publish.key > both.address
printf 'drink,milk\\ntea,yes\\ncoffee,no\\ntea,yes\\n' | sottovoce send both.toml -
QUESTIONNAIRE=$(basename "$(cat both.address)")
FINGERPRINT=$(basename "$(cat north.address)")
OTHER=$(basename "$(cat south.address)")
curl --fail --silent "$SOTTOVOCE_URL/surveys/$FINGERPRINT" > survey.json
```"""
