import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { Unreachable } from "#engine/writer.ts";
import { recordClick } from "#operations/track/record-click.ts";
import { readDueCommissions } from "#store/due-commissions.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld, type WorldSettings } from "../../harness/world.ts";
import { memoryStorage } from "../../scripts/sample/node-ledger.ts";
import { clickCall } from "../support/click-calls.ts";
import { failingDatabase } from "../support/failing-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

let server: TestDatabase;
// Each test has its own database, because the Ledger's internal writes (spilled clicks, due approvals) include all
// programs.
beforeEach(async () => {
  server = await startDatabase();
  return server.dispose;
});

/** Opens a Ledger whose database and storage can fail. */
async function open(settings: WorldSettings = {}) {
  const failing = failingDatabase(server.url);
  const { database, clock } = failing;
  const storage = memoryStorage();
  let isFull = false;
  const exec: typeof storage.exec = (query, ...bindings) => {
    if (isFull && !query.trim().startsWith("select")) throw new Error("database or disk is full: SQLITE_FULL");
    return storage.exec(query, ...bindings);
  };
  const ledger = ledgerOn(database, clock, { exec });
  const world = await createWorld(server.url, settings);
  const calls = callsOf(world, ledger);
  const visitOf = (seen: typeof world, by = ledger) => {
    const call = clickCall(seen, clock.now());
    const visit = { ...call.visit, visitorDigest: "visitor" };
    return by.submit(by.taskOf(recordClick, { ...call, visit }, clock.now())).outcome;
  };
  const visit = () => visitOf(world);
  expect(await visit()).toMatchObject({ ok: true });
  await calls.lead("key", [calls.click(world.partner, daysAgo(3))], "c1", { occurredAt: daysAgo(2) });
  const { commissionId } = await calls.sale("first", daysAgo(1));
  const fill = (is = true) => {
    isFull = is;
  };
  const maintain = async (times = 1) => {
    for (let i = 0; i < times; i += 1) {
      failing.tick(10_000);
      // Maintenance may fail when a claim happens during its read. The next alarm repeats it.
      await ledger.loop.maintain().catch((error: unknown) => {
        if (!(error instanceof Unreachable)) throw error;
      });
      await delay(50);
    }
  };
  /** Records five sales one after the other, each after an alarm. */
  const sellSome = async () => {
    const outcomes: boolean[] = [];
    for (const transactionId of ["a", "b", "c", "d", "e"]) {
      await maintain();
      const task = calls.saleTask(transactionId, daysAgo(1), {}, clock.now());
      outcomes.push((await ledger.submit(task).outcome).ok);
    }
    return outcomes;
  };
  return { ...calls, ...failing, storage, world, visit, visitOf, fill, maintain, sellSome, commissionId };
}

it("a click that was spilled during an outage, and that the database rejects, delays no sale and no other click", async () => {
  const { ledger, fails, visit, sellSome, world } = await open();
  fails.read = fails.write = () => true;
  for (let i = 0; i < 3; i += 1) expect(await visit()).toMatchObject({ ok: true });
  const clickId = ledger.spill.oldest(3)[1]?.click.clickId ?? "";
  fails.read = () => false;
  fails.write = (statements) => statements.some(({ args }) => args.some((arg) => String(arg).includes(clickId)));
  expect(await sellSome()).toEqual([true, true, true, true, true]);
  const setAside = { waiting: 0, setAside: 1, clicks: [{ click: { clickId } }] };
  await expect.poll(() => ledger.spill.list(0, 10)).toMatchObject(setAside);
  expect(await world.rows("select id from clicks where program_id = ?", world.programId)).toHaveLength(3);
  expect(ledger.faults.filter((each) => each === "ledger.database_lost")).toHaveLength(1);
});

const isMaturing = ({ sql }: { readonly sql: string }) => sql.startsWith('update "commissions"');

it("an approval that the database rejects delays no sale", { tags: "soak" }, async () => {
  const { ledger, world, fails, sellSome, commissionId } = await open();
  const sql = "update commissions set hold_until = ? where id = ?";
  await world.write({ sql, args: [daysAgo(0) - 1, commissionId] });
  fails.write = (statements) => statements.some(isMaturing);
  expect(await sellSome()).toEqual([true, true, true, true, true]);
  expect(ledger.faults).toContain("ledger.approval_refused");
  expect(ledger.faults).not.toContain("ledger.database_lost");
});

it("an approval that the database rejects delays no other approval, and is retried", async () => {
  const { sale, fails, maintain, tick, commissions } = await open();
  await sale("second", daysAgo(1, 1_000));
  tick(20 * 24 * 3_600_000);
  // The last argument of the statement is the number of due commissions that it skips.
  fails.write = (statements) => statements.some((each) => isMaturing(each) && each.args.at(-1) === 0);
  const statuses = async () => (await commissions()).map(({ status }) => status);
  await maintain(5);
  await expect.poll(statuses).toEqual(["pending", "approved"]);
  fails.write = () => false;
  tick(3_600_000);
  await maintain();
  await expect.poll(statuses).toEqual(["approved", "approved"]);
});

const isEndingReview = ({ sql }: { readonly sql: string }) => sql.startsWith('update "commissions" set "held_at"');

