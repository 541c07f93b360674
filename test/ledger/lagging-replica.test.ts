import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Database, DatabaseError } from "#store/database.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { type Sqld, startSqld } from "../../harness/sqld.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

// Reads go to a replica, writes to the primary.

let primary: TestDatabase;
let replica: Sqld;
let world: World;
let calls: ReturnType<typeof callsOf>;
let readsOf: Database;
/** Called while the Ledger waits to retry. */
let onPause: () => void;
let onWritten: () => void;

beforeAll(async () => {
  primary = await startDatabase();
});
afterAll(() => primary.dispose());

const open = ({ url }: Sqld) => databaseAt(url);

/** Records a sale of 1,000 cents, and a refund of 400 cents that the replica lacks. */
beforeEach(async () => {
  world = await createWorld(primary.url);
  const writesOf = open(primary);
  readsOf = writesOf;
  onPause = () => {};
  onWritten = () => {};
  const database: Database = {
    read: (statements) => readsOf.read(statements),
    write: async (statements) => {
      const results = await writesOf.write(statements);
      onWritten();
      return results;
    },
    roundTrips: 0,
  };
  const now = daysAgo(0);
  calls = callsOf(world, ledgerOn(database, { now: () => now, sleep: async () => onPause(), random: () => 0.5 }));
  await calls.lead("key", [calls.click(world.partner, daysAgo(1))]);
  await calls.sale("t", now);
  replica = await startSqld({ directory: await primary.backup() });
  await refund("a");
  readsOf = open(replica);
  return () => replica.kill();
});

const refund = (refundId: string) => calls.refund("t", "amount", { cents: 400, refundId });

it("a replica that lacks one commit is read again until it has the commit, so that refunds aren't mixed up", async () => {
  let pauses = 0;
  onPause = () => {
    pauses += 1;
    if (pauses === 3) readsOf = open(primary);
  };
  expect(await refund("b")).toMatchObject({ refundedTotalCents: 800 });
  expect(pauses).toBe(3);
  expect(await world.rows("select refunded_cents as cents from sales where program_id = ?", world.programId)).toEqual([
    { cents: 800 },
  ]);
  expect(await world.audit()).toEqual([]);
});

it("while a replica stays behind, calls are refused and nothing is written", async () => {
  await expect(refund("b")).rejects.toThrow("unavailable");
  await expect(calls.sale("u", daysAgo(0))).rejects.toThrow("unavailable");
  readsOf = open(primary);
  await calls.maintain();
  expect(await refund("b")).toMatchObject({ refundedTotalCents: 800 });
  expect(await world.rows("select id from sales where program_id = ?", world.programId)).toHaveLength(1);
  expect(await world.audit()).toEqual([]);
});

it("a replica that is behind doesn't make the writer mistake its own batch, whose reply was lost, for another writer's", async () => {
  readsOf = open(primary);
  onWritten = () => {
    onWritten = () => {};
    readsOf = open(replica);
    throw new DatabaseError({ kind: "unknown" }, "the answer was lost");
  };
  expect(await refund("b")).toMatchObject({ refundedTotalCents: 800 });
});
