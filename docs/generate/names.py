"""Pages of Python: every public name with its signature and docstring, by stage of the data's way."""

from __future__ import annotations

import ast
import builtins
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import is_dataclass
from functools import cached_property
from typing import Any

import sottovoce as sv
from docs.generate.markdown import fence, prose, sentence, split_doctest, table
from docs.generate.sections import read_sections
from docs.generate.source import texts_beside
from sottovoce import testing
from sottovoce.core.mechanism import Mechanism

__all__ = ["anchor_of", "name_pages", "topic_of"]

TOPICS = {
    "domains": ("Domains", "What a value may be."),
    "mechanisms": ("Mechanisms", "Ways to randomize a value, and what each promises."),
    "reports": (
        "Reports and randomness",
        "What a mechanism makes of values, and what it draws with.",
    ),
    "tallies": ("Tallies", "Counts of reports, which merge by adding."),
    "estimating": ("Estimating", "From a tally to a distribution."),
    "answers": ("Answers", "What is read from an estimate, with error bars, and how it is shown."),
    "surveys": ("Surveys and clients", "The public agreement, and the device that keeps it."),
    "planning": ("Planning", "What to decide before anything is collected."),
    "fusion": ("Several services", "One answer from what the same people told several services."),
    "spark": (
        "Spark",
        "Where the data is on a cluster: `import sottovoce.spark as svs`. DataFrames in, DataFrames out.",
    ),
    "privacy": ("Privacy", "Promises, checked."),
    "metrics": ("Metrics", "How far an estimate is from a truth that is known: `sv.metrics`."),
    "testing": (
        "Testing",
        "The laws of mechanisms and methods, for those who write one: `sottovoce.testing`.",
    ),
    "errors": ("Errors", "The root of all errors that are raised on purpose."),
}
"""The pages, in the order of the data's way: title and first sentence."""

_MODULES = {
    "answers": "answers", "base.errors": "errors", "base.frame": "answers",
    "base.randomness": "reports", "core.batches": "tallies", "core.certificate": "mechanisms",
    "core.counter": "tallies", "core.mechanism": "mechanisms",
    "core.registry": "mechanisms", "core.reports": "reports", "core.tally": "tallies",
    "device": "surveys", "domains": "domains", "engines.sql.estimate_query": "estimating",
    "engines.sql.tally_query": "tallies", "estimators": "estimating",
    "estimators.coordinates": "tallies", "estimators.two_phases": "planning", "fusion": "fusion",
    "mechanisms": "mechanisms", "metrics": "metrics", "planning": "planning", "plots": "answers",
    "privacy": "privacy", "spark": "spark", "surveys": "surveys", "testing": "testing",
}  # fmt: skip
"""The page of what a module holds, by the beginning of its name."""


_PACKAGES = ("metrics", "spark", "testing")
"""Public names that are packages, each with a page of its own."""

_LAWS = {
    "Laws of a mechanism": testing.MECHANISM_LAWS,
    "Laws of a method": (*testing.METHOD_LAWS, *testing.ERROR_LAWS),
}


def topic_of(name: str) -> str:
    """The page on which a public name is told about."""
    found = getattr(sv, name)
    module = found.__name__ if inspect.ismodule(found) else found.__module__
    short = module.removeprefix("sottovoce.")
    fits = [begin for begin in _MODULES if short.startswith(begin)]
    if not fits:
        raise LookupError(f"no page for {name} of {module}: say which in docs/generate/names.py")
    return _MODULES[max(fits, key=len)]


def name_pages() -> Iterator[tuple[str, str]]:
    """The page that lists all names, and a page a topic."""
    names: dict[str, list[str]] = {topic: [] for topic in TOPICS}
    for name in _in_order(sv.__all__):
        names[topic_of(name)].append(name)
    yield "reference/python.md", _overview(names)
    for topic, (title, first) in TOPICS.items():
        parts = [f"# {title}", first, *_entries(topic, names[topic])]
        yield f"reference/python/{topic}.md", "\n\n".join(parts) + "\n"


