import type { Receipt, Survey } from "@sottovoce/client";

/** All that the page and the element say, in one place. */
export const TEXTS = {
  checking: "Checking the survey.",
  answer: "Your answer",
  choose: "Choose one",
  number: (low: number, high: number): string => `A number from ${low} to ${high}`,
  from: (low: number): string => `A number from ${low} up`,
  unit: (unit: string): string => (unit === "" ? "" : `, in ${unit}`),
  bins: (bins: number, uneven = false): string => `, seen through ${bins} bins${uneven ? " of different widths" : ""}`,
  more: (high: number): string => `, the last of them ${high} or more`,
  date: (first: string, last: string): string => `A date from ${first} to ${last}`,
  steps: (steps: number, step: string): string => `, seen through ${steps} ${step}${steps === 1 ? "" : "s"}`,
  whole: (low: number, high: number): string => `A whole number from ${low} to ${high}`,
  nearest: ". One outside counts as the nearest one inside",
  listed: (size: number): string => `One of ${size} values. Type a part of it to see what fits`,
  notListed: "This is not one of the values.",
  twice: "Each may be named once.",
  nth: (i: number, count: number): string => `${i} of ${count}`,
  answered: (count: number, all: number): string => `${count} of ${all} questions answered.`,
  unanswered: "Please answer this question.",
  must: (says: string): string => `This is not a possible answer. ${says}.`,
  incomplete: (count: number): string => `${count === 1 ? "One question has" : `${count} questions have`} no possible answer yet, so nothing was drawn or sent.`,
  tick: (most: number, all: number): string => `Tick all that apply${most < all ? `, at most ${most}` : ""}`,
  none: "none of these",
  unticked: "Tick what applies, or none of these.",
  tooMany: (most: number): string => `Tick at most ${most}.`,
  only: (named: string): string => `I know that only these answers are protected: ${named}. Any other answer is often sent openly.`,
  place: (i: number): string => `Number ${i}`,
  pair: (i: number): string => `Pair ${i}`,
  key: "What",
  value: "Number",
  add: "Add a pair",
  remove: "Remove the last pair",
  scope: (scope: string): string => `I know that this protects one ${scope}, not my whole answer.`,
  submit: "Randomize and send",
  first: {
    once: "Only the first answer counts.",
    day: "The first answer of a day counts.",
    week: "The first answer of a week counts.",
    month: "The first answer of a month counts.",
  },
  notAsked: "Your device is not asked in this window, so nothing is sent.",
  next: ({ window }: Survey, day: string | undefined): string =>
    day === undefined ? "It is not asked again before the survey ends." : `It is asked next ${window === "day" ? "on" : `in the ${window} from`} ${day}.`,
  paying: (cost: string): string => `Your first report is charged for all that follow: ${cost}.`,
  kept: (changes: number): string =>
    `This browser keeps ${changes === 0 ? "one randomized answer, drawn from your first: whatever you choose now, it is reported again" : "a randomized answer for each that you gave: one that you give again is reported again"}. It costs nothing more.`,
  remembers: "This browser remembers what it sent, not what you answered. A private window forgets it when it is closed.",
  working: "Drawing at random, then sending.",
  states: { "not-asked": "Not asked", acknowledged: "Sent", pending: "Kept in this browser", refused: "Not taken", withdrawn: "Withdrawn" },
  cost: (epsilon: string, spent: string): string => `It cost epsilon ${epsilon}. This browser has spent ${spent} on this site so far.`,
  paid: (spent: string): string => `It cost nothing more: your first report paid for all. This browser has spent ${spent} on this site so far.`,
  asked: "Your device was asked in this window.",
  same: "Asked again, the same randomized answer is kept.",
  again: {
    once: "This survey takes one answer.",
    day: "You can answer again tomorrow.",
    week: "You can answer again next week.",
    month: "You can answer again next month.",
  },
  retry: "Try again now",
  withdraw: "Withdraw",
  withdrawing:
    "The collector deletes the report. What it cost stays spent, and no other answer takes its place. Decide before you look at what was sent: a choice that depends on it would say something about your answer.",
  withdrawNow: "Withdraw this report",
  content: "What was sent, byte by byte",
  bytes: ["part", "bytes", "meaning"],
  sent: "What this browser sent",
  rows: ["survey", "window", "epsilon", "state", "bytes"],
  origin: "All reports of this browser to this site. Other sites, browsers and private windows have their own lists.",
  insecure: "This page came over an unencrypted connection: anyone on the network path could have changed it, and can read what is sent.",
  cannot: "This question needs more fields than a form can have, so it is answered by programs only.",
  failed: "This page failed. What was drawn before is kept: open the page again to see it.",
};

const WHY: Record<string, string> = {
  "over-budget": "The limits of this browser do not allow this report",
  "no-ledger": "This browser does not let the page remember what it sends",
  "survey-closed": "This survey is closed",
  "window-closed": "This survey is closed",
  "clock-skew": "By the date of this device, the survey has not opened yet",
  "not-allowed": "This survey needs the link with a token that you were given",
  "no-answer": "The collector did not answer",
  "no-randomness": "This browser has no source of randomness",
  "invalid-value": "This is not a possible answer",
};

/** Why nothing was drawn, or where a report was drawn before, why nothing more was sent: in one sentence. */
export function refusal(code: string, drawn: boolean): string {
  return `${WHY[code] ?? "This survey does not pass the checks of this page"}, so nothing ${drawn ? "more was" : "was drawn or"} sent.`;
}

/** The name of a window, as a table shows it. */
export function windowText({ window }: Receipt): string {
  return window === "" ? "once" : window;
}

/** What the privacy means, a paragraph per line. */
export function privacyLines(survey: Survey): string[] {
  return survey.privacy().split("\n");
}
