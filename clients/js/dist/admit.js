import { isNumeric } from "./domain.js";
/** The value that is randomized for a value: itself, `"other"`, or the nearest number. Refusals come from the domain. */
export function admit(domain, outside, value) {
    if (domain.kind === "may-decline")
        return value === domain.label ? value : admit(domain.domain, outside, value);
    if (outside === "other" && domain.kind === "categories")
        return domain.has(value) ? value : "other";
    if (outside === "nearest" && isNumeric(domain))
        return domain.nearest(value);
    return value;
}
