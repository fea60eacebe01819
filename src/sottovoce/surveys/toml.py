"""Surveys as people write them: a TOML file, read strictly and written with comments.

The file says what is wanted; what is agreed on is the survey's canonical JSON, with the
integers that devices draw with, and its fingerprint.  A file may be either.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from sottovoce.base.errors import CorruptBytes, InvalidInput, SottovoceError, Unfit
from sottovoce.base.exact import decimal_text
from sottovoce.base.suggestions import did_you_mean
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism
from sottovoce.domains.base import Domain, TomlKeys, domain_kinds
from sottovoce.domains.record import Record
from sottovoce.domains.yes_no import YesNo
from sottovoce.surveys.repeating import DEFAULTS
from sottovoce.surveys.survey import Survey

__all__ = ["read_survey", "survey_from_toml", "survey_to_toml"]

_RULES = (
    "name", "question", "window", "minimum_batch", "outside", "opens", "closes", "series", *DEFAULTS,
)  # fmt: skip
_QUESTION = ("name", "text")
"""Keys of a question in addition to those of its kind."""
_YES_NO = "yes-no"
"""A kind of the file only: it is written as categories in the document."""


def read_survey(path: str | os.PathLike[str]) -> Survey:
    """A survey from a file of TOML, or of its canonical JSON; errors name the file."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorruptBytes(f"{file} is not UTF-8 text: {error}") from error
    if not text.lstrip().startswith("{"):
        return survey_from_toml(text, file.name)
    try:
        return Survey.from_json(text)
    except SottovoceError as error:
        raise type(error)(*_again(error, file.name)) from error


def _again(error: SottovoceError, file: str) -> tuple[Any, ...]:
    """The arguments of the same error, told of a file."""
    if isinstance(error, InvalidInput):
        return error.parameter, f"{error.owner} in {file}", error.allowed, error.given
    return (f"{file}: {error}",)


