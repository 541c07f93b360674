import { randomBytes } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import { hashProgramKey } from "#domain/program-key.ts";
import { checkKey } from "#operations/check-key.ts";
import { recordLead } from "#operations/track/record-lead.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { ownLedger } from "../support/own-ledger.ts";

const hour = 3_600_000;
const start = Math.ceil(Date.now() / hour) * hour;

/** The number of batches that stored key use. */
let stored = 0;
const own = isolatedDatabase({
  onRequest: (_path, body) => {
    if (body.includes("last_used_at")) stored += 1;
  },
});

let now: number;
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };
let world: World;
let ledger: ReturnType<typeof ownLedger>;
beforeEach(async () => {
  now = start;
  own.proxy.heal();
  world = await createWorld(own.server.url, { keys: [{ createdAt: 1 }, { createdAt: 2 }] });
  ledger = ownLedger(own.proxy.url, clock);
  expect(await lead()).toMatchObject({ ok: true });
  own.proxy.resetCounts();
  stored = 0;
});

const call = (key: string) =>
  ({
    operationId: randomBytes(8).toString("hex"),
    at: now,
    key: { programId: world.programId, hash: hashProgramKey(key), scopes: ["track"] },
  }) as const;
const check = (key: string) => ledger.submit(ledger.taskOf(checkKey, { ...call(key), kind: "key" }, now)).outcome;

/** Sends a lead with this key, or without one as a member's call. */
const lead = (key?: string) =>
  ledger.submit(
    ledger.taskOf(
      recordLead,
      {
        ...call(key ?? ""),
        ...(key === undefined && { key: { programId: world.programId, vouched: true } }),
        kind: "lead",
        isTest: false,
        occurredAt: now,
        programId: world.programId,
        customerKey: randomBytes(8).toString("hex"),
        email: null,
        pageUrl: null,
        eventName: null,
        clicks: [],
        sentClickId: false,
      },
      now,
    ),
  ).outcome;

/** Hours from the start to the last use of each key, older key first. */
const hours = async () => {
  const found = await world.rows(
    "select last_used_at from program_keys where program_id = ? order by created_at",
    world.programId,
  );
  return found.map(({ last_used_at: at }) => (at === null ? null : (Number(at) - start) / hour));
};
const keys = () => ({ first: world.keys[0] ?? "", second: world.keys[1] ?? "" });

it("the hour of an API key's last use is written with a call's commit, at most once an hour", async () => {
  const { first, second } = keys();
  for (const minutes of [1, 2, 59]) {
    now = start + minutes * 60_000;
    expect(await lead(first)).toMatchObject({ ok: true, meta: { roundTrips: 2 } });
    expect(await hours()).toEqual([0, null]);
  }
  expect([stored, own.proxy.counts.writes]).toEqual([1, 3]);

  now = start + hour;
  await lead(second);
  expect(await hours()).toEqual([0, 1]);
  await lead(first);
  expect(await hours()).toEqual([1, 1]);
  expect(stored).toBe(3);
});

it("a call that only reads writes nothing, and maintenance stores the uses of API keys that no commit included", async () => {
  const { first } = keys();
  expect(await check(first)).toMatchObject({ ok: true });
  await ledger.loop.maintain();
  await expect.poll(hours).toEqual([0, null]);
  expect(own.proxy.counts.writes).toBe(1);

  await check(first);
  await ledger.loop.maintain();
  await lead();
  expect([stored, own.proxy.counts.writes]).toEqual([1, 2]);
});

it("a call that is refused for its key doesn't count as use of a key", async () => {
  const { first } = keys();
  const retire = "update program_keys set retires_at = ? where created_at = 1 and program_id = ?";
  await world.change({ sql: retire, args: [start, world.programId] });
  ledger = ownLedger(own.proxy.url, clock);
  expect(await check(first)).toMatchObject({ refusal: { code: "key_retired" } });
  expect(await check("never issued")).toMatchObject({ refusal: { code: "invalid_key" } });
  await lead();
  expect(await hours()).toEqual([null, null]);
});

it("an API key's use doesn't replace the stored hour of a later use", async () => {
  const { first } = keys();
  now = start + 2 * hour;
  await lead(first);
  now = start;
  expect(await lead(first)).toMatchObject({ ok: true });
  expect(await hours()).toEqual([2, null]);
});

it("the hour of a key's use is discarded if the clock was more than a day ahead", async () => {
  const { first } = keys();
  now = start + 25 * hour;
  await check(first);
  now = start;
  await lead();
  await ledger.loop.maintain();
  expect(await hours()).toEqual([null, null]);
  await lead(first);
  expect(await hours()).toEqual([0, null]);
});

it("key uses of a failed commit are stored with the next commit", async () => {
  const { first } = keys();
  await check(first);
  const heal = own.proxy.inject({ kind: "answer", status: 402 }, { only: "writes" });
  expect(await lead()).toMatchObject({ ok: false });
  heal();
  await ledger.loop.maintain();
  await lead();
  expect(await hours()).toEqual([0, null]);
});

it("a failure to store key uses delays no call", async () => {
  const { first } = keys();
  await world.write(`create trigger refuse_key_use before update of last_used_at on program_keys when new.program_id = ${world.programId}
    begin select raise(abort, 'refused'); end`);
  expect(await lead(first)).toMatchObject({ ok: true });
  expect(await lead(first)).toMatchObject({ ok: true });
  await world.write("drop trigger refuse_key_use");
  expect(ledger.faults).toContain("ledger.key_use_refused");
  expect([stored, await hours()]).toEqual([1, [null, null]]);
});
