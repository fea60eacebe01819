import { inputOf, readDomain } from "./domain.js";
import { InvalidValue } from "./errors.js";
import { demand, Section } from "./reading.js";
/** 1 to 100 characters, none of them a control character, without spaces at the ends. */
export const NAME = /^(?! )[^\u0000-\u001f\u007f-\u009f]{0,99}[^\u0000-\u0020\u007f-\u009f]$/u;
/** Read a document of a record: 2 to 30 questions, each over a domain of one value per person. */
export function readRecord(found) {
    const questions = found.list("questions").map((one, i) => {
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
    function answers(value) {
        if (typeof value !== "object" || value === null || Array.isArray(value))
            throw new InvalidValue("the value must be an object with an answer to each question");
        const given = new Map(Object.entries(value));
        for (const name of given.keys()) {
            if (!names.includes(name))
                throw new InvalidValue(`there is no question ${JSON.stringify(name)}; there are ${names.join(", ")}`);
        }
        return questions.map(({ name, domain }) => {
            if (!given.has(name))
                throw new InvalidValue(`the question ${JSON.stringify(name)} must be answered`);
            try {
                return inputOf(domain, given.get(name), 1);
            }
            catch (error) {
                throw error instanceof InvalidValue ? new InvalidValue(`answer to ${JSON.stringify(name)}: ${error.message}`) : error;
            }
        });
    }
    return { kind: "record", document: found.items, questions, size: questions.reduce((size, { domain }) => size * domain.size, 1), answers };
}
