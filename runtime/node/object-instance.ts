import type { Rung } from "./object-alarms.ts";
import { type Gate, gatedEnv } from "./object-gate.ts";
import type { ObjectId } from "./object-id.ts";
import { ObjectStorage, type StorageOptions } from "./object-storage.ts";
import { messageOf, resetError } from "./reset-error.ts";

/** A class of the Worker. Its constructor takes a context and the bindings. */
export type ObjectClass = new (...args: never[]) => object;

export interface ObjectContext {
  readonly id: ObjectId;
  readonly storage: ObjectStorage;
  abort(reason?: unknown): never;
  waitUntil(promise: Promise<unknown>): void;
  blockConcurrencyWhile<T>(run: () => Promise<T>): Promise<T>;
}

/** Writes a log line. Without an error, it says that something works again. `file` is the object's file. */
export type Report = (event: string, error: unknown, file?: string) => void;

export interface InstanceOptions extends Pick<StorageOptions, "file" | "alarms"> {
  readonly objectClass: ObjectClass;
  readonly id: ObjectId;
  readonly env: object;
  readonly report: Report;
  /** If true, the object starts only if its file can be written. */
  readonly mustStore: boolean;
  /** Called before a reset. Returns true if the object's file is the reason and has been reported. */
  onFault(error: unknown): boolean;
  /** Called when the object has no work in progress any more. */
  onRest(): void;
  onEnd(instance: Instance): void;
}

/**
 * A running object. After its end, it can neither store anything nor send calls or responses, and its code stops where it
 * waits for a call or for its storage, as in workerd.
 */
export class Instance implements Gate {
  readonly #options: InstanceOptions;
  readonly #storage: ObjectStorage;
  readonly #construct: () => object;
  #object: object | undefined;
  /** Functions that reject the calls in progress. */
  readonly #pending = new Set<(error: Error) => void>();
  #waits = 0;
  #blocks = 0;
  #barrier: Promise<unknown> = Promise.resolve();
  #endedBy: string | undefined;

  constructor(options: InstanceOptions) {
    this.#options = options;
    const { objectClass, id, env, file, alarms, mustStore } = options;
    this.#storage = new ObjectStorage({ file, alarms, mustStore, onFault: (error) => this.reset(error) });
    const context: ObjectContext = {
      id,
      storage: this.#storage,
      abort: (reason = "the object was aborted") => {
        this.reset(reason);
        throw resetError(messageOf(reason));
      },
      waitUntil: (promise) => this.#waitUntil(promise),
      blockConcurrencyWhile: (run) => this.#block(run),
    };
    this.#construct = () => Reflect.construct(objectClass, [context, gatedEnv(env, this)]);
  }

  /** Runs the constructor. The constructor may call other objects, which may call this object. */
  begin(): void {
    try {
      this.#object = this.#construct();
    } catch (error) {
      this.reset(error);
    }
  }

  get isEnded(): boolean {
    return this.#endedBy !== undefined;
  }

  get isAtRest(): boolean {
    return this.#pending.size === 0 && this.#waits === 0 && this.#blocks === 0;
  }

