// src/errors.ts
var SottovoceError = class extends Error {
  constructor(code, message) {
    super(message);
    this.name = new.target.name;
    this.code = code;
  }
};
var InvalidSurvey = class extends SottovoceError {
  constructor(message) {
    super("invalid-survey", message);
  }
};
var InvalidValue = class extends SottovoceError {
  constructor(message) {
    super("invalid-value", message);
  }
};
var InvalidArgument = class extends SottovoceError {
  constructor(message) {
    super("invalid-argument", message);
  }
};
var NoRandomness = class extends SottovoceError {
  constructor() {
    super("no-randomness", "crypto.getRandomValues is missing here, or gives only zeros, so no report can be drawn");
  }
};
var OverBudget = class extends SottovoceError {
  constructor(message) {
    super("over-budget", message);
  }
};
var Refused = class extends SottovoceError {
};
var Mismatch = class extends SottovoceError {
  constructor(message) {
    super("mismatch", message);
  }
};
var NoLedger = class extends SottovoceError {
  constructor(message) {
    super("no-ledger", message);
  }
};
var NoAnswer = class extends SottovoceError {
  constructor(message) {
    super("no-answer", message);
  }
};

// src/limits.ts
var MOST_INPUTS = 25e5;
var FARTHEST_RATING = 1e12;
var MOST_REPORT_BYTES = 32768;
var MOST_POSITIONS = 2 ** 22;
var MOST_ROUNDED = 2 ** 40;
var MOST_TOTAL = 1n << 63n;

// src/fraction.ts
function fraction(numerator, denominator) {
  return { numerator, denominator };
}
var ONE = fraction(1n, 1n);
var ZERO = fraction(0n, 1n);
function exceeds(one, other) {
  return one.numerator * other.denominator > other.numerator * one.denominator;
}
function largest(first, ...others) {
  let most = first;
  for (const one of others) if (exceeds(one, most)) most = one;
  return most;
}
function product(one, other) {
  return fraction(one.numerator * other.numerator, one.denominator * other.denominator);
}
function toNumber(one) {
  let shift = one.denominator.toString(2).length - one.numerator.toString(2).length + 80;
  if (shift <= 0) return Number(one.numerator / one.denominator);
  let value = Number((one.numerator << BigInt(shift)) / one.denominator);
  for (; shift > 0; shift -= 512) value *= 2 ** -Math.min(shift, 512);
  return value;
}

// src/decimal.ts
var MOST_LENGTH = 800;
function writeDecimal(value) {
  const short = String(Math.abs(value));
  const sign = value < 0 ? "-" : "";
  const [mantissa = "", exponent] = short.split("e");
  if (exponent === void 0) return sign + short;
  const [whole2 = "", part = ""] = mantissa.split(".");
  const digits2 = whole2 + part;
  const point2 = whole2.length + Number(exponent);
  if (point2 <= 0) return sign + "0." + "0".repeat(-point2) + digits2;
  if (point2 >= digits2.length) return sign + digits2 + "0".repeat(point2 - digits2.length);
  return sign + digits2.slice(0, point2) + "." + digits2.slice(point2);
}
function readDecimal(text2) {
  if (text2.length > MOST_LENGTH || !/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/.test(text2)) return void 0;
  const value = Number(text2);
  if (!Number.isFinite(value) || writeDecimal(value) !== text2) return void 0;
  const point2 = text2.indexOf(".");
  const scale = point2 < 0 ? 0 : text2.length - point2 - 1;
  return { text: text2, value, digits: BigInt(text2.replace(".", "")), scale };
}
function decimalOf(value) {
  const decimal2 = readDecimal(writeDecimal(value));
  if (decimal2 === void 0) throw new RangeError("only finite numbers have a decimal");
  return decimal2;
}
function exact(decimal2) {
  return fraction(decimal2.digits, 10n ** BigInt(decimal2.scale));
}

// src/reading.ts
var MOST_DIGITS = 39;
function refuse(where, must) {
  throw new InvalidSurvey(`${where} must be ${must}`);
}
function require2(condition, where, must) {
  if (!condition) refuse(where, must);
}
function record(value, keys, where) {
  if (!(value instanceof Map)) refuse(where, "an object");
  require2(value.size === keys.length && keys.every((key) => value.has(key)), where, `an object with ${keys.join(", ")}`);
  return value;
}
function list(value, where) {
  if (!Array.isArray(value)) refuse(where, "a list");
  return value;
}
function text(value, where) {
  if (typeof value !== "string") refuse(where, "text");
  return value;
}
function choice(value, allowed, where) {
  const found = allowed.find((one) => one === value);
  return found ?? refuse(where, allowed.join(" or "));
}
function flag(value, where) {
  if (typeof value !== "boolean") refuse(where, "true or false");
  return value;
}
function whole(value, least, most, where) {
  if (typeof value !== "number" || value < least || value > most) refuse(where, `a whole number from ${least} to ${most}`);
  return value;
}
function weight(value, where) {
  if (typeof value !== "string" || value.length > MOST_DIGITS || !/^(?:0|[1-9][0-9]*)$/.test(value)) {
    refuse(where, "a whole number as decimal text");
  }
  return BigInt(value);
}
function weightsNamed(value, names, where) {
  const found = record(value, names, where);
  const weights = {};
  for (const name of names) weights[name] = weight(found.get(name), `${where}.${name}`);
  return weights;
}
function decimal(value, where) {
  const found = typeof value === "string" ? readDecimal(value) : void 0;
  return found ?? refuse(where, "a decimal as text, in its shortest form");
}
function readWeightRow(value, where) {
  return list(value, where).map((one) => weight(one, where));
}

// src/categories.ts
function readCategories(document, where) {
  const found = record(document, ["kind", "size", "values", "version"], where);
  require2(found.get("kind") === "categories", `${where}.kind`, "categories");
  whole(found.get("version"), 1, 1, `${where}.version`);
  const size = whole(found.get("size"), 1, MOST_INPUTS, `${where}.size`);
  const values = found.get("values");
  if (values === null) return categories(found, size, (value) => numbered(value, size));
  const places = readPlaces(list(values, `${where}.values`), `${where}.values`);
  require2(places.size === size, `${where}.size`, "the number of values");
  return categories(found, size, (value) => places.get(keyOf(value)));
}
function numberedCategories(size) {
  const document = /* @__PURE__ */ new Map([["kind", "categories"], ["size", size], ["values", null], ["version", 1]]);
  return categories(document, size, (value) => numbered(value, size));
}
function categories(document, size, find2) {
  return {
    kind: "categories",
    document,
    size,
    has: (value) => find2(value) !== void 0,
    input: (value) => {
      const place = find2(value);
      if (place === void 0) throw new InvalidValue("the value must be one of the categories");
      return place;
    }
  };
}
function numbered(value, size) {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value >= size) return void 0;
  return value + 0;
}
function keyOf(value) {
  if (typeof value === "number") return `\0${value}`;
  return typeof value === "string" && value.startsWith("\0") ? void 0 : value;
}
function readPlaces(values, where) {
  const places = /* @__PURE__ */ new Map();
  for (const value of values) {
    const right = typeof value === "number" || typeof value === "string" && !value.includes("\0");
    if (!right) refuse(where, "texts without NUL, and whole numbers");
    const key = keyOf(value);
    require2(!places.has(key), where, "distinct");
    places.set(key, places.size);
  }
  return places;
}

// src/interval.ts
function readInterval(document, where) {
  const found = record(document, ["bins", "high", "kind", "low", "version"], where);
  require2(found.get("kind") === "interval", `${where}.kind`, "interval");
  whole(found.get("version"), 1, 1, `${where}.version`);
  const low = decimal(found.get("low"), `${where}.low`).value;
  const high = decimal(found.get("high"), `${where}.high`).value;
  const bins = whole(found.get("bins"), 1, MOST_INPUTS, `${where}.bins`);
  require2(low < high, where, "such that low is below high");
  const width = (high - low) / bins;
  const least = 16 * lastPlace(Math.max(Math.abs(low), Math.abs(high)));
  require2(Number.isFinite(width) && width >= least, `${where}.bins`, "such that bins are 16 units in the last place wide");
  return interval(found, low, high, bins);
}
function makeInterval(low, high, bins) {
  const document = /* @__PURE__ */ new Map([
    ["bins", bins],
    ["high", writeDecimal(high)],
    ["kind", "interval"],
    ["low", writeDecimal(low)],
    ["version", 1]
  ]);
  return interval(document, low, high, bins);
}
function interval(document, low, high, bins) {
  const width = (high - low) / bins;
  function bin2(value) {
    if (typeof value !== "number" || !(value >= low && value <= high)) {
      throw new InvalidValue(`the value must be a number from ${low} to ${high}`);
    }
    let i = Math.min(Math.max(Math.floor((value - low) / width), 0), bins - 1);
    while (i > 0 && low + i * width > value) i--;
    while (i < bins - 1 && low + (i + 1) * width <= value) i++;
    return i;
  }
  function position(value, steps) {
    const i = bin2(value);
    const within = Math.floor((value - (low + i * width)) * (steps / width));
    return i * steps + (within > 0 ? Math.min(within, steps - 1) : 0);
  }
  function nearest(value) {
    if (typeof value !== "number" || Number.isNaN(value)) throw new InvalidValue("the value must be a number, and not NaN");
    return Math.min(Math.max(value, low), high);
  }
  return {
    kind: "interval",
    document,
    low,
    high,
    bins,
    size: bins,
    bin: bin2,
    position,
    nearest,
    cut: (wide) => makeInterval(low, high, wide)
  };
}
function lastPlace(value) {
  const next = step(value, 1n);
  return Number.isFinite(next) ? next - value : value - step(value, -1n);
}
function step(value, by) {
  const bits = new BigInt64Array(1);
  const double = new Float64Array(bits.buffer);
  double[0] = value;
  bits[0] += by;
  return double[0];
}

// src/whole.ts
function wholeNumbers(kind, document, least, most) {
  function bin2(value) {
    if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) {
      throw new InvalidValue(`the value must be a whole number from ${least} to ${most}`);
    }
    return value - least + 0;
  }
  function nearest(value) {
    const right = typeof value === "number" && !Number.isNaN(value) && (Number.isInteger(value) || !Number.isFinite(value));
    if (!right) throw new InvalidValue("the value must be a whole number");
    return Math.min(Math.max(value, least), most);
  }
  const bins = most - least + 1;
  return {
    kind,
    document,
    least,
    most,
    bins,
    size: bins,
    bin: bin2,
    nearest,
    position: (value, steps) => bin2(value) * steps,
    cut: (wide) => makeInterval(least - 0.5, most + 0.5, wide)
  };
}

// src/counts.ts
function readCounts(document, where) {
  const found = record(document, ["kind", "most", "version"], where);
  require2(found.get("kind") === "counts", `${where}.kind`, "counts");
  whole(found.get("version"), 1, 1, `${where}.version`);
  return wholeNumbers("counts", found, 0, whole(found.get("most"), 0, MOST_INPUTS - 1, `${where}.most`));
}

// src/keyvalues.ts
var MOST_PAIRS = 2 ** 16;
function readKeyValues(document, where) {
  const found = record(document, ["interval", "keys", "kind", "larger", "pairs", "version"], where);
  require2(found.get("kind") === "key-values", `${where}.kind`, "key-values");
  whole(found.get("version"), 1, 1, `${where}.version`);
  const keys = readCategories(found.get("keys"), `${where}.keys`);
  const interval2 = readInterval(found.get("interval"), `${where}.interval`);
  const held = found.get("pairs");
  const pairs = held === null ? null : whole(held, 1, MOST_PAIRS, `${where}.pairs`);
  const larger = choice(found.get("larger"), pairs === null ? ["refuse"] : ["refuse", "sample"], `${where}.larger`);
  function pair(value) {
    if (!Array.isArray(value) || value.length !== 2) throw new InvalidValue("the value must be a pair [key, number]");
    const key = keys.input(value[0]);
    interval2.bin(value[1]);
    return { key, number: value[1] };
  }
  function set(value) {
    const items = value instanceof Map ? [...value] : value;
    if (!Array.isArray(items) || items.length === 0) throw new InvalidValue("the value must be a list of pairs");
    if (larger === "refuse" && items.length > pairs) throw new InvalidValue(`the value must have at most ${pairs} pairs`);
    const checked = Array.from(items, pair);
    if (new Set(checked.map((one) => one.key)).size !== checked.length) throw new InvalidValue("the keys of a set must be distinct");
    return checked;
  }
  const size = keys.size * interval2.bins + (pairs === null ? 0 : 1);
  return { kind: "key-values", document: found, keys, interval: interval2, pairs, larger, size, pair, set };
}

// src/ratings.ts
function readRatings(document, where) {
  const found = record(document, ["high", "kind", "low", "version"], where);
  require2(found.get("kind") === "ratings", `${where}.kind`, "ratings");
  whole(found.get("version"), 1, 1, `${where}.version`);
  const low = whole(found.get("low"), -FARTHEST_RATING, FARTHEST_RATING, `${where}.low`);
  const most = Math.min(FARTHEST_RATING, low + MOST_INPUTS - 1);
  return wholeNumbers("ratings", found, low, whole(found.get("high"), low + 1, most, `${where}.high`));
}

// src/vector.ts
function readVector(document, where) {
  const found = record(document, ["coordinates", "interval", "kind", "version"], where);
  require2(found.get("kind") === "vector", `${where}.kind`, "vector");
  whole(found.get("version"), 1, 1, `${where}.version`);
  const inside = readDomain(found.get("interval"), `${where}.interval`);
  const interval2 = isNumeric(inside) ? inside : refuse(`${where}.interval.kind`, "interval, counts or ratings");
  const coordinates = whole(found.get("coordinates"), 1, MOST_INPUTS, `${where}.coordinates`);
  function row(value) {
    if (!Array.isArray(value) || value.length !== coordinates) {
      throw new InvalidValue(`the value must be a list of ${coordinates} numbers`);
    }
    return Array.from(value, (number) => {
      interval2.bin(number);
      return number;
    });
  }
  return { kind: "vector", document: found, interval: interval2, coordinates, size: coordinates * interval2.bins, row };
}

