import type { Domain, Survey } from "@sottovoce/client";
import { foreign, make, newId, type Content } from "./dom.js";
import { questionsOf } from "./questions.js";
import { TEXTS } from "./texts.js";

type Of<Kind extends Domain["kind"]> = Extract<Domain, { kind: Kind }>;
type Categories = Of<"categories">;
type Numbers = Of<"interval" | "counts" | "ratings" | "dates">;

/** What a person fills in. */
export interface Control {
  readonly element: HTMLElement;
  /** What an answer must be, in words. */
  readonly says?: string;
  /** Mark what no browser finds by itself, before the form is checked; what is wrong, where the control says itself of which answers. */
  check?(): string | void;
  /** The answer, once the form is valid. */
  read(): unknown;
}

/** Values up to which each has a radio button, and up to which they are in a list. */
const RADIOS = 12;
/** The same of one question among several, for a phone. */
const FEW = 6;
const LISTED = 200;
/** Values that a field suggests at a time. */
const SUGGESTED = 50;
/** Numbers or pairs that a form may have. */
const MOST_ROWS = 50;
/** Characters of a value in a list. */
const LONGEST = 200;

/** The control of a survey's kind of question, or undefined where a form makes no sense. */
export function controlOf({ mechanism: { domain }, outside, texts }: Survey): Control | undefined {
  switch (domain.kind) {
    case "vector": return domain.coordinates > MOST_ROWS ? undefined : row(domain);
    case "key-values": return domain.pairs === null ? pair(domain, RADIOS, TEXTS.answer) : pairs(domain);
    case "choices": return domain.options.size > LISTED ? undefined : boxes(domain);
    case "record": return questionsOf(domain, texts, (one, legend) => grouped(single(one, legend, undefined, "", FEW), legend));
    default: return single(domain, [TEXTS.answer], TEXTS.answer, outside);
  }
}

/** One value: buttons below a legend, or a field below a name. */
function single(domain: Categories | Numbers | Of<"may-decline">, legend: readonly Content[], name: string | undefined, outside = "", radios = RADIOS): Control {
  if (domain.kind === "may-decline") return declinable(single(domain.domain, legend, name, outside, radios), domain.label);
  if (domain.kind === "categories") return pick(domain, legend, name, outside === "other", radios);
  return isScale(domain) ? scale(domain, legend) : number(domain, name, outside === "nearest");
}

/** A control with a box below it, which takes the place of the answer. */
function declinable(control: Control, label: string): Control {
  const box = make("input", { type: "checkbox" });
  const fields = [...control.element.querySelectorAll<HTMLInputElement | HTMLSelectElement>("input, select")];
  box.onchange = () => {
    for (const field of fields) field.disabled = box.checked;
  };
  control.element.append(make("label", { class: "decline" }, box, foreign(label)));
  return { ...control, read: () => (box.checked ? label : control.read()) };
}

/** A control with a legend: buttons have one, a field gets one. */
function grouped(control: Control, legend: readonly Content[]): Control {
  if (control.element.matches("fieldset")) return control;
  return { ...control, element: make("fieldset", {}, make("legend", {}, ...legend), control.element) };
}

/** The values of categories by index: texts, or whole numbers. */
function valuesOf(domain: Categories): (index: number) => string | number {
  const values = domain.document.get("values");
  return Array.isArray(values) ? (index) => values[index] as string | number : (index) => index;
}

/** One of some categories. `open` is where any other text counts too. */
function pick(domain: Categories, legend: readonly Content[], name: string | undefined, open = false, radios = RADIOS): Control {
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
    read: () => (select.value === "" ? undefined : value(Number(select.value))),
  };
}

function isYesNo([first, second, third]: readonly (string | number)[]): boolean {
  return first === "no" && second === "yes" && third === undefined;
}

