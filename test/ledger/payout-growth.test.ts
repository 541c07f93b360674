import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createWorld } from "../../harness/world.ts";
import { instantSleep } from "../support/instant-sleep.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { asksNothing, payoutCalls } from "../support/payout-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase({ engine: "sqld" });

const partners = 40;
const few = 2;
const many = 10 * few;
const currency = "EUR";

/** Rises with each call, so that programs opened later post later. */
let at = daysAgo(1);

type Kind = Parameters<ReturnType<typeof payoutCalls>["change"]>[0];

/** Opens a program whose partners each get a bonus before each payout. */
async function openProgram(hasMoved: boolean) {
  const clock = { now: () => at, sleep: instantSleep, random: () => 0.5 };
  const ledger = ownLedger(own.proxy.url, clock);
  const world = await createWorld(own.server.url, { partners: Array.from({ length: partners }, () => ({})) });
  const { programId } = world;
  if (hasMoved) await world.write({ sql: "update programs set move_id = 1 where id = ?", args: [programId] });
  const setDetailsChanged = (changedAt: number | null) =>
    world.write({
      sql: "update partners set details_changed_at = ? where program_id = ?",
      args: [changedAt, programId],
    });
  await setDetailsChanged(1);
  const operation = () => ({ operationId: randomBytes(8).toString("hex"), at, programId, actorId: "one" });
  const earn = async () => {
    at += 60_000;
    const bonuses = world.partners.map(({ id: partnerId }) => {
      const money = { partnerId, amountCents: 100, currency, reference: `${at}`, reason: "r", partnerNote: null };
      return ledger.submit(ledger.changeTask({ ...operation(), kind: "create-adjustment", ...money } as never, at));
    });
    for (const { outcome } of bonuses) expect(await outcome).toMatchObject({ ok: true });
    at += 60_000;
  };
  const change = async (kind: Kind, more: object) => {
    own.proxy.resetCounts();
    const outcome = await payoutCalls(world, ledger, at).change(kind, "one", more);
    const { statements, rows, rowsWritten } = own.proxy.counts;
    return { outcome, cost: { statements, rows, rowsWritten } };
  };
  const create = async (until: number | null = null) => {
    const { outcome, cost } = await change("create-payout", { currency, until });
    if (!outcome.ok) throw new Error(`refused: ${outcome.refusal.code}`);
    return { id: (outcome.answer as { payout: { id: number } }).payout.id, cost };
  };
  const fail = async (payoutId: number) => {
    const [partner] = world.partners;
    const call = {
      ...operation(),
      kind: "fail-line",
      payoutId,
      line: { partnerId: partner?.id },
      reason: "r",
      partnerNote: null,
    };
    const { outcome } = ledger.submit(ledger.changeTask({ ...asksNothing, ...call } as never, at));
    expect(await outcome).toMatchObject({ ok: true });
  };
  return { world, earn, change, create, fail, setDetailsChanged };
}

type Program = Awaited<ReturnType<typeof openProgram>>;

/**
 * Pays the partners. Cancels every third payout and fails a line of every fifth, so that the next payout pays the
 * released commissions.
 */
async function pay({ earn, change, create, fail }: Program, index: number): Promise<void> {
  await earn();
  const { id: payoutId } = await create();
  const kind = index % 3 === 2 ? "finalize-payout" : "confirm-payout";
  expect((await change(kind, { payoutId })).outcome).toMatchObject({ ok: true });
  if (index % 3 === 2) expect((await change("cancel-payout", { payoutId })).outcome).toMatchObject({ ok: true });
  else if (index % 5 === 3) await fail(payoutId);
}

/** Measures a payout of the commissions since the last one, and the steps before it. */
async function costs({ earn, change, create }: Program) {
  await earn();
  const refused = await change("create-payout", { currency, minimumCents: 1_000_000 });
  expect(refused.outcome).toMatchObject({ ok: false, refusal: { code: "nothing_payable" } });
  const until = await create(at - 1);
  expect((await change("cancel-payout", { payoutId: until.id })).outcome).toMatchObject({ ok: true });
  const { id: payoutId, cost: created } = await create();
  const finalized = await change("finalize-payout", { payoutId });
  expect(finalized.outcome).toMatchObject({ ok: true });
  const canceled = await change("cancel-payout", { payoutId });
  expect(canceled.outcome).toMatchObject({ ok: true });
  return {
    ...{ refused: refused.cost, until: until.cost, created, finalized: finalized.cost, canceled: canceled.cost },
  };
}

test.each([
  ["of a program", false],
  ["of a program that was migrated here", true],
])("payouts %s cost the same after 20 earlier payouts as after two", async (_case, hasMoved) => {
  const program = await openProgram(hasMoved);
  let paid = 0;
  const measureAfter = async (count: number) => {
    for (; paid < count; paid += 1) await pay(program, paid);
    return costs(program);
  };
  const first = await measureAfter(few);
  const last = await measureAfter(many);
  const { until, ...others } = last;
  const { until: firstUntil, ...firstOthers } = first;
  expect(others).toEqual(firstOthers);
  // The binary search for the cutoff has more steps.
  expect(until.rows).toBeLessThanOrEqual(firstUntil.rows + 20);
  expect({ ...until, rows: 0 }).toEqual({ ...firstUntil, rows: 0 });
  await program.setDetailsChanged(null);
  expect(await program.world.audit()).toEqual([]);
});
