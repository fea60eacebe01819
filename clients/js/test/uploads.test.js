import test from "node:test";
import { fromHex, Survey, writeUpload, writeUploadJson } from "../dist/index.js";
import { concatBytes, utf8 } from "../dist/bytes.js";
import { receive } from "./collector.js";
import { checkBytes, same, Tally, vectors } from "./support.js";

function load(file) {
  const { surveys, cases } = vectors(file);
  const known = new Map(Object.entries(surveys).map(([fingerprint, text]) => [fingerprint, Survey.parse(text)]));
  return { known, cases };
}

function bytesOf(one) {
  const start = one.text === undefined ? fromHex(one.upload) : utf8(one.text);
  const piece = fromHex(one.piece ?? "");
  return concatBytes([start, ...new Array(one.pieces ?? 0).fill(piece)]);
}

test("uploads-taken", () => {
  const tally = new Tally("uploads-taken.json");
  const { known, cases } = load(tally.file);
  for (const one of cases) {
    tally.check(one.why, () => {
      const { upload, code } = receive(bytesOf(one), one.form, known);
      if (upload === undefined) return `refused: ${code}`;
      return checkBytes(writeUpload(upload), one.shortest, "shortest") ?? (one.json === undefined ? undefined : same(writeUploadJson(upload), one.json, "json"));
    });
  }
  tally.finish();
});

test("uploads-refused", () => {
  const tally = new Tally("uploads-refused.json");
  const { known, cases } = load(tally.file);
  for (const one of cases) {
    tally.check(one.why, () => {
      const { upload, code, position } = receive(bytesOf(one), one.form, known);
      if (upload !== undefined) return "is taken";
      return same(code, one.code, "code") ?? same(position, one.position, "position");
    });
  }
  tally.finish();
});
