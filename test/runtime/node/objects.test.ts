import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { leaveObject } from "../../../runtime/node/object-gate.ts";
import { ObjectId } from "../../../runtime/node/object-id.ts";
import type { ObjectContext } from "../../../runtime/node/object-instance.ts";
import { ManualClock, settled, start, TestObject } from "./test-host.ts";

const wasReset = { retryable: true, durableObjectReset: true, remote: true };

let made = 0;
let release: () => void = () => {};

class Notes extends TestObject {
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

  async addAndLeave(text: string): Promise<unknown> {
    this.#insert(text);
    leaveObject();
    return Reflect.apply(Reflect.get(globalThis, "lookOutside"), undefined, []);
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
      release = resolve;
    });
    return this.number;
  }

  async waitAndUse(): Promise<void> {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    for (const use of [() => this.#insert("too late"), () => this.fetch(), () => this.ctx.storage.put("late", 1)]) {
      await Promise.resolve()
        .then(use)
        .catch((error: Error) => lateErrors.push(error.message));
    }
  }

  async later(): Promise<void> {
    this.ctx.waitUntil(
      new Promise<void>((resolve) => {
        release = resolve;
      }),
    );
  }

  async abort(): Promise<void> {
    this.#insert("never stored");
    this.ctx.abort(new Error("the fence is lost"));
  }

  // biome-ignore lint/suspicious/noThenProperty: it must not make a stub a promise.
  async then(): Promise<void> {}
}

const lateErrors: string[] = [];
const textsOf = (notes: unknown) => (notes as { text: string }[]).map(({ text }) => text);

