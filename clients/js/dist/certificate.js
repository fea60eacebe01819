import { holds } from "./exponential.js";
import { lowest, ZERO } from "./fraction.js";
/** A certificate of a ratio between any two values. */
export function ratioCertificate(ratio) {
    return { ratio, delta: ZERO, scope: "" };
}
/** Whether a certificate keeps epsilon. (That delta is allowed is looked at where it is computed.) */
export function keeps(certificate, epsilon) {
    return certificate.ratio === null || holds(certificate.ratio, epsilon);
}
/** The ratio in lowest terms, as `numerator/denominator`; empty where there is none. */
export function ratioText(certificate) {
    if (certificate.ratio === null)
        return "";
    const { numerator, denominator } = lowest(certificate.ratio);
    return `${numerator}/${denominator}`;
}
