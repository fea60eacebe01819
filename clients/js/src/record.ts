import { inputOf, readDomain, type PlainDomain } from "./domain.js";
import { InvalidValue } from "./errors.js";
import type { JsonObject } from "./json.js";
import { demand, Section } from "./reading.js";

/** A question of a record. */
export interface Question {
  readonly name: string;
  readonly domain: PlainDomain;
}

/** Answers to several questions of one person: an object with the name of every question. */
export interface Questions {
  readonly kind: "record";
  readonly document: JsonObject;
  readonly questions: readonly Question[];
  /** The number of records, which may be far more than can be listed. */
  readonly size: number;
  /** The inputs of all answers, every one of them checked; a refusal names the question. */
  answers(value: unknown): number[];
}

/** 1 to 100 characters, none of them a control character, without spaces at the ends. */
export const NAME = /^(?! )[^\u0000-\u001f\u007f-\u009f]{0,99}[^\u0000-\u0020\u007f-\u009f]$/u;

/** Read a document of a record: 2 to 30 questions, each over a domain of one value per person. */
export function readRecord(found: Section): Questions {
  const questions = found.list("questions").map((one, i): Question => {
    const where = `${found.where}.questions.${i}`;
    const told = new Section(one, ["domain", "name"], where);
    const name = told.text("name");
    told.require(NAME.test(name), "name", "text of 1 to 100 characters, without control characters and spaces at the ends");
    const domain = readDomain(told.get("domain"), `${where}.domain`);
    const several = domain.kind === "vector" || domain.kind === "key-values" || domain.kind === "choices" || domain.kind === "record";
    return { name, domain: several || domain.size < 2 ? told.refuse("domain", "of one value per person, out of at least 2") : domain };
  });
  const names = questions.map(({ name }) => name);
  demand(names.length >= 2 && names.length <= 30, `${found.where}.questions`, "2 to 30 questions");
  demand(new Set(names).size === names.length, `${found.where}.questions`, "of distinct names");

  function answers(value: unknown): number[] {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new InvalidValue("the value must be an object with an answer to each question");
    const given = new Map<string, unknown>(Object.entries(value));
    for (const name of given.keys()) {
      if (!names.includes(name)) throw new InvalidValue(`there is no question ${JSON.stringify(name)}; there are ${names.join(", ")}`);
    }
    return questions.map(({ name, domain }) => {
      if (!given.has(name)) throw new InvalidValue(`the question ${JSON.stringify(name)} must be answered`);
      try {
        return inputOf(domain, given.get(name), 1);
      } catch (error) {
        throw error instanceof InvalidValue ? new InvalidValue(`answer to ${JSON.stringify(name)}: ${error.message}`) : error;
      }
    });
  }

  return { kind: "record", document: found.items, questions, size: questions.reduce((size, { domain }) => size * domain.size, 1), answers };
}