describe("storage", () => {
  test("derives the ids of objects as workerd does", () => {
    const id = ObjectId.fromName("tributary-Ledger", "ledger-v1");
    expect(String(id)).toBe("20435594fc3cb115fdae5aa14d83a75c89dfe3c74ff0eeb165291a0970a877b6");
    expect(id.name).toBe("ledger-v1");
    expect(id.equals(ObjectId.fromName("tributary-Ledger", "ledger-v1"))).toBe(true);
    expect(id.equals(ObjectId.fromName("tributary-Deliverer", "ledger-v1"))).toBe(false);
  });

  test("keeps rows and values over a restart", async () => {
    const first = start(Notes);
    const value = { shard: 3, name: "é", at: new Date(5), bytes: new Uint8Array([1, 2]) };
    await first.call("a", "add", "kept");
    await first.call("a", "put", "place", value);
    await first.host.close();
    const second = start(Notes, { directory: first.directory });
    expect(textsOf(await second.call("a", "list"))).toEqual(["kept"]);
    expect(await second.call("a", "read", "place")).toEqual(value);
    expect(await second.call("a", "read", "nothing")).toBeUndefined();
    expect(await second.call("b", "list")).toEqual([]);
    await second.host.close();
    expect(readdirSync(join(first.directory, "test")).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
  });

  test("commits what is written until all that is ready has run as one transaction", async () => {
    const { host, call } = start(Notes);
    await call("a", "addFamily");
    expect(await call("a", "read", "child")).toBe(7);
    await host.close();
  });

  test("tells one row from none and several", async () => {
    class Rows extends TestObject {
      async one(sql: string): Promise<unknown> {
        return this.ctx.storage.sql.exec(sql).one();
      }

      async each(): Promise<unknown> {
        return [...this.ctx.storage.sql.exec("select ? as n union all select 2", 1)];
      }
    }
    const { host, call } = start(Rows);
    expect(await call("a", "one", "create table t (a); insert into t values (4); select a from t; ")).toEqual({ a: 4 });
    await expect(call("a", "one", "select a from t where a = 5")).rejects.toThrow("there are 0");
    await expect(call("a", "one", "select 1 union select 2")).rejects.toThrow("there are 2");
    expect(await call("a", "each")).toEqual([{ n: 1 }, { n: 2 }]);
    await host.close();
  });
});

describe("the gate", () => {
  test.each([
    ["a binding's call", ["addAndFetch", "noted"]],
    ["what is reached without a binding", ["addAndLeave", "noted"]],
    ["another object", ["addAndAsk", "noted", "b"]],
  ] as const)("stores what an object wrote before %s", async (_, [method, ...args]) => {
    const look = () => started.query("a", "select text from notes");
    const started = start(Notes, { env: { OUT: { fetch: async () => look() } } });
    Reflect.set(globalThis, "lookOutside", look);
    expect(textsOf(await started.call("a", method, ...args))).toEqual(["noted"]);
    await started.host.close();
  });

  test("stores what an object wrote before the answer", async () => {
    const { host, call, query } = start(Notes);
    const seen = call("a", "add", "answered").then(() => query("a", "select text from notes"));
    expect(textsOf(await seen)).toEqual(["answered"]);
    await host.close();
  });

  test("stores what an object wrote before its error", async () => {
    class Failing extends TestObject {
      async write(): Promise<void> {
        this.ctx.storage.sql.exec("create table t (a)");
        throw new Error("afterwards");
      }
    }
    const { host, call, query } = start(Failing);
    const tables = call("a", "write").catch(() => query("a", "select name from sqlite_master"));
    expect(await tables).toMatchObject([{ name: "t" }]);
    await host.close();
  });

  test.each([false, true])("resets an object whose commit fails, before it calls out: %s", async (isSent) => {
    let sent = 0;
    const { host, call, reports } = start(Notes, { env: { OUT: { fetch: async () => (sent += 1) } } });
    const before = await call("a", "add", "earlier");
    await expect(call("a", "addOrphan", isSent)).rejects.toMatchObject(wasReset);
    expect(sent).toBe(0);
    expect(textsOf(await call("a", "list"))).toEqual(["earlier"]);
    expect(await call("a", "which")).not.toBe(before);
    expect(reports).toEqual([expect.stringContaining("object.reset: Error: FOREIGN KEY constraint failed")]);
    await host.close();
  });

  test("leaves texts and data of the bindings as they are", async () => {
    class Bound extends TestObject {
      async look(): Promise<unknown> {
        const { TEXT, DATA } = this.env;
        return { TEXT, DATA };
      }
    }
    const env = { TEXT: "on", DATA: { files: { "/a": { rules: [1] } } } };
    const { host, call } = start(Bound, { env });
    expect(await call("a", "look")).toEqual(env);
    await host.close();
  });
});

describe("calls", () => {
  test("share no argument and no answer with the caller", async () => {
    const { host, call } = start(Notes);
    const values = [1];
    expect(await call("a", "mutate", values)).toEqual([1, 2]);
    expect(values).toEqual([1]);
    const kept = { list: [1] };
    await call("a", "keep", kept);
    kept.list.push(9);
    const first = (await call("a", "keptValue")) as typeof kept;
    expect(first).toEqual({ list: [1] });
    first.list.push(8);
    expect(await call("a", "keptValue")).toEqual({ list: [1] });
    await host.close();
  });

  test("pass what an argument is when they are made", async () => {
    const { host, call } = start(Notes);
    const values = [1];
    const answer = call("a", "mutate", values);
    values.push(5);
    expect(await answer).toEqual([1, 2]);
    await host.close();
  });

  test("refuse functions", async () => {
    const { host, call } = start(Notes);
    await expect(call("a", "keep", () => 1)).rejects.toMatchObject({ name: "DataCloneError" });
    await host.close();
  });

  test("reject with a plain copy of the error", async () => {
    const { host, call } = start(Notes);
    const error: unknown = await call("a", "fail").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "RangeError", message: "too far", overloaded: true, remote: true });
    expect(error).not.toBeInstanceOf(RangeError);
    expect(error).not.toHaveProperty("secret");
    expect(error).not.toHaveProperty("retryable");
    await host.close();
  });

  test("reach one instance, however many come first", async () => {
    const { host, call } = start(Notes);
    const numbers = await Promise.all(Array.from({ length: 20 }, () => call("a", "which")));
    expect(new Set(numbers).size).toBe(1);
    await host.close();
  });

  test("reach no method by the name of a promise's", async () => {
    const { host, objects } = start(Notes);
    const stub = await objects.get(objects.idFromName("a"));
    expect(stub).not.toHaveProperty("then");
    expect(stub).toHaveProperty("list");
    await host.close();
  });

  test("wait for what blocks them, and run in their order", async () => {
    const steps: string[] = [];
    class Blocking extends TestObject {
      constructor(ctx: ObjectContext, env: Readonly<Record<string, unknown>>) {
        super(ctx, env);
        void ctx.blockConcurrencyWhile(async () => {
          await settled();
          steps.push("ready");
        });
      }

      async step(name: string): Promise<void> {
        steps.push(name);
      }
    }
    const { host, call } = start(Blocking);
    await Promise.all([call("a", "step", "first"), call("a", "step", "second")]);
    expect(steps).toEqual(["ready", "first", "second"]);
    await host.close();
  });
});

