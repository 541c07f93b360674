import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { isTyping } from "./is-typing.ts";

const keys = [
  ["/", "Search"],
  ["↑ ↓", "Move between the rows of a table, from a control in a row"],
  ["Enter", "Open the row's link, or press its button"],
  ["← →", "Read the chart by day"],
  ["A R", "Release or reject a commission held for review"],
  ["Esc", "Close a dialog or menu"],
  ["?", "Show this list"],
] as const;

/** `?` opens it, except while the user types or a dialog is open. */
export function KeysHelp(): JSX.Element | null {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      setIsOpen(true);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  if (!isOpen) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => setIsOpen(false)}>
      <dl class="facts">
        {keys.map(([key, does]) => (
          <>
            <dt key={key}>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}
