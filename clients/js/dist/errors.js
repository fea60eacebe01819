/** Everything this package throws on purpose. `code` is stable, `message` is for people. */
export class SottovoceError extends Error {
    constructor(code, message) {
        super(message);
        this.name = new.target.name;
        this.code = code;
    }
}
/** A survey that must not be answered: malformed, beyond a limit, or with weights that break its claim. */
export class InvalidSurvey extends SottovoceError {
    constructor(message) {
        super("invalid-survey", message);
    }
}
/** A value that is not in the survey's domain, and that `outside` does not admit. Nothing was drawn. */
export class InvalidValue extends SottovoceError {
    constructor(message) {
        super("invalid-value", message);
    }
}
/** An argument of the program that is wrong: a window's name, an id, a fingerprint. */
export class InvalidArgument extends SottovoceError {
    constructor(message) {
        super("invalid-argument", message);
    }
}
/** The platform has no source of cryptographic randomness, or one that gives only zeros. */
export class NoRandomness extends SottovoceError {
    constructor() {
        super("no-randomness", "crypto.getRandomValues is missing here, or gives only zeros, so no report can be drawn");
    }
}
/** A report that the limits of this device do not allow. Nothing was drawn. */
export class OverBudget extends SottovoceError {
    constructor(message) {
        super("over-budget", message);
    }
}
/** A survey that cannot be answered now, by one of the wire's codes or `survey-closed`. Nothing was drawn. */
export class Refused extends SottovoceError {
}
/** A survey with another fingerprint than the one that was agreed to or asked for. */
export class Mismatch extends SottovoceError {
    constructor(message) {
        super("mismatch", message);
    }
}
/** There is no place that remembers what this device has spent, or it cannot be read or written. Nothing was drawn. */
export class NoLedger extends SottovoceError {
    constructor(message) {
        super("no-ledger", message);
    }
}
/** No answer of a collector, or not a whole one in time. */
export class NoAnswer extends SottovoceError {
    constructor(message) {
        super("no-answer", message);
    }
}
