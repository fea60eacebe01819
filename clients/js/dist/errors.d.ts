/** Everything this package throws on purpose. `code` is stable, `message` is for people. */
export declare class SottovoceError extends Error {
    readonly code: string;
    constructor(code: string, message: string);
}
declare const InvalidSurvey_base: new (message: string) => SottovoceError;
/** A survey that must not be answered: malformed, beyond a limit, or with weights that break its claim. */
export declare class InvalidSurvey extends InvalidSurvey_base {
}
declare const InvalidValue_base: new (message: string) => SottovoceError;
/** A value that is not in the survey's domain, and that `outside` does not admit. Nothing was drawn. */
export declare class InvalidValue extends InvalidValue_base {
}
declare const InvalidArgument_base: new (message: string) => SottovoceError;
/** An argument of the program that is wrong: a window's name, an id, a fingerprint. */
export declare class InvalidArgument extends InvalidArgument_base {
}
declare const NoRandomness_base: new (message: string) => SottovoceError;
/** The platform has no source of cryptographic randomness, or one that gives only zeros. */
export declare class NoRandomness extends NoRandomness_base {
}
declare const OverBudget_base: new (message: string) => SottovoceError;
/** A report that the limits of this device do not allow. Nothing was drawn. */
export declare class OverBudget extends OverBudget_base {
}
/** A survey that cannot be answered now, by one of the wire's codes or `survey-closed`. Nothing was drawn. */
export declare class Refused extends SottovoceError {
}
declare const Mismatch_base: new (message: string) => SottovoceError;
/** A survey with another fingerprint than the one that was agreed to or asked for. */
export declare class Mismatch extends Mismatch_base {
}
declare const NotTrusted_base: new (message: string) => SottovoceError;
/** A survey, signature or log that is not what was agreed to. Nothing was drawn or sent. */
export declare class NotTrusted extends NotTrusted_base {
}
declare const NoLedger_base: new (message: string) => SottovoceError;
/** There is no place that remembers what this device has spent, or it cannot be read or written. Nothing was drawn. */
export declare class NoLedger extends NoLedger_base {
}
declare const NoAnswer_base: new (message: string) => SottovoceError;
/** No answer of a collector, or not a whole one in time. */
export declare class NoAnswer extends NoAnswer_base {
}
export {};
