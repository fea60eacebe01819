"""Methods by name: what each does, when it applies, and what it runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sottovoce.answers.estimate import Estimate
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.suggestions import did_you_mean
from sottovoce.channels.base import Floats
from sottovoce.core.coarse import reporting_mechanism
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.plugins import Plugins
from sottovoce.core.tally import Tally
from sottovoce.estimators.cell_means import only_told
from sottovoce.estimators.observed import Fit, Observed
from sottovoce.estimators.unbiased import UnbiasedShares

__all__ = [
    "GROUP",
    "Method",
    "Variant",
    "applies",
    "find_method",
    "find_step",
    "register_method",
    "registered_method",
    "registered_methods",
]

Step = Callable[..., Floats]

GROUP = "sottovoce.methods"
"""The entry points by which other distributions offer methods."""

_METHODS: dict[str, Method] = {}
_NAMES: dict[str, str] = {}


@dataclass(frozen=True, eq=False)
class Variant:
    """A way to use a method that a comparison tries besides the method by itself."""

    then: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Method:
    """An estimator: unbiased shares and then ``step`` on them, or ``fit`` on the evidence itself.

    ``step`` takes :class:`~sottovoce.estimators.unbiased.UnbiasedShares` and keyword options and
    returns shares; ``fit`` takes :class:`~sottovoce.estimators.observed.Observed`
    and returns a :class:`~sottovoce.estimators.observed.Fit`; ``mean`` takes a tally, the
    method's name and the reason for it, and returns an estimate of the mean alone.  A method with
    none of these is the unbiased estimate.
    """

    name: str
    summary: str
    step: Step | None = None
    fit: Callable[..., Fit] | None = None
    mean: Callable[[Tally, str, str], Estimate] | None = None
    unfit: Callable[[Mechanism], str] = lambda mechanism: ""
    """Why it does not apply to a mechanism, beyond a step's need of unbiased shares; empty where it does."""
    aka: tuple[str, ...] = ()
    guideline: str = ""
    """What its authors recommend it for."""
    clips_answers: bool = False
    """Whether negative answers, rather than shares, are raised to 0."""
    on_kernels: bool = False
    """Whether its step works where a circulant kernel is known, but no unbiased shares."""
    same_shares_as: str = ""
    """A method that gives the same shares, so that a comparison has no use for both."""
    is_distribution: bool = True
    """Whether its shares are a distribution, or nearly; else others complete them, and it is not
    compared by distances of histograms."""
    completed_by: str = ""
    """A step that makes its negative shares a distribution: with it, it is compared too."""
    variants: tuple[Variant, ...] = ()
    """Options, and steps after it, with which a comparison also tries it on wide domains."""

    def __reduce__(self) -> tuple[Any, ...]:
        """A registered method is pickled as its name: what it runs may be any function."""
        if _METHODS.get(self.name) is not self:
            raise Unfit(f"{self.name} cannot be pickled: it is not a registered method")
        return registered_method, (self.name,)

    def why_not(self, mechanism: Mechanism) -> str:
        """Why it does not apply to ``mechanism``; empty where it does."""
        mechanism = reporting_mechanism(mechanism)
        if mechanism.domain.choices is not None and not self.tells_only(mechanism):
            return "people tick several options, so that shares of options do not sum to 1"
        needs = self.fit is None and not self.tells_only(mechanism)
        channel = mechanism.channel()
        if (
            needs
            and channel.inverse is None
            and not (self.on_kernels and channel.kernel is not None)
        ):
            return "different distributions give the same reports, so the distribution is not identified"
        return self.unfit(mechanism)

    def tells_only(self, mechanism: Mechanism) -> str:
        """What it tells, where that is not shares: the mean, or what has an unbiased estimate."""
        if self.mean is not None:
            return "the mean"
        return only_told(mechanism) if self.fit is None and self.step is None else ""

    def apply(self, unbiased: UnbiasedShares, options: dict[str, Any]) -> Floats:
        """The shares after this method's step; unknown options are refused by name."""
        self.check_options(self.step, options)
        return unbiased.shares if self.step is None else self.step(unbiased, **options)

    def run(self, observed: Observed, options: dict[str, Any]) -> Fit:
        """What this method's fit finds; unknown options are refused by name."""
        assert self.fit is not None
        self.check_options(self.fit, options)
        return self.fit(observed, **options)

    def check_options(self, function: Callable[..., Any] | None, options: dict[str, Any]) -> None:
        """Refuse options that ``function``, which it runs, does not take."""
        known = () if function is None else tuple(inspect.signature(function).parameters)[1:]
        for option, value in options.items():
            if option not in known:
                allowed = f"one of {', '.join(known)}" if known else "left out"
                hint = did_you_mean(option, known)
                raise InvalidInput(f"option {option}", self.name, allowed, value, hint=hint)


