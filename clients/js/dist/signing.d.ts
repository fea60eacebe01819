import type { Survey } from "./survey.js";
/** Refuse a survey that another key than the pinned one signed, or nobody. */
export declare function checkPublisher(survey: Survey, pinned: string): void;
/** Refuse a survey unless this is its publisher's signature (Ed25519), or where the platform cannot say so. */
export declare function checkSignature(survey: Survey, signature: string): Promise<void>;