it("the end of a review that the database rejects delays no approval and no other review's end, and is retried", {
  tags: "soak",
}, async () => {
  const { sale, fails, maintain, tick, commissions, clock, database, ledger } = await open({
    program: { reviewDays: 1 },
  });
  await sale("in_1", daysAgo(1), { amountCents: 2_000 });
  await sale("pi_1", daysAgo(1), { amountCents: 2_000, at: daysAgo(1) });
  await sale("pi_2", daysAgo(1), { amountCents: 2_000 });
  tick(20 * 24 * 3_600_000);
  // The last argument of the statement is the number of ended reviews that it skips.
  fails.write = (statements) => statements.some((each) => isEndingReview(each) && each.args.at(-1) === 0);
  const pending = async () => (await commissions()).filter(({ status }) => status === "pending").map(({ t }) => t);
  await maintain(5);
  await expect.poll(pending).toEqual(["pi_1"]);
  expect(ledger.faults).toContain("ledger.review_end_refused");
  expect(await readDueCommissions(database, clock.now())).toMatchObject({ commissions: 1 });
  fails.write = () => false;
  tick(3_600_000);
  await maintain();
  await expect.poll(pending).toEqual([]);
  expect(await readDueCommissions(database, clock.now())).toMatchObject({ commissions: 0 });
});

it("customers whose sales can't be moved don't delay the moves of other customers", { tags: "soak" }, async () => {
  const { world, fails, maintain } = await open();
  const [last] = await world.rows("select max(id) as id from customers");
  const ids = Array.from({ length: 12 }, (_, i) => Number(last?.id) + 100 + i);
  for (const id of ids) {
    const customer =
      "insert into customers (id, program_id, is_test, customer_key, reason, created_at) values (?, ?, 0, ?, 'no_click', 0)";
    await world.write({ sql: customer, args: [id, world.programId, `c${id}`] });
    const move =
      "insert into pending_moves (customer_id, after_occurred_at, after_sale_id, is_partner_active, is_program_active, policy_version, created_at) values (?, 0, 0, 1, 1, 1, 0)";
    await world.write({ sql: move, args: [id] });
  }
  const stuck = new Set<unknown>(ids.slice(0, 10));
  // The argument is one id, or the JSON of the ids of several moves that one round ends.
  const customersIn = (args: readonly unknown[]) => args.flatMap((arg) => [JSON.parse(String(arg))].flat(2));
  fails.write = (statements) =>
    statements.some(
      ({ sql, args }) => sql.includes('delete from "pending_moves"') && customersIn(args).some((id) => stuck.has(id)),
    );
  await maintain(3);
  const left = await world.rows("select customer_id from pending_moves where customer_id >= ?", ids[0] ?? 0);
  expect(left.map(({ customer_id }) => customer_id)).toEqual(ids.slice(0, 10));
});

it("a click is recorded even if the Ledger's own storage has no room for the day's key for visitor digests", async () => {
  const { visit, fill, tick } = await open();
  fill();
  expect(await visit()).toMatchObject({ ok: true });
  tick(24 * 3_600_000);
  expect(await visit()).toMatchObject({ ok: true });
});

it("due commissions are approved even if an expired key for visitor digests can't be deleted", {
  tags: "soak",
}, async () => {
  const { fill, tick, commissions, maintain, ledger } = await open();
  fill();
  tick(20 * 24 * 3_600_000);
  await maintain();
  await expect.poll(commissions).toMatchObject([{ status: "approved" }]);
  expect(ledger.faults.filter((each) => each === "ledger.visitor_key_not_deleted")).toHaveLength(1);
  fill(false);
  await maintain(7);
  expect(ledger.storage.exec("select day from visitor_keys").toArray()).toEqual([]);
});

it("calls succeed even if the Ledger's own storage has no room for settings and for the writer's epoch", {
  tags: "soak",
}, async () => {
  const { visit, visitOf, fill, ledger, fails, maintain } = await open();
  fill();
  const other = await createWorld(server.url);
  expect(await visitOf(other)).toMatchObject({ ok: true });
  expect(ledger.faults).toContain("ledger.settings_memory_failed");
  fails.read = fails.write = () => true;
  expect(await visit()).toMatchObject({ ok: false });
  fails.read = fails.write = () => false;
  await maintain();
  expect(ledger.faults).toContain("ledger.epoch_not_kept");
  expect(await visit()).toMatchObject({ ok: true });
});

it("settings that changed but couldn't be stored aren't used in their old version", async () => {
  const { ledger, world, visitOf, fill, clock, storage, database } = await open();
  const { remember, trust } = ledger.spill;
  ledger.spill.remember = (setting, seq) => {
    fill();
    remember.call(ledger.spill, setting, seq);
  };
  ledger.spill.trust = (programId) => {
    fill(false);
    trust.call(ledger.spill, programId);
  };
  const { programId } = world;
  const change = { kind: "update-program", operationId: "a".repeat(16), at: clock.now(), programId } as const;
  const task = ledger.changeTask(
    { ...change, actorId: "a", isOwner: true, changes: { status: "paused" } },
    clock.now(),
  );
  expect(await ledger.submit(task).outcome).toMatchObject({ ok: true });
  expect(ledger.spill.settings.program(programId)).toBeUndefined();

  const next = ledgerOn(database, clock, storage);
  expect(await visitOf(await createWorld(server.url), next)).toMatchObject({ ok: true });
  expect(next.spill.settings.program(programId)).toBeUndefined();
});
