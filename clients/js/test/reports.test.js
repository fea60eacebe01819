import test from "node:test";
import { fromHex, Survey, writeUpload, writeUploadJson } from "../dist/index.js";
import { checkPayload } from "./collector.js";
import { checkBytes, checkCertificate, givenWords, mechanismFiles, same, Tally, vectors } from "./support.js";

for (const file of mechanismFiles()) {
  test(file, () => {
    const tally = new Tally(file);
    const { surveys } = vectors(file);
    surveys.forEach((one, i) => {
      const survey = Survey.parse(one.survey, { maxDelta: "1" });
      const wrong = same(survey.fingerprint, one.fingerprint, "fingerprint") ?? checkCertificate(survey, one.certificate);
      if (wrong !== undefined) tally.failures.push(`survey ${i}: ${wrong}`);
      const { fields } = survey.mechanism;
      if (one.largest !== undefined && !checkPayload(fields, fromHex(one.largest))) tally.failures.push(`survey ${i}: largest is refused`);
      for (const beyond of one.beyond ?? []) {
        if (checkPayload(fields, fromHex(beyond))) tally.failures.push(`survey ${i}: ${beyond.slice(0, 40)} is taken`);
      }
      one.cases.forEach((c, j) => {
        tally.check(`survey ${i}, case ${j}`, () => {
          const words = givenWords(c.words);
          const payload = survey.randomize(c.value, words);
          const upload = { fingerprint: survey.fingerprint, window: c.window, reports: [{ id: fromHex(c.id), payload }] };
          return checkBytes(payload, c.payload, "payload")
            ?? same(words.left(), 0, "words left")
            ?? same(payload.length, survey.payloadBytes, "length")
            ?? checkBytes(writeUpload(upload), c.msgpack, "msgpack")
            ?? (c.json === undefined ? undefined : same(writeUploadJson(upload), c.json, "json"));
        });
      });
    });
    tally.finish();
  });
}
