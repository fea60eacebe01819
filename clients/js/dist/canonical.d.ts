import type { Json } from "./json.js";
/** Canonical JSON (RFC 8785): keys sorted, no white space, only what must be escaped is. That is how the platform writes text and whole numbers. */
export declare function canonical(value: Json): string;
/** The SHA-256 of a document's canonical JSON, as 64 hexadecimal digits. */
export declare function digestOf(document: Json): string;
/** The first half of it. */
export declare function fingerprintOf(document: Json): string;
