import { numeric, readInner, readOptions } from "./common.js";
/** Read `binned`: wider bins, and an oracle that reports these. */
export function readBinned(source) {
    const domain = numeric(source);
    const options = readOptions(source, "oracle", "report_bins");
    const wide = options.whole("report_bins", 1, domain.bins);
    const divides = domain.bins % wide === 0;
    const [free, least] = domain.kind === "interval" ? [!domain.uneven, 1 + Number(domain.unbounded)] : [false, 1];
    options.require(wide >= least && (divides || free), "report_bins", `a divisor of the number of bins, at least ${least}`);
    const interval = domain.cut(wide);
    const oracle = readInner(source, options, "oracle", interval);
    options.require(oracle.steps === 1, "oracle", "a mechanism with one position for each bin");
    const narrow = domain.bins / wide;
    const respondAt = oracle.respondAt;
    return {
        ...oracle,
        // Where edges do not meet, a bin of this mechanism does not say which wide bin it is in.
        steps: divides ? 1 : 0,
        respond: (value, words) => respondAt(divides ? Math.floor(domain.bin(value) / narrow) : interval.bin(value), words),
        respondAt: (bin, words) => respondAt(Math.floor(bin / narrow), words),
    };
}
