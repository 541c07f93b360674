import { expect, it } from "vitest";
import { Unreachable, Writer } from "../../src/ledger/fence.ts";
import { type Database, DatabaseError } from "../../src/store/database.ts";

it("a clock that jumps back ends the patience with a database that fails, instead of prolonging it", async () => {
  let asked = 0;
  let now = 3_600_000;
  const fail = async () => {
    asked += 1;
    if (asked === 2) now = 0;
    throw new DatabaseError({ kind: "unknown" }, undefined);
  };
  const database: Database = { read: fail, write: fail, roundTrips: 0 };
  const sleep = async (ms: number) => {
    now += ms;
  };
  await expect(new Writer(database, { now: () => now, sleep, random: () => 0.5 }).claim()).rejects.toThrow(Unreachable);
  expect(asked).toBe(2);
});
