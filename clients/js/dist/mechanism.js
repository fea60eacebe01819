import { keeps } from "./certificate.js";
import { readDomain } from "./domain.js";
import { payloadBytes } from "./fields.js";
import { MOST_INPUTS, MOST_REPORT_BYTES } from "./limits.js";
import { READERS } from "./mechanisms/registry.js";
import { demand, Section, sectionOf } from "./reading.js";
/** Read a mechanism's document and check it: domain, options, limits, weights, ratio. */
export function readMechanism(value, where = "mechanism") {
    const found = new Section(value, ["domain", "epsilon", "mechanism", "options", "version", "weights"], where);
    found.whole("version", 2, 2);
    return build(found, readDomain(found.get("domain"), `${where}.domain`));
}
/** A mechanism inside another, by its parts: it has its own document and fingerprint. */
export function innerMechanism(mechanism, domain, epsilon, options, weights, where) {
    const inner = build(sectionOf({ domain: domain.document, epsilon: epsilon.text, mechanism, options, version: 2, weights }, where), domain);
    demand(inner.memory === undefined, where, "a mechanism without memory: inside another nothing would be kept");
    return inner;
}
function build(found, domain) {
    const { where, items: document } = found;
    const name = found.text("mechanism");
    const reader = READERS.get(name) ?? found.refuse("mechanism", "the name of a mechanism");
    const epsilon = found.decimal("epsilon");
    found.require(epsilon.value >= 0.000001 && epsilon.value <= 20, "epsilon", "from 0.000001 to 20");
    found.require(domain.kind === "record" || domain.kind === "choices" || domain.size <= MOST_INPUTS, "domain", "of at most 2,500,000 inputs");
    const parts = reader({ document, domain, epsilon, options: found.get("options"), weights: found.get("weights"), where });
    demand(parts.cells <= MOST_INPUTS, where, "of at most 2,500,000 cells");
    demand(payloadBytes(parts.fields) <= MOST_REPORT_BYTES, where, "of at most 32,768 bytes a report");
    found.require(keeps(parts.certificate, epsilon), "weights", `such that no ratio exceeds e^${epsilon.text}`);
    return { ...parts, name, document, domain, epsilon };
}