def register_method(method: Method) -> Method:
    """Make a method known under its name and other names; a taken name is refused."""
    names = (method.name, *method.aka)
    for name in names:
        if name in _NAMES:
            raise InvalidInput("name", "register_method", "not taken yet", name)
    _NAMES.update(dict.fromkeys(names, method.name))
    _METHODS[method.name] = method
    return method


def _add_plugin(name: str, loaded: Any) -> None:
    """Register the method of an entry point, unless its module already did."""
    if not isinstance(loaded, Method):
        raise InvalidInput("entry point", name, "a Method", loaded)
    if loaded.name != name:
        raise InvalidInput("entry point", name, f"named {loaded.name!r}, as its method", name)
    if _METHODS.get(name) is not loaded:
        register_method(loaded)


_plugins = Plugins(GROUP, _add_plugin)


def _is_known(name: object) -> bool:
    """Whether a method has that name; plug-ins are loaded as far as needed."""
    if not isinstance(name, str):
        return False
    if name not in _NAMES:
        _plugins.load(name)
    if name not in _NAMES:
        _plugins.load_all()
    return name in _NAMES


def registered_method(name: str) -> Method:
    """The method registered under its own name, whether it applies or not."""
    if not _is_known(name) or name not in _METHODS:
        raise Unfit(f"{name} is not registered here: import the module that registers it first")
    return _METHODS[name]


def registered_methods() -> tuple[Method, ...]:
    """Every method, ours first, in the order in which they were registered."""
    _plugins.load_all()
    return tuple(_METHODS.values())


def find_method(name: str, mechanism: Mechanism) -> Method:
    """The method of that name, if it applies to ``mechanism``; else an error that lists what does."""
    key = name.strip().lower() if isinstance(name, str) else name
    if not _is_known(key):
        raise Unfit(_unknown(name, _fitting(mechanism)))
    method = _METHODS[_NAMES[key]]
    if reason := method.why_not(mechanism):
        raise Unfit(
            f"{method.name} does not apply to {mechanism}: {reason}; "
            f"what applies: {', '.join(_fitting(mechanism)) or 'nothing'}"
        )
    return method


def _fitting(mechanism: Mechanism) -> list[str]:
    return [m.name for m in registered_methods() if not m.why_not(mechanism)]


def _unknown(name: object, fitting: Sequence[str]) -> str:
    """The nearest method, whether it applies or not; else those that apply."""
    hint = did_you_mean(name, ("auto", *_NAMES))
    return f"unknown method {name!r}. {hint or 'Known: ' + ', '.join(('auto', *fitting))}"


def applies(name: str, mechanism: Mechanism) -> bool:
    """Whether there is a method of that name, and it applies to ``mechanism``."""
    return _is_known(name) and name in _METHODS and not _METHODS[name].why_not(mechanism)


def find_step(name: str, mechanism: Mechanism) -> Method:
    """A method that can follow another (``then=``): one that works on shares."""
    method = find_method(name, mechanism)
    if method.step is None:
        steps = ", ".join(
            m.name for m in registered_methods() if m.step and not m.why_not(mechanism)
        )
        raise Unfit(f"{method.name} cannot follow another method; what can: {steps}")
    return method
