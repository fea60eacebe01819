import type { Survey } from "@sottovoce/client";
/** What a person fills in. */
export interface Control {
    readonly element: HTMLElement;
    /** Mark what no browser finds by itself, before the form is checked. */
    check?(): void;
    /** The answer, once the form is valid. */
    read(): unknown;
}
/** The control of a survey's kind of question, or undefined where a form makes no sense. */
export declare function controlOf({ mechanism: { domain }, outside }: Survey): Control | undefined;
