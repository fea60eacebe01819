/** A source of random words: each is 64 random bits, that is 8 bytes read as little-endian. */
export interface Words {
    next(): bigint;
}
/** A report's id: 16 bytes of the operating system's randomness, drawn once and kept with the report. */
export declare function newId(): Uint8Array;
/** The operating system's randomness. Refused where the platform has none. */
export declare function systemWords(): Words;
/** Uniform below `size`, from 1 to 2^64: exactly, by drawing again where a word is beyond the last multiple. */
export declare function below(size: bigint, words: Words): bigint;
/** The same for a size that is a small number. */
export declare function belowNumber(size: number, words: Words): number;
/** `count` words as little-endian bytes. */
export declare function wordBytes(count: number, words: Words): Uint8Array;
