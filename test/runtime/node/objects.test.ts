import { describe, expect, test } from "vitest";
import type { ObjectContext } from "../../../runtime/node/object-instance.ts";
import { held, Notes, textsOf, wasReset } from "./notes-object.ts";
import { ManualClock, settled, start, TestObject } from "./test-host.ts";

describe("calls to a Durable Object", () => {
  test("calls to a Durable Object copy arguments and return values", async () => {
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

  test("calls to a Durable Object copy arguments at the time of the call", async () => {
    const { host, call } = start(Notes);
    const values = [1];
    const answer = call("a", "mutate", values);
    values.push(5);
    expect(await answer).toEqual([1, 2]);
    await host.close();
  });

  test("calls to a Durable Object refuse functions as arguments", async () => {
    const { host, call } = start(Notes);
    await expect(call("a", "keep", () => 1)).rejects.toMatchObject({ name: "DataCloneError" });
    await host.close();
  });

  test("calls to a Durable Object reject with a plain copy of the error", async () => {
    const { host, call } = start(Notes);
    const error: unknown = await call("a", "fail").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "RangeError", message: "too far", overloaded: true, remote: true });
    expect(error).not.toBeInstanceOf(RangeError);
    expect(error).not.toHaveProperty("secret");
    expect(error).not.toHaveProperty("retryable");
    await host.close();
  });

  test("calls to a Durable Object reach one instance, even if many first calls are concurrent", async () => {
    const { host, call } = start(Notes);
    const numbers = await Promise.all(Array.from({ length: 20 }, () => call("a", "which")));
    expect(new Set(numbers).size).toBe(1);
    await host.close();
  });

  test("calls to a Durable Object can't use the name `then`, so that `await` doesn't take the object's stub for a promise", async () => {
    const { host, objects } = start(Notes);
    const stub = await objects.get(objects.idFromName("a"));
    expect(stub).not.toHaveProperty("then");
    expect(stub).toHaveProperty("list");
    await host.close();
  });

  test("calls to a Durable Object wait until blockConcurrencyWhile has ended, and then run in the order in which they were made", async () => {
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

describe("the reset of a Durable Object", () => {
  test("the reset of a Durable Object rejects all running calls, and the next call reaches a new instance", async () => {
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

  test("the reset of a Durable Object stops the code of the previous instance, which can't use its storage and bindings", async () => {
    let sent = 0;
    const { host, call } = start(Notes, { env: { OUT: { fetch: async () => (sent += 1) } } });
    const waiting = call("a", "waitAndUse").catch(() => {});
    await settled();
    await call("a", "abort").catch(() => {});
    await waiting;
    await call("a", "add", "of the next");
    held.release();
    await settled();
    // The code of the previous instance stops at its first call, whose promise never settles.
    expect(held.lateErrors.splice(0)).toEqual(["this instance of the object has ended"]);
    expect(sent).toBe(0);
    expect(textsOf(await call("a", "list"))).toEqual(["of the next"]);
    await host.close();
  });

  test("a Durable Object is reset if its constructor throws, until the constructor succeeds", async () => {
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

  test("a Durable Object is reset if blockConcurrencyWhile throws, and all waiting calls are rejected", async () => {
    let isBroken = true;
    class Moody extends TestObject {
      constructor(ctx: ObjectContext, env: Readonly<Record<string, unknown>>) {
        super(ctx, env);
        void ctx.blockConcurrencyWhile(async () => {
          await settled();
          if (isBroken) throw new Error("not ready");
        });
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

describe("closing a Durable Object", () => {
  test("a Durable Object is closed after a long idle time, unless it has work", async () => {
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
    held.release();
    await clock.advance(60_000);
    expect(await call("waiting", "which")).not.toBe(other);
    const rejected = expect(waiting).rejects.toMatchObject(wasReset);
    const closed = host.close(1_000);
    await clock.advance(1_000);
    await Promise.all([closed, rejected]);
  });

  test("the Durable Objects that have been idle longest are closed if more than the maximum are open", async () => {
    const { host, call } = start(Notes, { maxOpen: 2 });
    const [a, b] = [await call("a", "which"), await call("b", "which")];
    expect(await call("a", "which")).toBe(a);
    await call("c", "which");
    expect(await call("a", "which")).toBe(a);
    expect(await call("b", "which")).not.toBe(b);
    await host.close();
  });

  test("a Durable Object with work isn't closed, even if too many are open", async () => {
    const { host, call } = start(Notes, { maxOpen: 1 });
    const waiting = call("a", "wait");
    await call("b", "which");
    held.release();
    expect(await waiting).toBe(await call("a", "which"));
    await host.close();
  });

  test("the host of Durable Objects waits for running calls before it ends, and refuses new calls", async () => {
    const { host, call, query } = start(Notes);
    const waiting = call("a", "wait");
    await call("a", "add", "stored");
    const closed = host.close();
    await settled();
    held.release();
    await expect(waiting).resolves.toEqual(expect.any(Number));
    await closed;
    await expect(call("a", "which")).rejects.toMatchObject(wasReset);
    expect(textsOf(query("a", "select text from notes"))).toEqual(["stored"]);
  });
});
