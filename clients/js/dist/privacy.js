/** What a certificate means, for the people asked, in the words of the library in Python. All figures are rounded up. */
export function privacyInWords({ ratio, scope }) {
    if (ratio === null)
        return "The promise of this survey may fail.";
    const sure = `at most ${belief(ratio)}% sure of it after seeing your report`;
    const bound = `Any report is at most ${times(ratio)} times as likely under one`;
    if (scope === "")
        return `${bound} true answer as under another.\nSomeone who thought an answer was a coin flip can be ${sure}.`;
    return (`${bound} of two degrees that differ by one ${scope} as under the other.\n` +
        `Someone who knows everything else, and thought one more ${scope} was a coin flip, can be ${sure}.\n` +
        `This protects the ${scope}, not the answer.`);
}
/** The most that one report makes of an even belief, in percent with one decimal: `r / (r + 1)`. */
function belief({ numerator: a, denominator: b }) {
    return Number((1000n * a + a + b - 1n) / (a + b)) / 10;
}
/** A ratio, which is at least 1, to three digits. */
function times({ numerator: a, denominator: b }) {
    let scale = 1n;
    while (a >= 10n * b * scale)
        scale *= 10n;
    const digits = (100n * a + b * scale - 1n) / (b * scale);
    return (Number(digits * scale) / 100).toLocaleString("en-US");
}
