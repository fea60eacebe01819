"""Trees over an ordered domain: levels of nodes, and estimates of them that agree.

Neighbouring values share a parent, up to a root that holds all.  Trees are ragged:
the last node of a level may have fewer children, so that any number of values has
a tree and no node stands for nobody.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Channel, Floats

__all__ = ["ConstrainedInference", "Tree", "TreeChannel"]


@dataclass(frozen=True)
class Tree:
    """A tree with ``size`` leaves: node i of a level has the parent ``i // branching``.

    >>> Tree(17, 4).sizes
    (17, 5, 2)
    """

    size: int
    branching: int

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many nodes each level has, leaves first, the root left out."""
        sizes = [self.size]
        while sizes[-1] > self.branching:
            sizes.append(-(-sizes[-1] // self.branching))
        return tuple(sizes)

    @property
    def height(self) -> int:
        """The number of levels below the root."""
        return len(self.sizes)

    def sums(self, children: NDArray[Any]) -> NDArray[Any]:
        """The sum over the children of every parent."""
        return np.add.reduceat(children, np.arange(0, len(children), self.branching))

    def handed_down(self, parents: NDArray[Any], count: int) -> NDArray[Any]:
        """What every one of ``count`` children has from its parent."""
        return np.repeat(parents, self.branching)[:count]

    def levels(self, leaves: NDArray[Any]) -> list[NDArray[Any]]:
        """The sums of leaves under the nodes of every level, leaves first."""
        found = [leaves]
        for _ in self.sizes[1:]:
            found.append(self.sums(found[-1]))
        return found

    def paths(self, levels: Sequence[Floats]) -> Floats:
        """The sum over the nodes on every leaf's path: the adjoint of :meth:`levels`."""
        total = levels[-1]
        for below in reversed(levels[:-1]):
            total = below + self.handed_down(total, len(below))
        return total


class TreeChannel(Channel):
    """A channel whose reports speak of the nodes of a tree."""

    tree: Tree

    @abstractmethod
    def node_shares(self, frequencies: Floats) -> list[Floats]:
        """Unbiased shares of the nodes of every level, each level by itself, leaves first."""


class ConstrainedInference:
    """Least squares over a tree: nodes that are the sums of their children, and a known root.

    Level l comes with noise of variance ``variances[l]`` a node.  Of all trees with
    that root, the one nearest to the noisy nodes, in units of their noise, is found in
    two passes (Hay, Rastogi, Miklau, Suciu 2010).  Up, z is the best estimate of a node
    from all below it, V its variance:

        V = 1 / (1/sigma^2 + 1/sum V_c),    z = V (x/sigma^2 + sum z_c / sum V_c)

    and down, what a node's children lack of it is shared in proportion to V:

        y_c = z_c + (y - sum z) V_c / sum V
    """

    def __init__(self, tree: Tree, variances: Sequence[float]) -> None:
        self.tree = tree
        pooled, own = np.full(tree.size, float(variances[0])), np.ones(tree.size)
        self._own, self._parts = [own], [self._part(pooled)]
        for sigma2 in variances[1:]:
            below = tree.sums(pooled)
            pooled = 1 / (1 / sigma2 + 1 / below)
            self._own.append(pooled / sigma2)
            self._parts.append(self._part(pooled))

    def _part(self, pooled: Floats) -> Floats:
        """``V_c / sum V`` over the children of one parent."""
        return pooled / self.tree.handed_down(self.tree.sums(pooled), len(pooled))

    def nodes(self, levels: Sequence[Floats], root: float = 1.0) -> list[Floats]:
        """The estimate of every node, leaves first."""
        tree, upward = self.tree, [levels[0]]
        for noisy, own in zip(levels[1:], self._own[1:], strict=True):
            upward.append(own * noisy + (1 - own) * tree.sums(upward[-1]))
        found, above = [], np.full(1, root)
        for z, part in zip(reversed(upward), reversed(self._parts), strict=True):
            above = z + part * tree.handed_down(above - tree.sums(z), len(z))
            found.append(above)
        return found[::-1]

    def adjoint(self, weights: Floats) -> tuple[list[Floats], float]:
        """What each noisy node, and the root, adds to the answer ``weights . leaves``."""
        tree, down, asked = self.tree, [], weights
        for part in self._parts:
            shared = tree.sums(part * asked)
            down.append(asked - tree.handed_down(shared, len(asked)))
            asked = shared
        cell_weights, passed = [], np.zeros(1)
        for z, own in zip(reversed(down), reversed(self._own), strict=True):
            whole = z + tree.handed_down(passed, len(z))
            cell_weights.append(own * whole)
            passed = (1 - own) * whole
        return cell_weights[::-1], float(asked[0])

    def leaf_variances(self, variances: Sequence[Floats]) -> Floats:
        """The variance of every leaf when the noise of all nodes is uncorrelated.

        ``variances`` are those of the noisy nodes, and need not be the planned ones.  A
        node's estimate is ``a z + o``: z speaks of what is below it, o of all the rest,
        independently of z.  With ``w`` the parent's own weight in its z,

            k = 1 - a (1 - w),   a_c = 1 - r_c k,   r_c = V_c / sum V,
            Var(o_c) = r_c^2 [Var(o) + a^2 w^2 sigma^2 + k^2 (sum Var(z) - Var(z_c))]
        """
        tree, upward = self.tree, [variances[0]]
        for noise, own in zip(variances[1:], self._own[1:], strict=True):
            upward.append(own**2 * noise + (1 - own) ** 2 * tree.sums(upward[-1]))
        weight, outside = np.zeros(1), np.zeros(1)
        own, noise = np.zeros(1), np.zeros(1)
        for level in reversed(range(tree.height)):
            z, part = upward[level], self._parts[level]

            def down(parents: Floats, count: int = len(z)) -> Floats:
                return tree.handed_down(parents, count)

            k = 1 - weight * (1 - own)
            siblings = down(tree.sums(z)) - z
            outside = part**2 * (
                down(outside + (weight * own) ** 2 * noise) + down(k**2) * siblings
            )
            weight = 1 - part * down(k)
            own, noise = self._own[level], variances[level]
        return weight**2 * upward[0] + outside
