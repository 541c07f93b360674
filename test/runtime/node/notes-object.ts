import type { ObjectContext } from "../../../runtime/node/object-instance.ts";
import { TestObject } from "./test-host.ts";

export const wasReset = { retryable: true, durableObjectReset: true, remote: true };

let made = 0;

export const held = {
  /** Resolves the waiting call. */
  release: (): void => {},
  lateErrors: [] as string[],
};

export class Notes extends TestObject {
  readonly number: number;
  kept: unknown;

  constructor(ctx: ObjectContext, env: Readonly<Record<string, unknown>>) {
    super(ctx, env);
    made += 1;
    this.number = made;
    ctx.storage.sql.exec(`
      create table if not exists notes (text text not null);
      create table if not exists parents (id integer primary key);
      create table if not exists children (parent integer references parents deferrable initially deferred);
    `);
  }

  #insert(text: string): void {
    this.ctx.storage.sql.exec("insert into notes values (?)", text);
  }

  async add(text: string): Promise<number> {
    this.#insert(text);
    return this.number;
  }

  async list(): Promise<unknown> {
    return this.ctx.storage.sql.exec("select text from notes").toArray();
  }

  async which(): Promise<number> {
    return this.number;
  }

  async put(key: string, value: unknown): Promise<void> {
    await this.ctx.storage.put(key, value);
  }

  async read(key: string): Promise<unknown> {
    return this.ctx.storage.get(key);
  }

  async addFamily(): Promise<void> {
    this.ctx.storage.sql.exec("insert into children values (7)");
    await this.ctx.storage.put("child", 7);
    await undefined;
    this.ctx.storage.sql.exec("insert into parents values (7)");
  }

  async addOrphan(isSent: boolean): Promise<void> {
    this.#insert("with an orphan");
    this.ctx.storage.sql.exec("insert into children values (8)");
    if (isSent) await this.fetch();
  }

  async fetch(): Promise<unknown> {
    return Reflect.apply(Reflect.get(Object(this.env.OUT), "fetch"), this.env.OUT, []);
  }

  async addAndFetch(text: string): Promise<unknown> {
    this.#insert(text);
    return this.fetch();
  }

  async addAndAsk(text: string, other: string): Promise<unknown> {
    this.#insert(text);
    const objects = Object(this.env.OBJECTS);
    return objects.get(objects.idFromName(other)).look();
  }

  async look(): Promise<unknown> {
    return Reflect.apply(Reflect.get(globalThis, "lookOutside"), undefined, []);
  }

  async keep(value: unknown): Promise<void> {
    this.kept = value;
  }

  async keptValue(): Promise<unknown> {
    return this.kept;
  }

  async mutate(values: number[]): Promise<number[]> {
    values.push(2);
    return values;
  }

  async fail(): Promise<void> {
    throw Object.assign(new RangeError("too far"), { overloaded: true, secret: () => 1 });
  }

  async wait(): Promise<number> {
    await new Promise<void>((resolve) => {
      held.release = resolve;
    });
    return this.number;
  }

  async waitAndUse(): Promise<void> {
    await new Promise<void>((resolve) => {
      held.release = resolve;
    });
    for (const use of [() => this.#insert("too late"), () => this.fetch(), () => this.ctx.storage.put("late", 1)]) {
      await Promise.resolve()
        .then(use)
        .catch((error: Error) => held.lateErrors.push(error.message));
    }
  }

  async later(): Promise<void> {
    this.ctx.waitUntil(
      new Promise<void>((resolve) => {
        held.release = resolve;
      }),
    );
  }

  async abort(): Promise<void> {
    this.#insert("never stored");
    this.ctx.abort(new Error("the fence is lost"));
  }

  // biome-ignore lint/suspicious/noThenProperty: a test checks that a stub doesn't expose a method named `then`.
  async then(): Promise<void> {}
}

export const textsOf = (notes: unknown) => (notes as { text: string }[]).map(({ text }) => text);
