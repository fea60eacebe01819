"""Mechanisms by name: the explaining name, or the name a paper gave, in any case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from sottovoce.base.canonical import check_same, integers_of, read_document
from sottovoce.base.errors import CorruptBytes, InvalidInput, SottovoceError, Unfit, shown
from sottovoce.base.suggestions import did_you_mean, unknown
from sottovoce.core.plugins import Plugins
from sottovoce.domains.base import Domain, domain_from_json

if TYPE_CHECKING:
    from sottovoce.core.mechanism import Mechanism

__all__ = [
    "GROUP",
    "VERSION",
    "declare",
    "mechanism",
    "mechanism_from_document",
    "mechanism_from_json",
    "register",
    "registered",
    "restore",
]

VERSION = 2
"""Version of the document of a mechanism; with another list of keys comes another version."""

GROUP = "sottovoce.mechanisms"
"""The entry points by which other distributions offer mechanisms."""

_WHERE: dict[str, str] = {}
"""The module that registers a mechanism when it is imported, by the mechanism's own name."""
_CLASSES: dict[str, type[Mechanism]] = {}
_NAMES: dict[str, tuple[type[Mechanism], Mapping[str, Any]]] = {}

M = TypeVar("M", bound="type[Mechanism]")


def register(cls: M) -> M:
    """Make a mechanism known under its name and its paper names; a taken name is refused."""
    if cls.__module__ not in _WHERE.values():
        _import_all()  # so that every name of ours is taken
    names: dict[str, Mapping[str, Any]] = {cls.name: {}, **cls.aka}
    for name in names:
        if name in _NAMES:
            raise InvalidInput("name", cls.__name__, "not taken yet", name)
    _NAMES.update({name: (cls, options) for name, options in names.items()})
    _CLASSES[cls.name] = cls
    return cls


def declare(module: str, name: str) -> None:
    """Say that importing ``module`` registers ``name``: it is imported when that is asked for."""
    _WHERE[name] = module


def _add_plugin(name: str, loaded: Any) -> None:
    """Register the class of an entry point, unless its module already did."""
    if not isinstance(loaded, type) or not hasattr(loaded, "respond_many"):
        raise InvalidInput("entry point", name, "a subclass of Mechanism", loaded)
    own = getattr(loaded, "name", None)
    if own != name:
        raise InvalidInput("entry point", name, f"named {own!r}, as its class", name)
    if _CLASSES.get(name) is not loaded:
        register(loaded)


_plugins = Plugins(GROUP, _add_plugin)


def _import_all(until: str = "") -> None:
    """Import every module of ours, or as many as it takes to know a name."""
    for module in _WHERE.values():
        if until not in _NAMES:
            import_module(module)


def _is_known(name: object) -> bool:
    """Whether a mechanism has that name; modules and plug-ins are imported as far as needed.

    A paper name is known once its module is imported, so one that is not known yet imports them
    in order.  Then come the plug-ins of that name, and all plug-ins, for it may be a paper name.
    """
    if not isinstance(name, str):
        return False
    if name not in _NAMES and name in _WHERE:
        import_module(_WHERE[name])
    if name not in _NAMES:
        _import_all(until=name)
    if name not in _NAMES:
        _plugins.load(name)
    if name not in _NAMES:
        _plugins.load_all()
    return name in _NAMES


def registered() -> Iterator[type[Mechanism]]:
    """Every registered mechanism, plug-ins included, in order of name."""
    _import_all()
    _plugins.load_all()
    return iter(cls for _, cls in sorted(_CLASSES.items()))


def mechanism(name: str, domain: Domain, epsilon: float | None = None, **options: Any) -> Mechanism:
    """Make a mechanism by name.

    Parameters
    ----------
    name : str
        The name, or the name that a paper gave it, in any case: ``"local-hashing"``, ``"OLH"``.
    domain : Domain
        What a value may be.
    epsilon : float, optional
        The privacy parameter, from 1e-6 to 20. Only ``table`` can do without.
    **options
        Options of the mechanism; with ``report_bins`` any mechanism reports about wider bins.

    Returns
    -------
    Mechanism
        The mechanism, checked.

    Raises
    ------
    Unfit
        Where no mechanism has that name; the message suggests the nearest.
    InvalidInput
        Where an option is unknown or not allowed.

    Examples
    --------
    >>> import sottovoce as sv
    >>> print(sv.mechanism("OLH", sv.Categories(1024), 1.0))
    local-hashing(Categories(1024), epsilon=1)
    """
    key = name.strip().lower() if isinstance(name, str) else name
    if not _is_known(key):
        raise Unfit(unknown("mechanism", name, sorted(_NAMES)))
    if "report_bins" in options and key != "binned":
        bins, asked = options.pop("report_bins"), {"mechanism": key, "options": options}
        return mechanism("binned", domain, epsilon, report_bins=bins, oracle=asked)
    cls, preset = _NAMES[key]
    for option, value in preset.items():
        if options.get(option, value) != value:
            raise InvalidInput(option, name, f"{value!r} (or use {cls.name!r})", options[option])
    arguments = {**preset, **options}
    if epsilon is not None:
        arguments["epsilon"] = epsilon
    try:
        return cls(domain, **arguments)
    except TypeError as error:
        names = [each.name for each in fields(cls) if each.name != "domain"]
        strange = next((option for option in arguments if option not in names), "")
        allowed, hint = f"among {', '.join(names)}", did_you_mean(strange, names)
        told = f"{arguments}: {error}"
        raise InvalidInput("options", cls.name, allowed, told, hint=hint) from error


def mechanism_from_json(text: str) -> Mechanism:
    """Read a mechanism from its canonical JSON.

    Parameters
    ----------
    text : str
        What ``Mechanism.to_json`` wrote.

    Returns
    -------
    Mechanism
        The mechanism, with the weights of the text.

    Raises
    ------
    CorruptBytes
        Where the text is not the canonical JSON of a mechanism of this version.
    InvalidInput
        Where its weights exceed its epsilon.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0)
    >>> mechanism_from_json(m.to_json()) == m
    True
    """
    return mechanism_from_document(read_document(text, "the description of a mechanism"))


def mechanism_from_document(document: Any) -> Mechanism:
    """Rebuild a mechanism from its document.

    Its weights are taken as they are, and checked.  A document that would be written
    otherwise is refused: a missing or unknown key, an option left out, ``"1.0"`` for ``"1"``.
    """
    if not isinstance(document, Mapping):
        raise CorruptBytes(f"the description of a mechanism is not an object: {shown(document)}")
    named = document.get("mechanism")
    if not _is_known(named) or named not in _CLASSES:
        raise CorruptBytes(unknown("mechanism", named, (cls.name for cls in registered())))
    version, what = document.get("version"), f"the description of {named}"
    if type(version) is not int or version != VERSION:
        raise CorruptBytes(f"{what} has version {shown(version)}; this version reads {VERSION}")
    try:
        domain = domain_from_json(document["domain"])
        weights = integers_of(document["weights"], named)
        read = restore(named, domain, float(document["epsilon"]), document["options"], weights)
    except SottovoceError:
        raise
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise CorruptBytes(f"{what} is incomplete: {error}") from error
    check_same(document, read.document(), what)
    return read


def restore(
    name: str, domain: Domain, epsilon: float, options: Mapping[str, Any], weights: Any
) -> Mechanism:
    """A mechanism with weights that are given, as integers, and not derived."""
    if not _is_known(name) or name not in _CLASSES:
        raise Unfit(unknown("mechanism", name, (cls.name for cls in registered())))
    return _CLASSES[name](domain, epsilon=epsilon, weights=weights, **options)