// src/domain.ts
function readDomain(document, where = "domain") {
  const kind = document instanceof Map ? document.get("kind") : void 0;
  switch (kind) {
    case "categories":
      return readCategories(document, where);
    case "interval":
      return readInterval(document, where);
    case "counts":
      return readCounts(document, where);
    case "ratings":
      return readRatings(document, where);
    case "vector":
      return readVector(document, where);
    case "key-values":
      return readKeyValues(document, where);
    default:
      return refuse(`${where}.kind`, "categories, interval, counts, ratings, vector or key-values");
  }
}
function isNumeric(domain) {
  return domain.kind === "interval" || domain.kind === "counts" || domain.kind === "ratings";
}
function checkValue(domain, value) {
  if (domain.kind === "vector") domain.row(value);
  else if (domain.kind === "key-values" && domain.pairs !== null) domain.set(value);
  else inputOf(domain, value);
}
function inputOf(domain, value) {
  switch (domain.kind) {
    case "categories":
      return domain.input(value);
    case "interval":
    case "counts":
    case "ratings":
      return domain.bin(value);
    case "key-values": {
      const pair = domain.pair(value);
      return pair.key * domain.interval.bins + domain.interval.bin(pair.number);
    }
  }
}

// src/admit.ts
function admit(domain, outside, value) {
  if (outside === "other" && domain.kind === "categories") return domain.has(value) ? value : "other";
  if (outside === "nearest" && isNumeric(domain)) return domain.nearest(value);
  return value;
}

// src/bytes.ts
function toHex(bytes) {
  let text2 = "";
  for (const byte of bytes) text2 += (byte < 16 ? "0" : "") + byte.toString(16);
  return text2;
}
function fromHex(text2) {
  if (!/^(?:[0-9a-f]{2})*$/.test(text2)) throw new InvalidArgument("not lower-case hexadecimal digits");
  const bytes = new Uint8Array(text2.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(text2.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}
function utf8(text2) {
  return new TextEncoder().encode(text2);
}
function concatBytes(pieces) {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

// src/sha256.ts
var ROUND = constants(64, 3);
var START = constants(8, 2);
function constants(count, root) {
  const words2 = new Uint32Array(count);
  for (let found = 0, p = 2; found < count; p++) {
    let prime = true;
    for (let q = 2; q * q <= p; q++) if (p % q === 0) prime = false;
    if (!prime) continue;
    const target = BigInt(p) << BigInt(32 * root);
    let low = 0n;
    for (let bit = 1n << 37n; bit > 0n; bit >>= 1n) {
      const tried = low + bit;
      if ((root === 2 ? tried * tried : tried * tried * tried) <= target) low = tried;
    }
    words2[found++] = Number(low & 0xffffffffn);
  }
  return words2;
}
function sha256(message) {
  const state = Uint32Array.from(START);
  const schedule = new Int32Array(64);
  const whole2 = message.length - message.length % 64;
  for (let at = 0; at < whole2; at += 64) block(state, schedule, message, at);
  const rest = message.length - whole2;
  const last = new Uint8Array(rest < 56 ? 64 : 128);
  last.set(message.subarray(whole2));
  last[rest] = 128;
  const view = new DataView(last.buffer);
  view.setUint32(last.length - 8, Math.floor(message.length / 536870912));
  view.setUint32(last.length - 4, message.length << 3 >>> 0);
  for (let at = 0; at < last.length; at += 64) block(state, schedule, last, at);
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  for (let i = 0; i < 8; i++) out.setUint32(4 * i, state[i]);
  return digest;
}
function block(state, w, bytes, at) {
  for (let i = 0; i < 16; i++) {
    const j = at + 4 * i;
    w[i] = bytes[j] << 24 | bytes[j + 1] << 16 | bytes[j + 2] << 8 | bytes[j + 3];
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15];
    const y = w[i - 2];
    const small = (x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3;
    const large = (y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10;
    w[i] = w[i - 16] + small + w[i - 7] + large | 0;
  }
  let a = state[0] | 0;
  let b = state[1] | 0;
  let c = state[2] | 0;
  let d = state[3] | 0;
  let e = state[4] | 0;
  let f = state[5] | 0;
  let g = state[6] | 0;
  let h = state[7] | 0;
  for (let i = 0; i < 64; i++) {
    const up = (e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7);
    const one = h + up + (e & f ^ ~e & g) + ROUND[i] + w[i] | 0;
    const down = (a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10);
    const two = down + (a & b ^ a & c ^ b & c) | 0;
    h = g;
    g = f;
    f = e;
    e = d + one | 0;
    d = c;
    c = b;
    b = a;
    a = one + two | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

// src/canonical.ts
var ESCAPES = {
  '"': '\\"',
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "	": "\\t"
};
function canonical(value) {
  if (typeof value === "string") return quote(value);
  if (value === null || typeof value !== "object") return String(value);
  if (Array.isArray(value)) return "[" + value.map(canonical).join(",") + "]";
  const keys = [...value.keys()].sort();
  return "{" + keys.map((key) => quote(key) + ":" + canonical(value.get(key))).join(",") + "}";
}
function quote(text2) {
  const escaped = text2.replace(/["\\\u0000-\u001f]/g, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(4, "0");
    return ESCAPES[character] ?? "\\u" + hex;
  });
  return '"' + escaped + '"';
}
function fingerprint(document) {
  return toHex(sha256(utf8(canonical(document))).subarray(0, 16));
}

// src/device/http.ts
async function exchange(url, { seconds, most, method = "GET", headers = {}, body }) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 1e3 * seconds);
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: "manual",
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      signal: controller.signal,
      ...body === void 0 ? {} : { body }
    });
    return { status: response.status, headers: response.headers, body: await readBody(response, most) };
  } catch (error) {
    throw error instanceof NoAnswer ? error : new NoAnswer("the collector did not answer");
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}
async function readBody(response, most) {
  const reader = response.body?.getReader();
  const pieces = [];
  for (let length = 0; reader !== void 0; ) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) throw new NoAnswer(`the answer is longer than ${most} bytes`);
    pieces.push(value);
  }
  return concatBytes(pieces);
}
function readObject(answer) {
  try {
    const value = JSON.parse(new TextDecoder().decode(answer.body));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
function checkUrl(url, plainHttp) {
  const parts = /^(https?):\/\/([\w.-]+|\[[\w:]+\])(:\d+)?(\/[!-~]*)?$/.exec(url);
  if (parts === null || /[?#]/.test(url)) throw new InvalidArgument("url must be an address such as https://collector.example");
  if (parts[1] === "http" && !["localhost", "127.0.0.1", "[::1]"].includes(parts[2]) && !plainHttp) {
    throw new InvalidArgument("url must be https, or on this machine: plainHttp: true lets anyone on the network path read who sends what");
  }
  return url.replace(/\/+$/, "");
}

// src/fields.ts
function numberField(name, below2) {
  return { kind: "number", name, below: BigInt(below2) };
}
function bitsField(name, count) {
  return { kind: "bits", name, count };
}
function rowField(name, count, below2) {
  return { kind: "row", name, count, below: BigInt(below2) };
}
function numberBytes(below2) {
  const most = below2 - 1n;
  return most < 1n << 8n ? 1 : most < 1n << 16n ? 2 : most < 1n << 32n ? 4 : 8;
}
function fieldBytes(field) {
  switch (field.kind) {
    case "number":
      return numberBytes(field.below);
    case "bits":
      return Math.ceil(field.count / 8);
    case "row":
      return field.count * numberBytes(field.below);
  }
}
function payloadBytes(fields) {
  return fields.reduce((sum3, field) => sum3 + fieldBytes(field), 0);
}
function writePayload(fields, report) {
  const bytes = new Uint8Array(payloadBytes(fields));
  const view = new DataView(bytes.buffer);
  let at = 0;
  const put = (value, size) => {
    if (size === 8) view.setBigUint64(at, BigInt(value), true);
    else if (size === 4) view.setUint32(at, Number(value), true);
    else if (size === 2) view.setUint16(at, Number(value), true);
    else view.setUint8(at, Number(value));
    at += size;
  };
  fields.forEach((field, i) => {
    const item = report[i];
    if (field.kind === "number") put(item, numberBytes(field.below));
    else if (field.kind === "row") for (const one of item) put(one, numberBytes(field.below));
    else {
      bytes.set(item, at);
      at += fieldBytes(field);
    }
  });
  return bytes;
}

// src/json.ts
var MOST_BYTES = 4194304;
var MOST_DEPTH = 16;
var SHORT = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "	"
};
function readJson(source) {
  const text2 = typeof source === "string" ? source : decode(source);
  checkText(text2);
  return new Reader(text2).document();
}
function decode(bytes) {
  if (bytes.length > MOST_BYTES) throw new InvalidSurvey("the document has more than 4 MiB");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new InvalidSurvey("the document is not UTF-8");
  }
}
function checkText(text2) {
  let bytes = 0;
  for (let i = 0; i < text2.length; i++) {
    const unit = text2.charCodeAt(i);
    if (unit < 128) bytes += 1;
    else if (unit < 2048) bytes += 2;
    else if (unit < 55296 || unit > 57343) bytes += 3;
    else {
      const next = unit < 56320 ? text2.charCodeAt(i + 1) : 0;
      if (!(next >= 56320 && next <= 57343)) throw new InvalidSurvey("the document is not valid Unicode");
      bytes += 4;
      i++;
    }
    if (bytes > MOST_BYTES) throw new InvalidSurvey("the document has more than 4 MiB");
  }
}
var Reader = class {
  constructor(text2) {
    this.text = text2;
    this.at = 0;
  }
  document() {
    const value = this.value(1);
    this.space();
    if (this.at !== this.text.length) this.fail("something follows the document");
    return value;
  }
  fail(what) {
    throw new InvalidSurvey(`not the JSON of a document at character ${this.at}: ${what}`);
  }
  space() {
    for (; ; ) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== 32 && unit !== 10 && unit !== 13 && unit !== 9) return;
      this.at++;
    }
  }
  /** The next character that is not white space must be this one. */
  expect(character) {
    this.space();
    if (this.text[this.at] !== character) this.fail(`${character} is missing`);
    this.at++;
  }
  value(depth) {
    this.space();
    const first = this.text[this.at];
    if (first === "{" || first === "[") {
      if (depth > MOST_DEPTH) this.fail("more than 16 lists and objects in each other");
      this.at++;
      return first === "{" ? this.object(depth) : this.list(depth);
    }
    if (first === '"') return this.string();
    if (first === "t") return this.word("true", true);
    if (first === "f") return this.word("false", false);
    if (first === "n") return this.word("null", null);
    return this.number();
  }
  word(spelling, value) {
    if (!this.text.startsWith(spelling, this.at)) this.fail("a value is missing");
    this.at += spelling.length;
    return value;
  }
  number() {
    const start = this.at;
    if (this.text[this.at] === "-") this.at++;
    const digits2 = this.at;
    while (this.isDigit()) this.at++;
    const length = this.at - digits2;
    const follows = this.text[this.at];
    const written = this.text.slice(start, this.at);
    if (length === 0) this.fail("a value is missing");
    if (follows === "." || follows === "e" || follows === "E") this.fail("a number that is not whole");
    if (this.text[digits2] === "0" && (length > 1 || digits2 > start)) this.fail("a leading zero, or -0");
    if (length > 16 || !Number.isSafeInteger(Number(written))) this.fail("a number beyond 2^53 - 1");
    return Number(written);
  }
  isDigit() {
    const unit = this.text.charCodeAt(this.at);
    return unit >= 48 && unit <= 57;
  }
  list(depth) {
    const items = [];
    this.space();
    if (this.text[this.at] === "]") {
      this.at++;
      return items;
    }
    for (; ; ) {
      items.push(this.value(depth + 1));
      this.space();
      if (this.text[this.at] === "]") break;
      this.expect(",");
    }
    this.at++;
    return items;
  }
  object(depth) {
    const items = /* @__PURE__ */ new Map();
    this.space();
    if (this.text[this.at] === "}") {
      this.at++;
      return items;
    }
    for (; ; ) {
      this.space();
      if (this.text[this.at] !== '"') this.fail("a key is missing");
      const key = this.string();
      if (items.has(key)) this.fail(`the key ${JSON.stringify(key)} is repeated`);
      this.expect(":");
      items.set(key, this.value(depth + 1));
      this.space();
      if (this.text[this.at] === "}") break;
      this.expect(",");
    }
    this.at++;
    return items;
  }
  string() {
    this.at++;
    let start = this.at;
    let made = "";
    for (; ; ) {
      const unit = this.text.charCodeAt(this.at);
      if (unit === 34) break;
      if (!(unit >= 32)) this.fail("a text that does not end, or a control character");
      if (unit === 92) {
        made += this.text.slice(start, this.at);
        this.at++;
        made += this.escape();
        start = this.at;
      } else {
        this.at++;
      }
    }
    made += this.text.slice(start, this.at);
    this.at++;
    return made;
  }
  /** What follows a backslash; a surrogate must come as a pair of escapes. */
  escape() {
    const kind = this.text[this.at] ?? "";
    this.at++;
    if (kind !== "u") return SHORT[kind] ?? this.fail("unknown escape");
    const first = this.unit();
    if (first < 55296 || first > 57343) return String.fromCharCode(first);
    if (first > 56319 || this.text[this.at] !== "\\" || this.text[this.at + 1] !== "u") {
      this.fail("half a surrogate pair");
    }
    this.at += 2;
    const second = this.unit();
    if (second < 56320 || second > 57343) this.fail("half a surrogate pair");
    return String.fromCharCode(first, second);
  }
  unit() {
    const digits2 = this.text.slice(this.at, this.at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits2)) this.fail("unknown escape");
    this.at += 4;
    return parseInt(digits2, 16);
  }
};

