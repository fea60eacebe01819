import { isNumeric, type Domain } from "./domain.js";

/** What a device does with a value outside the domain. */
export type Outside = "refuse" | "other" | "nearest";

/** The value that is randomized for a value: itself, `"other"`, or the nearest number. Refusals come from the domain. */
export function admit(domain: Domain, outside: Outside, value: unknown): unknown {
  if (domain.kind === "may-decline") return value === domain.label ? value : admit(domain.domain, outside, value);
  if (outside === "other" && domain.kind === "categories") return domain.has(value) ? value : "other";
  if (outside === "nearest" && isNumeric(domain)) return domain.nearest(value);
  return value;
}
