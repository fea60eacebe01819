import { readDecimal } from "./decimal.js";
import { InvalidSurvey } from "./errors.js";
/** No weight has more digits: the largest is 2^128. */
const MOST_DIGITS = 39;
/** Refuse a document. */
export function refuse(where, must) {
    throw new InvalidSurvey(`${where} must be ${must}`);
}
/** Refuse a document unless something holds. */
export function demand(condition, where, must) {
    if (!condition)
        refuse(where, must);
}
/** A list. */
export function list(value, where) {
    return Array.isArray(value) ? value : refuse(where, "a list");
}
/** A weight: a whole number, not negative, as decimal text. */
export function weight(value, where) {
    const right = typeof value === "string" && value.length <= MOST_DIGITS && /^(?:0|[1-9][0-9]*)$/.test(value);
    return right ? BigInt(value) : refuse(where, "a whole number as decimal text");
}
/** An object of weights with exactly these names. */
export function weightsNamed(value, names, where) {
    const found = new Section(value, names, where);
    return Object.fromEntries(names.map((name) => [name, weight(found.get(name), `${where}.${name}`)]));
}
/** An object of a document that is known to be right. */
export function sectionOf(parts, where) {
    return new Section(new Map(Object.entries(parts)), Object.keys(parts), where);
}
/** An object of a document that has exactly some keys, each read by its name; `where` is what messages call it. */
export class Section {
    constructor(value, keys, where) {
        this.where = where;
        const right = value instanceof Map && value.size === keys.length && keys.every((key) => value.has(key));
        this.items = right ? value : refuse(where, `an object with ${keys.join(", ")}`);
    }
    get(key) {
        return this.items.get(key);
    }
    refuse(key, must) {
        refuse(`${this.where}.${key}`, must);
    }
    require(condition, key, must) {
        if (!condition)
            this.refuse(key, must);
    }
    list(key) {
        return list(this.get(key), `${this.where}.${key}`);
    }
    text(key) {
        const value = this.get(key);
        return typeof value === "string" ? value : this.refuse(key, "text");
    }
    flag(key) {
        const value = this.get(key);
        return typeof value === "boolean" ? value : this.refuse(key, "true or false");
    }
    choice(key, allowed) {
        const value = this.get(key);
        return allowed.find((one) => one === value) ?? this.refuse(key, allowed.join(" or "));
    }
    whole(key, least, most) {
        const value = this.get(key);
        const right = typeof value === "number" && value >= least && value <= most;
        return right ? value : this.refuse(key, `a whole number from ${least} to ${most}`);
    }
    decimal(key) {
        return readDecimal(this.get(key)) ?? this.refuse(key, "a decimal as text, in its shortest form");
    }
    /** So many hexadecimal digits in lower case. */
    digits(key, count) {
        const value = this.text(key);
        return value.length === count && /^[0-9a-f]*$/.test(value) ? value : this.refuse(key, `${count} hexadecimal digits in lower case`);
    }
}
