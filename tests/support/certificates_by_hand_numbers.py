"""Second part of :mod:`certificates_by_hand`: comparing with e^epsilon, numbers and pairs."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, pairwise
from statistics import NormalDist
from typing import Any

__all__ = [
    "NOTHING", "Ratio", "Refused", "degree_noise", "exp_below", "gaussian", "keeps", "key_value",
    "laplace", "need", "stochastic_rounding", "values_of", "wave", "weights_of", "whole_of",
]  # fmt: skip

Ratio = tuple[Fraction, Fraction]
"""The worst ratio, and delta."""
NOTHING = Fraction(0)


class Refused(Exception):
    """A document that a reader must not take."""


def need(condition: bool, what: str) -> None:
    """Refuse unless the condition holds."""
    if not condition:
        raise Refused(what)


# -- comparing with e^epsilon ------------------------------------------------------------


def exp_below(epsilon: str) -> Fraction:
    """The lower bound L / F of e^epsilon."""
    n, ten = Decimal(epsilon).as_integer_ratio()
    F = 2**320
    x, t, L, i = n * F // (ten * 64), F, 0, 0
    while t > 0:
        L, i = L + t, i + 1
        t = t * x // (F * i)
    for _ in range(6):
        L = L * L // F
    return Fraction(L, F)


def keeps(ratio: Fraction, epsilon: str) -> bool:
    """Whether a ratio is at most e^epsilon."""
    return ratio <= 1 or ratio <= exp_below(epsilon)


def weights_of(document: dict[str, Any], *names: str) -> tuple[int, ...]:
    weights = document["weights"]
    need(isinstance(weights, dict) and set(weights) == set(names), "other names")
    found = tuple(int(weights[name]) for name in names)
    need(min(found) >= 0, "a negative weight")
    return found


def values_of(domain: dict[str, Any]) -> int:
    if domain["kind"] == "categories":
        return domain["size"]
    if domain["kind"] == "ratings":
        return domain["high"] - domain["low"] + 1
    return domain["bins"] if domain["kind"] == "interval" else domain["most"] + 1


def whole_of(document: dict[str, Any]) -> int:
    return 2 ** document["options"]["bits"]


# -- waves, piecewise, rounding ------------------------------------------------------------


def wave(document: dict[str, Any]) -> Fraction:
    width, low, unit = weights_of(document, "width", "low", "unit")
    options = document["options"]
    G, ring, half = (
        values_of(document["domain"]) * options["steps"],
        options.get("wrap"),
        width // 2,
    )
    cap = 1
    if document["mechanism"] == "wave":
        cap = half + 1 - math.floor(Fraction(options["ratio"]) * half)
    N = G if ring else G + width - 1
    need(1 <= width <= (G if ring else 2**22) and low >= 1 and unit >= 1, "positive weights")
    need(low * N + unit * cap * (width - cap + 1) <= 2**63, "a total of at most 2^63")
    need(options["output_bins"] is None or min(2, N) <= options["output_bins"] <= N, "output_bins")
    return Fraction(low + unit * cap, low) if G > 1 else Fraction(1)


def stochastic_rounding(document: dict[str, Any]) -> Fraction:
    base, unit = weights_of(document, "base", "unit")
    G = values_of(document["domain"]) * document["options"]["steps"]
    need(base >= 1 and unit >= 1 and 2 * base + (G - 1) * unit <= 2**63, "a total of at most 2^63")
    return Fraction(base + (G - 1) * unit, base)


# -- noise on bins -------------------------------------------------------------------------


def _noise(document: dict[str, Any], names: str, d: int, reach: int) -> dict[str, Any]:
    """The heights h and g, the q that made the last height, and the total."""
    weights = dict(zip(names.split(), weights_of(document, *names.split()), strict=True))
    ratio, change, tail = weights["ratio"], weights.get("change", 2**128), weights["tail"]
    need(min(weights.values()) >= 1 and max(ratio, change) <= 2**128, "ratios of at most 2^128")
    need(max(weights["center"], tail) < 2**63, "center and tail below 2^63")
    gs, qs, n = [weights["center"] * 2**64], [ratio], d + reach - 1
    while len(gs) < n:
        gs.append(gs[-1] * qs[-1] // 2**128)
        qs.append(qs[-1] * change // 2**128)
    gs = gs[:n]
    hs = [g // 2**64 + weights.get("least", 1) for g in gs]
    total = 2 * (sum(hs) + tail) - (hs[0] if hs else 0)
    need(total <= 2**63, "a total of at most 2^63")
    return {"h": hs, "g": gs, "q": qs, "tail": tail, "total": total, "n": n}


def laplace(document: dict[str, Any]) -> Fraction:
    made = _noise(document, "center ratio tail", values_of(document["domain"]), 0)
    h, tail = made["h"], made["tail"]
    return max(Fraction(sum(h) + tail, tail), Fraction(h[0], h[-1])) if h else Fraction(1)


def degree_noise(document: dict[str, Any]) -> Fraction:
    made = _noise(document, "center ratio least tail", values_of(document["domain"]), 0)
    h, tail = made["h"], made["tail"]
    if not h:
        return Fraction(1)
    steps = [Fraction(near, far) for near, far in pairwise(h)]
    return max(Fraction(h[-1] + tail, tail), *steps, Fraction(1))


def gaussian(document: dict[str, Any]) -> Ratio:
    options, domain, k = document["options"], document["domain"], 1
    if domain["kind"] == "vector":
        domain, k = domain["interval"], domain["coordinates"]
    d, reach = values_of(domain), options["reach"]
    made = _noise(document, "center ratio change tail", d, reach)
    if d == 1:
        return Fraction(1), NOTHING
    n, g, q = made["n"], made["g"], made["q"]
    if n >= 2:
        steady = made["tail"] * 2**64 * (2**128 - q[n - 2]) <= g[n - 1] * q[n - 2]
        need(steady, "noise that falls steadily")
    C = [*accumulate([made["tail"] * 2**64, *g[:0:-1], *g])]  # C[i] is C(i - n)
    delta = (_delta_of_one if k == 1 else _delta_of_many)(C, made, document["epsilon"], d, reach, k)
    need(delta <= Fraction(options["delta"]), "delta above what the survey allows")
    return exp_below(document["epsilon"]), delta


def _delta_of_one(
    C: list[int], made: dict[str, Any], epsilon: str, d: int, reach: int, _: int
) -> Fraction:
    n, E = made["n"], exp_below(epsilon)
    e = math.floor(E * 2**64)
    worst = max(C[j + n] * 2**64 - e * C[j + n - (d - 1)] for j in range(-reach, n))
    D = Fraction(n * n + 4 * n, 2**66)
    above = Fraction(max(worst, 0), 2**128) + 4 * n + 2 * n * (1 + E) * D
    return above / made["total"]


def _delta_of_many(
    C: list[int], made: dict[str, Any], epsilon: str, d: int, reach: int, k: int
) -> Fraction:
    n, normal = made["n"], NormalDist()
    S, extra = C[-1] + C[0], 2 * n * math.ceil((n * n + 4 * n) / 4)
    low = {j: normal.inv_cdf(C[j + n] / S) for j in range(-n, 0)}
    high = {j: normal.inv_cdf((C[j + n] + extra) / S) for j in range(-n, 0)}
    low, high = (
        {**low, **{-1 - j: -high[j] for j in low}},
        {**high, **{-1 - j: -low[j] for j in low}},
    )
    m = max(high[j] - low[j - (d - 1)] for j in range(-reach, n))
    a, u = 4 * k * n / made["total"], 1e-12
    z, e = (m + u) * math.sqrt(k) * (1 + u), float(epsilon) - a - k * (n * n + 4 * n) / 2**66
    near, far = (math.erfc(-x / math.sqrt(2)) / 2 for x in (z / 2 - e / z, -z / 2 - e / z))
    return Fraction(max(0.0, (1 + u) * near - (1 - u) * math.exp(e) * far) + a)


# -- pairs of a key and a number -----------------------------------------------------------


def key_value(document: dict[str, Any]) -> Fraction:
    options, domain = document["options"], document["domain"]
    unary, rounded = options["keys"] == "unary", options["numbers"] == "rounding"
    names = (["own", "other"] if unary else []) + (
        ["base", "unit"] if rounded else ["width", "low", "unit"]
    )
    found = weights_of(document, *names)
    need(min(found) >= 1, "positive weights")
    w, G = dict(zip(names, found, strict=True)), values_of(domain["interval"]) * options["steps"]
    if rounded:
        O, low, A, top = 2, w["base"], (G - 1) * w["unit"], (G - 1) * w["unit"]  # noqa: E741
    else:
        need(w["width"] <= 2**22, "a width of at most 2^22")
        O, low, A, top = G + w["width"] - 1, w["low"], w["width"] * w["unit"], w["unit"]  # noqa: E741
        need(min(2, O) <= options["output_bins"] <= O, "output_bins")
    K, l, dummies = values_of(domain["keys"]), domain["pairs"] or 1, domain["pairs"] or 0  # noqa: E741
    if not unary:
        need((K + dummies) * O * low + A <= 2**63, "a total of at most 2^63")
        no_pair = l * l * O * low
        return max(
            Fraction(l * low + top, l * low),
            Fraction(no_pair + (l - 1) * A, no_pair + (l - min(l, K)) * A),
        )
    own, other, T, N = w["own"], w["other"], whole_of(document), O * low + A
    need(other < own < T and N <= 2**63, "0 < other < own < T, a total of at most 2^63")
    M, m = own * O * (low + top) * (T - other), own * O * low * (T - other)
    U, unit = (T - own) * other * N, (T - other) * other * N
    L, worst = min(l, K), Fraction(1)
    for s, t in ((1, 1), (1, L), (L, 1), (L, L), (1, K - 1), (K - 1, 1), (L, K - L), (K - L, L)):
        if not (1 <= s <= L and 1 <= t <= L):
            continue
        for n in (max(s, t), min(K, s + t)):
            p, q, c = n - t, n - s, s + t - n
            for x, y in ((M, m), (U, U)):
                above = p * M + c * x + (l - p - c) * unit
                below = q * min(m, U) + c * y + (l - q - c) * unit
                worst = max(worst, Fraction(above, below))
    return worst
