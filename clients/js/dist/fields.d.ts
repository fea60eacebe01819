/** A part of a report: a number below a size, packed bits, or a row of numbers below a size. */
export type Field = {
    readonly kind: "number";
    readonly name: string;
    readonly below: bigint;
} | {
    readonly kind: "bits";
    readonly name: string;
    readonly count: number;
} | {
    readonly kind: "row";
    readonly name: string;
    readonly count: number;
    readonly below: bigint;
};
/** What a mechanism reports, one item for each field. Bits come packed, bit v being bit v mod 8 of byte v div 8. */
export type Report = readonly (number | bigint | Uint8Array | readonly number[])[];
/** A field of a number below a size. */
export declare function numberField(name: string, below: number | bigint): Field;
/** A field of `count` bits. */
export declare function bitsField(name: string, count: number): Field;
/** A field of `count` numbers below a size. */
export declare function rowField(name: string, count: number, below: number): Field;
/** Bytes of a number below a size: the fewest of 1, 2, 4 and 8 that hold the largest one. */
export declare function numberBytes(below: bigint): number;
/** Bytes of one field. */
export declare function fieldBytes(field: Field): number;
/** Bytes of a payload: the same for every report of a survey. */
export declare function payloadBytes(fields: readonly Field[]): number;
/** The payload of a report: its fields one after the other, numbers little-endian. */
export declare function writePayload(fields: readonly Field[], report: Report): Uint8Array;
/** A byte for every bit, packed. */
export declare function packBits(bits: ArrayLike<number>): Uint8Array;
