import type { JsonObject } from "./json.js";
import { type Section } from "./reading.js";
/** One answer out of a list, or a whole number below a size. */
export interface Categories {
    readonly kind: "categories";
    readonly document: JsonObject;
    readonly size: number;
    /** The inputs that must be protected, ascending, where a mechanism may reveal the others. */
    readonly sensitive: readonly number[] | undefined;
    /** Whether a value is one of them; `1` is not `"1"`. */
    has(value: unknown): boolean;
    /** The index of a value; other values are refused. */
    input(value: unknown): number;
}
/** Read a document of categories, named or numbered. */
export declare function readCategories(found: Section): Categories;
/** Categories that are the whole numbers below a size. */
export declare function numberedCategories(size: number): Categories;