  /** Stores the object's writes before anything leaves it. Throws if storing fails, or if the object has ended. */
  leave(): void {
    try {
      this.#storage.commit();
    } catch (error) {
      throw resetError(this.#endedBy ?? messageOf(error));
    }
  }

  send<T>(call: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      try {
        this.leave();
      } catch {
        return;
      }
      const whileRunning =
        <V>(settle: (value: V) => void) =>
        (value: V) => {
          if (!this.isEnded) settle(value);
        };
      Promise.resolve(call()).then(whileRunning(resolve), whileRunning(reject));
    });
  }

  /** Calls a method. The object gets a copy of the arguments, and the caller a copy of the result. */
  call(method: string, args: readonly unknown[]): Promise<unknown> {
    return this.#enter(async (object) => {
      try {
        const answer: unknown = await Reflect.apply(Reflect.get(object, method), object, args);
        this.leave();
        return structuredClone(answer);
      } catch (error) {
        this.leave();
        throw copiedError(error);
      }
    });
  }

  /** Runs the alarm's handler. Never rejects. */
  async ring(at: number): Promise<Rung> {
    try {
      return await this.#enter((object) => this.#ring(object, at));
    } catch {
      return { again: "reset" };
    }
  }

  async #ring(object: object, at: number): Promise<Rung> {
    const { isDue, next } = this.#storage.beginAlarm(at);
    if (!isDue) {
      this.#options.alarms.setLater(next);
      return { next };
    }
    const isDone = await this.#handleAlarm(object);
    const rung = this.#storage.endAlarm(isDone);
    return rung === "again" ? { again: "thrown" } : rung;
  }

  async #handleAlarm(object: object): Promise<boolean> {
    try {
      await Reflect.apply(Reflect.get(object, "alarm"), object, []);
      return true;
    } catch (error) {
      this.leave();
      this.#options.report("object.alarm_failed", error);
      return false;
    }
  }

  /** Drops the alarm without a retry. */
  async dropAlarm(): Promise<void> {
    await this.#storage.deleteAlarm();
    this.leave();
    this.#rest();
  }

  /** Ends the object. Callers get an error that asks them to repeat the call, and uncommitted writes are lost. */
  reset(reason: unknown): void {
    if (this.isEnded) return;
    if (!this.#options.onFault(reason)) this.#options.report("object.reset", reason);
    this.#end(messageOf(reason));
  }

  /** Ends the object after storing its pending writes. */
  retire(reason: string): void {
    if (this.isEnded) return;
    try {
      this.leave();
    } catch {
      return;
    }
    this.#end(reason);
  }

  #end(message: string): void {
    this.#endedBy = message;
    try {
      this.#storage.close();
    } catch (error) {
      this.#options.report("object.not_closed", error);
    }
    for (const reject of this.#pending) reject(resetError(message));
    this.#pending.clear();
    this.#options.onEnd(this);
  }

  #enter<T>(work: (object: object) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#endedBy !== undefined) return reject(resetError(this.#endedBy));
      this.#pending.add(reject);
      const settle = (settled: () => void) => {
        if (!this.#pending.delete(reject)) return;
        settled();
        this.#rest();
      };
      this.#begin(work).then(
        (answer) => settle(() => resolve(answer)),
        (error: unknown) => settle(() => reject(error)),
      );
    });
  }

  /** Begins work, but never in the caller's turn of the event loop. */
  async #begin<T>(work: (object: object) => Promise<T>): Promise<T> {
    do await this.#barrier;
    while (this.#blocks > 0);
    if (this.#object === undefined || this.#endedBy !== undefined) throw resetError(this.#endedBy ?? "");
    return work(this.#object);
  }

  #block<T>(run: () => Promise<T>): Promise<T> {
    this.#blocks += 1;
    const done = this.#runBlock(run);
    this.#barrier = Promise.allSettled([this.#barrier, done]);
    return done;
  }

  async #runBlock<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      this.reset(error);
      throw error;
    } finally {
      this.#blocks -= 1;
      this.#rest();
    }
  }

  #waitUntil(promise: Promise<unknown>): void {
    this.#waits += 1;
    const done = () => {
      this.#waits -= 1;
      this.#rest();
    };
    Promise.resolve(promise).then(done, (error: unknown) => {
      if (!this.isEnded) this.#options.report("object.wait_until_failed", error);
      done();
    });
  }

  #rest(): void {
    if (this.isAtRest && !this.isEnded) this.#options.onRest();
  }
}

const flags = ["retryable", "overloaded", "durableObjectReset"] as const;

function copiedError(error: unknown): Error {
  const copy = Object.assign(new Error(messageOf(error)), { remote: true });
  if (!(error instanceof Error)) return copy;
  const kept = flags.filter((flag) => Reflect.get(error, flag) === true).map((flag) => [flag, true]);
  return Object.assign(copy, { name: error.name, stack: error.stack, ...Object.fromEntries(kept) });
}
