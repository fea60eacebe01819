/** What goes into an element: other elements, and text, which is never read as markup. */
export type Content = Node | string;

/** An element with attributes and content. `true` is an attribute without a value, `false` none. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag, attributes: Record<string, string | boolean> = {}, ...content: readonly Content[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...content);
  return element;
}

/** Text of a survey: in its own direction, whatever signs it holds. */
export function foreign(text: string): HTMLElement {
  return make("bdi", { dir: "auto" }, text);
}

/** A button that is disabled while what it does is under way. */
export function button(text: string, work: () => Promise<void>, kind = ""): HTMLButtonElement {
  const made = make("button", { type: "button", class: kind }, text);
  made.onclick = async () => {
    made.disabled = true;
    await work();
    made.disabled = false;
  };
  return made;
}

/** A part that is closed until somebody opens it. */
export function fold(title: string, ...content: readonly Content[]): HTMLDetailsElement {
  return make("details", {}, make("summary", {}, title), ...content);
}

/** A table in a frame that scrolls, for there may be long cells. */
export function table(caption: string, head: readonly string[], rows: readonly (readonly Content[])[]): HTMLElement {
  const cells = (row: readonly Content[]): Content[] => row.map((cell, i) => make(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : {}, cell));
  return make(
    "div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    make(
      "table", { class: "sent" },
      make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...cells(row)))),
    ),
  );
}

/** An id that no other element of these has. */
export function newId(): string {
  return `sottovoce-${++ids}`;
}
let ids = 0;
