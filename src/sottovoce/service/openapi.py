"""The OpenAPI document, derived from the table of routes and the structs that they name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sottovoce.service.documents import OpenApi, Refusal, SignIn, Upload
from sottovoce.service.refusals import CODES
from sottovoce.service.routes import Described, Parameter
from sottovoce.service.schemas import Schema, components, schema_of
from sottovoce.wire.uploads import FORMS

__all__ = ["body_media", "openapi_document"]

_TEXT: Schema = {"type": "string"}
_HEX: Schema = {**_TEXT, "pattern": "^[0-9a-f]{32}$"}


def body_media(route: Described) -> list[str]:
    """The media types of the body that a route takes."""
    if route.takes is Upload:
        return list(FORMS.values())
    return ["application/x-www-form-urlencoded" if route.takes is SignIn else "application/json"]


def openapi_document(routes: Sequence[Described], version: str) -> OpenApi:
    """The document of a collector with these routes."""
    paths: dict[str, Any] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "sottovoce collector",
            "version": version,
            "description": "Takes randomized reports and answers who may read.",
        },
        "paths": paths,
        "components": {
            "schemas": components(),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }
    return OpenApi(document)


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
    if route.takes is not None:
        found["requestBody"] = {
            "required": True,
            "content": {media: _media(route.takes, media) for media in body_media(route)},
        }
    if route.role:
        found["security"] = [{"key": []}]
        found["description"] = f"Needs the key of the role {route.role}."
    return found


def _media(kind: Any, media: str) -> Schema:
    """The schema of a body; MessagePack is bytes to OpenAPI."""
    if media == FORMS["msgpack"]:
        return {"schema": {**_TEXT, "format": "binary"}}
    return {"schema": schema_of(kind)}


def _parameter(each: Parameter) -> dict[str, Any]:
    return {
        "name": each.name,
        "in": "query",
        "required": each.needed,
        "description": each.means,
        "schema": {"type": "array", "items": each.schema} if each.many else each.schema,
    }


def _responses(route: Described) -> dict[str, Any]:
    if isinstance(route.gives, str):
        content: dict[str, Any] = {route.gives: {"schema": _TEXT}}
    else:
        content = {"application/json": _media(route.gives, "")}
    found: dict[str, Any] = {str(status): {"description": route.means} for status in route.statuses}
    for status in set(route.statuses) - {303}:  # which leads on, and says nothing itself
        found[str(status)]["content"] = content
    refusal = content if route.gives == "text/html" else {"application/json": _media(Refusal, "")}
    refused: dict[int, list[str]] = {}
    for code in route.codes:
        refused.setdefault(CODES[code].status, []).append(code)
    for status, codes in sorted(refused.items()):
        meanings = "; ".join(f"{code}: {CODES[code].meaning}" for code in codes)
        found[str(status)] = {"description": meanings, "content": refusal}
        if any(CODES[code].status in (429, 503, 507) for code in codes):
            header = {"schema": {"type": "integer"}, "description": "seconds to wait"}
            found[str(status)]["headers"] = {"Retry-After": header}
    return found
