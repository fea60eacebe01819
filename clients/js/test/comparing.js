// What this client makes of surveys, values and words that another client has drawn with: a line of JSON on standard
// input for each survey, a line on standard output with what differs, and at the end one with counts.
import readline from "node:readline";
import { ratioText, Survey, toHex } from "../dist/index.js";
import { toNumber } from "../dist/fraction.js";
import { checkBytes, checkCertificate, givenWords, same } from "./support.js";

const counts = { surveys: 0, taken: 0, refused: 0, reports: 0, values_refused: 0, differ: 0 };
/** A client that pins no publisher may not know of series. */
const series = /^series must be empty$/;

function readSurvey(text) {
  try {
    return { survey: Survey.parse(text, { maxDelta: "1" }) };
  } catch (error) {
    return { refusal: `${error.name}: ${error.message}` };
  }
}

/** A ratio is the same fraction; delta is the same to 13 digits, of rows, which are computed in doubles, to eight. */
function compareCertificate(survey, wanted) {
  if (wanted.delta === undefined) return checkCertificate(survey, wanted);
  const found = toNumber(survey.certificate.delta);
  const tolerance = survey.mechanism.domain.kind === "vector" ? 1e-8 : 1e-13;
  return Math.abs(found - Number(wanted.delta)) <= tolerance * found ? undefined : `delta: ${found} for ${wanted.delta}`;
}

/** All reports of one value together; nothing is said of it where devices do not remember. */
function compareLifetime({ mechanism: { memory } }, wanted) {
  return memory === undefined && !wanted ? undefined : same(ratioText(memory), wanted, "lifetime");
}

/** What differs in one case, or undefined. */
function compareCase(survey, { value, number, words, payload }) {
  const given = givenWords(words ?? "");
  let drawn;
  try {
    drawn = survey.randomize(number === undefined ? value : Number(number), given);
  } catch (error) {
    if (payload !== null) return `refused with ${error.name}: ${error.message}`;
    counts.values_refused++;
    return same(error.name, "InvalidValue", "error");
  }
  if (payload === null) return `taken, as ${toHex(drawn)}`;
  counts.reports++;
  return checkBytes(drawn, payload, "payload") ?? same(given.left(), 0, "words left") ?? same(drawn.length, survey.payloadBytes, "length");
}

function compareSurvey({ text, taken, fingerprint, certificate, privacy, lifetime, cost, cases }) {
  const { survey, refusal } = readSurvey(text);
  counts.surveys++;
  if (refusal !== undefined) {
    counts.refused++;
    const right = refusal.startsWith("InvalidSurvey: ") && (!taken || series.test(refusal.slice(15)));
    return right ? [] : [refusal];
  }
  counts.taken++;
  if (!taken) return ["is taken"];
  const wrong = [
    same(survey.fingerprint, fingerprint, "fingerprint"), compareCertificate(survey, certificate),
    compareLifetime(survey, lifetime),
    privacy === undefined ? undefined : same(survey.privacy(), privacy, "privacy") ?? same([survey.cost, survey.costInWords()].join(), cost.join(), "cost"),
  ];
  for (const one of cases) {
    const differs = compareCase(survey, one);
    wrong.push(differs === undefined ? undefined : `${JSON.stringify(one.value ?? one.number)}: ${differs}`);
  }
  return wrong.filter((one) => one !== undefined);
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const given = JSON.parse(line);
  const wrong = compareSurvey(given);
  counts.differ += wrong.length;
  if (wrong.length > 0) console.log(JSON.stringify({ wrong, text: given.text }));
}
console.log(JSON.stringify(counts));
