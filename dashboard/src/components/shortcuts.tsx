import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { isTyping } from "../shell/is-typing.ts";

/** For what is selected, except while the user types or a dialog is open. */
export function useShortcuts(isActive: boolean, keys: Readonly<Record<string, () => unknown>>): void {
  useLayoutEffect(() => {
    if (!isActive) return;
    const onKey = (event: KeyboardEvent) => {
      const act = keys[event.key.toLowerCase()];
      if (act === undefined || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      // A dialog that opens at once would take the letter into its first field.
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}

interface ShortcutsProps {
  /** By key. False: not of this selection. */
  readonly verbs: Readonly<Record<string, string | false>>;
}

/** For screen readers, which announce the selection where its buttons are out of sight. */
export function ShortcutsSaid({ verbs }: ShortcutsProps): JSX.Element {
  const said = Object.entries(verbs).flatMap(([key, verb]) => (verb ? [`${key} to ${verb}`] : []));
  const list = said.length > 1 ? `${said.slice(0, -1).join(", ")} or ${said.at(-1)}` : said.join("");
  return <span class="unseen">Press {list}.</span>;
}
