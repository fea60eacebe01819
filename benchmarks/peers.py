"""The peers, called as their documentation says, behind one small interface.

Both libraries only handle one report at a time, so a Python loop over people is
part of using them.  Both draw from the Mersenne Twister, not from the operating
system, and use one core.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from benchmarks.population import Population
from benchmarks.theory import Support, hash_range_of_peers, textbook

__all__ = ["LIBRARIES", "Peer", "peers_of"]

LIBRARIES = ("pure-ldp", "multi-freq-ldpy")

Report = Any
Shares = NDArray[np.float64]


@dataclass(frozen=True)
class Peer:
    """One oracle of one library."""

    library: str
    oracle: str
    support: Support
    first_item: int
    """What the library calls value 0."""
    unbiased: bool
    """Whether its shares are unbiased; else clipped at 0 and rescaled."""
    randomize: Callable[[list[int]], list[Report]]
    aggregate: Callable[[list[Report]], Any]
    """From reports to whatever the library keeps."""
    shares: Callable[[Any], Shares]
    """From that to shares, the step that costs nothing a report."""
    supports: Callable[[Report, int], bool]
    """Whether a report speaks for a value: what we take its format to mean."""

    def items(self, population: Population) -> list[int]:
        """The people's values as plain integers of the library's counting."""
        return list((population.values + self.first_item).tolist())

    def __str__(self) -> str:
        return f"{self.library} {version(self.library)}"


def peers_of(oracle: str, population: Population) -> list[Peer]:
    """The peers that have ``oracle`` (grr, oue, olh, ss or hr), set up for this population."""
    size, epsilon = population.size, float(population.epsilon)
    peers = []
    if oracle != "ss":
        peers.append(_pure_ldp(oracle, size, epsilon))
    if oracle != "hr":
        peers.append(_multi_freq_ldpy(oracle, size, epsilon))
    return peers


def _pure_ldp(oracle: str, size: int, epsilon: float) -> Peer:
    """Its server of Hadamard response only lists reports and counts them when it decodes."""
    from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
    from pure_ldp.frequency_oracles.hadamard_response import (
        HadamardResponseClient,
        HadamardResponseServer,
    )
    from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
    from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

    client_class, server_class, options = {
        "grr": (DEClient, DEServer, {}),
        "oue": (UEClient, UEServer, {"use_oue": True}),
        "olh": (LHClient, LHServer, {"use_olh": True}),
        "hr": (HadamardResponseClient, HadamardResponseServer, {}),
    }[oracle]
    client_options = dict(options)
    if oracle == "hr":
        client_options["hash_funcs"] = server_class(epsilon=epsilon, d=size).get_hash_funcs()
    client = client_class(epsilon=epsilon, d=size, **client_options)

    def randomize(items: list[int]) -> list[Report]:
        return [client.privatise(item) for item in items]

    def aggregate(reports: list[Report]) -> Any:
        server = server_class(epsilon=epsilon, d=size, **options)
        for report in reports:
            server.aggregate(report)
        return server

    def shares(server: Any) -> Shares:
        counts = server.estimate_all(range(1, size + 1), suppress_warnings=True)
        return np.asarray(counts / server.n)

    return Peer(
        library="pure-ldp",
        oracle=oracle,
        support=textbook(oracle, size, epsilon),
        first_item=1,
        unbiased=True,
        randomize=randomize,
        aggregate=aggregate,
        shares=shares,
        supports=_supports(oracle, epsilon),
    )


def _multi_freq_ldpy(oracle: str, size: int, epsilon: float) -> Peer:
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client
    from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
    from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client

    client, aggregator = {
        "grr": (GRR_Client, partial(GRR_Aggregator_MI, k=size, epsilon=epsilon)),
        "oue": (UE_Client, partial(UE_Aggregator_MI, epsilon=epsilon)),
        "olh": (LH_Client, partial(LH_Aggregator_MI, k=size, epsilon=epsilon)),
        "ss": (SS_Client, partial(SS_Aggregator_MI, k=size, epsilon=epsilon)),
    }[oracle]

    def randomize(items: list[int]) -> list[Report]:
        return [client(item, size, epsilon) for item in items]

    return Peer(
        library="multi-freq-ldpy",
        oracle=oracle,
        support=textbook(oracle, size, epsilon),
        first_item=0,
        unbiased=False,
        randomize=randomize,
        aggregate=aggregator,
        shares=np.asarray,
        supports=_supports(oracle, epsilon),
    )


def _supports(oracle: str, epsilon: float) -> Callable[[Report, int], bool]:
    """What is sent: a value, a vector of bits, a pair of cell and hash seed, members, or a row."""
    g = hash_range_of_peers(epsilon)

    def hashed(report: tuple[int, int], value: int) -> bool:
        cell, seed = report
        return bool(cell == xxhash.xxh32(str(value), seed=seed).intdigest() % g)

    return {
        "grr": lambda report, value: bool(report == value),
        "oue": lambda report, value: bool(report[value] == 1),
        "olh": hashed,
        "ss": lambda report, value: bool((report == value).any()),
        "hr": lambda row, value: (row & (value + 1)).bit_count() % 2 == 0,
    }[oracle]
