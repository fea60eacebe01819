"""The OpenAPI document, made of the table of routes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sottovoce.base.checks import MAX_RETENTION
from sottovoce.service.refusals import CODES
from sottovoce.service.routes import Described, Parameter
from sottovoce.wire.uploads import FORMS

__all__ = ["openapi_document"]

Schema = dict[str, Any]

_HEX = {"type": "string", "pattern": "^[0-9a-f]{32}$"}
_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_FLAG: Schema = {"type": "boolean"}
_NUMBER: Schema = {"type": ["number", "null"]}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_FREE: Schema = {"type": "object"}


def _object(needed: dict[str, Schema], other: dict[str, Schema] | None = None) -> Schema:
    properties = {**needed, **(other or {})}
    return {"type": "object", "properties": properties, "required": list(needed)}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


_ABOUT = {
    "fingerprint": _HEX, "name": _TEXT, "question": _TEXT, "mechanism": _TEXT, "epsilon": _NUMBER,
    "window": _TEXT, "minimum_batch": _COUNT, "opens": _TEXT, "closes": _TEXT, "upload": _TEXT,
    "retention": {"type": ["integer", "null"]}, "scrub": _FLAG, "closed": _FLAG,
}  # fmt: skip
_TOLD = {
    "fingerprint": _HEX, "name": _TEXT, "windows": _TEXTS, "left_out": _TEXTS, "reports": _COUNT,
    "method": _TEXT, "why": _TEXT, "converged": _FLAG, "iterations": _COUNT, "about": _TEXT,
}  # fmt: skip
_ROW = _object(
    {
        "question": _TEXT, "label": {}, "value": _NUMBER, "stderr": _NUMBER, "low": _NUMBER,
        "high": _NUMBER,
    },
    {"p_value": _NUMBER, "adjusted": _NUMBER},
)  # fmt: skip
_RULES = _object(
    {},
    {
        "upload": {"enum": ["open", "tokens"]},
        "retention": {"type": ["integer", "null"], "minimum": 0, "maximum": MAX_RETENTION},
        "scrub": _FLAG,
    },
)
_REPORT = _object({"id": _HEX, "payload": _list({})})
_STATUS_WINDOW = _object({"window": _TEXT, "reports": _COUNT, "released": _COUNT, "shown": _FLAG})
_UPKEEP = _object(
    {"failing": _list(_object({"work": _TEXT, "survey": _HEX})), "clock_trusted": _FLAG}
)

SCHEMAS: dict[str, Schema] = {
    "Refusal": _object(
        {"code": {"enum": sorted(CODES)}, "message": _TEXT}, {"position": _COUNT}
    ),
    "Upload": _object(
        {"version": {"const": 1}, "fingerprint": _HEX, "window": _TEXT, "reports": _list(_REPORT)}
    ),
    "Acknowledgement": _object({"stored": _COUNT, "duplicates": _COUNT}),
    "Survey": _FREE,
    "Publication": _object({"survey": _FREE}, {"rules": _RULES}),
    "About": _object(_ABOUT),
    "Published": _object({"published": _FLAG, **_ABOUT}),
    "Surveys": _object({"surveys": _list(_object(_ABOUT))}),
    "TokensWanted": _object({}, {"count": _COUNT, "allowance": _COUNT}),
    "Tokens": _object({"tokens": _TEXTS, "allowance": _COUNT}),
    "SignIn": _object({"key": _TEXT}, {"to": _TEXT}),
    "Deleted": _object({"deleted": _FLAG}),
    "Status": _object(
        {
            **_ABOUT, "windows": _list(_STATUS_WINDOW), "stored": _COUNT, "duplicates": _COUNT,
            "refused": {"type": "object", "additionalProperties": _COUNT}, "deleted": _COUNT,
            "expired": _COUNT,
        }
    ),
    "Answers": _object({**_TOLD, "confidence": _NUMBER, "answers": _list(_ROW)}),
    "Differences": _object(
        {
            "first": _object(_TOLD), "second": _object(_TOLD), "confidence": _NUMBER,
            "answers": _list(_ROW),
        }
    ),
    "Live": _object({"live": _FLAG}),
    "Ready": _object({"ready": _FLAG, "upkeep": _UPKEEP}),
    "OpenAPI": _FREE,
}  # fmt: skip
"""What goes in and comes out, by name."""


_BODIES = {"Upload": list(FORMS.values()), "SignIn": ["application/x-www-form-urlencoded"]}
"""Media types of bodies that are not JSON."""


def openapi_document(routes: Sequence[Described], version: str) -> dict[str, Any]:
    """The document of a collector with these routes."""
    paths: dict[str, Any] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "sottovoce collector",
            "version": version,
            "description": "Takes randomized reports and answers who may read.",
        },
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: Described) -> dict[str, Any]:
    inside = re.findall(r"{(\w+)}", route.path)
    found: dict[str, Any] = {
        "summary": route.means,
        "operationId": re.sub(r"\W+", "_", f"{route.method.lower()}{route.path}").strip("_"),
        "parameters": [
            *({"name": name, "in": "path", "required": True, "schema": _HEX} for name in inside),
            *map(_parameter, route.query),
        ],
        "responses": _responses(route),
    }
    if route.takes:
        media = _BODIES.get(route.takes, ["application/json"])
        found["requestBody"] = {
            "required": True,
            "content": {each: _media(route.takes, each) for each in media},
        }
    if route.role:
        found["security"] = [{"key": []}]
        found["description"] = f"Needs the key of the role {route.role}."
    return found


def _media(schema: str, media: str) -> Schema:
    """The schema of a body; MessagePack is bytes to OpenAPI."""
    if media == FORMS["msgpack"]:
        return {"schema": {"type": "string", "format": "binary"}}
    return {"schema": {"$ref": f"#/components/schemas/{schema}"}}


def _parameter(each: Parameter) -> dict[str, Any]:
    return {
        "name": each.name,
        "in": "query",
        "required": each.needed,
        "description": each.means,
        "schema": {"type": "array", "items": each.schema} if each.many else each.schema,
    }


def _responses(route: Described) -> dict[str, Any]:
    if "/" in route.gives:
        content: dict[str, Any] = {route.gives: {"schema": _TEXT}}
    else:
        content = {"application/json": _media(route.gives, "")}
    found: dict[str, Any] = {str(status): {"description": route.means} for status in route.statuses}
    for status in set(route.statuses) - {303}:  # which leads on, and says nothing itself
        found[str(status)]["content"] = content
    refusal = content if route.gives == "text/html" else {"application/json": _media("Refusal", "")}
    refused: dict[int, list[str]] = {}
    for code in route.codes:
        refused.setdefault(CODES[code].status, []).append(code)
    for status, codes in sorted(refused.items()):
        told = "; ".join(f"{code}: {CODES[code].meaning}" for code in codes)
        found[str(status)] = {"description": told, "content": refusal}
        if any(CODES[code].status in (429, 503, 507) for code in codes):
            header = {"schema": {"type": "integer"}, "description": "seconds to wait"}
            found[str(status)]["headers"] = {"Retry-After": header}
    return found
