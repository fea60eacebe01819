// page/dom.ts
function make(tag, attributes = {}, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...content);
  return element;
}
function foreign(text) {
  return make("bdi", { dir: "auto" }, text);
}
function button(text, work, kind = "") {
  const made = make("button", { type: "button", class: kind }, text);
  made.onclick = async () => {
    made.disabled = true;
    await work();
    made.disabled = false;
  };
  return made;
}
function fold(title, ...content) {
  return make("details", {}, make("summary", {}, title), ...content);
}
function table(caption, head, rows) {
  const cells = (row2) => row2.map((cell, i) => make(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : {}, cell));
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    make(
      "table",
      { class: "sent" },
      make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...rows.map((row2) => make("tr", {}, ...cells(row2))))
    )
  );
}
function newId() {
  return `sottovoce-${++ids}`;
}
var ids = 0;

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
function multiple(one, times2) {
  return fraction(one.numerator * BigInt(times2), one.denominator);
}
function product(one, other) {
  return fraction(one.numerator * other.numerator, one.denominator * other.denominator);
}

// src/decimal.ts
var MOST_LENGTH = 800;
function writeDecimal(value) {
  const [mantissa = "", exponent] = Math.abs(value).toExponential().split("e");
  return (value < 0 ? "-" : "") + withPoint(mantissa.replace(".", ""), 1 + Number(exponent));
}
function withPoint(digits, whole) {
  if (whole <= 0) return withPoint("0".repeat(1 - whole) + digits, 1);
  return `${digits.slice(0, whole).padEnd(whole, "0")}.${digits.slice(whole)}`.replace(/\.0*$|(\..*[^0])0*$/, "$1");
}
function readDecimal(text) {
  if (typeof text !== "string" || text.length > MOST_LENGTH || !/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/.test(text)) return void 0;
  const value = Number(text);
  if (!Number.isFinite(value) || writeDecimal(value) !== text) return void 0;
  const dot = text.indexOf(".");
  const scale2 = dot < 0 ? 0 : text.length - dot - 1;
  return { text, value, digits: BigInt(text.replace(".", "")), scale: scale2 };
}
function decimalOf(value) {
  const decimal = readDecimal(writeDecimal(value));
  if (decimal === void 0) throw new RangeError("only finite numbers have a decimal");
  return decimal;
}
function exact(decimal) {
  return fraction(decimal.digits, 10n ** BigInt(decimal.scale));
}

// src/errors.ts
var SottovoceError = class extends Error {
  constructor(code2, message) {
    super(message);
    this.name = new.target.name;
    this.code = code2;
  }
};
function coded(code2) {
  return class extends SottovoceError {
    constructor(message) {
      super(code2, message);
    }
  };
}
var InvalidSurvey = class extends coded("invalid-survey") {
};
var InvalidValue = class extends coded("invalid-value") {
};
var InvalidArgument = class extends coded("invalid-argument") {
};
var NoRandomness = class extends coded("no-randomness") {
};
var OverBudget = class extends coded("over-budget") {
};
var Refused = class extends SottovoceError {
};
var Mismatch = class extends coded("mismatch") {
};
var NotTrusted = class extends coded("not-trusted") {
};
var NoLedger = class extends coded("no-ledger") {
};
var NoAnswer = class extends coded("no-answer") {
};

// src/limits.ts
var MOST_INPUTS = 25e5;
var MOST_EDGES = 4096;
var FARTHEST_RATING = 1e12;
var MOST_REPORT_BYTES = 32768;
var MOST_POSITIONS = 2 ** 22;
var MOST_ROUNDED = 2 ** 40;
var MOST_TOTAL = 1n << 63n;

// src/reading.ts
var MOST_DIGITS = 39;
function refuse(where, must) {
  throw new InvalidSurvey(`${where} must be ${must}`);
}
function demand(condition, where, must) {
  if (!condition) refuse(where, must);
}
function list(value, where) {
  return Array.isArray(value) ? value : refuse(where, "a list");
}
function weight(value, where) {
  const right = typeof value === "string" && value.length <= MOST_DIGITS && /^(?:0|[1-9][0-9]*)$/.test(value);
  return right ? BigInt(value) : refuse(where, "a whole number as decimal text");
}
function weightsNamed(value, names, where) {
  const found = new Section(value, names, where);
  return Object.fromEntries(names.map((name) => [name, weight(found.get(name), `${where}.${name}`)]));
}
function sectionOf(parts, where) {
  return new Section(new Map(Object.entries(parts)), Object.keys(parts), where);
}
var Section = class {
  constructor(value, keys, where) {
    this.where = where;
    const right = value instanceof Map && value.size === keys.length && keys.every((key) => value.has(key));
    this.items = right ? value : refuse(where, `an object with ${keys.join(", ")}`);
  }
  get(key) {
    return this.items.get(key);
  }
  refuse(key, must) {
    refuse(`${this.where}.${key}`, must);
  }
  require(condition, key, must) {
    if (!condition) this.refuse(key, must);
  }
  list(key) {
    return list(this.get(key), `${this.where}.${key}`);
  }
  text(key) {
    const value = this.get(key);
    return typeof value === "string" ? value : this.refuse(key, "text");
  }
  flag(key) {
    const value = this.get(key);
    return typeof value === "boolean" ? value : this.refuse(key, "true or false");
  }
  choice(key, allowed) {
    const value = this.get(key);
    return allowed.find((one) => one === value) ?? this.refuse(key, allowed.join(" or "));
  }
  whole(key, least, most) {
    const value = this.get(key);
    const right = typeof value === "number" && value >= least && value <= most;
    return right ? value : this.refuse(key, `a whole number from ${least} to ${most}`);
  }
  decimal(key) {
    return readDecimal(this.get(key)) ?? this.refuse(key, "a decimal as text, in its shortest form");
  }
  digits(key, count) {
    const value = this.text(key);
    return value.length === count && /^[0-9a-f]*$/.test(value) ? value : this.refuse(key, `${count} hexadecimal digits in lower case`);
  }
};

// src/interval.ts
function readInterval(found) {
  const low = found.decimal("low").value;
  const high = found.decimal("high").value;
  const bins = found.whole("bins", 1, MOST_INPUTS);
  found.require(low < high && Number.isFinite(high - low), "low", "below high");
  const more = found.items.has("edges");
  const unit = more ? readUnit(found) : "";
  const edges = more && found.get("edges") !== null ? readEdges(found, low, high) : void 0;
  const unbounded = more && found.flag("open_end");
  if (edges === void 0) {
    const width2 = (high - low) / bins;
    found.require(width2 >= 16 * lastPlace(Math.max(Math.abs(low), Math.abs(high))), "bins", "such that bins are 16 units in the last place wide");
    found.require(!unbounded, "open_end", "false without edges");
    if (more) found.choice("scale", ["linear"]);
    found.require(!more || unit !== "", "version", "1 without edges and unit");
  } else {
    found.choice("scale", ["linear", "log"]);
    found.require(bins === edges.length - 1 + Number(unbounded), "bins", "as many as there are between the edges, and one more for an open end");
    if (unbounded) edges.push(Infinity);
  }
  const width = (high - low) / bins;
  const edge = (i) => edges === void 0 ? i === bins ? high : low + i * width : edges[i];
  function bin(value) {
    if (typeof value !== "number" || !(value >= low && (unbounded ? value < Infinity : value <= high))) {
      throw new InvalidValue(unbounded ? `the value must be a finite number of at least ${low}` : `the value must be a number from ${low} to ${high}`);
    }
    let [first, last] = [0, bins - 1];
    while (first < last) {
      const middle = Math.ceil((first + last) / 2);
      if ((edges === void 0 ? low + middle * width : edges[middle]) <= value) first = middle;
      else last = middle - 1;
    }
    return first;
  }
  function position(value, steps) {
    const i = bin(value);
    if (unbounded && i === bins - 1) return i * steps + Math.floor(steps / 2);
    const offset = value - edge(i);
    const within = Math.floor(edges === void 0 ? offset * (steps / width) : offset / (edges[i + 1] - edges[i]) * steps);
    return i * steps + (within > 0 ? Math.min(within, steps - 1) : 0);
  }
  function nearest(value) {
    if (typeof value !== "number" || Number.isNaN(value)) throw new InvalidValue("the value must be a number, and not NaN");
    return Math.min(Math.max(value, low), unbounded && value < Infinity ? Infinity : high);
  }
  return {
    kind: "interval",
    document: found.items,
    low,
    high,
    bins,
    size: bins,
    uneven: edges !== void 0,
    unbounded,
    unit,
    edge,
    bin,
    position,
    nearest,
    cut: (wide) => edges === void 0 ? makeInterval(low, high, wide) : makeInterval(low, high, wide, edges.filter((_, i) => i % (bins / wide) === 0), String(found.get("scale")))
  };
}
function makeInterval(low, high, bins, edges, scale2 = "") {
  const finite = edges?.filter((edge) => edge < Infinity);
  const end = finite?.[finite.length - 1] ?? high;
  const parts = { bins, high: writeDecimal(end), kind: "interval", low: writeDecimal(low), version: 1 };
  const more = { edges: finite?.map(writeDecimal) ?? null, open_end: finite?.length !== edges?.length, scale: scale2, unit: "", version: 2 };
  return readInterval(sectionOf(edges === void 0 ? parts : { ...parts, ...more }, "interval"));
}
function readEdges(found, low, high) {
  const edges = found.list("edges").map((edge) => readDecimal(edge)?.value ?? found.refuse("edges", "decimals as text, in their shortest form"));
  const right = edges.length >= 2 && edges.length <= MOST_EDGES && edges[0] === low && edges[edges.length - 1] === high && edges.every((edge, i) => i === 0 || edges[i - 1] < edge);
  found.require(right, "edges", `2 to ${MOST_EDGES} numbers that increase from low to high`);
  return edges;
}
function readUnit(found) {
  const unit = found.text("unit");
  found.require(/^(?:(?! )[^\u0000-\u001f\u007f-\u009f]{0,23}[^\u0000-\u0020\u007f-\u009f])?$/u.test(unit), "unit", "text of at most 24 characters, without control characters and spaces at the ends");
  return unit;
}
function lastPlace(value) {
  const [bits] = new BigUint64Array(Float64Array.of(value).buffer);
  return 2 ** (Math.max(Number(bits >> 52n), 1) - 1075);
}

// src/exponential.ts
var EXP_BITS = 320n;
var F = 1n << EXP_BITS;
function lowerExp(epsilon) {
  const x = epsilon.digits * F / (10n ** BigInt(epsilon.scale) * 64n);
  let sum = 0n;
  let term = F;
  for (let i = 1n; term > 0n; i++) {
    sum += term;
    term = term * x / (F * i);
  }
  for (let i = 0; i < 6; i++) sum = sum * sum / F;
  return sum;
}
function holds(ratio, epsilon) {
  if (ratio.numerator <= ratio.denominator) return true;
  return ratio.numerator * F <= ratio.denominator * lowerExp(epsilon);
}
function logAbove({ numerator, denominator }, power) {
  if (numerator <= denominator) return 0;
  const halvings = BigInt(numerator.toString(2).length - denominator.toString(2).length);
  const log = halvings * smallLog(2n, 1n) + smallLog(numerator, denominator << halvings);
  const nearest = Number(log * BigInt(power)) / Number(F);
  return nearest + lastPlace(nearest);
}
function smallLog(a, b) {
  let term = (a - b) * F / (a + b);
  const square = term * term / F;
  let sum = 0n;
  for (let i = 1n; term !== 0n; i += 2n) {
    sum += term / i;
    term = term * square / F;
  }
  return 2n * sum;
}

// src/certificate.ts
function ratioCertificate(ratio) {
  return { ratio, delta: ZERO, scope: "" };
}
function keeps(certificate, epsilon) {
  return certificate.ratio === null || holds(certificate.ratio, epsilon);
}

// src/categories.ts
function readCategories(found) {
  const size = found.whole("size", 1, MOST_INPUTS);
  const places = found.get("values") === null ? void 0 : readPlaces(found.list("values"), `${found.where}.values`);
  found.require((places?.size ?? size) === size, "size", "the number of values");
  const sensitive2 = found.items.has("sensitive") ? found.list("sensitive") : void 0;
  const right = sensitive2?.every((input, i) => typeof input === "number" && input < size && input > (i === 0 ? -1 : sensitive2[i - 1]));
  found.require(sensitive2 === void 0 || right === true && sensitive2.length > 0 && sensitive2.length < size, "sensitive", "some inputs, ascending, and not all");
  const find2 = (value) => places === void 0 ? numbered(value, size) : places.get(keyOf(value));
  return {
    kind: "categories",
    document: found.items,
    size,
    sensitive: sensitive2,
    has: (value) => find2(value) !== void 0,
    input(value) {
      const place2 = find2(value);
      if (place2 === void 0) throw new InvalidValue("the value must be one of the categories");
      return place2;
    }
  };
}
function numberedCategories(size) {
  return readCategories(sectionOf({ kind: "categories", size, values: null, version: 1 }, "categories"));
}
function numbered(value, size) {
  const number2 = Number.isInteger(value) ? value : NaN;
  return number2 >= 0 && number2 < size ? number2 + 0 : void 0;
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
    demand(!places.has(keyOf(value)), where, "distinct");
    places.set(keyOf(value), places.size);
  }
  return places;
}

// src/choices.ts
var NONE = "none of these";
var MOST_SETS = 1n << 62n;
function readChoices(found) {
  const named = readDomain(found.get("options"), `${found.where}.options`);
  const options = named.kind === "categories" && named.sensitive === void 0 ? named : found.refuse("options", "categories, none of them sensitive");
  const values = options.document.get("values");
  const right = Array.isArray(values) && values.every((value) => value !== NONE && !String(value).includes(";"));
  found.require(right, "options", `names without ;, other than "${NONE}"`);
  const d = options.size;
  const most = found.whole("most", 1, d);
  let sets = 1n;
  let ways = 1n;
  for (let i = 1; i <= most && sets <= MOST_SETS; i++) {
    ways = ways * BigInt(d - i + 1) / BigInt(i);
    sets += ways;
  }
  found.require(sets <= MOST_SETS, "most", "such that there are at most 2^62 sets");
  function items(value) {
    const ticked = value instanceof Set ? [...value] : value;
    if (!Array.isArray(ticked)) throw new InvalidValue("the value must be a list of options; an empty list is none of these");
    if (ticked.length > most) throw new InvalidValue(`the value must have at most ${most} of the options`);
    const places = Array.from(ticked, (option) => options.input(option)).sort((a, b) => a - b);
    if (new Set(places).size < places.length) throw new InvalidValue("the options of a set must be distinct");
    for (let slot = places.length; slot < most; slot++) places.push(d + slot);
    return places;
  }
  return { kind: "choices", document: found.items, options, most, size: Number(sets), items };
}

// src/windows.ts
var DAY = 864e5;
var FIRST = "0001-01-01";
var LAST = "9999-12-31";
function readDay(text) {
  const day = Date.parse(text) / DAY;
  return text !== "" && dayText(day) === text ? day : void 0;
}
function dayText(day) {
  const date2 = new Date(day * DAY);
  const text = Number.isNaN(date2.getTime()) ? "" : date2.toISOString().slice(0, 10);
  return text >= FIRST ? text : "";
}
function isDay(text) {
  return readDay(text) !== void 0;
}
function mondayOf(day) {
  return day - ((day + 3) % 7 + 7) % 7;
}
function firstMonday(year) {
  return mondayOf(Date.parse(`${year}-01-04`) / DAY);
}
function windowOf(kind, day) {
  const number2 = readDay(day);
  if (number2 === void 0) throw new InvalidArgument(`day must be a date such as 2026-01-31; got ${day}`);
  if (kind === "once") return { name: "", first: FIRST, last: LAST };
  if (kind === "day") return { name: day, first: day, last: day };
  if (kind === "month") {
    const name = day.slice(0, 7);
    return { name, first: `${name}-01`, last: [31, 30, 29, 28].map((end) => `${name}-${end}`).find(isDay) };
  }
  const monday = mondayOf(number2);
  const year = new Date((monday + 3) * DAY).toISOString().slice(0, 4);
  const week = (monday - firstMonday(year)) / 7 + 1;
  return { name: `${year}-W${String(week).padStart(2, "0")}`, first: dayText(monday), last: dayText(monday + 6) };
}
function windowIndex(kind, day) {
  if (kind === "once") return 0;
  if (kind === "month") return 12 * (Number(day.slice(0, 4)) - 1970) + Number(day.slice(5, 7)) - 1;
  const number2 = readDay(day);
  return kind === "day" ? number2 : Math.floor((number2 + 3) / 7);
}
function firstDay(kind, index) {
  return dayText(kind === "month" ? Date.UTC(1970, index) / DAY : kind === "day" ? index : 7 * index - 3);
}

// src/dates.ts
var MONTHS = { month: 1, quarter: 3, year: 12 };
function readDates(found) {
  const [first, last] = ["first", "last"].map((key) => readDay(found.text(key)) ?? found.refuse(key, "a date such as 2026-01-31"));
  const step = found.choice("step", ["day", "week", "month", "quarter", "year"]);
  found.require(first <= last, "last", "a date from first on");
  const [low, high] = [first - 0.5, last + 0.5];
  const inner = step === "day" ? [] : startsAfter(first, last, step).map((day) => day - 0.5);
  found.require(inner.length + 2 <= MOST_EDGES, "step", "longer");
  const days = step === "day" ? makeInterval(low, high, high - low, void 0) : makeInterval(low, high, inner.length + 1, [low, ...inner, high], "linear");
  const says = `the value must be a date from ${dayText(first)} to ${dayText(last)}, as text such as "${dayText(first)}"`;
  function number2(value) {
    const day = typeof value === "string" ? readDay(value) : void 0;
    if (day === void 0) throw new InvalidValue(says);
    return day;
  }
  function inside(value) {
    const day = number2(value);
    if (day < first || day > last) throw new InvalidValue(says);
    return day;
  }
  return {
    kind: "dates",
    document: found.items,
    first: dayText(first),
    last: dayText(last),
    step,
    bins: days.bins,
    size: days.bins,
    start: (index) => dayText(days.edge(index) + 0.5),
    bin: (value) => days.bin(inside(value)),
    position: (value, steps) => days.position(inside(value), steps),
    nearest: (value) => dayText(Math.min(Math.max(number2(value), first), last)),
    cut: days.cut
  };
}
function startsAfter(first, last, step) {
  const starts = [];
  const [year, month] = dayText(first).split("-").map(Number);
  for (let i = 1; starts.length < MOST_EDGES; i++) {
    const day = step === "week" ? mondayOf(first) + 7 * i : firstOfMonth(year, Math.ceil(month / MONTHS[step]) * MONTHS[step] + (i - 1) * MONTHS[step]);
    if (day === void 0 || day > last) break;
    starts.push(day);
  }
  return starts;
}
function firstOfMonth(year, month) {
  return readDay(`${String(year + Math.floor(month / 12)).padStart(4, "0")}-${String(month % 12 + 1).padStart(2, "0")}-01`);
}

