import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { DurableObject } from "../../../runtime/node/cloudflare-workers.ts";
import type { HostClock } from "../../../runtime/node/object-alarms.ts";
import type { ObjectClass, ObjectContext } from "../../../runtime/node/object-instance.ts";
import { type Namespace, type NamespaceOptions, ObjectHost } from "../../../runtime/node/objects.ts";

export const newDirectory = (): string => mkdtempSync(join(tmpdir(), "objects-"));

export abstract class TestObject extends DurableObject<Readonly<Record<string, unknown>>, ObjectContext> {}

/** A clock that changes only when the test sets it. */
export class ManualClock implements HostClock {
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>();
  #now: number;
  #jumped = 0;
  longestDelayMs = 0;

  constructor(now = 1_790_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now - this.#jumped;
  }

  setTimer(run: () => void, delayMs: number): () => void {
    const timer = { at: this.#now + delayMs, run };
    this.#timers.add(timer);
    this.longestDelayMs = Math.max(this.longestDelayMs, delayMs);
    return () => this.#timers.delete(timer);
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** Sets the clock without running timers, as a correction of the machine's clock does. */
  jump(ms: number): void {
    const moved = [...this.#timers].map(({ at, run }) => ({ at: at + ms, run }));
    this.#timers.clear();
    for (const timer of moved) this.#timers.add(timer);
    this.#now += ms;
    this.#jumped += ms;
  }

  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settled();
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await settled();
    }
    this.#now = until;
  }
}

/** Waits until all code that is ready to run has run. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export interface Started {
  readonly host: ObjectHost;
  readonly objects: Namespace;
  readonly reports: string[];
  readonly directory: string;
  call(name: string, method: string, ...args: readonly unknown[]): Promise<unknown>;
  /** Reads the object's file through a new connection, as another process would. */
  query(name: string, sql: string): Record<string, SQLOutputValue>[];
}

export interface StartOptions extends Omit<NamespaceOptions, "objectClass" | "uniqueKey"> {
  readonly directory?: string;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly clock?: HostClock;
}

export function start(objectClass: ObjectClass, options: StartOptions = {}): Started {
  const { directory = newDirectory(), env = {}, clock, ...others } = options;
  const reports: string[] = [];
  const report = (event: string, error: unknown) => void reports.push(`${event}: ${error}`);
  const bindings: Record<string, unknown> = { ...env };
  const host = new ObjectHost({ directory, env: () => bindings, report, ...(clock && { clock }) });
  const objects = host.namespace({ objectClass, uniqueKey: "test", ...others });
  bindings.OBJECTS = objects;
  host.start();
  return {
    ...{ host, objects, reports, directory },
    async call(name, method, ...args) {
      const found = objects.get(objects.idFromName(name))[method];
      if (found === undefined) throw new TypeError(`no method ${method}`);
      return found(...args);
    },
    query: (name, sql) => query(join(directory, "test", `${objects.idFromName(name)}.sqlite`), sql),
  };
}

export function query(file: string, sql: string): Record<string, SQLOutputValue>[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}
