import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, test } from "vitest";
import { ManualClock, newDirectory, query, type Started, start, TestObject } from "./test-host.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

interface Rung {
  readonly at: number;
  readonly name: string | undefined;
  readonly alarm: number | null;
}

let clock = new ManualClock();
let rung: Rung[] = [];
/** Called by the alarm's handler. */
let handle: (object: Ringing) => Promise<void> | void = () => {};

beforeEach(() => {
  clock = new ManualClock();
});

class Ringing extends TestObject {
  async set(at: number): Promise<void> {
    await this.ctx.storage.setAlarm(at);
  }

  async remove(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
  }

  async when(): Promise<number | null> {
    return this.ctx.storage.getAlarm();
  }

  async abort(): Promise<void> {
    this.ctx.abort("asked to");
  }

  async alarm(): Promise<void> {
    rung.push({ at: clock.now(), name: this.ctx.id.name, alarm: await this.ctx.storage.getAlarm() });
    await handle(this);
  }
}

function begin(directory = newDirectory(), doing: typeof handle = () => {}): Started & { readonly now: number } {
  rung = [];
  handle = doing;
  return Object.assign(start(Ringing, { clock, directory }), { now: clock.now() });
}

const timesSince = (now: number) => rung.map(({ at }) => at - now);
const stored = ({ directory }: Started) =>
  query(
    join(directory, "test", "metadata.sqlite"),
    "select actor_name as name, scheduled_time / 1000000 as at from _cf_ALARM",
  );

test("a Durable Object's alarm runs once, at its time, and is removed while its handler runs", async () => {
  const started = begin();
  await started.call("a", "set", started.now + 5_000);
  expect(await started.call("a", "when")).toBe(started.now + 5_000);
  await clock.advance(4_999);
  expect(rung).toEqual([]);
  await clock.advance(hourMs);
  expect(rung).toEqual([{ at: started.now + 5_000, name: "a", alarm: null }]);
  expect(await started.call("a", "when")).toBeNull();
  expect(stored(started)).toEqual([]);
  await started.host.close();
});

test("a Durable Object's alarm that is changed or deleted runs at its last set time, or not at all", async () => {
  const started = begin();
  const { call, now } = started;
  await call("earlier", "set", now + 9_000);
  await call("earlier", "set", now + 1_000);
  await call("later", "set", now + 1_000);
  await call("later", "set", now + 2_000);
  await call("never", "set", now + 1_000);
  await call("never", "remove");
  await clock.advance(hourMs);
  expect(rung.map(({ name, at }) => [name, at - now])).toEqual([
    ["earlier", 1_000],
    ["later", 2_000],
  ]);
  await started.host.close();
});

test("an alarm in 100 days runs on time, although Node's timers are limited to 24 days", async () => {
  const started = begin();
  await started.call("a", "set", started.now + 100 * dayMs);
  await clock.advance(hourMs);
  clock.jump(99 * dayMs);
  await clock.advance(dayMs - 2 * hourMs);
  expect(rung).toEqual([]);
  await clock.advance(hourMs);
  expect(timesSince(started.now)).toEqual([100 * dayMs]);
  expect(clock.longestDelayMs).toBeLessThan(2 ** 31);
  await started.host.close();
});

test("a clock that jumps delays an alarm by at most a minute", async () => {
  const started = begin();
  await started.call("a", "set", started.now + dayMs);
  clock.jump(2 * dayMs);
  await clock.advance(60_000);
  expect(timesSince(started.now)).toEqual([2 * dayMs + 60_000]);
  clock.jump(-dayMs);
  await started.call("a", "set", clock.now() + 1_000);
  await clock.advance(60_000);
  expect(rung).toHaveLength(2);
  await started.host.close();
});

test.each([60_000, dayMs, 365 * dayMs])(
  "a clock that is set back by %i ms delays an alarm by at most a minute",
  async (ms) => {
    const started = begin();
    await started.call("a", "set", clock.now() + 5_000);
    clock.jump(-ms);
    await clock.advance(65_000);
    expect(rung).toHaveLength(1);
    await started.call("b", "set", clock.now() + hourMs);
    await clock.advance(hourMs - 1);
    expect(rung).toHaveLength(1);
    await clock.advance(1);
    expect(rung).toHaveLength(2);
    await started.host.close();
  },
);

test("an alarm set after a clock change doesn't wait for a timer that was set before the change", async () => {
  const started = begin();
  await started.call("later", "set", started.now + 365 * dayMs);
  for (const ms of [-dayMs, dayMs]) {
    clock.jump(ms);
    await started.call("now", "set", clock.now());
    await clock.advance(0);
  }
  expect(rung.map(({ name }) => name)).toEqual(["now", "now"]);
  await started.host.close();
});

test("an alarm set while the clock is a year ahead runs after the same elapsed time", async () => {
  const started = begin();
  await started.call("before", "set", started.now + hourMs);
  clock.jump(365 * dayMs);
  await clock.advance(60_000);
  expect(rung.map(({ name }) => name)).toEqual(["before"]);
  await started.call("ahead", "set", clock.now() + hourMs);
  await clock.advance(hourMs / 2);
  clock.jump(-365 * dayMs);
  await clock.advance(hourMs / 2 - 1);
  expect(rung).toHaveLength(1);
  await clock.advance(1);
  expect(rung.map(({ name }) => name)).toEqual(["before", "ahead"]);
  await clock.advance(2 * hourMs);
  expect(rung).toHaveLength(2);
  await started.host.close();
});

