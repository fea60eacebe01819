import type { Domain } from "@sottovoce/client";
import type { Control } from "./controls.js";
import { foreign, make, newId, type Content } from "./dom.js";
import { TEXTS } from "./texts.js";

type Questions = Extract<Domain, { kind: "record" }>;
type PlainDomain = Questions["questions"][number]["domain"];
type Field = HTMLInputElement | HTMLSelectElement;

/** A question of a form, and how its answer stands. */
interface Row {
  readonly name: string;
  readonly control: Control;
  /** The first field that has no possible answer yet. */
  open(): Field | null;
  /** Say beside the field what is wrong, or nothing any more. */
  show(): boolean;
}

/** A form of several questions: each a group of its own, all to be answered before anything is drawn. */
export function questionsOf({ questions }: Questions, texts: readonly string[], controlOf: (domain: PlainDomain, legend: readonly Content[]) => Control): Control {
  const rows = questions.map(({ name, domain }, i) => rowOf(name, controlOf(domain, [make("small", {}, TEXTS.nth(i + 1, questions.length)), " ", foreign(texts[i] || name)])));
  const progress = make("p", { class: "progress" });
  const count = (): void => {
    progress.textContent = TEXTS.answered(rows.filter((row) => row.open() === null).length, rows.length);
  };
  const element = make("div", { class: "questions" }, ...rows.map(({ control }) => control.element), progress);
  element.oninput = ({ target }) => {
    count();
    rows.find(({ control }) => control.element.contains(target as Node) && control.element.classList.contains("wrong"))?.show();
  };
  count();
  return {
    element,
    check: () => {
      const wrong = rows.filter((row) => !row.show());
      wrong[0]?.control.element.scrollIntoView();
      wrong[0]?.open()?.focus({ preventScroll: true });
      return wrong.length === 0 ? undefined : TEXTS.incomplete(wrong.length);
    },
    read: () => Object.fromEntries(rows.map(({ name, control }) => [name, control.read()])),
  };
}

function rowOf(name: string, control: Control): Row {
  const { element } = control;
  const said = make("p", { class: "error", id: newId(), hidden: true });
  element.append(said);
  const open = (): Field | null => {
    control.check?.();
    return element.querySelector<Field>("input:invalid, select:invalid");
  };
  return {
    name, control, open,
    show: () => {
      const field = open();
      const right = field === null;
      said.hidden = right;
      element.classList.toggle("wrong", !right);
      if (right) {
        said.textContent = "";
        for (const each of element.querySelectorAll("[aria-invalid]")) each.removeAttribute("aria-invalid");
        element.removeAttribute("aria-describedby");
        return true;
      }
      const { valueMissing, badInput } = field.validity;
      said.textContent = valueMissing && !badInput ? TEXTS.unanswered : TEXTS.must(control.says ?? field.validationMessage);
      element.setAttribute("aria-describedby", said.id);
      if (field.type !== "radio" && field.type !== "checkbox") field.setAttribute("aria-invalid", "true");
      return false;
    },
  };
}