// src/keyvalues.ts
var MOST_PAIRS = 2 ** 16;
function readKeyValues(found) {
  const named = readDomain(found.get("keys"), `${found.where}.keys`);
  const keys = named.kind === "categories" ? named : found.refuse("keys", "categories");
  const numbers = readDomain(found.get("interval"), `${found.where}.interval`);
  const interval = numbers.kind === "interval" ? numbers : found.refuse("interval", "an interval");
  const pairs2 = found.get("pairs") === null ? null : found.whole("pairs", 1, MOST_PAIRS);
  const larger = found.choice("larger", pairs2 === null ? ["refuse"] : ["refuse", "sample"]);
  function pair2(value) {
    if (!Array.isArray(value) || value.length !== 2) throw new InvalidValue("the value must be a pair [key, number]");
    const key = keys.input(value[0]);
    interval.bin(value[1]);
    return { key, number: value[1] };
  }
  function set(value) {
    const items = value instanceof Map ? [...value] : value;
    if (!Array.isArray(items) || items.length === 0) throw new InvalidValue("the value must be a list of pairs");
    if (larger === "refuse" && items.length > pairs2) throw new InvalidValue(`the value must have at most ${pairs2} pairs`);
    const checked2 = Array.from(items, pair2);
    if (new Set(checked2.map((one) => one.key)).size !== checked2.length) throw new InvalidValue("the keys of a set must be distinct");
    return checked2;
  }
  const size = keys.size * interval.bins + (pairs2 === null ? 0 : 1);
  return { kind: "key-values", document: found.items, keys, interval, pairs: pairs2, larger, size, pair: pair2, set };
}

// src/record.ts
var NAME = /^(?! )[^\u0000-\u001f\u007f-\u009f]{0,99}[^\u0000-\u0020\u007f-\u009f]$/u;
function readRecord(found) {
  const questions = found.list("questions").map((one, i) => {
    const where = `${found.where}.questions.${i}`;
    const told = new Section(one, ["domain", "name"], where);
    const name = told.text("name");
    told.require(NAME.test(name), "name", "text of 1 to 100 characters, without control characters and spaces at the ends");
    const domain = readDomain(told.get("domain"), `${where}.domain`);
    const several = domain.kind === "vector" || domain.kind === "key-values" || domain.kind === "choices" || domain.kind === "record";
    return { name, domain: several || domain.size < 2 ? told.refuse("domain", "of one value per person, out of at least 2") : domain };
  });
  const names = questions.map(({ name }) => name);
  demand(names.length >= 2 && names.length <= 30, `${found.where}.questions`, "2 to 30 questions");
  demand(new Set(names).size === names.length, `${found.where}.questions`, "of distinct names");
  function answers(value) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new InvalidValue("the value must be an object with an answer to each question");
    const given = new Map(Object.entries(value));
    for (const name of given.keys()) {
      if (!names.includes(name)) throw new InvalidValue(`there is no question ${JSON.stringify(name)}; there are ${names.join(", ")}`);
    }
    return questions.map(({ name, domain }) => {
      if (!given.has(name)) throw new InvalidValue(`the question ${JSON.stringify(name)} must be answered`);
      try {
        return inputOf(domain, given.get(name), 1);
      } catch (error) {
        throw error instanceof InvalidValue ? new InvalidValue(`answer to ${JSON.stringify(name)}: ${error.message}`) : error;
      }
    });
  }
  return { kind: "record", document: found.items, questions, size: questions.reduce((size, { domain }) => size * domain.size, 1), answers };
}

// src/maydecline.ts
function readMayDecline(found) {
  const inner = readDomain(found.get("domain"), `${found.where}.domain`);
  const plain2 = inner.kind === "categories" || inner.kind === "interval" || inner.kind === "counts" || inner.kind === "ratings" || inner.kind === "dates";
  const domain = plain2 && !("sensitive" in inner && inner.sensitive !== void 0) ? inner : found.refuse("domain", "of one value per person, none of them sensitive");
  const label = found.text("label");
  found.require(NAME.test(label), "label", "text of 1 to 100 characters, without control characters and spaces at the ends");
  found.require(!holds2(domain, label), "label", "none of the answers");
  return {
    kind: "may-decline",
    document: found.items,
    domain,
    label,
    size: domain.size + 1,
    input: (value) => value === label ? domain.size : inputOf(domain, value, 1)
  };
}
function holds2(domain, value) {
  try {
    inputOf(domain, value, 1);
    return true;
  } catch (error) {
    if (error instanceof InvalidValue) return false;
    throw error;
  }
}

// src/vector.ts
function readVector(found) {
  const inside = readDomain(found.get("interval"), `${found.where}.interval`);
  const interval = isNumeric(inside) && inside.kind !== "dates" ? inside : found.refuse("interval", "an interval, counts or ratings");
  const coordinates = found.whole("coordinates", 1, MOST_INPUTS);
  function row2(value) {
    if (!Array.isArray(value) || value.length !== coordinates) {
      throw new InvalidValue(`the value must be a list of ${coordinates} numbers`);
    }
    return Array.from(value, (number2) => {
      interval.bin(number2);
      return number2;
    });
  }
  return { kind: "vector", document: found.items, interval, coordinates, size: coordinates * interval.bins, row: row2 };
}

// src/whole.ts
function readCounts(found) {
  return wholeNumbers("counts", found, 0, found.whole("most", 0, MOST_INPUTS - 1));
}
function readRatings(found) {
  const low = found.whole("low", -FARTHEST_RATING, FARTHEST_RATING);
  const most = Math.min(FARTHEST_RATING, low + MOST_INPUTS - 1);
  return wholeNumbers("ratings", found, low, found.whole("high", low + 1, most));
}
function wholeNumbers(kind, found, least, most) {
  const document2 = found.items;
  const unit = document2.has("unit") ? readUnit(found) : "";
  found.require(!document2.has("unit") || unit !== "", "unit", "left out, with version 1, where it is empty");
  function bin(value) {
    const number2 = Number.isInteger(value) ? value : NaN;
    if (number2 >= least && number2 <= most) return number2 - least + 0;
    throw new InvalidValue(`the value must be a whole number from ${least} to ${most}`);
  }
  function nearest(value) {
    const right = Number.isInteger(value) || value === Infinity || value === -Infinity;
    if (!right) throw new InvalidValue("the value must be a whole number");
    return Math.min(Math.max(value, least), most);
  }
  const bins = most - least + 1;
  return {
    kind,
    document: document2,
    least,
    most,
    bins,
    size: bins,
    unit,
    bin,
    nearest,
    position: (value, steps) => bin(value) * steps,
    cut: (wide) => makeInterval(least - 0.5, most + 0.5, wide)
  };
}

// src/domain.ts
var KINDS = /* @__PURE__ */ new Map([
  ["categories", [readCategories, "size values", "sensitive"]],
  ["choices", [readChoices, "most options"]],
  ["interval", [readInterval, "bins high low", "edges open_end scale unit"]],
  ["counts", [readCounts, "most", "unit"]],
  ["dates", [readDates, "first last step"]],
  ["may-decline", [readMayDecline, "domain label"]],
  ["ratings", [readRatings, "high low", "unit"]],
  ["vector", [readVector, "coordinates interval"]],
  ["key-values", [readKeyValues, "interval keys larger pairs"]],
  ["record", [readRecord, "questions"]]
]);
function readDomain(document2, where) {
  const kind = document2 instanceof Map ? document2.get("kind") : void 0;
  const [read, keys, more] = KINDS.get(kind) ?? refuse(`${where}.kind`, [...KINDS.keys()].join(" or "));
  const second = more !== void 0 && document2.get("version") === 2;
  const found = new Section(document2, `${keys}${second ? ` ${more}` : ""} kind version`.split(" "), where);
  if (!second) found.whole("version", 1, 1);
  return read(found);
}
function isNumeric(domain) {
  return ["interval", "counts", "ratings", "dates"].includes(domain.kind);
}
function checkValue(domain, value) {
  if (domain.kind === "vector") domain.row(value);
  else if (domain.kind === "record") domain.answers(value);
  else if (domain.kind === "choices") domain.items(value);
  else if (domain.kind === "key-values" && domain.pairs !== null) domain.set(value);
  else inputOf(domain, value, 1);
}
function inputOf(domain, value, steps) {
  if (isNumeric(domain)) return domain.position(value, steps);
  if (domain.kind === "categories" || domain.kind === "may-decline") return domain.input(value);
  const { key, number: number2 } = domain.pair(value);
  return key * domain.interval.bins + domain.interval.bin(number2);
}
function labelOf(domain, index) {
  if (domain.kind === "interval") {
    const [from, to] = [domain.edge(index), domain.edge(index + 1)].map((edge) => Number(edge.toPrecision(6)));
    return to === Infinity ? `${from} or more` : `${from} to ${to}`;
  }
  if (domain.kind === "dates") return domain.start(index);
  if (domain.kind === "may-decline") return index < domain.domain.size ? labelOf(domain.domain, index) : `"${domain.label}"`;
  if (domain.kind === "choices") {
    const { options } = domain;
    return index < options.size ? labelOf(options, index) : `at most ${index - options.size} boxes`;
  }
  const values = domain.document.get("values");
  if (Array.isArray(values)) return `"${String(values[index])}"`;
  return String("least" in domain ? domain.least + index : index);
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
  return [1, 2, 4].find((size) => below2 <= 1n << BigInt(8 * size)) ?? 8;
}
function fieldBytes(field2) {
  if (field2.kind === "bits") return Math.ceil(field2.count / 8);
  return numberBytes(field2.below) * (field2.kind === "row" ? field2.count : 1);
}
function payloadBytes(fields) {
  return fields.reduce((sum, field2) => sum + fieldBytes(field2), 0);
}
function writePayload(fields, report) {
  const bytes = new Uint8Array(payloadBytes(fields));
  let at = 0;
  fields.forEach((field2, i) => {
    const items = [report[i]].flat();
    for (const item of items) {
      if (item instanceof Uint8Array) {
        bytes.set(item, at);
        at += item.length;
        continue;
      }
      const size = numberBytes(field2.below);
      for (let k = 0; k < size; k++) bytes[at++] = Number(BigInt(item) >> BigInt(8 * k) & 255n);
    }
  });
  return bytes;
}
function packBits(bits) {
  const packed = new Uint8Array(Math.ceil(bits.length / 8));
  for (let v = 0; v < bits.length; v++) packed[v >> 3] |= bits[v] << (v & 7);
  return packed;
}

// src/mechanisms/common.ts
function readOptions(source, ...names) {
  return new Section(source.options, names, `${source.where}.options`);
}
function readBits(options) {
  return options.whole("bits", 8, 62);
}
function readWeights(source, ...names) {
  return weightsNamed(source.weights, names, `${source.where}.weights`);
}
function requireWeights(source, condition, must) {
  demand(condition, `${source.where}.weights`, must);
}
function readInner({ epsilon, weights }, options, key, domain) {
  const found = new Section(options.get(key), ["mechanism", "options"], `${options.where}.${key}`);
  return innerMechanism(found.text("mechanism"), domain, epsilon, found.get("options"), weights, found.where);
}
function categorical({ domain, where }) {
  const several = domain.kind === "vector" || domain.kind === "record" || domain.kind === "choices" || domain.kind === "key-values" && domain.pairs !== null;
  return several ? refuse(`${where}.domain`, "of one value per person: not a vector, record or choices, and without sets of pairs") : domain;
}
function numeric({ domain, where }) {
  return isNumeric(domain) ? domain : refuse(`${where}.domain`, "an interval, counts or ratings");
}
function forOneValue(domain, { ratio, ...parts }, scope = "") {
  const { steps = 1, respondAt } = parts;
  const certificate = { ...ratioCertificate(domain.size * steps === 1 ? ONE : ratio), scope };
  return { steps, certificate, respond: (value, words) => respondAt(inputOf(domain, value, steps), words), ...parts };
}
function readSteps(options, domain, mostPositions) {
  const fine = domain.kind === "interval" || domain.kind === "dates" && domain.step !== "day";
  const most = fine ? Math.floor(mostPositions / domain.bins) : 1;
  const steps = options.whole("steps", 1, Math.max(most, 1));
  options.require(steps * domain.bins <= mostPositions, "steps", `such that there are at most ${mostPositions} positions`);
  return steps;
}
function partOf(epsilon, parts) {
  let part = epsilon.value / parts;
  for (; ; ) {
    const tried = decimalOf(part);
    if (!exceeds(multiple(exact(tried), parts), exact(epsilon))) return tried;
    part *= 1 - Number.EPSILON / 2;
  }
}

// src/mechanisms/binned.ts
function readBinned(source) {
  const domain = numeric(source);
  const options = readOptions(source, "oracle", "report_bins");
  const wide = options.whole("report_bins", 1, domain.bins);
  const divides = domain.bins % wide === 0;
  const [free, least] = domain.kind === "interval" ? [!domain.uneven, 1 + Number(domain.unbounded)] : [false, 1];
  options.require(wide >= least && (divides || free), "report_bins", `a divisor of the number of bins, at least ${least}`);
  const interval = domain.cut(wide);
  const oracle = readInner(source, options, "oracle", interval);
  options.require(oracle.steps === 1, "oracle", "a mechanism with one position for each bin");
  const narrow = domain.bins / wide;
  const respondAt = oracle.respondAt;
  return {
    ...oracle,
    steps: divides ? 1 : 0,
    respond: (value, words) => respondAt(divides ? Math.floor(domain.bin(value) / narrow) : interval.bin(value), words),
    respondAt: (bin, words) => respondAt(Math.floor(bin / narrow), words)
  };
}

// src/words.ts
var WORD = 1n << 64n;
function systemRandomness() {
  const source = globalThis.crypto;
  if (typeof source?.getRandomValues !== "function") throw missing();
  return source;
}
function fill(source, zeros) {
  source.getRandomValues(zeros);
  if (!zeros.some(Boolean)) throw missing();
  return zeros;
}
function missing() {
  return new NoRandomness("crypto.getRandomValues is missing here, or gives only zeros, so no report can be drawn");
}
function newId2() {
  return fill(systemRandomness(), new Uint8Array(16));
}
function systemWords() {
  const source = systemRandomness();
  const buffer = new BigUint64Array(64);
  let left = 0;
  return {
    next() {
      if (left === 0) {
        fill(source, buffer);
        left = buffer.length;
      }
      const word = buffer[--left];
      buffer[left] = 0n;
      return word;
    }
  };
}
function below(size, words) {
  if ((size & size - 1n) === 0n) return words.next() * size >> 64n;
  const limit = WORD - WORD % size;
  for (; ; ) {
    const word = words.next();
    if (word < limit) return word % size;
  }
}
function belowNumber(size, words) {
  return Number(below(BigInt(size), words));
}
function wordBytes(count, words) {
  const bytes = new Uint8Array(8 * count);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < count; i++) view.setBigUint64(8 * i, words.next(), true);
  return bytes;
}

// src/mechanisms/response.ts
function readResponse(source, size, bits) {
  const { keep, other } = readWeights(source, "keep", "other");
  const total = 1n << BigInt(bits);
  const least = size === 1 ? other === 0n : keep >= 1n && other >= 1n;
  requireWeights(source, least && keep + BigInt(size) * other === total, "such that keep + size * other is 2^bits");
  const shift = BigInt(64 - bits);
  return {
    keep,
    other,
    ratio: fraction(keep + other, other),
    respond(cell, words) {
      const x = words.next() >> shift;
      return x < keep ? cell : Number((x - keep) / other);
    }
  };
}
function hashing(source, domain, options, { hash, g, draw, ...parts }) {
  const { ratio, respond } = readResponse(source, g, readBits(options));
  return forOneValue(domain, {
    ...parts,
    fields: [hash, numberField("cell", g)],
    ratio,
    respondAt(value, words) {
      const [drawn, cell] = draw(value, words);
      return [drawn, respond(cell, words)];
    }
  });
}
function readRandomizedResponse(source) {
  const domain = categorical(source);
  const { ratio, respond } = readResponse(source, domain.size, readBits(readOptions(source, "bits")));
  return forOneValue(domain, {
    fields: [numberField("value", domain.size)],
    cells: domain.size,
    ratio,
    respondAt: (input, words) => [respond(input, words)]
  });
}

// src/mechanisms/choices.ts
function choices({ domain, where }) {
  return domain.kind === "choices" ? domain : refuse(`${where}.domain`, "choices");
}
function readChoiceResponse(source) {
  const domain = choices(source);
  const items = domain.options.size + domain.most;
  const { ratio, respond } = readResponse(source, items, readBits(readOptions(source, "bits")));
  const { numerator, denominator } = ratio;
  const others = BigInt(domain.most) * denominator;
  return {
    fields: [numberField("item", items)],
    cells: items,
    certificate: ratioCertificate(fraction(others + numerator - denominator, others)),
    respond(value, words) {
      const held = domain.items(value);
      return [respond(held[belowNumber(domain.most, words)], words)];
    },
    inWords: (item) => labelOf(domain, item)
  };
}
function readDrawnOption(source) {
  const domain = choices(source);
  const { ratio, respond } = readResponse(source, 2, readBits(readOptions(source, "bits")));
  return {
    fields: [numberField("option", domain.options.size), numberField("ticked", 2)],
    cells: 2 * domain.options.size,
    certificate: ratioCertificate(ratio),
    respond(value, words) {
      const held = domain.items(value);
      const option = belowNumber(domain.options.size, words);
      return [option, respond(Number(held.includes(option)), words)];
    }
  };
}
function readChoiceSubsets(source) {
  const domain = choices(source);
  const [d, m] = [domain.options.size, domain.most];
  const options = readOptions(source, "bits", "report_size");
  const bits = readBits(options);
  const l = options.whole("report_size", 1, d);
  const where = `${source.where}.weights`;
  const weights = list(source.weights, where).map((one) => weight(one, where));
  const total = weights.reduce((sum, one) => sum + one, 0n);
  const own = weights.reduce((sum, one, j) => sum + BigInt(j) * one, 0n);
  const filled = weights.length === Math.min(m, l) + 1 && weights.every((one) => one >= 1n) && total === 1n << BigInt(bits);
  requireWeights(source, filled && BigInt(d) * own > BigInt(m) * (BigInt(l) * total - own), "positive, of sum 2^bits, and larger for items in common");
  const shift = BigInt(64 - bits);
  return {
    fields: [bitsField("bits", d + m)],
    cells: 2 * (d + m),
    blocks: d + m,
    certificate: ratioCertificate(spread(weights, d, m, l)),
    respond(value, words) {
      const held = domain.items(value);
      let rest = words.next() >> shift;
      const common = weights.findIndex((one) => (rest -= one) < 0n);
      const others = Array.from({ length: d + m }, (_, item) => item).filter((item) => !held.includes(item));
      const report = [...shuffled(held, m, words).slice(0, common), ...shuffled(others, l, words).slice(0, l - common)];
      const set = new Uint8Array(d + m);
      for (const item of report) set[item] = 1;
      return [packBits(set)];
    }
  };
}
function spread(weights, d, m, l) {
  let [above, below2] = [1n, 1n];
  const each = weights.map((one, j) => {
    if (j > 0) {
      above *= BigInt(m - j + 1) * BigInt(l - j + 1);
      below2 *= BigInt(j) * BigInt(d - l + j);
    }
    return fraction(one * below2, above);
  });
  const most = each.reduce((a, b) => exceeds(b, a) ? b : a);
  const least = each.reduce((a, b) => exceeds(a, b) ? b : a);
  return fraction(most.numerator * least.denominator, most.denominator * least.numerator);
}
function shuffled(items, count, words) {
  const mixed = [...items];
  for (let i = 0; i < count; i++) {
    const j = i + belowNumber(mixed.length - i, words);
    [mixed[i], mixed[j]] = [mixed[j], mixed[i]];
  }
  return mixed;
}

