import test from "node:test";
import { windowDays, windowName } from "../dist/index.js";
import { clockCode } from "./collector.js";
import { same, Tally, vectors } from "./support.js";

test("windows", () => {
  const tally = new Tally("windows.json");
  const { cases, clock } = vectors(tally.file);
  for (const one of cases) {
    tally.check(`${one.window} ${one.day ?? one.name}`, () => {
      const days = windowDays(one.window, one.name);
      if (one.refused === true) return same(days, undefined, "days");
      return same(windowName(one.window, one.day), one.name, "name") ?? same(days?.first, one.first, "first") ?? same(days?.last, one.last, "last");
    });
  }
  for (const one of clock) {
    tally.check(`clock: ${JSON.stringify(one)}`, () => same(clockCode(one.window, one.name, one.opens, one.closes, one.today), one.code, "code"));
  }
  tally.finish();
});