// src/exponential.ts
var EXP_BITS = 320n;
var F = 1n << EXP_BITS;
var known = /* @__PURE__ */ new Map();
function lowerExp(epsilon) {
  const found = known.get(epsilon.text);
  if (found !== void 0) return found;
  const x = epsilon.digits * F / (10n ** BigInt(epsilon.scale) * 64n);
  let sum3 = 0n;
  let term = F;
  for (let i = 1n; term > 0n; i++) {
    sum3 += term;
    term = term * x / (F * i);
  }
  for (let i = 0; i < 6; i++) sum3 = sum3 * sum3 / F;
  if (known.size > 64) known.clear();
  known.set(epsilon.text, sum3);
  return sum3;
}
function holds(ratio, epsilon) {
  if (ratio.numerator <= ratio.denominator) return true;
  return ratio.numerator * F <= ratio.denominator * lowerExp(epsilon);
}

// src/certificate.ts
function ratioCertificate(ratio, single = false) {
  return { ratio: single ? ONE : ratio, delta: ZERO, scope: "" };
}
function keeps(certificate, epsilon) {
  return certificate.ratio === null || holds(certificate.ratio, epsilon);
}

// src/mechanisms/common.ts
function readBits(value, where) {
  return whole(value, 8, 62, `${where}.bits`);
}
function readOptions(source, names) {
  return record(source.options, names, `${source.where}.options`);
}
function categorical(source) {
  const { domain } = source;
  if (domain.kind === "vector") refuse(`${source.where}.domain`, "of one value per person: vectors need sampled-coordinate or gaussian");
  if (domain.kind === "key-values" && domain.pairs !== null) refuse(`${source.where}.domain`, "without sets of pairs");
  return domain;
}
function numeric(source) {
  if (!isNumeric(source.domain)) refuse(`${source.where}.domain`, "an interval, counts or ratings");
  return source.domain;
}
function byInput(domain, respondAt) {
  return { steps: 1, respond: (value, words2) => respondAt(inputOf(domain, value), words2), respondAt };
}
function byPosition(domain, steps, respondAt) {
  return { steps, respond: (value, words2) => respondAt(domain.position(value, steps), words2), respondAt };
}
function readSteps(value, domain, mostPositions, where) {
  const most = domain.kind === "interval" ? Math.floor(mostPositions / domain.bins) : 1;
  const steps = whole(value, 1, Math.max(most, 1), `${where}.options.steps`);
  if (steps * domain.bins > mostPositions) refuse(`${where}.options.steps`, `such that there are at most ${mostPositions} positions`);
  return steps;
}

// src/mechanisms/binned.ts
function readBinned(source) {
  const domain = numeric(source);
  const where = `${source.where}.options`;
  const options = readOptions(source, ["oracle", "report_bins"]);
  const wide = whole(options.get("report_bins"), 1, domain.bins, `${where}.report_bins`);
  const divides = domain.bins % wide === 0;
  require2(divides || domain.kind === "interval", `${where}.report_bins`, "a divisor of the number of whole numbers");
  const named = record(options.get("oracle"), ["mechanism", "options"], `${where}.oracle`);
  const name = text(named.get("mechanism"), `${where}.oracle.mechanism`);
  const interval2 = domain.cut(wide);
  const oracle = innerMechanism(name, interval2, source.epsilon, named.get("options"), source.weights, `${where}.oracle`);
  require2(oracle.steps === 1, `${where}.oracle`, "a mechanism with one position for each bin");
  const narrow = domain.bins / wide;
  return {
    fields: oracle.fields,
    cells: oracle.cells,
    blocks: oracle.blocks,
    // Where edges do not meet, a bin of this mechanism does not say which wide bin it is in.
    steps: divides ? 1 : 0,
    certificate: oracle.certificate,
    respond(value, words2) {
      const bin2 = divides ? Math.floor(domain.bin(value) / narrow) : interval2.bin(value);
      return oracle.respondAt(bin2, words2);
    },
    respondAt: (bin2, words2) => oracle.respondAt(Math.floor(bin2 / narrow), words2)
  };
}

// src/shake256.ts
var RATE = 136;
var TURNS = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44];
var LANES = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1];
var [ROUND_LOW, ROUND_HIGH] = roundConstants();
function roundConstants() {
  const low = new Uint32Array(24);
  const high = new Uint32Array(24);
  let register = 1;
  for (let round = 0; round < 24; round++) {
    for (let j = 0; j < 7; j++) {
      const place = (1 << j) - 1;
      if (register & 1) {
        if (place < 32) low[round] ^= 1 << place;
        else high[round] ^= 1 << place - 32;
      }
      register = register & 128 ? register << 1 ^ 369 : register << 1;
    }
  }
  return [low, high];
}
function permute(state) {
  const column = new Int32Array(10);
  const row = new Int32Array(10);
  for (let round = 0; round < 24; round++) {
    for (let x = 0; x < 10; x++) {
      column[x] = state[x] ^ state[x + 10] ^ state[x + 20] ^ state[x + 30] ^ state[x + 40];
    }
    for (let x = 0; x < 5; x++) {
      const before = 2 * ((x + 4) % 5);
      const after = 2 * ((x + 1) % 5);
      const low2 = column[before] ^ (column[after] << 1 | column[after + 1] >>> 31);
      const high2 = column[before + 1] ^ (column[after + 1] << 1 | column[after] >>> 31);
      for (let y = 0; y < 50; y += 10) {
        state[y + 2 * x] ^= low2;
        state[y + 2 * x + 1] ^= high2;
      }
    }
    let low = state[2];
    let high = state[3];
    for (let i = 0; i < 24; i++) {
      const lane = 2 * LANES[i];
      const keptLow = state[lane];
      const keptHigh = state[lane + 1];
      const turn = TURNS[i];
      const by = turn & 31;
      const [one, two] = turn < 32 ? [low, high] : [high, low];
      state[lane] = by === 0 ? one : one << by | two >>> 32 - by;
      state[lane + 1] = by === 0 ? two : two << by | one >>> 32 - by;
      low = keptLow;
      high = keptHigh;
    }
    for (let y = 0; y < 50; y += 10) {
      for (let x = 0; x < 10; x++) row[x] = state[y + x];
      for (let x = 0; x < 10; x++) state[y + x] = row[x] ^ ~row[(x + 2) % 10] & row[(x + 4) % 10];
    }
    state[0] ^= ROUND_LOW[round];
    state[1] ^= ROUND_HIGH[round];
  }
}
function shake256(message, length) {
  const state = new Int32Array(50);
  const padded = new Uint8Array(message.length + RATE - message.length % RATE);
  padded.set(message);
  padded[message.length] ^= 31;
  padded[padded.length - 1] ^= 128;
  for (let at = 0; at < padded.length; at += RATE) {
    for (let i = 0; i < RATE; i++) state[i >> 2] ^= padded[at + i] << 8 * (i & 3);
    permute(state);
  }
  const out = new Uint8Array(length);
  for (let at = 0; at < length; at++) {
    const i = at % RATE;
    if (i === 0 && at > 0) permute(state);
    out[at] = state[i >> 2] >>> 8 * (i & 3);
  }
  return out;
}

// src/publicwords.ts
var BLOCK = 256;
function publicIndex(use, key, row, j, size) {
  const block2 = shake256(utf8(`sottovoce ${use} 2 ${key} ${row} ${Math.floor(j / BLOCK)}`), 4 * BLOCK);
  const word = new DataView(block2.buffer).getUint32(4 * (j % BLOCK), true);
  return Number(BigInt(word) * BigInt(size) >> 32n);
}

// src/words.ts
var WORD = 1n << 64n;
function systemRandomness() {
  const source = globalThis.crypto;
  if (typeof source?.getRandomValues !== "function") throw new NoRandomness();
  return source;
}
function newId() {
  const id = systemRandomness().getRandomValues(new Uint8Array(16));
  if (id.every((byte) => byte === 0)) throw new NoRandomness();
  return id;
}
function systemWords() {
  const source = systemRandomness();
  const buffer = new BigUint64Array(64);
  let left = 0;
  return {
    next() {
      if (left === 0) {
        source.getRandomValues(buffer);
        if (buffer.every((word2) => word2 === 0n)) throw new NoRandomness();
        left = buffer.length;
      }
      const word = buffer[--left];
      buffer[left] = 0n;
      return word;
    }
  };
}
function below(size, words2) {
  if ((size & size - 1n) === 0n) return words2.next() * size >> 64n;
  const limit = WORD - WORD % size;
  for (; ; ) {
    const word = words2.next();
    if (word < limit) return word % size;
  }
}
function belowNumber(size, words2) {
  return Number(below(BigInt(size), words2));
}
function wordBytes(count, words2) {
  const bytes = new Uint8Array(8 * count);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < count; i++) view.setBigUint64(8 * i, words2.next(), true);
  return bytes;
}

// src/mechanisms/response.ts
function readResponse(weights, size, bits, where) {
  const { keep, other } = weightsNamed(weights, ["keep", "other"], `${where}.weights`);
  const total = 1n << BigInt(bits);
  const least = size === 1 ? other === 0n : keep >= 1n && other >= 1n;
  require2(least && keep + BigInt(size) * other === total, `${where}.weights`, "such that keep + size * other is 2^bits");
  const shift = BigInt(64 - bits);
  return {
    size,
    ratio: size === 1 ? ONE : fraction(keep + other, other),
    respond(cell, words2) {
      const x = words2.next() >> shift;
      return x < keep ? cell : Number((x - keep) / other);
    }
  };
}
function readRandomizedResponse(source) {
  const domain = categorical(source);
  const options = readOptions(source, ["bits"]);
  const response = readResponse(source.weights, domain.size, readBits(options.get("bits"), source.where), source.where);
  return {
    fields: [numberField("value", domain.size)],
    cells: domain.size,
    blocks: 1,
    certificate: ratioCertificate(response.ratio),
    ...byInput(domain, (input, words2) => [response.respond(input, words2)])
  };
}

// src/mechanisms/fixedhashing.ts
function readFixedHashing(source) {
  const domain = categorical(source);
  const d = domain.size;
  const where = `${source.where}.options`;
  const options = readOptions(source, ["bits", "hash_count", "hash_range"]);
  const bits = readBits(options.get("bits"), source.where);
  const count = whole(options.get("hash_count"), 1, Math.min(125e4, Math.floor(2 ** 24 / d)), `${where}.hash_count`);
  const g = whole(options.get("hash_range"), 2, Math.floor(MOST_INPUTS / count), `${where}.hash_range`);
  const response = readResponse(source.weights, g, bits, source.where);
  let key;
  return {
    fields: [numberField("hash", count), numberField("cell", g)],
    cells: count * g,
    blocks: 1,
    certificate: ratioCertificate(response.ratio, d === 1),
    ...byInput(domain, (value, words2) => {
      const hash = belowNumber(count, words2);
      key ?? (key = fingerprint(source.document));
      const cell = publicIndex("hashes", key, hash, value, g);
      return [hash, response.respond(cell, words2)];
    })
  };
}

// src/mechanisms/hadamard.ts
function readHadamardResponse(source) {
  const domain = categorical(source);
  const d = domain.size;
  const options = readOptions(source, ["bits", "block_count"]);
  const bits = readBits(options.get("bits"), source.where);
  const blocks = whole(options.get("block_count"), 1, d, `${source.where}.options.block_count`);
  const rows = powerAbove(Math.ceil(d / blocks));
  require2(blocks === Math.ceil(d / (rows - 1)), `${source.where}.options.block_count`, "the number of blocks that the values fill");
  const all = blocks * rows;
  const { keep } = weightsNamed(source.weights, ["keep"], `${source.where}.weights`);
  const total = 1n << BigInt(bits);
  require2(0n < keep && keep < total, `${source.where}.weights.keep`, "above 0 and below 2^bits");
  const rest = (total - keep) * BigInt(rows / 2);
  const shift = BigInt(64 - bits);
  return {
    fields: [numberField("row", all)],
    cells: all,
    blocks: 1,
    certificate: ratioCertificate(fraction(rest + keep * BigInt(all), rest), d === 1),
    ...byInput(domain, (value, words2) => {
      const kept = words2.next() >> shift < keep;
      const row = belowNumber(all, words2);
      const column = Math.floor(value / blocks) + 1;
      const z = row % rows;
      const plus = parity(z & column) === 0 ? z : z ^ column & -column;
      return [kept ? value % blocks * rows + plus : row];
    })
  };
}
function powerAbove(n) {
  let power = 1;
  while (power <= n) power *= 2;
  return power;
}
function parity(n) {
  let bits = n;
  for (const by of [16, 8, 4, 2, 1]) bits ^= bits >>> by;
  return bits & 1;
}

// src/mechanisms/haar.ts
function readHaar(source) {
  const domain = numeric(source);
  const options = readOptions(source, ["bits"]);
  const response = readResponse(source.weights, 2, readBits(options.get("bits"), source.where), source.where);
  let heights = 1;
  while (2 ** heights < domain.bins) heights++;
  const half = 2 ** (heights - 1);
  const cells = 2 * (2 ** heights - 1);
  return {
    fields: [numberField("cell", cells)],
    cells,
    blocks: 1,
    certificate: ratioCertificate(response.ratio, domain.bins === 1),
    ...byInput(domain, (bin2, words2) => {
      const x = belowNumber(heights * half, words2);
      const h = Math.floor(x / half);
      const column = x % half >> h;
      const sign = parity(bin2 >> h + 1 & column) ^ bin2 >> h & 1;
      const answer = response.respond(sign, words2);
      return [2 * (2 ** heights - 2 ** (heights - h) + column) + answer];
    })
  };
}