describe("a reset", () => {
  test("rejects all callers, and lets the next one reach a new instance", async () => {
    const { host, call } = start(Notes);
    const waiting = call("a", "wait");
    const before = await call("a", "which");
    const aborted = call("a", "abort");
    await expect(aborted).rejects.toMatchObject({ ...wasReset, message: "the fence is lost" });
    await expect(waiting).rejects.toMatchObject(wasReset);
    expect(await call("a", "which")).not.toBe(before);
    expect(await call("a", "list")).toEqual([]);
    await host.close();
  });

  test("leaves the instance before without storage and bindings", async () => {
    let sent = 0;
    const { host, call } = start(Notes, { env: { OUT: { fetch: async () => (sent += 1) } } });
    const waiting = call("a", "waitAndUse").catch(() => {});
    await settled();
    await call("a", "abort").catch(() => {});
    await waiting;
    await call("a", "add", "of the next");
    release();
    await settled();
    expect(lateErrors.splice(0)).toHaveLength(3);
    expect(sent).toBe(0);
    expect(textsOf(await call("a", "list"))).toEqual(["of the next"]);
    await host.close();
  });

  test("follows a constructor that throws, until one doesn't", async () => {
    let isBroken = true;
    class Moody extends TestObject {
      constructor(ctx: ObjectContext, env: Readonly<Record<string, unknown>>) {
        super(ctx, env);
        if (isBroken) throw new Error("no keys");
      }

      async ping(): Promise<string> {
        return "pong";
      }
    }
    const { host, call } = start(Moody);
    await expect(call("a", "ping")).rejects.toMatchObject({ ...wasReset, message: "no keys" });
    isBroken = false;
    expect(await call("a", "ping")).toBe("pong");
    await host.close();
  });

  test("follows a block that throws, for all who wait", async () => {
    let isBroken = true;
    class Moody extends TestObject {
      constructor(ctx: ObjectContext, env: Readonly<Record<string, unknown>>) {
        super(ctx, env);
        ctx
          .blockConcurrencyWhile(async () => {
            await settled();
            if (isBroken) throw new Error("not ready");
          })
          .catch(() => {});
      }

      async ping(): Promise<string> {
        return "pong";
      }
    }
    const { host, call } = start(Moody);
    const calls = await Promise.allSettled([call("a", "ping"), call("a", "ping")]);
    for (const each of calls) expect(each).toMatchObject({ status: "rejected", reason: { message: "not ready" } });
    isBroken = false;
    expect(await call("a", "ping")).toBe("pong");
    await host.close();
  });
});

describe("an end", () => {
  test("comes to an object at rest for long, and not to one with work", async () => {
    const clock = new ManualClock();
    const { host, call } = start(Notes, { clock, idleMs: 10_000 });
    const first = await call("a", "which");
    const waiting = call("busy", "wait");
    await call("waiting", "later");
    const other = await call("waiting", "which");
    await clock.advance(9_999);
    expect(await call("a", "which")).toBe(first);
    await clock.advance(9_999);
    expect(await call("a", "which")).toBe(first);
    await clock.advance(10_000);
    expect(await call("a", "which")).not.toBe(first);
    expect(await call("waiting", "which")).toBe(other);
    release();
    await clock.advance(60_000);
    expect(await call("waiting", "which")).not.toBe(other);
    const rejected = expect(waiting).rejects.toMatchObject(wasReset);
    const closed = host.close(1_000);
    await clock.advance(1_000);
    await Promise.all([closed, rejected]);
  });

  test("comes to those called longest ago beyond as many as may be open", async () => {
    const { host, call } = start(Notes, { maxOpen: 2 });
    const [a, b] = [await call("a", "which"), await call("b", "which")];
    expect(await call("a", "which")).toBe(a);
    await call("c", "which");
    expect(await call("a", "which")).toBe(a);
    expect(await call("b", "which")).not.toBe(b);
    await host.close();
  });

  test("doesn't come to one with work, even if too many are open", async () => {
    const { host, call } = start(Notes, { maxOpen: 1 });
    const waiting = call("a", "wait");
    await call("b", "which");
    release();
    expect(await waiting).toBe(await call("a", "which"));
    await host.close();
  });

  test("of the host waits for calls under way, and then takes none", async () => {
    const { host, call, query } = start(Notes);
    const waiting = call("a", "wait");
    await call("a", "add", "stored");
    const closed = host.close();
    await settled();
    release();
    await expect(waiting).resolves.toEqual(expect.any(Number));
    await closed;
    await expect(call("a", "which")).rejects.toMatchObject(wasReset);
    expect(textsOf(query("a", "select text from notes"))).toEqual(["stored"]);
  });
});
