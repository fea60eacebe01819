import { utf8, toHex } from "./bytes.js";
import type { Json } from "./json.js";
import { sha256 } from "./sha256.js";

const ESCAPES: Record<string, string> = {
  '"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
};

/** Canonical JSON (RFC 8785): keys sorted, no white space, only what must be escaped is. */
export function canonical(value: Json): string {
  if (typeof value === "string") return quote(value);
  if (value === null || typeof value !== "object") return String(value);
  if (Array.isArray(value)) return "[" + value.map(canonical).join(",") + "]";
  // The default order of sort is that of UTF-16 code units, which is what RFC 8785 asks for.
  const keys = [...value.keys()].sort();
  return "{" + keys.map((key) => quote(key) + ":" + canonical(value.get(key)!)).join(",") + "}";
}

function quote(text: string): string {
  const escaped = text.replace(/["\\\u0000-\u001f]/g, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(4, "0");
    return ESCAPES[character] ?? "\\u" + hex;
  });
  return '"' + escaped + '"';
}

/** The SHA-256 of a document's canonical JSON, as 64 hexadecimal digits. */
export function digestOf(document: Json): string {
  return toHex(sha256(utf8(canonical(document))));
}

/** The first half of it. */
export function fingerprint(document: Json): string {
  return digestOf(document).slice(0, 32);
}
