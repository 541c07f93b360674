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
/** The codes that say something about one file, not about the disk: CORRUPT, NOTADB. */
const ownCodes: ReadonlySet<number> = new Set([11, 26]);
/** The bits with the primary code. An error's other bits are details. */
const primaryBits = 0xff;

/** The code of an error that is due to an object's file. Undefined for other errors. */
export function fileCodeOf(error: unknown): number | undefined {
  const code = error instanceof Error ? Number(Reflect.get(error, "errcode")) & primaryBits : 0;
  return fileCodes.has(code) ? code : undefined;
}

interface Failed {
  readonly id: ObjectId;
  readonly code: number;
  /** Once one object of an outage works, all objects of this outage may start again. */
  readonly outage: string;
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
 * The objects of a class whose files failed. Their calls are refused. Objects that failed with the same code share one
 * outage, unless the code is about a single file. Every `tryEveryMs`, one object for each code is tried. Once it works,
 * all objects of its outage may start again. The beginning and the end of an outage are reported once.
 */
export class ObjectFaults {
  readonly #options: FaultsOptions;
  /** The failed objects, in the order in which to try them. */
  readonly #failed = new Map<string, Failed>();
  /** The outages without a failed object that aren't over yet, each with a function that stops the timer for its end. */
  readonly #ending = new Map<string, () => void>();
  #stopTimer: (() => void) | undefined;

  constructor(options: FaultsOptions) {
    this.#options = options;
  }

  get areNone(): boolean {
    return this.#failed.size === 0 && this.#ending.size === 0;
  }

  has(id: ObjectId): boolean {
    return this.#failed.has(id.toString());
  }

  /** Throws if the object's file has failed and doesn't work again yet. */
  refuse(key: string): void {
    const failed = this.#failed.get(key);
    // With `overloaded`, callers don't call again at once.
    if (failed !== undefined) throw Object.assign(resetError(failed.message), { overloaded: true });
  }

  /** Returns true if the error is due to the object's file, or was reported for this failed object before. */
  add(id: ObjectId, error: unknown): boolean {
    const key = id.toString();
    const message = messageOf(error);
    const before = this.#failed.get(key);
    const code = fileCodeOf(error);
    if (code === undefined) {
      if (before !== undefined) this.#failed.set(key, { ...before, message });
      return before?.message === message;
    }
    const outage = ownCodes.has(code) ? `${code} ${key}` : `${code}`;
    const isKnown = this.#ending.has(outage) || this.#isGoingOn(outage);
    this.#ending.get(outage)?.();
    this.#ending.delete(outage);
    this.#failed.delete(key);
    this.#failed.set(key, { id, code, outage, message });
    const { report, fileOf } = this.#options;
    if (!isKnown) report("object.storage_lost", error, fileOf(id));
    if (before !== undefined) this.#endLater(before);
    if (this.#failed.size > maxFailed) this.#forgetOne();
    this.#tryLater();
    return true;
  }

  close(): void {
    this.#stopTimer?.();
    for (const stopEnd of this.#ending.values()) stopEnd();
  }

  #isGoingOn(outage: string): boolean {
    return [...this.#failed.values()].some((failed) => failed.outage === outage);
  }

  /** Stops trying one object. Another object of the same outage is always left to try. */
  #forgetOne(): void {
    const newestOf = new Map([...this.#failed].map(([key, { outage }]) => [outage, key]));
    const spare = [...this.#failed].find(([key, { outage }]) => newestOf.get(outage) !== key);
    if (spare !== undefined) this.#failed.delete(spare[0]);
  }

  #tryLater(): void {
    this.#stopTimer ??= this.#options.clock.setTimer(() => {
      this.#stopTimer = undefined;
      this.#tryEach();
      if (this.#failed.size > 0) this.#tryLater();
    }, tryEveryMs);
  }

  /** Tries one object for each code. */
  #tryEach(): void {
    const firsts = new Map([...this.#failed.values()].reverse().map((failed) => [failed.code, failed]));
    for (const first of firsts.values()) if (this.#works(first)) this.#end(first);
  }

  /** If the object doesn't work, it becomes the last one to try. */
  #works(failed: Failed): boolean {
    const key = failed.id.toString();
    this.#failed.delete(key);
    this.#failed.set(key, failed);
    try {
      this.#options.start(failed.id);
      return true;
    } catch {
      return false;
    }
  }

  #end(tried: Failed): void {
    for (const [key, { outage }] of this.#failed) if (outage === tried.outage) this.#failed.delete(key);
    this.#endLater(tried);
  }

  /** Ends an outage after a time, if it has no failed object any more. */
  #endLater({ id, outage }: Failed): void {
    if (this.#isGoingOn(outage) || this.#ending.has(outage)) return;
    const { clock, report, fileOf } = this.#options;
    const stopEnd = clock.setTimer(() => {
      this.#ending.delete(outage);
      report("object.storage_recovered", undefined, fileOf(id));
    }, steadyMs);
    this.#ending.set(outage, stopEnd);
  }
}
