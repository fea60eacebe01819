"""Texts of one survey in other forms: what JSON leaves free, and what a strict reader refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sottovoce.base.canonical import canonical_json

__all__ = ["refused_texts", "taken_texts"]

Case = tuple[str, str]


def taken_texts(document: dict[str, Any]) -> Iterator[Case]:
    """White space, order of keys and escapes are free."""
    text = canonical_json(document)
    yield "white space", "\r\n\t " + json.dumps(document, indent=3) + "\n\n"
    spaced = json.dumps(document, separators=(" , ", " : ")).replace("{", "{ ").replace("[", "[ ")
    yield "spaces around everything", spaced.replace("}", " }").replace("]", " ]")
    yield "0 as a category", text.replace('"other"]', "0]")
    yield "keys in another order", json.dumps(dict(reversed(document.items())))
    yield "an escape for a letter", text.replace("plain", "pl\\u0061in")
    yield "every short escape", text.replace("plain", '\\"\\\\\\/\\b\\f\\n\\r\\tx')
    yield "escapes with capitals", text.replace("plain", "\\u00E9\\u00e9")
    yield "a surrogate pair as escapes", text.replace("plain", "\\ud83d\\ude00\\uD83D\\uDE00")
    yield (
        "the last characters before and after surrogates",
        text.replace("plain", "\\ud7ff\\ue000\\uffff"),
    )
    yield (
        "the first and the last surrogate pair",
        text.replace("plain", "\\ud800\\udc00\\udbff\\udfff"),
    )
    yield "a control character as escape", text.replace("plain", "x\\u001f\\u0001")
    yield (
        "the character after the control characters",
        text.replace("plain", "x\\u007f\u007f\\u0080"),
    )


def refused_texts(document: dict[str, Any]) -> Iterator[Case]:
    """One thing wrong with the text."""
    text = canonical_json(document)
    yield "no text", ""
    yield "white space alone", " \n"
    yield "a byte order mark", "\ufeff" + text
    yield "something after it", text + "1"
    yield "a comma after it", text + ","
    yield "cut off", text[:-1]
    yield "cut off in a text", text[: text.index("plain") + 2]
    yield "a list around it", f"[{text}]"
    yield "a text", '"survey"'
    yield "a number", "2"
    yield "null", "null"
    yield "no-break space before it", "\u00a0" + text
    yield "form feed before it", "\f" + text
    yield "a comment", text.replace("{", "{/* */", 1)
    yield "a comma too much", text[:-1] + ",}"
    yield "a comma at the start", text.replace("{", "{,", 1)
    yield "a comma missing", text.replace(',"name"', '"name"')
    yield "a colon missing", text.replace('"name":', '"name"')
    yield "an equals sign", text.replace('"name":', '"name"=')
    yield "a key without quotes", text.replace('"name":', "name:")
    yield "a key in single quotes", text.replace('"name"', "'name'")
    yield "a key that is a number", text.replace('"name"', "1")
    yield "a comma too much in a list", text.replace('"other"]', '"other",]')
    yield "a list with a semicolon", text.replace('["a","b"', '["a";"b"')
    yield "a list closed as an object", text.replace('"other"]', '"other"}')
    for key, value in (("survey", 2), ("window", "once"), ("minimum_batch", 100)):
        pair = f'"{key}":{json.dumps(value)}'
        yield f"{key} twice", text.replace(pair, f"{pair},{pair}")
    yield "bits twice", text.replace('"bits":62', '"bits":62,"bits":62')
    yield "bits twice, once as an escape", text.replace('"bits":62', '"bits":62,"bit\\u0073":62')
    for wrong in ("2.0", "2e0", "2E0", "02", "+2", "0x2", "2.", "-2", "--2", "-", "2 2", "NaN"):
        yield f"version {wrong}", text.replace('"survey":2', f'"survey":{wrong}')
    for wrong in ("-0", "1e2", "100.0", "0100", "9007199254740992", "1" + "0" * 400, "-0.0"):
        yield f"minimum_batch {wrong[:30]}", text.replace(":100,", f":{wrong},")
    yield "-0 as a category", text.replace('"other"]', "-0]")
    yield "2^53 as a category", text.replace('"other"]', "9007199254740992]")
    yield "-2^53 as a category", text.replace('"other"]', "-9007199254740992]")
    yield "a version of 2^53", text.replace('"survey":2', '"survey":9007199254740992')
    yield "True", text.replace('"survey":2', '"survey":True')
    yield "infinity", text.replace('"survey":2', '"survey":Infinity')
    for wrong in (
        "\\ud800",
        "\\udc00",
        "x\\udfff",
        "\\ud800x",
        "\\ud800\\u0041",
        "\\udc00\\udc00",
        "\\ud800\\ue000",
        "\\ud800\\udbff",
        "\\ude00\\ud83d",
        "\\ud83d",
    ):
        yield f"half a surrogate pair: {wrong}", text.replace("plain", wrong)
    for wrong in (
        "\\x41",
        "\\u12",
        "\\u123g",
        "\\'",
        "\\U0001f600",
        "\\0",
        "\\",
        "\\u 041",
        "\\u+041",
    ):
        yield f"an escape that is none: {wrong}", text.replace("plain", wrong)
    for wrong in ("\n", "\t", "\x1f", "\0"):
        yield f"a control character: {wrong!r}", text.replace("plain", f"x{wrong}")
    yield "a NUL as escape", text.replace("plain", "x\\u0000")
    yield "a text that does not end", text.replace('"plain"', '"plain')
    yield "deep lists", text.replace('"plain"', "[" * 5000 + "]" * 5000)
    yield "lists in 17 lists", text.replace('"plain"', "[" * 17 + "1" + "]" * 17)
    yield "an open list", text.replace('"plain"', '["plain"')
    yield "an open object", text.replace('"plain"', '{"plain":1')
