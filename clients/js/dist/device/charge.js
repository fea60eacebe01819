import { fingerprintOf } from "../canonical.js";
import { exact, readDecimal, withPoint } from "../decimal.js";
import { NoLedger } from "../errors.js";
import { windowOf } from "../windows.js";
/** What a report of a survey costs that is drawn on a day, for the window of that day: where devices remember, the first one. */
export function chargeOf(survey, day, elapsed) {
    const { name: window, first, last } = windowOf(survey.window, day);
    return {
        fingerprint: survey.fingerprint,
        window,
        survey: survey.name,
        epsilon: survey.cost,
        delta: "0",
        name: plain(survey.name),
        question: questionKey(survey),
        first,
        last,
        day,
        boot: elapsed.boot,
        uptime: elapsed.seconds,
        series: plain(survey.series),
        publisher: survey.publisher,
    };
}
/** Equal where two surveys ask one question over one domain. */
export function questionKey({ question, mechanism }) {
    return fingerprintOf([plain(question), mechanism.domain.document]);
}
/** The epsilon of some charges together, exactly. One that cannot be read is not taken for 0. */
export function costOf(...charges) {
    return exact(addUp(charges));
}
/** The same as decimal text. */
export function costText(charges) {
    const { digits, scale } = addUp(charges);
    const text = String(digits);
    return withPoint(text, text.length - scale);
}
function addUp(charges) {
    let digits = 0n;
    let scale = 0;
    for (const { epsilon } of charges) {
        const cost = readDecimal(epsilon);
        if (cost === undefined)
            throw new NoLedger("the ledger has a report whose cost cannot be read, so nothing is answered");
        const finer = Math.max(scale, cost.scale);
        digits = digits * 10n ** BigInt(finer - scale) + cost.digits * 10n ** BigInt(finer - cost.scale);
        scale = finer;
    }
    return { digits, scale };
}
/** White space as Python's `split` has it. */
const SPACES = /(?:(?!\ufeff)[\s\u001c-\u001f\u0085])+/;
/** Text without case, width and superfluous spaces: NFKC, then full case folding, as the other clients that share a ledger do. */
export function plain(text) {
    const folded = Array.from(text.normalize("NFKC"), fold).join("");
    return folded.split(SPACES).filter((word) => word !== "").join(" ");
}
/** Case folding of one character: lower case of upper case, but for the dotless i, and Cherokee, which folds to upper case. */
function fold(character) {
    if (character === "\u0131")
        return character;
    const upper = character.toLowerCase().toUpperCase();
    return /[\u13a0-\u13f5]/.test(upper) ? upper : upper.toLowerCase().replace(/\u03c2/g, "\u03c3");
}
