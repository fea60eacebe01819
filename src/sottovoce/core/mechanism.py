"""The base of every mechanism: a value goes in, a few random integers come out.

Methods are grouped by the party that runs them.  A subclass is a frozen
dataclass under :func:`sottovoce.core.registry.register` and says, in integers,
how a device answers (:meth:`Mechanism.respond`), the same for many devices at
once (:meth:`Mechanism.respond_many`), how reports are counted
(:meth:`Mechanism.count`), what the counting means (:meth:`Mechanism._channel`),
and how private it is (:meth:`Mechanism.certificate`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.caches import state_without_caches
from sottovoce.base.canonical import canonical_json, fingerprint_of, text_of_integers
from sottovoce.base.checks import check_epsilon, check_int
from sottovoce.base.errors import InvalidInput, Mismatch
from sottovoce.base.exact import decimal_text
from sottovoce.base.randomness import OperatingSystem, Source, uniform_below_many
from sottovoce.base.threads import in_parallel
from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.rows import Rows
from sottovoce.core.cell_expression import CellExpression
from sottovoce.core.certificate import Certificate
from sottovoce.core.fields import Column, Field
from sottovoce.core.populations import check_counts, people_in_parts
from sottovoce.core.registry import VERSION
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally
from sottovoce.core.traits import Traits
from sottovoce.domains.alignment import warn_if_misaligned
from sottovoce.domains.base import MOST_INPUTS, Domain, Indices
from sottovoce.domains.columns import plain_column

__all__ = [
    "DEFAULT_BITS",
    "MOST_CELLS",
    "Field",
    "Mechanism",
    "check_bits",
]

DEFAULT_BITS = 62
"""Weights are integers over 2^62 unless a coarser table is asked for (tests use 16 bits)."""

MOST_CELLS = MOST_INPUTS
"""Cells of a tally at most: 20 MB, and a collector holds two while it adds reports to one."""
_MOST_BYTES = 2**15
"""Bytes of a report at most."""
_CHUNK_BYTES = 2**20


def check_bits(bits: object, owner: str) -> int:
    """The precision of a weight table: from 8 to 62 bits."""
    return check_int(bits, "bits", owner, 8, DEFAULT_BITS)


@dataclass(frozen=True)
class Mechanism(Traits):
    """Randomizes one value of a domain under epsilon-local differential privacy.

    Weights are derived once, when a mechanism is made, and are part of its JSON. A device never
    computes e^epsilon; it checks that the weights keep the claim.

    Parameters
    ----------
    domain : Domain
        What a value may be.
    epsilon : float
        The privacy parameter, from 1e-6 to 20.
    weights : object, optional
        The integers that the device draws with; derived from epsilon if not given.

    Raises
    ------
    InvalidInput
        Where the domain or an option does not fit, or the weights exceed epsilon.

    Examples
    --------
    >>> import sottovoce as sv
    >>> m = sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0)
    >>> m.tally(m.randomize(["yes", "no", "yes"])).n
    3
    """

    name: ClassVar[str]
    aka: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Paper names, each with the options it stands for."""
    weight_names: ClassVar[tuple[str, ...]] = ()
    """What the integers of ``weights`` are, in order."""

    domain: Domain
    epsilon: float
    _: KW_ONLY
    weights: Any = None

    def __post_init__(self) -> None:
        self._check_domain()
        if self.lists_inputs and self.domain.size > MOST_INPUTS:
            allowed = f"of at most {MOST_INPUTS} inputs"
            raise InvalidInput("domain", self.name, allowed, f"{self.domain} of {self.domain.size}")
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon, self.name))
        self._check_options()
        given = self.weights is not None
        weights = self._check_weights(self.weights) if given else self._derive_weights()
        object.__setattr__(self, "weights", weights)
        self._complete_options()
        self._check_sizes()
        if not self.certificate().holds(self.epsilon):
            raise InvalidInput(
                "weights",
                self.name,
                f"such that no ratio exceeds e^{self.epsilon:g}",
                str(self.certificate()),
            )

    def _check_sizes(self) -> None:
        """Refuse what would cost a device or a collector memory out of proportion."""
        if self.cells > MOST_CELLS:
            allowed = f"such that a tally has at most {MOST_CELLS} cells"
            raise InvalidInput("domain and options", self.name, allowed, f"{self.cells} cells")
        width = sum(field.width for field in self.fields)
        if width > _MOST_BYTES:
            allowed = f"such that a report has at most {_MOST_BYTES} bytes"
            raise InvalidInput("domain and options", self.name, allowed, f"{width} bytes")

    def _check_domain(self) -> None:
        if not isinstance(self.domain, Domain):
            raise InvalidInput(
                "domain", self.name, "a domain such as Categories or Interval", self.domain
            )
        hint = ""
        if self.domain.holds_sets:
            hint = "Sets of pairs are for the mechanism key-value."
        elif self.domain.vector is not None:
            hint = "Vectors are for the mechanisms sampled-coordinate and gaussian."
        elif self.domain.record is not None:
            hint = "Records are for the mechanism question-sets (record)."
        elif self.domain.choices is not None:
            hint = "Sets of options are for choice-response, drawn-option and choice-subsets."
        if hint:
            allowed = "of one value per person"
            raise InvalidInput("domain", self.name, allowed, str(self.domain), hint=hint)

    # -- what a subclass says --------------------------------------------------

    def _check_options(self) -> None:
        """Check and complete the options of the subclass."""

    def _complete_options(self) -> None:
        """Complete the options that depend on the weights."""

    @abstractmethod
    def _derive_weights(self) -> Any:
        """The integer weights for ``epsilon``, from rational bounds of e^epsilon."""

    def _check_weights(self, weights: Any) -> Any:
        """Weights that came from JSON: all those named, whole and not negative."""
        if not isinstance(weights, Mapping) or set(weights) != set(self.weight_names):
            allowed = f"whole numbers named {', '.join(self.weight_names)}"
            raise InvalidInput("weights", self.name, allowed, weights)
        return tuple(check_int(weights[k], f"weight {k}", self.name, 0) for k in self.weight_names)

    def _weights_document(self) -> Any:
        return dict(zip(self.weight_names, self.weights, strict=True))

    @property
    @abstractmethod
    def fields(self) -> tuple[Field, ...]:
        """The columns of a report."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """The length of a tally."""

    @property
    def blocks(self) -> int:
        """How many cells one report falls in."""
        return 1

    @property
    def coordinate(self) -> Mechanism | None:
        """The mechanism of one coordinate, where a value has several; else None.

        A tally is then one tally of it per coordinate, side by side.
        """
        return None

    @property
    def positions(self) -> int:
        """How many inputs a device tells apart: those of the domain, or a finer grid of them.

        A grid has ``positions / domain.size`` positions an input, in order.
        """
        return self.domain.size

    def locate(self, values: Any) -> Indices:
        """The positions of a batch of values; one bad value refuses the whole batch."""
        return self.domain.indices(values)

    @property
    def words_per_report(self) -> int:
        """How many random 64-bit words a device draws at first (more only by rare ties)."""
        return 1

    @classmethod
    @abstractmethod
    def examples(cls) -> Iterable[Mechanism]:
        """Instances that the contract tests run through every law."""

    # -- device ----------------------------------------------------------------

    def randomize(self, values: Any, *, source: Source | None = None) -> Reports:
        """Randomize one value, or many, with the operating system's randomness.

        ``source=Seeded(...)`` is for simulation only: its reports are marked ``simulated``.  One
        bad value refuses the whole batch before anything is drawn.  Whole numbers in bins that do
        not center on them are a warning, for batches only.
        """
        source, values = OperatingSystem() if source is None else source, plain_column(values)
        if self.domain.is_one(values):
            report = self.respond(self._locate_one(values), source)
            columns = {f.name: f.one(x) for f, x in zip(self.fields, report, strict=True)}
            return Reports(self, columns, simulated=not source.secure)
        positions = self.locate(values)
        if self.domain.numbers is not None:
            warn_if_misaligned(self.domain.numbers, values)
        return self.randomize_positions(positions, source)

    def _locate_one(self, value: Any) -> int:
        """The position of one value: its index in the domain, or found as in a batch."""
        index = self.domain.index(value)  # refuses what is no single value of the domain
        return index if self.positions == self.domain.size else int(self.locate([value])[0])

    def randomize_indices(self, indices: Indices, source: Source | None = None) -> Reports:
        """Randomize people known by input: on a finer grid, anywhere in their input alike."""
        source = OperatingSystem() if source is None else source
        finer = self.positions // self.domain.size
        if finer > 1:
            within = uniform_below_many(finer, len(indices), source).astype(np.int64)
            indices = indices * finer + within
        return self.randomize_positions(indices, source)

    def randomize_positions(self, indices: Indices, source: Source) -> Reports:
        """Randomize positions: in chunks, on all cores where the source is the system's."""
        columns = {field.name: field.empty(len(indices)) for field in self.fields}
        rows = max(1, _CHUNK_BYTES // (8 * self.words_per_report))

        def fill(start: int) -> None:
            part = slice(start, start + rows)
            answers = self.respond_many(indices[part], source)
            for field, answer in zip(self.fields, answers, strict=True):
                columns[field.name][part] = answer

        starts = range(0, len(indices), rows)
        if source.secure and len(starts) > 1:
            in_parallel(fill, starts)
        else:
            for start in starts:
                fill(start)
        return Reports(self, columns, simulated=not source.secure)

    @abstractmethod
    def respond(self, index: int, source: Source) -> tuple[Any, ...]:
        """The report of one device at a position, in plain integers: one item a field."""

    @abstractmethod
    def respond_many(self, indices: Indices, source: Source) -> tuple[Column, ...]:
        """The reports of many devices; the same words give the same reports as :meth:`respond`."""

    # -- collector ---------------------------------------------------------------

    def tally(self, reports: Reports, *, window: str = "") -> Tally:
        """Count reports, of a ``window`` if it is named.  No reports give the empty tally."""
        self.check_own(reports)
        cells = self.count(reports)
        cells.setflags(write=False)
        return Tally(self, len(reports), cells, window)

    def check_own(self, reports: Reports) -> None:
        """Refuse reports that are not of this mechanism."""
        if not isinstance(reports, Reports):
            raise InvalidInput("reports", f"tally of {self.name}", "Reports", reports)
        if reports.mechanism is not self and reports.mechanism != self:
            raise Mismatch(
                f"{self} ({self.fingerprint}) was given reports of "
                f"{reports.mechanism} ({reports.fingerprint})"
            )

    def count(self, reports: Reports) -> NDArray[np.int64]:
        """The cells of a tally of ``reports``."""
        cells = self.cells_of(reports)
        assert cells is not None, f"{self.name} must say how to count"
        return np.bincount(cells, minlength=self.cells)

    def cells_of(self, reports: Reports) -> Indices | None:
        """The cell that each report falls in; None where it falls in several."""
        expression = self.cell_expression()
        return None if expression is None else expression.of_columns(reports.columns)

    def cell_expression(self) -> CellExpression | None:
        """The cell that a report falls in, as arithmetic on its fields; None where in several."""
        return None

    # -- simulation ----------------------------------------------------------------

    def simulate(self, true_counts: Any, *, source: Source | None = None) -> Tally:
        """A random tally of a population with ``true_counts`` people for each input.

        By the tally's exact law where one is known, else by drawing reports in
        bounded memory.
        """
        counts = check_counts(true_counts, self.domain.size, f"simulate of {self.name}")
        chosen = OperatingSystem() if source is None else source
        return Tally(self, int(counts.sum()), self._simulate(counts, chosen))

    def _simulate(self, counts: Indices, source: Source) -> NDArray[np.int64]:
        cells = np.zeros(self.cells, dtype=np.int64)
        for indices in people_in_parts(counts, max(1, 2**22 // self.words_per_report)):
            cells += self.count(self.randomize_indices(indices, source))
        return cells

    # -- analyst -------------------------------------------------------------------

    def channel(self) -> Channel:
        """What this mechanism does to a distribution: made when first asked for, then kept."""
        return self._kept_channel

    @cached_property
    def _kept_channel(self) -> Channel:
        return self._channel()

    @abstractmethod
    def _channel(self) -> Channel:
        """Make the channel."""

    def rows(self, reports: Reports) -> Rows | None:
        """The reports as wholes, where a tally of them would tell less; None where it tells all."""
        return None

    def variance(self, shares: Any, n: int) -> Floats:
        """The variance of each unbiased share among ``n`` respondents with these true shares.

        Where shares are unbiased only over the draw of public hashes, so is this.
        """
        people = check_int(n, "n", f"variance of {self.name}", 1)
        channel, true = self.channel(), np.asarray(shares, dtype=np.float64)
        return channel.variance(true) / people + channel.hash_variances(true)

    # -- auditor -------------------------------------------------------------------

    @abstractmethod
    def certificate(self) -> Certificate:
        """The exact worst ratio of weights between any two values, or those that its scope names."""

    def supports(self, reports: Reports, index: int) -> NDArray[np.bool_] | None:
        """Which reports speak for input ``index``; None where reports are no sets of values."""
        return None

    # -- identity --------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        return state_without_caches(self)

    def options(self) -> dict[str, Any]:
        """The options beyond domain and epsilon, complete; fractions as decimal text."""
        base = {f.name for f in fields(Mechanism)}
        chosen = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in base}
        return {k: decimal_text(v) if isinstance(v, float) else v for k, v in chosen.items()}

    def document(self) -> dict[str, Any]:
        """Everything about the mechanism, for canonical JSON; weights are decimal text."""
        return {
            "mechanism": self.name,
            "version": VERSION,
            "domain": self.domain.to_json(),
            "epsilon": decimal_text(self.epsilon),
            "options": self.options(),
            "weights": text_of_integers(self._weights_document()),
        }

    def to_json(self) -> str:
        """Canonical JSON; :func:`sottovoce.core.registry.mechanism_from_json` reads it."""
        return canonical_json(self.document())

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits that stand for this mechanism everywhere."""
        return fingerprint_of(self.document())

    def __str__(self) -> str:
        return f"{self.name}({self.domain}, epsilon={self.epsilon:g})"
