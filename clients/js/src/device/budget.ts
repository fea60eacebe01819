import { decimalOf, exact } from "../decimal.js";
import { InvalidArgument, OverBudget } from "../errors.js";
import { exceeds, multiple, ZERO } from "../fraction.js";
import type { Survey } from "../survey.js";
import { costOf, costText, type Charge } from "./charge.js";

/** Limits of a device, in epsilon; no survey sets one. Each is a number of at least 0. */
export interface Limits {
  /** One report; where devices remember, all that the first one is charged for. */
  readonly maxEpsilon: number;
  /** All reports drawn on one day. */
  readonly dayEpsilon: number;
  /** All surveys of one name. */
  readonly nameEpsilon: number;
  /** One question over one domain. */
  readonly questionEpsilon: number;
  /** All surveys of one series, whoever published them. */
  readonly seriesEpsilon: number;
  /** All surveys that one key signed. */
  readonly publisherEpsilon: number;
  /** All reports in the ledger. */
  readonly totalEpsilon: number;
}

/** The limits where a program sets none: those of the client in Python. */
export const LIMITS: Limits = {
  maxEpsilon: 2, dayEpsilon: 2, nameEpsilon: 5, questionEpsilon: 5, seriesEpsilon: 5, publisherEpsilon: 10, totalEpsilon: 10,
};

/** What reports may have in common that the limit for it is named after, in words. */
const SHARED = [
  ["name", "surveys of one name"],
  ["question", "one question"],
  ["series", "surveys of one series"],
  ["publisher", "surveys signed by one key"],
] as const;

/** Seconds of a day. */
const SECONDS = 86_400;

/** Refuse limits that are none, and a survey of which one report costs too much, whatever was spent before. */
export function checkReport(limits: Limits, survey: Survey): void {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isFinite(value) || value < 0) throw new InvalidArgument(`${name} must be a number of at least 0`);
  }
  if (exceeds(exact(decimalOf(Number(survey.cost))), exact(decimalOf(limits.maxEpsilon)))) {
    const what = survey.mechanism.memory === undefined ? "per report" : "for all its reports";
    throw new OverBudget(`${survey} asks for epsilon ${survey.cost} ${what}; this device gives at most ${limits.maxEpsilon} (maxEpsilon)`);
  }
  if (exceeds(survey.certificate.delta, ZERO)) throw new OverBudget(`${survey} has delta above 0, which this client does not answer`);
}

/**
 * Why a report is refused after those `before`, or undefined where it is allowed: the rules against forged surveys and
 * wrong clocks, then the limits. All limits hold at once: a series or a key puts surveys together, and takes none of them
 * out of another limit.
 */
export function refusalOf(limits: Limits, asked: Charge, before: readonly Charge[], pinned: boolean): OverBudget | undefined {
  const alike = before.filter((one) => one.name === asked.name || one.question === asked.question);
  const why = outOfOrder(asked, alike) ?? (pinned ? undefined : dearer(asked, alike)) ?? beyondLimit(limits, asked, before);
  return why === undefined ? why : new OverBudget(`survey "${asked.survey}" ${why}`);
}

/** Rule 1: windows are answered in order, under whatever fingerprint. */
function outOfOrder(asked: Charge, alike: readonly Charge[]): string | undefined {
  const later = alike.filter((one) => one.last >= asked.first);
  if (later.length === 0) return undefined;
  const last = later.reduce((a, b) => (b.last > a.last ? b : a));
  return last.fingerprint === asked.fingerprint
    ? `was answered for the window "${last.window}", so "${asked.window}" gets no answer: windows are answered in order. Check the clock of this device`
    : `has the name or question of "${last.survey}" (${last.fingerprint}), which was answered for the same days or later ones: one window gets one answer`;
}

/** Rule 2: under a new fingerprint, a name or question that was answered before does not cost more. */
function dearer(asked: Charge, alike: readonly Charge[]): string | undefined {
  const others = alike.filter((one) => one.fingerprint !== asked.fingerprint);
  const [known] = others;
  if (known === undefined || !others.every((one) => exceeds(costOf(asked), costOf(one)))) return undefined;
  return `asks for epsilon ${asked.epsilon}; under the fingerprint ${known.fingerprint} it asked for ${known.epsilon}. If the new one is agreed to, pass fingerprint: "${asked.fingerprint}"`;
}

function beyondLimit(limits: Limits, asked: Charge, before: readonly Charge[]): string | undefined {
  const sums: [keyof Limits, string, readonly Charge[], number?][] = [
    ["dayEpsilon", "per day", before.filter((one) => one.day >= asked.day)],
    // By elapsed time, 24 hours touch two days.
    ["dayEpsilon", "per 24 hours since the machine started", before.filter((one) => one.boot === asked.boot && asked.uptime - one.uptime < SECONDS), 2],
  ];
  for (const [key, what] of SHARED) {
    if (asked[key] !== "") sums.push([`${key}Epsilon`, `on ${what}`, before.filter((one) => one[key] === asked[key])]);
  }
  sums.push(["totalEpsilon", "in all", before]);
  for (const [name, what, spent, times = 1] of sums) {
    const most = multiple(exact(decimalOf(limits[name])), times);
    if (exceeds(costOf(...spent, asked), most)) {
      return `asks for epsilon ${asked.epsilon}; of the ${times * limits[name]} that this device may spend ${what} (${name}), ${costText(spent)} are spent`;
    }
  }
  return undefined;
}
