import { admit } from "../admit.js";
import { concatBytes, toHex, utf8 } from "../bytes.js";
import { fingerprintOf } from "../canonical.js";
import { NoLedger } from "../errors.js";
import { writePayload } from "../fields.js";
import { sha256 } from "../sha256.js";
import { windowIndex } from "../windows.js";
import { belowNumber, wordBytes } from "../words.js";
import { questionKey } from "./charge.js";
/** The cohort of this device for a question and a number of cohorts: a survey that is published again does not draw it anew. */
export function cohortOf(known, survey, words) {
    const draw = drawing(known);
    const result = draw.once("cohort", `${questionKey(survey)} ${survey.cohorts}`, () => belowNumber(survey.cohorts, words));
    return { kept: draw.made, result };
}
/** The memory that a report of a day comes from, or undefined where the survey needs none. */
export function memoryOf(survey, day) {
    const { mechanism, changes, opens, closes, outside, window } = survey;
    const { memory: rounds, domain, fields } = mechanism;
    if (rounds === undefined)
        return undefined;
    const question = questionKey(survey);
    const span = survey.period > 0 ? [window, survey.period] : changes > 0 ? [window, opens, closes] : [];
    const memory = fingerprintOf([fingerprintOf(mechanism.document), changes, ...span]);
    const period = survey.period > 0 ? Math.floor(windowIndex(window, day) / survey.period) : 0;
    const ours = (known) => checked(known).memos.filter((one) => one.question === question && one.memory === memory);
    const stored = (known) => ours(known).filter((one) => one.period === period).sort((a, b) => a.ordinal - b.ordinal);
    return {
        stored,
        report(known, value, words) {
            const position = rounds.position(admit(domain, outside, value));
            const draw = drawing(known);
            const { family } = rounds;
            const hash = family === undefined ? 0 : draw.once("hash", family.name, () => rounds.hash(words));
            const entry = rounds.entry(hash, position);
            const tag = changes === 0 ? new Uint8Array() : tagOf(draw.once("secret", "", () => wordBytes(4, words)), `${question} ${memory} ${period} ${entry}`);
            const before = stored(known);
            const spoken = before.find((one) => toHex(one.tag) === toHex(tag)) ?? before[changes];
            const { memo } = spoken ?? { memo: rounds.remember(entry, words) };
            const payload = writePayload(fields, rounds.report(hash, memo, words));
            if (spoken !== undefined)
                return { payload, kept: draw.made };
            const memos = [{ question, memory, period, ordinal: before.length, tag, memo }];
            // Windows are answered in order, so that permanent answers of earlier periods serve nothing.
            return { payload, kept: draw.made, memos, forget: ours(known).filter((one) => one.period < period) };
        },
    };
}
/** A ledger of a program that knows no memories is refused: it would forget them. */
function checked(known) {
    if (known === undefined)
        throw new NoLedger("this ledger keeps no cohorts and no permanent answers, so this survey is not answered");
    return known;
}
/** Draws that are made once, and those that were made now. */
function drawing(known) {
    const { kept } = checked(known);
    const made = [];
    return {
        made,
        once(kind, name, draw) {
            const found = kept.find((one) => one.kind === kind && one.name === name);
            if (found !== undefined)
                return found.value;
            const value = draw();
            made.push({ kind, name, value });
            return value;
        },
    };
}
/** The first 16 bytes of HMAC-SHA256. */
function tagOf(secret, message) {
    const padded = (mask) => Uint8Array.from({ length: 64 }, (_, i) => (secret[i] ?? 0) ^ mask);
    return sha256(concatBytes([padded(0x5c), sha256(concatBytes([padded(0x36), utf8(message)]))])).slice(0, 16);
}
