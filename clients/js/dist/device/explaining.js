import { toHex } from "../bytes.js";
import { Mismatch } from "../errors.js";
import { fieldBytes, numberBytes } from "../fields.js";
import { writeUpload } from "../upload.js";
/** A report of a survey in words. */
export function explain(survey, receipt) {
    const { id, window, upload } = receipt;
    const payload = upload.slice(upload.length - survey.payloadBytes);
    const written = writeUpload({ fingerprint: survey.fingerprint, window, reports: [{ id, payload }] });
    if (toHex(written) !== toHex(upload))
        throw new Mismatch(`this receipt is not of survey "${survey.name}"`);
    const fields = fieldsInWords(survey, payload);
    const said = fields.filter((_, i) => !isConstant(survey.mechanism.fields[i])).map(({ words }) => words);
    return {
        status: status(receipt),
        report: `The report says: ${said.join("; ") || "nothing, for all reports are the same"}. It was drawn at random: your answer only made some reports likelier than others.`,
        cost: `It cost epsilon ${receipt.epsilon}. ${survey.privacy()}`,
        parts: [...envelope(survey, receipt, upload.length - payload.length), ...fields],
    };
}
/** The bytes before the payload. */
function envelope(survey, { upload, window }, length) {
    const head = upload.slice(0, length);
    let at = 0;
    const part = (size, name, words) => ({ name, words, bytes: toHex(head.slice(at, (at += size))) });
    const period = window === "" ? "one report, ever" : `the window ${window}`;
    return [
        part(2, "version", "version 2 of the format"),
        part(18, "survey", `the survey "${survey.name}", by its fingerprint`),
        part(1 + window.length, "window", period),
        part(4, "reports", "one report"),
        part(16, "id", "its random id, under which it counts once and can be deleted"),
        part(length - at, "length", "how many bytes follow"),
    ];
}
function fieldsInWords(survey, payload) {
    const { domain, fields, name } = survey.mechanism;
    const direct = ["randomized-response", "unary-encoding", "subset-selection"].includes(name);
    let at = 0;
    return fields.map((field) => {
        const bytes = payload.slice(at, (at += fieldBytes(field)));
        const named = direct ? (index) => label(domain, index) : undefined;
        return { name: field.name, bytes: toHex(bytes), words: fieldInWords(field, bytes, named) };
    });
}
function fieldInWords(field, bytes, label) {
    if (field.kind === "bits") {
        const set = Array.from({ length: field.count }, (_, i) => i).filter((i) => (bytes[i >> 3] >> (i & 7)) & 1);
        return `${field.name}: ${set.length} of ${field.count} (${listed(set.map(label ?? String))})`;
    }
    const size = numberBytes(field.below);
    const numbers = [];
    for (let at = 0; at < bytes.length; at += size)
        numbers.push(littleEndian(bytes.slice(at, at + size)));
    if (field.kind === "number" && label !== undefined)
        return label(Number(numbers[0]));
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
/** An input of a domain as people know it. */
function label(domain, index) {
    if (domain.kind === "counts" || domain.kind === "ratings")
        return String(domain.least + index);
    if (domain.kind === "interval") {
        const edge = (i) => String(Number((domain.low + (i * (domain.high - domain.low)) / domain.bins).toPrecision(6)));
        return `${edge(index)} to ${edge(index + 1)}`;
    }
    const values = domain.kind === "categories" ? domain.document.get("values") : null;
    return Array.isArray(values) ? `"${String(values[index])}"` : String(index);
}
/** What became of a report, in one sentence. */
function status({ state, code }) {
    if (state === "acknowledged")
        return code === "scrubbed" ? "The collector has counted your report and can no longer delete it." : "The collector has your report.";
    if (state === "withdrawn") {
        return code === "" ? "Your report is withdrawn: the collector does not have it." : "Your report is withdrawn, but the collector has not confirmed that it deleted it.";
    }
    if (state === "refused") {
        const why = code === "window-closed" ? "the time to answer is over" : `its code is ${code}`;
        return `The collector did not take your report (${why}), and it is not sent again.`;
    }
    const why = PENDING[code] ?? (code.startsWith("status-5") ? PENDING["rate-limited"] : PENDING["no-acknowledgement"]);
    return `${why}our report is kept on this device, and the same bytes are sent later.`;
}
const PENDING = {
    "": "Y",
    "no-answer": "The collector did not answer, so y",
    "no-acknowledgement": "Something other than the collector answered, so y",
    "rate-limited": "The collector is busy, so y",
    "status-429": "The collector is busy, so y",
    "clock-skew": "The date of this device is ahead of the collector's, so y",
    "not-allowed": "The collector wants a token that is valid and was not used, so y",
};
