"""What a law is, what a broken one says, and how laws state what they expect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from sottovoce.base.errors import shown

__all__ = ["Law", "LawBroken", "law", "refused", "require", "require_close", "require_same"]


class LawBroken(AssertionError):
    """A law does not hold: which, for what, what was expected, and what was observed."""

    def __init__(self, law: str, subject: str, expected: str, observed: str) -> None:
        self.law, self.subject, self.expected, self.observed = law, subject, expected, observed
        super().__init__(f"{law}, for {subject}: expected {expected}; observed {observed}")


class _Violation(Exception):
    """What a law finds, before it is known whose law it is."""

    def __init__(self, expected: str, observed: object) -> None:
        self.expected = expected
        plain = observed.item() if isinstance(observed, np.generic) else observed
        self.observed = plain if isinstance(plain, str) else shown(plain, 400)
        super().__init__(expected)


@dataclass(frozen=True)
class Law:
    """One law, with a name: call it with what it is about, and it raises if it does not hold."""

    name: str
    text: str
    run: Callable[..., None]

    def __call__(self, *subjects: Any) -> None:
        """Check the law; an error inside the checked code breaks it too."""
        about = " on ".join(str(each) for each in subjects)
        try:
            self.run(*subjects)
        except _Violation as found:
            raise LawBroken(self.name, about, found.expected, found.observed) from None
        except Exception as error:  # whatever the checked code raises
            observed = f"{type(error).__name__}: {error}"
            raise LawBroken(self.name, about, self.text, observed) from error


def law(run: Callable[..., None]) -> Law:
    """Make a law of a function: its name with spaces, and its docstring's first sentence."""
    text = (run.__doc__ or "").strip().split("\n")[0].rstrip(".")
    is_word = text[1:2].islower() or text[1:2] == " "  # not a symbol, as A of "A' g"
    text = text[:1].lower() + text[1:] if is_word else text
    return Law(run.__name__.replace("_", " "), text, run)


def require(holds: object, expected: str, observed: object) -> None:
    """State one condition of a law."""
    if not holds:
        raise _Violation(expected, observed)


def require_same(observed: Any, expected: Any, what: str) -> None:
    """State that two things are equal."""
    require(observed == expected, f"{what} to be {shown(expected, 200)}", observed)


def require_close(
    observed: Any, expected: Any, what: str, *, rtol: float = 1e-7, atol: float = 0.0
) -> None:
    """State that two arrays are equal up to rounding, and finite."""
    one, other = np.broadcast_arrays(np.asarray(observed, float), np.asarray(expected, float))
    wrong = ~(np.abs(one - other) <= atol + rtol * np.abs(other))
    if wrong.any():
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        where = f"{what} at {index}" if index else what
        count = f" ({int(wrong.sum())} of {wrong.size} differ)"
        raise _Violation(f"{where} to be {float(other[index])!r}", f"{float(one[index])!r}{count}")


@contextmanager
def refused(kind: type[Exception], what: str, saying: str = "") -> Iterator[None]:
    """State that what happens inside is refused with this error, whose message has these words."""
    expected = f"{what} to be refused with {kind.__name__}" + (f" saying {saying!r}" * bool(saying))
    try:
        yield
    except kind as error:
        require(saying in str(error), expected, f"{type(error).__name__}: {error}")
    else:
        raise _Violation(expected, "no error")
