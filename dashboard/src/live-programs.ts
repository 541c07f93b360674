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

/** Programs known to be live from the pages that read it, so that the navigation makes no request of its own. */
export const livePrograms = createSignal<ReadonlySet<number>>(new Set(stored()));

export function rememberLive(programId: number, isLive: boolean): void {
  const known = livePrograms.get();
  if (known.has(programId) === isLive) return;
  const ids = [...known].filter((id) => id !== programId);
  livePrograms.set(new Set(isLive ? [...ids, programId] : ids));
  localStorage.setItem(storageKey, JSON.stringify([...livePrograms.get()]));
}
