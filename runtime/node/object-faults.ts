import type { HostClock } from "./object-alarms.ts";
import type { ObjectId } from "./object-id.ts";
import type { Report } from "./object-instance.ts";
import { messageOf, resetError } from "./reset-error.ts";

const tryEveryMs = 250;
/** An outage is over once nothing has failed for this time. On a nearly full disk, writes fail and succeed in turn. */
const steadyMs = 2_000;
const maxFailed = 1_000;

/**
 * SQLite's codes for a file that can't be opened, read or written: READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB.
 */
const fileCodes: ReadonlySet<number> = new Set([8, 10, 11, 13, 14, 26]);
/** The other bits of a code are details. */
const primaryBits = 0xff;

/** The code of an error that is due to an object's file. Undefined for other errors. */
export function fileCodeOf(error: unknown): number | undefined {
  const code = error instanceof Error ? Number(Reflect.get(error, "errcode")) & primaryBits : 0;
  return fileCodes.has(code) ? code : undefined;
}

interface Failed {
  readonly id: ObjectId;
  readonly code: number;
  readonly message: string;
}

export interface FaultsOptions {
  readonly clock: HostClock;
  readonly report: Report;
  fileOf(id: ObjectId): string;
  /** Starts an object and writes to its file. If this fails, it calls `add` and throws. */
  start(id: ObjectId): void;
}

/**
 * The objects of a class whose files failed. Their calls are refused, and one object is tried every `tryEveryMs`. Once
 * it works, all others that failed with the same code may start again. The beginning and the end of an outage are
 * reported once.
 */
export class ObjectFaults {
  readonly #options: FaultsOptions;
  /** In the order in which to try them. */
  readonly #failed = new Map<string, Failed>();
  /** The outages that were reported, by code, each with a function that stops the timer for its end. */
  readonly #outages = new Map<number, () => void>();
  #stopTimer: (() => void) | undefined;

  constructor(options: FaultsOptions) {
    this.#options = options;
  }

  get areNone(): boolean {
    return this.#outages.size === 0;
  }

  has(id: ObjectId): boolean {
    return this.#failed.has(id.toString());
  }

  /** Throws if the object's file has failed and doesn't work again yet. */
  refuse(key: string): void {
    const failed = this.#failed.get(key);
    // Callers needn't call again at once.
    if (failed !== undefined) throw Object.assign(resetError(failed.message), { overloaded: true });
  }

  /** Returns false if the error isn't due to the object's file. */
  add(id: ObjectId, error: unknown): boolean {
    const code = fileCodeOf(error);
    if (code === undefined) return false;
    const key = id.toString();
    this.#failed.delete(key);
    this.#failed.set(key, { id, code, message: messageOf(error) });
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > maxFailed && oldest !== undefined) this.#failed.delete(oldest);
    const { report, fileOf } = this.#options;
    const stopEnd = this.#outages.get(code);
    if (stopEnd === undefined) report("object.storage_lost", error, fileOf(id));
    else stopEnd();
    this.#outages.set(code, () => {});
    this.#tryLater();
    return true;
  }

  close(): void {
    this.#stopTimer?.();
    for (const stopEnd of this.#outages.values()) stopEnd();
  }

  #tryLater(): void {
    this.#stopTimer ??= this.#options.clock.setTimer(() => {
      this.#stopTimer = undefined;
      this.#tryEach();
      if (this.#failed.size > 0) this.#tryLater();
    }, tryEveryMs);
  }

  /** Tries one object of each outage. */
  #tryEach(): void {
    for (const code of [...this.#outages.keys()]) {
      const first = [...this.#failed.values()].find((failed) => failed.code === code);
      if (first !== undefined && this.#works(first)) this.#end(first);
    }
  }

  #works({ id }: Failed): boolean {
    this.#failed.delete(id.toString());
    try {
      this.#options.start(id);
      return true;
    } catch {
      return false;
    }
  }

  #end({ id, code }: Failed): void {
    for (const [key, failed] of this.#failed) if (failed.code === code) this.#failed.delete(key);
    const { clock, report, fileOf } = this.#options;
    const stopEnd = clock.setTimer(() => {
      this.#outages.delete(code);
      report("object.storage_recovered", undefined, fileOf(id));
    }, steadyMs);
    this.#outages.set(code, stopEnd);
  }
}
