/** What goes into an element: other elements, and text, which is never read as markup. */
export type Content = Node | string;
/** An element with attributes and content. `true` is an attribute without a value, `false` none. */
export declare function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, attributes?: Record<string, string | boolean>, ...content: readonly Content[]): HTMLElementTagNameMap[Tag];
/** Text of a survey: in its own direction, whatever signs it holds. */
export declare function foreign(text: string): HTMLElement;
/** A button that is disabled while what it does is under way. */
export declare function button(text: string, work: () => Promise<void>, kind?: string): HTMLButtonElement;
/** A part that is closed until somebody opens it. */
export declare function fold(title: string, ...content: readonly Content[]): HTMLDetailsElement;
/** A table in a frame that scrolls, for there may be long cells. */
export declare function table(caption: string, head: readonly string[], rows: readonly (readonly Content[])[]): HTMLElement;
/** An id that no other element of these has. */
export declare function newId(): string;