def _overview(names: dict[str, list[str]]) -> str:
    rows = []
    for topic, (title, _) in TOPICS.items():
        told = [_link(topic, name) for name in names[topic]]
        rows.append((f"[{title}](python/{topic}.md)", ", ".join(told)))
    return f"{_HEAD}\n\n{table(['stage', 'names'], rows)}\n"


def _link(topic: str, name: str) -> str:
    if _is_mechanism(name):
        return f"[`{name}`](mechanisms/{getattr(sv, name).name}.md)"
    return f"[`{name}`](python/{topic}.md{'' if name in _PACKAGES else '#' + anchor_of(name)})"


def anchor_of(name: str) -> str:
    """The anchor of a name on its page; of two that differ in capitals only, the second is numbered."""
    alike = [
        each
        for each in _in_order(sv.__all__)
        if each.lower() == name.lower() and topic_of(each) == topic_of(name)
    ]
    return name.lower() + (f"_{alike.index(name)}" if alike.index(name) else "")


def _in_order(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: (name.lower(), name))


def _is_mechanism(name: str) -> bool:
    found = getattr(sv, name)
    return inspect.isclass(found) and issubclass(found, Mechanism) and found is not Mechanism


def _entries(topic: str, names: list[str]) -> Iterator[str]:
    if topic == "metrics":
        yield "An overview, with what is refused, is in [metrics](../metrics.md)."
        public = [each for each in sv.metrics.__all__ if each[0].islower()]
        for name in public:
            yield _entry(f"metrics.{name}", name, getattr(sv.metrics, name))
        return
    if topic == "spark":
        yield "How they are used is in [run on Spark](../../how-to/run-on-spark.md)."
        for name in sv.spark.__all__:
            yield _entry(f"spark.{name}", name, getattr(sv.spark, name))
        return
    if topic == "testing":
        yield "How they are used is in [add a mechanism](../../how-to/add-a-mechanism.md)."
        for name in testing.__all__:
            if not name.isupper():
                yield _entry(f"testing.{name}", name, getattr(testing, name))
        for title, laws in _LAWS.items():
            yield f"## {title}\n\n{table(['law', ''], [(law.name, law.text) for law in laws])}"
        return
    classes = [name for name in names if _is_mechanism(name)]
    for name in names:
        if name not in classes:
            yield _entry(name, name, getattr(sv, name))
    if classes:
        rows = [
            (f"[`{name}`](../mechanisms/{getattr(sv, name).name}.md)", sentence(getattr(sv, name).__doc__))
            for name in classes
        ]  # fmt: skip
        yield f"## Every mechanism\n\n{table(['class', ''], rows)}"


def _entry(called: str, name: str, found: Any) -> str:
    sections = read_sections(inspect.getdoc(found) or "")
    words, examples = split_doctest(sections.words)
    examples = examples or split_doctest(sections.texts.get("Examples", ""))[1]
    call = fence("text", _call(f"sv.{called}", found))
    parts = [f"## {name}", call, prose(words), *sections.markdown()]
    if name in _GUIDES:
        parts.append(_GUIDES[name])
    elif examples:
        parts.append(fence("pycon", "\n".join([*_imports(examples, found.__module__), examples])))
    if inspect.isclass(found) and (rows := _members(found)):
        parts.append(table(["member", ""], rows))
    return "\n\n".join(parts)


_GUIDES = {
    "SottovoceError": "Every kind of error is in [errors](../errors.md).",
    "compare": "A worked example is in [compare methods](../../how-to/compare-methods.md).",
}
"""Names that another page shows at work."""


# -- signatures --------------------------------------------------------------------------------


def _call(called: str, function: Callable[..., Any], *, without_self: bool = False) -> str:
    """A signature as it is written: over several lines where one is not enough."""
    try:
        signature = inspect.signature(function)
    except ValueError:
        return called
    parameters = list(signature.parameters.values())[1 if without_self else 0 :]
    told: list[str] = []
    for each in parameters:
        if (
            each.kind is each.KEYWORD_ONLY
            and "*" not in told
            and not any(t.startswith("*") for t in told)
        ):
            told.append("*")
        told.append(_parameter(each))
    gives = _text(signature.return_annotation)
    arrow = "" if inspect.isclass(function) or gives in ("", "None") else f" -> {gives}"
    line = f"{called}({', '.join(told)}){arrow}"
    if len(line) <= 100:
        return line
    return f"{called}(\n" + "".join(f"    {each},\n" for each in told) + f"){arrow}"