// src/mechanisms/unary.ts
function makeUnary(own, other, bits, where) {
  const total = 1n << BigInt(bits);
  require2(0n < other && other < own && own < total, `${where}.weights`, "such that 0 < other < own < 2^bits");
  const shift = BigInt(64 - bits);
  const ownBelow = own << shift;
  const otherBelow = other << shift;
  const first = Number(otherBelow >> 56n);
  const rest = otherBelow & (1n << 56n) - 1n;
  return {
    ratio: fraction(own * (total - other), other * (total - own)),
    own: (words2) => words2.next() < ownBelow,
    others(count, words2) {
      const lanes = wordBytes(Math.ceil(count / 8), words2);
      const packed = new Uint8Array(Math.ceil(count / 8));
      for (let v = 0; v < count; v++) {
        const lane = lanes[v];
        const set = lane === first ? words2.next() >> 8n < rest : lane < first;
        if (set) packed[v >> 3] |= 1 << (v & 7);
      }
      return packed;
    }
  };
}
function putBit(packed, v, set) {
  const mask = 1 << (v & 7);
  packed[v >> 3] = set ? packed[v >> 3] | mask : packed[v >> 3] & ~mask;
}
function unaryReport(unary, count, value, words2) {
  const own = unary.own(words2);
  const packed = unary.others(count, words2);
  putBit(packed, value, own);
  return packed;
}
function readUnaryEncoding(source) {
  const domain = categorical(source);
  const d = domain.size;
  const options = readOptions(source, ["bits", "variant"]);
  const bits = readBits(options.get("bits"), source.where);
  choice(options.get("variant"), ["optimized", "symmetric"], `${source.where}.options.variant`);
  const { own, other } = weightsNamed(source.weights, ["other", "own"], `${source.where}.weights`);
  const unary = makeUnary(own, other, bits, source.where);
  return {
    fields: [bitsField("bits", d)],
    cells: 2 * d,
    blocks: d,
    certificate: ratioCertificate(unary.ratio, d === 1),
    ...byInput(domain, (input, words2) => [unaryReport(unary, d, input, words2)])
  };
}

// src/mechanisms/hierarchy.ts
function readHierarchy(source) {
  const domain = numeric(source);
  const where = `${source.where}.options`;
  const options = readOptions(source, ["bits", "branching", "hash_ranges", "split"]);
  const bits = readBits(options.get("bits"), source.where);
  const branching = whole(options.get("branching"), 2, Number.MAX_SAFE_INTEGER, `${where}.branching`);
  const split = choice(options.get("split"), ["population", "budget"], `${where}.split`);
  const ranges = list(options.get("hash_ranges"), `${where}.hash_ranges`);
  const sizes = [domain.bins];
  while (sizes[sizes.length - 1] > branching) sizes.push(Math.ceil(sizes[sizes.length - 1] / branching));
  const weights = list(source.weights, `${source.where}.weights`);
  require2(weights.length === sizes.length, `${source.where}.weights`, "a list with weights for every level");
  require2(ranges.length === (split === "budget" ? 0 : sizes.length), `${where}.hash_ranges`, "one for every level, or none");
  const tree = { source, bits, branching, sizes, weights };
  const parts = split === "population" ? byPopulation(tree, ranges) : byBudget(tree);
  return { ...parts, ...byInput(domain, parts.respondAt) };
}
function nodeOf(bin2, level, branching) {
  let node = bin2;
  for (let i = 0; i < level; i++) node = Math.floor(node / branching);
  return node;
}
function byPopulation({ source, bits, branching, sizes, weights }, ranges) {
  const starts = [];
  let cells = 0;
  const levels = sizes.map((size, l) => {
    const where = `${source.where}, level ${l}`;
    const range = whole(ranges[l], 0, Number.MAX_SAFE_INTEGER, `${source.where}.options.hash_ranges`);
    const options = /* @__PURE__ */ new Map([["bits", bits]]);
    if (range > 0) options.set("hash_range", range);
    const name = range > 0 ? "local-hashing" : "randomized-response";
    const level = innerMechanism(name, numberedCategories(size), source.epsilon, options, weights[l], where);
    starts.push(cells);
    cells += level.cells;
    return { level, range };
  });
  return {
    fields: [numberField("cell", cells)],
    cells,
    blocks: 1,
    certificate: ratioCertificate(largest(ONE, ...levels.map(({ level }) => level.certificate.ratio))),
    respondAt(bin2, words2) {
      const l = belowNumber(sizes.length, words2);
      const { level, range } = levels[l];
      const node = nodeOf(bin2, l, branching);
      if (range === 0) words2.next();
      const report = level.respondAt(node, words2);
      return [starts[l] + (range === 0 ? report[0] : report[0] * range + report[1])];
    }
  };
}
function byBudget({ source, bits, branching, sizes, weights }) {
  const part = partOf(source.epsilon, sizes.length);
  require2(part.value >= 1e-6, `${source.where}.epsilon`, "at least 0.000001 for every level");
  let ratio = ONE;
  const levels = sizes.map((size, l) => {
    const where = `${source.where}, level ${l}`;
    const { own, other } = weightsNamed(weights[l], ["other", "own"], `${where}.weights`);
    const unary = makeUnary(own, other, bits, where);
    const one = size === 1 ? ONE : unary.ratio;
    require2(holds(one, part), `${where}.weights`, `such that no ratio exceeds e^${part.text}`);
    ratio = product(ratio, one);
    return unary;
  });
  const nodes = sizes.reduce((sum3, size) => sum3 + size, 0);
  return {
    fields: sizes.map((size, l) => bitsField(`bits${l}`, size)),
    cells: 2 * nodes,
    blocks: nodes,
    certificate: ratioCertificate(ratio),
    respondAt: (bin2, words2) => levels.map((unary, l) => unaryReport(unary, sizes[l], nodeOf(bin2, l, branching), words2))
  };
}
function partOf(epsilon, levels) {
  let part = epsilon.value / levels;
  for (; ; ) {
    const tried = decimalOf(part);
    const scale = Math.max(tried.scale, epsilon.scale);
    const all = BigInt(levels) * tried.digits * 10n ** BigInt(scale - tried.scale);
    if (all <= epsilon.digits * 10n ** BigInt(scale - epsilon.scale)) return tried;
    part = step(part, -1n);
  }
}

// src/mechanisms/keynumbers.ts
function readNumbers(source, interval2, options, keyNames) {
  const { where } = source;
  const kind = choice(options.get("numbers"), ["rounding", "piecewise"], `${where}.options.numbers`);
  const rounding = kind === "rounding";
  const steps = readSteps(options.get("steps"), interval2, rounding ? MOST_ROUNDED : MOST_POSITIONS, where);
  const positions = interval2.bins * steps;
  require2(positions >= 2, `${where}.options.steps`, "such that there are at least 2 positions");
  const names = [...rounding ? ["base", "unit"] : ["low", "unit", "width"], ...keyNames];
  const weights = weightsNamed(source.weights, names, `${where}.weights`);
  require2(names.every((name) => weights[name] >= 1n), `${where}.weights`, "at least 1");
  const unit = weights["unit"];
  if (rounding) {
    whole(options.get("output_bins"), 2, 2, `${where}.options.output_bins`);
    const added = BigInt(positions - 1) * unit;
    const near2 = (position, draw) => draw < BigInt(position) * unit ? 1 : 0;
    const numbers2 = { rounding, outputs: 2, low: weights["base"], added, top: added, outputBins: 2, near: near2, cell: (output) => output };
    return { steps, numbers: numbers2, others: weights };
  }
  const width = weights["width"];
  require2(width <= BigInt(MOST_POSITIONS), `${where}.weights.width`, "at most 2^22");
  const outputs = positions + Number(width) - 1;
  const outputBins = whole(options.get("output_bins"), Math.min(2, outputs), outputs, `${where}.options.output_bins`);
  const near = (position, draw) => position + Number(draw / unit);
  const cell = (output) => Math.floor(output * outputBins / outputs);
  const numbers = { rounding, outputs, low: weights["low"], added: width * unit, top: unit, outputBins, near, cell };
  return { steps, numbers, others: weights };
}

// src/mechanisms/keyresponse.ts
function responseKeys(keys, pairs, numbers, where) {
  const { outputs, low, added, top } = numbers;
  const O = BigInt(outputs);
  const K = BigInt(keys);
  const total = (K + BigInt(pairs ?? 0)) * O * low + added;
  require2(total <= MOST_TOTAL, `${where}.weights`, "of a total of at most 2^63");
  const l = BigInt(pairs ?? 1);
  const held = l < K ? l : K;
  const background = l * l * O * low;
  const ratio = largest(
    fraction(l * low + top, l * low),
    fraction(background + (l - 1n) * added, background + (l - held) * added)
  );
  return {
    fields: [numberField("key", keys + (pairs === null ? 0 : 1)), numberField(numbers.rounding ? "high" : "cell", numbers.outputBins)],
    cells: keys * numbers.outputBins + (pairs === null ? 0 : 1),
    blocks: 1,
    ratio,
    respond(slot, words2) {
      const z = below(total, words2);
      if (z < added) return slot === null ? [keys, 0] : [slot.key, numbers.cell(numbers.near(slot.position, z))];
      const drawn = (z - added) / low;
      const key = Number(drawn / O);
      return key >= keys ? [keys, 0] : [key, numbers.cell(Number(drawn % O))];
    }
  };
}

// src/mechanisms/keyunary.ts
function unaryKeys(keys, pairs, numbers, weights, bits, where) {
  const own = weights["own"];
  const other = weights["other"];
  const unary = makeUnary(own, other, bits, where);
  const total = BigInt(numbers.outputs) * numbers.low + numbers.added;
  require2(total <= MOST_TOTAL, `${where}.weights`, "of a total of at most 2^63");
  function respond(slot, words2) {
    const mine = unary.own(words2);
    const set = unary.others(keys, words2);
    const isSet = (key) => (set[key >> 3] >> (key & 7) & 1) === 1;
    const made = numbers.rounding ? wordBytes(Math.ceil(keys / 64), words2).subarray(0, set.length) : new Array(keys).fill(0);
    if (!numbers.rounding) {
      for (let key = 0; key < keys; key++) if (isSet(key)) made[key] = numbers.cell(belowNumber(numbers.outputs, words2));
    }
    const z = below(total, words2);
    if (slot !== null) {
      const output = z < numbers.added ? numbers.near(slot.position, z) : Number((z - numbers.added) / numbers.low);
      putBit(set, slot.key, mine);
      if (made instanceof Uint8Array) putBit(made, slot.key, output === 1);
      else made[slot.key] = numbers.cell(output);
    }
    if (made instanceof Uint8Array) return [set, made.map((byte, i) => byte & set[i])];
    return [made.map((cell, key) => isSet(key) ? cell + 1 : 0)];
  }
  const fields = numbers.rounding ? [bitsField("set", keys), bitsField("high", keys)] : [rowField("cell", keys, numbers.outputBins + 1)];
  const ratio = worstRatio(BigInt(keys), BigInt(pairs ?? 1), numbers, own, other, 1n << BigInt(bits), total);
  return { fields, cells: keys * (numbers.outputBins + 1), blocks: keys, ratio, respond };
}
function worstRatio(K, l, numbers, own, other, T, N) {
  const O = BigInt(numbers.outputs);
  const M = own * O * (numbers.low + numbers.top) * (T - other);
  const m = own * O * numbers.low * (T - other);
  const U = (T - own) * other * N;
  const I = (T - other) * other * N;
  const least = m < U ? m : U;
  const L = l < K ? l : K;
  const sizes = [
    [1n, 1n],
    [1n, L],
    [L, 1n],
    [L, L],
    [1n, K - 1n],
    [K - 1n, 1n],
    [L, K - L],
    [K - L, L]
  ];
  let worst = ONE;
  for (const [s, t] of sizes) {
    if (s < 1n || s > L || t < 1n || t > L) continue;
    for (const n of [s > t ? s : t, s + t < K ? s + t : K]) {
      const p = n - t;
      const q = n - s;
      const c = s + t - n;
      for (const [x, y] of [[M, m], [U, U]]) {
        const ratio = fraction(p * M + c * x + (l - p - c) * I, q * least + c * y + (l - q - c) * I);
        if (exceeds(ratio, worst)) worst = ratio;
      }
    }
  }
  return worst;
}

// src/mechanisms/keyvalue.ts
function readKeyValue(source) {
  const { domain, where } = source;
  if (domain.kind !== "key-values") refuse(`${where}.domain`, "key-values");
  const options = readOptions(source, ["bits", "keys", "numbers", "output_bins", "steps"]);
  const bits = readBits(options.get("bits"), where);
  const keys = choice(options.get("keys"), ["unary", "response"], `${where}.options.keys`);
  const { steps, numbers, others } = readNumbers(source, domain.interval, options, keys === "unary" ? ["own", "other"] : []);
  const scheme = keys === "unary" ? unaryKeys(domain.keys.size, domain.pairs, numbers, others, bits, where) : responseKeys(domain.keys.size, domain.pairs, numbers, where);
  const held = domain;
  const { pairs, interval: interval2 } = held;
  const place = (pair) => ({ key: pair.key, position: interval2.position(pair.number, steps) });
  function respond(value, words2) {
    if (pairs === null) return scheme.respond(place(held.pair(value)), words2);
    const slots = held.set(value).map(place);
    const slot = belowNumber(Math.max(pairs, slots.length), words2);
    return scheme.respond(slots[slot] ?? null, words2);
  }
  return {
    fields: scheme.fields,
    cells: scheme.cells,
    blocks: scheme.blocks,
    steps: 0,
    certificate: ratioCertificate(scheme.ratio),
    respond,
    respondAt: () => {
      throw new InvalidValue("a pair has no single position");
    }
  };
}