test("an alarm handler that throws is retried six times, after doubling intervals", async () => {
  const started = begin(undefined, () => {
    throw new Error("no luck");
  });
  await started.call("a", "set", started.now + 1_000);
  await clock.advance(hourMs);
  expect(timesSince(started.now)).toEqual([1, 3, 7, 15, 31, 63, 127].map((seconds) => seconds * 1_000));
  expect(started.reports.filter((line) => line.includes("no luck"))).toHaveLength(7);
  expect(await started.call("a", "when")).toBeNull();
  expect(stored(started)).toEqual([]);
  await started.host.close();
});

test("an alarm whose handler threw is set again until the handler is retried", async () => {
  let isFaulty = true;
  const started = begin(undefined, () => {
    if (isFaulty) throw new Error("no luck");
  });
  await started.call("a", "set", started.now + 1_000);
  await clock.advance(1_000);
  expect(await started.call("a", "when")).toBe(started.now + 1_000);
  isFaulty = false;
  await clock.advance(hourMs);
  expect(timesSince(started.now)).toEqual([1_000, 3_000]);
  expect(await started.call("a", "when")).toBeNull();
  await started.host.close();
});

test.each([false, true])(
  "an alarm that a handler sets while it runs is the next to run (handler throws: %s)",
  async (isThrown) => {
    const started = begin(undefined, async (object) => {
      if (rung.length > 1) return;
      await object.set(started.now + 50_000);
      if (isThrown) throw new Error("afterwards");
    });
    await started.call("a", "set", started.now + 1_000);
    await clock.advance(hourMs);
    expect(timesSince(started.now)).toEqual([1_000, 50_000]);
    await started.host.close();
  },
);

test("a Durable Object's alarm that becomes due while its handler runs waits for the handler to end", async () => {
  let [running, most] = [0, 0];
  const releases: (() => void)[] = [];
  const started = begin(undefined, async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => releases.push(resolve));
    running -= 1;
  });
  await started.call("a", "set", started.now);
  await clock.advance(1_000);
  await started.call("a", "set", started.now + 2_000);
  await clock.advance(10_000);
  expect(rung).toHaveLength(1);
  releases.pop()?.();
  await clock.advance(1_000);
  expect(rung).toHaveLength(2);
  releases.pop()?.();
  await clock.advance(hourMs);
  expect([rung.length, most]).toEqual([2, 1]);
  await started.host.close();
});

test("an alarm runs again if its Durable Object is reset while its handler runs", async () => {
  const started = begin(undefined, async (object) => {
    if (rung.length === 1) await object.abort();
  });
  await started.call("a", "set", started.now);
  await clock.advance(hourMs);
  expect(timesSince(started.now)).toEqual([0, 2_000]);
  await started.host.close();
});

test("alarms survive a restart, and open no Durable Object before its alarm is due", async () => {
  const first = begin();
  await first.call("a", "set", first.now + 5_000);
  await first.call("b", "set", first.now + dayMs);
  await first.host.close();
  await clock.advance(60_000);
  expect(rung).toEqual([]);
  const second = begin(first.directory);
  await clock.advance(0);
  expect(rung).toEqual([{ at: second.now, name: "a", alarm: null }]);
  const file = (name: string) => join(first.directory, "test", `${second.objects.idFromName(name)}.sqlite-wal`);
  expect([existsSync(file("a")), existsSync(file("b"))]).toEqual([true, false]);
  expect(stored(second)).toEqual([{ name: "b", at: first.now + dayMs }]);
  await second.host.close();
});

test("alarms of Durable Objects don't run before the host starts, or after it ends", async () => {
  const started = begin();
  await started.call("a", "set", started.now + 5_000);
  await started.host.close();
  expect(clock.timers).toBe(0);
  await clock.advance(hourMs);
  expect(rung).toEqual([]);
});

test("an alarm whose handler runs when the host ends runs again at the next start", async () => {
  const started = begin(undefined, () => new Promise(() => {}));
  await started.call("a", "set", started.now);
  await clock.advance(0);
  expect(rung).toHaveLength(1);
  const closed = started.host.close(1_000);
  await clock.advance(1_000);
  await closed;
  const second = begin(started.directory);
  await clock.advance(0);
  expect(rung).toHaveLength(1);
  await second.host.close();
});

test.each([
  ["earlier than the object's own file has", 1_000, [5_000]],
  ["without an alarm in the object's own file", 1_000, []],
] as const)("an alarm time in the file of the object's class %s runs no alarm", async (which, early, expected) => {
  const directory = newDirectory();
  const first = begin(directory);
  const at = first.now + 5_000;
  await first.call("a", "set", at);
  const id = String(first.objects.idFromName("a"));
  await first.host.close();
  const change = (file: string, sql: string) => {
    const db = new DatabaseSync(join(directory, "test", file));
    db.exec(sql);
    db.close();
  };
  change("metadata.sqlite", `update _cf_ALARM set scheduled_time = scheduled_time - ${5_000 - early} * 1000000`);
  if (which.startsWith("without")) change(`${id}.sqlite`, "update _cf_METADATA set value = null");
  const second = begin(directory);
  await clock.advance(early);
  expect(rung).toEqual([]);
  expect(stored(second)).toEqual(expected.length === 0 ? [] : [{ name: "a", at }]);
  await clock.advance(hourMs);
  expect(timesSince(first.now)).toEqual(expected);
  await second.host.close();
});

test("a Durable Object whose new alarm time can't be stored is reset, and keeps its former alarm time", async () => {
  const started = begin();
  await started.call("a", "set", started.now + hourMs);
  const blocker = new DatabaseSync(join(started.directory, "test", "metadata.sqlite"));
  blocker.exec("begin immediate");
  await expect(started.call("a", "set", started.now + 1_000)).rejects.toMatchObject({ retryable: true });
  blocker.exec("rollback");
  blocker.close();
  expect(await started.call("a", "when")).toBe(started.now + hourMs);
  await clock.advance(60_000);
  expect(rung).toEqual([]);
  await started.host.close();
});
