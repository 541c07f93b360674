/**
 * Exclusive locks cover state that a call may change. Shared locks cover state that must not change while the call is
 * decided.
 */
export interface Locks {
  readonly exclusive: readonly string[];
  readonly shared?: readonly string[];
}

export class LockSet {
  readonly #exclusive = new Map<string, string | undefined>();
  readonly #shared = new Set<string>();

  add({ exclusive, shared = [] }: Locks, chain?: string): void {
    for (const lock of exclusive) this.#exclusive.set(lock, chain);
    for (const lock of shared) this.#shared.add(lock);
  }

  /**
   * True if another call has a lock that excludes one of these. Exclusive locks of calls in the same chain don't
   * conflict.
   */
  conflictsWith({ exclusive, shared = [] }: Locks, chain?: string): boolean {
    const isTaken = (lock: string) =>
      this.#exclusive.has(lock) && (chain === undefined || this.#exclusive.get(lock) !== chain);
    return exclusive.some((lock) => isTaken(lock) || this.#shared.has(lock)) || shared.some(isTaken);
  }
}