// src/bytes.ts
function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
function fromHex(text) {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new InvalidArgument("not lower-case hexadecimal digits");
  return Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16));
}
function utf8(text) {
  return new TextEncoder().encode(text);
}
function concatBytes(pieces) {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
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

// src/sha256.ts
var ROUND = constants(64, 3n);
var START = constants(8, 2n);
function constants(count, root) {
  const words = [];
  for (let p = 2; words.length < count; p++) {
    if (!isPrime(p)) continue;
    let low = 0n;
    for (let bit = 1n << 37n; bit > 0n; bit >>= 1n) {
      if ((low + bit) ** root <= BigInt(p) << 32n * root) low += bit;
    }
    words.push(Number(low & 0xffffffffn));
  }
  return Uint32Array.from(words);
}
function sha256(message) {
  const padded = new DataView(new ArrayBuffer(64 * Math.ceil((message.length + 9) / 64)));
  const bytes = new Uint8Array(padded.buffer);
  bytes.set(message);
  bytes[message.length] = 128;
  padded.setBigUint64(bytes.length - 8, 8n * BigInt(message.length));
  const state = START.slice();
  for (let at = 0; at < bytes.length; at += 64) block(state, padded, at);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => digest.setUint32(4 * i, word));
  return new Uint8Array(digest.buffer);
}
function turn(word, by) {
  return word >>> by | word << 32 - by;
}
function block(state, bytes, at) {
  const w = new Int32Array(64);
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    if (i < 16) w[i] = bytes.getInt32(at + 4 * i);
    else {
      const x = w[i - 15];
      const y = w[i - 2];
      const small = turn(x, 7) ^ turn(x, 18) ^ x >>> 3;
      const large = turn(y, 17) ^ turn(y, 19) ^ y >>> 10;
      w[i] = w[i - 16] + small + w[i - 7] + large;
    }
    const up = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const one = h + up + (e & f ^ ~e & g) + ROUND[i] + w[i] | 0;
    const down = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const two = down + (a & b ^ a & c ^ b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, d + one | 0, c, b, a, one + two | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => state[i] += word);
}

