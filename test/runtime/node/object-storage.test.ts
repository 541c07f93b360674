import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ObjectId } from "../../../runtime/node/object-id.ts";
import { Notes, textsOf, wasReset } from "./notes-object.ts";
import { start, TestObject } from "./test-host.ts";

describe("the storage of a Durable Object", () => {
  test("the storage of a Durable Object derives the ids of objects as workerd does", () => {
    const id = ObjectId.fromName("tributary-Ledger", "ledger-v1");
    expect(String(id)).toBe("20435594fc3cb115fdae5aa14d83a75c89dfe3c74ff0eeb165291a0970a877b6");
    expect(id.name).toBe("ledger-v1");
    expect(id.equals(ObjectId.fromName("tributary-Ledger", "ledger-v1"))).toBe(true);
    expect(id.equals(ObjectId.fromName("tributary-Deliverer", "ledger-v1"))).toBe(false);
  });

  test("the storage of a Durable Object keeps rows and values across a restart", async () => {
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

  test("the storage of a Durable Object commits writes as one transaction if the object's code doesn't wait for I/O between them", async () => {
    const { host, call } = start(Notes);
    await call("a", "addFamily");
    expect(await call("a", "read", "child")).toBe(7);
    await host.close();
  });

  test("the storage of a Durable Object returns one row, and throws if there are none or several", async () => {
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

describe("the output gate, which delays output until writes are stored", () => {
  test.each([
    ["a binding's call", ["addAndFetch", "noted"]],
    ["another object", ["addAndAsk", "noted", "b"]],
  ] as const)("the output gate stores a Durable Object's writes before %s", async (_, [method, ...args]) => {
    const look = () => started.query("a", "select text from notes");
    const started = start(Notes, { env: { OUT: { fetch: async () => look() } } });
    Reflect.set(globalThis, "lookOutside", look);
    expect(textsOf(await started.call("a", method, ...args))).toEqual(["noted"]);
    await started.host.close();
  });

  test("the output gate stores a Durable Object's writes before it sends the return value", async () => {
    const { host, call, query } = start(Notes);
    const seen = call("a", "add", "answered").then(() => query("a", "select text from notes"));
    expect(textsOf(await seen)).toEqual(["answered"]);
    await host.close();
  });

  test("the output gate stores a Durable Object's writes before it throws an error to the caller", async () => {
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

  test.each([false, true])(
    "the output gate resets a Durable Object whose commit fails, without output (object calls a binding: %s)",
    async (isSent) => {
      let sent = 0;
      const { host, call, reports } = start(Notes, { env: { OUT: { fetch: async () => (sent += 1) } } });
      const before = await call("a", "add", "earlier");
      await expect(call("a", "addOrphan", isSent)).rejects.toMatchObject(wasReset);
      expect(sent).toBe(0);
      expect(textsOf(await call("a", "list"))).toEqual(["earlier"]);
      expect(await call("a", "which")).not.toBe(before);
      expect(reports).toEqual([expect.stringContaining("object.reset: Error: FOREIGN KEY constraint failed")]);
      await host.close();
    },
  );

  test("the output gate leaves bindings that are texts or data unchanged", async () => {
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
