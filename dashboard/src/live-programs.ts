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

/** The known programs, with true for a live program. Local storage has only the live ones. */
export const livePrograms = createSignal<ReadonlyMap<number, boolean>>(new Map(stored().map((id) => [id, true])));

export function rememberLive(programId: number, isLive: boolean): void {
  const known = livePrograms.get();
  if (known.get(programId) === isLive) return;
  const all = new Map(known).set(programId, isLive);
  livePrograms.set(all);
  localStorage.setItem(storageKey, JSON.stringify([...all].flatMap(([id, isIt]) => (isIt ? [id] : []))));
}
