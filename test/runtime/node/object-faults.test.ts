import { mkdirSync, renameSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { ObjectFaults } from "../../../runtime/node/object-faults.ts";
import { ObjectId } from "../../../runtime/node/object-id.ts";
import type { ObjectContext } from "../../../runtime/node/object-instance.ts";
import { ManualClock, type Started, start, TestObject } from "./test-host.ts";

const tryEveryMs = 250;
const steadyMs = 2_000;
const secondMs = 1_000;
const wasRefused = { retryable: true, overloaded: true };

/** The number of objects that were made, and of alarms that rang. */
const seen = { made: 0, rung: 0 };
/** Called at the end of the constructor. */
const atEnd = { run: (_: Shelf): void => {} };

class Shelf extends TestObject {
  constructor(ctx: ObjectContext, env: Readonly<Record<string, unknown>>) {
    super(ctx, env);
    seen.made += 1;
    ctx.storage.sql.exec("create table if not exists boxes (text text not null)");
    atEnd.run(this);
  }

  async add(text: string): Promise<void> {
    this.ctx.storage.sql.exec("insert into boxes values (?)", text);
  }

  /** Writes more than the file may have. The limit ends with the connection. */
  async overfill(): Promise<void> {
    this.fill();
  }

  fill(): void {
    this.ctx.storage.sql.exec("pragma max_page_count = 1");
    this.ctx.storage.sql.exec("insert into boxes values (?)", "x".repeat(100_000));
  }

  async texts(): Promise<unknown> {
    return this.ctx.storage.sql.exec("select text from boxes").toArray();
  }

  async wakeAt(at: number): Promise<void> {
    await this.ctx.storage.setAlarm(at);
  }

  async alarm(): Promise<void> {
    seen.rung += 1;
  }
}

function begin(options: { readonly idleMs?: number } = {}) {
  Object.assign(seen, { made: 0, rung: 0 });
  const clock = new ManualClock();
  const started = start(Shelf, { clock, ...options });
  return { ...started, clock, file: (name: string) => fileOf(started, name) };
}

const fileOf = ({ directory, objects }: Started, name: string) =>
  join(directory, "test", `${objects.idFromName(name)}.sqlite`);

test("a Durable Object whose disk is full is reset once, and refuses calls until it can write again", async () => {
  const { host, call, reports, clock } = begin();
  await call("a", "add", "stored");
  await expect(call("a", "overfill")).rejects.toMatchObject({ retryable: true, durableObjectReset: true });
  for (let i = 0; i < 20; i += 1) await expect(call("a", "add", "refused")).rejects.toMatchObject(wasRefused);
  expect(seen.made).toBe(1);
  await call("b", "add", "of another");
  expect(host.areFilesWritable).toBe(false);
  await clock.advance(tryEveryMs);
  expect(await call("a", "texts")).toEqual([{ text: "stored" }]);

  // Fails and works by turns, like a disk that is nearly full.
  await expect(call("a", "overfill")).rejects.toMatchObject({ retryable: true });
  await clock.advance(tryEveryMs + steadyMs - 1);
  expect(reports).toEqual([expect.stringMatching(/^object.storage_lost: Error: database or disk is full/)]);
  await clock.advance(1);
  expect(reports.slice(1)).toEqual(["object.storage_recovered: undefined"]);
  expect(host.areFilesWritable).toBe(true);
  await host.close();
});

test("Durable Objects whose files can't be opened are retried in turn, and run again without a call", async () => {
  const { host, call, reports, clock, file, objects } = begin();
  for (const name of ["a", "b"]) mkdirSync(file(name), { recursive: true });
  for (const name of ["a", "b", "a"]) await expect(call(name, "texts")).rejects.toThrow("unable to open database file");
  await clock.advance(60 * secondMs);
  expect([seen.made, reports.length]).toEqual([0, 1]);
  rmdirSync(file("b"));
  await clock.advance(2 * tryEveryMs);
  expect(seen.made).toBe(1);
  await clock.advance(steadyMs);
  expect(reports.slice(1)).toEqual(["object.storage_recovered: undefined"]);

  await expect(call("a", "texts")).rejects.toThrow("unable to open database file");
  rmdirSync(file("a"));
  await clock.advance(tryEveryMs);
  expect(await call("a", "texts")).toEqual([]);
  await clock.advance(steadyMs);
  expect(reports).toHaveLength(4);
  expect(objects.isAtRest).toBe(true);
  await host.close();
  expect(clock.timers).toBe(0);
});

test("a Durable Object that started again by itself is closed after its idle time", async () => {
  const { host, call, clock, file } = begin({ idleMs: 10 * secondMs });
  mkdirSync(file("a"), { recursive: true });
  await expect(call("a", "texts")).rejects.toThrow();
  rmdirSync(file("a"));
  await clock.advance(tryEveryMs + 10 * secondMs);
  await call("a", "texts");
  expect(seen.made).toBe(2);
  await host.close();
});

test("an alarm runs within seconds after an outage of its Durable Object's file", async () => {
  const { host, call, clock, file } = begin();
  await call("a", "wakeAt", clock.now() + secondMs);
  await call("a", "overfill").catch(() => {});
  renameSync(file("a"), `${file("a")}.moved`);
  mkdirSync(file("a"));
  await clock.advance(3_600 * secondMs);
  expect(seen.rung).toBe(0);
  rmdirSync(file("a"));
  renameSync(`${file("a")}.moved`, file("a"));
  await clock.advance(20 * secondMs);
  expect(seen.rung).toBe(1);
  await host.close();
});

test.each(["removed", "replaced", "unreachable"])(
  "a Durable Object whose file was %s confirms no write to the file",
  async (how) => {
    const { host, call, reports, clock, file } = begin();
    await call("a", "add", "first");
    renameSync(file("a"), `${file("a")}.moved`);
    if (how === "replaced") writeFileSync(file("a"), "");
    if (how === "unreachable") symlinkSync(file("a"), file("a"));
    await expect(call("a", "add", "second")).rejects.toMatchObject({ retryable: true });
    expect(reports).toEqual([expect.stringContaining("the file was moved, removed or replaced")]);
    renameSync(`${file("a")}.moved`, file("a"));
    await clock.advance(tryEveryMs);
    expect(await call("a", "texts")).toEqual([{ text: "first" }]);
    await host.close();
  },
);

const lost = expect.stringMatching(/^object.storage_lost: /);
const recovered = "object.storage_recovered: undefined";

test("a Durable Object whose file fails with one error code and then with another recovers from both outages", async () => {
  const { host, call, reports, clock, file } = begin();
  await call("a", "add", "stored");
  await call("a", "overfill").catch(() => {});
  renameSync(file("a"), `${file("a")}.moved`);
  mkdirSync(file("a"));
  await clock.advance(4 * tryEveryMs);
  expect(host.areFilesWritable).toBe(false);
  rmdirSync(file("a"));
  renameSync(`${file("a")}.moved`, file("a"));
  await clock.advance(tryEveryMs + steadyMs);
  expect(await call("a", "texts")).toEqual([{ text: "stored" }]);
  expect(reports).toEqual([lost, lost, recovered, recovered]);
  expect(host.areFilesWritable).toBe(true);
  await host.close();
});

test("a Durable Object is started again after an attempt that failed because its file was locked", async () => {
  const { host, call, reports, clock, file } = begin();
  await call("a", "add", "stored");
  await call("a", "overfill").catch(() => {});
  const other = new DatabaseSync(file("a"));
  other.exec("begin immediate");
  await clock.advance(4 * tryEveryMs);
  await expect(call("a", "texts")).rejects.toThrow("database is locked");
  other.exec("rollback");
  other.close();
  await clock.advance(tryEveryMs + steadyMs);
  expect(await call("a", "texts")).toEqual([{ text: "stored" }]);
  expect(reports).toEqual([lost, "object.not_opened: Error: database is locked", recovered]);
  expect(host.areFilesWritable).toBe(true);
  await host.close();
});

test("calls to a Durable Object whose disk was full are refused until its constructor can write, too", async () => {
  const { host, call, clock } = begin();
  await call("a", "overfill").catch(() => {});
  atEnd.run = (shelf) => shelf.fill();
  await clock.advance(4 * tryEveryMs);
  expect(seen.made).toBe(5);
  await expect(call("a", "texts")).rejects.toMatchObject(wasRefused);
  await clock.advance(2 * steadyMs);
  expect(host.areFilesWritable).toBe(false);
  atEnd.run = () => {};
  await clock.advance(tryEveryMs + steadyMs);
  expect(await call("a", "texts")).toEqual([]);
  expect(host.areFilesWritable).toBe(true);
  await host.close();
});

test("a Durable Object is started again even if 1,000 other objects failed after it with another error code", async () => {
  const clock = new ManualClock();
  const tried: string[] = [];
  const faults = new ObjectFaults({
    clock,
    report: () => {},
    fileOf: String,
    start: (id) => void tried.push(`${id}`),
  });
  const ids = Array.from({ length: 1_002 }, (_, i) => new ObjectId(`${i}`, undefined));
  for (const [i, id] of ids.entries())
    faults.add(id, Object.assign(new Error("failed"), { errcode: i === 0 ? 13 : 10 }));
  await clock.advance(tryEveryMs);
  expect(tried.sort()).toEqual(["0", "3"]);
  await clock.advance(steadyMs);
  expect(faults.areNone).toBe(true);
});

test("each Durable Object's file that isn't a database is reported, and the object works again after its file is restored", async () => {
  const { host, call, reports, clock, file } = begin();
  for (const name of ["a", "b"]) {
    writeFileSync(file(name), "no database".repeat(1_000));
    await expect(call(name, "texts")).rejects.toThrow("not a database");
  }
  writeFileSync(file("b"), "");
  await clock.advance(2 * tryEveryMs + steadyMs);
  expect(reports).toEqual([lost, lost, recovered]);
  expect(await call("b", "texts")).toEqual([]);
  await expect(call("a", "texts")).rejects.toThrow("not a database");
  expect(host.areFilesWritable).toBe(false);
  await host.close();
});
