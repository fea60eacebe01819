import type { Receipt, Survey } from "@sottovoce/client";
/** All that the page and the element say, in one place. */
export declare const TEXTS: {
    checking: string;
    answer: string;
    choose: string;
    number: (low: number, high: number) => string;
    from: (low: number) => string;
    unit: (unit: string) => string;
    bins: (bins: number, uneven?: boolean) => string;
    more: (high: number) => string;
    date: (first: string, last: string) => string;
    steps: (steps: number, step: string) => string;
    whole: (low: number, high: number) => string;
    nearest: string;
    listed: (size: number) => string;
    notListed: string;
    twice: string;
    nth: (i: number, count: number) => string;
    answered: (count: number, all: number) => string;
    unanswered: string;
    must: (says: string) => string;
    incomplete: (count: number) => string;
    tick: (most: number, all: number) => string;
    none: string;
    unticked: string;
    tooMany: (most: number) => string;
    only: (named: string) => string;
    place: (i: number) => string;
    pair: (i: number) => string;
    key: string;
    value: string;
    add: string;
    remove: string;
    scope: (scope: string) => string;
    submit: string;
    first: {
        once: string;
        day: string;
        week: string;
        month: string;
    };
    notAsked: string;
    next: ({ window }: Survey, day: string | undefined) => string;
    paying: (cost: string) => string;
    kept: (changes: number) => string;
    remembers: string;
    working: string;
    states: {
        "not-asked": string;
        acknowledged: string;
        pending: string;
        refused: string;
        withdrawn: string;
    };
    cost: (epsilon: string, spent: string) => string;
    paid: (spent: string) => string;
    asked: string;
    same: string;
    again: {
        once: string;
        day: string;
        week: string;
        month: string;
    };
    retry: string;
    withdraw: string;
    withdrawing: string;
    withdrawNow: string;
    content: string;
    bytes: string[];
    sent: string;
    rows: string[];
    origin: string;
    insecure: string;
    cannot: string;
    failed: string;
};
/** Why nothing was drawn, or where a report was drawn before, why nothing more was sent: in one sentence. */
export declare function refusal(code: string, drawn: boolean): string;
/** The name of a window, as a table shows it. */
export declare function windowText({ window }: Receipt): string;
/** What the privacy means, a paragraph per line. */
export declare function privacyLines(survey: Survey): string[];
