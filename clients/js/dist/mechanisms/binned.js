import { innerMechanism } from "../mechanism.js";
import { record, require, text, whole } from "../reading.js";
import { numeric, readOptions } from "./common.js";
/** Read `binned`: wider bins, and an oracle that reports these. */
export function readBinned(source) {
    const domain = numeric(source);
    const where = `${source.where}.options`;
    const options = readOptions(source, ["oracle", "report_bins"]);
    const wide = whole(options.get("report_bins"), 1, domain.bins, `${where}.report_bins`);
    const divides = domain.bins % wide === 0;
    require(divides || domain.kind === "interval", `${where}.report_bins`, "a divisor of the number of whole numbers");
    const named = record(options.get("oracle"), ["mechanism", "options"], `${where}.oracle`);
    const name = text(named.get("mechanism"), `${where}.oracle.mechanism`);
    const interval = domain.cut(wide);
    const oracle = innerMechanism(name, interval, source.epsilon, named.get("options"), source.weights, `${where}.oracle`);
    require(oracle.steps === 1, `${where}.oracle`, "a mechanism with one position for each bin");
    const narrow = domain.bins / wide;
    return {
        fields: oracle.fields,
        cells: oracle.cells,
        blocks: oracle.blocks,
        // Where edges do not meet, a bin of this mechanism does not say which wide bin it is in.
        steps: divides ? 1 : 0,
        certificate: oracle.certificate,
        respond(value, words) {
            const bin = divides ? Math.floor(domain.bin(value) / narrow) : interval.bin(value);
            return oracle.respondAt(bin, words);
        },
        respondAt: (bin, words) => oracle.respondAt(Math.floor(bin / narrow), words),
    };
}
