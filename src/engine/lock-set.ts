/** Exclusive: state that a call may change. Shared: state that must not change while it is decided. */
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

  /** A call never conflicts with exclusive locks of its own chain. */
  conflictsWith({ exclusive, shared = [] }: Locks, chain?: string): boolean {
    const isTaken = (lock: string) =>
      this.#exclusive.has(lock) && (chain === undefined || this.#exclusive.get(lock) !== chain);
    return exclusive.some((lock) => isTaken(lock) || this.#shared.has(lock)) || shared.some(isTaken);
  }
}