// src/canonical.ts
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!(value instanceof Map)) return JSON.stringify(value);
  const keys = [...value.keys()].sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value.get(key))}`).join(",")}}`;
}
function digestOf(document2) {
  return toHex(sha256(utf8(canonical(document2))));
}
function fingerprintOf(document2) {
  return digestOf(document2).slice(0, 32);
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
      const place2 = (1 << j) - 1;
      if (register & 1) {
        if (place2 < 32) low[round] ^= 1 << place2;
        else high[round] ^= 1 << place2 - 32;
      }
      register = register & 128 ? register << 1 ^ 369 : register << 1;
    }
  }
  return [low, high];
}
function permute(state) {
  const column = new Int32Array(10);
  const row2 = new Int32Array(10);
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
      const turn2 = TURNS[i];
      const by = turn2 & 31;
      const [one, two] = turn2 < 32 ? [low, high] : [high, low];
      state[lane] = by === 0 ? one : one << by | two >>> 32 - by;
      state[lane + 1] = by === 0 ? two : two << by | one >>> 32 - by;
      low = keptLow;
      high = keptHigh;
    }
    for (let y = 0; y < 50; y += 10) {
      for (let x = 0; x < 10; x++) row2[x] = state[y + x];
      for (let x = 0; x < 10; x++) state[y + x] = row2[x] ^ ~row2[(x + 2) % 10] & row2[(x + 4) % 10];
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
function publicIndex(use, key, row2, j, size) {
  const block2 = shake256(utf8(`sottovoce ${use} 2 ${key} ${row2} ${Math.floor(j / BLOCK)}`), 4 * BLOCK);
  const word = new DataView(block2.buffer).getUint32(4 * (j % BLOCK), true);
  return Number(BigInt(word) * BigInt(size) >> 32n);
}

// src/mechanisms/fixedhashing.ts
function readFixedHashing(source) {
  const domain = categorical(source);
  const options = readOptions(source, "bits", "hash_count", "hash_range");
  const count = options.whole("hash_count", 1, Math.min(125e4, Math.floor(2 ** 24 / domain.size)));
  const g = options.whole("hash_range", 2, Math.floor(MOST_INPUTS / count));
  let key;
  return hashing(source, domain, options, {
    hash: numberField("hash", count),
    g,
    cells: count * g,
    draw(value, words) {
      const hash = belowNumber(count, words);
      key ?? (key = fingerprintOf(source.document));
      return [hash, publicIndex("hashes", key, hash, value, g)];
    }
  });
}

// src/mechanisms/hadamard.ts
function readHadamardResponse(source) {
  const domain = categorical(source);
  const d = domain.size;
  const options = readOptions(source, "bits", "block_count");
  const bits = readBits(options);
  const blocks = options.whole("block_count", 1, d);
  const rows = 2 ** bitLength(Math.ceil(d / blocks));
  options.require(blocks === Math.ceil(d / (rows - 1)), "block_count", "the number of blocks that the values fill");
  const all = blocks * rows;
  const { keep } = readWeights(source, "keep");
  const total = 1n << BigInt(bits);
  requireWeights(source, 0n < keep && keep < total, "above 0 and below 2^bits");
  const rest = (total - keep) * BigInt(rows / 2);
  const shift = BigInt(64 - bits);
  return forOneValue(domain, {
    fields: [numberField("row", all)],
    cells: all,
    ratio: fraction(rest + keep * BigInt(all), rest),
    respondAt(value, words) {
      const kept = words.next() >> shift < keep;
      const row2 = belowNumber(all, words);
      const column = Math.floor(value / blocks) + 1;
      const z = row2 % rows;
      const plus = parity(z & column) === 0 ? z : z ^ column & -column;
      return [kept ? value % blocks * rows + plus : row2];
    }
  });
}
function bitLength(n) {
  return n.toString(2).length;
}
function parity(n) {
  let bits = n;
  for (const by of [16, 8, 4, 2, 1]) bits ^= bits >>> by;
  return bits & 1;
}

// src/mechanisms/haar.ts
function readHaar(source) {
  const domain = numeric(source);
  const response = readResponse(source, 2, readBits(readOptions(source, "bits")));
  const heights = bitLength(domain.bins - 1);
  const half = 2 ** (heights - 1);
  const cells = 2 * (2 ** heights - 1);
  return forOneValue(domain, {
    fields: [numberField("cell", cells)],
    cells,
    ratio: response.ratio,
    respondAt(bin, words) {
      const x = belowNumber(heights * half, words);
      const h = Math.floor(x / half);
      const column = x % half >> h;
      const sign = parity(bin >> h + 1 & column) ^ bin >> h & 1;
      const answer = response.respond(sign, words);
      return [2 * (2 ** heights - 2 ** (heights - h) + column) + answer];
    }
  });
}

// src/mechanisms/stack.ts
function readRanges(options, count) {
  const ranges = options.list("hash_ranges");
  const right = ranges.length === count && ranges.every((range) => typeof range === "number" && range >= 0);
  return right ? ranges : options.refuse("hash_ranges", `a number of at least 0 for each of ${count}`);
}
function readOracle({ epsilon, where }, bits, size, range, weights, i) {
  const options = /* @__PURE__ */ new Map([["bits", bits]]);
  if (range > 0) options.set("hash_range", range);
  const name = range > 0 ? "local-hashing" : "randomized-response";
  const oracle = innerMechanism(name, numberedCategories(size), epsilon, options, weights, `${where}, part ${i}`);
  return {
    cells: oracle.cells,
    ratio: oracle.certificate.ratio,
    respond(value, words) {
      if (range === 0) words.next();
      const [first, second] = oracle.respondAt(value, words);
      return range === 0 ? first : first * range + second;
    },
    find: (cell) => range === 0 ? { answer: cell } : { hash: Math.floor(cell / range), answer: cell % range }
  };
}
function startsOf(parts) {
  const starts = [0];
  for (const { cells } of parts) starts.push(starts[starts.length - 1] + cells);
  return starts;
}

// src/mechanisms/unary.ts
function makeUnary(own, other, bits, where) {
  const total = 1n << BigInt(bits);
  demand(0n < other && other < own && own < total, `${where}.weights`, "such that 0 < other < own < 2^bits");
  const ownBelow = own << BigInt(64 - bits);
  const limit = limitOf(other, bits);
  return {
    ratio: fraction(own * (total - other), other * (total - own)),
    own: (words) => words.next() < ownBelow,
    others: (count, words) => drawBits(count, () => limit, words)
  };
}
function limitOf(weight2, bits) {
  const below2 = weight2 << BigInt(64 - bits);
  return { first: Number(below2 >> 56n), rest: below2 & (1n << 56n) - 1n };
}
function drawBits(count, limit, words) {
  const lanes = wordBytes(Math.ceil(count / 8), words).subarray(0, count);
  return packBits(lanes.map((lane, v) => {
    const { first, rest } = limit(v);
    return Number(lane === first ? words.next() >> 8n < rest : lane < first);
  }));
}
function putBit(packed, v, set) {
  const mask = 1 << (v & 7);
  packed[v >> 3] = set ? packed[v >> 3] | mask : packed[v >> 3] & ~mask;
}
function unaryReport(unary, count, value, words) {
  const own = unary.own(words);
  const packed = unary.others(count, words);
  putBit(packed, value, own);
  return packed;
}
function readUnaryEncoding(source) {
  const domain = categorical(source);
  const d = domain.size;
  const options = readOptions(source, "bits", "variant");
  options.choice("variant", ["optimized", "symmetric"]);
  const { own, other } = readWeights(source, "other", "own");
  const unary = makeUnary(own, other, readBits(options), source.where);
  return forOneValue(domain, {
    fields: [bitsField("bits", d)],
    cells: 2 * d,
    blocks: d,
    ratio: unary.ratio,
    respondAt: (input, words) => [unaryReport(unary, d, input, words)]
  });
}

// src/mechanisms/hierarchy.ts
function readHierarchy(source) {
  const domain = numeric(source);
  const options = readOptions(source, "bits", "branching", "hash_ranges", "split");
  const bits = readBits(options);
  const branching = options.whole("branching", 2, Number.MAX_SAFE_INTEGER);
  const split = options.choice("split", ["population", "budget"]);
  const sizes = [domain.bins];
  while (sizes[sizes.length - 1] > branching) sizes.push(Math.ceil(sizes[sizes.length - 1] / branching));
  const weights = list(source.weights, `${source.where}.weights`);
  requireWeights(source, weights.length === sizes.length, "a list with weights for every level");
  const ranges = readRanges(options, split === "budget" ? 0 : sizes.length);
  const tree = { source, bits, branching, sizes, weights };
  return forOneValue(domain, split === "population" ? byPopulation(tree, ranges) : byBudget(tree));
}
function nodeOf(bin, level, branching) {
  return Math.floor(bin / branching ** level);
}
function byPopulation({ source, bits, branching, sizes, weights }, ranges) {
  const levels2 = sizes.map((size, l) => readOracle(source, bits, size, ranges[l], weights[l], l));
  const starts = startsOf(levels2);
  const cells = starts[levels2.length];
  return {
    fields: [numberField("cell", cells)],
    cells,
    ratio: largest(ONE, ...levels2.map(({ ratio }) => ratio)),
    respondAt(bin, words) {
      const level = belowNumber(sizes.length, words);
      return [starts[level] + levels2[level].respond(nodeOf(bin, level, branching), words)];
    }
  };
}
function byBudget({ source, bits, branching, sizes, weights }) {
  const part = partOf(source.epsilon, sizes.length);
  demand(part.value >= 1e-6, `${source.where}.epsilon`, "at least 0.000001 for every level");
  let ratio = ONE;
  const levels2 = sizes.map((size, l) => {
    const where = `${source.where}, level ${l}`;
    const { own, other } = weightsNamed(weights[l], ["other", "own"], `${where}.weights`);
    const unary = makeUnary(own, other, bits, where);
    const one = size === 1 ? ONE : unary.ratio;
    demand(holds(one, part), `${where}.weights`, `such that no ratio exceeds e^${part.text}`);
    ratio = product(ratio, one);
    return unary;
  });
  const nodes = sizes.reduce((sum, size) => sum + size, 0);
  return {
    fields: sizes.map((size, l) => bitsField(`bits${l}`, size)),
    cells: 2 * nodes,
    blocks: nodes,
    ratio,
    respondAt: (bin, words) => levels2.map((unary, l) => unaryReport(unary, sizes[l], nodeOf(bin, l, branching), words))
  };
}

// src/mechanisms/keynumbers.ts
function readNumbers(source, interval, options, keyNames) {
  const rounding = options.choice("numbers", ["rounding", "piecewise"]) === "rounding";
  const steps = readSteps(options, interval, rounding ? MOST_ROUNDED : MOST_POSITIONS);
  const positions = interval.bins * steps;
  options.require(positions >= 2, "steps", "such that there are at least 2 positions");
  const names = [...rounding ? ["base", "unit"] : ["low", "unit", "width"], ...keyNames];
  const weights = readWeights(source, ...names);
  requireWeights(source, names.every((name) => weights[name] >= 1n), "at least 1");
  const { unit = 0n, width = 1n } = weights;
  requireWeights(source, width <= BigInt(MOST_POSITIONS), "such that width is at most 2^22");
  const outputs = rounding ? 2 : positions + Number(width) - 1;
  const outputBins = options.whole("output_bins", Math.min(2, outputs), outputs);
  const added = (rounding ? BigInt(positions - 1) : width) * unit;
  const numbers = {
    rounding,
    outputs,
    outputBins,
    added,
    low: weights[rounding ? "base" : "low"],
    top: rounding ? added : unit,
    near: (position, draw) => rounding ? Number(draw < BigInt(position) * unit) : position + Number(draw / unit),
    cell: (output) => Math.floor(output * outputBins / outputs)
  };
  return { steps, numbers, others: weights };
}

// src/mechanisms/keyresponse.ts
function responseKeys(keys, pairs2, numbers, where) {
  const { outputs, low, added, top } = numbers;
  const O = BigInt(outputs);
  const K = BigInt(keys);
  const total = (K + BigInt(pairs2 ?? 0)) * O * low + added;
  demand(total <= MOST_TOTAL, `${where}.weights`, "of a total of at most 2^63");
  const l = BigInt(pairs2 ?? 1);
  const held = l < K ? l : K;
  const background = l * l * O * low;
  const ratio = largest(
    fraction(l * low + top, l * low),
    fraction(background + (l - 1n) * added, background + (l - held) * added)
  );
  return {
    fields: [numberField("key", keys + (pairs2 === null ? 0 : 1)), numberField(numbers.rounding ? "high" : "cell", numbers.outputBins)],
    cells: keys * numbers.outputBins + (pairs2 === null ? 0 : 1),
    blocks: 1,
    ratio,
    respond(slot, words) {
      const z = below(total, words);
      if (z < added) return slot === null ? [keys, 0] : [slot.key, numbers.cell(numbers.near(slot.position, z))];
      const drawn = (z - added) / low;
      const key = Number(drawn / O);
      return key >= keys ? [keys, 0] : [key, numbers.cell(Number(drawn % O))];
    }
  };
}

// src/mechanisms/keyunary.ts
function unaryKeys(keys, pairs2, numbers, weights, bits, where) {
  const own = weights["own"];
  const other = weights["other"];
  const unary = makeUnary(own, other, bits, where);
  const total = BigInt(numbers.outputs) * numbers.low + numbers.added;
  demand(total <= MOST_TOTAL, `${where}.weights`, "of a total of at most 2^63");
  function respond(slot, words) {
    const mine = unary.own(words);
    const set = unary.others(keys, words);
    const isSet = (key) => (set[key >> 3] >> (key & 7) & 1) === 1;
    const made = numbers.rounding ? wordBytes(Math.ceil(keys / 64), words).subarray(0, set.length) : new Array(keys).fill(0);
    if (!numbers.rounding) {
      for (let key = 0; key < keys; key++) if (isSet(key)) made[key] = numbers.cell(belowNumber(numbers.outputs, words));
    }
    const z = below(total, words);
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
  const ratio = worstRatio(BigInt(keys), BigInt(pairs2 ?? 1), numbers, own, other, 1n << BigInt(bits), total);
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
  const sizes = [1n, L, K - 1n, K - L].filter((size) => size >= 1n && size <= L);
  let worst = ONE;
  for (const [s, t] of sizes.flatMap((one) => sizes.map((other2) => [one, other2]))) {
    for (const n of [s > t ? s : t, s + t < K ? s + t : K]) {
      const p = n - t;
      const q = n - s;
      const c = s + t - n;
      for (const [x, y] of [[M, m], [U, U]]) {
        worst = largest(worst, fraction(p * M + c * x + (l - p - c) * I, q * least + c * y + (l - q - c) * I));
      }
    }
  }
  return worst;
}

// src/mechanisms/keyvalue.ts
function readKeyValue(source) {
  const { domain, where } = source;
  if (domain.kind !== "key-values") refuse(`${where}.domain`, "key-values");
  const options = readOptions(source, "bits", "keys", "numbers", "output_bins", "steps");
  const bits = readBits(options);
  const keys = options.choice("keys", ["unary", "response"]);
  const { steps, numbers, others } = readNumbers(source, domain.interval, options, keys === "unary" ? ["own", "other"] : []);
  const { ratio, respond: respondTo, ...parts } = keys === "unary" ? unaryKeys(domain.keys.size, domain.pairs, numbers, others, bits, where) : responseKeys(domain.keys.size, domain.pairs, numbers, where);
  const { pairs: pairs2, interval, pair: pair2, set } = domain;
  const place2 = ({ key, number: number2 }) => ({ key, position: interval.position(number2, steps) });
  function respond(value, words) {
    if (pairs2 === null) return respondTo(place2(pair2(value)), words);
    const slots = set(value).map(place2);
    const slot = belowNumber(Math.max(pairs2, slots.length), words);
    return respondTo(slots[slot] ?? null, words);
  }
  return { ...parts, certificate: ratioCertificate(ratio), respond };
}

// src/mechanisms/noise.ts
var MOST_NOISE = 2 ** 16;
function makeNoise(weights, bins, reach, where) {
  const { center, ratio, tail, least, change } = weights;
  const one = 1n << 128n;
  const right = [center, ratio, tail, least, change].every((weight2) => weight2 >= 1n) && ratio <= one && change <= one;
  demand(right && center < MOST_TOTAL && tail < MOST_TOTAL, where, "at least 1, ratio and change at most 2^128, the others below 2^63");
  const heights = [];
  const curve = [];
  const ratios = [];
  let g = center << 64n;
  let q = ratio;
  let sum = 0n;
  for (let k = 0; k < bins + reach - 1; k++) {
    const height = (g >> 64n) + least;
    curve.push(g);
    ratios.push(q);
    heights.push(height);
    sum += height;
    g = g * q >> 128n;
    if (change !== one) q = q * change >> 128n;
  }
  const weighed = [tail, ...heights.slice(1).reverse(), ...heights, tail];
  const total = 2n * (sum + tail) - (heights[0] ?? 0n);
  demand(total <= MOST_TOTAL, where, "of a total of at most 2^63");
  const last = bins + 2 * reach - 1;
  return {
    heights,
    tail,
    total,
    curve,
    ratios,
    respond(bin, words) {
      const cell = bin + sumsAtMost(below(total, words), weighed) - (bins - 1);
      return Math.min(Math.max(cell, 0), last);
    }
  };
}
function sumsAtMost(x, weights) {
  let running = 0n;
  let count = 0;
  for (const weight2 of weights) {
    running += weight2;
    if (running <= x) count++;
  }
  return count;
}
function oneCell(noise) {
  return (bin, words) => [noise.respond(bin, words)];
}

// src/mechanisms/laplace.ts
function readLaplace(source) {
  return readNoise(source, { ...readWeights(source, "center", "ratio", "tail"), least: 1n }, "", ({ heights, tail }) => {
    const ends = fraction(heights.reduce((sum, one) => sum + one, tail), tail);
    return largest(ends, fraction(heights[0], heights[heights.length - 1]));
  });
}
function readDegreeNoise(source) {
  if (source.domain.kind !== "counts") refuse(`${source.where}.domain`, "counts");
  return readNoise(source, readWeights(source, "center", "least", "ratio", "tail"), "edge", ({ heights, tail }) => {
    let worst = fraction(heights[heights.length - 1] + tail, tail);
    for (let k = 0; k + 1 < heights.length; k++) worst = largest(worst, fraction(heights[k], heights[k + 1]));
    return worst;
  });
}
function readNoise(source, weights, scope, worst) {
  const domain = numeric(source);
  readBits(readOptions(source, "bits"));
  demand(domain.bins <= MOST_NOISE, `${source.where}.domain`, "of at most 2^16 bins");
  const noise = makeNoise({ ...weights, change: 1n << 128n }, domain.bins, 0, `${source.where}.weights`);
  const ratio = domain.bins === 1 ? ONE : worst(noise);
  return forOneValue(domain, { fields: [numberField("cell", domain.bins)], cells: domain.bins, ratio, respondAt: oneCell(noise) }, scope);
}

// src/mechanisms/localhashing.ts
function readLocalHashing(source) {
  const domain = categorical(source);
  const d = domain.size;
  const options = readOptions(source, "bits", "hash_range");
  const family = readFamily(source, options, d);
  const { g, hashes, cell } = family;
  const parts = hashing(source, domain, options, {
    hash: numberField("hash", hashes),
    g,
    cells: hashes * g,
    draw(value, words) {
      const hash = belowNumber(hashes, words);
      return [hash, cell(hash, value)];
    }
  });
  return { ...parts, family };
}
function readFamily({ document: document2 }, options, d) {
  const g = options.whole("hash_range", 2, primeFrom(d));
  options.require(isPrime(g), "hash_range", "a prime");
  const t = digitsFor(d, g);
  let key;
  const cell = (hash, value) => {
    key ?? (key = fingerprintOf(document2));
    return linearCell(hash, point(value, g, t, key), g);
  };
  return { g, name: `${g}^${t}`, hashes: (g ** t - 1) / (g - 1), cell };
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
  for (let row2 = 0; row2 < 8; row2 += 2) {
    right = (right + publicIndex("places", key, row2, left, a)) % a;
    left = (left + publicIndex("places", key, row2 + 1, right, b)) % b;
  }
  return left * a + right;
}
function linearCell(hash, place2, g) {
  let first = 0;
  let power = 1;
  while (hash >= first + power) {
    first += power;
    power *= g;
  }
  let vector = power + (hash - first);
  let rest = place2;
  let sum = 0;
  while (vector > 0) {
    sum = (sum + vector % g * (rest % g)) % g;
    vector = Math.floor(vector / g);
    rest = Math.floor(rest / g);
  }
  return sum;
}

// src/mechanisms/memoized.ts
var MOST_BITS = 20;
var UNARY = "unary-encoding";
var INNER = ["randomized-response", "local-hashing", "square-wave", UNARY];
function readMemoized(source) {
  const { domain, epsilon, where } = source;
  const options = readOptions(source, "half", "inner", "lifetime", "linkable");
  const lifetime = options.decimal("lifetime");
  options.require(lifetime.value > epsilon.value, "lifetime", "above epsilon");
  const inner = new Section(options.get("inner"), ["mechanism", "options"], `${options.where}.inner`);
  const name = inner.choice("mechanism", INNER);
  const unary = name === UNARY;
  const linkable = options.flag("linkable");
  options.require(linkable || !unary || domain.size <= MOST_BITS, "linkable", `true with more than ${MOST_BITS} values: so many bits identify a device`);
  options.require(!options.flag("half") || unary, "half", "false, unless inner is unary-encoding");
  const weights = new Section(source.weights, ["fresh", "permanent"], `${where}.weights`);
  const first = innerMechanism(name, domain, lifetime, inner.get("options"), weights.get("permanent"), inner.where);
  const partOf2 = (key) => ({ ...source, weights: weights.get(key), where: `${weights.where}.${key}` });
  const given = { first, permanent: partOf2("permanent"), fresh: partOf2("fresh"), bits: inner.get("options").get("bits") };
  const { ratio, fromMemo, composed, remember, tell } = (unary ? bitRounds : outputRounds)(given);
  const texts = new Map(Object.entries(composed).map(([key, number2]) => [key, String(number2)]));
  const { fields, cells, steps = 1, family } = innerMechanism(name, domain, epsilon, inner.get("options"), texts, inner.where);
  const single2 = domain;
  const memory = {
    lifetime,
    family,
    remember,
    ratio: first.certificate.ratio,
    position: (value) => inputOf(single2, value, steps),
    hash: (words) => family === void 0 ? 0 : belowNumber(family.hashes, words),
    entry: (hash, position) => family?.cell(hash, position) ?? position,
    report: (hash, memo, words) => family === void 0 ? [tell(memo, words)] : [hash, tell(memo, words)],
    cost(answers, windows2 = 1) {
      if (answers === 1) return lifetime.value;
      const each = logAbove(fromMemo, unary ? domain.size : 1);
      const blocks = Math.min(answers, windows2);
      const moved = blocks * lifetime.value + (windows2 - Math.ceil(windows2 / blocks)) * each;
      return Math.min(moved, windows2 * each) * (1 + 2 ** -50);
    }
  };
  return {
    ...forOneValue(single2, {
      fields,
      cells,
      steps,
      ratio,
      respondAt(position, words) {
        const hash = memory.hash(words);
        return memory.report(hash, remember(memory.entry(hash, position), words), words);
      }
    }),
    memory
  };
}
function outputRounds({ first, permanent, fresh, bits }) {
  const wave = first.name === "square-wave";
  const { base, more, span } = levels(wave, permanent);
  const outputs = first.fields[first.fields.length - 1].below;
  const second = readResponse(fresh, Number(outputs), bits);
  const { keep, other } = second;
  const sum = outputs * base + span * more;
  const chance = (weight2) => keep * weight2 + other * sum;
  const least = ceil(chance(base), sum);
  const { family } = first;
  const ofCell = family && readResponse(permanent, Number(outputs), bits);
  return {
    ratio: fraction(chance(base + more), chance(base)),
    fromMemo: other === 0n ? ONE : fraction(keep + other, other),
    composed: wave ? { low: least, unit: keep * more / sum, width: span } : { keep: (1n << BigInt(bits)) - outputs * least, other: least },
    remember: (entry, words) => ofCell?.respond(entry, words) ?? first.respondAt(entry, words)[0],
    tell: (memo, words) => second.respond(memo, words)
  };
}
function levels(wave, { weights, where }) {
  if (wave) {
    const { low, unit, width } = weightsNamed(weights, ["low", "unit", "width"], where);
    return { base: low, more: unit, span: width };
  }
  const { keep, other } = weightsNamed(weights, ["keep", "other"], where);
  return { base: other, more: keep, span: 1n };
}
function bitRounds({ first, permanent, fresh, bits }) {
  const { own, other } = weightsNamed(permanent.weights, ["own", "other"], permanent.where);
  const { stay, rise } = weightsNamed(fresh.weights, ["stay", "rise"], fresh.where);
  const total = 1n << BigInt(bits);
  demand(0n < rise && rise < stay && stay < total, fresh.where, "such that 0 < rise < stay < 2^bits");
  const chance = (weight2) => weight2 * stay + (total - weight2) * rise;
  const [mine, any, square] = [chance(own), chance(other), total * total];
  const limits = [limitOf(rise, bits), limitOf(stay, bits)];
  return {
    ratio: fraction(mine * (square - any), any * (square - mine)),
    fromMemo: largest(fraction(stay, rise), fraction(total - rise, total - stay)),
    composed: { own: mine / total, other: ceil(any, total) },
    remember: (entry, words) => first.respondAt(entry, words)[0],
    tell: (memo, words) => drawBits(first.domain.size, (v) => limits[memo[v >> 3] >> (v & 7) & 1], words)
  };
}
function ceil(numerator, denominator) {
  return (numerator + denominator - 1n) / denominator;
}

// src/mechanisms/questionsets.ts
var MOST_APART = 512;
var DESIGNS = ["sample", "pairs", "mixed", "parities", "joint", "split"];
function readQuestionSets(source) {
  const { domain, where } = source;
  if (domain.kind !== "record") refuse(`${where}.domain`, "a record");
  const { questions } = domain;
  const options = readOptions(source, "bits", "design", "hash_ranges", "rates");
  const bits = readBits(options);
  const design = options.choice("design", DESIGNS);
  const every = questions.map((_, i) => i);
  const singles = every.map((i) => [i]);
  const pairs2 = every.flatMap((i) => every.slice(i + 1).map((j) => [i, j]));
  const both = [...singles, ...pairs2];
  const sets = { sample: singles, pairs: pairs2, mixed: both, parities: both, joint: [every], split: [every] }[design];
  const rates = options.list("rates");
  const right = rates.length === sets.length && rates.every((rate) => typeof rate === "number" && rate >= 1);
  const total = right ? rates.reduce((sum, rate) => sum + rate, 0) : 0;
  options.require(right && total <= 2 ** 32, "rates", `a whole number from 1 for each of ${sets.length} sets, 2^32 in all`);
  const count = design === "split" ? questions.length : sets.length;
  const weights = list(source.weights, `${where}.weights`);
  requireWeights(source, weights.length === count, `a list with weights for each of ${count}`);
  const ranges = readRanges(options, count);
  options.require(design !== "parities" || ranges.every((range) => range === 2), "hash_ranges", "2 with parities");
  const asked2 = sets.map((set) => set.map((i) => questions[i]));
  demand(asked2.every((set) => sizeOf(set) <= MOST_INPUTS), `${where}.domain`, "such that no set of questions has more than 2,500,000 cells");
  function part(set, i) {
    if (design === "parities" && set.length === 2) return parities({ ...source, weights: weights[i] }, bits, set);
    return together(set, readOracle(source, bits, sizeOf(set), ranges[i], weights[i], i));
  }
  const parts = design === "split" ? [apart(source, bits, questions, ranges, weights)] : asked2.map(part);
  const starts = startsOf(parts);
  const cells = starts[parts.length];
  return {
    fields: [numberField("cell", cells)],
    cells,
    certificate: ratioCertificate(largest(ONE, ...parts.map(({ ratio }) => ratio))),
    respond(value, words) {
      const answers = domain.answers(value);
      let rest = belowNumber(total, words);
      const which = rates.findIndex((rate) => (rest -= rate) < 0);
      return [starts[which] + parts[which].respond(sets[which].map((i) => answers[i]), words)];
    },
    inWords(cell) {
      const which = starts.findIndex((start) => start > cell) - 1;
      return parts[which].inWords(cell - starts[which]);
    }
  };
}
function together(set, oracle) {
  const sizes = set.map(({ domain }) => domain.size);
  return {
    cells: oracle.cells,
    ratio: oracle.ratio,
    respond: (answers, words) => oracle.respond(numberOf(answers, sizes), words),
    inWords(cell) {
      const { hash, answer } = oracle.find(cell);
      const said = hash === void 0 ? digitsOf(answer, sizes).map((digit, i) => labelOf(set[i].domain, digit)).join(" and ") : `cell ${answer} of hash number ${hash}`;
      return `${about(set)}: ${said}`;
    }
  };
}
function parities(source, bits, set) {
  const [first, second] = set.map(({ domain }) => orderAbove(domain.size) - 1);
  const { ratio, respond } = readResponse(source, 2, bits);
  return {
    cells: 2 * first * second,
    ratio,
    respond([a, b], words) {
      const drawn = belowNumber(first * second, words);
      let ones = 1 + Math.floor(drawn / second) & a ^ 1 + drawn % second & b;
      let parity2 = 0;
      for (; ones > 0; ones >>>= 1) parity2 ^= ones & 1;
      return 2 * drawn + respond(parity2, words);
    },
    inWords: (cell) => `${about(set)}: parity number ${Math.floor(cell / 2)} is ${cell % 2 === 0 ? "even" : "odd"}`
  };
}
function orderAbove(size) {
  let order = 1;
  while (order < size) order *= 2;
  return order;
}
function apart(source, bits, questions, ranges, weights) {
  const { epsilon, where } = source;
  demand(questions.every(({ domain }) => domain.size <= MOST_APART), `${where}.domain`, `of at most ${MOST_APART} answers to each question`);
  demand(partOf(epsilon, questions.length).value >= 1e-6, `${where}.epsilon`, "at least 0.000001 for every question");
  const oracles = questions.map((one, i) => together([one], readOracle(source, bits, one.domain.size, ranges[i], weights[i], i)));
  const widths = oracles.map(({ cells }) => cells);
  return {
    cells: widths.reduce((cells, width) => cells * width, 1),
    ratio: oracles.map(({ ratio }) => ratio).reduce(product),
    respond: (answers, words) => numberOf(answers.map((answer, i) => oracles[i].respond([answer], words)), widths),
    inWords: (cell) => digitsOf(cell, widths).map((digit, i) => oracles[i].inWords(digit)).join("; ")
  };
}
function about(set) {
  return `about ${set.map(({ name }) => `"${name}"`).join(" and ")}`;
}
function sizeOf(set) {
  return set.reduce((size, { domain }) => size * domain.size, 1);
}
function numberOf(digits, sizes) {
  return digits.reduce((number2, digit, i) => number2 * sizes[i] + digit, 0);
}
function digitsOf(number2, sizes) {
  let rest = number2;
  return sizes.slice().reverse().map((size) => {
    const digit = rest % size;
    rest = Math.floor(rest / size);
    return digit;
  }).reverse();
}

// src/mechanisms/rounding.ts
function readRounding(source) {
  const domain = numeric(source);
  if (domain.kind === "dates" || domain.kind === "interval" && domain.uneven) refuse(`${source.where}.domain`, "of numbers in equal bins");
  const options = readOptions(source, "bits", "steps");
  readBits(options);
  const steps = readSteps(options, domain, MOST_ROUNDED);
  const positions = domain.bins * steps;
  options.require(positions >= 2, "steps", "such that there are at least 2 positions");
  const { base, unit } = readWeights(source, "base", "unit");
  const added = BigInt(positions - 1) * unit;
  const total = 2n * base + added;
  requireWeights(source, base >= 1n && unit >= 1n && total <= MOST_TOTAL, "at least 1, with a total of at most 2^63");
  return forOneValue(domain, {
    fields: [numberField("high", 2)],
    cells: 2,
    steps,
    ratio: fraction(base + added, base),
    respondAt: (position, words) => [below(total, words) < base + BigInt(position) * unit ? 1 : 0]
  });
}

// src/mechanisms/sampled.ts
function readSampledCoordinate(source) {
  const { domain, where } = source;
  if (domain.kind !== "vector") refuse(`${where}.domain`, "a vector");
  const options = readOptions(source, "inner");
  const inner = readInner(source, options, "inner", domain.interval);
  options.require((inner.blocks ?? 1) === 1, "inner", "a mechanism whose reports fall in one cell");
  options.require(inner.certificate.scope === "", "inner", "a mechanism without a scope");
  const k = domain.coordinates;
  return {
    fields: [numberField("coordinate", k), ...inner.fields],
    cells: k * inner.cells,
    certificate: inner.certificate,
    respond(value, words) {
      const row2 = domain.row(value);
      const coordinate = belowNumber(k, words);
      return [coordinate, ...inner.respond(row2[coordinate], words)];
    }
  };
}

// src/mechanisms/subset.ts
function readSubsetSelection(source) {
  const domain = categorical(source);
  const d = domain.size;
  const options = readOptions(source, "bits", "subset_size");
  const bits = readBits(options);
  const k = options.whole("subset_size", 1, Math.max(1, d - 1));
  const { own, start } = readWeights(source, "own", "start");
  const total = 1n << BigInt(bits);
  const filled = d === 1 ? own === total && start === 0n : BigInt(k) * total < BigInt(d) * own && own < total && start < 16n;
  requireWeights(source, filled, "such that k 2^bits < d own, own < 2^bits and start < 16");
  const ownBelow = own << BigInt(64 - bits);
  const digits = binaryDigits(start);
  return forOneValue(domain, {
    fields: [bitsField("bits", d)],
    cells: 2 * d,
    blocks: d,
    ratio: fraction(own * BigInt(d - k), (total - own) * BigInt(k)),
    respondAt(value, words) {
      const taken = words.next() < ownBelow;
      return [d === 1 ? Uint8Array.of(1) : packBits(chosen(value, taken, d, k, digits, words))];
    }
  });
}
function binaryDigits(start) {
  return [...start.toString(2).padStart(4, "0").replace(/0+$/, "")].reverse();
}
function chosen(value, taken, d, k, digits, words) {
  const few = Math.min(k, d - k);
  const { members, last } = drawSet(d - 1, few, digits, words);
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
function drawSet(m, few, digits, words) {
  const w = Math.ceil(m / 64);
  const members = new Uint8Array(m);
  for (const digit of digits) {
    const drawn = wordBytes(w, words);
    for (let v = 0; v < m; v++) {
      const bit = drawn[v >> 3] >> (v & 7) & 1;
      members[v] = digit === "1" ? members[v] | bit : members[v] & bit;
    }
  }
  let size = members.reduce((sum, one) => sum + one, 0);
  const t = BigInt(bitLength(m - 1));
  const tries = 64n / t;
  const mask = (1n << t) - 1n;
  const batch = Math.max(1, Math.floor(Math.floor(Math.sqrt(w)) / 2));
  for (; ; ) {
    for (const word of Array.from({ length: batch }, () => words.next())) {
      for (let i = 0n; i < tries; i++) {
        const tried = Number(word >> i * t & mask);
        if (tried >= m) continue;
        const joins = size < few;
        if (members[tried] === Number(joins)) continue;
        members[tried] = Number(joins);
        size += joins ? 1 : -1;
        if (joins && size === few) return { members, last: tried };
      }
    }
  }
}

// src/mechanisms/sensitive.ts
var NAMED = 12;
function sensitive({ domain, where }, least) {
  if (domain.kind !== "categories" || domain.sensitive === void 0) refuse(`${where}.domain`, "categories of which some are sensitive");
  const { sensitive: protectedOnes } = domain;
  demand(protectedOnes.length >= least, `${where}.domain`, `with at least ${least} sensitive values`);
  const ranks = new Map(protectedOnes.map((input, rank) => [input, rank]));
  return {
    domain,
    protectedOnes,
    place(input) {
      const rank = ranks.get(input);
      return rank === void 0 ? { own: false, rank: input - protectedOnes.filter((one) => one < input).length } : { own: true, rank };
    }
  };
}
function certified({ domain, protectedOnes }, ratio) {
  const values = domain.document.get("values");
  const names = protectedOnes.slice(0, NAMED).map((input) => String(Array.isArray(values) ? values[input] : input));
  const [count, all, rest] = [protectedOnes.length, domain.size, protectedOnes.length - NAMED].map((number2) => number2.toLocaleString("en-US"));
  const named = names.join(", ") + (protectedOnes.length > NAMED ? ` and ${rest} more` : "");
  return { ...ratioCertificate(ratio), scope: "sensitive answer", protects: { count: `${count} of ${all} answers`, named } };
}
function readSensitiveResponse(source) {
  const values = sensitive(source, 1);
  const { domain, protectedOnes } = values;
  const bits = readBits(readOptions(source, "bits"));
  const { keep, other } = readWeights(source, "keep", "other");
  requireWeights(source, keep >= 1n && other >= 1n && keep + BigInt(protectedOnes.length) * other === 1n << BigInt(bits), "such that keep + s other is 2^bits");
  const shift = BigInt(64 - bits);
  return {
    fields: [numberField("value", domain.size)],
    cells: domain.size,
    certificate: certified(values, fraction(keep + other, other)),
    respond(value, words) {
      const input = domain.input(value);
      const x = words.next() >> shift;
      return [x < keep ? input : protectedOnes[Number((x - keep) / other)]];
    }
  };
}
function readSensitiveHashing(source) {
  const values = sensitive(source, 2);
  const { domain, protectedOnes } = values;
  const options = readOptions(source, "bits", "hash_range");
  const { g, hashes, cell } = readFamily(source, options, protectedOnes.length);
  const { ratio, respond } = readResponse(source, g, readBits(options));
  const open = hashes * g;
  const cells = open + domain.size - protectedOnes.length;
  return {
    fields: [numberField("cell", cells)],
    cells,
    certificate: certified(values, ratio),
    respond(value, words) {
      const { own, rank } = values.place(domain.input(value));
      const hash = belowNumber(hashes, words);
      const hashed = cell(hash, own ? rank : 0);
      const answer = respond(own ? hashed : g, words);
      return [answer === g ? open + rank : hash * g + answer];
    }
  };
}
function readSensitiveSubsets(source) {
  const values = sensitive(source, 2);
  const { domain, protectedOnes } = values;
  const s = protectedOnes.length;
  const options = readOptions(source, "bits", "subset_size");
  const bits = readBits(options);
  const k = options.whole("subset_size", 1, s - 1);
  const { open, own: inside, start } = readWeights(source, "open", "own", "start");
  const total = 1n << BigInt(bits);
  const filled = BigInt(k) * total < BigInt(s) * inside && inside < total && open > 0n && open < total && start < 16n;
  requireWeights(source, filled, "such that k 2^bits < s own, own < 2^bits, 0 < open < 2^bits and start < 16");
  const [size, taken, left] = [s, k, s - k].map(BigInt);
  const chances = [inside * size * left, (total - inside) * size * taken, (total - open) * taken * left].map((one) => fraction(one, 1n));
  const most = chances.reduce((a, b) => exceeds(b, a) ? b : a);
  const least = chances.reduce((a, b) => exceeds(a, b) ? b : a);
  const digits = binaryDigits(start);
  const shift = BigInt(64 - bits);
  return {
    fields: [numberField("open", domain.size - s + 1), bitsField("bits", s)],
    cells: 2 * domain.size,
    blocks: domain.size,
    certificate: certified(values, fraction(most.numerator, least.numerator)),
    respond(value, words) {
      const { own, rank } = values.place(domain.input(value));
      const x = words.next() >> shift;
      const among = belowNumber(s, words) < k;
      const set = chosen(own ? rank : 0, own ? x < inside : among, s, k, digits, words);
      const opened = !own && x < open;
      return [opened ? rank + 1 : 0, packBits(opened ? set.fill(0) : set)];
    }
  };
}

// src/mechanisms/seededhashing.ts
function readSeededHashing(source) {
  const domain = categorical(source);
  const d = domain.size;
  const options = readOptions(source, "bits", "hash_range");
  const g = options.whole("hash_range", 2, 2 ** 29);
  return hashing(source, domain, options, {
    hash: numberField("seed", 1n << 64n),
    g,
    cells: 2 * d,
    blocks: d,
    draw(value, words) {
      const seed = words.next();
      return [seed, seededCell(seed, value, g)];
    }
  });
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

// src/mechanisms/table.ts
function readTable(source) {
  const domain = categorical(source);
  const where = `${source.where}.weights`;
  readOptions(source);
  const rows = list(source.weights, where).map((row2) => list(row2, where).map((one) => weight(one, where)));
  demand(rows.length === domain.size, where, "a row for every value");
  const columns = rows[0].length;
  const total = totalOf(rows[0]);
  demand(total >= 1n && total <= MOST_TOTAL, where, "rows with a sum from 1 to 2^63");
  demand(rows.every((row2) => row2.length === columns && totalOf(row2) === total), where, "rows of one length and one sum");
  return forOneValue(domain, {
    fields: [numberField("cell", columns)],
    cells: columns,
    ratio: worstColumn(rows, columns, where),
    respondAt: (value, words) => [sumsAtMost(below(total, words), rows[value])]
  });
}
function totalOf(row2) {
  return row2.reduce((all, one) => all + one, 0n);
}
function worstColumn(rows, columns, where) {
  let worst = ONE;
  for (let y = 0; y < columns; y++) {
    let least = rows[0][y];
    let most = least;
    for (const row2 of rows) {
      if (row2[y] < least) least = row2[y];
      if (row2[y] > most) most = row2[y];
    }
    if (most === 0n) continue;
    demand(least > 0n, where, "without a column that has both a zero and another number");
    worst = largest(worst, fraction(most, least));
  }
  return worst;
}

// src/mechanisms/waves.ts
function readSquareWave(source) {
  const options = readOptions(source, "b", "bits", "output_bins", "steps", "wrap");
  checkHalfWidth(options);
  return readShape(source, options, options.flag("wrap"), () => 1n);
}
function readPiecewise(source) {
  return readShape(source, readOptions(source, "bits", "output_bins", "steps"), false, () => 1n);
}
function readWave(source) {
  const options = readOptions(source, "b", "bits", "output_bins", "ratio", "steps");
  checkHalfWidth(options);
  const ratio = options.decimal("ratio");
  options.require(ratio.value >= 0 && ratio.value <= 1, "ratio", "from 0 to 1");
  const { numerator, denominator } = exact(ratio);
  return readShape(source, options, false, (width) => {
    const half = width / 2n;
    return half + 1n - numerator * half / denominator;
  });
}
function checkHalfWidth(options) {
  if (options.get("b") === null) return;
  const b = options.decimal("b").value;
  options.require(b > 0 && b <= 0.5, "b", "null, or above 0 and at most 0.5");
}
function readShape(source, options, wrap, capOf) {
  const domain = numeric(source);
  readBits(options);
  const steps = readSteps(options, domain, MOST_POSITIONS);
  const positions = domain.bins * steps;
  const { low, unit, width } = readWeights(source, "low", "unit", "width");
  const widest = wrap ? positions : MOST_POSITIONS;
  requireWeights(source, width >= 1n && width <= BigInt(widest), `such that width is from 1 to ${widest}`);
  demand(!wrap || positions >= 2, source.where, "of at least 2 positions on a ring");
  const outputs = wrap ? positions : positions + Number(width) - 1;
  const cap = capOf(width);
  const area = cap * (width - cap + 1n) * unit;
  const total = low * BigInt(outputs) + area;
  requireWeights(source, low >= 1n && unit >= 1n && total <= MOST_TOTAL, "at least 1, with a total of at most 2^63");
  const before = Number(width / 2n);
  return forOneValue(domain, {
    fields: [numberField("output", outputs)],
    cells: options.whole("output_bins", Math.min(2, outputs), outputs),
    steps,
    ratio: fraction(low + unit * cap, low),
    respondAt(position, words) {
      const x = below(total, words);
      if (x >= area) return [Number((x - area) / low)];
      const near = position + unitsAtMost(x / unit, width, cap);
      return [wrap ? (near - before + positions) % positions : near];
    }
  });
}
function unitsAtMost(x, width, cap) {
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
  ["choice-response", readChoiceResponse],
  ["choice-subsets", readChoiceSubsets],
  ["drawn-option", readDrawnOption],
  ["degree-noise", readDegreeNoise],
  ["fixed-hashing", readFixedHashing],
  ["haar", readHaar],
  ["hadamard-response", readHadamardResponse],
  ["hierarchy", readHierarchy],
  ["key-value", readKeyValue],
  ["laplace", readLaplace],
  ["local-hashing", readLocalHashing],
  ["memoized", readMemoized],
  ["piecewise", readPiecewise],
  ["question-sets", readQuestionSets],
  ["randomized-response", readRandomizedResponse],
  ["sampled-coordinate", readSampledCoordinate],
  ["seeded-hashing", readSeededHashing],
  ["sensitive-hashing", readSensitiveHashing],
  ["sensitive-response", readSensitiveResponse],
  ["sensitive-subsets", readSensitiveSubsets],
  ["square-wave", readSquareWave],
  ["stochastic-rounding", readRounding],
  ["subset-selection", readSubsetSelection],
  ["table", readTable],
  ["unary-encoding", readUnaryEncoding],
  ["wave", readWave]
]);

// src/mechanism.ts
function readMechanism(value, where = "mechanism") {
  const found = new Section(value, ["domain", "epsilon", "mechanism", "options", "version", "weights"], where);
  found.whole("version", 2, 2);
  return build(found, readDomain(found.get("domain"), `${where}.domain`));
}
function innerMechanism(mechanism, domain, epsilon, options, weights, where) {
  const inner = build(sectionOf({ domain: domain.document, epsilon: epsilon.text, mechanism, options, version: 2, weights }, where), domain);
  demand(inner.memory === void 0, where, "a mechanism without memory: inside another nothing would be kept");
  return inner;
}
function build(found, domain) {
  const { where, items: document2 } = found;
  const name = found.text("mechanism");
  const reader = READERS.get(name) ?? found.refuse("mechanism", "the name of a mechanism");
  const epsilon = found.decimal("epsilon");
  found.require(epsilon.value >= 1e-6 && epsilon.value <= 20, "epsilon", "from 0.000001 to 20");
  found.require(domain.kind === "record" || domain.kind === "choices" || domain.size <= MOST_INPUTS, "domain", "of at most 2,500,000 inputs");
  const parts = reader({ document: document2, domain, epsilon, options: found.get("options"), weights: found.get("weights"), where });
  demand(parts.cells <= MOST_INPUTS, where, "of at most 2,500,000 cells");
  demand(payloadBytes(parts.fields) <= MOST_REPORT_BYTES, where, "of at most 32,768 bytes a report");
  found.require(keeps(parts.certificate, epsilon), "weights", `such that no ratio exceeds e^${epsilon.text}`);
  return { ...parts, name, document: document2, domain, epsilon };
}

// src/admit.ts
function admit(domain, outside, value) {
  if (domain.kind === "may-decline") return value === domain.label ? value : admit(domain.domain, outside, value);
  if (outside === "other" && domain.kind === "categories") return domain.has(value) ? value : "other";
  if (outside === "nearest" && isNumeric(domain)) return domain.nearest(value);
  return value;
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
      body: body ?? null
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

// src/json.ts
var MOST_BYTES = 4194304;
var MOST_DEPTH = 16;
var TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?\d[-+.\deE]*/g;
var HALF = /\p{Cs}/u;
function readJson(source) {
  if (source.length > MOST_BYTES || typeof source === "string" && utf8(source).length > MOST_BYTES) fail("it has more than 4 MiB");
  let text;
  let value;
  try {
    text = typeof source === "string" ? source : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(source);
    value = JSON.parse(text);
  } catch (error) {
    fail(String(error));
  }
  let keys = countKeys(text);
  const convert = (one, depth) => {
    if (typeof one !== "object" || one === null) return one;
    if (depth > MOST_DEPTH) fail("it has more than 16 lists and objects in each other");
    if (Array.isArray(one)) return one.map((inside) => convert(inside, depth + 1));
    const entries = Object.entries(one);
    keys -= entries.length;
    return new Map(entries.map(([key, inside]) => [key, convert(inside, depth + 1)]));
  };
  const json = convert(value, 1);
  if (keys !== 0) fail("a key is repeated");
  return json;
}
function fail(why) {
  throw new InvalidSurvey(`not the JSON of a document: ${why}`);
}
function countKeys(text) {
  if (HALF.test(text)) fail("it is not valid Unicode");
  let keys = 0;
  for (const [token2, quoted, colon] of text.matchAll(TOKENS)) {
    if (colon !== void 0) keys++;
    if (quoted === void 0) {
      if (!/^(?:0|-?[1-9]\d*)$/.test(token2) || !Number.isSafeInteger(Number(token2))) fail(`${token2.slice(0, 20)} is not a whole number up to 2^53 - 1`);
    } else if (quoted.includes("\\u") && HALF.test(JSON.parse(quoted))) fail("it has half a surrogate pair");
  }
  return keys;
}

// src/privacy.ts
function privacyOf(survey) {
  const { cohorts, changes, period, certificate, mechanism: { domain, memory } } = survey;
  if (memory === void 0) {
    const words = privacyInWords(certificate) + (domain.kind === "record" ? "\nThis holds for all your answers together, however many of them differ." : "");
    if (cohorts === 1) return words;
    return `${words}
Your device draws which one of ${windows(cohorts, survey)} asks you: in any ${cohorts} in a row you send at most one report.`;
  }
  const span = period > 0 ? `in ${windows(period, survey)}` : "however many windows you answer";
  const same = changes > 0 ? ", while your answer stays the same" : "";
  const lines = [
    `All your reports together are at most ${times(memory.ratio)} times as likely under one true answer as under another, ${span}${same}; one report at most ${times(certificate.ratio)} times.`,
    `Someone who thought an answer was a coin flip can be at most ${belief(memory.ratio)}% sure of it after seeing all your reports${same}.`,
    changes === 0 ? "Your first answer counts in every window. A later change is not reported, so it reveals nothing." : `Each further answer counts again. That your answer changed, and when, is not hidden. At most ${changes} ${changes === 1 ? "change is" : "changes are"} reported: whatever your answers were, all your reports together are at most e^${general(roundUp(exact(decimalOf(Number(survey.cost)))), 6)} times as likely under them as under others.`
  ];
  if (period > 0) lines.push(`After every ${windows(period, survey)} your device begins anew, and all of this counts again.`);
  return lines.join("\n");
}
function costInWords(survey) {
  const { cohorts, period, cost, mechanism: { epsilon, memory } } = survey;
  const one = general(epsilon.value, 6);
  if (memory !== void 0) {
    return `epsilon ${general(Number(cost), 4)} for all reports${period > 0 ? ` in ${windows(period, survey)}` : ""}, ${one} for one`;
  }
  if (survey.certificate.protects !== void 0) return `epsilon ${one} per report that hides its answer; an open report reveals it`;
  return cohorts > 1 ? `epsilon ${one} in any ${windows(cohorts, survey)} in a row` : `epsilon ${one} per report`;
}
function windows(count, { window }) {
  return `${count.toLocaleString("en-US")} windows (${window})`;
}
function privacyInWords({ ratio, scope, protects }) {
  if (ratio === null) return "The promise of this survey may fail.";
  const sure = `at most ${belief(ratio)}% sure of it after seeing your report`;
  if (protects !== void 0) {
    return `Only these answers are protected: ${protects.named} (${protects.count}).
If yours is one of them, what you send is at most ${times(ratio)} times as likely as from any other answer, and never shows your answer for certain.
If it is another, your device often sends it openly; whoever sees that knows your answer, and knows that it is none of the protected ones (an open report is unlimited times as likely under your answer as under any other).
A report that hides its answer is therefore a hint at a protected one, never more than ${times(ratio)} to 1.`;
  }
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
function times(ratio) {
  return roundUp(ratio).toLocaleString("en-US");
}
function roundUp({ numerator: a, denominator: b }) {
  let power = 0;
  if (a === 0n) return 0;
  for (; a < 100n * b; power--) a *= 10n;
  for (; a >= 1000n * b; power++) b *= 10n;
  return Number(`${(a + b - 1n) / b}e${power}`);
}
function general(value, digits) {
  const [mantissa = "", power] = value.toExponential(100).split("e");
  const kept = mantissa.slice(0, digits + 1);
  const even = /^50*$/.test(mantissa.slice(digits + 1)) && Number(kept.slice(-1)) % 2 === 0;
  const rounded = even ? Number(`${kept}e${power}`) : Number(value.toPrecision(digits));
  if (rounded === 0 || rounded >= 1e-4 && rounded < 10 ** digits) return String(rounded);
  return rounded.toExponential().replace(/e(.)(.)$/, "e$10$2");
}

// src/repeating.ts
var REPEATING = ["ask", "changes", "period"];
var ASK = /^1(?:\/(?:[2-9]|[1-9][0-9]{1,2}|1000))?$/;
function readRepeating(found, { mechanism, window, opens, closes }) {
  const version = found.whole("survey", 2, 4);
  const again = version > 2;
  const ask2 = again ? found.text("ask") : "1";
  const [changes, period] = again ? [found.whole("changes", 0, 1e3), found.whole("period", 0, 1e4)] : [0, 0];
  found.require(ASK.test(ask2), "ask", "1, or 1/W with W from 2 to 1000");
  found.require(version !== 3 || ask2 !== "1" || changes + period > 0, "survey", "2 where ask is 1, and changes and period are 0");
  const { memory } = mechanism;
  const repeats = window !== "once";
  const windows2 = period > 0 ? period : repeats && opens !== "" && closes !== "" ? windowIndex(window, closes) - windowIndex(window, opens) + 1 : void 0;
  found.require(ask2 === "1" || repeats && memory === void 0, "ask", "1 where the window is once, or devices remember");
  if (memory === void 0) {
    found.require(changes + period === 0, "changes", "0, and period too, unless the mechanism is memoized");
  } else {
    found.require(repeats, "window", "day, week or month where devices remember");
    found.require(period !== 1, "period", "0, or at least 2");
    found.require(changes === 0 || changes < (windows2 ?? 0), "changes", "0, or below the number of windows that memory lasts");
  }
  const cost = memory === void 0 ? mechanism.epsilon.text : writeDecimal(memory.cost(changes + 1, windows2));
  return { ask: ask2, cohorts: Number(ask2.slice(2)) || 1, changes, period, cost };
}

// src/signing.ts
function checkPublisher(survey, pinned) {
  if (!/^[0-9a-f]{64}$/.test(pinned)) throw new InvalidArgument("publisher must be a public key of 64 hexadecimal digits in lower case");
  const { publisher } = survey;
  if (publisher === pinned) return;
  const found = publisher === "" ? "is not signed" : `was signed by the key ${publisher}`;
  throw new NotTrusted(`${survey} ${found}, not by ${pinned}, which was agreed to: it is not answered`);
}
async function checkSignature(survey, signature) {
  const message = utf8(`sottovoce survey 1
${survey.digest}
`);
  if (!await verify(fromHex(survey.publisher), fromHex(signature), message)) {
    throw new NotTrusted(`${survey} was not signed by the key ${survey.publisher}, or it was changed after it was signed: it is not answered`);
  }
}
async function verify(publisher, signature, message) {
  try {
    const { subtle } = crypto;
    const key = await subtle.importKey("raw", publisher, "Ed25519", false, ["verify"]);
    return await subtle.verify("Ed25519", key, signature, message);
  } catch (error) {
    throw new NotTrusted(`the signature cannot be checked here, so the survey is not answered: plain http and older browsers lack Ed25519 (${error})`);
  }
}

// src/survey.ts
var KEYS = ["closes", "mechanism", "minimum_batch", "name", "opens", "outside", "question", "series", "survey", "window"];
var Survey = class _Survey {
  constructor(found) {
    this.publisher = "";
    this.name = visibleText(found, "name", 200);
    this.question = visibleText(found, "question", 2e3);
    this.mechanism = readMechanism(found.get("mechanism"));
    this.window = found.choice("window", ["once", "day", "week", "month"]);
    this.minimumBatch = found.whole("minimum_batch", 1, 1e9);
    this.outside = found.choice("outside", ["refuse", "other", "nearest"]);
    const { domain } = this.mechanism;
    const answers = domain.kind === "may-decline" ? domain.domain : domain;
    found.require(this.outside !== "other" || answers.kind === "categories" && answers.has("other"), "outside", 'refuse, unless there is a category "other"');
    found.require(this.outside !== "nearest" || isNumeric(answers), "outside", "refuse, unless values are numbers");
    this.opens = date(found, "opens");
    this.closes = date(found, "closes");
    found.require(this.opens === "" || this.closes === "" || this.opens <= this.closes, "closes", "a day from opens on");
    this.series = found.get("series") === "" ? "" : visibleText(found, "series", 200);
    ({ ask: this.ask, cohorts: this.cohorts, changes: this.changes, period: this.period, cost: this.cost } = readRepeating(found, this));
    this.texts = textsOf(found, this.mechanism);
    this.document = found.items;
    this.digest = digestOf(this.document);
    this.fingerprint = this.digest.slice(0, 32);
  }
  static parse(source, options = {}) {
    return _Survey.read(readJson(source), options);
  }
  static async parseSigned(source, { publisher, ...options } = {}) {
    const signed = new Section(readJson(source), ["publisher", "signature", "signed", "survey"], "signed survey");
    signed.whole("signed", 1, 1);
    const key = signed.digits("publisher", 64);
    const signature = signed.digits("signature", 128);
    const survey = Object.assign(_Survey.read(signed.get("survey"), options), { publisher: key });
    if (publisher !== void 0) checkPublisher(survey, publisher);
    await checkSignature(survey, signature);
    return survey;
  }
  static async fetch(url, options = {}) {
    const address = checkUrl(url, options.plainHttp ?? false);
    const found = /^(.*)\/surveys\/([0-9a-f]{32})$/.exec(address);
    if (found === null) throw new InvalidArgument("url must end with /surveys/ and the fingerprint of a survey");
    const pinned = options.publisher !== void 0;
    const answer = await exchange(pinned ? `${address}/signed` : address, { seconds: options.timeout ?? 10, most: MOST_BYTES });
    if (answer.status !== 200) throw new NoAnswer(`the collector gave no survey: status ${answer.status}`);
    const survey = pinned ? await _Survey.parseSigned(answer.body, options) : _Survey.parse(answer.body, options);
    if (survey.fingerprint !== found[2]) throw new Mismatch(`the collector gave survey ${survey.fingerprint} where ${found[2]} was asked for`);
    return Object.assign(survey, { collector: found[1] });
  }
  static read(document2, { maxDelta = "0" }) {
    const version = document2 instanceof Map ? document2.get("survey") : void 0;
    const more = version === 3 ? REPEATING : version === 4 ? [...REPEATING, "texts"] : [];
    const survey = new _Survey(new Section(document2, [...KEYS, ...more], "survey"));
    const most = readDecimal(maxDelta);
    if (most !== void 0 && !exceeds(survey.certificate.delta, exact(most))) return survey;
    throw new InvalidSurvey(`the delta of ${survey} is not at most maxDelta, which is ${maxDelta}`);
  }
  get epsilon() {
    return this.mechanism.epsilon.text;
  }
  get certificate() {
    return this.mechanism.certificate;
  }
  toString() {
    return `survey "${this.name}"`;
  }
  privacy() {
    return privacyOf(this);
  }
  costInWords() {
    return costInWords(this);
  }
  get payloadBytes() {
    return payloadBytes(this.mechanism.fields);
  }
  toJson() {
    return canonical(this.document);
  }
  check(value) {
    checkValue(this.mechanism.domain, admit(this.mechanism.domain, this.outside, value));
  }
  randomize(value, source) {
    const admitted = admit(this.mechanism.domain, this.outside, value);
    return writePayload(this.mechanism.fields, this.mechanism.respond(admitted, source));
  }
  windowOf(day) {
    const { name } = windowOf(this.window, day);
    const open = (this.opens === "" || this.opens <= day) && (this.closes === "" || day <= this.closes);
    return open ? name : void 0;
  }
};
function textsOf(found, { domain }) {
  if (!found.items.has("texts")) return [];
  const texts = found.list("texts");
  const count = domain.kind === "record" ? domain.questions.length : 0;
  found.require(texts.length === count && texts.some((text) => text !== ""), "texts", "a text for each question of a record, of which one is not empty");
  return texts.map((text) => text === "" ? text : visibleText(new Section(/* @__PURE__ */ new Map([["text", text]]), ["text"], `${found.where}.texts`), "text", 2e3));
}
function visibleText(found, key, most) {
  const text = found.text(key);
  const short = text.length <= 2 * most && [...text].length <= most;
  found.require(short && !text.includes("\0") && /[^\u0000-\u0020]/.test(text), key, `text of 1 to ${most} characters that can be seen, without NUL`);
  return text;
}
function date(found, key) {
  const text = found.text(key);
  found.require(text === "" || isDay(text), key, "empty, or a date such as 2026-01-31");
  return text;
}

// src/upload.ts
var VERSION = 2;
function array(count) {
  return count < 16 ? Uint8Array.of(144 | count) : Uint8Array.of(220, count >> 8, count & 255);
}
function binary(bytes) {
  const n = bytes.length;
  return [n < 256 ? Uint8Array.of(196, n) : Uint8Array.of(197, n >> 8, n & 255), bytes];
}
function encodeUpload({ fingerprint, window, reports }) {
  const name = utf8(window);
  const head = [Uint8Array.of(148, VERSION), ...binary(fromHex(fingerprint)), Uint8Array.of(160 | name.length), name, array(reports.length)];
  return concatBytes([...head, ...reports.flatMap(({ id, payload }) => [array(2), ...binary(id), ...binary(payload)])]);
}

// src/device/charge.ts
function chargeOf(survey, day, elapsed) {
  const { name: window, first, last } = windowOf(survey.window, day);
  return {
    fingerprint: survey.fingerprint,
    window,
    survey: survey.name,
    epsilon: survey.cost,
    delta: "0",
    name: plain(survey.name),
    question: questionKey(survey),
    first,
    last,
    day,
    boot: elapsed.boot,
    uptime: elapsed.seconds,
    series: plain(survey.series),
    publisher: survey.publisher
  };
}
function questionKey({ question, mechanism }) {
  return fingerprintOf([plain(question), mechanism.domain.document]);
}
function costOf(...charges) {
  return exact(addUp(charges));
}
function costText(charges) {
  const { digits, scale: scale2 } = addUp(charges);
  const text = String(digits);
  return withPoint(text, text.length - scale2);
}
function addUp(charges) {
  let digits = 0n;
  let scale2 = 0;
  for (const { epsilon } of charges) {
    const cost = readDecimal(epsilon);
    if (cost === void 0) throw new NoLedger("the ledger has a report whose cost cannot be read, so nothing is answered");
    const finer = Math.max(scale2, cost.scale);
    digits = digits * 10n ** BigInt(finer - scale2) + cost.digits * 10n ** BigInt(finer - cost.scale);
    scale2 = finer;
  }
  return { digits, scale: scale2 };
}
var SPACES = /(?:(?!\ufeff)[\s\u001c-\u001f\u0085])+/;
function plain(text) {
  const folded = Array.from(text.normalize("NFKC"), fold2).join("");
  return folded.split(SPACES).filter((word) => word !== "").join(" ");
}
function fold2(character) {
  if (character === "ı") return character;
  const upper = character.toLowerCase().toUpperCase();
  return /[\u13a0-\u13f5]/.test(upper) ? upper : upper.toLowerCase().replace(/\u03c2/g, "σ");
}

// src/device/budget.ts
var LIMITS = {
  maxEpsilon: 2,
  dayEpsilon: 2,
  nameEpsilon: 5,
  questionEpsilon: 5,
  seriesEpsilon: 5,
  publisherEpsilon: 10,
  totalEpsilon: 10
};
var SHARED = [
  ["name", "surveys of one name"],
  ["question", "one question"],
  ["series", "surveys of one series"],
  ["publisher", "surveys signed by one key"]
];
var SECONDS = 86400;
function checkReport(limits, survey) {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isFinite(value) || value < 0) throw new InvalidArgument(`${name} must be a number of at least 0`);
  }
  if (exceeds(exact(decimalOf(Number(survey.cost))), exact(decimalOf(limits.maxEpsilon)))) {
    const what = survey.mechanism.memory === void 0 ? "per report" : "for all its reports";
    throw new OverBudget(`${survey} asks for epsilon ${survey.cost} ${what}; this device gives at most ${limits.maxEpsilon} (maxEpsilon)`);
  }
  if (exceeds(survey.certificate.delta, ZERO)) throw new OverBudget(`${survey} has delta above 0, which this client does not answer`);
}
function refusalOf(limits, asked2, before, pinned) {
  const alike = before.filter((one) => one.name === asked2.name || one.question === asked2.question);
  const why = outOfOrder(asked2, alike) ?? (pinned ? void 0 : dearer(asked2, alike)) ?? beyondLimit(limits, asked2, before);
  return why === void 0 ? why : new OverBudget(`survey "${asked2.survey}" ${why}`);
}
function outOfOrder(asked2, alike) {
  const later = alike.filter((one) => one.last >= asked2.first);
  if (later.length === 0) return void 0;
  const last = later.reduce((a, b) => b.last > a.last ? b : a);
  return last.fingerprint === asked2.fingerprint ? `was answered for the window "${last.window}", so "${asked2.window}" gets no answer: windows are answered in order. Check the clock of this device` : `has the name or question of "${last.survey}" (${last.fingerprint}), which was answered for the same days or later ones: one window gets one answer`;
}
function dearer(asked2, alike) {
  const others = alike.filter((one) => one.fingerprint !== asked2.fingerprint);
  const [known] = others;
  if (known === void 0 || !others.every((one) => exceeds(costOf(asked2), costOf(one)))) return void 0;
  return `asks for epsilon ${asked2.epsilon}; under the fingerprint ${known.fingerprint} it asked for ${known.epsilon}. If the new one is agreed to, pass fingerprint: "${asked2.fingerprint}"`;
}
function beyondLimit(limits, asked2, before) {
  const sums = [
    ["dayEpsilon", "per day", before.filter((one) => one.day >= asked2.day)],
    ["dayEpsilon", "per 24 hours since the machine started", before.filter((one) => one.boot === asked2.boot && asked2.uptime - one.uptime < SECONDS), 2]
  ];
  for (const [key, what] of SHARED) {
    if (asked2[key] !== "") sums.push([`${key}Epsilon`, `on ${what}`, before.filter((one) => one[key] === asked2[key])]);
  }
  sums.push(["totalEpsilon", "in all", before]);
  for (const [name, what, spent, times2 = 1] of sums) {
    const most = multiple(exact(decimalOf(limits[name])), times2);
    if (exceeds(costOf(...spent, asked2), most)) {
      return `asks for epsilon ${asked2.epsilon}; of the ${times2 * limits[name]} that this device may spend ${what} (${name}), ${costText(spent)} are spent`;
    }
  }
  return void 0;
}

// src/device/ledger.ts
function ownElapsed() {
  if (boot === "") boot = toHex(newId2());
  return { boot, seconds: performance.now() / 1e3 };
}
var boot = "";
function find(rows, { fingerprint, window }) {
  return rows.find((row2) => row2.fingerprint === fingerprint && row2.window === window);
}
function receiptOf({ fingerprint, window, survey, epsilon, delta, id, upload, state, code: code2 }) {
  return { fingerprint, window, survey, epsilon, delta, id, upload, state, code: code2 };
}
async function spend(ledger, first, limits, pinned, memory, draw) {
  const found = await ledger.transact((rows, _, known) => {
    const charge = memory !== void 0 && memory.stored(known).length > 0 ? { ...first, epsilon: "0" } : first;
    const stored = find(rows, charge);
    if (stored !== void 0) return { result: stored };
    const late = rows.filter((row3) => row3.day > charge.day).map((row3) => ({ ...row3, day: charge.day }));
    const before = rows.map((row3) => find(late, row3) ?? row3);
    const refused2 = refusalOf(limits, charge, before, pinned);
    if (refused2 !== void 0) return { write: late, result: refused2 };
    const { id, upload, ...drawn } = draw(known);
    const row2 = { ...charge, id, upload, state: "pending", code: "" };
    return { ...drawn, write: [...late, row2], result: row2 };
  });
  if (found instanceof OverBudget) throw found;
  return found;
}
function settle(ledger, receipt, from, state, code2) {
  return ledger.transact((rows) => {
    const stored = find(rows, receipt);
    if (stored === void 0 || !from.includes(stored.state)) return { result: stored };
    const row2 = { ...stored, state, code: code2 };
    return { write: [row2], result: row2 };
  });
}

// src/device/browserledger.ts
var STORES = { reports: ["fingerprint", "window"], logs: "url", kept: ["kind", "name"], memos: ["question", "memory", "period", "ordinal"] };
var SCHEMA = 3;
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
      const refuse2 = (error) => reject(unusable(error));
      try {
        const request = indexedDB.open(this.name, SCHEMA);
        request.onupgradeneeded = () => {
          for (const [name, keyPath] of Object.entries(STORES)) {
            if (!request.result.objectStoreNames.contains(name)) request.result.createObjectStore(name, { keyPath });
          }
        };
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => refuse2(request.error);
      } catch (error) {
        refuse2(error);
      }
    });
  }
};
function inTransaction(database, change) {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(Object.keys(STORES), "readwrite", { durability: "strict" });
    const store = (name) => transaction.objectStore(name);
    const rows = store("reports").getAll();
    const logs = store("logs").getAll();
    const kept = store("kept").getAll();
    const memos = store("memos").getAll();
    let result;
    let thrown;
    memos.onsuccess = () => {
      try {
        const changed = change(rows.result, logs.result, { kept: kept.result, memos: memos.result });
        for (const row2 of changed.write ?? []) store("reports").put(row2);
        for (const log of changed.logs ?? []) store("logs").put(log);
        for (const one of changed.kept ?? []) store("kept").add(one);
        for (const memo of changed.memos ?? []) store("memos").add(memo);
        for (const memo of changed.forget ?? []) store("memos").delete(STORES.memos.map((key) => memo[key]));
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
  return new NoLedger(`this browser does not let the page remember what was answered, so nothing is drawn or sent (${error})`);
}

// src/device/explaining.ts
function explain(survey, receipt) {
  const { upload, fingerprint, epsilon } = receipt;
  if (fingerprint !== survey.fingerprint) throw new Mismatch(`this receipt is not of ${survey}`);
  const cost = costOf2(survey, epsilon);
  if (receipt.state === "not-asked") return { status: statusOf(receipt), report: "Nothing was drawn, so nothing is sent.", cost, parts: [] };
  let at = 0;
  const take = (count) => upload.slice(at, at += count);
  const parts = envelope(survey, receipt, take);
  const fields = fieldsInWords(survey, take);
  const said = survey.mechanism.fields.flatMap((field2, i) => isConstant(field2) ? [] : fields[i].words);
  return {
    status: statusOf(receipt),
    report: `The report says: ${said.join("; ") || "nothing, for all reports are the same"}. It was drawn at random: ${survey.certificate.protects === void 0 ? "your answer only made some reports likelier than others" : "if it shows an answer that is not protected, that one is yours"}.`,
    cost,
    parts: [...parts, ...fields]
  };
}
function costOf2(survey, epsilon) {
  const { cohorts, mechanism: { memory } } = survey;
  const all = memory !== void 0 || cohorts > 1 ? `This survey costs ${survey.costInWords()}. ` : "";
  const one = memory !== void 0 && epsilon === "0" ? "This report cost nothing more: the first one paid for it." : `${all === "" ? "It" : "This report"} cost epsilon ${epsilon}.`;
  return `${all}${one} ${survey.privacy()}`;
}
function envelope(survey, { upload, window }, take) {
  const part = (name, count, words) => ({ name, words, bytes: toHex(take(count)) });
  const size = 1 + window.length;
  return [
    part("version", 2, "version 2 of the format"),
    part("survey", 18, `the ${survey}, by its fingerprint`),
    part("window", size, window === "" ? "one report, ever" : `the window ${window}`),
    part("reports", 4, "one report"),
    part("id", 16, "its random id, under which it counts once and can be deleted"),
    part("length", upload.length - survey.payloadBytes - 40 - size, "how many bytes follow")
  ];
}
function fieldsInWords({ mechanism: { domain, fields, inWords } }, take) {
  const direct = ["value", "bits"].includes(fields[0].name);
  const named = direct ? (index) => labelOf(domain, index) : inWords;
  return fields.map((field2) => {
    const bytes = take(fieldBytes(field2));
    return { name: field2.name, bytes: toHex(bytes), words: fieldInWords(field2, bytes, named) };
  });
}
function fieldInWords(field2, bytes, named) {
  if (field2.kind === "bits") {
    const set = Array.from({ length: field2.count }, (_, i) => i).filter((i) => bytes[i >> 3] >> (i & 7) & 1);
    return `${field2.name}: ${set.length} of ${field2.count} (${listed(set.map(named ?? String))})`;
  }
  const size = numberBytes(field2.below);
  const numbers = [];
  for (let at = 0; at < bytes.length; at += size) numbers.push(littleEndian(bytes.slice(at, at + size)));
  if (named !== void 0) return named(Number(numbers[0]));
  return `${field2.name} ${listed(numbers.map(String))} of 0 to ${field2.below - 1n}`;
}
function listed(words) {
  return words.length > 20 ? `${words.slice(0, 20).join(", ")}, ...` : words.join(", ");
}
function isConstant(field2) {
  return field2.kind === "number" && field2.below === 1n;
}
function littleEndian(bytes) {
  return bytes.reduceRight((value, byte) => value << 8n | BigInt(byte), 0n);
}
function statusOf({ state, code: code2 }) {
  if (state === "not-asked") return "This device is not asked in this window.";
  if (state === "acknowledged") return code2 === "scrubbed" ? "The collector has counted your report and can no longer delete it." : "The collector has your report.";
  if (state === "withdrawn") return `Your report is withdrawn${code2 === "" ? ": the collector does not have it." : ", but the collector has not confirmed that it deleted it."}`;
  if (state === "refused") {
    const why = code2 === "window-closed" ? "the time to answer is over" : `its code is ${code2}`;
    return `The collector did not take your report (${why}), and it is not sent again.`;
  }
  const kept = "our report is kept on this device, and the same bytes are sent later.";
  const busy = /^(rate-limited|status-429|status-5\d\d)$/.test(code2);
  return code2 === "" ? `Y${kept}` : `${busy ? "The collector is busy" : PENDING[code2] ?? "Something other than the collector answered"}, so y${kept}`;
}
var PENDING = {
  "no-answer": "The collector did not answer",
  "clock-skew": "The date of this device is ahead of the collector's",
  "not-allowed": "The collector wants a token that is valid and was not used"
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
var FINAL = {
  "unknown-survey": 404,
  "wrong-version": 400,
  malformed: 400,
  "wrong-payload": 422,
  "no-id": 422,
  "too-large": 413,
  "window-closed": 410
};
var PASSING = { "clock-skew": 409, "not-allowed": 403, "rate-limited": 429 };
function deliver(collector, upload, wanted) {
  const headers = { "Content-Type": "application/msgpack" };
  if (collector.token !== void 0) headers.Authorization = `Bearer ${collector.token}`;
  return repeat(collector, "pending", wanted, async () => {
    const answer = await ask(collector, "/reports", { method: "POST", headers, body: upload });
    const { code: code2, stored, duplicates } = readObject(answer);
    if (answer.status < 200 || answer.status >= 300) return refusal(answer, code2);
    const one = stored === 1 && duplicates === 0 || stored === 0 && duplicates === 1;
    return one ? { state: "acknowledged", code: "" } : { state: "pending", code: "no-acknowledgement" };
  });
}
function remove(collector, fingerprint, id) {
  return repeat(collector, "withdrawn", async () => true, async () => {
    const answer = await ask(collector, `/surveys/${fingerprint}/reports/${id}`, { method: "DELETE" });
    const { status } = answer;
    const { code: code2, deleted } = readObject(answer);
    if (status === 409 && code2 === "scrubbed") return { state: "acknowledged", code: code2 };
    const gone = status === 200 ? deleted === true : status === 404 && (code2 === "no-such-report" || code2 === "unknown-survey");
    return { ...refusal(answer, code2), state: "withdrawn", code: gone ? "" : `status-${status}` };
  });
}
async function about2(collector, fingerprint) {
  const answer = await ask(collector, `/surveys/${fingerprint}/about`);
  const said = readObject(answer);
  return answer.status === 200 || said.code === "unknown-survey" ? said : {};
}
function ask({ url, patience }, path, request = {}) {
  return exchange(url + path, { seconds: patience.timeout, most: LONGEST_ANSWER, ...request });
}
async function repeat({ patience }, state, wanted, attempt) {
  let outcome = { state, code: "" };
  let waited = 0;
  for (let done = 0; done < patience.attempts; done++) {
    try {
      if (!await wanted()) break;
      outcome = await attempt();
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      outcome = { state, code: "no-answer", again: true };
    }
    if (outcome.again !== true || done === patience.attempts - 1) break;
    const part = Number(systemWords().next()) / 2 ** 64;
    const wait = Math.max(outcome.wait ?? 0, part * Math.min(60, 2 ** done));
    waited += wait;
    if (waited > patience.waiting) break;
    await patience.sleep(wait);
  }
  return outcome;
}
function refusal(answer, code2) {
  const { status, headers } = answer;
  const name = String(code2);
  if (FINAL[name] === status) return { state: "refused", code: name };
  const known = PASSING[name] === status;
  return { state: "pending", code: known ? name : `status-${status}`, again: AGAIN.includes(status), wait: retryAfter(headers.get("Retry-After")) };
}
function retryAfter(text) {
  const number2 = Number(text);
  const seconds = Number.isNaN(number2) ? (Date.parse(text) - Date.now()) / 1e3 : number2;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}

// src/device/logcheck.ts
var EMPTY = { size: 0, head: "0".repeat(64) };
var MOST_ENTRIES = 1e6;
var MOST_SECONDS = 60;
async function checkLog(collector, ledger, survey) {
  const { url } = collector;
  const keptIn = (logs) => logs.find((log) => log.url === url) ?? { url, ...EMPTY, surveys: [] };
  for (; ; ) {
    const kept = await ledger.transact((_, logs) => ({ result: keptIn(logs) }));
    const known = kept.surveys.includes(survey.digest);
    const entries = await readLog(collector, known ? kept : EMPTY);
    if (!entries.some(({ head: head2 }) => head2 === kept.head)) throw broken(url, `its first ${kept.size} entries are not those that were there before`);
    if (!known && !entries.some((entry) => entry.survey === survey.digest)) {
      throw new NotTrusted(`${survey} (${survey.fingerprint}) is not in the log of ${url}: others cannot see that it is asked, so it is not answered`);
    }
    const { size, head } = entries[entries.length - 1];
    const surveys = known ? kept.surveys : [...kept.surveys, survey.digest];
    const written = await ledger.transact((_, logs) => {
      const same = keptIn(logs).head === kept.head;
      return { logs: same ? [{ url, size, head, surveys }] : [], result: same };
    });
    if (written) return;
  }
}
function follow({ size, head }, entry) {
  const found = new Section(entry, ["fingerprint", "index", "log", "previous", "publisher", "survey"], `entry ${size}`);
  found.whole("log", 1, 1);
  found.whole("index", size, size);
  found.require(found.get("previous") === head, "previous", "the hash of the entry before: one was changed or left out");
  const survey = found.digits("survey", 64);
  found.require(found.get("fingerprint") === survey.slice(0, 32), "fingerprint", "that of the survey");
  if (found.get("publisher") !== "") found.digits("publisher", 64);
  return { size: size + 1, head: digestOf(found.items), survey };
}
async function readLog(collector, start) {
  const read = [start];
  let last = start;
  const end = performance.now() + 1e3 * MOST_SECONDS;
  try {
    for (; ; ) {
      const page = await readPage(collector, last.size);
      if (performance.now() > end) throw new NoAnswer("the collector's log did not come in time");
      const size = page.whole("size", last.size, MOST_ENTRIES);
      const entries = page.list("entries");
      for (const entry of entries) read.push(last = follow(last, entry));
      page.require(last.size === size || last.size < size && entries.length > 0, "entries", `all ${size} that it says it has`);
      if (last.size < size) continue;
      page.require(page.get("head") === last.head, "head", "that of its entries");
      return read;
    }
  } catch (error) {
    throw error instanceof InvalidSurvey ? broken(collector.url, error.message) : error;
  }
}
async function readPage(collector, start) {
  const { status, body } = await ask(collector, `/log?start=${start}`, { most: MOST_BYTES });
  if (status === 404 || status === 410) throw broken(collector.url, `it is not shown (status ${status})`);
  let json;
  try {
    json = readJson(body);
  } catch {
    json = null;
  }
  if (status !== 200 || json === null) throw new NoAnswer(`the collector gave no log: status ${status}`);
  return new Section(json, ["entries", "head", "size"], "the log");
}
function broken(url, why) {
  return new NotTrusted(`the log of ${url} does not show every survey that was ever published there: ${why}. Nothing is sent`);
}

// src/device/memory.ts
function cohortOf(known, survey, words) {
  const draw = drawing(known);
  const result = draw.once("cohort", `${questionKey(survey)} ${survey.cohorts}`, () => belowNumber(survey.cohorts, words));
  return { kept: draw.made, result };
}
function memoryOf(survey, day) {
  const { mechanism, changes, opens, closes, outside, window } = survey;
  const { memory: rounds, domain, fields } = mechanism;
  if (rounds === void 0) return void 0;
  const question = questionKey(survey);
  const span = survey.period > 0 ? [window, survey.period] : changes > 0 ? [window, opens, closes] : [];
  const memory = fingerprintOf([fingerprintOf(mechanism.document), changes, ...span]);
  const period = survey.period > 0 ? Math.floor(windowIndex(window, day) / survey.period) : 0;
  const ours = (known) => checked(known).memos.filter((one) => one.question === question && one.memory === memory);
  const stored = (known) => ours(known).filter((one) => one.period === period).sort((a, b) => a.ordinal - b.ordinal);
  return {
    stored,
    report(known, value, words) {
      const position = rounds.position(admit(domain, outside, value));
      const draw = drawing(known);
      const { family } = rounds;
      const hash = family === void 0 ? 0 : draw.once("hash", family.name, () => rounds.hash(words));
      const entry = rounds.entry(hash, position);
      const tag = changes === 0 ? new Uint8Array() : tagOf(draw.once("secret", "", () => wordBytes(4, words)), `${question} ${memory} ${period} ${entry}`);
      const before = stored(known);
      const spoken = before.find((one) => toHex(one.tag) === toHex(tag)) ?? before[changes];
      const { memo } = spoken ?? { memo: rounds.remember(entry, words) };
      const payload = writePayload(fields, rounds.report(hash, memo, words));
      if (spoken !== void 0) return { payload, kept: draw.made };
      const memos = [{ question, memory, period, ordinal: before.length, tag, memo }];
      return { payload, kept: draw.made, memos, forget: ours(known).filter((one) => one.period < period) };
    }
  };
}
function checked(known) {
  if (known === void 0) throw new NoLedger("this ledger keeps no cohorts and no permanent answers, so this survey is not answered");
  return known;
}
function drawing(known) {
  const { kept } = checked(known);
  const made = [];
  return {
    made,
    once(kind, name, draw) {
      const found = kept.find((one) => one.kind === kind && one.name === name);
      if (found !== void 0) return found.value;
      const value = draw();
      made.push({ kind, name, value });
      return value;
    }
  };
}
function tagOf(secret, message) {
  const padded = (mask) => Uint8Array.from({ length: 64 }, (_, i) => (secret[i] ?? 0) ^ mask);
  return sha256(concatBytes([padded(92), sha256(concatBytes([padded(54), utf8(message)]))])).slice(0, 16);
}

// src/device/client.ts
var OPTIONS = [...Object.keys(LIMITS), "fingerprint", "publisher", "url", "token", "scopes", "plainHttp", "patience", "ledger", "clock"];
var Client = class {
  constructor(survey, options = {}) {
    this.survey = survey;
    if (!(survey instanceof Survey)) throw new InvalidArgument("survey must be a Survey");
    const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
    if (unknown !== void 0) throw new InvalidArgument(`there is no option ${unknown}; there are ${OPTIONS.join(", ")}`);
    const { fingerprint, publisher, url = survey.collector, token: token2, scopes = [], plainHttp = false, clock = today } = options;
    if (fingerprint !== void 0 && fingerprint !== survey.fingerprint) {
      throw new Mismatch(`${survey} does not have the fingerprint ${fingerprint}, which was agreed to`);
    }
    if (publisher !== void 0) checkPublisher(survey, publisher);
    if (token2 !== void 0 && !/^[\x21-\x7e]+$/.test(token2)) throw new InvalidArgument("token must be visible ASCII characters without spaces");
    this.pinned = fingerprint !== void 0;
    this.clock = clock;
    const plain2 = plainHttp || url === survey.collector;
    this.collector = url === void 0 ? void 0 : { url: checkUrl(url, plain2), token: token2, patience: { ...PATIENCE, ...options.patience } };
    const names = Object.keys(LIMITS);
    this.limits = Object.fromEntries(names.map((name) => [name, options[name] === void 0 ? LIMITS[name] : options[name]]));
    const { scope, protects } = survey.certificate;
    if (scope !== "" && !scopes.includes(scope)) {
      const what = protects === void 0 ? `one ${scope}, not the whole answer` : `${protects.count} only, and open reports reveal theirs`;
      throw new InvalidSurvey(`${survey} protects ${what}; scopes: ["${scope}"] takes part all the same`);
    }
    checkReport(this.limits, survey);
    systemWords();
    this.ledger = options.ledger === void 0 ? DEFAULTS.ledger() : async () => options.ledger;
  }
  async report(value) {
    const { survey } = this;
    const { fingerprint, opens } = survey;
    const day = this.clock();
    const window = survey.windowOf(day);
    if (window === void 0) throw day < opens ? refused(survey, "clock-skew", `opens on ${opens}`) : refused(survey, "window-closed", "is closed");
    if (!await this.asks(day)) {
      survey.check(value);
      return { fingerprint, window, survey: survey.name, epsilon: "0", delta: "0", id: new Uint8Array(), upload: new Uint8Array(), state: "not-asked", code: "" };
    }
    const stored = find(await this.rows(), { fingerprint, window });
    if (stored !== void 0) return this.sent(stored);
    survey.check(value);
    const ledger = await this.ledger();
    const checked2 = this.collector !== void 0 && await isReady(this.collector, ledger, survey);
    const charge = chargeOf(survey, day, ledger.elapsed());
    const memory = memoryOf(survey, day);
    const drawn = await spend(ledger, charge, this.limits, this.pinned, memory, (known) => {
      const words = systemWords();
      const { payload, ...kept } = memory?.report(known, value, words) ?? { payload: survey.randomize(value, words) };
      const id = newId2();
      return { ...kept, id, upload: encodeUpload({ fingerprint, window, reports: [{ id, payload }] }) };
    });
    return this.sent(drawn, checked2);
  }
  async asked() {
    return this.asks(this.clock());
  }
  async nextAsked() {
    const { window, opens, closes, cohorts } = this.survey;
    if (window === "once") return void 0;
    const present = windowIndex(window, this.clock());
    const index = Math.max(present + 1, opens === "" ? present : windowIndex(window, opens));
    const first = firstDay(window, index + mod(await this.cohort() - index, cohorts));
    const day = first > opens ? first : opens;
    return first === "" || closes !== "" && day > closes ? void 0 : day;
  }
  async remembered() {
    const memory = memoryOf(this.survey, this.clock());
    return (await this.ledger()).transact((_rows, _logs, known) => ({ result: memory?.stored(known).length ?? 0 }));
  }
  async asks(day) {
    const { window, cohorts } = this.survey;
    return mod(windowIndex(window, day) - await this.cohort(), cohorts) === 0;
  }
  async cohort() {
    if (this.survey.cohorts === 1) return 0;
    return (await this.ledger()).transact((_rows, _logs, known) => cohortOf(known, this.survey, systemWords()));
  }
  async send() {
    const receipts = [];
    for (const receipt of await this.receipts()) receipts.push(await this.sent(receipt));
    return receipts;
  }
  async receipts() {
    const rows = (await this.rows()).filter((row2) => row2.fingerprint === this.survey.fingerprint);
    return rows.map(receiptOf).sort((a, b) => a.window < b.window ? -1 : 1);
  }
  async spent() {
    return costText(await this.rows());
  }
  explain(receipt) {
    return explain(this.survey, receipt);
  }
  async acknowledge(receipt) {
    return this.settled(receipt, ["pending", "refused"], { state: "acknowledged", code: "" });
  }
  async withdraw(receipt) {
    return this.sent(await this.settled(receipt, ["pending", "acknowledged", "refused"], { state: "withdrawn", code: "not-confirmed" }));
  }
  async sent(receipt, checked2 = false) {
    const { collector, survey } = this;
    if (collector === void 0) return receiptOf(receipt);
    if (receipt.state === "withdrawn" && receipt.code !== "") {
      return this.settled(receipt, ["withdrawn"], await remove(collector, receipt.fingerprint, toHex(receipt.id)));
    }
    if (receipt.state !== "pending") return receiptOf(receipt);
    const outcome = await deliver(collector, receipt.upload, async () => {
      if (!checked2) await checkLog(collector, await this.ledger(), survey);
      checked2 = true;
      return find(await this.rows(), receipt)?.state === "pending";
    });
    const settled = await this.settled(receipt, ["pending", "refused"], outcome);
    return settled.state === "withdrawn" ? this.sent({ ...settled, code: "not-confirmed" }) : settled;
  }
  async rows() {
    return (await this.ledger()).transact((rows) => ({ result: rows }));
  }
  async settled(receipt, from, { state, code: code2 }) {
    const row2 = await settle(await this.ledger(), receipt, from, state, code2);
    if (row2 === void 0) throw new NoLedger("this receipt is not in the ledger");
    return receiptOf(row2);
  }
};
function refused(survey, code2, why) {
  return new Refused(code2, `${survey} ${why}`);
}
async function isReady(collector, ledger, survey) {
  try {
    const { code: code2, closed, upload } = await about2(collector, survey.fingerprint);
    if (code2 === "unknown-survey") throw refused(survey, code2, "is not published by the collector");
    if (closed === true) throw refused(survey, "survey-closed", "is closed");
    if (upload === "tokens" && collector.token === void 0) throw refused(survey, "not-allowed", "is only for people with a token");
    await checkLog(collector, ledger, survey);
    return true;
  } catch (error) {
    if (error instanceof NoAnswer) return false;
    throw error;
  }
}
var DEFAULTS = { ledger: browserLedger };
function browserLedger() {
  if (typeof indexedDB === "undefined") {
    throw new NoLedger("nothing here remembers what was spent: pass a ledger, or use Node 22.13 or newer");
  }
  const ledger = new BrowserLedger();
  return async () => ledger;
}
function mod(number2, size) {
  return (number2 % size + size) % size;
}
function today() {
  return (/* @__PURE__ */ new Date()).toISOString().slice(0, 10);
}

// page/texts.ts
var TEXTS = {
  checking: "Checking the survey.",
  answer: "Your answer",
  choose: "Choose one",
  number: (low, high) => `A number from ${low} to ${high}`,
  from: (low) => `A number from ${low} up`,
  unit: (unit) => unit === "" ? "" : `, in ${unit}`,
  bins: (bins, uneven = false) => `, seen through ${bins} bins${uneven ? " of different widths" : ""}`,
  more: (high) => `, the last of them ${high} or more`,
  date: (first, last) => `A date from ${first} to ${last}`,
  steps: (steps, step) => `, seen through ${steps} ${step}${steps === 1 ? "" : "s"}`,
  whole: (low, high) => `A whole number from ${low} to ${high}`,
  nearest: ". One outside counts as the nearest one inside",
  listed: (size) => `One of ${size} values. Type a part of it to see what fits`,
  notListed: "This is not one of the values.",
  twice: "Each may be named once.",
  nth: (i, count) => `${i} of ${count}`,
  answered: (count, all) => `${count} of ${all} questions answered.`,
  unanswered: "Please answer this question.",
  must: (says) => `This is not a possible answer. ${says}.`,
  incomplete: (count) => `${count === 1 ? "One question has" : `${count} questions have`} no possible answer yet, so nothing was drawn or sent.`,
  tick: (most, all) => `Tick all that apply${most < all ? `, at most ${most}` : ""}`,
  none: "none of these",
  unticked: "Tick what applies, or none of these.",
  tooMany: (most) => `Tick at most ${most}.`,
  only: (named) => `I know that only these answers are protected: ${named}. Any other answer is often sent openly.`,
  place: (i) => `Number ${i}`,
  pair: (i) => `Pair ${i}`,
  key: "What",
  value: "Number",
  add: "Add a pair",
  remove: "Remove the last pair",
  scope: (scope) => `I know that this protects one ${scope}, not my whole answer.`,
  submit: "Randomize and send",
  first: {
    once: "Only the first answer counts.",
    day: "The first answer of a day counts.",
    week: "The first answer of a week counts.",
    month: "The first answer of a month counts."
  },
  notAsked: "Your device is not asked in this window, so nothing is sent.",
  next: ({ window }, day) => day === void 0 ? "It is not asked again before the survey ends." : `It is asked next ${window === "day" ? "on" : `in the ${window} from`} ${day}.`,
  paying: (cost) => `Your first report is charged for all that follow: ${cost}.`,
  kept: (changes) => `This browser keeps ${changes === 0 ? "one randomized answer, drawn from your first: whatever you choose now, it is reported again" : "a randomized answer for each that you gave: one that you give again is reported again"}. It costs nothing more.`,
  remembers: "This browser remembers what it sent, not what you answered. A private window forgets it when it is closed.",
  working: "Drawing at random, then sending.",
  states: { "not-asked": "Not asked", acknowledged: "Sent", pending: "Kept in this browser", refused: "Not taken", withdrawn: "Withdrawn" },
  cost: (epsilon, spent) => `It cost epsilon ${epsilon}. This browser has spent ${spent} on this site so far.`,
  paid: (spent) => `It cost nothing more: your first report paid for all. This browser has spent ${spent} on this site so far.`,
  asked: "Your device was asked in this window.",
  same: "Asked again, the same randomized answer is kept.",
  again: {
    once: "This survey takes one answer.",
    day: "You can answer again tomorrow.",
    week: "You can answer again next week.",
    month: "You can answer again next month."
  },
  retry: "Try again now",
  withdraw: "Withdraw",
  withdrawing: "The collector deletes the report. What it cost stays spent, and no other answer takes its place. Decide before you look at what was sent: a choice that depends on it would say something about your answer.",
  withdrawNow: "Withdraw this report",
  content: "What was sent, byte by byte",
  bytes: ["part", "bytes", "meaning"],
  sent: "What this browser sent",
  rows: ["survey", "window", "epsilon", "state", "bytes"],
  origin: "All reports of this browser to this site. Other sites, browsers and private windows have their own lists.",
  insecure: "This page came over an unencrypted connection: anyone on the network path could have changed it, and can read what is sent.",
  cannot: "This question needs more fields than a form can have, so it is answered by programs only.",
  failed: "This page failed. What was drawn before is kept: open the page again to see it."
};
var WHY = {
  "over-budget": "The limits of this browser do not allow this report",
  "no-ledger": "This browser does not let the page remember what it sends",
  "survey-closed": "This survey is closed",
  "window-closed": "This survey is closed",
  "clock-skew": "By the date of this device, the survey has not opened yet",
  "not-allowed": "This survey needs the link with a token that you were given",
  "no-answer": "The collector did not answer",
  "no-randomness": "This browser has no source of randomness",
  "invalid-value": "This is not a possible answer"
};
function refusal2(code2, drawn) {
  return `${WHY[code2] ?? "This survey does not pass the checks of this page"}, so nothing ${drawn ? "more was" : "was drawn or"} sent.`;
}
function windowText({ window }) {
  return window === "" ? "once" : window;
}

// page/questions.ts
function questionsOf({ questions }, texts, controlOf2) {
  const rows = questions.map(({ name, domain }, i) => rowOf(name, controlOf2(domain, [make("small", {}, TEXTS.nth(i + 1, questions.length)), " ", foreign(texts[i] || name)])));
  const progress = make("p", { class: "progress" });
  const count = () => {
    progress.textContent = TEXTS.answered(rows.filter((row2) => row2.open() === null).length, rows.length);
  };
  const element = make("div", { class: "questions" }, ...rows.map(({ control }) => control.element), progress);
  element.oninput = ({ target }) => {
    count();
    rows.find(({ control }) => control.element.contains(target) && control.element.classList.contains("wrong"))?.show();
  };
  count();
  return {
    element,
    check: () => {
      const wrong = rows.filter((row2) => !row2.show());
      wrong[0]?.control.element.scrollIntoView();
      wrong[0]?.open()?.focus({ preventScroll: true });
      return wrong.length === 0 ? void 0 : TEXTS.incomplete(wrong.length);
    },
    read: () => Object.fromEntries(rows.map(({ name, control }) => [name, control.read()]))
  };
}
function rowOf(name, control) {
  const { element } = control;
  const said = make("p", { class: "error", id: newId(), hidden: true });
  element.append(said);
  const open = () => {
    control.check?.();
    return element.querySelector("input:invalid, select:invalid");
  };
  return {
    name,
    control,
    open,
    show: () => {
      const field2 = open();
      const right = field2 === null;
      said.hidden = right;
      element.classList.toggle("wrong", !right);
      if (right) {
        said.textContent = "";
        for (const each of element.querySelectorAll("[aria-invalid]")) each.removeAttribute("aria-invalid");
        element.removeAttribute("aria-describedby");
        return true;
      }
      const { valueMissing, badInput } = field2.validity;
      said.textContent = valueMissing && !badInput ? TEXTS.unanswered : TEXTS.must(control.says ?? field2.validationMessage);
      element.setAttribute("aria-describedby", said.id);
      if (field2.type !== "radio" && field2.type !== "checkbox") field2.setAttribute("aria-invalid", "true");
      return false;
    }
  };
}

// page/controls.ts
var RADIOS = 12;
var FEW = 6;
var LISTED = 200;
var SUGGESTED = 50;
var MOST_ROWS = 50;
var LONGEST = 200;
function controlOf({ mechanism: { domain }, outside, texts }) {
  switch (domain.kind) {
    case "vector":
      return domain.coordinates > MOST_ROWS ? void 0 : row(domain);
    case "key-values":
      return domain.pairs === null ? pair(domain, RADIOS, TEXTS.answer) : pairs(domain);
    case "choices":
      return domain.options.size > LISTED ? void 0 : boxes(domain);
    case "record":
      return questionsOf(domain, texts, (one, legend) => grouped(single(one, legend, void 0, "", FEW), legend));
    default:
      return single(domain, [TEXTS.answer], TEXTS.answer, outside);
  }
}
function single(domain, legend, name, outside = "", radios = RADIOS) {
  if (domain.kind === "may-decline") return declinable(single(domain.domain, legend, name, outside, radios), domain.label);
  if (domain.kind === "categories") return pick(domain, legend, name, outside === "other", radios);
  return isScale(domain) ? scale(domain, legend) : number(domain, name, outside === "nearest");
}
function declinable(control, label) {
  const box = make("input", { type: "checkbox" });
  const fields = [...control.element.querySelectorAll("input, select")];
  box.onchange = () => {
    for (const field2 of fields) field2.disabled = box.checked;
  };
  control.element.append(make("label", { class: "decline" }, box, foreign(label)));
  return { ...control, read: () => box.checked ? label : control.read() };
}
function grouped(control, legend) {
  if (control.element.matches("fieldset")) return control;
  return { ...control, element: make("fieldset", {}, make("legend", {}, ...legend), control.element) };
}
function valuesOf(domain) {
  const values = domain.document.get("values");
  return Array.isArray(values) ? (index) => values[index] : (index) => index;
}
function pick(domain, legend, name, open = false, radios = RADIOS) {
  const value = valuesOf(domain);
  const indices = Array.from({ length: Math.min(domain.size, LISTED) }, (_, i) => i);
  if (domain.size <= radios) return choose(indices.map(value), legend, isYesNo(indices.map(value)) ? "scale" : "choices");
  if (domain.size > LISTED) {
    return Array.isArray(domain.document.get("values")) ? search(domain, name, open) : wholeNumber(0, domain.size - 1, name, false);
  }
  const options = indices.map((i) => make("option", { value: String(i), dir: "auto" }, cut(String(value(i)))));
  const select = make("select", { required: true }, make("option", { value: "" }, TEXTS.choose), ...options);
  return {
    element: make("div", {}, ...labelled(name ?? TEXTS.choose, select)),
    check: () => select.setCustomValidity(""),
    read: () => select.value === "" ? void 0 : value(Number(select.value))
  };
}
function isYesNo([first, second, third]) {
  return first === "no" && second === "yes" && third === void 0;
}
function choose(values, legend, kind) {
  const name = newId();
  const inputs = values.map((_, i) => make("input", { type: "radio", name, value: String(i), required: true }));
  const labels = inputs.map((input, i) => make("label", {}, input, foreign(String(values[i]))));
  return {
    element: make("fieldset", { class: kind }, make("legend", {}, ...legend), ...labels),
    read: () => values[inputs.findIndex((input) => input.checked)]
  };
}
function boxes({ options, most }) {
  const value = valuesOf(options);
  const indices = Array.from({ length: options.size }, (_, i) => i);
  const inputs = [...indices, -1].map((i) => make("input", { type: "checkbox", value: String(i) }));
  const none = inputs[options.size];
  const ticked = () => indices.filter((i) => inputs[i].checked);
  const labels = inputs.map((input, i) => make("label", {}, input, input === none ? TEXTS.none : foreign(String(value(i)))));
  const element = make("fieldset", { class: "choices" }, make("legend", {}, TEXTS.tick(most, options.size)), ...labels);
  element.onchange = ({ target }) => {
    for (const input of inputs) if (input === none !== (target === none)) input.checked = false;
  };
  return {
    element,
    check: () => {
      const count = ticked().length;
      inputs[0].setCustomValidity(count > most ? TEXTS.tooMany(most) : count === 0 && !none.checked ? TEXTS.unticked : "");
    },
    read: () => ticked().map(value)
  };
}
function search(domain, name, open) {
  const value = valuesOf(domain);
  const indices = /* @__PURE__ */ new Map();
  for (let i = domain.size - 1; i >= 0; i--) {
    const text = String(value(i));
    if (typeof value(i) === "string" || typeof value(indices.get(text)) !== "string") indices.set(text, i);
  }
  const names = [...indices.keys()].reverse();
  const id = newId();
  const suggestions = make("datalist", { id });
  const input = make("input", { type: "text", list: id, required: true, autocomplete: "off", dir: "auto" });
  const suggest = () => {
    const fitting = [];
    for (let i = 0; i < names.length && fitting.length < SUGGESTED; i++) {
      if (names[i].includes(input.value)) fitting.push(make("option", { value: names[i] }));
    }
    suggestions.replaceChildren(...fitting);
  };
  input.oninput = suggest;
  suggest();
  return {
    element: make("div", {}, ...described(name, input, TEXTS.listed(domain.size)), suggestions),
    says: TEXTS.listed(domain.size),
    check: () => input.setCustomValidity(open || indices.has(input.value) ? "" : TEXTS.notListed),
    read: () => indices.has(input.value) ? value(indices.get(input.value)) : input.value
  };
}
function isScale(domain) {
  return "least" in domain && domain.bins <= RADIOS;
}
function scale(domain, legend) {
  return choose(Array.from({ length: domain.bins }, (_, i) => domain.least + i), [...legend, TEXTS.unit(domain.unit)], "scale");
}
function number(domain, name, nearest) {
  if (domain.kind === "dates") {
    const says2 = TEXTS.date(domain.first, domain.last) + (domain.step === "day" ? "" : TEXTS.steps(domain.bins, domain.step));
    return field({ type: "date", min: domain.first, max: domain.last }, name, says2, nearest);
  }
  if (domain.kind !== "interval") return wholeNumber(domain.least, domain.most, name, nearest, domain.unit);
  const { low, high, bins, uneven, unbounded, unit } = domain;
  const says = (unbounded ? TEXTS.from(low) : TEXTS.number(low, high)) + TEXTS.unit(unit) + TEXTS.bins(bins, uneven) + (unbounded ? TEXTS.more(high) : "");
  return field({ ...amount(low), step: "any", min: String(low), ...unbounded ? {} : { max: String(high) } }, name, says, nearest);
}
function wholeNumber(low, high, name, nearest, unit = "") {
  return field({ ...amount(low), step: "1", min: String(low), max: String(high) }, name, TEXTS.whole(low, high) + TEXTS.unit(unit), nearest);
}
function amount(low) {
  return { type: "number", inputmode: low < 0 ? "text" : "decimal" };
}
function field({ min, max, ...attributes }, name, says, nearest) {
  const bounds = nearest ? {} : { ...min === void 0 ? {} : { min }, ...max === void 0 ? {} : { max } };
  const input = make("input", { required: true, autocomplete: "off", ...attributes, ...bounds });
  return {
    element: make("div", {}, ...described(name, input, says + (nearest ? TEXTS.nearest : ""))),
    says,
    read: () => attributes.type === "date" ? input.value : input.valueAsNumber
  };
}
function labelled(name, input) {
  input.id = newId();
  return [make("label", { for: input.id }, name), input];
}
function described(name, input, says) {
  if (name === void 0) return labelled(says, input);
  const id = newId();
  input.setAttribute("aria-describedby", id);
  return [...labelled(name, input), make("small", { class: "hint", id }, `${says}.`)];
}
function row({ interval, coordinates }) {
  const fields = Array.from({ length: coordinates }, (_, i) => number(interval, TEXTS.place(i + 1), false));
  return { element: group(TEXTS.answer, fields), read: () => fields.map((one) => one.read()) };
}
function pair({ keys, interval }, radios, name) {
  const parts = [pick(keys, [TEXTS.key], TEXTS.key, false, radios), number(interval, TEXTS.value, false)];
  return { element: group(name, parts), check: () => parts[0].check?.(), read: () => parts.map((one) => one.read()) };
}
function pairs(domain) {
  const most = Math.min(domain.pairs, domain.keys.size, MOST_ROWS);
  const rows = [];
  const more = make("button", { type: "button", class: "quiet" }, TEXTS.add);
  const fewer = make("button", { type: "button", class: "quiet" }, TEXTS.remove);
  const first = (control) => control.element.querySelector("select, input");
  function add() {
    const made = pair(domain, 0, TEXTS.pair(rows.length + 1));
    rows.push(made);
    more.before(made.element);
    show();
    return made;
  }
  function show() {
    more.hidden = rows.length === most;
    fewer.hidden = rows.length === 1;
  }
  const element = make("div", { class: "pairs" }, more, fewer);
  add();
  more.onclick = () => first(add()).focus();
  fewer.onclick = () => {
    rows.pop().element.remove();
    show();
    first(rows[rows.length - 1]).focus();
  };
  return {
    element,
    check: () => {
      const seen = /* @__PURE__ */ new Set();
      for (const one of rows) {
        one.check();
        const [key] = one.read();
        if (seen.has(key)) first(one).setCustomValidity(TEXTS.twice);
        if (key !== void 0) seen.add(key);
      }
    },
    read: () => rows.map((one) => one.read())
  };
}
function group(name, parts) {
  return make("fieldset", { class: "parts" }, make("legend", {}, name), ...parts.map((one) => one.element));
}
function cut(text) {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

// page/result.ts
async function resultOf(client, receipt, steps) {
  const { report, parts } = client.explain(receipt);
  const bytes = parts.map((part) => [part.name, code(part.bytes), foreign(part.words)]);
  return [
    ...isOpen(receipt) ? [button(TEXTS.retry, steps.retry)] : [],
    make("p", {}, await costOf3(client, receipt)),
    ...canWithdraw(receipt) ? [fold(TEXTS.withdraw, make("p", {}, TEXTS.withdrawing), button(TEXTS.withdrawNow, steps.withdraw))] : [],
    fold(TEXTS.content, make("p", {}, foreign(report)), table(TEXTS.content, TEXTS.bytes, bytes))
  ];
}
async function costOf3(client, { epsilon }) {
  const { survey } = client;
  const { memory } = survey.mechanism;
  const spent = await client.spent();
  const cost = memory !== void 0 && epsilon === "0" ? TEXTS.paid(spent) : TEXTS.cost(epsilon, spent);
  const again = survey.cohorts > 1 ? `${TEXTS.asked} ${TEXTS.next(survey, await client.nextAsked())}` : TEXTS.again[survey.window];
  return `${cost} ${again}${memory === void 0 ? "" : ` ${TEXTS.same}`}`;
}
async function historyOf() {
  const rows = await new BrowserLedger().transact((found) => ({ write: [], result: [...found] }));
  const lines = rows.sort((a, b) => a.day < b.day ? 1 : -1).map((row2) => [foreign(row2.survey), windowText(row2), row2.epsilon, TEXTS.states[row2.state], code(toHex(row2.upload))]);
  if (lines.length === 0) return [];
  return [fold(`${TEXTS.sent} (${lines.length})`, make("p", {}, TEXTS.origin), table(TEXTS.sent, TEXTS.rows, lines))];
}
function isOpen({ state, code: code2 }) {
  return state === "pending" || state === "withdrawn" && code2 !== "";
}
function canWithdraw({ state, code: code2 }) {
  return state === "pending" || state === "acknowledged" && code2 !== "scrubbed";
}
function code(hex) {
  return make("code", {}, hex);
}

// page/asking.ts
var PATIENCE2 = { attempts: 3, waiting: 8 };
var Interview = class {
  constructor(place2, level, asking) {
    this.asking = asking;
    this.status = make("p", { role: "status" });
    this.body = make("div");
    this.heading = make(level, { tabindex: "-1", hidden: true });
    place2.replaceChildren(this.heading, this.status, this.body);
  }
  async begin() {
    this.status.textContent = TEXTS.checking;
    await this.guarded(async () => {
      const { url, plainHttp, options, pinned } = this.asking;
      const survey = await Survey.fetch(url, { plainHttp, ...pinned });
      this.asking.show?.(survey);
      const { scope } = survey.certificate;
      this.client = new Client(survey, { plainHttp, patience: PATIENCE2, scopes: scope === "" ? [] : [scope], ...options, ...pinned });
      const receipts = await this.client.receipts();
      const receipt = this.current(receipts);
      if (receipt === void 0) await this.showForm();
      else await this.showResult(receipt);
      if (receipts.some(isOpen)) await this.send();
    });
    if (this.body.childElementCount === 0) this.body.replaceChildren(...await historyOf().catch(() => []));
  }
  current(receipts) {
    const window = this.client.survey.windowOf(today2());
    return receipts.find((receipt) => receipt.window === window);
  }
  async showForm() {
    const client = this.client;
    const { survey } = client;
    const { scope, protects } = survey.certificate;
    const control = controlOf(survey);
    const refused2 = this.asking.refused ?? closedOn(survey, today2());
    this.status.textContent = refused2 !== void 0 ? refusal2(refused2, false) : control === void 0 ? TEXTS.cannot : "";
    if (refused2 !== void 0 || control === void 0) return;
    if (!await client.asked()) {
      this.status.textContent = `${TEXTS.notAsked} ${TEXTS.next(survey, await client.nextAsked())}`;
      return;
    }
    const kept = survey.mechanism.memory === void 0 ? void 0 : await client.remembered() > 0 ? TEXTS.kept(survey.changes) : TEXTS.paying(survey.costInWords());
    const submit = make("button", {}, TEXTS.submit);
    const form = make(
      "form",
      { novalidate: true },
      ...kept === void 0 ? [] : [make("p", {}, kept)],
      ...scope === "" ? [control.element] : protects === void 0 ? [control.element, consent(TEXTS.scope(scope))] : asked(TEXTS.only(protects.named), control.element),
      make("p", { class: "submit" }, submit, make("small", {}, TEXTS.first[survey.window])),
      this.status,
      make("p", { class: "muted" }, make("small", {}, TEXTS.remembers))
    );
    form.oninput = () => this.status.replaceChildren();
    form.onsubmit = async (event) => {
      event.preventDefault();
      const wrong = control.check?.();
      this.status.textContent = wrong ?? "";
      if (wrong !== void 0 || submit.disabled || !form.reportValidity()) return;
      submit.disabled = true;
      this.status.textContent = TEXTS.working;
      await this.guarded(async () => this.finish("report", await client.report(control.read())));
      submit.disabled = false;
    };
    this.body.replaceChildren(form);
    void historyOf().then((history2) => form.after(...history2));
  }
  async showResult(receipt) {
    const client = this.client;
    const result = await resultOf(client, receipt, {
      retry: () => this.guarded(async () => {
        await this.send();
        this.heading.focus();
      }),
      withdraw: () => this.guarded(async () => this.finish("withdraw", await client.withdraw(receipt)))
    });
    const history2 = await historyOf();
    this.heading.after(this.status);
    this.body.replaceChildren(...result, ...history2);
    this.heading.textContent = TEXTS.states[receipt.state];
    this.heading.hidden = false;
    this.status.textContent = client.explain(receipt).status;
  }
  async resend() {
    await this.guarded(async () => {
      if ((await this.client?.receipts())?.some(isOpen)) await this.send();
    });
  }
  async send() {
    const receipt = this.current(await this.client.send());
    if (receipt === void 0) return;
    await this.showResult(receipt);
    this.asking.tell?.("report", receipt);
  }
  async finish(news, receipt) {
    if (receipt.state === "not-asked") {
      this.body.replaceChildren();
      this.heading.after(this.status);
      return this.showForm();
    }
    await this.showResult(receipt);
    this.heading.focus();
    this.asking.tell?.(news, receipt);
  }
  async guarded(work) {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof SottovoceError)) {
        this.status.textContent = TEXTS.failed;
        throw error;
      }
      const receipt = this.client && this.current(await this.client.receipts().catch(() => []));
      if (receipt !== void 0) await this.showResult(receipt);
      this.status.replaceChildren(refusal2(error.code, !this.heading.hidden), " ", make("small", {}, foreign(`(${error.message})`)));
      this.asking.tell?.("refusal", error);
    }
  }
};
function closedOn(survey, day) {
  if (survey.windowOf(day) !== void 0) return void 0;
  return day < survey.opens ? "clock-skew" : "window-closed";
}
function today2() {
  return (/* @__PURE__ */ new Date()).toISOString().slice(0, 10);
}
function consent(says) {
  return make("label", { class: "consent" }, make("input", { type: "checkbox", required: true }), foreign(says));
}
function asked(says, control) {
  const first = consent(says);
  const rest = make("fieldset", { class: "gated", disabled: true }, control);
  first.onchange = () => {
    rest.disabled = !first.querySelector("input").checked;
  };
  return [first, rest];
}

// page/answer.ts
var TOKEN = /^#[\w-]{43}$/;
function takeToken() {
  const { hash, pathname, search: search2 } = location;
  if (!TOKEN.test(hash)) return void 0;
  history.replaceState(null, "", pathname + search2);
  return hash.slice(1);
}
function refusedBy({ closed, tokens }, token2) {
  if (closed !== void 0) return { refused: "survey-closed" };
  return tokens !== void 0 && token2 === void 0 ? { refused: "not-allowed" } : {};
}
var place = document.getElementById("ask");
var token = takeToken();
var interview = new Interview(place, "h2", {
  url: location.origin + location.pathname.replace(/\/answer$/, ""),
  plainHttp: true,
  // the page itself came from there
  options: token === void 0 ? {} : { token },
  ...refusedBy(place.dataset, token)
});
if (!isSecureContext) place.before(make("p", { class: "warning" }, TEXTS.insecure));
onhashchange = () => TOKEN.test(location.hash) && location.reload();
ononline = () => interview.resend();
void interview.begin();
