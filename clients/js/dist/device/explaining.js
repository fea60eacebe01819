import { toHex } from "../bytes.js";
import { labelOf } from "../domain.js";
import { Mismatch } from "../errors.js";
import { fieldBytes, numberBytes } from "../fields.js";
/** A report of a survey in words. */
export function explain(survey, receipt) {
    const { upload, fingerprint, epsilon } = receipt;
    if (fingerprint !== survey.fingerprint)
        throw new Mismatch(`this receipt is not of ${survey}`);
    const cost = costOf(survey, epsilon);
    if (receipt.state === "not-asked")
        return { status: statusOf(receipt), report: "Nothing was drawn, so nothing is sent.", cost, parts: [] };
    let at = 0;
    const take = (count) => upload.slice(at, (at += count));
    const parts = envelope(survey, receipt, take);
    const fields = fieldsInWords(survey, take);
    const said = survey.mechanism.fields.flatMap((field, i) => (isConstant(field) ? [] : fields[i].words));
    return {
        status: statusOf(receipt),
        report: `The report says: ${said.join("; ") || "nothing, for all reports are the same"}. It was drawn at random: ${survey.certificate.protects === undefined ? "your answer only made some reports likelier than others" : "if it shows an answer that is not protected, that one is yours"}.`,
        cost,
        parts: [...parts, ...fields],
    };
}
/** What a report cost; where the same people are asked again, what all reports cost first. */
function costOf(survey, epsilon) {
    const { cohorts, mechanism: { memory } } = survey;
    const all = memory !== undefined || cohorts > 1 ? `This survey costs ${survey.costInWords()}. ` : "";
    const one = memory !== undefined && epsilon === "0" ? "This report cost nothing more: the first one paid for it." : `${all === "" ? "It" : "This report"} cost epsilon ${epsilon}.`;
    return `${all}${one} ${survey.privacy()}`;
}
/** The bytes before the payload. */
function envelope(survey, { upload, window }, take) {
    const part = (name, count, words) => ({ name, words, bytes: toHex(take(count)) });
    const size = 1 + window.length;
    return [
        part("version", 2, "version 2 of the format"),
        part("survey", 18, `the ${survey}, by its fingerprint`),
        part("window", size, window === "" ? "one report, ever" : `the window ${window}`),
        part("reports", 4, "one report"),
        part("id", 16, "its random id, under which it counts once and can be deleted"),
        part("length", upload.length - survey.payloadBytes - 40 - size, "how many bytes follow"),
    ];
}
function fieldsInWords({ mechanism: { domain, fields, inWords } }, take) {
    const direct = ["value", "bits"].includes(fields[0].name); // a value of the domain, or a bit for each
    const named = direct ? (index) => labelOf(domain, index) : inWords;
    return fields.map((field) => {
        const bytes = take(fieldBytes(field));
        return { name: field.name, bytes: toHex(bytes), words: fieldInWords(field, bytes, named) };
    });
}
function fieldInWords(field, bytes, named) {
    if (field.kind === "bits") {
        const set = Array.from({ length: field.count }, (_, i) => i).filter((i) => (bytes[i >> 3] >> (i & 7)) & 1);
        return `${field.name}: ${set.length} of ${field.count} (${listed(set.map(named ?? String))})`;
    }
    const size = numberBytes(field.below);
    const numbers = [];
    for (let at = 0; at < bytes.length; at += size)
        numbers.push(littleEndian(bytes.slice(at, at + size)));
    if (named !== undefined)
        return named(Number(numbers[0]));
    return `${field.name} ${listed(numbers.map(String))} of 0 to ${field.below - 1n}`;
}
function listed(words) {
    return words.length > 20 ? `${words.slice(0, 20).join(", ")}, ...` : words.join(", ");
}
/** Whether a field is 0 in every report. */
function isConstant(field) {
    return field.kind === "number" && field.below === 1n;
}
function littleEndian(bytes) {
    return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
/** What became of a report, in one sentence. */
function statusOf({ state, code }) {
    if (state === "not-asked")
        return "This device is not asked in this window.";
    if (state === "acknowledged")
        return code === "scrubbed" ? "The collector has counted your report and can no longer delete it." : "The collector has your report.";
    if (state === "withdrawn")
        return `Your report is withdrawn${code === "" ? ": the collector does not have it." : ", but the collector has not confirmed that it deleted it."}`;
    if (state === "refused") {
        const why = code === "window-closed" ? "the time to answer is over" : `its code is ${code}`;
        return `The collector did not take your report (${why}), and it is not sent again.`;
    }
    const kept = "our report is kept on this device, and the same bytes are sent later.";
    const busy = /^(rate-limited|status-429|status-5\d\d)$/.test(code);
    return code === "" ? `Y${kept}` : `${busy ? "The collector is busy" : PENDING[code] ?? "Something other than the collector answered"}, so y${kept}`;
}
const PENDING = {
    "no-answer": "The collector did not answer",
    "clock-skew": "The date of this device is ahead of the collector's",
    "not-allowed": "The collector wants a token that is valid and was not used",
};
