import test from "node:test";
import { fromHex, Survey } from "../dist/index.js";
import { checkCertificate, same, Tally, vectors } from "./support.js";

function source(one) {
  const spaces = " ".repeat(one.spaces ?? 0);
  if (one.bytes === undefined) return one.survey + spaces;
  return fromHex(one.bytes + "20".repeat(one.spaces ?? 0));
}

for (const kind of ["surveys", "limits", "weights", "repeated"]) {
  test(`${kind}-taken`, () => {
    const tally = new Tally(`${kind}-taken.json`);
    for (const one of vectors(tally.file).cases) {
      tally.check(one.why, () => {
        const survey = Survey.parse(source(one), { maxDelta: "1" });
        return same(survey.fingerprint, one.fingerprint, "fingerprint") ?? checkCertificate(survey, one.certificate);
      });
    }
    tally.finish();
  });
}

for (const kind of ["surveys", "mechanisms", "limits", "weights", "repeated"]) {
  test(`${kind}-refused`, () => {
    const tally = new Tally(`${kind}-refused.json`);
    for (const one of vectors(tally.file).cases) {
      tally.check(one.why, () => {
        try {
          Survey.parse(source(one), { maxDelta: "1" });
        } catch (error) {
          return same(error.name, "InvalidSurvey", "error");
        }
        return "is taken";
      });
    }
    tally.finish();
  });
}

test("delta is refused unless it is allowed", () => {
  const tally = new Tally("delta by default");
  for (const kind of ["surveys", "limits", "weights", "repeated"]) {
    for (const one of vectors(`${kind}-taken.json`).cases) {
      if (one.certificate.delta === undefined) continue;
      tally.check(one.why, () => {
        try {
          Survey.parse(source(one));
        } catch (error) {
          return same(error.name, "InvalidSurvey", "error");
        }
        return "is taken";
      });
    }
  }
  tally.finish();
});
