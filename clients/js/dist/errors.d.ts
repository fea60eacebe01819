/** Everything this package throws on purpose. `code` is stable, `message` is for people. */
export declare class SottovoceError extends Error {
    readonly code: string;
    constructor(code: string, message: string);
}
/** A survey that must not be answered: malformed, beyond a limit, or with weights that break its claim. */
export declare class InvalidSurvey extends SottovoceError {
    constructor(message: string);
}
/** A value that is not in the survey's domain, and that `outside` does not admit. Nothing was drawn. */
export declare class InvalidValue extends SottovoceError {
    constructor(message: string);
}
/** An argument of the program that is wrong: a window's name, an id, a fingerprint. */
export declare class InvalidArgument extends SottovoceError {
    constructor(message: string);
}
/** The platform has no source of cryptographic randomness, or one that gives only zeros. */
export declare class NoRandomness extends SottovoceError {
    constructor();
}
/** A report that the limits of this device do not allow. Nothing was drawn. */
export declare class OverBudget extends SottovoceError {
    constructor(message: string);
}
/** A survey that cannot be answered now, by one of the wire's codes or `survey-closed`. Nothing was drawn. */
export declare class Refused extends SottovoceError {
}
/** A survey with another fingerprint than the one that was agreed to or asked for. */
export declare class Mismatch extends SottovoceError {
    constructor(message: string);
}
/** There is no place that remembers what this device has spent, or it cannot be read or written. Nothing was drawn. */
export declare class NoLedger extends SottovoceError {
    constructor(message: string);
}
/** No answer of a collector, or not a whole one in time. */
export declare class NoAnswer extends SottovoceError {
    constructor(message: string);
}