/** A radio button for each value. */
function choose(values: readonly (string | number)[], legend: readonly Content[], kind: string): Control {
  const name = newId();
  const inputs = values.map((_, i) => make("input", { type: "radio", name, value: String(i), required: true }));
  const labels = inputs.map((input, i) => make("label", {}, input, foreign(String(values[i]))));
  return {
    element: make("fieldset", { class: kind }, make("legend", {}, ...legend), ...labels),
    read: () => values[inputs.findIndex((input) => input.checked)],
  };
}

/** A box for each option, and one for none, which stands alone: nothing ticked is no answer yet. */
function boxes({ options, most }: Of<"choices">): Control {
  const value = valuesOf(options);
  const indices = Array.from({ length: options.size }, (_, i) => i);
  const inputs = [...indices, -1].map((i) => make("input", { type: "checkbox", value: String(i) }));
  const none = inputs[options.size]!;
  const ticked = (): number[] => indices.filter((i) => inputs[i]!.checked);
  const labels = inputs.map((input, i) => make("label", {}, input, input === none ? TEXTS.none : foreign(String(value(i)))));
  const element = make("fieldset", { class: "choices" }, make("legend", {}, TEXTS.tick(most, options.size)), ...labels);
  element.onchange = ({ target }) => {
    for (const input of inputs) if ((input === none) !== (target === none)) input.checked = false;
  };
  return {
    element,
    check: () => {
      const count = ticked().length;
      inputs[0]!.setCustomValidity(count > most ? TEXTS.tooMany(most) : count === 0 && !none.checked ? TEXTS.unticked : "");
    },
    read: () => ticked().map(value),
  };
}

/** A field that suggests the values that hold what is typed. */
function search(domain: Categories, name: string | undefined, open: boolean): Control {
  const value = valuesOf(domain);
  const indices = new Map<string, number>();
  for (let i = domain.size - 1; i >= 0; i--) {
    const text = String(value(i));
    if (typeof value(i) === "string" || typeof value(indices.get(text)!) !== "string") indices.set(text, i); // "1" before 1
  }
  const names = [...indices.keys()].reverse();
  const id = newId();
  const suggestions = make("datalist", { id });
  const input = make("input", { type: "text", list: id, required: true, autocomplete: "off", dir: "auto" });
  const suggest = (): void => {
    const fitting: HTMLOptionElement[] = [];
    for (let i = 0; i < names.length && fitting.length < SUGGESTED; i++) {
      if (names[i]!.includes(input.value)) fitting.push(make("option", { value: names[i]! }));
    }
    suggestions.replaceChildren(...fitting);
  };
  input.oninput = suggest;
  suggest();
  return {
    element: make("div", {}, ...described(name, input, TEXTS.listed(domain.size)), suggestions),
    says: TEXTS.listed(domain.size),
    check: () => input.setCustomValidity(open || indices.has(input.value) ? "" : TEXTS.notListed),
    read: () => (indices.has(input.value) ? value(indices.get(input.value)!) : input.value),
  };
}

/** Whether there are so few whole numbers that each has a button. */
function isScale(domain: Numbers): domain is Of<"counts" | "ratings"> {
  return "least" in domain && domain.bins <= RADIOS;
}

function scale(domain: Of<"counts" | "ratings">, legend: readonly Content[]): Control {
  return choose(Array.from({ length: domain.bins }, (_, i) => domain.least + i), [...legend, TEXTS.unit(domain.unit)], "scale");
}

/** A number or a date; `nearest` is where one outside counts as the nearest one inside. */
function number(domain: Numbers, name: string | undefined, nearest: boolean): Control {
  if (domain.kind === "dates") {
    const says = TEXTS.date(domain.first, domain.last) + (domain.step === "day" ? "" : TEXTS.steps(domain.bins, domain.step));
    return field({ type: "date", min: domain.first, max: domain.last }, name, says, nearest);
  }
  if (domain.kind !== "interval") return wholeNumber(domain.least, domain.most, name, nearest, domain.unit);
  const { low, high, bins, uneven, unbounded, unit } = domain;
  const says = (unbounded ? TEXTS.from(low) : TEXTS.number(low, high)) + TEXTS.unit(unit) + TEXTS.bins(bins, uneven) + (unbounded ? TEXTS.more(high) : "");
  return field({ ...amount(low), step: "any", min: String(low), ...(unbounded ? {} : { max: String(high) }) }, name, says, nearest);
}

