import type { Domain } from "@sottovoce/client";
import type { Control } from "./controls.js";
import { type Content } from "./dom.js";
type Questions = Extract<Domain, {
    kind: "record";
}>;
type PlainDomain = Questions["questions"][number]["domain"];
/** A form of several questions: each a group of its own, all to be answered before anything is drawn. */
export declare function questionsOf({ questions }: Questions, texts: readonly string[], controlOf: (domain: PlainDomain, legend: readonly Content[]) => Control): Control;
export {};
