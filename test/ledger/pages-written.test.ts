import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Libsql from "libsql";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Task } from "#engine/task.ts";
import { recordClick } from "#operations/track/record-click.ts";
import { customerKey, load, stockOf } from "../../bench/load.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { clickCall } from "../support/click-calls.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const stock = stockOf(20_000, 1_000_000);
const callsPerRound = 15;

let database: TestDatabase;
let world: World;
let calls: ReturnType<typeof callsOf>;
beforeAll(async () => {
  database = await startDatabase(undefined, "file");
  world = await createWorld(database.url, { partners: Array.from({ length: 20 }, () => ({})) });
  await load(world, stock);
  calls = callsOf(world, database.url);
  // The Ledger caches the settings, which a round would otherwise read first.
  await calls.sale("warm", daysAgo(0), { customerKey: "warm" });
});
afterAll(() => database.dispose());

const walHeaderBytes = 32;
const pageBytes = 4_096;
const frameHeaderBytes = 24;

/**
 * Runs calls, and returns the number of pages that the last commit wrote, by table or index. The frame of a commit's
 * last page has the size of the database in its header, and other frames have 0.
 */
async function pagesOf(tasks: readonly Task[]): Promise<Record<string, number>> {
  const file = fileURLToPath(database.url);
  const reader = new Libsql(file);
  reader.pragma("wal_checkpoint(truncate)");
  await calls.together(...tasks);
  const wal = readFileSync(`${file}-wal`);
  let commit: number[] = [];
  let next: number[] = [];
  for (let at = walHeaderBytes; at < wal.length; at += frameHeaderBytes + pageBytes) {
    next.push(wal.readUInt32BE(at));
    if (wal.readUInt32BE(at + 4) > 0) [commit, next] = [next, []];
  }
  const pages = reader.prepare("select name, pageno from dbstat").all() as { name: string; pageno: number }[];
  reader.close();
  const names = new Map(pages.map(({ name, pageno }) => [pageno, name]));
  const counts = Object.groupBy(commit, (page) => names.get(page) ?? "none");
  return Object.fromEntries(Object.entries(counts).map(([name, found]) => [name, found?.length ?? 0]));
}

const times = (make: (i: number) => Task): readonly Task[] => Array.from({ length: callsPerRound }, (_, i) => make(i));

const totalOf = (pages: Record<string, number>) => Object.values(pages).reduce((sum, each) => sum + each, 0);

test("a batch of 15 first sales writes at most 90 database pages, none of them of an index of customers", async () => {
  const sale = (i: number) =>
    calls.saleTask(`order ${i}`, daysAgo(0), { customerKey: customerKey(stock, 700 + i * 80) });
  const pages = await pagesOf(times(sale));
  expect(Object.keys(pages).filter((name) => name.startsWith("customers"))).toEqual(["customers"]);
  expect(totalOf(pages)).toBeLessThanOrEqual(90);
});

test("a batch of 15 clicks writes at most 30 database pages", async () => {
  const click = (i: number) =>
    calls.ledger.taskOf(
      recordClick,
      clickCall({ ...world, partner: world.partners[i] ?? world.partner }, daysAgo(0), { eventId: `event ${i}` }),
      daysAgo(0),
    );
  const pages = await pagesOf(times(click));
  expect(totalOf(pages)).toBeLessThanOrEqual(30);
});
