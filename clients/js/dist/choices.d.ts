import type { Categories } from "./categories.js";
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
export declare const NONE = "none of these";
/** Read a document of choices. */
export declare function readChoices(found: Section): Choices;
