import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "#store/database.ts";
import type { Statement } from "#store/statement.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { payoutCalls } from "../support/payout-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

test("a batch of calls computes the payable sums once for several new payouts of a program, and not at all if the program has an open draft", async () => {
  const sums: number[] = [];
  const isSum = ({ sql }: Statement) => sql.includes("of_commissions as");
  const real = databaseAt(database.url);
  const counted: Database = {
    read(statements) {
      sums.push(statements.filter(isSum).length);
      return real.read(statements);
    },
    write: (statements) => real.write(statements),
    roundTrips: 0,
  };
  const ledger = ledgerOn(counted, clock);
  const programs = await Promise.all(
    ["a", "b", "c"].map(async (name) => {
      const world = await createWorld(database.url, { partners: [{}], policies: [{ holdDays: 0 }] });
      const { lead, sale, click } = callsOf(world, ledger);
      await lead("key", [click(world.partner, daysAgo(3))]);
      await sale(name, daysAgo(1));
      return payoutCalls(world, ledger, now);
    }),
  );
  const createAll = async () => {
    sums.length = 0;
    const outcomes = await Promise.all(
      programs.map(({ change }) =>
        Promise.all([1, 2, 3].map(() => change("create-payout", "one", { currency: "EUR" }))),
      ),
    );
    return outcomes.map((ofProgram) => ofProgram.filter(({ ok }) => ok).length);
  };
  expect(await createAll()).toEqual([1, 1, 1]);
  expect(sums.filter((count) => count > 0)).toEqual([1, 1, 1]);
  expect(await createAll()).toEqual([0, 0, 0]);
  expect(sums.filter((count) => count > 0)).toEqual([]);
});
