"""What runs on workers, and what went wrong there, in plain words.

A step is sent by the name of its class, so workers must have the same sottovoce and the same
Python; both are checked before the first batch.
"""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from sottovoce import __version__
from sottovoce.base.errors import Mismatch, SottovoceError

__all__ = ["Step", "on_workers", "plain_errors"]

Batches = Iterable[Any]


def _software() -> str:
    return f"sottovoce {__version__} on Python {sys.version_info.major}.{sys.version_info.minor}"


@dataclass(frozen=True)
class Step(ABC):
    """What a worker does with the record batches of a partition; see :func:`on_workers`."""

    software: str = field(default_factory=_software, init=False, repr=False)

    def __call__(self, batches: Batches) -> Iterator[Any]:
        """Run the step, on a worker that has what the driver has."""
        if self.software != _software():
            raise Mismatch(
                f"workers run {_software()}, and the driver {self.software}: install the same "
                "version on both"
            )
        yield from self.run(batches)

    @abstractmethod
    def run(self, batches: Batches) -> Iterator[Any]:
        """Record batches from record batches."""


def on_workers(frame: Any, step: Step, schema: str) -> Any:
    """The frame that a step makes of another.

    Columns have plain names on their way: ``mapInArrow`` takes a dot in a name for a part of it.
    """
    names = tuple(frame.columns)
    plain = frame.toDF(*(f"column{i}" for i in range(len(names))))
    return plain.mapInArrow(_Renamed(step, names), schema)


@dataclass(frozen=True)
class _Renamed:
    """A step, on batches whose columns get their names back."""

    step: Step
    names: tuple[str, ...]

    def __call__(self, batches: Batches) -> Iterator[Any]:
        return self.step(batch.rename_columns(list(self.names)) for batch in batches)


_OURS = re.compile(r"^(sottovoce(?:\.\w+)+)\.(\w+): (.*)$", re.MULTILINE)
"""The last line of a traceback that ends in an error of ours."""
_LACKS = re.compile(r"No module named '(sottovoce|numpy|pyarrow|pandas)[\w.]*'")
_PYTHONS = ("PYTHON_VERSION_MISMATCH", "different minor version")


@contextmanager
def plain_errors() -> Iterator[None]:
    """Raise what workers refuse as if it were refused here, without Spark's pages around it."""
    try:
        yield
    except SottovoceError:
        raise
    except Exception as error:
        refused = refusal(str(error))
        if refused is None:
            raise
        raise refused from error


def refusal(text: str) -> SottovoceError | None:
    """The error of ours that the text of an error of Spark's holds; None where there is none."""
    for module, name, message in reversed(_OURS.findall(text)):
        kind = getattr(import_module(module), name, None)
        if isinstance(kind, type) and issubclass(kind, SottovoceError):
            return kind.__new__(kind, message)
    if lacks := _LACKS.search(text):
        return Mismatch(
            f"workers do not have {lacks[1]}: install the same sottovoce on every worker, and set "
            "PYSPARK_PYTHON to the Python that has it (Spark starts python3 of the PATH otherwise)"
        )
    if any(sign in text for sign in _PYTHONS):
        return Mismatch(
            "workers run another version of Python than the driver: set PYSPARK_PYTHON to the same "
            "Python on both"
        )
    return None
