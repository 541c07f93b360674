import { createSignal } from "./api/signal.ts";

interface OneTimeKey {
  readonly programId: number;
  readonly key: string;
}

/** The service shows a key only once. It stays in memory, and its screen open, until the user has saved it. */
export const oneTimeKey = createSignal<OneTimeKey | undefined>(undefined);

const warn = (event: BeforeUnloadEvent) => event.preventDefault();

export function keepOneTimeKey(programId: number, key: string): void {
  oneTimeKey.set({ programId, key });
  addEventListener("beforeunload", warn);
}

export function forgetOneTimeKey(): void {
  oneTimeKey.set(undefined);
  removeEventListener("beforeunload", warn);
}
