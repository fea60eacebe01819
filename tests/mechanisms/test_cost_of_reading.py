"""What a survey of a few hundred bytes may cost a device: memory to read it, and to answer it once."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.core.registry import mechanism_from_document
from support.documents import with_weights

ONE = 2**128
MOST = 2**16
"""Bins of noise, and cells beyond them."""


def peak_of(document: dict[str, Any], value: Any) -> float:
    """Megabytes that reading a document and one report take at most."""
    tracemalloc.start()
    try:
        mechanism = mechanism_from_document(document)
        mechanism.randomize(value)
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def of(
    name: str, domain: Any, like: Any, weights: dict[str, int], **options: Any
) -> dict[str, Any]:
    """A document over ``domain``, otherwise as one over a small domain ``like``."""
    document = sv.mechanism(name, like, 1.0, **options).document()
    return with_weights({**document, "domain": domain.to_json()}, weights, epsilon="20")


def interval(bins: int) -> sv.Interval:
    return sv.Interval(0, 1, bins=bins)


def test_a_wave_of_four_million_outputs_costs_nothing():
    """Its offset is computed, not looked up in running sums of the whole shape."""
    document = of(
        "wave", interval(2**10), interval(2**10), {"width": 2**22 - 1, "low": 2**10, "unit": 1},
        ratio=0.0, steps=2**12, output_bins=256,
    )  # fmt: skip
    assert peak_of(document, 0.5) < 1


def test_the_collector_counts_a_wave_in_its_cells():
    mechanism = sv.mechanism("sw", interval(2**10), 1.0, steps=2**12)
    reports = mechanism.randomize([0.1, 0.9], source=sv.Seeded(1))
    tracemalloc.start()
    tally = mechanism.tally(reports)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()
    assert tally.n == 2


NOISE = [
    ("laplace", interval(MOST), {"center": 2**40, "ratio": ONE - ONE // MOST, "tail": 2**60}, {}, 0.5),
    ("degree-noise", sv.Counts(MOST - 1), {"center": 2**40, "ratio": ONE // 2, "least": 9, "tail": 9}, {}, 5),
    ("gaussian", interval(MOST), {"center": 2**40, "ratio": ONE, "change": ONE - 2**80, "tail": 2**38},
     {"delta": 0.1, "reach": MOST}, 0.5),
    ("gaussian", sv.Vector(interval(2), 2), {"center": 2**40, "ratio": ONE, "change": ONE, "tail": 2**40},
     {"delta": 0.1, "reach": MOST}, [0.5, 0.5]),
]  # fmt: skip


def noise(
    name: str, domain: Any, weights: dict[str, int], options: dict[str, Any]
) -> dict[str, Any]:
    """A document of noise at the limits, made like one over a few bins."""
    small = {"laplace": interval(4), "degree-noise": sv.Counts(3), "gaussian": domain}[name]
    if name == "gaussian":
        small = sv.Vector(interval(2), 2) if isinstance(domain, sv.Vector) else interval(4)
    document = of(name, domain, small, weights, **({"delta": 0.1, "reach": 1} if options else {}))
    document["options"] |= {"reach": options["reach"]} if options else {}
    return document


@pytest.mark.slow
@pytest.mark.parametrize(("name", "domain", "weights", "options", "value"), NOISE)
def test_noise_at_its_limits_takes_less_than_50_megabytes(name, domain, weights, options, value):
    assert peak_of(noise(name, domain, weights, options), value) < 50


def test_larger_tables_are_refused():
    weights = {"center": 2**30, "ratio": ONE, "tail": 2**30}
    with pytest.raises(InvalidInput, match="domain of laplace must be of at most 65536 bins"):
        mechanism_from_document(of("laplace", interval(MOST + 1), interval(4), weights))
    with pytest.raises(InvalidInput, match="domain of degree-noise must be of at most 65536 bins"):
        sv.mechanism("degree-noise", sv.Counts(MOST), 1.0)
    with pytest.raises(
        InvalidInput, match="reach of gaussian must be a whole number from 0 to 65536"
    ):
        sv.mechanism("gaussian", interval(4), 1.0, reach=MOST + 1)
    with pytest.raises(
        InvalidInput, match="steps of square-wave must be a whole number from 1 to 4096"
    ):
        sv.mechanism("sw", interval(2**10), 1.0, steps=2**13)
    with pytest.raises(
        InvalidInput, match="weight width of wave must be a whole number from 1 to 4194304"
    ):
        wide = {"width": 2**22 + 1, "low": 1, "unit": 1}
        mechanism_from_document(of("wave", interval(4), interval(4), wide))
    with pytest.raises(InvalidInput, match="domain of key-value must be of at most 65536 pairs"):
        sv.mechanism("key-value", sv.KeyValues(3, 0, 1, pairs=MOST + 1), 1.0)
