import { admit } from "./admit.js";
import { canonical, digestOf } from "./canonical.js";
import { exact, readDecimal } from "./decimal.js";
import { checkUrl, exchange } from "./device/http.js";
import { InvalidArgument, InvalidSurvey, Mismatch, NoAnswer } from "./errors.js";
import { payloadBytes, writePayload } from "./fields.js";
import { isNumeric } from "./domain.js";
import { exceeds } from "./fraction.js";
import { MOST_BYTES, readJson } from "./json.js";
import { readMechanism } from "./mechanism.js";
import { privacyInWords } from "./privacy.js";
import { choice, digits, record, require, text, whole } from "./reading.js";
import { checkPublisher, checkSignature } from "./signing.js";
import { isDay, windowName } from "./windows.js";
const KEYS = ["closes", "mechanism", "minimum_batch", "name", "opens", "outside", "question", "series", "survey", "window"];
/** A survey that was read, and whose weights keep its epsilon. */
export class Survey {
    constructor(document) {
        this.document = document;
        /** The public key whose signature was verified, or empty. */
        this.publisher = "";
        whole(document.get("survey"), 2, 2, "survey");
        this.name = words(document.get("name"), 200, "name");
        this.question = words(document.get("question"), 2000, "question");
        this.mechanism = readMechanism(document.get("mechanism"));
        this.window = choice(document.get("window"), ["once", "day", "week", "month"], "window");
        this.minimumBatch = whole(document.get("minimum_batch"), 1, 1000000000, "minimum_batch");
        this.outside = choice(document.get("outside"), ["refuse", "other", "nearest"], "outside");
        const { domain } = this.mechanism;
        require(this.outside !== "other" || (domain.kind === "categories" && domain.has("other")), "outside", 'refuse, unless there is a category "other"');
        require(this.outside !== "nearest" || isNumeric(domain), "outside", "refuse, unless values are numbers");
        this.opens = date(document.get("opens"), "opens");
        this.closes = date(document.get("closes"), "closes");
        require(this.opens === "" || this.closes === "" || this.opens <= this.closes, "closes", "a day from opens on");
        this.series = document.get("series") === "" ? "" : words(document.get("series"), 200, "series");
        this.digest = digestOf(document);
        this.fingerprint = this.digest.slice(0, 32);
    }
    /** Read a survey's JSON and check everything in it, its certificate included. Throws `InvalidSurvey`. */
    static parse(source, options = {}) {
        return Survey.read(readJson(source), options);
    }
    /** Read a survey that its publisher signed, and verify the signature. Throws `NotTrusted` where it does not hold. */
    static async parseSigned(source, { publisher, ...options } = {}) {
        const signed = record(readJson(source), ["publisher", "signature", "signed", "survey"], "signed survey");
        whole(signed.get("signed"), 1, 1, "signed");
        const key = digits(signed.get("publisher"), 64, "publisher");
        const signature = digits(signed.get("signature"), 128, "signature");
        const survey = Object.assign(Survey.read(signed.get("survey"), options), { publisher: key });
        if (publisher !== undefined)
            checkPublisher(survey, publisher);
        await checkSignature(survey, signature);
        return survey;
    }
    /**
     * Fetch a survey from `https://collector.example/surveys/{fingerprint}` and check it as `parse` does. A survey whose
     * fingerprint is not the one in the address is refused, so that the address stands for what was agreed to. With
     * `publisher`, one that this key did not sign is refused too.
     */
    static async fetch(url, options = {}) {
        const address = checkUrl(url, options.plainHttp ?? false);
        const found = /^(.*)\/surveys\/([0-9a-f]{32})$/.exec(address);
        if (found === null)
            throw new InvalidArgument("url must end with /surveys/ and the fingerprint of a survey");
        const pinned = options.publisher !== undefined;
        const answer = await exchange(pinned ? `${address}/signed` : address, { seconds: options.timeout ?? 10, most: MOST_BYTES });
        if (answer.status !== 200)
            throw new NoAnswer(`the collector gave no survey: status ${answer.status}`);
        const survey = pinned ? await Survey.parseSigned(answer.body, options) : Survey.parse(answer.body, options);
        if (survey.fingerprint !== found[2])
            throw new Mismatch(`the collector gave survey ${survey.fingerprint} where ${found[2]} was asked for`);
        return Object.assign(survey, { collector: found[1] });
    }
    static read(document, options) {
        const survey = new Survey(record(document, KEYS, "survey"));
        const most = readDecimal(options.maxDelta ?? "0");
        if (most === undefined || most.value < 0)
            throw new InvalidArgument("maxDelta must be a decimal from 0, as text");
        if (exceeds(survey.certificate.delta, exact(most))) {
            throw new InvalidSurvey(`the delta of this survey exceeds maxDelta, which is ${most.text}`);
        }
        return survey;
    }
    /** Epsilon of one report, as a decimal: what a report costs. */
    get epsilon() {
        return this.mechanism.epsilon.text;
    }
    /** What the weights promise. */
    get certificate() {
        return this.mechanism.certificate;
    }
    /** What the privacy means, for the people asked. */
    privacy() {
        return privacyInWords(this.certificate);
    }
    /** Bytes of every payload of this survey. */
    get payloadBytes() {
        return payloadBytes(this.mechanism.fields);
    }
    /** The canonical JSON, of which the fingerprint is the hash. */
    toJson() {
        return canonical(this.document);
    }
    /** The payload of one report: the value, drawn with random words. Refuses a bad value before it draws. */
    randomize(value, source) {
        const admitted = admit(this.mechanism.domain, this.outside, value);
        return writePayload(this.mechanism.fields, this.mechanism.respond(admitted, source));
    }
    /** The name of the window that a day is in, or undefined where the survey is not open on it. */
    windowOf(day) {
        const name = windowName(this.window, day);
        const open = (this.opens === "" || this.opens <= day) && (this.closes === "" || day <= this.closes);
        return open ? name : undefined;
    }
}
/** Text of 1 to `most` code points, at least one of them above a space, without NUL. */
function words(value, most, where) {
    const found = text(value, where);
    // No text of `most` code points has more than twice as many code units.
    const length = found.length > 2 * most ? Infinity : [...found].length;
    require(length >= 1 && length <= most, where, `text of 1 to ${most} characters`);
    require(!found.includes("\0") && /[^\u0000-\u0020]/.test(found), where, "text that can be seen, without NUL");
    return found;
}
function date(value, where) {
    const found = text(value, where);
    require(found === "" || isDay(found), where, "empty, or a date such as 2026-01-31");
    return found;
}
