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
/** The platform has no source of cryptographic randomness. */
export class NoRandomness extends SottovoceError {
    constructor() {
        super("no-randomness", "crypto.getRandomValues is missing here, so no report can be drawn");
    }
}
