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
/** The platform has no source of cryptographic randomness. */
export declare class NoRandomness extends SottovoceError {
    constructor();
}
