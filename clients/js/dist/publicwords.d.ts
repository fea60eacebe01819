/**
 * Index below `size` of public word `j` of a row: the same for everybody, chosen by the mechanism's
 * fingerprint (`key`) and the `use`. Makes the one block that holds the word.
 */
export declare function publicIndex(use: string, key: string, row: number, j: number, size: number): number;