def _parameter(each: inspect.Parameter) -> str:
    stars = (
        "*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else ""
    )
    kind = _text(each.annotation)
    told = f"{stars}{each.name}" + (f": {kind}" if kind else "")
    if each.default is each.empty:
        return told
    default = json.dumps(each.default) if isinstance(each.default, str) else repr(each.default)
    if default.startswith("<"):
        default = "..."
    return f"{told} = {default}" if kind else f"{told}={default}"


def _text(annotation: object) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    return (
        annotation
        if isinstance(annotation, str)
        else getattr(annotation, "__name__", str(annotation))
    )


# -- members of a class ------------------------------------------------------------------------------


def _members(cls: type) -> list[tuple[str, str]]:
    """Public fields with a text, properties and methods: its own, then those of its bases.

    An override without a docstring has that of the method it overrides.
    """
    found: dict[str, tuple[str, str]] = {}
    for owner in cls.__mro__:
        if not owner.__module__.startswith("sottovoce"):
            continue
        for name, member in _texts_beside(owner).items():
            found.setdefault(name, (f"`{name}`", member))
        for name, member in vars(owner).items():
            if name.startswith("_") or (name in found and found[name][1]):
                continue
            if told := _member(name, member):
                found[name] = (found.get(name, told)[0], told[1])
    return list(found.values())


def _member(name: str, member: Any) -> tuple[str, str] | None:
    if isinstance(member, (property, cached_property)):
        function: Any = member.fget if isinstance(member, property) else member.func
        return f"`{name}`", sentence(function.__doc__)
    if isinstance(member, (classmethod, staticmethod)):
        bound = isinstance(member, classmethod)
        return f"`{_short(name, member.__func__, bound)}`", sentence(member.__func__.__doc__)
    if inspect.isfunction(member):
        return f"`{_short(name, member, True)}`", sentence(member.__doc__)
    return None


def _short(name: str, function: Callable[..., Any], bound: bool) -> str:
    """Names and defaults only: types would not fit a cell."""
    parameters = list(inspect.signature(function).parameters.values())[1 if bound else 0 :]
    told = [_parameter(each.replace(annotation=each.empty)) for each in parameters]
    at = next((i for i, each in enumerate(parameters) if each.kind is each.KEYWORD_ONLY), None)
    if at is not None:
        told.insert(at, "*")
    return f"{name}({', '.join(told)})"


def _texts_beside(owner: type) -> dict[str, str]:
    """Fields of a dataclass that have a text below them."""
    texts = texts_beside(owner) if is_dataclass(owner) else {}
    return {name: sentence(text) for name, text in texts.items() if not name.startswith("_")}


# -- examples --------------------------------------------------------------------------------------


def _imports(examples: str, module: str) -> list[str]:
    """What an example takes from the module that its docstring stands in."""
    lines = re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", examples, re.MULTILINE)
    tree = ast.parse("\n".join(lines))
    names = [each for each in ast.walk(tree) if isinstance(each, ast.Name)]
    bound = {each.id for each in names if isinstance(each.ctx, ast.Store)} | {"sv"}
    used = {each.id for each in names} - bound - set(vars(builtins))
    there = vars(sys.modules[module])
    found: dict[str, list[str]] = {}
    for name in sorted(used & set(there)):
        found.setdefault(getattr(there[name], "__module__", module), []).append(name)
    return [f">>> from {where} import {', '.join(taken)}" for where, taken in sorted(found.items())]


_HEAD = """\
# Python

Every public name of `import sottovoce as sv`, by stage of the data's way. Everything else is in rooms of its own, whose
names may change; what a room holds is told in the [design](../explanation/design.md)."""
