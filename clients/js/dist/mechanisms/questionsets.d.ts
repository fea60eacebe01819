import type { Parts, Source } from "../mechanism.js";
/** Read `question-sets`: one set of the questions of a record, drawn whatever the answers are, and the answers to it as one value. */
export declare function readQuestionSets(source: Source): Parts;
