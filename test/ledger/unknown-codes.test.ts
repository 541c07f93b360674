import { randomBytes } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import { dateUtc } from "#domain/calendar.ts";
import { maxUnknownCodes } from "#domain/unknown-codes.ts";
import { type ClickCall, recordClick } from "#operations/track/record-click.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { clickCall } from "../support/click-calls.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase({ engine: "sqld" });
const start = Date.UTC(2026, 5, 1, 12);
const minute = 60_000;

let now: number;
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };
let world: World;
let ledger: ReturnType<typeof ownLedger>;
beforeEach(async () => {
  now = start;
  own.proxy.heal();
  world = await createWorld(own.server.url, { partners: [{ code: "anna" }, { code: "bob", madeBy: "partner" }] });
  ledger = ownLedger(own.proxy.url, clock);
});

const land = (code: string, fields: Partial<ClickCall> = {}) =>
  ledger.submit(ledger.taskOf(recordClick, clickCall(world, now, { code, ...fields }), now)).outcome;

async function landAll(codes: readonly string[], fields?: Partial<ClickCall>): Promise<void> {
  await Promise.all(codes.map((code) => land(code, fields)));
}

const counted = async (isTest = 0) =>
  (
    await world.rows(
      "select day, code, landings from unknown_codes where program_id = ? and is_test = ? order by day, code",
      world.programId,
      isTest,
    )
  ).map(({ day, code, landings }) => [day, code, landings]);
const total = async () =>
  Number((await world.rows("select count(*) as n from unknown_codes where program_id = ?", world.programId))[0]?.n);

const written = async (): Promise<void> => {
  await ledger.loop.maintain();
  await ledger.loop.maintain();
};

const day = dateUtc(start);

it("clicks with an unknown partner code are counted per day, book (live or test) and code, whatever the code's case", async () => {
  await landAll(["ana", "ANA", "zo\u00EB", "zoe\u0308", "anna"]);
  await landAll(["ana"], { isTest: true });
  expect(await land("ana")).toMatchObject({ ok: false, refusal: { code: "link_not_found" } });
  await written();
  await expect
    .poll(() => counted())
    .toEqual([
      [day, "ana", 3],
      [day, "zo\u00EB", 2],
    ]);
  expect(await counted(1)).toEqual([[day, "ana", 1]]);
});

it("an unknown code isn't counted if a bot or a prefetch sent it, if its parameter isn't `aff`, or if it is overlong", async () => {
  const { visit } = clickCall(world, now);
  await land("ana", { visit: { ...visit, isBot: true } });
  await land("ana", { visit: { ...visit, isPrefetch: true } });
  await land("bob", { codeParam: "via" });
  await land("x".repeat(65));
  await land("ana", { programId: world.programId + 999 });
  await land("kept");
  await written();
  await expect.poll(() => counted()).toEqual([[day, "kept", 1]]);
});

it("counts of unknown codes are written at most once a minute, and delay no call", async () => {
  await land("ana");
  await written();
  await expect.poll(() => counted()).toEqual([[day, "ana", 1]]);
  own.proxy.resetCounts();
  await landAll(["ana", "ben"]);
  now += minute - 1_000;
  await written();
  expect(own.proxy.counts.writes).toBe(0);
  now += 1_000;
  await written();
  await expect
    .poll(() => counted())
    .toEqual([
      [day, "ana", 2],
      [day, "ben", 1],
    ]);
  expect(own.proxy.counts.writes).toBe(1);
});

it("at most a hundred unknown codes are stored per day, and later only clicks with these codes are counted", async () => {
  const codes = Array.from({ length: maxUnknownCodes * 2 }, (_, i) => `code-${i}x`);
  await landAll(codes);
  await written();
  await expect.poll(total).toBe(maxUnknownCodes);
  // A new Ledger hasn't read the codes that were written.
  ledger = ownLedger(own.proxy.url, clock);
  await landAll(["code-0x", ...codes.slice(maxUnknownCodes)]);
  await written();
  await expect.poll(async () => (await counted()).find(([, code]) => code === "code-0x")).toEqual([day, "code-0x", 2]);
  expect(await total()).toBe(maxUnknownCodes);
});

it("unknown codes whose counts couldn't be written are counted after the database accepts writes again", async () => {
  await land("ana");
  const heal = own.proxy.inject({ kind: "answer", status: 402 }, { only: "writes" });
  await written();
  await expect.poll(() => ledger.faults).toContain("ledger.database_lost");
  heal();
  for (const code of ["ben", "ben", "ben"]) {
    now += minute;
    await written();
    await land(code);
  }
  now += minute;
  await written();
  await expect
    .poll(() => counted())
    .toEqual([
      [day, "ana", 1],
      [day, "ben", expect.any(Number)],
    ]);
});

it("counts of unknown codes that the database rejects are lost, and delay no other write", async () => {
  await world.write(`create trigger refuse_unknown_codes before insert on unknown_codes when new.program_id = ${world.programId}
    begin select raise(abort, 'refused'); end`);
  await land("ana");
  await written();
  expect(await land("anna", { operationId: randomBytes(8).toString("hex") })).toMatchObject({ ok: true });
  expect(await counted()).toEqual([]);
});

it("counts of unknown codes are removed after 30 days", async () => {
  const rows = [daysAgo(32), daysAgo(31), daysAgo(29), daysAgo(0)].map((at) => dateUtc(at));
  await world.write(
    ...rows.flatMap((of) =>
      Array.from({ length: 30 }, (_, i) => ({
        sql: "insert into unknown_codes values (?, ?, ?, ?, 1)",
        args: [world.programId, i % 2, of, `code-${i}`],
      })),
    ),
    { sql: "update program_retention set due_at = 0 where program_id = ?", args: [world.programId] },
  );
  await callsOf(world, own.proxy.url).maintain();
  const left = await world.rows(
    "select distinct day from unknown_codes where program_id = ? order by day",
    world.programId,
  );
  expect(left.map(({ day: of }) => of)).toEqual(rows.slice(2));
});