// src/mechanisms/noise.ts
var MOST_NOISE = 2 ** 16;
function makeNoise(weights, bins, reach, where) {
  const { center, ratio, tail, least, change } = weights;
  const one = 1n << 128n;
  require2([center, ratio, tail, least, change].every((weight2) => weight2 >= 1n), where, "at least 1");
  require2(ratio <= one && change <= one, where, "such that ratio and change are at most 2^128");
  require2(center < MOST_TOTAL && tail < MOST_TOTAL, where, "such that center and tail are below 2^63");
  const heights = [];
  const curve = [];
  const ratios = [];
  let g = center << 64n;
  let q = ratio;
  let sum3 = 0n;
  for (let k = 0; k < bins + reach - 1; k++) {
    const height = (g >> 64n) + least;
    curve.push(g);
    ratios.push(q);
    heights.push(height);
    sum3 += height;
    require2(sum3 <= MOST_TOTAL, where, "of a total of at most 2^63");
    g = g * q >> 128n;
    if (change !== one) q = q * change >> 128n;
  }
  const total = 2n * (sum3 + tail) - (heights[0] ?? 0n);
  require2(total <= MOST_TOTAL, where, "of a total of at most 2^63");
  const last = bins + 2 * reach - 1;
  return {
    heights,
    tail,
    total,
    curve,
    ratios,
    respond(bin2, words2) {
      const cell = bin2 + sumsAtMost(below(total, words2), heights, tail) - (bins - 1);
      return Math.min(Math.max(cell, 0), last);
    }
  };
}
function sumsAtMost(x, heights, tail) {
  let running = tail;
  let count = running <= x ? 1 : 0;
  for (let k = heights.length - 1; k > 0; k--) {
    running += heights[k];
    if (running <= x) count++;
  }
  for (const height of heights) {
    running += height;
    if (running <= x) count++;
  }
  return count;
}
function oneCell(noise) {
  return (bin2, words2) => [noise.respond(bin2, words2)];
}

// src/mechanisms/laplace.ts
function readLaplace(source) {
  const where = `${source.where}.weights`;
  const { center, ratio, tail } = weightsNamed(source.weights, ["center", "ratio", "tail"], where);
  return readNoise(source, { center, ratio, tail, least: 1n }, "", ({ heights, tail: tail2 }) => {
    const ends = fraction(heights.reduce((sum3, one) => sum3 + one, tail2), tail2);
    return largest(ends, fraction(heights[0], heights[heights.length - 1]));
  });
}
function readDegreeNoise(source) {
  if (source.domain.kind !== "counts") refuse(`${source.where}.domain`, "counts");
  const where = `${source.where}.weights`;
  const weights = weightsNamed(source.weights, ["center", "least", "ratio", "tail"], where);
  return readNoise(source, weights, "edge", ({ heights, tail }) => {
    let worst = fraction(heights[heights.length - 1] + tail, tail);
    for (let k = 0; k + 1 < heights.length; k++) {
      const step2 = fraction(heights[k], heights[k + 1]);
      if (exceeds(step2, worst)) worst = step2;
    }
    return worst;
  });
}
function readNoise(source, weights, scope, worst) {
  const domain = numeric(source);
  const options = readOptions(source, ["bits"]);
  readBits(options.get("bits"), source.where);
  require2(domain.bins <= MOST_NOISE, `${source.where}.domain`, "of at most 2^16 bins");
  const noise = makeNoise({ ...weights, change: 1n << 128n }, domain.bins, 0, `${source.where}.weights`);
  return {
    fields: [numberField("cell", domain.bins)],
    cells: domain.bins,
    blocks: 1,
    certificate: { ratio: domain.bins === 1 ? ONE : worst(noise), delta: ZERO, scope },
    ...byInput(domain, oneCell(noise))
  };
}

// src/primes.ts
function isPrime(n) {
  if (n < 2 || n > 2 && n % 2 === 0) return false;
  for (let q = 3; q * q <= n; q += 2) if (n % q === 0) return false;
  return true;
}
function primeFrom(n) {
  let p = Math.max(n, 2);
  while (!isPrime(p)) p++;
  return p;
}

// src/mechanisms/localhashing.ts
function readLocalHashing(source) {
  const domain = categorical(source);
  const d = domain.size;
  const options = readOptions(source, ["bits", "hash_range"]);
  const bits = readBits(options.get("bits"), source.where);
  const g = whole(options.get("hash_range"), 2, primeFrom(d), `${source.where}.options.hash_range`);
  require2(isPrime(g), `${source.where}.options.hash_range`, "a prime");
  const response = readResponse(source.weights, g, bits, source.where);
  const t = digitsFor(d, g);
  const hashes = (g ** t - 1) / (g - 1);
  let key;
  return {
    fields: [numberField("hash", hashes), numberField("cell", g)],
    cells: hashes * g,
    blocks: 1,
    certificate: ratioCertificate(response.ratio, d === 1),
    ...byInput(domain, (value, words2) => {
      const hash = belowNumber(hashes, words2);
      key ?? (key = fingerprint(source.document));
      const cell = linearCell(hash, point(value, g, t, key), g);
      return [hash, response.respond(cell, words2)];
    })
  };
}
function digitsFor(d, g) {
  let t = 1;
  while (g ** t < d) t++;
  return t;
}
function point(value, g, t, key) {
  const a = g ** Math.floor(t / 2);
  const b = g ** (t - Math.floor(t / 2));
  let left = Math.floor(value / a);
  let right = value % a;
  for (let row = 0; row < 8; row += 2) {
    right = (right + publicIndex("places", key, row, left, a)) % a;
    left = (left + publicIndex("places", key, row + 1, right, b)) % b;
  }
  return left * a + right;
}
function linearCell(hash, place, g) {
  let first = 0;
  let power = 1;
  while (hash >= first + power) {
    first += power;
    power *= g;
  }
  let vector = power + (hash - first);
  let rest = place;
  let sum3 = 0;
  while (vector > 0) {
    sum3 = (sum3 + vector % g * (rest % g)) % g;
    vector = Math.floor(vector / g);
    rest = Math.floor(rest / g);
  }
  return sum3;
}

// src/mechanisms/rounding.ts
function readRounding(source) {
  const domain = numeric(source);
  const options = readOptions(source, ["bits", "steps"]);
  readBits(options.get("bits"), source.where);
  const steps = readSteps(options.get("steps"), domain, MOST_ROUNDED, source.where);
  const positions = domain.bins * steps;
  require2(positions >= 2, `${source.where}.options.steps`, "such that there are at least 2 positions");
  const { base, unit } = weightsNamed(source.weights, ["base", "unit"], `${source.where}.weights`);
  const added = BigInt(positions - 1) * unit;
  const total = 2n * base + added;
  require2(base >= 1n && unit >= 1n && total <= MOST_TOTAL, `${source.where}.weights`, "at least 1, with a total of at most 2^63");
  return {
    fields: [numberField("high", 2)],
    cells: 2,
    blocks: 1,
    certificate: ratioCertificate(fraction(base + added, base)),
    ...byPosition(domain, steps, (position, words2) => {
      const x = below(total, words2);
      return [x < base + BigInt(position) * unit ? 1 : 0];
    })
  };
}

// src/mechanisms/sampled.ts
function readSampledCoordinate(source) {
  const { domain, where } = source;
  if (domain.kind !== "vector") refuse(`${where}.domain`, "a vector");
  const inside = record(readOptions(source, ["inner"]).get("inner"), ["mechanism", "options"], `${where}.options.inner`);
  const name = text(inside.get("mechanism"), `${where}.options.inner.mechanism`);
  const inner = innerMechanism(name, domain.interval, source.epsilon, inside.get("options"), source.weights, `${where}.options.inner`);
  require2(inner.blocks === 1, `${where}.options.inner`, "a mechanism whose reports fall in one cell");
  require2(inner.certificate.scope === "", `${where}.options.inner`, "a mechanism without a scope");
  const k = domain.coordinates;
  return {
    fields: [numberField("coordinate", k), ...inner.fields],
    cells: k * inner.cells,
    blocks: 1,
    steps: 0,
    certificate: inner.certificate,
    respond(value, words2) {
      const row = domain.row(value);
      const coordinate = belowNumber(k, words2);
      return [coordinate, ...inner.respond(row[coordinate], words2)];
    },
    respondAt: () => {
      throw new InvalidValue("a vector has no single position");
    }
  };
}

// src/mechanisms/seededhashing.ts
function readSeededHashing(source) {
  const domain = categorical(source);
  const d = domain.size;
  const options = readOptions(source, ["bits", "hash_range"]);
  const bits = readBits(options.get("bits"), source.where);
  const g = whole(options.get("hash_range"), 2, 2 ** 29, `${source.where}.options.hash_range`);
  const response = readResponse(source.weights, g, bits, source.where);
  return {
    fields: [numberField("seed", 1n << 64n), numberField("cell", g)],
    cells: 2 * d,
    blocks: d,
    certificate: ratioCertificate(response.ratio, d === 1),
    ...byInput(domain, (value, words2) => {
      const seed = words2.next();
      return [seed, response.respond(seededCell(seed, value, g), words2)];
    })
  };
}
function seededCell(seed, value, g) {
  const low = Number(seed & 0xffffffffn);
  const high = Number(seed >> 32n);
  const hash = mix(mix((value ^ low) >>> 0) ^ high);
  return Number(BigInt(hash) * BigInt(g) >> 32n);
}
function mix(word) {
  let x = word >>> 0;
  x ^= x >>> 16;
  x = Math.imul(x, 2246822507);
  x ^= x >>> 13;
  x = Math.imul(x, 3266489909);
  x ^= x >>> 16;
  return x >>> 0;
}

// src/mechanisms/subset.ts
function readSubsetSelection(source) {
  const domain = categorical(source);
  const d = domain.size;
  const options = readOptions(source, ["bits", "subset_size"]);
  const bits = readBits(options.get("bits"), source.where);
  const k = whole(options.get("subset_size"), 1, Math.max(1, d - 1), `${source.where}.options.subset_size`);
  const { own, start } = weightsNamed(source.weights, ["own", "start"], `${source.where}.weights`);
  const total = 1n << BigInt(bits);
  const filled = d === 1 ? own === total && start === 0n : BigInt(k) * total < BigInt(d) * own && own < total && start < 16n;
  require2(filled, `${source.where}.weights`, "such that k 2^bits < d own, own < 2^bits and start < 16");
  const ownBelow = own << BigInt(64 - bits);
  const digits2 = binaryDigits(Number(start));
  const respondAt = (value, words2) => {
    const taken = words2.next() < ownBelow;
    return [d === 1 ? Uint8Array.of(1) : pack(chosen(value, taken, d, k, digits2, words2))];
  };
  return {
    fields: [bitsField("bits", d)],
    cells: 2 * d,
    blocks: d,
    certificate: ratioCertificate(fraction(own * BigInt(d - k), (total - own) * BigInt(k)), d === 1),
    ...byInput(domain, respondAt)
  };
}
function binaryDigits(start) {
  const digits2 = [8, 4, 2, 1].map((place) => start & place ? 1 : 0);
  while (digits2.length > 0 && digits2[digits2.length - 1] === 0) digits2.pop();
  return digits2;
}
function chosen(value, taken, d, k, digits2, words2) {
  const few = Math.min(k, d - k);
  const { members, last } = drawSet(d - 1, few, digits2, words2);
  const turned = 2 * k > d;
  const inside = taken !== turned;
  const set = new Uint8Array(d);
  set.set(members);
  if (inside) set[last] = 0;
  if (value < d - 1 && set[value] === 1) {
    set[value] = 0;
    set[d - 1] = 1;
  }
  if (inside) set[value] = 1;
  return turned ? set.map((one) => 1 - one) : set;
}
function drawSet(m, few, digits2, words2) {
  const w = Math.ceil(m / 64);
  const members = new Uint8Array(m);
  for (let i = digits2.length - 1; i >= 0; i--) {
    const drawn = wordBytes(w, words2);
    for (let v = 0; v < m; v++) {
      const bit = drawn[v >> 3] >> (v & 7) & 1;
      members[v] = digits2[i] === 1 ? members[v] | bit : members[v] & bit;
    }
  }
  let size = members.reduce((sum3, one) => sum3 + one, 0);
  const t = BigInt(Math.max(1, bitLength(m - 1)));
  const tries = 64n / t;
  const mask = (1n << t) - 1n;
  const batch = Math.max(1, Math.floor(Math.floor(Math.sqrt(w)) / 2));
  for (; ; ) {
    const drawn = Array.from({ length: batch }, () => words2.next());
    for (const word of drawn) {
      for (let i = 0n; i < tries; i++) {
        const tried = Number(word >> i * t & mask);
        if (tried >= m) continue;
        if (size >= few) {
          if (members[tried] === 1) {
            members[tried] = 0;
            size--;
          }
        } else if (members[tried] === 0) {
          members[tried] = 1;
          size++;
          if (size === few) return { members, last: tried };
        }
      }
    }
  }
}
function bitLength(n) {
  return n === 0 ? 0 : n.toString(2).length;
}
function pack(set) {
  const packed = new Uint8Array(Math.ceil(set.length / 8));
  set.forEach((one, v) => {
    if (one === 1) packed[v >> 3] |= 1 << (v & 7);
  });
  return packed;
}

