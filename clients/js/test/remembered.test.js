import test from "node:test";
import { memoryOf } from "../dist/device/memory.js";
import { Survey, toHex } from "../dist/index.js";
import { givenWords, same, Tally, vectors } from "./support.js";

const shown = (value) => (typeof value === "number" ? value : toHex(value));
/** Rows in the order of their keys, which is that of a ledger. */
const inOrder = (rows) => rows.map((row) => JSON.stringify(row)).sort().join();

test("remembered", () => {
  const tally = new Tally("remembered.json");
  for (const one of vectors(tally.file).cases) {
    tally.check(one.why, () => {
      const surveys = one.surveys.map((text) => Survey.parse(text));
      let known = { kept: [], memos: [] };
      for (const { survey: index, day, value, words, epsilon, payload } of one.steps) {
        const [survey, given] = [surveys[index], givenWords(words)];
        const memory = memoryOf(survey, day);
        const charged = memory.stored(known).length > 0 ? "0" : survey.cost;
        const { payload: drawn, kept, memos = [], forget = [] } = memory.report(known, value, given);
        const wrong = same(charged, epsilon, "epsilon") ?? same(toHex(drawn), payload, "payload") ?? same(given.left(), 0, "words left");
        if (wrong !== undefined) return `${day}: ${wrong}`;
        known = { kept: [...known.kept, ...kept], memos: [...known.memos.filter((memo) => !forget.includes(memo)), ...memos] };
      }
      const kept = known.kept.map(({ kind, name, value }) => [kind, name, shown(value)]);
      const memos = known.memos.map(({ question, memory, period, ordinal, tag, memo }) => [question, memory, period, ordinal, toHex(tag), shown(memo)]);
      return same(inOrder(kept), inOrder(one.kept), "kept") ?? same(inOrder(memos), inOrder(one.memos), "memos");
    });
  }
  tally.finish();
});
