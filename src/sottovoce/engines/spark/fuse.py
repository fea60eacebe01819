"""Several services joined by key on the cluster; the answer fitted here.

A service's reports fall in a bounded number of cells, so that people have a bounded number of
different combinations of reports, however many people there are.  Spark joins the services and
counts combinations (:mod:`sottovoce.engines.spark.combinations`), and only these leave the cluster:
no key ever does.  Where even they are too many, they are written to a folder, and only sums over them
leave (:mod:`sottovoce.engines.spark.cluster_fusion`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.engines.spark.cluster_fusion import ClusterFusion
from sottovoce.engines.spark.combinations import Overview, Service, aligned_of, combinations
from sottovoce.engines.spark.frames import check_folder, collected, mechanism_of, written
from sottovoce.fusion.joining.aligned import check_domains, service_names
from sottovoce.fusion.services import Fusion

__all__ = ["fuse"]

MOST_COMBINATIONS = 20_000_000
"""Different combinations of reports that are collected, at most: about 1 GB for three services."""


def fuse(
    services: Mapping[str, tuple[Any, Any]],
    key: str,
    *,
    to: str | None = None,
    most: int = MOST_COMBINATIONS,
) -> Fusion | ClusterFusion:
    """Join the reports that the same people gave to several services, on the cluster.

    Combinations of reports are counted there, and answers are computed here from the counts. They
    are those of :func:`sottovoce.fuse` on the same reports, whatever the number of people.

    Parameters
    ----------
    services : mapping of str to (pyspark.sql.DataFrame, Survey or Mechanism)
        Per service, by name: its reports with a key column, and what they are of.
    key : str
        The column that tells people apart, of the same name and type in all services, such as
        pseudonyms of one secret. A key may occur once per service.
    to : str, optional
        A new folder for the combinations of reports, without keys, as Parquet files. Then there may
        be more than ``most``: they stay in the folder, each answer reads it several times, and it
        must stay as long as answers are asked for. Nothing removes it.
    most : int
        Different combinations of reports to collect, at most.

    Returns
    -------
    Fusion or ClusterFusion
        The joined reports, with ``mean()`` and ``distribution()``. A ``ClusterFusion``, where
        combinations stay in the folder, has the distribution by ``mle`` only.

    Raises
    ------
    InvalidInput
        Where a column is missing or of another type, a key is empty or occurs twice in a service,
        a report is empty or outside its fields, or something is in the folder already.
    Mismatch
        Where services are of different domains, or have no person in common.
    Unfit
        Where there are more than ``most`` combinations and no folder for them.

    Examples
    --------
    >>> import sottovoce.spark as svs
    >>> both = svs.fuse({"bank": (bank, m1), "shop": (shop, m2)}, key="person")  # doctest: +SKIP
    >>> print(both.mean())  # doctest: +SKIP
    """
    owner = "svs.fuse"
    check_int(most, "most", owner, 1)
    if to is not None:
        check_folder(to, owner)
    joined, frames = _services(services, key, owner)
    rows = combinations(joined, frames, key)
    if to is not None:
        rows = written(rows, to, owner)
        if rows.count() > most:
            return ClusterFusion(rows, joined)
    table = collected(rows.limit(most + 1))
    if table.num_rows > most:
        raise Unfit(
            f"these services have more than {most:,} different combinations of reports, too many to "
            "collect. Give `to`, a folder where they can stay on the cluster, or raise `most` where "
            "the driver has the memory: about 16 bytes per service and combination"
        )
    Overview.of(table, joined).check(joined)
    return Fusion(aligned_of(table, joined))


def _services(services: Any, key: str, owner: str) -> tuple[list[Service], list[Any]]:
    """The services with their frames, checked."""
    if not isinstance(services, Mapping) or not services:
        raise InvalidInput("services", owner, "a mapping of names to (DataFrame, survey)", services)
    names = service_names(list(services), len(services))
    joined, frames = [], []
    for number, (name, pair) in enumerate(services.items()):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InvalidInput(f"service {name!r}", owner, "(DataFrame, survey)", pair)
        frames.append(pair[0])
        joined.append(Service(number, name, mechanism_of(pair[1], owner)))
    check_domains(names, [each.mechanism for each in joined])
    kinds = [each.checked(frame, key, owner) for each, frame in zip(joined, frames, strict=True)]
    for name, kind in zip(names, kinds, strict=True):
        if kind != kinds[0]:
            given = f"type {kind}, and type {kinds[0]} in {names[0]!r}"
            raise InvalidInput(f"column {key!r}", f"service {name!r}", "of one type", given)
    return joined, frames