// src/mechanisms/table.ts
function readTable(source) {
  const domain = categorical(source);
  const where = `${source.where}.weights`;
  readOptions(source, []);
  const rows = list(source.weights, where).map((row) => readWeightRow(row, where));
  require2(rows.length === domain.size, where, "a row for every value");
  const columns = rows[0].length;
  const total = sum(rows[0]);
  require2(total >= 1n && total <= MOST_TOTAL, where, "rows with a sum from 1 to 2^63");
  require2(rows.every((row) => row.length === columns && sum(row) === total), where, "rows of one length and one sum");
  return {
    fields: [numberField("cell", columns)],
    cells: columns,
    blocks: 1,
    certificate: ratioCertificate(worstColumn(rows, columns, where)),
    ...byInput(domain, (value, words2) => {
      const x = below(total, words2);
      let running = 0n;
      let cell = 0;
      for (const one of rows[value]) {
        running += one;
        if (running <= x) cell++;
      }
      return [cell];
    })
  };
}
function sum(row) {
  return row.reduce((all, one) => all + one, 0n);
}
function worstColumn(rows, columns, where) {
  let worst = ONE;
  for (let y = 0; y < columns; y++) {
    let least = rows[0][y];
    let most = least;
    for (const row of rows) {
      if (row[y] < least) least = row[y];
      if (row[y] > most) most = row[y];
    }
    if (most === 0n) continue;
    require2(least > 0n, where, "without a column that has both a zero and another number");
    const ratio = fraction(most, least);
    if (exceeds(ratio, worst)) worst = ratio;
  }
  return worst;
}

// src/mechanisms/waves.ts
function readSquareWave(source) {
  const options = readOptions(source, ["b", "bits", "output_bins", "steps", "wrap"]);
  readHalfWidth(options.get("b"), source.where);
  return readShape(source, options, flag(options.get("wrap"), `${source.where}.options.wrap`), () => 1n);
}
function readPiecewise(source) {
  return readShape(source, readOptions(source, ["bits", "output_bins", "steps"]), false, () => 1n);
}
function readWave(source) {
  const options = readOptions(source, ["b", "bits", "output_bins", "ratio", "steps"]);
  readHalfWidth(options.get("b"), source.where);
  const ratio = decimal(options.get("ratio"), `${source.where}.options.ratio`);
  require2(ratio.value >= 0 && ratio.value <= 1, `${source.where}.options.ratio`, "from 0 to 1");
  const { numerator, denominator } = exact(ratio);
  return readShape(source, options, false, (width) => {
    const half = width / 2n;
    return half + 1n - numerator * half / denominator;
  });
}
function readHalfWidth(value, where) {
  if (value === null) return;
  const b = decimal(value, `${where}.options.b`).value;
  require2(b > 0 && b <= 0.5, `${where}.options.b`, "null, or above 0 and at most 0.5");
}
function readShape(source, options, wrap, capOf) {
  const domain = numeric(source);
  const where = source.where;
  readBits(options.get("bits"), where);
  const steps = readSteps(options.get("steps"), domain, MOST_POSITIONS, where);
  const positions = domain.bins * steps;
  const { low, unit, width } = weightsNamed(source.weights, ["low", "unit", "width"], `${where}.weights`);
  const widest = wrap ? positions : MOST_POSITIONS;
  require2(width >= 1n && width <= BigInt(widest), `${where}.weights.width`, `from 1 to ${widest}`);
  require2(!wrap || positions >= 2, where, "of at least 2 positions on a ring");
  const outputs = wrap ? positions : positions + Number(width) - 1;
  const output_bins = whole(options.get("output_bins"), Math.min(2, outputs), outputs, `${where}.options.output_bins`);
  const cap = capOf(width);
  const area = cap * (width - cap + 1n) * unit;
  const total = low * BigInt(outputs) + area;
  require2(low >= 1n && unit >= 1n && total <= MOST_TOTAL, `${where}.weights`, "at least 1, with a total of at most 2^63");
  const before = Number(width / 2n);
  return {
    fields: [numberField("output", outputs)],
    cells: output_bins,
    blocks: 1,
    certificate: ratioCertificate(fraction(low + unit * cap, low), positions === 1),
    ...byPosition(domain, steps, (position, words2) => {
      const x = below(total, words2);
      if (x >= area) return [Number((x - area) / low)];
      const near = position + sumsAtMost2(x / unit, width, cap);
      return [wrap ? (near - before + positions) % positions : near];
    })
  };
}
function sumsAtMost2(x, width, cap) {
  const area = cap * (width - cap + 1n);
  const rising = (n) => n <= cap ? n * (n + 1n) / 2n : cap * (cap + 1n) / 2n + (n - cap) * cap;
  const sumOf = (n) => 2n * n <= width + 1n ? rising(n) : area - rising(width - n);
  let least = 0n;
  let most = width - 1n;
  while (least < most) {
    const middle = (least + most + 1n) / 2n;
    if (sumOf(middle) <= x) least = middle;
    else most = middle - 1n;
  }
  return Number(least);
}

// src/mechanisms/registry.ts
var READERS = /* @__PURE__ */ new Map([
  ["binned", readBinned],
  ["degree-noise", readDegreeNoise],
  ["fixed-hashing", readFixedHashing],
  ["haar", readHaar],
  ["hadamard-response", readHadamardResponse],
  ["hierarchy", readHierarchy],
  ["key-value", readKeyValue],
  ["laplace", readLaplace],
  ["local-hashing", readLocalHashing],
  ["piecewise", readPiecewise],
  ["randomized-response", readRandomizedResponse],
  ["sampled-coordinate", readSampledCoordinate],
  ["seeded-hashing", readSeededHashing],
  ["square-wave", readSquareWave],
  ["stochastic-rounding", readRounding],
  ["subset-selection", readSubsetSelection],
  ["table", readTable],
  ["unary-encoding", readUnaryEncoding],
  ["wave", readWave]
]);

// src/mechanism.ts
function readMechanism(value, where = "mechanism") {
  const document = record(value, ["domain", "epsilon", "mechanism", "options", "version", "weights"], where);
  whole(document.get("version"), 2, 2, `${where}.version`);
  return build(document, readDomain(document.get("domain"), `${where}.domain`), where);
}
function innerMechanism(name, domain, epsilon, options, weights, where) {
  const document = /* @__PURE__ */ new Map([
    ["domain", domain.document],
    ["epsilon", epsilon.text],
    ["mechanism", name],
    ["options", options],
    ["version", 2],
    ["weights", weights]
  ]);
  return build(document, domain, where);
}
function build(document, domain, where) {
  const name = text(document.get("mechanism"), `${where}.mechanism`);
  const reader = READERS.get(name) ?? refuse(`${where}.mechanism`, "the name of a mechanism");
  const epsilon = decimal(document.get("epsilon"), `${where}.epsilon`);
  require2(epsilon.value >= 1e-6 && epsilon.value <= 20, `${where}.epsilon`, "from 0.000001 to 20");
  require2(domain.size <= MOST_INPUTS, `${where}.domain`, "of at most 2,500,000 inputs");
  const options = document.get("options");
  const parts = reader({ document, domain, epsilon, options, weights: document.get("weights"), where });
  require2(parts.cells <= MOST_INPUTS, where, "of at most 2,500,000 cells");
  require2(payloadBytes(parts.fields) <= MOST_REPORT_BYTES, where, "of at most 32,768 bytes a report");
  require2(keeps(parts.certificate, epsilon), `${where}.weights`, `such that no ratio exceeds e^${epsilon.text}`);
  return { name, document, domain, epsilon, ...parts };
}

// src/privacy.ts
function privacyInWords({ ratio, scope }) {
  if (ratio === null) return "The promise of this survey may fail.";
  const sure = `at most ${belief(ratio)}% sure of it after seeing your report`;
  const bound = `Any report is at most ${times(ratio)} times as likely under one`;
  if (scope === "") return `${bound} true answer as under another.
Someone who thought an answer was a coin flip can be ${sure}.`;
  return `${bound} of two degrees that differ by one ${scope} as under the other.
Someone who knows everything else, and thought one more ${scope} was a coin flip, can be ${sure}.
This protects the ${scope}, not the answer.`;
}
function belief({ numerator: a, denominator: b }) {
  return Number((1000n * a + a + b - 1n) / (a + b)) / 10;
}
function times({ numerator: a, denominator: b }) {
  let scale = 1n;
  while (a >= 10n * b * scale) scale *= 10n;
  const digits2 = (100n * a + b * scale - 1n) / (b * scale);
  return (Number(digits2 * scale) / 100).toLocaleString("en-US");
}

// src/windows.ts
function dayNumber(year, month, day) {
  const y = month > 2 ? year : year - 1;
  const m = (month + 9) % 12;
  return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + Math.floor((153 * m + 2) / 5) + day - 1;
}
function dateOf(number) {
  let year = Math.floor(number / 365.2425);
  while (dayNumber(year + 1, 3, 1) <= number) year++;
  while (dayNumber(year, 3, 1) > number) year--;
  const rest = number - dayNumber(year, 3, 1);
  const m = Math.floor((5 * rest + 2) / 153);
  const month = m < 10 ? m + 3 : m - 9;
  return [month > 2 ? year : year + 1, month, rest - Math.floor((153 * m + 2) / 5) + 1];
}
var FIRST = dayNumber(1, 1, 1);
var LAST = dayNumber(9999, 12, 31);
function dayText(number) {
  const [year, month, day] = dateOf(number);
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
}
function digits(number, count) {
  return String(number).padStart(count, "0");
}
function weekday(number) {
  return ((number - FIRST) % 7 + 7) % 7;
}
function readDay(text2) {
  const found = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text2);
  if (found === null) return void 0;
  const number = dayNumber(Number(found[1]), Number(found[2]), Number(found[3]));
  return number >= FIRST && number <= LAST && dayText(number) === text2 ? number : void 0;
}
function isDay(text2) {
  return readDay(text2) !== void 0;
}
function firstMonday(year) {
  const fourth = dayNumber(year, 1, 4);
  return fourth - weekday(fourth);
}
function windowName(kind, day) {
  const number = readDay(day);
  if (number === void 0) throw new InvalidArgument(`day must be a date such as 2026-01-31; got ${day}`);
  if (kind === "once") return "";
  if (kind === "day") return day;
  if (kind === "month") return day.slice(0, 7);
  const [year] = dateOf(number - weekday(number) + 3);
  const week = Math.floor((number - firstMonday(year)) / 7) + 1;
  return `${digits(year, 4)}-W${digits(week, 2)}`;
}
function windowDays(kind, name) {
  if (kind === "once") return name === "" ? { first: dayText(FIRST), last: dayText(LAST) } : void 0;
  if (kind === "day") return isDay(name) ? { first: name, last: name } : void 0;
  if (kind === "month") {
    const first = readDay(`${name}-01`);
    if (first === void 0) return void 0;
    const [year, month] = dateOf(first);
    const next = month === 12 ? dayNumber(year + 1, 1, 1) : dayNumber(year, month + 1, 1);
    return { first: `${name}-01`, last: dayText(next - 1) };
  }
  const found = /^([0-9]{4})-W([0-9]{2})$/.exec(name);
  if (found === null) return void 0;
  const monday = firstMonday(Number(found[1])) + 7 * (Number(found[2]) - 1);
  if (monday < FIRST || monday + 6 > LAST || windowName("week", dayText(monday)) !== name) return void 0;
  return { first: dayText(monday), last: dayText(monday + 6) };
}

// src/survey.ts
var KEYS = ["closes", "mechanism", "minimum_batch", "name", "opens", "outside", "question", "series", "survey", "window"];
var Survey = class _Survey {
  constructor(document, collector) {
    this.document = document;
    this.collector = collector;
    whole(document.get("survey"), 2, 2, "survey");
    this.name = words(document.get("name"), 200, "name");
    this.question = words(document.get("question"), 2e3, "question");
    this.mechanism = readMechanism(document.get("mechanism"));
    this.window = choice(document.get("window"), ["once", "day", "week", "month"], "window");
    this.minimumBatch = whole(document.get("minimum_batch"), 1, 1e9, "minimum_batch");
    this.outside = choice(document.get("outside"), ["refuse", "other", "nearest"], "outside");
    const { domain } = this.mechanism;
    require2(this.outside !== "other" || domain.kind === "categories" && domain.has("other"), "outside", 'refuse, unless there is a category "other"');
    require2(this.outside !== "nearest" || isNumeric(domain), "outside", "refuse, unless values are numbers");
    this.opens = date(document.get("opens"), "opens");
    this.closes = date(document.get("closes"), "closes");
    require2(this.opens === "" || this.closes === "" || this.opens <= this.closes, "closes", "a day from opens on");
    require2(document.get("series") === "", "series", "empty");
    this.fingerprint = fingerprint(document);
  }
  /** Read a survey's JSON and check everything in it, its certificate included. Throws `InvalidSurvey`. */
  static parse(source, options = {}) {
    return _Survey.read(source, options);
  }
  /**
   * Fetch a survey from `https://collector.example/surveys/{fingerprint}` and check it as `parse` does. A survey whose
   * fingerprint is not the one in the address is refused, so that the address stands for what was agreed to.
   */
  static async fetch(url, options = {}) {
    const address = checkUrl(url, options.plainHttp ?? false);
    const found = /^(.*)\/surveys\/([0-9a-f]{32})$/.exec(address);
    if (found === null) throw new InvalidArgument("url must end with /surveys/ and the fingerprint of a survey");
    const answer = await exchange(address, { seconds: options.timeout ?? 10, most: MOST_BYTES });
    if (answer.status !== 200) throw new NoAnswer(`the collector gave no survey: status ${answer.status}`);
    const survey = _Survey.read(answer.body, options, found[1]);
    if (survey.fingerprint !== found[2]) throw new Mismatch(`the collector gave survey ${survey.fingerprint} where ${found[2]} was asked for`);
    return survey;
  }
  static read(source, options, collector) {
    const survey = new _Survey(record(readJson(source), KEYS, "survey"), collector);
    const most = readDecimal(options.maxDelta ?? "0");
    if (most === void 0 || most.value < 0) throw new InvalidArgument("maxDelta must be a decimal from 0, as text");
    if (exceeds(survey.certificate.delta, exact(most))) {
      throw new InvalidSurvey(`the delta of this survey exceeds maxDelta, which is ${most.text}`);
    }
    return survey;
  }
  /** Epsilon of one report, as a decimal: what a report costs. */
  get epsilon() {
    return this.mechanism.epsilon.text;
  }
  /** What the weights promise. */
  get certificate() {
    return this.mechanism.certificate;
  }
  /** What the privacy means, for the people asked. */
  privacy() {
    return privacyInWords(this.certificate);
  }
  /** Bytes of every payload of this survey. */
  get payloadBytes() {
    return payloadBytes(this.mechanism.fields);
  }
  /** The canonical JSON, of which the fingerprint is the hash. */
  toJson() {
    return canonical(this.document);
  }
  /** Refuse a value that is neither in the domain nor admitted by `outside`. Nothing is drawn. */
  check(value) {
    checkValue(this.mechanism.domain, admit(this.mechanism.domain, this.outside, value));
  }
  /** The payload of one report: the value, drawn with random words. Refuses a bad value before it draws. */
  randomize(value, source) {
    const admitted = admit(this.mechanism.domain, this.outside, value);
    return writePayload(this.mechanism.fields, this.mechanism.respond(admitted, source));
  }
  /** The name of the window that a day is in, or undefined where the survey is not open on it. */
  windowOf(day) {
    const name = windowName(this.window, day);
    const open = (this.opens === "" || this.opens <= day) && (this.closes === "" || day <= this.closes);
    return open ? name : void 0;
  }
};
function words(value, most, where) {
  const found = text(value, where);
  const length = found.length > 2 * most ? Infinity : [...found].length;
  require2(length >= 1 && length <= most, where, `text of 1 to ${most} characters`);
  require2(!found.includes("\0") && /[^\u0000-\u0020]/.test(found), where, "text that can be seen, without NUL");
  return found;
}
function date(value, where) {
  const found = text(value, where);
  require2(found === "" || isDay(found), where, "empty, or a date such as 2026-01-31");
  return found;
}