def survey_from_toml(text: str, file: str = "the survey") -> Survey:
    """The survey that a TOML file says.

    >>> survey = survey_from_toml('''
    ... name = "drinks"
    ... question = "What do you drink in the morning?"
    ... window = "week"
    ...
    ... [domain]
    ... kind = "categories"
    ... values = ["tea", "coffee", "water"]
    ...
    ... [mechanism]
    ... name = "olh"
    ... epsilon = 1.0
    ... ''')
    >>> print(survey.mechanism)
    local-hashing(Categories(['tea', 'coffee', 'water']), epsilon=1)
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CorruptBytes(f"{file} is not TOML: {error}") from error
    domain_key = "questions" if "questions" in document else "domain"
    _check_keys(document, file, ("name", "question", domain_key, "mechanism"), (*_RULES, "domain"))
    rules = {key: _date_text(document[key]) for key in _RULES if key in document}
    domain: Domain
    if domain_key == "domain":
        domain = _domain(_table(document, "domain", file), f"[domain] in {file}")
    else:
        domain, rules["texts"] = _questions(document, file)
    chosen = _mechanism(_table(document, "mechanism", file), domain, file)
    try:
        return Survey(mechanism=chosen, **rules)
    except InvalidInput as error:
        raise _moved(error, file) from error


def _table(document: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    found = document[key]
    if not isinstance(found, dict):
        raise InvalidInput(key, where, f"a table, [{key}]", found)
    return found


def _check_keys(
    given: Mapping[str, Any], where: str, required: Collection[str], optional: Collection[str]
) -> None:
    allowed = list(dict.fromkeys([*required, *optional]))
    for key in given:
        if key not in allowed:
            hint = did_you_mean(key, allowed)
            raise InvalidInput("a key", where, f"one of {', '.join(allowed)}", key, hint=hint)
    for key in required:
        if key not in given:
            raise InvalidInput(key, where, "given", None)


def _date_text(value: Any) -> Any:
    """A date of TOML as text; what else is given is left to be refused."""
    plain = isinstance(value, date) and not isinstance(value, datetime)
    return value.isoformat() if plain else value


def _moved(error: InvalidInput, where: str) -> InvalidInput:
    """The same error, with a place in the file as its owner."""
    return InvalidInput(error.parameter, where, error.allowed, error.given, hint=error.hint)


def _toml_kinds() -> dict[str, tuple[Callable[[Mapping[str, Any]], Domain], TomlKeys]]:
    """Kinds of domain that have a TOML form: what reads them, and their keys."""
    kinds = domain_kinds().items()
    found: dict[str, tuple[Callable[[Mapping[str, Any]], Domain], TomlKeys]] = {
        kind: (cls.from_toml, cls.toml) for kind, cls in kinds if cls.toml is not None
    }
    return {**found, _YES_NO: (lambda table: YesNo(), TomlKeys((), (), "no keys: yes or no"))}


def _domain(table: Mapping[str, Any], where: str, others: Collection[str] = ()) -> Domain:
    """The domain of a table; ``others`` are keys of the table that were read before."""
    kinds, kind = _toml_kinds(), table.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        hint = did_you_mean(kind, kinds) if isinstance(kind, str) else ""
        raise InvalidInput("kind", where, f"one of {', '.join(kinds)}", kind, hint=hint)
    read, keys = kinds[kind]
    _check_keys(table, where, ("kind", *keys.required), (*keys.optional, *others))
    described = {key: value for key, value in table.items() if key not in ("kind", *others)}
    try:
        return read(described)
    except InvalidInput as error:
        raise _moved(error, where) from error


def _questions(document: Mapping[str, Any], file: str) -> tuple[Record, dict[str, str]]:
    """Several questions, and the texts of those that have one."""
    rows = document["questions"]
    if "domain" in document:
        raise InvalidInput("domain", file, "left out where there are [[questions]]", "both")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InvalidInput("questions", file, "tables, each [[questions]]", rows)
    domains: dict[str, Domain] = {}
    texts: dict[str, str] = {}
    for place, row in enumerate(rows, start=1):
        name = row.get("name")
        if not isinstance(name, str) or name in domains:
            allowed = "text, another for every question"
            raise InvalidInput("name", f"[[questions]] {place} in {file}", allowed, name)
        domains[name] = _domain(row, f"[[questions]] {name!r} in {file}", _QUESTION)
        if "text" in row:
            texts[name] = row["text"]
            _check_shown(row["text"], f"[[questions]] {name!r} in {file}")
    try:
        return Record(domains), texts
    except InvalidInput as error:
        hint = "A survey of one question has [domain] in their place." if len(rows) == 1 else ""
        raise InvalidInput(
            error.parameter, f"[[questions]] in {file}", error.allowed, error.given, hint=hint
        ) from error


def _check_shown(text: object, where: str) -> None:
    """Refuse what is no text of a question; its length is for the survey to check."""
    if not isinstance(text, str) or not text.strip():
        hint = "Left out, people read the name."
        raise InvalidInput("text", where, "what people are asked", text, hint=hint)


def _mechanism(table: Mapping[str, Any], domain: Domain, file: str) -> Mechanism:
    where = f"[mechanism] in {file}"
    _check_keys(table, where, ("name",), ("epsilon", "options", "weights"))
    if not isinstance(table["name"], str):
        raise InvalidInput("name", where, "the name of a mechanism", table["name"])
    options = _table(table, "options", where) if "options" in table else {}
    for key in ("domain", "epsilon", "weights"):
        if key in options:
            raise InvalidInput(
                "a key", f"[mechanism.options] in {file}", f"another name than {key}", key
            )
    if "epsilon" not in table and "weights" not in table:
        raise InvalidInput("epsilon", where, "given: a number from 1e-6 to 20", None)
    weights = {"weights": table["weights"]} if "weights" in table else {}
    try:
        return mechanism(table["name"], domain, table.get("epsilon"), **options, **weights)
    except InvalidInput as error:
        table_of = {"epsilon": where, "weights": where, "domain": f"[domain] in {file}"}
        raise _moved(
            error, table_of.get(error.parameter, f"[mechanism.options] in {file}")
        ) from error
    except Unfit as error:
        raise Unfit(f"name of {where}: {error}") from error


# -- writing -------------------------------------------------------------------------------

_COMMENTS = {
    "name": "What the survey is called, by those who run it.",
    "question": "What people are asked.",
    "window": "A person sends one report per window: once (ever), day, week or month.",
    "minimum_batch": "No answer is shown from fewer reports.",
    "outside": "A value that is not in the domain: refuse, nearest (numbers), or other (the value of that name).",
    "opens": "The first day, in UTC; leave it out for no such day.",
    "closes": "The last day.",
    "series": "Surveys of one series share a budget on a device; leave it out for none.",
    "ask": "Ask each person in one window of 30 (1/30), drawn by the device; leave it out to ask everybody in all.",
    "changes": "With a memoized mechanism: how many changes of an answer are paid for; leave it out for none.",
    "period": "With a memoized mechanism: after how many windows memory begins anew; leave it out for never.",
}
_EXAMPLES = {
    "opens": "2026-01-31", "closes": "2026-01-31", "series": '"drinks-2026"', "ask": '"1/30"',
    "changes": "1", "period": "30",
}  # fmt: skip
"""What a key that is left out is shown with."""
_MECHANISM = """\
# How an answer is randomized on the device. `sottovoce plan` ranks what there is by error.
# Any report is at most e^epsilon times as likely under one true answer as under another."""


