import { createSignal } from "./api/signal.ts";

export interface OneTimeKey {
  readonly programId: number;
  readonly key: string;
  /** The key's name and permissions. Default: those of a program's first key. */
  readonly about?: string;
  /** The kind of key. Default: an API key. `webhook`: the secret that signs deliveries. */
  readonly kind?: "webhook";
}

/**
 * A new key, which the service shows only once. It stays in memory, and its screen open, until the user has saved it.
 */
export const oneTimeKey = createSignal<OneTimeKey | undefined>(undefined);

const warn = (event: BeforeUnloadEvent) => event.preventDefault();

export function keepOneTimeKey(key: OneTimeKey): void {
  oneTimeKey.set(key);
  addEventListener("beforeunload", warn);
}

export function forgetOneTimeKey(): void {
  oneTimeKey.set(undefined);
  removeEventListener("beforeunload", warn);
}
