/** The first `length` bytes of SHAKE-256 of a message. */
export declare function shake256(message: Uint8Array, length: number): Uint8Array;
