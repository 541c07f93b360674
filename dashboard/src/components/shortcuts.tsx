import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { isTyping } from "../shell/is-typing.ts";

/** Calls the function of a pressed key, except while the user types or a dialog is open. */
export function useShortcuts(isActive: boolean, keys: Readonly<Record<string, () => unknown>>): void {
  useLayoutEffect(() => {
    if (!isActive) return;
    const onKey = (event: KeyboardEvent) => {
      const act = keys[event.key.toLowerCase()];
      if (act === undefined || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      // Otherwise, if `act` opens a dialog, the typed letter would appear in the dialog's first field.
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}

interface ShortcutsProps {
  /** For each shortcut, what it does with the selection, such as "approve". False if the shortcut doesn't apply. */
  readonly verbs: Readonly<Record<string, string | false>>;
}

/** Lists the shortcuts for screen readers, which announce a selection before the user reaches its buttons. */
export function ShortcutsSaid({ verbs }: ShortcutsProps): JSX.Element {
  const said = Object.entries(verbs).flatMap(([key, verb]) => (verb ? [`${key} to ${verb}`] : []));
  const list = said.length > 1 ? `${said.slice(0, -1).join(", ")} or ${said.at(-1)}` : said.join("");
  return <span class="unseen">Press {list}.</span>;
}
