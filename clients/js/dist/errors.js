/** Everything this package throws on purpose. `code` is stable, `message` is for people. */
export class SottovoceError extends Error {
    constructor(code, message) {
        super(message);
        this.name = new.target.name;
        this.code = code;
    }
}
/** Errors of one code. */
function coded(code) {
    return class extends SottovoceError {
        constructor(message) {
            super(code, message);
        }
    };
}
/** A survey that must not be answered: malformed, beyond a limit, or with weights that break its claim. */
export class InvalidSurvey extends coded("invalid-survey") {
}
/** A value that is not in the survey's domain, and that `outside` does not admit. Nothing was drawn. */
export class InvalidValue extends coded("invalid-value") {
}
/** An argument of the program that is wrong: a window's name, an id, a fingerprint. */
export class InvalidArgument extends coded("invalid-argument") {
}
/** The platform has no source of cryptographic randomness, or one that gives only zeros. */
export class NoRandomness extends coded("no-randomness") {
}
/** A report that the limits of this device do not allow. Nothing was drawn. */
export class OverBudget extends coded("over-budget") {
}
/** A survey that cannot be answered now, by one of the wire's codes or `survey-closed`. Nothing was drawn. */
export class Refused extends SottovoceError {
}
/** A survey with another fingerprint than the one that was agreed to or asked for. */
export class Mismatch extends coded("mismatch") {
}
/** A survey, signature or log that is not what was agreed to. Nothing was drawn or sent. */
export class NotTrusted extends coded("not-trusted") {
}
/** There is no place that remembers what this device has spent, or it cannot be read or written. Nothing was drawn. */
export class NoLedger extends coded("no-ledger") {
}
/** No answer of a collector, or not a whole one in time. */
export class NoAnswer extends coded("no-answer") {
}
