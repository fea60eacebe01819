"""What planning, audits and bounds on fake reports ask of a mechanism.

Each question has an answer that is right for most mechanisms, so that a new one need not know of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sottovoce.channels.base import Channel, SupportProbabilities
from sottovoce.core.audit_plan import AuditPlan
from sottovoce.core.memory import Memory
from sottovoce.domains.base import Indices

if TYPE_CHECKING:
    from sottovoce.core.mechanism import Mechanism

__all__ = ["Traits"]


class Traits(ABC):
    """Attributes and methods of a mechanism by which others treat it."""

    derives_weights: ClassVar[bool] = True
    """Whether weights follow from epsilon; False where they are always given, as for a table."""
    is_planned: ClassVar[bool] = True
    """Whether planning ranks it: it is made from a domain and epsilon alone, to be used."""
    sends_any_combination: ClassVar[bool] = True
    """Whether some report has any choice of cells, one per block; hashes allow only some."""
    lists_inputs: ClassVar[bool] = True
    """Whether its work grows with the inputs of the domain; False where they may be too many to list."""
    same_gains: ClassVar[bool] = False
    """Whether every value's unbiased share adds the same numbers, in some order of the cells."""

    named_options: ClassVar[tuple[str, ...]] = ()
    """Options that files of surveys always name: a rule chooses them, and others follow from them."""
    remembers: ClassVar[bool] = False
    """Whether devices keep a permanent answer, so that :meth:`memory` is not None."""

    names_hash: ClassVar[bool] = False
    """Whether a report names a public hash: as a set of values it is shorter than a row of all cells."""

    @abstractmethod
    def channel(self) -> Channel:
        """What this mechanism does to a distribution."""

    def memory(self) -> Memory | None:
        """What its reports in several windows share; None where devices keep nothing."""
        return None

    def of_question(self, question: int) -> Mechanism | None:
        """The mechanism of the reports about one question of a record, and nothing else; None without such."""
        return None

    @property
    def kept_hashes(self) -> int | None:
        """How many hashes there are of which a device keeps one; None where it keeps none."""
        return None

    @property
    def support_probabilities(self) -> SupportProbabilities | None:
        """How often a report supports its sender's value, and any other; None where that differs."""
        return self.channel().support_probabilities

    @property
    def open_chance(self) -> Fraction | None:
        """How often a value that is not sensitive is sent openly; None where every value is protected."""
        return None

    @property
    def open_cells(self) -> tuple[Indices, Indices]:
        """Cells that only reports of one input fall in, as they reveal it, and these inputs."""
        none = np.zeros(0, dtype=np.int64)
        return none, none

    @property
    def lists_supported_values(self) -> bool:
        """Whether it is quick to look up how many values each report supports."""
        return True

    def why_least_error(self) -> str:
        """Why it may err less on shares than others do, for a plan that ranks it first."""
        return ""

    @property
    def audited(self) -> Mechanism:
        """The mechanism that an audit samples: a part, where all else is drawn without the value."""
        mechanism: Mechanism = self  # type: ignore[assignment]  # the one subclass
        return mechanism

    def audit_plan(self) -> AuditPlan | None:
        """How an audit attacks it; None for the usual way: all values, by what each supports."""
        return None
