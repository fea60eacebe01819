"""Value to report: one file a mechanism, imported when it is first asked for by name or class."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sottovoce.core.registry import declare

if TYPE_CHECKING:
    from sottovoce.mechanisms.binned import Binned
    from sottovoce.mechanisms.degree_noise import DegreeNoise
    from sottovoce.mechanisms.fixed_hashing import FixedHashing
    from sottovoce.mechanisms.gaussian import Gaussian
    from sottovoce.mechanisms.haar import Haar
    from sottovoce.mechanisms.hadamard_response import HadamardResponse
    from sottovoce.mechanisms.hierarchy import Hierarchy
    from sottovoce.mechanisms.key_value import KeyValue
    from sottovoce.mechanisms.laplace import Laplace
    from sottovoce.mechanisms.local_hashing import LocalHashing
    from sottovoce.mechanisms.piecewise import Piecewise
    from sottovoce.mechanisms.randomized_response import RandomizedResponse
    from sottovoce.mechanisms.sampled_coordinate import SampledCoordinate
    from sottovoce.mechanisms.seeded_hashing import SeededHashing
    from sottovoce.mechanisms.square_wave import SquareWave
    from sottovoce.mechanisms.stochastic_rounding import StochasticRounding
    from sottovoce.mechanisms.subset_selection import SubsetSelection
    from sottovoce.mechanisms.table import Table
    from sottovoce.mechanisms.unary_encoding import UnaryEncoding
    from sottovoce.mechanisms.wave import Wave

MECHANISMS: dict[str, tuple[str, ...]] = {
    "Binned": ("binned",),
    "DegreeNoise": ("degree-noise", "edge-laplace"),
    "FixedHashing": ("fixed-hashing", "flh"),
    "Gaussian": ("gaussian",),
    "Haar": ("haar", "haarhrr"),
    "HadamardResponse": ("hadamard-response", "hr"),
    "Hierarchy": ("hierarchy", "hh"),
    "KeyValue": ("key-value", "pckv-ue", "pckv-grr", "pckv-pm"),
    "Laplace": ("laplace",),
    "LocalHashing": ("local-hashing", "olh", "blh"),
    "Piecewise": ("piecewise", "pm"),
    "RandomizedResponse": ("randomized-response", "grr", "krr", "de"),
    "SampledCoordinate": ("sampled-coordinate", "vector"),
    "SeededHashing": ("seeded-hashing", "olh-seeded"),
    "SquareWave": ("square-wave", "sw", "sw-discrete"),
    "StochasticRounding": ("stochastic-rounding", "sr"),
    "SubsetSelection": ("subset-selection", "ss"),
    "Table": ("table",),
    "UnaryEncoding": ("unary-encoding", "oue", "sue"),
    "Wave": ("wave", "gw"),
}
"""Every class with the names it registers; its module has the first of them, with underscores."""

_WHERE = {
    cls: f"sottovoce.mechanisms.{names[0].replace('-', '_')}" for cls, names in MECHANISMS.items()
}
for _cls, _names in MECHANISMS.items():
    declare(_WHERE[_cls], *_names)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'sottovoce.mechanisms' has no attribute {name!r}")
    return getattr(import_module(_WHERE[name]), name)


__all__ = [
    "MECHANISMS",
    "Binned",
    "DegreeNoise",
    "FixedHashing",
    "Gaussian",
    "Haar",
    "HadamardResponse",
    "Hierarchy",
    "KeyValue",
    "Laplace",
    "LocalHashing",
    "Piecewise",
    "RandomizedResponse",
    "SampledCoordinate",
    "SeededHashing",
    "SquareWave",
    "StochasticRounding",
    "SubsetSelection",
    "Table",
    "UnaryEncoding",
    "Wave",
]
