import type { Categories } from "./categories.js";
import { readDomain } from "./domain.js";
import { InvalidValue } from "./errors.js";
import type { JsonObject } from "./json.js";
import type { Section } from "./reading.js";

/** Boxes to tick: sets of at most `most` of some options. */
export interface Choices {
  readonly kind: "choices";
  readonly document: JsonObject;
  readonly options: Categories;
  readonly most: number;
  /** The number of sets. */
  readonly size: number;
  /** The places of the options of a set, ascending, then the blanks of the slots that are left. */
  items(value: unknown): number[];
}

/** What the empty set is called. */
export const NONE = "none of these";
const MOST_SETS = 1n << 62n;

/** Read a document of choices. */
export function readChoices(found: Section): Choices {
  const named = readDomain(found.get("options"), `${found.where}.options`);
  const options = named.kind === "categories" && named.sensitive === undefined ? named : found.refuse("options", "categories, none of them sensitive");
  const values = options.document.get("values");
  const right = Array.isArray(values) && values.every((value) => value !== NONE && !String(value).includes(";"));
  found.require(right, "options", `names without ;, other than "${NONE}"`);
  const d = options.size;
  const most = found.whole("most", 1, d);
  let sets = 1n;
  let ways = 1n;
  for (let i = 1; i <= most && sets <= MOST_SETS; i++) {
    ways = (ways * BigInt(d - i + 1)) / BigInt(i);
    sets += ways;
  }
  found.require(sets <= MOST_SETS, "most", "such that there are at most 2^62 sets");

  function items(value: unknown): number[] {
    const ticked: unknown = value instanceof Set ? [...value] : value;
    if (!Array.isArray(ticked)) throw new InvalidValue("the value must be a list of options; an empty list is none of these");
    if (ticked.length > most) throw new InvalidValue(`the value must have at most ${most} of the options`);
    const places = Array.from(ticked, (option: unknown) => options.input(option)).sort((a, b) => a - b);
    if (new Set(places).size < places.length) throw new InvalidValue("the options of a set must be distinct");
    for (let slot = places.length; slot < most; slot++) places.push(d + slot);
    return places;
  }

  return { kind: "choices", document: found.items, options, most, size: Number(sets), items };
}
