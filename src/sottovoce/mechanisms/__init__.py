"""Value to report: one file per mechanism, imported when its name or class is first used."""

from importlib import import_module
from typing import Any

from sottovoce.core.registry import declare

MECHANISMS = (
    "binned",
    "choice_response",
    "choice_subsets",
    "degree_noise",
    "drawn_option",
    "fixed_hashing",
    "gaussian",
    "haar",
    "hadamard_response",
    "hierarchy",
    "key_value",
    "laplace",
    "local_hashing",
    "memoized",
    "piecewise",
    "question_sets",
    "randomized_response",
    "sampled_coordinate",
    "seeded_hashing",
    "sensitive_hashing",
    "sensitive_response",
    "sensitive_subsets",
    "square_wave",
    "stochastic_rounding",
    "subset_selection",
    "table",
    "unary_encoding",
    "wave",
)
"""The module of every mechanism: the one list that a new mechanism is added to.

The module ``local_hashing`` defines the class ``LocalHashing`` with the name ``local-hashing``.
``__init__.pyi``, which type checkers read, is written from this list by ``make docs``.
"""

_WHERE = {stem.title().replace("_", ""): f"{__name__}.{stem}" for stem in MECHANISMS}
for _stem in MECHANISMS:
    declare(f"{__name__}.{_stem}", _stem.replace("_", "-"))


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'sottovoce.mechanisms' has no attribute {name!r}")
    return getattr(import_module(_WHERE[name]), name)


__all__ = [*_WHERE]  # noqa: PLE0604 - keys are names of classes
