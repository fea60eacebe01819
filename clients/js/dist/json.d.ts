/** What a document is made of. Numbers are whole and exact; objects keep no prototype. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
/** An object of a document. */
export type JsonObject = Map<string, Json>;
/** The most bytes of a document, as UTF-8. */
export declare const MOST_BYTES = 4194304;
/**
 * Read a JSON document strictly: whole numbers from -(2^53 - 1) to 2^53 - 1 alone, written in one way
 * only; no key twice; valid Unicode; at most 4 MiB and 16 levels.
 */
export declare function readJson(source: string | Uint8Array): Json;
