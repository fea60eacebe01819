/** SHA-256 of some bytes: 32 bytes, computed at once and without WebCrypto, which plain HTTP pages lack. */
export declare function sha256(message: Uint8Array): Uint8Array;