function wholeNumber(low: number, high: number, name: string | undefined, nearest: boolean, unit = ""): Control {
  return field({ ...amount(low), step: "1", min: String(low), max: String(high) }, name, TEXTS.whole(low, high) + TEXTS.unit(unit), nearest);
}

function amount(low: number): Record<string, string> {
  return { type: "number", inputmode: low < 0 ? "text" : "decimal" };
}

function field({ min, max, ...attributes }: Record<string, string>, name: string | undefined, says: string, nearest: boolean): Control {
  const bounds: Record<string, string> = nearest ? {} : { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  const input = make("input", { required: true, autocomplete: "off", ...attributes, ...bounds });
  return {
    element: make("div", {}, ...described(name, input, says + (nearest ? TEXTS.nearest : ""))),
    says,
    read: () => (attributes.type === "date" ? input.value : input.valueAsNumber),
  };
}

/** A label and its field. */
function labelled(name: string, input: HTMLElement): HTMLElement[] {
  input.id = newId();
  return [make("label", { for: input.id }, name), input];
}

/** A field with a name and a sentence that describes it; without a name the sentence is the label. */
function described(name: string | undefined, input: HTMLInputElement, says: string): HTMLElement[] {
  if (name === undefined) return labelled(says, input);
  const id = newId();
  input.setAttribute("aria-describedby", id);
  return [...labelled(name, input), make("small", { class: "hint", id }, `${says}.`)];
}

/** The numbers of a vector. */
function row({ interval, coordinates }: Of<"vector">): Control {
  const fields = Array.from({ length: coordinates }, (_, i) => number(interval, TEXTS.place(i + 1), false));
  return { element: group(TEXTS.answer, fields), read: () => fields.map((one) => one.read()) };
}

/** A key with its number. */
function pair({ keys, interval }: Of<"key-values">, radios: number, name: string): Control {
  const parts = [pick(keys, [TEXTS.key], TEXTS.key, false, radios), number(interval, TEXTS.value, false)];
  return { element: group(name, parts), check: () => parts[0]!.check?.(), read: () => parts.map((one) => one.read()) };
}

/** A set of pairs: one at first, others on demand. */
function pairs(domain: Of<"key-values">): Control {
  const most = Math.min(domain.pairs!, domain.keys.size, MOST_ROWS);
  const rows: Control[] = [];
  const more = make("button", { type: "button", class: "quiet" }, TEXTS.add);
  const fewer = make("button", { type: "button", class: "quiet" }, TEXTS.remove);
  const first = (control: Control): HTMLSelectElement | HTMLInputElement => control.element.querySelector("select, input")!;

  function add(): Control {
    const made = pair(domain, 0, TEXTS.pair(rows.length + 1));
    rows.push(made);
    more.before(made.element);
    show();
    return made;
  }

  function show(): void {
    more.hidden = rows.length === most;
    fewer.hidden = rows.length === 1;
  }

  const element = make("div", { class: "pairs" }, more, fewer);
  add();
  more.onclick = () => first(add()).focus();
  fewer.onclick = () => {
    rows.pop()!.element.remove();
    show();
    first(rows[rows.length - 1]!).focus();
  };
  return {
    element,
    check: () => {
      const seen = new Set<unknown>();
      for (const one of rows) {
        one.check!();
        const [key] = one.read() as unknown[];
        if (seen.has(key)) first(one).setCustomValidity(TEXTS.twice);
        if (key !== undefined) seen.add(key);
      }
    },
    read: () => rows.map((one) => one.read()),
  };
}

function group(name: string, parts: readonly Control[]): HTMLElement {
  return make("fieldset", { class: "parts" }, make("legend", {}, name), ...parts.map((one) => one.element));
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