// src/upload.ts
var VERSION = 2;
function check(upload) {
  if (!/^[0-9a-f]{32}$/.test(upload.fingerprint)) throw new InvalidArgument("fingerprint must be 32 lower-case hexadecimal digits");
  if (utf8(upload.window).length > 31) throw new InvalidArgument("window must be a window name of at most 31 bytes");
  if (upload.reports.length === 0 || upload.reports.length > 65535) throw new InvalidArgument("reports must hold 1 to 65,535 reports");
  for (const { id, payload } of upload.reports) {
    if (id.length !== 16) throw new InvalidArgument("id must have 16 bytes");
    if (payload.length > 65535) throw new InvalidArgument("payload must have at most 65,535 bytes");
  }
}
function array(count) {
  return count < 16 ? Uint8Array.of(144 | count) : Uint8Array.of(220, count >> 8, count & 255);
}
function bin(bytes) {
  const n = bytes.length;
  return [n < 256 ? Uint8Array.of(196, n) : Uint8Array.of(197, n >> 8, n & 255), bytes];
}
function writeUpload(upload) {
  check(upload);
  const window = utf8(upload.window);
  const pieces = [Uint8Array.of(148, VERSION), ...bin(fromHex(upload.fingerprint)), Uint8Array.of(160 | window.length), window];
  pieces.push(array(upload.reports.length));
  for (const { id, payload } of upload.reports) pieces.push(array(2), ...bin(id), ...bin(payload));
  return concatBytes(pieces);
}

// src/device/ledger.ts
function ownElapsed() {
  if (boot === "") boot = toHex(newId());
  return { boot, seconds: performance.now() / 1e3 };
}
var boot = "";
function find(rows, { fingerprint: fingerprint2, window }) {
  return rows.find((row) => row.fingerprint === fingerprint2 && row.window === window);
}
function receiptOf({ fingerprint: fingerprint2, window, survey, epsilon, delta, id, upload, state, code }) {
  return { fingerprint: fingerprint2, window, survey, epsilon, delta, id, upload, state, code };
}
async function spend(ledger, charge, budget, pinned, draw) {
  const found = await ledger.transact((rows) => {
    const stored = find(rows, charge);
    if (stored !== void 0) return { write: [], result: stored };
    const late = rows.filter((row2) => row2.day > charge.day).map((row2) => ({ ...row2, day: charge.day }));
    const before = rows.map((row2) => find(late, row2) ?? row2);
    const refusal2 = budget.check(charge, before, pinned);
    if (refusal2 !== void 0) return { write: late, result: refusal2 };
    const row = { ...charge, ...draw(), state: "pending", code: "" };
    return { write: [...late, row], result: row };
  });
  if (found instanceof OverBudget) throw found;
  return found;
}
function settle(ledger, receipt, from, state, code) {
  return ledger.transact((rows) => {
    const stored = find(rows, receipt);
    if (stored === void 0 || !from.includes(stored.state)) return { write: [], result: stored };
    const row = { ...stored, state, code };
    return { write: [row], result: row };
  });
}

// src/device/browserledger.ts
var STORE = "reports";
var BrowserLedger = class {
  constructor(name = "sottovoce") {
    this.name = name;
  }
  elapsed() {
    return ownElapsed();
  }
  async transact(change) {
    const database = await this.open();
    try {
      return await inTransaction(database, change);
    } finally {
      database.close();
    }
  }
  open() {
    return new Promise((resolve, reject) => {
      const fail = (error) => reject(unusable(error));
      try {
        const request = indexedDB.open(this.name, 1);
        request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: ["fingerprint", "window"] });
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => fail(request.error);
        request.onblocked = () => fail("another page keeps it open");
      } catch (error) {
        fail(error);
      }
    });
  }
};
function inTransaction(database, change) {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, "readwrite", { durability: "strict" });
    const store = transaction.objectStore(STORE);
    const reading = store.getAll();
    let result;
    let thrown;
    reading.onsuccess = () => {
      try {
        const changed = change(reading.result);
        for (const row of changed.write) store.put(row);
        result = changed.result;
      } catch (error) {
        thrown = { error };
        transaction.abort();
      }
    };
    transaction.oncomplete = () => resolve(result);
    transaction.onabort = () => reject(thrown === void 0 ? unusable(transaction.error) : thrown.error);
  });
}
function unusable(error) {
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new NoLedger(`this browser does not let the page remember what was answered, so nothing is drawn or sent (${why})`);
}

