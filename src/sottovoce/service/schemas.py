"""Schemas of the documents, derived from their structs; requests read strictly by them.

A request that does not fit is refused in the shape of all messages: which field, what is allowed,
what was given.  The reference page describes fields by the same words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec

from sottovoce.base.errors import InvalidInput
from sottovoce.service import documents

__all__ = ["Schema", "components", "read_as", "schema_of", "schema_words"]

Schema = dict[str, Any]
T = TypeVar("T", bound=msgspec.Struct)

_REF = "#/components/schemas/"
_PATH = re.compile(r" - at `\$\.?(.*)`$")
_WORDS = {
    "string": "text", "integer": "a whole number", "number": "a number", "boolean": "true or false",
    "null": "null", "object": "an object",
}  # fmt: skip


@cache
def components() -> dict[str, Schema]:
    """The schema of every document, by name."""
    kinds = [
        kind
        for kind in vars(documents).values()
        if isinstance(kind, type) and kind.__module__ == documents.__name__
    ]
    named = [kind for kind in kinds if kind.__name__ in documents.__all__]
    return msgspec.json.schema_components(named, ref_template=_REF + "{name}")[1]


def schema_of(kind: Any) -> Schema:
    """The schema of a type: for a struct, a reference to its component."""
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=_REF + "{name}")
    return schema


def resolved(schema: Schema) -> Schema:
    """The schema that a reference stands for; any other as it is."""
    name = schema.get("$ref")
    return components()[name.removeprefix(_REF)] if name else schema


def schema_words(schema: Schema) -> str:
    """What a schema allows, in words.

    >>> schema_words({"type": "integer", "minimum": 1, "maximum": 9})
    'a whole number from 1 to 9'
    >>> schema_words({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]})
    'a list of: text or null'
    """
    schema = resolved(schema)
    kind = str(schema.get("type"))
    if "anyOf" in schema:
        words = " or ".join(map(schema_words, schema["anyOf"]))
    elif "enum" in schema:
        words = " or ".join(f"`{each}`" for each in schema["enum"])
    elif "const" in schema:
        words = f"`{schema['const']}`"
    elif "pattern" in schema:
        words = schema.get("description", "32 hexadecimal digits")
    elif kind == "array":
        words = f"a list of: {schema_words(schema['items'])}"
    elif schema.get("properties"):
        words = "an object of " + ", ".join(f"`{name}`" for name in schema["properties"])
    else:
        words = _WORDS.get(kind, "any")
        if "maximum" in schema:
            words += f" from {schema['minimum']} to {schema['maximum']}"
    return words


def read_as(kind: type[T], document: Any) -> T:
    """A document as the struct that it must be.

    >>> read_as(documents.TokensWanted, {"count": 2})
    TokensWanted(count=2, allowance=1)
    >>> read_as(documents.TokensWanted, {"count": 0})
    Traceback (most recent call last):
    ...
    sottovoce.base.errors.InvalidInput: count of a request must be a whole number from 1 to 10000; got 0
    """
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        match = _PATH.search(str(error))
        schema, path = schema_of(kind), match[1].split(".") if match else []
        for name in path:
            schema = resolved(schema)["properties"][name]
            document = document[name]
        given = sorted(document) if isinstance(document, Mapping) else document
        name = ".".join(path) or "body"
        raise InvalidInput(name, "a request", schema_words(schema), given) from None
