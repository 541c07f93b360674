import { useEffect, useState } from "preact/hooks";
import type { Values } from "./components/form.tsx";

export interface Draft {
  /** The values of all fields: unsaved input, or else the saved value. */
  readonly values: Values;
  /** The values of the fields that differ from the saved ones. */
  readonly changes: Values;
  readonly isDirty: boolean;
  set(name: string, value: string): void;
  discard(): void;
  /** Marks the input as saved; it stays visible until the saved values are read again. */
  markSaved(): void;
}

const drafts = new Map<string, Values>();

const warn = (event: BeforeUnloadEvent) => event.preventDefault();

function store(key: string, changes: Values): void {
  if (Object.keys(changes).length === 0) drafts.delete(key);
  else drafts.set(key, changes);
  if (drafts.size > 0) addEventListener("beforeunload", warn);
  else removeEventListener("beforeunload", warn);
}

export const hasUnsavedInput = (): boolean => drafts.size > 0;

/**
 * Keeps unsaved input while the user navigates within the app. `initial` holds the saved values, `proposed` the input
 * that the form starts with.
 */
export function useDraft(key: string, initial: Values, proposed: Values = {}): Draft {
  const [typed, setTyped] = useState(() => drafts.get(key) ?? proposed);
  const [isSaved, setIsSaved] = useState(false);
  const differing = (values: Values) =>
    Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== initial[name]));
  const put = (next: Values) => {
    store(key, differing(next));
    setTyped(next);
    setIsSaved(false);
  };
  useEffect(() => {
    if (isSaved) put({});
  }, [JSON.stringify(initial)]);
  const changes = isSaved ? {} : differing(typed);
  return {
    values: { ...initial, ...typed },
    changes,
    isDirty: Object.keys(changes).length > 0,
    set: (name, value) => {
      if (name in initial) put({ ...typed, [name]: value });
    },
    discard: () => put({}),
    markSaved: () => {
      store(key, {});
      setIsSaved(true);
    },
  };
}
