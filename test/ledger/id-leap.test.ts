import { beforeAll, expect, test } from "vitest";
import { type Database, openDatabase } from "#store/database.ts";
import { supersedeWriters } from "#store/supersede-writers.ts";
import { createWorld } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";

const own = isolatedDatabase({ engine: "sqld" });
let database: Database;
beforeAll(() => {
  database = openDatabase({ url: own.server.url, authToken: undefined });
});

const dayMs = 24 * 3_600_000;
const billion = 1_000_000_000;
const perShard = 1_000_000_000_000;
const known = 5_000;

interface Backup {
  /** The age of the last commit in the backup. Undefined if it is unknown. */
  readonly commitAgo?: number;
  /** The age of the backup. Undefined if the backup's file doesn't contain its time. */
  readonly madeAgo?: number;
}

/** Restores a backup whose last id is `known`. Returns how far the ids assigned afterwards are above it. */
async function floorAfter({ commitAgo, madeAgo }: Backup): Promise<number> {
  const now = Date.now();
  const at = commitAgo === undefined ? null : now - commitAgo;
  await database.read([
    {
      sql: `insert into ledger_writers (name, epoch, seq, number, id_floor, committed_at) values ('main', 1, 0, ?, ?, ?)
        on conflict (name) do update set epoch = epoch + 1, seq = 0, number = excluded.number,
        id_floor = excluded.id_floor, committed_at = excluded.committed_at`,
      args: [known, known, at],
    },
  ]);
  await supersedeWriters(database, madeAgo === undefined ? undefined : now - madeAgo);
  const [rows] = await database.read([{ sql: "select id_floor from ledger_writers", args: [] }]);
  return Number(rows?.[0]?.[0]) - known;
}

/** Leaves room for the time that the test takes, because the leap grows by 10 per millisecond. */
const expectAbout = (leap: number, expected: number) => {
  expect(leap).toBeGreaterThanOrEqual(expected);
  expect(leap).toBeLessThan(expected + 10 * 600_000);
};

test("after a restore, ids leap by a billion, plus ten for each millisecond since the backup", async () => {
  expectAbout(await floorAfter({ commitAgo: 0, madeAgo: 0 }), billion);
  expectAbout(await floorAfter({ commitAgo: dayMs, madeAgo: dayMs }), billion + 10 * dayMs);
  const usual = await floorAfter({ commitAgo: dayMs, madeAgo: dayMs });
  expect(perShard / usual).toBeGreaterThan(500);
});

test("after a restore, the leap of ids depends on the time in the backup's file, or on the backup's last commit if the file has no time", async () => {
  expectAbout(await floorAfter({ commitAgo: 20 * dayMs, madeAgo: dayMs }), billion + 10 * dayMs);
  expectAbout(await floorAfter({ commitAgo: 2 * dayMs }), billion + 20 * dayMs);
});

test("ids after a second restore of a backup are above all ids assigned since the first restore", async () => {
  const betweenMs = 600_000;
  const first = await floorAfter({ madeAgo: dayMs });
  const second = await floorAfter({ madeAgo: dayMs + betweenMs });
  const assigned = 5 * betweenMs;
  expect(second).toBeGreaterThan(first + assigned);
});

test("after a restore, ids leap by a billion, plus at most one for each millisecond since 2026, if the backup is old or its time is unknown", async () => {
  const life = Date.now() - Date.UTC(2026, 0, 1);
  expectAbout(await floorAfter({ commitAgo: life, madeAgo: life }), billion + life);
  expectAbout(await floorAfter({}), billion + life);
});

test("after a restore, ids leap by a billion even if the clock was ahead when the backup was made", async () => {
  expectAbout(await floorAfter({ commitAgo: -dayMs, madeAgo: -dayMs }), billion);
});

test("ids start above all rows of the restored database, even if its stored last id is lower", async () => {
  const { programId } = await createWorld(own.server.url);
  const note = "insert into notes (id, program_id, kind, subject, text) values (?, ?, 'reason', 'payout 1', 'late')";
  await database.read([{ sql: note, args: [9 * billion, programId] }]);
  expect(await floorAfter({ madeAgo: 0 })).toBeGreaterThan(10 * billion - known);
});
