/** What is to be known of a survey whose publisher is checked. */
interface Published {
    readonly name: string;
    readonly digest: string;
    readonly publisher: string;
}
/** Refuse a survey that another key than the pinned one signed, or nobody. */
export declare function checkPublisher({ name, publisher }: Published, pinned: string): void;
/** Refuse a survey unless this is its publisher's signature (Ed25519), or where the platform cannot say so. */
export declare function checkSignature({ name, digest, publisher }: Published, signature: string): Promise<void>;
export {};
