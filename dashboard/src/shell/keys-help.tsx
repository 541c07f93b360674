import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { lazy } from "../components/lazy.tsx";
import { isTyping } from "./is-typing.ts";

const KeysList = lazy<{ readonly onClose: () => void }>(() => import("../pages/keys-list.tsx"), null);

/** The list of shortcuts. `?` opens it, except while the user types or a dialog is open. */
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
  return <KeysList onClose={() => setIsOpen(false)} />;
}
