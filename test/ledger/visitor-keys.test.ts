import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, test } from "vitest";
import type { ProgramId } from "#domain/ids.ts";
import { VisitorKeys } from "#ledger/visitor-keys.ts";
import { startDatabase } from "../../harness/database.ts";
import { removeVisitorKeys } from "../../scripts/backup/snapshot.ts";
import { memoryStorage } from "../../scripts/sample/node-ledger.ts";
import { ownLedger } from "../support/own-ledger.ts";

const noon = Date.parse("2026-03-10T12:00:00Z");
const [dayBefore, yesterday, today, tomorrow] = ["2026-03-08", "2026-03-09", "2026-03-10", "2026-03-11"];
const endOf = (day: string) => Date.parse(`${day}T00:00:00Z`) + 86_400_000;

/** Opens keys with a clock that the test sets. `start` opens them again on the same storage. */
function openKeys(file?: string) {
  const sql = memoryStorage(file);
  const clock = { at: noon, now: () => clock.at };
  const armed: number[] = [];
  const faults: string[] = [];
  let made = 0;
  const start = () =>
    new VisitorKeys({
      sql,
      clock,
      newKey: () => {
        made += 1;
        return `key ${made}`;
      },
      onCreated: (expiresAt) => armed.push(expiresAt),
      report: (event) => faults.push(event),
    });
  const stored = () =>
    sql.exec<{ day: string; key: string }>("select day, key from visitor_keys order by day").toArray();
  return { start, stored, sql, clock, armed, faults };
}

describe("a day's key for visitor digests", () => {
  it("a day's key for visitor digests is generated once, on first use, and stored before it is used", () => {
    const { start, stored } = openKeys();
    const keys = start();
    expect(stored()).toEqual([]);
    expect([keys.of(today), keys.of(today), keys.of(yesterday), keys.of(today)]).toEqual([
      ...["key 1", "key 1", "key 2", "key 1"],
    ]);
    expect(stored()).toEqual([
      { day: yesterday, key: "key 2" },
      { day: today, key: "key 1" },
    ]);
  });

  it("a day's key for visitor digests survives a restart of the Ledger", () => {
    const { start } = openKeys();
    const key = start().of(today);
    expect(start().of(today)).toBe(key);
  });

  it("keys for visitor digests exist for yesterday, today and, because clocks differ, tomorrow, and for no other day", () => {
    const keys = openKeys().start();
    expect([yesterday, today, tomorrow].map((day) => keys.of(day) !== undefined)).toEqual([true, true, true]);
    expect([keys.of(dayBefore), keys.of("2026-03-12")]).toEqual([undefined, undefined]);
  });

  it("a day's key for visitor digests expires at the end of the next day, to the millisecond, and isn't generated again", () => {
    const { start, stored, clock } = openKeys();
    const keys = start();
    const key = keys.of(today);
    clock.at = endOf(tomorrow) - 1;
    expect(keys.of(today)).toBe(key);
    clock.at = endOf(tomorrow);
    expect(keys.of(today)).toBeUndefined();
    expect(stored()).toEqual([]);
  });

  it("a day's key for visitor digests is deleted by maintenance and at startup, even after a long time without use", () => {
    const { start, stored, clock, armed } = openKeys();
    const keys = start();
    keys.of(yesterday);
    keys.of(today);
    expect(armed).toEqual([endOf(today), endOf(tomorrow)]);
    expect(keys.deleteExpired()).toBe(endOf(today));
    clock.at = endOf(today);
    expect(keys.deleteExpired()).toBe(endOf(tomorrow));
    expect(stored()).toMatchObject([{ day: today }]);
    clock.at += 7 * 86_400_000;
    expect(start().deleteExpired()).toBeUndefined();
    expect(stored()).toEqual([]);
  });
});

describe("a key for visitor digests when the Ledger's storage fails", () => {
  /** Statements that start with this word fail until `heal` is called. */
  const broken = (start: "insert" | "update") => {
    const keys = openKeys();
    const { exec } = keys.sql;
    let isBroken = true;
    keys.sql.exec = (query, ...bindings) => {
      if (isBroken && query.startsWith(start)) throw new Error("no room");
      return exec(query, ...bindings);
    };
    const heal = () => {
      isBroken = false;
    };
    return { ...keys, heal };
  };

  it("a key for visitor digests that can't be stored stays in use until the Ledger restarts, so that a visitor's clicks count as one visitor's", () => {
    const { start, stored, faults } = broken("insert");
    const keys = start();
    expect([keys.of(today), keys.of(today)]).toEqual(["key 1", "key 1"]);
    expect(start().of(today)).toBe("key 2");
    expect(stored()).toEqual([]);
    expect(faults).toEqual(["ledger.visitor_key_not_stored", "ledger.visitor_key_not_stored"]);
  });

  it("a key for visitor digests isn't used after it has expired, and a failed deletion of the key is retried within a minute", () => {
    const { start, stored, faults, clock, heal } = broken("update");
    start().of(today);
    clock.at = endOf(tomorrow);
    const keys = start();
    heal();
    expect(keys.of(today)).toBeUndefined();
    expect(keys.deleteExpired()).toBe(endOf(tomorrow) + 60_000);
    expect(stored()).toHaveLength(1);
    expect(faults).toEqual(["ledger.visitor_key_not_deleted"]);
    clock.at += 60_000;
    expect(keys.deleteExpired()).toBeUndefined();
    expect(stored()).toEqual([]);
  });
});

test("a backup of a shard contains no key for visitor digests, not even one of a program that was migrated to the shard", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tributary-keys-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "storage.sqlite");
  openKeys(file)
    .start()
    .adopt(1 as ProgramId, { [today]: "adopted key" });
  const contains = async (text: string) => (await readFile(file)).includes(text);
  expect([await contains("key 1"), await contains("adopted key")]).toEqual([true, true]);
  removeVisitorKeys(file);
  expect([await contains("key 1"), await contains("adopted key")]).toEqual([false, false]);
});

describe("maintenance of the keys for visitor digests", () => {
  const maintenanceOf = (databaseUrl: string) => {
    const clock = { at: noon, now: () => clock.at, sleep: async () => {}, random: () => 0.5 };
    const { loop, visitorKeys } = ownLedger(databaseUrl, clock);
    return { loop, visitorKeys, clock };
  };

  it("maintenance of the keys for visitor digests runs when a key expires, and deletes the key", async () => {
    const server = await startDatabase();
    onTestFinished(server.dispose);
    const { loop, visitorKeys, clock } = maintenanceOf(server.url);
    expect(await loop.maintain()).toBeUndefined();
    visitorKeys.of(today);
    expect(await loop.maintain()).toBe(endOf(tomorrow));
    clock.at = endOf(tomorrow);
    expect(await loop.maintain()).toBeUndefined();
  });

  it("maintenance of the keys for visitor digests deletes an expired key even if the database is unreachable", async () => {
    const { loop, visitorKeys, clock } = maintenanceOf("http://127.0.0.1:9");
    const key = visitorKeys.of(today);
    clock.at = endOf(tomorrow);
    await expect(loop.maintain()).rejects.toThrow();
    // An expired key that isn't deleted would be used again now.
    clock.at = noon;
    expect(visitorKeys.of(today)).not.toBe(key);
  });
});
