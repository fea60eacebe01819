import { keeps } from "./certificate.js";
import { readDomain } from "./domain.js";
import { payloadBytes } from "./fields.js";
import { MOST_INPUTS, MOST_REPORT_BYTES } from "./limits.js";
import { READERS } from "./mechanisms/registry.js";
import { decimal, record, refuse, require, text, whole } from "./reading.js";
/** Read a mechanism's document and check it: domain, options, limits, weights, ratio. */
export function readMechanism(value, where = "mechanism") {
    const document = record(value, ["domain", "epsilon", "mechanism", "options", "version", "weights"], where);
    whole(document.get("version"), 2, 2, `${where}.version`);
    return build(document, readDomain(document.get("domain"), `${where}.domain`), where);
}
/** A mechanism inside another, by its parts: it has its own document and fingerprint. */
export function innerMechanism(name, domain, epsilon, options, weights, where) {
    const document = new Map([
        ["domain", domain.document], ["epsilon", epsilon.text], ["mechanism", name],
        ["options", options], ["version", 2], ["weights", weights],
    ]);
    return build(document, domain, where);
}
function build(document, domain, where) {
    const name = text(document.get("mechanism"), `${where}.mechanism`);
    const reader = READERS.get(name) ?? refuse(`${where}.mechanism`, "the name of a mechanism");
    const epsilon = decimal(document.get("epsilon"), `${where}.epsilon`);
    require(epsilon.value >= 0.000001 && epsilon.value <= 20, `${where}.epsilon`, "from 0.000001 to 20");
    require(domain.size <= MOST_INPUTS, `${where}.domain`, "of at most 2,500,000 inputs");
    const options = document.get("options");
    const parts = reader({ document, domain, epsilon, options, weights: document.get("weights"), where });
    require(parts.cells <= MOST_INPUTS, where, "of at most 2,500,000 cells");
    require(payloadBytes(parts.fields) <= MOST_REPORT_BYTES, where, "of at most 32,768 bytes a report");
    require(keeps(parts.certificate, epsilon), `${where}.weights`, `such that no ratio exceeds e^${epsilon.text}`);
    return { name, document, domain, epsilon, ...parts };
}
