"""A vector by one of its coordinates: which one is drawn, the number there is randomized."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput
from sottovoce.base.randomness import OperatingSystem, Source, uniform_below, uniform_below_many
from sottovoce.channels.coordinates import CoordinatesChannel
from sottovoce.core.cell_expression import CellExpression, FieldValue
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, IntField
from sottovoce.core.mechanism import Field, Mechanism
from sottovoce.core.registry import mechanism, register, restore
from sottovoce.core.reports import Reports
from sottovoce.domains.alignment import warn_if_misaligned
from sottovoce.domains.base import Indices
from sottovoce.domains.interval import Interval
from sottovoce.domains.vector import Vector
from sottovoce.mechanisms._inner import asked_mechanism, check_forgets, described

__all__ = ["SampledCoordinate"]


@register
@dataclass(frozen=True)
class SampledCoordinate(Mechanism):
    """One coordinate, drawn uniformly whatever the vector is, by a mechanism for one number.

    The whole epsilon goes into that number.  Splitting it over k coordinates instead
    would multiply variances by about k^2, sampling multiplies them by k.

    ``inner`` names that mechanism (``"piecewise"`` unless said otherwise; any for an
    interval whose reports fall in one cell), or names it together with its options.  The
    report is the coordinate and the fields of ``inner``; the tally stacks the inner tallies.
    An *input* is a pair (coordinate, bin): a person whose coordinate was drawn already.

    One random word for the coordinate, and those of ``inner``.  Reference: Wang et al. 2019.

    >>> import sottovoce as sv
    >>> m = sv.SampledCoordinate(sv.Vector(sv.Interval(0, 24, bins=12), 3), epsilon=1.0)
    >>> reports = m.randomize([[7.5, 1, 0], [8, 2, 24]])
    >>> len(reports), list(reports.columns)
    (2, ['coordinate', 'output'])
    """

    name: ClassVar[str] = "sampled-coordinate"
    aka: ClassVar[dict[str, dict[str, Any]]] = {"vector": {}}
    domain: Vector

    _: KW_ONLY
    inner: Any = "piecewise"
    """How the number at the drawn coordinate is randomized; after birth the mechanism itself.
    Allowed: a mechanism for an interval whose reports fall in one cell, by name, or as a mapping of
    ``mechanism`` and ``options``.
    """

    def _check_domain(self) -> None:
        if not isinstance(self.domain, Vector):
            raise InvalidInput("domain", self.name, "a Vector of numbers", self.domain)

    def _keep(self, inner: Mechanism) -> Any:
        check_forgets(inner, "inner", self.name)
        if inner.blocks != 1:
            allowed = "a mechanism whose reports fall in one cell each"
            raise InvalidInput("inner", self.name, allowed, inner.name)
        if inner.certificate().scope is not None:
            allowed = "a mechanism that is private between any two numbers"
            raise InvalidInput("inner", self.name, allowed, inner.name)
        object.__setattr__(self, "inner", inner)
        return inner.weights

    def _derive_weights(self) -> Any:
        name, options = asked_mechanism(self.inner, "inner", self.name)
        return self._keep(mechanism(name, self.domain.interval, self.epsilon, **options))

    def _check_weights(self, weights: Any) -> Any:
        name, options = asked_mechanism(self.inner, "inner", self.name)
        return self._keep(restore(name, self.domain.interval, self.epsilon, options, weights))

    def _weights_document(self) -> Any:
        return self.coordinate._weights_document()

    def options(self) -> dict[str, Any]:
        return {"inner": described(self.coordinate)}

    @property
    def coordinate(self) -> Mechanism:
        """The mechanism of a single coordinate."""
        assert isinstance(self.inner, Mechanism)
        return self.inner

    @property
    def audited(self) -> Mechanism:
        """A single coordinate: which one is drawn without the value."""
        return self.coordinate

    # -- device --------------------------------------------------------------------------

    @property
    def fields(self) -> tuple[Field, ...]:
        return (IntField("coordinate", self.domain.coordinates), *self.coordinate.fields)

    @property
    def positions(self) -> int:
        return self.domain.coordinates * self.coordinate.positions

    @property
    def words_per_report(self) -> int:
        return 1 + self.coordinate.words_per_report

    def randomize(self, values: Any, *, source: Source | None = None) -> Reports:
        """Draw a coordinate for one row, or for many, and randomize the numbers there."""
        chosen, rows = OperatingSystem() if source is None else source, self.domain.rows(values)
        if len(rows) == 1:
            return self._randomize_one(rows[0], chosen)
        warn_if_misaligned(self.domain.interval, rows)
        drawn = uniform_below_many(self.domain.coordinates, len(rows), chosen).astype(np.int64)
        places = self.coordinate.locate(rows[np.arange(len(rows)), drawn])
        return self.randomize_positions(drawn * self.coordinate.positions + places, chosen)

    def _randomize_one(self, row: NDArray[np.float64], source: Source) -> Reports:
        """As a device draws: in a batch a word that is drawn again comes after all others."""
        drawn = uniform_below(self.domain.coordinates, source)
        place = int(self.coordinate.locate(row[drawn : drawn + 1])[0])
        answers = self.respond(drawn * self.coordinate.positions + place, source)
        fields = zip(self.fields, answers, strict=True)
        columns = {field.name: field.one(answer) for field, answer in fields}
        return Reports(self, columns, simulated=not source.secure)

    def respond(self, index: int, source: Source) -> tuple[Any, ...]:
        coordinate, place = divmod(index, self.coordinate.positions)
        return (coordinate, *self.coordinate.respond(place, source))

    def respond_many(self, indices: Indices, source: Source) -> tuple[Column, ...]:
        coordinates, places = np.divmod(indices, self.coordinate.positions)
        return (coordinates, *self.coordinate.respond_many(places, source))

    # -- collector -------------------------------------------------------------------------

    @property
    def cells(self) -> int:
        return self.domain.coordinates * self.coordinate.cells

    def cell_expression(self) -> CellExpression | None:
        inner = self.coordinate.cell_expression()
        return None if inner is None else FieldValue("coordinate") * self.coordinate.cells + inner

    def count(self, reports: Reports) -> NDArray[np.int64]:
        asked, one = reports.columns["coordinate"], self.coordinate
        parts = []
        for j in range(self.domain.coordinates):
            rows = asked == j
            columns = {f.name: reports.columns[f.name][rows] for f in one.fields}
            parts.append(one.count(Reports(one, columns)))
        return np.concatenate(parts)

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        """The inner mechanism's law, coordinate by coordinate."""
        parts = counts.reshape(self.domain.coordinates, -1)
        return np.concatenate([self.coordinate._simulate(part, source) for part in parts])

    # -- analyst and auditor -----------------------------------------------------------------

    def _channel(self) -> CoordinatesChannel:
        return CoordinatesChannel(self.coordinate.channel(), self.domain.coordinates, every=False)

    def certificate(self) -> Certificate:
        """That of the inner mechanism: which coordinate was drawn does not depend on the vector."""
        return self.coordinate.certificate()

    @classmethod
    def examples(cls) -> Iterable[Mechanism]:
        yield cls(Vector(Interval(-1, 1, bins=6), 3), 1.0)
        yield cls(Vector(Interval(0, 5, bins=4), 2), 2.0, inner="laplace")
        coarse = {"mechanism": "grr", "options": {"bits": 16}}
        yield cls(Vector(Interval(0, 5, bins=3), 4), 2.0, inner=coarse)
