import { beforeAll, expect, test } from "vitest";
import { type Database, openDatabase } from "#store/database.ts";
import { supersedeWriters } from "#store/supersede-writers.ts";
import { createWorld } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";

const own = isolatedDatabase();
let database: Database;
beforeAll(() => {
  database = openDatabase({ url: own.server.url, authToken: undefined });
});

const dayMs = 24 * 3_600_000;
const billion = 1_000_000_000;
const perShard = 1_000_000_000_000;
const known = 5_000;

interface Backup {
  /** How long ago the last commit in the backup was. Undefined if it isn't known. */
  readonly commitAgo?: number;
  /** How long ago the backup was made. Undefined if its file doesn't say. */
  readonly madeAgo?: number;
}

/** Restores a backup whose last id is `known`, and returns the id from which on ids are assigned. */
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

/** The test itself takes time, which the leap contains. */
const expectAbout = (leap: number, expected: number) => {
  expect(leap).toBeGreaterThanOrEqual(expected);
  expect(leap).toBeLessThan(expected + 10 * 600_000);
};

test("ids leap by a billion and ten for each millisecond since the backup", async () => {
  expectAbout(await floorAfter({ commitAgo: 0, madeAgo: 0 }), billion);
  expectAbout(await floorAfter({ commitAgo: dayMs, madeAgo: dayMs }), billion + 10 * dayMs);
  const usual = await floorAfter({ commitAgo: dayMs, madeAgo: dayMs });
  expect(perShard / usual).toBeGreaterThan(500);
});

test("the time of the backup is that of its file, otherwise that of its last commit", async () => {
  expectAbout(await floorAfter({ commitAgo: 20 * dayMs, madeAgo: dayMs }), billion + 10 * dayMs);
  expectAbout(await floorAfter({ commitAgo: 2 * dayMs }), billion + 20 * dayMs);
});

test("ids that are assigned between two restores of the same backup are below the second one's", async () => {
  const betweenMs = 600_000;
  const first = await floorAfter({ madeAgo: dayMs });
  const second = await floorAfter({ madeAgo: dayMs + betweenMs });
  const assigned = 5 * betweenMs;
  expect(second).toBeGreaterThan(first + assigned);
});

test("ids of an old backup, or of an unknown one, leap by at most one for each millisecond since 2026", async () => {
  const life = Date.now() - Date.UTC(2026, 0, 1);
  expectAbout(await floorAfter({ commitAgo: life, madeAgo: life }), billion + life);
  expectAbout(await floorAfter({}), billion + life);
});

test("ids leap by a billion even if the clock was ahead when the backup was made", async () => {
  expectAbout(await floorAfter({ commitAgo: -dayMs, madeAgo: -dayMs }), billion);
});

test("ids begin above the rows of the restored database, whatever its row says", async () => {
  const { programId } = await createWorld(own.server.url);
  const note = "insert into notes (id, program_id, kind, subject, text) values (?, ?, 'reason', 'payout 1', 'late')";
  await database.read([{ sql: note, args: [9 * billion, programId] }]);
  expect(await floorAfter({ madeAgo: 0 })).toBeGreaterThan(10 * billion - known);
});
