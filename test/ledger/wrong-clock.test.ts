import { beforeEach, describe, expect, it } from "vitest";
import { MachineClock } from "#domain/machine-clock.ts";
import { ClockWrong } from "#engine/writer.ts";
import { FencedWriter } from "#ledger/fenced-writer.ts";
import { recordClick } from "#operations/track/record-click.ts";
import { allEntries, readStatementHead } from "#store/reports/partner-statement.ts";
import { supersedeWriters } from "#store/supersede-writers.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { clickCall } from "../support/click-calls.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { day, daysAgo, minute } from "../support/program-fixture.ts";

const own = isolatedDatabase();
const year = 365 * day;
const hour = 60 * minute;

let offset = 0;
const clock = { now: () => Date.now() + offset, sleep: async () => {}, random: () => 0.5 };
let world: World;

beforeEach(async () => {
  offset = 0;
  world = await createWorld(own.server.url, { partners: [{}, {}], policies: [{ holdDays: 0 }] });
});

/** Starts a Ledger that compares its clock with the database's, as the service does. */
function start() {
  const calls = callsOf(world, ownLedger(own.server.url, clock, undefined, false));
  const { ledger, saleTask } = calls;
  const trySale = async (name: string) => (await ledger.submit(saleTask(name, daysAgo(1), {}, clock.now())).outcome).ok;
  const tryClick = async () => {
    const at = clock.now();
    return (await ledger.submit(ledger.taskOf(recordClick, clickCall(world, at), at)).outcome).ok;
  };
  return { ...calls, trySale, tryClick, faults: ledger.faults.filter.bind(ledger.faults) };
}

const stored = async () =>
  (await world.rows("select transaction_id as t from sales where program_id = ? order by id", world.programId)).map(
    ({ t }) => t,
  );

const newestPosting = async () =>
  Number(
    (
      await world.rows(
        "select created_at as at from ledger_entries where program_id = ? order by id desc limit 1",
        world.programId,
      )
    )[0]?.at,
  );

/** Sets the time of the newest commit in the writer's row. */
const setNewestCommit = (at: number) =>
  world.change({ sql: "update ledger_writers set committed_at = ?, epoch = epoch + 1, seq = 0", args: [at] });

describe("a clock that is years ahead", () => {
  it("a Ledger whose clock is years ahead writes nothing, stores no click for later, reports the clock once, and resumes when the clock is right again", async () => {
    const { ledger, lead, click, sale, trySale, tryClick, maintain } = start();
    await lead("key", [click(world.partner, daysAgo(3))]);
    await sale("before", daysAgo(1));
    expect(await tryClick()).toBe(true);

    offset = 10 * year;
    expect(await trySale("ahead")).toBe(false);
    expect(await tryClick()).toBe(false);
    await maintain();
    expect(await trySale("still ahead")).toBe(false);
    expect(await start().trySale("after a restart")).toBe(false);
    expect(ledger.faults.filter((fault) => fault === "ledger.clock_wrong")).toHaveLength(1);
    expect(ledger.faults.map(String).join()).toContain("and the database's");
    expect(ledger.spill.counts).toMatchObject({ waiting: 0 });

    offset = 0;
    await maintain();
    await sale("after", daysAgo(1));
    expect(await tryClick()).toBe(true);
    expect(await start().trySale("later")).toBe(true);
    expect(await stored()).toEqual(["before", "after", "later"]);
    expect(await newestPosting()).toBeLessThanOrEqual(Date.now());
    const account = { programId: world.programId, partnerId: world.partner.id, currency: "EUR" };
    const database = databaseAt(own.server.url);
    const range = { ...allEntries, until: Date.now() + 1, seen: 0 };
    const head = await readStatementHead(database, { ...account, ...range });
    expect(head.sums?.closingCents).toBe(600n);
    expect(head.balance?.payableCents).toBe(600n);
    expect(await world.audit()).toEqual([]);
  });

  it("a clock that is years ahead is detected even if only clicks arrive, which the Ledger writes without reading first", async () => {
    const { tryClick, maintain } = start();
    expect(await tryClick()).toBe(true);
    offset = year;
    expect([await tryClick(), await tryClick()]).toEqual([false, false]);
    offset = 0;
    await maintain();
    expect(await tryClick()).toBe(true);
    expect(await world.rows("select count(*) as n from clicks where program_id = ?", world.programId)).toEqual([
      { n: 2 },
    ]);
  });
});

it("the Ledger stops writing after a clock jump that the machine's uptime reveals", async () => {
  const machineClock = new MachineClock();
  const hoursUp = (hours: number) => machineClock.take({ at: clock.now(), uptimeMs: hours * hour });
  hoursUp(1);
  const writer = new FencedWriter(databaseAt(own.server.url), clock, { machineClock });
  await writer.claim();
  await writer.write([]);
  offset = 20 * hour;
  hoursUp(1);
  await writer.write([]);
  offset = 30 * hour;
  await expect(writer.write([])).rejects.toThrow("a few seconds ago");
  expect(writer.isClaimed).toBe(false);
  await expect(writer.claim()).rejects.toThrow(ClockWrong);
  offset = 20 * hour;
  hoursUp(1);
  await writer.claim();
  await writer.write([]);
});

it("a service that was idle for years, or was restored from an old backup, accepts writes", async () => {
  await setNewestCommit(Date.now() - 3 * year);
  expect(await start().trySale("after years")).toBe(true);
});

it("a clock that was ahead blocks writes until the real time has caught up, unless nothing was posted meanwhile and the operator overrides the block", async () => {
  await setNewestCommit(Date.now() + 20 * hour);
  const { trySale, tryClick, ledger } = start();
  expect([await trySale("behind"), await tryClick()]).toEqual([false, false]);
  expect(ledger.faults.map(String).join()).toContain("and the newest commit is of");
  await supersedeWriters(databaseAt(own.server.url));
  await ledger.loop.maintain();
  expect([await trySale("judged"), await tryClick()]).toEqual([true, true]);
});

describe("a clock that was ahead by less than a day", () => {
  it("a clock that was ahead by less than a day blocks writes until the real time has caught up with the newest commit", async () => {
    const { lead, click, trySale, maintain } = start();
    await lead("key", [click(world.partner, daysAgo(3))]);
    offset = 20 * hour;
    expect(await trySale("ahead")).toBe(true);
    offset = 0;
    expect(await trySale("right")).toBe(false);
    expect(await start().trySale("after a restart")).toBe(false);
    await supersedeWriters(databaseAt(own.server.url));
    expect(await start().trySale("a posting can't be taken back")).toBe(false);
    offset = 20 * hour - 4 * minute;
    await maintain();
    expect(await start().trySale("caught up")).toBe(true);
    const posted = await world.rows(
      "select created_at as at from ledger_entries where program_id = ? order by id",
      world.programId,
    );
    expect(posted).toHaveLength(2);
    expect(posted[1]?.at).toBe(posted[0]?.at);
  });
});
