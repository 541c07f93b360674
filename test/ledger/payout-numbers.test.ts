import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { payoutCalls } from "../support/payout-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const now = daysAgo(0);
let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

async function open(holdDays: number) {
  let at = now;
  const clock = { now: () => at, sleep: () => delay(1), random: () => 0.5 };
  const ledger = ownLedger(database.url, clock);
  const world = await createWorld(database.url, { policies: [{ holdDays }] });
  const calls = callsOf(world, ledger);
  await calls.lead("key", [calls.click(world.partner, daysAgo(4))]);
  const payouts = payoutCalls(world, ledger, now);
  return {
    ledger,
    world,
    calls,
    payouts,
    set: (to: number) => {
      at = to;
    },
  };
}

test("a payout up to an instant excludes approvals after that instant, even if a canceled refund restored an earlier approval since", async () => {
  const { calls, payouts, set } = await open(15);
  const s = { customerKey: "c1" };
  await calls.sale("y", daysAgo(2), s);
  await calls.sale("x", daysAgo(2), s);
  await calls.sale("z", daysAgo(2), { ...s, amountCents: 1 });
  const [y, x, z] = (await calls.commissions())
    .toSorted((a, b) => Number(a.id) - Number(b.id))
    .map(({ id }) => Number(id));
  await calls.decide(y ?? 0, "approved");
  await calls.decide(z ?? 0, "approved");
  await calls.refund("z", "rest", { refundId: "r" });
  const until = now + 100;
  set(now + 1_000);
  await calls.decide(x ?? 0, "approved");
  await calls.refund("z", "cancel", { refundId: "r" });
  const created = await payouts.change("create-payout", "one", { currency: "EUR", until });
  expect(created).toMatchObject({ ok: true, answer: { payout: { totalCents: 200 } } });
});

test("the audit accepts a correction of a fully refunded sale", async () => {
  const { world, calls, ledger } = await open(0);
  await calls.sale("s", daysAgo(2), { customerKey: "c1" });
  await calls.refund("s", "rest", { refundId: "r" });
  expect(await world.audit()).toEqual([]);
  const [row] = await world.rows("select * from sales where program_id = ? and transaction_id = 's'", world.programId);
  const sale = Object.fromEntries(
    Object.entries(row ?? {}).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      ["is_test", "is_recurring"].includes(name) ? Boolean(value) : value,
    ]),
  );
  const call = {
    kind: "correct-sale",
    operationId: randomBytes(8).toString("hex"),
    at: now,
    programId: world.programId,
    actorId: "one",
    sale,
    customerKey: "c1",
    firstTransactionId: "s",
    clicks: [],
    changes: { amountCents: 2_000 },
    reason: "wrong",
    isDryRun: false,
  };
  const outcome = await ledger.submit(ledger.changeTask(call as never, now)).outcome;
  expect(outcome).toMatchObject({ ok: true });
  expect(await world.audit()).toEqual([]);
});

test("the audit accepts a refunded sale that a later lead attributes", async () => {
  const { world, calls } = await open(0);
  await calls.sale("s", daysAgo(2), { customerKey: "c9" });
  await calls.refund("s", "rest", { refundId: "r" });
  await calls.lead("key", [calls.click(world.partner, daysAgo(4))], "c9");
  expect(await world.audit()).toEqual([]);
});