def survey_to_toml(survey: Survey) -> str:
    """A commented file that reads back as this very survey, fingerprint and all."""
    chosen = survey.mechanism
    tried = [(_unlike_default(chosen), False), (chosen.options(), False), (chosen.options(), True)]
    for options, weights in tried:
        try:
            text = _text(survey, options, weights=weights)
            if survey_from_toml(text) == survey:
                return text
        except SottovoceError:
            continue
    raise Unfit(f"{survey.mechanism} cannot be written as TOML; its canonical JSON can")


def _unlike_default(chosen: Mechanism) -> dict[str, Any]:
    """The options that are not what they would be anyway, and those that files always name."""
    options = chosen.options()
    named = {key: options[key] for key in chosen.named_options}
    try:
        usual = mechanism(chosen.name, chosen.domain, chosen.epsilon, **named).options()
    except SottovoceError:
        return options
    return named | {key: value for key, value in options.items() if value != usual[key]}


def _text(survey: Survey, options: Mapping[str, Any], *, weights: bool) -> str:
    chosen, lines = survey.mechanism, []
    for key, comment in _COMMENTS.items():
        value, dated = getattr(survey, key), key in ("opens", "closes")
        assigned = f"{key} = {value if dated else _value(value)}"
        left_out = key in _EXAMPLES and value == DEFAULTS.get(key, "")
        lines += [f"# {comment}", f"# {key} = {_EXAMPLES[key]}" if left_out else assigned, ""]
    lines += [*_kinds_comment(), *_domain_lines(survey)]
    told = {"name": chosen.name, "epsilon": float(decimal_text(chosen.epsilon))}
    if weights or chosen.name == "table":
        told["weights"] = chosen._weights_document()
    lines += [_MECHANISM, "[mechanism]", *_assignments(told)]
    kept = {key: value for key, value in options.items() if value is not None}
    if kept:
        lines += ["", "[mechanism.options]", *_assignments(kept)]
    return "\n".join(lines) + "\n"


def _domain_lines(survey: Survey) -> list[str]:
    """The table of the domain, or one per question."""
    record = survey.mechanism.domain.record
    if record is None:
        return ["[domain]", *_domain_keys(survey.mechanism.domain), ""]
    lines = []
    for name, domain in zip(record.names, record.domains, strict=True):
        text = survey.text_of(name)
        shown = {"name": name} | ({} if text == name else {"text": text})
        lines += ["[[questions]]", *_assignments(shown), *_domain_keys(domain), ""]
    return lines


def _domain_keys(domain: Domain) -> list[str]:
    if domain == YesNo():
        return _assignments({"kind": _YES_NO})
    return _assignments({"kind": domain.kind, **domain.to_toml()})


def _kinds_comment() -> list[str]:
    kinds = _toml_kinds()
    width = max(map(len, kinds))
    lines = [f"#   {kind:<{width}}   {keys.comment}" for kind, (_, keys) in kinds.items()]
    return ["# What an answer may be. Kinds and their keys:", *lines]


def _assignments(table: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {_value(value)}" for key, value in table.items()]


def _value(value: Any) -> str:
    """A value of TOML; its texts are those of JSON, but for the character DEL."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(_assignments(value)) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, float):
        text = decimal_text(value)
        return text if "." in text else f"{text}.0"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
