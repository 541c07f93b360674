import { useEffect, useState } from "preact/hooks";
import type { Values } from "./components/form.tsx";

/** What is typed into a form and not yet saved. */
export interface Draft {
  /** Of every field: as typed, else as it was. */
  readonly values: Values;
  /** Of those fields alone that differ from what was. */
  readonly changes: Values;
  readonly isDirty: boolean;
  set(name: string, value: string): void;
  discard(): void;
  /** It is saved: what was typed stays until the page knows it from the service. */
  markSaved(): void;
}

const drafts = new Map<string, Values>();

/** The browser asks before it leaves with what is drafts here alone. */
const warn = (event: BeforeUnloadEvent) => event.preventDefault();

function store(key: string, changes: Values): void {
  if (Object.keys(changes).length === 0) drafts.delete(key);
  else drafts.set(key, changes);
  if (drafts.size > 0) addEventListener("beforeunload", warn);
  else removeEventListener("beforeunload", warn);
}

/** Keeps what is typed at a place of the program, through every way within the page; `initial` is what is saved. */
export function useDraft(key: string, initial: Values): Draft {
  const [typed, setTyped] = useState(() => drafts.get(key) ?? {});
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
