import { utf8, toHex } from "./bytes.js";
import { sha256 } from "./sha256.js";
/** Canonical JSON (RFC 8785): keys sorted, no white space, only what must be escaped is. That is how the platform writes text and whole numbers. */
export function canonical(value) {
    if (Array.isArray(value))
        return `[${value.map(canonical).join(",")}]`;
    if (!(value instanceof Map))
        return JSON.stringify(value);
    // The default order of sort is that of UTF-16 code units, which is what RFC 8785 asks for.
    const keys = [...value.keys()].sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value.get(key))}`).join(",")}}`;
}
/** The SHA-256 of a document's canonical JSON, as 64 hexadecimal digits. */
export function digestOf(document) {
    return toHex(sha256(utf8(canonical(document))));
}
/** The first half of it. */
export function fingerprintOf(document) {
    return digestOf(document).slice(0, 32);
}
