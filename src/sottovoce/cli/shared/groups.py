"""Options that several commands have in common, declared once as a group."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Protocol, Self, get_type_hints, runtime_checkable

__all__ = ["DerivedOptions", "unfolded"]


@runtime_checkable
class DerivedOptions(Protocol):
    """A group whose options are derived from records; they may be added after import."""

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """One parameter per option."""

    @classmethod
    def from_options(cls, **values: Any) -> Self:
        """The group, from the value of every option."""


def unfolded(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for every field of a parameter that is a group of options.

    A group is a dataclass with a field per option, or has :class:`DerivedOptions`.  The options
    stand where the parameter stands; the command gets the group, filled in.
    """
    signature = inspect.signature(command, eval_str=True)
    groups = {
        name: parameter.annotation
        for name, parameter in signature.parameters.items()
        if is_dataclass(parameter.annotation)
    }
    return _Unfolded(command, signature, groups) if groups else command


class _Unfolded:
    """A command with groups; its signature is built when it is read, from the options of then."""

    def __init__(
        self, command: Callable[..., None], signature: inspect.Signature, groups: dict[str, Any]
    ) -> None:
        functools.update_wrapper(self, command)
        self.__annotations__: dict[str, Any] = {}  # the signature has them, with the options
        self._command, self._signature, self._groups = command, signature, groups

    def __call__(self, **values: Any) -> None:
        for name, group in self._groups.items():
            own = {each.name: values.pop(each.name) for each in _options(group)}
            derived = isinstance(group, DerivedOptions)
            values[name] = group.from_options(**own) if derived else group(**own)
        self._command(**values)

    @property
    def __signature__(self) -> inspect.Signature:
        options: list[inspect.Parameter] = []
        for name, parameter in self._signature.parameters.items():
            options += _options(self._groups[name]) if name in self._groups else [parameter]
        return self._signature.replace(parameters=options)


def _options(group: Any) -> list[inspect.Parameter]:
    if isinstance(group, DerivedOptions):
        return group.parameters()
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if each.default is MISSING else each.default,
            annotation=hints[each.name],
        )
        for each in fields(group)
    ]
