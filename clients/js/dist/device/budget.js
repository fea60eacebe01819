import { decimalOf, exact } from "../decimal.js";
import { InvalidArgument, OverBudget } from "../errors.js";
import { exceeds, fraction, toNumber } from "../fraction.js";
import { costOf, costText } from "./charge.js";
/** The limits where a program sets none: those of the client in Python. */
export const LIMITS = {
    maxEpsilon: 2, dayEpsilon: 2, nameEpsilon: 5, questionEpsilon: 5, seriesEpsilon: 5, publisherEpsilon: 10, totalEpsilon: 10,
};
/** What reports may have in common, the limit for those that do, and its words. */
const SHARED = [
    ["name", "nameEpsilon", "on surveys of one name"],
    ["question", "questionEpsilon", "on one question"],
    ["series", "seriesEpsilon", "on surveys of one series"],
    ["publisher", "publisherEpsilon", "on surveys signed by one key"],
];
/** Seconds of a day. */
const DAY = 86400;
/**
 * Whether one more report keeps within the limits, and the rules against forged surveys and wrong clocks. All limits hold
 * at once: a series or a key puts surveys together, and takes none of them out of another limit.
 */
export class Budget {
    constructor(limits) {
        this.limits = limits;
        for (const [name, value] of Object.entries(limits)) {
            if (typeof value !== "number" || !(value >= 0 && value < Infinity))
                throw new InvalidArgument(`${name} must be a number of at least 0`);
        }
    }
    /** Refuse a survey of which one report costs too much, whatever was spent before. */
    checkReport(survey) {
        if (exceeds(exact(survey.mechanism.epsilon), this.limit("maxEpsilon"))) {
            throw new OverBudget(`survey "${survey.name}" asks for epsilon ${survey.epsilon} per report; this device gives at most ${this.limits.maxEpsilon} (maxEpsilon)`);
        }
        if (exceeds(survey.certificate.delta, fraction(0n, 1n))) {
            throw new OverBudget(`survey "${survey.name}" has delta above 0, which this client does not answer`);
        }
    }
    /** Why a report is refused after those `before`, or undefined where it is allowed. */
    check(asked, before, pinned) {
        const alike = before.filter((one) => one.name === asked.name || one.question === asked.question);
        const recent = before.filter((one) => one.boot === asked.boot && asked.uptime - one.uptime < DAY);
        const refusal = outOfOrder(asked, alike) ?? (pinned ? undefined : dearer(asked, alike));
        if (refusal !== undefined)
            return refusal;
        const sums = [
            ["dayEpsilon", "per day", before.filter((one) => one.day >= asked.day)],
            ["dayEpsilon", "per 24 hours since the machine started", recent, 2n],
        ];
        for (const [key, name, what] of SHARED) {
            if (asked[key] !== "")
                sums.push([name, what, before.filter((one) => one[key] === asked[key])]);
        }
        sums.push(["totalEpsilon", "in all", before]);
        for (const [name, what, spent, times = 1n] of sums) {
            const most = this.limit(name, times);
            if (exceeds(costOf(...spent, asked), most)) {
                return new OverBudget(`survey "${asked.survey}" asks for epsilon ${asked.epsilon}; of the ${toNumber(most)} that this device may spend ${what} (${name}), ${costText(spent)} are spent`);
            }
        }
        return undefined;
    }
    limit(name, times = 1n) {
        const { numerator, denominator } = exact(decimalOf(this.limits[name]));
        return fraction(numerator * times, denominator);
    }
}
/** Rule 1: windows are answered in order, under whatever fingerprint. */
function outOfOrder(asked, alike) {
    const later = alike.filter((one) => one.last >= asked.first);
    if (later.length === 0)
        return undefined;
    const last = later.reduce((a, b) => (b.last > a.last ? b : a));
    return new OverBudget(last.fingerprint === asked.fingerprint
        ? `survey "${asked.survey}" was answered for the window "${last.window}", so "${asked.window}" gets no answer: windows are answered in order. Check the clock of this device`
        : `survey "${asked.survey}" has the name or question of "${last.survey}" (${last.fingerprint}), which was answered for the same days or later ones: one window gets one answer`);
}
/** Rule 2: under a new fingerprint, a name or question that was answered before does not cost more. */
function dearer(asked, alike) {
    const others = alike.filter((one) => one.fingerprint !== asked.fingerprint);
    if (others.length === 0)
        return undefined;
    const most = others.reduce((a, b) => (exceeds(costOf(b), costOf(a)) ? b : a));
    if (!exceeds(costOf(asked), costOf(most)))
        return undefined;
    return new OverBudget(`survey "${asked.survey}" asks for epsilon ${asked.epsilon}; under the fingerprint ${most.fingerprint} it asked for ${most.epsilon}. If the new one is agreed to, pass fingerprint: "${asked.fingerprint}"`);
}
