import type { Survey } from "@sottovoce/client";
/** What a person fills in. */
export interface Control {
    readonly element: HTMLElement;
    /** What an answer must be, in words. */
    readonly says?: string;
    /** Mark what no browser finds by itself, before the form is checked; what is wrong, where the control says itself of which answers. */
    check?(): string | void;
    /** The answer, once the form is valid. */
    read(): unknown;
}
/** The control of a survey's kind of question, or undefined where a form makes no sense. */
export declare function controlOf({ mechanism: { domain }, outside, texts }: Survey): Control | undefined;
