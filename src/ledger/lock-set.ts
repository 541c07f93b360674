import type { Locks } from "../operations/operation.ts";

/** Locks of calls that others must not pass. */
export class LockSet {
  /** By the chain of the call that holds it, if it is in one. */
  readonly #exclusive = new Map<string, string | undefined>();
  readonly #shared = new Set<string>();

  add({ exclusive, shared = [] }: Locks, chain?: string): void {
    for (const lock of exclusive) this.#exclusive.set(lock, chain);
    for (const lock of shared) this.#shared.add(lock);
  }

  /** The exclusive locks of a call's own chain don't keep it from anything. */
  keepsFrom({ exclusive, shared = [] }: Locks, chain?: string): boolean {
    const isTaken = (lock: string) =>
      this.#exclusive.has(lock) && (chain === undefined || this.#exclusive.get(lock) !== chain);
    return exclusive.some((lock) => isTaken(lock) || this.#shared.has(lock)) || shared.some(isTaken);
  }
}
