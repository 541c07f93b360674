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
  settle(): void;
}

const kept = new Map<string, Values>();

/** The browser asks before it leaves with what is kept here alone. */
const warn = (event: BeforeUnloadEvent) => event.preventDefault();

function keep(place: string, changes: Values): void {
  if (Object.keys(changes).length === 0) kept.delete(place);
  else kept.set(place, changes);
  if (kept.size > 0) addEventListener("beforeunload", warn);
  else removeEventListener("beforeunload", warn);
}

/** Keeps what is typed at a place of the program, through every way within the page; `initial` is what is saved. */
export function useDraft(place: string, initial: Values): Draft {
  const [typed, setTyped] = useState(() => kept.get(place) ?? {});
  const [isSettled, setIsSettled] = useState(false);
  const differing = (values: Values) =>
    Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== initial[name]));
  const put = (next: Values) => {
    keep(place, differing(next));
    setTyped(next);
    setIsSettled(false);
  };
  useEffect(() => {
    if (isSettled) put({});
  }, [JSON.stringify(initial)]);
  const changes = isSettled ? {} : differing(typed);
  return {
    values: { ...initial, ...typed },
    changes,
    isDirty: Object.keys(changes).length > 0,
    set: (name, value) => {
      if (name in initial) put({ ...typed, [name]: value });
    },
    discard: () => put({}),
    settle: () => {
      keep(place, {});
      setIsSettled(true);
    },
  };
}
