"""Two-way tables against HDG (hybrid-dimensional grids), by the public code of its authors.

``python -m benchmarks.records grids --checkout FOLDER`` with a checkout of github.com/YangJianyu-bupt/privmdr. Nothing of it
is part of this project; it is imported from that folder and run as its ``example_main.py`` runs it: on its
example's set-up (1,000,000 people, 6 attributes of 64 values) and on that of its default parameters. Its file of
people is not kept with the code; people here are drawn from the same kind of distribution, correlated Laplace.

Both sides answer the same two-way tables of d x d answers; 64 values are cut into d equal bins. HDG's tables are
sums over its fitted 64 x 64 tables. Ours are those of a record of questions of d answers by the design that a plan
chooses for tables: unbiased, and the nearest ones without negative cells.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv
from benchmarks.records.designs import tables_of
from benchmarks.records.people import Floats, Rows, Tables, laplace_people, truths
from sottovoce.base.simplex import project_to_simplex

__all__ = ["SETUPS", "GridRow", "compare"]

SETUPS = (
    (1_000_000, 6, 64, 0.2), (1_000_000, 6, 64, 0.5), (1_000_000, 6, 64, 1.0), (1_000_000, 6, 64, 2.0),
    (50_000, 8, 16, 1.0),
)  # fmt: skip
"""People, attributes, values and epsilon: those of ``example_main.py`` (epsilon 0.2), and the defaults."""
_SIZES = (2, 4, 8, 16)


@dataclass(frozen=True)
class GridRow:
    """Mean absolute errors over all cells of all two-way tables."""

    people: int
    attributes: int
    epsilon: float
    answers: int
    grids: float
    unbiased: float
    nonnegative: float
    predicted: float
    """The standard error of a cell that the plan expects."""
    design: str

    @property
    def readable(self) -> bool:
        """Whether the plan expects a cell to err by no more than it has on average."""
        return self.predicted <= self.answers**-2


def compare(checkout: Path) -> Iterator[GridRow]:
    """All set-ups, both sides on the same people."""
    for people, attributes, values, epsilon in SETUPS:
        rows = laplace_people(people, attributes, values, seed=1)
        theirs = _grids(checkout, rows, values, epsilon)
        fine = truths(rows, values)
        for d in _SIZES:
            record = sv.Record({f"q{i}": sv.Categories(d) for i in range(attributes)})
            first = sv.plan(record, epsilon=epsilon, users=people, goal="tables").prospects[0]
            ours = tables_of(first.mechanism, rows * d // values, seed=2)
            nearest = {
                pair: project_to_simplex(table.ravel()).reshape(d, d)
                for pair, table in ours.items()
            }
            true = {pair: _binned(table, d) for pair, table in fine.items()}
            errors = [
                _error({pair: _binned(table, d) for pair, table in theirs.items()}, true),
                _error(ours, true),
                _error(nearest, true),
            ]
            yield GridRow(
                people, attributes, epsilon, d, *errors, first.rms_error, first.paper_name
            )


def _binned(table: Floats, d: int) -> Floats:
    wide = len(table) // d
    return np.asarray(table.reshape(d, wide, d, wide).sum(axis=(1, 3)))


def _error(found: Tables, true: Tables) -> float:
    return float(np.mean([np.abs(found[pair] - table).mean() for pair, table in true.items()]))


def _grids(checkout: Path, rows: Rows, values: int, epsilon: float) -> Tables:
    """The tables of HDG, run as its example does."""
    settings = argparse.Namespace(
        user_num=len(rows), attribute_num=rows.shape[1], domain_size=values, epsilon=epsilon,
        consistency_iteration_num_max=100, weighted_update_iteration_num_max=100,
    )  # fmt: skip
    module = _module(checkout)
    np.random.seed(1)  # noqa: NPY002 - its own randomness
    random.seed(1)
    with contextlib.redirect_stdout(io.StringIO()):
        grids = module.AG_Uniform_Grid_1_2_way_optimal(args=settings)
        grids.group_attribute()
        grids.construct_Grid_set()
        grids.get_LDP_Grid_set_divide_user(np.random.permutation(rows))  # noqa: NPY002
        grids.get_consistent_Grid_set()
        grids.get_weight_update_for_2_way_group()
    pairs = [grid for grid in grids.Grid_set if len(grid.attribute_set) == 2]
    return {
        tuple(grid.attribute_set): np.array(grid.weighted_update_matrix) / len(rows)
        for grid in pairs
    }


def _module(checkout: Path) -> Any:
    """Its module; xxhash, which it imports for a hash that HDG does not use, may be missing."""
    if str(checkout) not in sys.path:
        sys.path.insert(0, str(checkout))
    sys.modules.setdefault("xxhash", types.ModuleType("xxhash"))
    return import_module("HDG")
