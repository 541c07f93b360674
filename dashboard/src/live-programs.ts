import { createSignal } from "./api/signal.ts";

const storageKey = "tributary-live";
const isId = (id: unknown): id is number => typeof id === "number";

function stored(): readonly number[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(ids) ? ids.filter(isId) : [];
  } catch {
    return [];
  }
}

/** Programs that are known to be live, so that the navigation doesn't have to ask each time. */
export const livePrograms = createSignal<ReadonlySet<number>>(new Set(stored()));

export function rememberLive(programId: number, isLive: boolean): void {
  const known = livePrograms.get();
  if (known.has(programId) === isLive) return;
  const ids = [...known].filter((id) => id !== programId);
  livePrograms.set(new Set(isLive ? [...ids, programId] : ids));
  localStorage.setItem(storageKey, JSON.stringify([...livePrograms.get()]));
}
