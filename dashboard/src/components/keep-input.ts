import { sessionEnded } from "../api/client.ts";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * The text typed into forms that were open when the session ended, by page and form. Forms with a `Draft` keep theirs
 * themselves.
 */
const kept = new Map<string, ReadonlyMap<string, string>>();

const textTypes = ["text", "email", "url", "search", "date", "datetime-local", "select-one", "textarea"];

const isField = (element: unknown): element is Field =>
  element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement;

function fieldsOf(form: HTMLFormElement): readonly Field[] {
  const elements: readonly unknown[] = Array.from(form.elements);
  return elements.filter(isField).filter(({ type, name }) => name !== "" && textTypes.includes(type));
}

/**
 * If the session ends while the form is open, keeps what was typed into the form, except passwords and files. Enters it
 * when the form is opened again on the same page. Returns a function that stops watching for the end of the session.
 */
export function keepInput(form: HTMLFormElement, name: string): () => void {
  const key = `${location.pathname} ${name}`;
  const values = kept.get(key);
  kept.delete(key);
  if (values !== undefined) void enter(form, values);
  return sessionEnded.watch((isEnded) => {
    if (isEnded) kept.set(key, new Map(fieldsOf(form).map((field) => [field.name, field.value])));
  });
}

async function enter(form: HTMLFormElement, values: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, value] of values) {
    const field = fieldsOf(form).find((each) => each.name === name);
    if (field === undefined || field.value === value) continue;
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    // Choosing an option may replace the fields that follow, so this waits until they are rendered.
    await new Promise(requestAnimationFrame);
  }
}
