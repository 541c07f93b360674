import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { asksNothing, payoutCalls } from "../support/payout-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

type Kind = "finalize-payout" | "confirm-payout" | "cancel-payout";

/** Opens a draft payout of 200 cents. Its calls are decided in one round, after one read. */
async function open() {
  const ledger = ownLedger(database.url, clock);
  const world = await createWorld(database.url, { policies: [{ holdDays: 0 }] });
  const calls = callsOf(world, ledger);
  await calls.lead("key", [calls.click(world.partner, daysAgo(4))]);
  await calls.sale("s1", daysAgo(2), { customerKey: "c1" });
  const { id: payoutId } = await payoutCalls(world, ledger, now).create("EUR");
  const { programId } = world;
  const task = (kind: Kind, more: object = {}) => {
    const operationId = randomBytes(8).toString("hex");
    const call = { kind, operationId, at: now, programId, payoutId, actorId: "one", ...asksNothing, ...more };
    return ledger.changeTask(call as never, now);
  };
  const state = async () => {
    const [payout] = await world.rows("select status, total_cents from payouts where id = ?", payoutId);
    const [balance] = await world.rows(
      "select payable_cents, in_payout_cents, paid_cents from partner_balances where program_id = ?",
      programId,
    );
    return [payout?.status, payout?.total_cents, ...Object.values(balance ?? {})];
  };
  return { ...calls, world, task, state };
}

const codes = (outcomes: readonly { readonly ok: boolean }[]) =>
  outcomes.map((outcome) => ("refusal" in outcome ? (outcome.refusal as { code: string }).code : "ok"));

test("ten finalizations of a payout in one batch of calls reserve the amount once, and each one whose expected total differs is refused", async () => {
  const { together, task, state, world } = await open();
  const totals = [200, 200, null, 205, 200, 200, 205, 200, null, 200];
  const outcomes = await together(
    ...totals.map((expectedTotalCents) => task("finalize-payout", { expectedTotalCents })),
  );
  expect(codes(outcomes)).toEqual(totals.map((total) => (total === 205 ? "total_differs" : "ok")));
  expect(await state()).toEqual(["final", 200, 0, 200, 0]);
  expect(await world.audit()).toEqual([]);
});

test("confirmations of a payout in one batch of calls pay it once, and a cancellation between them is refused", async () => {
  const { together, task, state, world } = await open();
  const confirm = () => task("confirm-payout");
  expect(codes(await together(confirm(), confirm(), task("cancel-payout"), confirm()))).toEqual([
    "ok",
    "ok",
    "payout_closed",
    "ok",
  ]);
  expect(await state()).toEqual(["paid", 200, 0, 0, 200]);
  expect(await world.audit()).toEqual([]);
});

test("a refund in the same batch of calls as a payout's finalization is decided first, so that the payout pays the remaining amount", async () => {
  const { together, task, state, refundTask, world } = await open();
  const refund = () => refundTask("s1", "amount", { cents: 250 });
  expect(codes(await together(task("finalize-payout", { expectedTotalCents: 200 }), refund()))).toEqual([
    "total_differs",
    "ok",
  ]);
  expect(await state()).toEqual(["draft", 200, 150, 0, 0]);
  expect(codes(await together(task("finalize-payout"), refund()))).toEqual(["ok", "ok"]);
  expect(await state()).toEqual(["final", 100, 0, 100, 0]);
  expect(codes(await together(task("confirm-payout"), refund()))).toEqual(["ok", "ok"]);
  expect(await state()).toEqual(["paid", 100, -50, 0, 100]);
  expect(await world.audit()).toEqual([]);
});
