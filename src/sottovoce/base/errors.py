"""Errors that say which parameter, of whom, what is allowed, what was given.

Every error of sottovoce derives from :class:`SottovoceError`; those about a
wrong value are also ``ValueError``, so that ordinary Python code catches them.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = [
    "BrokenPlugin",
    "CorruptBytes",
    "EntropyError",
    "InvalidCell",
    "InvalidInput",
    "Mismatch",
    "MissingExtra",
    "NoJava",
    "NotConverged",
    "NotIdentified",
    "NotTrusted",
    "OverBudget",
    "Refused",
    "SottovoceError",
    "Unfit",
    "named",
    "shown",
]


def shown(value: object, limit: int = 80) -> str:
    """The ``repr`` of a value, shortened so that it fits in a message."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


class SottovoceError(Exception):
    """Base class of every error that sottovoce raises on purpose.

    All of them can be pickled, so that they pass between processes unchanged. A value that cannot
    be pickled, such as an open file, is replaced by its ``repr``.

    Examples
    --------
    >>> import sottovoce as sv
    >>> try:
    ...     sv.Interval(1, 0)
    ... except sv.SottovoceError as error:
    ...     print(type(error).__name__)
    InvalidInput
    """

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: _portable(value) for name, value in vars(self).items()}
        return _revived, (type(self), self.args, state)


def _revived(kind: type[SottovoceError], args: tuple[Any, ...], state: dict[str, Any]) -> Any:
    """An error as it was: its message is not composed again."""
    error = kind.__new__(kind, *args)
    super(SottovoceError, error).__init__(*args)  # what ImportError and others keep of their own
    vars(error).update(state)
    return error


def _portable(value: object) -> object:
    try:
        pickle.dumps(value)
    except Exception:  # whatever a stranger's object raises
        return shown(value)
    return value


class InvalidInput(SottovoceError, ValueError):
    """A parameter was given a value outside what is allowed.

    >>> raise InvalidInput("epsilon", "randomized-response", "a number from 1e-6 to 20", -1)
    Traceback (most recent call last):
    ...
    sottovoce.base.errors.InvalidInput: epsilon of randomized-response must be a number from 1e-6 to 20; got -1
    """

    def __init__(
        self, parameter: str, owner: str, allowed: str, given: object, *, hint: str = ""
    ) -> None:
        self.parameter, self.owner, self.allowed, self.given = parameter, owner, allowed, given
        self.hint = hint
        message = f"{parameter} of {owner} must be {allowed}; got {shown(given)}"
        super().__init__(f"{message}. {hint}" if hint else message)


class InvalidCell(InvalidInput):
    """A cell of a table is not what its column allows; rows count from 1.

    >>> raise InvalidCell("value", 3, "reports of grr", "a whole number from 0 to 4", None).later(10)
    Traceback (most recent call last):
    ...
    sottovoce.base.errors.InvalidCell: row 13 of column 'value' of reports of grr must be a whole number from 0 to 4; got None
    """

    def __init__(self, column: str, row: int, owner: str, allowed: str, given: object) -> None:
        self.column, self.row = column, row
        super().__init__(f"row {row} of column {column!r}", owner, allowed, given)

    def later(self, rows: int) -> InvalidCell:
        """The same error in a table that has ``rows`` other rows above."""
        return InvalidCell(self.column, self.row + rows, self.owner, self.allowed, self.given)

    def without_row(self) -> str:
        """The message where there is only one row."""
        return str(self).removeprefix(f"row {self.row} of ")

    def of_rows(self, count: int) -> InvalidCell:
        """The same error where every row holds ``count`` of what was counted as a row."""
        row = (self.row - 1) // count + 1
        return InvalidCell(self.column, row, self.owner, self.allowed, self.given)


class Mismatch(SottovoceError, ValueError):
    """Two things that must belong together (tally, reports, survey) do not."""


class CorruptBytes(SottovoceError, ValueError):
    """Bytes or a file that cannot be read whole: truncated, altered, or of an unknown version."""


@contextmanager
def named(name: str) -> Iterator[None]:
    """Errors about data, with the name of the file or service that they are of.

    >>> with named("reports.parquet"):
    ...     raise Mismatch("reports of another mechanism")
    Traceback (most recent call last):
    ...
    sottovoce.base.errors.Mismatch: reports.parquet: reports of another mechanism
    """
    try:
        yield
    except InvalidCell as error:
        owner = f"{name}, {error.owner}"
        raise InvalidCell(error.column, error.row, owner, error.allowed, error.given) from error
    except InvalidInput as error:
        owner = f"{name}, {error.owner}"
        raise InvalidInput(error.parameter, owner, error.allowed, error.given) from error
    except (CorruptBytes, Mismatch, Unfit) as error:
        raise type(error)(f"{name}: {error}") from error


class Unfit(SottovoceError, ValueError):
    """A method or name that does not apply here; the message lists what does."""


class NotIdentified(SottovoceError, ValueError):
    """The reports cannot tell what was asked of them, whatever their number."""


class NotConverged(UserWarning):
    """A method stopped before it converged; the message says what remains and what to do.

    A warning, issued once per call, never an error. The estimate has ``converged = False``.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("error", NotConverged)  # to stop where a method does not converge
    >>> warnings.simplefilter("default", NotConverged)
    """


class Misaligned(UserWarning):
    """Whole numbers in bins that do not center on them: means, quantiles and ranges are biased.

    A warning about a batch of values, never about a single one, and never an error. Reports are
    the same with it and without.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("error", Misaligned)  # to stop where bins are off center
    >>> warnings.simplefilter("default", Misaligned)
    """


class Refused(SottovoceError, ValueError):
    """An upload that is not taken.

    ``code`` is one of :data:`sottovoce.wire.uploads.REFUSALS`; ``position`` is that of the
    report at fault among those of the upload, where it is one report's.
    """

    def __init__(self, code: str, message: str, position: int | None = None) -> None:
        self.code, self.position = code, position
        where = "" if position is None else f"report {position}: "
        super().__init__(f"{code}: {where}{message}")


class NotTrusted(SottovoceError, ValueError):
    """A survey, signature or log that is not what was agreed to; nothing was drawn or sent."""


class OverBudget(SottovoceError):
    """A report that would cost more privacy than this device may spend; nothing was drawn."""


class EntropyError(SottovoceError, RuntimeError):
    """The operating system gave no randomness; no report is made."""


class MissingExtra(SottovoceError, ImportError):
    """An optional dependency is not installed; ``extra`` is empty where it is in none of ours."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self.package, self.extra = package, extra
        install = f"It comes with the extra {extra!r}: in a clone of the repository, pip install '.[{extra}]'"
        if not extra:
            install = f"Install it: pip install {package}"
        super().__init__(f"{purpose} needs {package}, which is not installed. {install}")


class NoJava(SottovoceError, RuntimeError):
    """Spark was to start on this machine, and there is no Java to start it with."""


class BrokenPlugin(SottovoceError, UserWarning):
    """An entry point of another distribution that cannot be used.

    Raised where its name is asked for; given as a warning where everything is listed, so that one
    broken plug-in does not hide the others.
    """

    def __init__(self, name: str, group: str, distribution: str, reason: str) -> None:
        self.name, self.group, self.distribution = name, group, distribution
        super().__init__(f"plug-in {name!r} of {distribution} ({group}) cannot be used: {reason}")
