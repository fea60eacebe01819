import type { Json } from "./json.js";
/** Canonical JSON (RFC 8785): keys sorted, no white space, only what must be escaped is. */
export declare function canonical(value: Json): string;
/** The first 16 bytes of the SHA-256 of a document's canonical JSON, as 32 hexadecimal digits. */
export declare function fingerprint(document: Json): string;
