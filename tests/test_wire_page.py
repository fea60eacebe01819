"""The wire once more, from the pages alone: nothing of sottovoce is imported here.

``docs/reference/wire.md`` and ``docs/reference/formats.md`` promise that another language can send and
collect.  This is that other language: plain Python and its standard library, written by reading the
pages, one paragraph a function.  It must agree with every vector.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from bisect import bisect_right
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path

import pytest

VECTORS = Path(__file__).parent.parent / "vectors"
FILES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in VECTORS.glob("*.json")}
MECHANISMS = sorted(name for name, told in FILES.items() if "mechanism" in told)


def fingerprint(document) -> bytes:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).digest()[:16]


# -- from random words to a report ----------------------------------------------------------


class Words:
    def __init__(self, data: bytes) -> None:
        self.words = [int.from_bytes(data[i : i + 8], "little") for i in range(0, len(data), 8)]

    def next(self) -> int:
        return self.words.pop(0)

    def below(self, s: int) -> int:
        word = self.next()
        if s & (s - 1) == 0:
            return word >> (64 - (s.bit_length() - 1))
        while word >= 2**64 - 2**64 % s:
            word = self.next()
        return word % s

    def bits(self, count: int) -> int:
        """So many words as one number, the first word lowest."""
        return sum(self.next() << 64 * i for i in range(count))


def size_of(domain) -> int:
    kind = domain["kind"]
    if kind == "categories":
        return domain.get("size") or len(domain["values"])
    if kind == "counts":
        return domain["most"] + 1
    return domain["bins"]


def bin_of(domain, value) -> int:
    if domain["kind"] == "categories":
        return value if "size" in domain else domain["values"].index(value)
    if domain["kind"] == "counts":
        return value
    low, high, bins = float(domain["low"]), float(domain["high"]), domain["bins"]
    starts = [low + i * ((high - low) / bins) for i in range(bins)]
    return bisect_right(starts, value) - 1


def position_of(domain, steps: int, value) -> int:
    place = bin_of(domain, value)
    if domain["kind"] == "counts":
        return place * steps
    width = (float(domain["high"]) - float(domain["low"])) / domain["bins"]
    start = float(domain["low"]) + place * width
    return place * steps + min(max(math.floor((value - start) * (steps / width)), 0), steps - 1)


def response(own: int, weights, b: int, words: Words) -> int:
    x = words.next() >> (64 - b)
    return own if x < weights["keep"] else (x - weights["keep"]) // weights["other"]


def randomized_response(m, value, words):
    return [response(bin_of(m["domain"], value), m["weights"], m["options"]["bits"], words)]


def digits(number: int, g: int, t: int) -> list[int]:
    return [number // g**i % g for i in range(t)]


def hashes_of(d: int, g: int) -> tuple[int, int]:
    t = 1
    while g**t < d:
        t += 1
    return t, (g**t - 1) // (g - 1)


def hashed(m, v: int, words) -> tuple[int, int]:
    d, g = size_of(m["domain"]), m["options"]["hash_range"]
    t, count = hashes_of(d, g)
    text = f"sottovoce places 1 {fingerprint(m).hex()}"
    stream = hashlib.shake_256(text.encode()).digest(8 * g**t)
    keys = [int.from_bytes(stream[8 * i : 8 * i + 8], "little") for i in range(g**t)]
    point = sorted(range(g**t), key=keys.__getitem__)[v]
    number = words.below(count)
    vector = [a for j in range(t) for a in range(g**j, 2 * g**j)][number]
    pairs = zip(digits(vector, g, t), digits(point, g, t), strict=True)
    cell = sum(a * x for a, x in pairs) % g
    return number, response(cell, m["weights"], m["options"]["bits"], words)


def local_hashing(m, value, words):
    return list(hashed(m, bin_of(m["domain"], value), words))


def mix(x: int) -> int:
    x ^= x >> 16
    x = x * 0x85EBCA6B % 2**32
    x ^= x >> 13
    x = x * 0xC2B2AE35 % 2**32
    return x ^ x >> 16


def seeded_hashing(m, value, words):
    seed, g = words.next(), m["options"]["hash_range"]
    cell = mix(mix(bin_of(m["domain"], value) ^ seed % 2**32) ^ seed >> 32) * g >> 32
    return [seed, response(cell, m["weights"], m["options"]["bits"], words)]


def fixed_hashing(m, value, words):
    number, d = words.below(m["options"]["hash_count"]), size_of(m["domain"])
    text = f"sottovoce hashes 1 {fingerprint(m).hex()} {number}"
    row, v = hashlib.shake_256(text.encode()).digest(4 * d), bin_of(m["domain"], value)
    cell = int.from_bytes(row[4 * v : 4 * v + 4], "little") * m["options"]["hash_range"] >> 32
    return [number, response(cell, m["weights"], m["options"]["bits"], words)]


def unary(v: int | None, d: int, weights, b: int, words, *, later=False):
    """The bits; with ``later`` one's own bit apart, to be put in its place afterwards."""
    own = words.next() < weights["own"] << (64 - b)
    drawn = [words.next() for _ in range(-(-d // 8))]
    lanes = b"".join(word.to_bytes(8, "little") for word in drawn)[:d]
    first, rest = divmod(weights["other"] << (64 - b), 2**56)
    bits = [lane < first or (lane == first and words.next() >> 8 < rest) for lane in lanes]
    if later:
        return bits, own
    bits[v] = own
    return bits


def packed(bits) -> str:
    whole = sum(bool(bit) << i for i, bit in enumerate(bits))
    return whole.to_bytes(-(-len(bits) // 8), "little").hex()


def unary_encoding(m, value, words):
    v, d = bin_of(m["domain"], value), size_of(m["domain"])
    return [packed(unary(v, d, m["weights"], m["options"]["bits"], words))]


def subset_selection(m, value, words):
    d, k, v = size_of(m["domain"]), m["options"]["subset_size"], bin_of(m["domain"], value)
    inside = words.next() < m["weights"]["own"] << (64 - m["options"]["bits"])
    if d == 1:
        return ["01"]
    members, last = stand_ins(min(k, d - k), d - 1, m["weights"]["start"], words)
    complement = 2 * k > d
    inside ^= complement
    if inside:
        members.remove(last)
    if v in members:
        members.remove(v)
        members.add(d - 1)
    if inside:
        members.add(v)
    return [packed([(i in members) != complement for i in range(d)])]


def stand_ins(h: int, m: int, start: int, words) -> tuple[set[int], int]:
    w, t = -(-m // 64), max(1, (m - 1).bit_length())
    binary = f"{start:04b}".rstrip("0")
    whole = 0
    for digit in reversed(binary):
        whole = whole | words.bits(w) if digit == "1" else whole & words.bits(w)
    members = {i for i in range(m) if whole >> i & 1}
    falling = True
    while True:
        for word in [words.next() for _ in range(max(1, math.isqrt(w) // 2))]:
            for i in range(64 // t):
                trial = word >> i * t & 2**t - 1
                if trial >= m:
                    continue
                falling = falling and len(members) >= h
                if falling:
                    members.discard(trial)
                elif trial not in members:
                    members.add(trial)
                    if len(members) == h:
                        return members, trial


def hadamard_response(m, value, words):
    count, v = m["options"]["block_count"], bin_of(m["domain"], value)
    order = 1 << (-(-size_of(m["domain"]) // count)).bit_length()
    x = words.next() >> (64 - m["options"]["bits"])
    y = words.below(count * order)
    block, c = v % count, v // count + 1
    z = y % order
    if (z & c).bit_count() % 2:
        z ^= c & -c
    return [block * order + z if x < m["weights"]["keep"] else y]


def table(m, value, words):
    row = m["weights"][bin_of(m["domain"], value)]
    return [bisect_right(list(accumulate(row)), words.below(sum(row)))]


def wave(m, value, words):
    options, weights = m["options"], m["weights"]
    grid = size_of(m["domain"]) * options["steps"]
    width, low, unit = weights["width"], weights["low"], weights["unit"]
    outputs = grid if options.get("wrap") else grid + width - 1
    h, cap = width // 2, 1
    if m["mechanism"] == "wave":
        cap = h + 1 - math.floor(float(options["ratio"]) * h)
    area = cap * (width - cap + 1) * unit
    x = words.below(outputs * low + area)
    if x >= area:
        return [(x - area) // low]
    shape = (min(z + 1, width - z, cap) * unit for z in range(width))
    p = position_of(m["domain"], options["steps"], value)
    moved = p + bisect_right(list(accumulate(shape)), x)
    return [(moved - h) % grid if options.get("wrap") else moved]


def stochastic_rounding(m, value, words):
    steps, base, unit = m["options"]["steps"], m["weights"]["base"], m["weights"]["unit"]
    x = words.below(2 * base + (size_of(m["domain"]) * steps - 1) * unit)
    return [int(x < base + position_of(m["domain"], steps, value) * unit)]


def noise(m, value, words):
    weights, bins = m["weights"], size_of(m["domain"])
    reach = m["options"].get("reach", 0)
    guarded, ratio, heights = weights["center"] << 64, weights["ratio"], []
    for _ in range(bins + reach - 1):
        heights.append((guarded >> 64) + weights.get("least", 1))
        guarded = guarded * ratio >> 128
        ratio = ratio * weights["change"] >> 128 if "change" in weights else ratio
    listed = [weights["tail"], *reversed(heights[1:]), *heights, weights["tail"]]
    i = bisect_right(list(accumulate(listed)), words.below(sum(listed)))
    moved = bin_of(m["domain"], value) + i - (bins - 1)
    return [min(max(moved, 0), bins + 2 * reach - 1)]


def hierarchy(m, value, words):
    options, sizes = m["options"], [size_of(m["domain"])]
    while sizes[-1] > options["branching"]:
        sizes.append(-(-sizes[-1] // options["branching"]))
    nodes = [bin_of(m["domain"], value) // options["branching"] ** i for i in range(len(sizes))]
    if options["split"] == "budget":
        levels = zip(nodes, sizes, m["weights"], strict=True)
        return [packed(unary(v, d, weights, options["bits"], words)) for v, d, weights in levels]
    level, start = words.below(len(sizes)), 0
    for size, g in list(zip(sizes, options["hash_ranges"], strict=True))[:level]:
        start += hashes_of(size, g)[1] * g if g else size
    size, g, weights = sizes[level], options["hash_ranges"][level], m["weights"][level]
    if not g:
        words.next()
        return [start + response(nodes[level], weights, options["bits"], words)]
    described = {
        "mechanism": "local-hashing", "version": 1, "domain": {"kind": "categories", "size": size},
        "epsilon": m["epsilon"], "options": {"bits": options["bits"], "hash_range": g}, "weights": weights,
    }  # fmt: skip
    number, cell = hashed(described, nodes[level], words)
    return [start + number * g + cell]


def haar(m, value, words):
    top = max(1, (size_of(m["domain"]) - 1).bit_length())
    place = bin_of(m["domain"], value)
    h, c = divmod(words.below(top << (top - 1)), 1 << (top - 1))
    c >>= h
    sign = ((place >> (h + 1) & c).bit_count() + (place >> h)) % 2
    answer = response(sign, m["weights"], m["options"]["bits"], words)
    return [2 * (2**top - 2 ** (top - h) + c) + answer]


def inside(m, key: str, domain):
    """The mechanism within another, with the weights of the whole."""
    return {**m, **m["options"][key], "domain": domain}


def binned(m, value, words):
    domain = {**m["domain"], "bins": m["options"]["report_bins"]}
    return randomize(inside(m, "oracle", domain), value, words)


def sampled_coordinate(m, value, words):
    drawn = words.below(m["domain"]["coordinates"])
    return [drawn, *randomize(inside(m, "inner", m["domain"]["interval"]), value[drawn], words)]


class Numbers:
    """The numbers of key-value."""

    def __init__(self, m) -> None:
        weights, interval = m["weights"], m["domain"]["interval"]
        self.rounding, self.unit = m["options"]["numbers"] == "rounding", weights["unit"]
        grid, self.cells = interval["bins"] * m["options"]["steps"], m["options"]["output_bins"]
        if self.rounding:
            self.outputs, self.low, self.added = 2, weights["base"], (grid - 1) * self.unit
        else:
            width, self.low = weights["width"], weights["low"]
            self.outputs, self.added = grid + width - 1, width * self.unit

    def near(self, x: int, z: int) -> int:
        return int(z < x * self.unit) if self.rounding else x + z // self.unit

    def output(self, x: int, words) -> int:
        z = words.below(self.outputs * self.low + self.added)
        return self.near(x, z) if z < self.added else (z - self.added) // self.low

    def cell(self, y: int) -> int:
        return y * self.cells // self.outputs


def key_value(m, value, words):
    domain, options = m["domain"], m["options"]
    pair, count, pairs = value, size_of(domain["keys"]), domain.get("pairs", 0)
    if pairs:
        slot = words.below(max(pairs, len(value)))
        pair = value[slot] if slot < len(value) else None
    key, x = None, 0
    if pair is not None:
        key = bin_of(domain["keys"], pair[0])
        x = position_of(domain["interval"], options["steps"], pair[1])
    numbers = Numbers(m)
    way = response_keys if options["keys"] == "response" else unary_keys
    return way(m, numbers, key, x, count, pairs, words)


def response_keys(m, numbers, key, x, count, pairs, words):
    z = words.below((count + pairs) * numbers.outputs * numbers.low + numbers.added)
    if z < numbers.added:
        found, output = (count if key is None else key), numbers.near(x, z)
    else:
        found, output = divmod((z - numbers.added) // numbers.low, numbers.outputs)
    if found >= count:
        return [count, 0]
    return [found, numbers.cell(output)]


def unary_keys(m, numbers, key, x, count, pairs, words):
    is_set, own = unary(None, count, m["weights"], m["options"]["bits"], words, later=True)
    if numbers.rounding:
        whole = words.bits(-(-count // 64))
        high = [whole >> k & 1 for k in range(count)]
        mine = numbers.output(x, words)
        if key is not None:
            is_set[key], high[key] = own, mine
        return [packed(is_set), packed([a and b for a, b in zip(is_set, high, strict=True)])]
    cells = [1 + numbers.cell(words.below(numbers.outputs)) if bit else 0 for bit in is_set]
    mine = numbers.cell(numbers.output(x, words))
    if key is not None:
        cells[key] = mine + 1 if own else 0
    width = width_of(numbers.cells + 1)
    return [b"".join(cell.to_bytes(width, "little") for cell in cells).hex()]


def width_of(size: int) -> int:
    return next(w for w in (1, 2, 4, 8) if size - 1 < 2 ** (8 * w))


def randomize(m, value, words):
    known = {
        "square-wave": wave, "piecewise": wave, "laplace": noise, "gaussian": noise, "degree-noise": noise,
    }  # fmt: skip
    return (known.get(m["mechanism"]) or globals()[m["mechanism"].replace("-", "_")])(
        m, value, words
    )


@pytest.mark.parametrize("name", MECHANISMS)
def test_words_and_a_value_give_the_payload(name):
    for told in FILES[name]["surveys"]:
        survey = json.loads(told["survey"])
        assert fingerprint(survey).hex() == told["fingerprint"]
        for case in told["cases"]:
            words = Words(bytes.fromhex(case["words"]))
            assert randomize(survey["mechanism"], case["value"], words) == case["payload"]
            assert words.words == []


# -- uploads --------------------------------------------------------------------------------


def write(value) -> bytes:
    """The shortest MessagePack."""
    if isinstance(value, int):
        if value < 128:
            return bytes([value])
        code = next(i for i in range(4) if value < 2 ** (8 << i))
        return bytes([0xCC + code]) + value.to_bytes(1 << code, "big")
    if isinstance(value, list):
        short, codes, body, count = (
            0x90,
            {2: 0xDC, 4: 0xDD},
            b"".join(map(write, value)),
            len(value),
        )
        limit = 16
    elif isinstance(value, str):
        short, codes, body = 0xA0, {1: 0xD9, 2: 0xDA, 4: 0xDB}, value.encode()
        count, limit = len(body), 32
    else:
        short, codes, body, count, limit = 0, {1: 0xC4, 2: 0xC5, 4: 0xC6}, value, len(value), 0
    if count < limit:
        return bytes([short | count]) + body
    size = next(size for size in codes if count < 256**size)
    return bytes([codes[size]]) + count.to_bytes(size, "big") + body


class Wrong(Exception):
    pass


class Reader:
    """MessagePack as far as uploads need it; what else there is becomes an odd object."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        part = self.data[self.at : self.at + count]
        if len(part) < count:
            raise Wrong("malformed", None)
        self.at += count
        return part

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def value(self, depth: int = 0):
        code = self.number(1)
        if code < 0x80:
            return code
        if code >= 0xE0 or 0xD0 <= code <= 0xD3:
            size = 0 if code >= 0xE0 else 1 << (code - 0xD0)
            return int.from_bytes(self.take(size), "big", signed=True) if size else code - 256
        if 0xCC <= code <= 0xCF:
            return self.number(1 << (code - 0xCC))
        if code < 0x90 or code in (0xDE, 0xDF):
            count = code & 15 if code < 0x90 else self.number(2 if code == 0xDE else 4)
            self.items(2 * count, depth)
            return object()
        if code < 0xA0 or code in (0xDC, 0xDD):
            return self.items(
                code & 15 if code < 0xA0 else self.number(2 if code == 0xDC else 4), depth
            )
        if code < 0xC0 or 0xD9 <= code <= 0xDB:
            length = code & 31 if code < 0xC0 else self.number(1 << (code - 0xD9))
            try:
                return self.take(length).decode()
            except UnicodeDecodeError:
                raise Wrong("malformed", None) from None
        if 0xC4 <= code <= 0xC6:
            return self.take(self.number(1 << (code - 0xC4)))
        if code == 0xC1:
            raise Wrong("malformed", None)
        if 0xC7 <= code <= 0xC9:
            self.take(self.number(1 << (code - 0xC7)) + 1)
        elif 0xD4 <= code <= 0xD8:
            self.take((1 << (code - 0xD4)) + 1)
        else:
            self.take({0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8}[code])
        return object()

    def items(self, count: int, depth: int) -> list:
        if depth == 8 or count > len(self.data):
            raise Wrong("malformed", None)
        return [self.value(depth + 1) for _ in range(count)]


def parts_of_msgpack(data: bytes):
    reader = Reader(data)
    parts = reader.value()
    if reader.at != len(data) or type(parts) is not list or not parts or type(parts[0]) is not int:
        raise Wrong("malformed", None)
    if parts[0] != 1:
        raise Wrong("wrong-version", None)
    if len(parts) != 4:
        raise Wrong("malformed", None)
    return parts[1:]


def unhex(text):
    return (
        bytes.fromhex(text)
        if isinstance(text, str) and re.fullmatch("([0-9a-f]{2})*", text)
        else text
    )


def parts_of_json(data: bytes):
    def distinct(pairs):
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    def constant(name):
        raise ValueError(name)

    try:
        told = json.loads(data.decode(), object_pairs_hook=distinct, parse_constant=constant)
    except (ValueError, AssertionError, RecursionError):
        raise Wrong("malformed", None) from None
    if type(told) is not dict or type(told.get("version")) is not int:
        raise Wrong("malformed", None)
    if told["version"] != 1:
        raise Wrong("wrong-version", None)
    if set(told) != {"version", "fingerprint", "window", "reports"}:
        raise Wrong("malformed", None)
    reports = told["reports"]
    if type(reports) is list:
        for place, report in enumerate(reports):
            if type(report) is dict:
                if set(report) | {"id"} != {"id", "payload"}:
                    raise Wrong("malformed", place)
                items = report["payload"]
                if type(items) is list:
                    items = [unhex(item) for item in items]
                reports[place] = [unhex(report.get("id")), items]
    return [unhex(told["fingerprint"]), told["window"], reports]


def read(data: bytes, form: str, surveys):
    if len(data) > 2**20:
        raise Wrong("too-large", None)
    mark, window, reports = (parts_of_msgpack if form == "msgpack" else parts_of_json)(data)
    if type(mark) is not bytes or len(mark) != 16 or type(window) is not str:
        raise Wrong("malformed", None)
    if type(reports) is not list or not reports:
        raise Wrong("malformed", None)
    if len(reports) > 10_000:
        raise Wrong("too-large", None)
    for place, report in enumerate(reports):
        if type(report) is not list or len(report) != 2:
            raise Wrong("malformed", place)
        if type(report[0]) is not bytes or len(report[0]) != 16:
            raise Wrong("no-id", place)
        if type(report[1]) is not list:
            raise Wrong("wrong-payload", place)
    if mark.hex() not in surveys:
        raise Wrong("unknown-survey", None)
    survey = surveys[mark.hex()]
    if days_of(survey["window"], window) is None:
        raise Wrong("malformed", None)
    fields = fields_of(survey["mechanism"])
    for place, (_, payload) in enumerate(reports):
        pairs = list(zip(fields, payload, strict=False))
        if len(fields) != len(payload) or not all(fits(field, item) for field, item in pairs):
            raise Wrong("wrong-payload", place)
    return [1, mark, window, reports]


def fields_of(m):
    """The mechanisms of the uploads in the vectors: one of every kind of field."""
    d, options = m["domain"], m["options"]
    if m["mechanism"] == "randomized-response":
        return [("number", size_of(d))]
    if m["mechanism"] == "seeded-hashing":
        return [("number", 2**64), ("number", options["hash_range"])]
    if m["mechanism"] == "unary-encoding":
        return [("bits", size_of(d))]
    assert (m["mechanism"], options["keys"], options["numbers"]) == (
        "key-value",
        "unary",
        "piecewise",
    )
    return [("row", options["output_bins"] + 1, size_of(d["keys"]))]


def fits(field, item) -> bool:
    kind, size = field[:2]
    if kind == "number":
        return type(item) is int and 0 <= item < size
    if type(item) is not bytes:
        return False
    if kind == "bits":
        return len(item) == -(-size // 8) and int.from_bytes(item, "little") < 2**size
    width = width_of(size)
    numbers = [int.from_bytes(item[i : i + width], "little") for i in range(0, len(item), width)]
    return len(item) == width * field[2] and max(numbers) < size


def days_of(window: str, name: str):
    try:
        if window == "once":
            return () if name == "" else None
        if window == "day" and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", name):
            return (date.fromisoformat(name),) * 2
        if window == "week" and (found := re.fullmatch(r"([0-9]{4})-W([0-9]{2})", name)):
            monday = date.fromisocalendar(int(found[1]), int(found[2]), 1)
            return monday, monday + timedelta(6)
        if window == "month" and re.fullmatch(r"[0-9]{4}-[0-9]{2}", name):
            first = date.fromisoformat(f"{name}-01")
            return first, (first + timedelta(31)).replace(day=1) - timedelta(1)
    except ValueError:
        pass
    return None


def upload_of(case) -> bytes:
    if "opening" in case:
        return b"[" * case["opening"] + b"]" * case["opening"]
    if re.fullmatch("[0-9a-f]*", case["upload"]):
        return bytes.fromhex(case["upload"]) + bytes.fromhex(case.get("piece", "")) * case.get(
            "pieces", 0
        )
    return case["upload"].encode()


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_payload_becomes_the_upload(name):
    for told in FILES[name]["surveys"]:
        for case in told["cases"]:
            payload = [unhex(item) for item in case["payload"]]
            parts = [
                1,
                bytes.fromhex(told["fingerprint"]),
                case["window"],
                [[bytes.fromhex(case["id"]), payload]],
            ]
            assert write(parts).hex() == case["msgpack"]
            report = {"id": case["id"], "payload": case["payload"]}
            document = {
                "version": 1,
                "fingerprint": told["fingerprint"],
                "window": case["window"],
                "reports": [report],
            }
            assert json.loads(case["json"]) == document
            assert [1, *parts_of_msgpack(bytes.fromhex(case["msgpack"]))] == parts


@pytest.mark.parametrize("name", ["uploads-taken", "uploads-refused"])
def test_uploads_are_taken_or_refused(name):
    surveys = {mark: json.loads(text) for mark, text in FILES[name]["surveys"].items()}
    for case in FILES[name]["cases"]:
        try:
            parts = read(upload_of(case), case["form"], surveys)
        except Wrong as wrong:
            assert wrong.args == (case.get("code"), case.get("position")), case["why"]
        else:
            assert write(parts).hex() == case.get("shortest"), case["why"]


def test_windows():
    for case in FILES["windows"]["cases"]:
        first, last = days_of(case["window"], case["name"])
        assert (first.isoformat(), last.isoformat()) == (case["first"], case["last"])
        assert first <= date.fromisoformat(case["day"]) <= last


def test_nothing_of_sottovoce_is_here():
    imported = re.findall(
        r"^(?:from|import) (\w+)", Path(__file__).read_text(encoding="utf-8"), re.MULTILINE
    )
    assert "sottovoce" not in imported