// src/device/charge.ts
function chargeOf(survey, window, day, elapsed) {
  const { first, last } = windowDays(survey.window, window);
  return {
    fingerprint: survey.fingerprint,
    window,
    survey: survey.name,
    epsilon: survey.epsilon,
    delta: "0",
    name: plain(survey.name),
    question: fingerprint([plain(survey.question), survey.mechanism.domain.document]),
    first,
    last,
    day,
    boot: elapsed.boot,
    uptime: elapsed.seconds
  };
}
function costOf(...charges) {
  return exact(sum2(charges));
}
function costText(charges) {
  const { digits: digits2, scale } = sum2(charges);
  const text2 = String(digits2).padStart(scale + 1, "0");
  const point2 = text2.length - scale;
  return scale === 0 ? text2 : `${text2.slice(0, point2)}.${text2.slice(point2)}`.replace(/\.?0+$/, "");
}
function sum2(charges) {
  let digits2 = 0n;
  let scale = 0;
  for (const { epsilon } of charges) {
    const cost = readDecimal(epsilon);
    if (cost === void 0) throw new NoLedger("the ledger has a report whose cost cannot be read, so nothing is answered");
    const finer = Math.max(scale, cost.scale);
    digits2 = digits2 * 10n ** BigInt(finer - scale) + cost.digits * 10n ** BigInt(finer - cost.scale);
    scale = finer;
  }
  return { digits: digits2, scale };
}
var SPACES = /[\t-\r\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
function plain(text2) {
  const folded = Array.from(text2.normalize("NFKC"), fold).join("");
  return folded.split(SPACES).filter((word) => word !== "").join(" ");
}
function fold(character) {
  if (character === "ı") return character;
  const upper = character.toLowerCase().toUpperCase();
  return /[\u13a0-\u13f5]/.test(upper) ? upper : upper.toLowerCase().replace(/\u03c2/g, "σ");
}

// src/device/budget.ts
var LIMITS = { maxEpsilon: 2, dayEpsilon: 2, nameEpsilon: 5, questionEpsilon: 5, totalEpsilon: 10 };
var DAY = 86400;
var Budget = class {
  constructor(limits) {
    this.limits = limits;
    for (const [name, value] of Object.entries(limits)) {
      if (typeof value !== "number" || !(value >= 0 && value < Infinity)) throw new InvalidArgument(`${name} must be a number of at least 0`);
    }
  }
  /** Refuse a survey of which one report costs too much, whatever was spent before. */
  checkReport(survey) {
    if (exceeds(exact(survey.mechanism.epsilon), this.limit("maxEpsilon"))) {
      throw new OverBudget(`survey "${survey.name}" asks for epsilon ${survey.epsilon} per report; this device gives at most ${this.limits.maxEpsilon} (maxEpsilon)`);
    }
    if (exceeds(survey.certificate.delta, fraction(0n, 1n))) {
      throw new OverBudget(`survey "${survey.name}" has delta above 0, which this client does not answer`);
    }
  }
  /** Why a report is refused after those `before`, or undefined where it is allowed. */
  check(asked, before, pinned) {
    const alike = before.filter((one) => one.name === asked.name || one.question === asked.question);
    const recent = before.filter((one) => one.boot === asked.boot && asked.uptime - one.uptime < DAY);
    const refusal2 = outOfOrder(asked, alike) ?? (pinned ? void 0 : dearer(asked, alike));
    if (refusal2 !== void 0) return refusal2;
    const sums = [
      ["dayEpsilon", "per day", before.filter((one) => one.day >= asked.day)],
      ["dayEpsilon", "per 24 hours since the machine started", recent, 2n],
      ["nameEpsilon", "on surveys of one name", before.filter((one) => one.name === asked.name)],
      ["questionEpsilon", "on one question", before.filter((one) => one.question === asked.question)],
      ["totalEpsilon", "in all", before]
    ];
    for (const [name, what, spent, times2 = 1n] of sums) {
      const most = this.limit(name, times2);
      if (exceeds(costOf(...spent, asked), most)) {
        return new OverBudget(`survey "${asked.survey}" asks for epsilon ${asked.epsilon}; of the ${toNumber(most)} that this device may spend ${what} (${name}), ${costText(spent)} are spent`);
      }
    }
    return void 0;
  }
  limit(name, times2 = 1n) {
    const { numerator, denominator } = exact(decimalOf(this.limits[name]));
    return fraction(numerator * times2, denominator);
  }
};
function outOfOrder(asked, alike) {
  const later = alike.filter((one) => one.last >= asked.first);
  if (later.length === 0) return void 0;
  const last = later.reduce((a, b) => b.last > a.last ? b : a);
  return new OverBudget(
    last.fingerprint === asked.fingerprint ? `survey "${asked.survey}" was answered for the window "${last.window}", so "${asked.window}" gets no answer: windows are answered in order. Check the clock of this device` : `survey "${asked.survey}" has the name or question of "${last.survey}" (${last.fingerprint}), which was answered for the same days or later ones: one window gets one answer`
  );
}
function dearer(asked, alike) {
  const others = alike.filter((one) => one.fingerprint !== asked.fingerprint);
  if (others.length === 0) return void 0;
  const most = others.reduce((a, b) => exceeds(costOf(b), costOf(a)) ? b : a);
  if (!exceeds(costOf(asked), costOf(most))) return void 0;
  return new OverBudget(
    `survey "${asked.survey}" asks for epsilon ${asked.epsilon}; under the fingerprint ${most.fingerprint} it asked for ${most.epsilon}. If the new one is agreed to, pass fingerprint: "${asked.fingerprint}"`
  );
}

// src/device/builtins.ts
function builtin(name) {
  return nodeProcess()?.getBuiltinModule?.(name);
}
function nodeProcess() {
  return globalThis.process;
}

// src/device/explaining.ts
function explain(survey, receipt) {
  const { id, window, upload } = receipt;
  const payload = upload.slice(upload.length - survey.payloadBytes);
  const written = writeUpload({ fingerprint: survey.fingerprint, window, reports: [{ id, payload }] });
  if (toHex(written) !== toHex(upload)) throw new Mismatch(`this receipt is not of survey "${survey.name}"`);
  const fields = fieldsInWords(survey, payload);
  const said = fields.filter((_, i) => !isConstant(survey.mechanism.fields[i])).map(({ words: words2 }) => words2);
  return {
    status: status(receipt),
    report: `The report says: ${said.join("; ") || "nothing, for all reports are the same"}. It was drawn at random: your answer only made some reports likelier than others.`,
    cost: `It cost epsilon ${receipt.epsilon}. ${survey.privacy()}`,
    parts: [...envelope(survey, receipt, upload.length - payload.length), ...fields]
  };
}
function envelope(survey, { upload, window }, length) {
  const head = upload.slice(0, length);
  let at = 0;
  const part = (size, name, words2) => ({ name, words: words2, bytes: toHex(head.slice(at, at += size)) });
  const period = window === "" ? "one report, ever" : `the window ${window}`;
  return [
    part(2, "version", "version 2 of the format"),
    part(18, "survey", `the survey "${survey.name}", by its fingerprint`),
    part(1 + window.length, "window", period),
    part(4, "reports", "one report"),
    part(16, "id", "its random id, under which it counts once and can be deleted"),
    part(length - at, "length", "how many bytes follow")
  ];
}
function fieldsInWords(survey, payload) {
  const { domain, fields, name } = survey.mechanism;
  const direct = ["randomized-response", "unary-encoding", "subset-selection"].includes(name);
  let at = 0;
  return fields.map((field) => {
    const bytes = payload.slice(at, at += fieldBytes(field));
    const named = direct ? (index) => label(domain, index) : void 0;
    return { name: field.name, bytes: toHex(bytes), words: fieldInWords(field, bytes, named) };
  });
}
function fieldInWords(field, bytes, label2) {
  if (field.kind === "bits") {
    const set = Array.from({ length: field.count }, (_, i) => i).filter((i) => bytes[i >> 3] >> (i & 7) & 1);
    return `${field.name}: ${set.length} of ${field.count} (${listed(set.map(label2 ?? String))})`;
  }
  const size = numberBytes(field.below);
  const numbers = [];
  for (let at = 0; at < bytes.length; at += size) numbers.push(littleEndian(bytes.slice(at, at + size)));
  if (field.kind === "number" && label2 !== void 0) return label2(Number(numbers[0]));
  return `${field.name} ${listed(numbers.map(String))} of 0 to ${field.below - 1n}`;
}
function listed(words2) {
  return words2.length > 20 ? `${words2.slice(0, 20).join(", ")}, ...` : words2.join(", ");
}
function isConstant(field) {
  return field.kind === "number" && field.below === 1n;
}
function littleEndian(bytes) {
  return bytes.reduceRight((value, byte) => value << 8n | BigInt(byte), 0n);
}
function label(domain, index) {
  if (domain.kind === "counts" || domain.kind === "ratings") return String(domain.least + index);
  if (domain.kind === "interval") {
    const edge = (i) => String(Number((domain.low + i * (domain.high - domain.low) / domain.bins).toPrecision(6)));
    return `${edge(index)} to ${edge(index + 1)}`;
  }
  const values = domain.kind === "categories" ? domain.document.get("values") : null;
  return Array.isArray(values) ? `"${String(values[index])}"` : String(index);
}
function status({ state, code }) {
  if (state === "acknowledged") return code === "scrubbed" ? "The collector has counted your report and can no longer delete it." : "The collector has your report.";
  if (state === "withdrawn") {
    return code === "" ? "Your report is withdrawn: the collector does not have it." : "Your report is withdrawn, but the collector has not confirmed that it deleted it.";
  }
  if (state === "refused") {
    const why2 = code === "window-closed" ? "the time to answer is over" : `its code is ${code}`;
    return `The collector did not take your report (${why2}), and it is not sent again.`;
  }
  const why = PENDING[code] ?? (code.startsWith("status-5") ? PENDING["rate-limited"] : PENDING["no-acknowledgement"]);
  return `${why}our report is kept on this device, and the same bytes are sent later.`;
}
var PENDING = {
  "": "Y",
  "no-answer": "The collector did not answer, so y",
  "no-acknowledgement": "Something other than the collector answered, so y",
  "rate-limited": "The collector is busy, so y",
  "status-429": "The collector is busy, so y",
  "clock-skew": "The date of this device is ahead of the collector's, so y",
  "not-allowed": "The collector wants a token that is valid and was not used, so y"
};

// src/device/sending.ts
var PATIENCE = {
  attempts: 5,
  waiting: 120,
  timeout: 10,
  sleep: (seconds) => new Promise((resolve) => setTimeout(resolve, 1e3 * seconds))
};
var LONGEST_ANSWER = 2 ** 16;
var AGAIN = [408, 429, 500, 502, 503, 504, 507];
var REFUSALS = /* @__PURE__ */ new Map([
  ["unknown-survey", [404, true]],
  ["wrong-version", [400, true]],
  ["malformed", [400, true]],
  ["wrong-payload", [422, true]],
  ["no-id", [422, true]],
  ["too-large", [413, true]],
  ["window-closed", [410, true]],
  ["clock-skew", [409, false]],
  ["not-allowed", [403, false]],
  ["rate-limited", [429, false]]
]);
function deliver(collector, upload, wanted) {
  const headers = { "Content-Type": "application/msgpack" };
  if (collector.token !== void 0) headers.Authorization = `Bearer ${collector.token}`;
  return repeat(collector, wanted, async () => {
    const answer = await ask(collector, "/reports", "POST", headers, upload);
    if (answer === void 0) return NO_ANSWER;
    const found = readObject(answer);
    if (answer.status < 200 || answer.status >= 300) return refusal(answer, found.code);
    const counts = [found.stored, found.duplicates];
    const one = counts.every((count) => count === 0 || count === 1) && counts[0] !== counts[1];
    return one ? { state: "acknowledged", code: "" } : { state: "pending", code: "no-acknowledgement" };
  });
}
function remove(collector, fingerprint2, id) {
  return repeat(collector, async () => true, async () => {
    const answer = await ask(collector, `/surveys/${fingerprint2}/reports/${id}`, "DELETE", {});
    if (answer === void 0) return { ...NO_ANSWER, state: "withdrawn" };
    const { code, deleted } = readObject(answer);
    const { again = false, wait = 0 } = refusal(answer, code);
    if (answer.status === 200 && deleted === true) return { state: "withdrawn", code: "" };
    if (answer.status === 404 && (code === "no-such-report" || code === "unknown-survey")) return { state: "withdrawn", code: "" };
    if (answer.status === 409 && code === "scrubbed") return { state: "acknowledged", code };
    return { state: "withdrawn", code: `status-${answer.status}`, again, wait };
  });
}
async function about(collector, fingerprint2) {
  const answer = await ask(collector, `/surveys/${fingerprint2}/about`, "GET", {});
  return answer?.status === 200 ? readObject(answer) : {};
}
var NO_ANSWER = { state: "pending", code: "no-answer", again: true };
async function ask({ url, patience }, path, method, headers, body) {
  try {
    return await exchange(url + path, { method, headers, seconds: patience.timeout, most: LONGEST_ANSWER, ...body === void 0 ? {} : { body } });
  } catch (error) {
    if (error instanceof NoAnswer) return void 0;
    throw error;
  }
}
async function repeat({ patience }, wanted, attempt) {
  let outcome = { state: "pending", code: "" };
  let waited = 0;
  for (let done = 0; done < patience.attempts && await wanted(); done++) {
    outcome = await attempt();
    if (outcome.again !== true || done === patience.attempts - 1) break;
    const part = Number(systemWords().next()) / 2 ** 64;
    const wait = Math.max(outcome.wait ?? 0, part * Math.min(60, 2 ** done));
    waited += wait;
    if (waited > patience.waiting) break;
    await patience.sleep(wait);
  }
  return outcome;
}
function refusal(answer, code) {
  const [status2, final] = REFUSALS.get(code) ?? [-1, false];
  const known2 = status2 === answer.status;
  if (known2 && final) return { state: "refused", code: String(code) };
  const again = AGAIN.includes(answer.status);
  return { state: "pending", code: known2 ? String(code) : `status-${answer.status}`, again, wait: retryAfter(answer.headers.get("Retry-After")) };
}
function retryAfter(text2) {
  if (text2 === null || text2.trim() === "") return 0;
  const seconds = Number.isNaN(Number(text2)) ? (Date.parse(text2) - Date.now()) / 1e3 : Number(text2);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}

// src/device/client.ts
var OPTIONS = [...Object.keys(LIMITS), "fingerprint", "url", "token", "scopes", "plainHttp", "patience", "ledger", "clock"];
var Client = class {
  constructor(survey, options = {}) {
    this.survey = survey;
    if (!(survey instanceof Survey)) throw new InvalidArgument("survey must be a Survey");
    const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
    if (unknown !== void 0) throw new InvalidArgument(`there is no option ${unknown}; there are ${OPTIONS.join(", ")}`);
    const { fingerprint: fingerprint2, url = survey.collector, token, plainHttp = false, clock = today } = options;
    if (fingerprint2 !== void 0 && fingerprint2 !== survey.fingerprint) {
      throw new Mismatch(`survey "${survey.name}" does not have the fingerprint ${fingerprint2}, which was agreed to`);
    }
    if (token !== void 0 && !/^[\x21-\x7e]+$/.test(token)) throw new InvalidArgument("token must be visible ASCII characters without spaces");
    this.pinned = fingerprint2 !== void 0;
    this.clock = clock;
    const plain2 = plainHttp || url === survey.collector;
    this.collector = url === void 0 ? void 0 : { url: checkUrl(url, plain2), token, patience: { ...PATIENCE, ...options.patience } };
    this.budget = new Budget(limitsOf(options));
    checkScope(survey, options.scopes ?? []);
    this.budget.checkReport(survey);
    systemWords();
    this.ledger = options.ledger === void 0 ? defaultLedger() : async () => options.ledger;
  }
  /**
   * Answer the survey in the present window, and send the report. The first answer in a window counts: whatever is
   * given later, the stored report is returned, and sent again if the collector has not acknowledged it. Where the
   * answer, the budget or the collector's word that it is closed stands against it, nothing is drawn, spent or sent.
   */
  async report(value) {
    const day = this.clock();
    const window = this.windowOf(day);
    const stored = await this.find({ fingerprint: this.survey.fingerprint, window });
    if (stored !== void 0) return this.sent(stored);
    this.survey.check(value);
    await this.checkOpen();
    const ledger = await this.ledger();
    const charge = chargeOf(this.survey, window, day, ledger.elapsed());
    return this.sent(await spend(ledger, charge, this.budget, this.pinned, () => this.draw(value, window)));
  }
  /** Send what is pending of this survey, and ask again for what is to be deleted; all its receipts. */
  async send() {
    const receipts = [];
    for (const receipt of await this.receipts()) receipts.push(await this.sent(receipt));
    return receipts;
  }
  /** All receipts of this survey, by window. */
  async receipts() {
    const rows = (await this.rows()).filter((row) => row.fingerprint === this.survey.fingerprint);
    return rows.map(receiptOf).sort((a, b) => a.window < b.window ? -1 : 1);
  }
  /** The epsilon of all reports in the ledger, of whatever survey, exactly, as decimal text. */
  async spent() {
    return costText(await this.rows());
  }
  /** What a report is, in words: what became of it, what it says, what it cost, and every byte of it. */
  explain(receipt) {
    return explain(this.survey, receipt);
  }
  /** Say that the collector has a report, where a program sends by its own means. */
  async acknowledge(receipt) {
    return this.settled(receipt, ["pending", "refused"], "acknowledged", "");
  }
  /**
   * Take a report back: it is not sent any more, and the collector is asked to delete it. What it cost stays spent, and
   * the window gets no second answer. Until the collector has confirmed it, `code` says why not, and `send` asks again.
   */
  async withdraw(receipt) {
    return this.sent(await this.settled(receipt, ["pending", "acknowledged", "refused"], "withdrawn", "not-confirmed"));
  }
  /** Bring one report to where it belongs. */
  async sent(receipt) {
    const { collector } = this;
    if (receipt.state === "withdrawn" && receipt.code !== "" && collector !== void 0) {
      const { state: state2, code: code2 } = await remove(collector, receipt.fingerprint, toHex(receipt.id));
      return this.settled(receipt, ["withdrawn"], state2, code2);
    }
    if (receipt.state !== "pending" || collector === void 0) return receiptOf(receipt);
    const { state, code } = await deliver(collector, receipt.upload, async () => (await this.find(receipt))?.state === "pending");
    const settled = await this.settled(receipt, ["pending", "refused"], state, code);
    return settled.state === "withdrawn" ? this.sent({ ...settled, code: "not-confirmed" }) : settled;
  }
  async rows() {
    return (await this.ledger()).transact((rows) => ({ write: [], result: rows }));
  }
  async find(key) {
    return find(await this.rows(), key);
  }
  async settled(receipt, ...change) {
    const row = await settle(await this.ledger(), receipt, ...change);
    if (row === void 0) throw new NoLedger("this receipt is not in the ledger");
    return receiptOf(row);
  }
  draw(value, window) {
    const payload = this.survey.randomize(value, systemWords());
    const id = newId();
    return { id, upload: writeUpload({ fingerprint: this.survey.fingerprint, window, reports: [{ id, payload }] }) };
  }
  windowOf(day) {
    const { opens, name } = this.survey;
    const window = this.survey.windowOf(day);
    if (window !== void 0) return window;
    throw day < opens ? new Refused("clock-skew", `survey "${name}" opens on ${opens}`) : closed("window-closed", name);
  }
  /** Nobody pays for a report that will be refused. Where the collector says nothing, the report is drawn and kept. */
  async checkOpen() {
    if (this.collector === void 0) return;
    const { name, fingerprint: fingerprint2 } = this.survey;
    const said = await about(this.collector, fingerprint2);
    if (said.closed === true) throw closed("survey-closed", name);
    if (said.upload === "tokens" && this.collector.token === void 0) throw new Refused("not-allowed", `survey "${name}" is only for people with a token`);
  }
};
function closed(code, name) {
  return new Refused(code, `survey "${name}" is closed`);
}
function limitsOf(options) {
  const names = Object.keys(LIMITS);
  return Object.fromEntries(names.map((name) => [name, options[name] === void 0 ? LIMITS[name] : options[name]]));
}
function checkScope(survey, scopes) {
  const { scope } = survey.certificate;
  if (scope === "" || scopes.includes(scope)) return;
  throw new InvalidSurvey(`survey "${survey.name}" protects one ${scope}, not the whole answer; scopes: ["${scope}"] takes part all the same`);
}
function defaultLedger() {
  let opened;
  if (builtin("node:sqlite") !== void 0) {
    return () => opened ?? (opened = import("./nodeledger.js").then(({ NodeLedger }) => new NodeLedger()));
  }
  if (typeof indexedDB === "undefined") {
    throw new NoLedger("nothing here remembers what was spent: pass a ledger, or use Node 22.13 or newer");
  }
  const ledger = new BrowserLedger();
  return async () => ledger;
}
function today() {
  return (/* @__PURE__ */ new Date()).toISOString().slice(0, 10);
}
export {
  BrowserLedger,
  Client,
  InvalidArgument,
  InvalidSurvey,
  InvalidValue,
  Mismatch,
  NoAnswer,
  NoLedger,
  NoRandomness,
  OverBudget,
  Refused,
  SottovoceError,
  Survey,
  toHex
};
