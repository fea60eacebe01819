import type { Parts, Source } from "../mechanism.js";
import type { Section } from "../reading.js";
/** Read `local-hashing`: a random public hash of the linear family, then randomized response on its cell. */
export declare function readLocalHashing(source: Source): Parts;
/** The option `hash_range`, and the hashes of that range over so many values, which the mechanism's fingerprint places. */
export declare function readFamily({ document }: Source, options: Section, d: number): {
    g: number;
    name: string;
    hashes: number;
    cell(hash: number, value: number): number;
};
