/** @module-tag soak */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { payoutCalls } from "../support/payout-calls.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

/** A payout can have 10,000 lines. A program can have 50,000 partners, most of them below the minimum. */
test.each(
  sampled([
    ["10,000 lines with long names", 10_000, "Ж".repeat(100), 0],
    ["one line, with 15,000 partners below the minimum,", 15_000, "Partner", 5_000_000],
  ]),
)("a payout of %s can be finalized, and its lines given back in one commit", async (_case, n, name, minimumCents) => {
  const now = Date.now();
  const clock = { now: () => now, sleep: (ms: number) => delay(ms), random: () => 0.5 };
  const ledger = ownLedger(database.url, clock);
  const world = await createWorld(database.url, { policies: [{ holdDays: 0 }] });
  const p = world.programId;
  const [top] = await world.rows("select max(id) as id from partners");
  const base = Number(top?.id);
  const series = "with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)";
  await world.write(
    {
      sql: `insert into partners (id, program_id, name, email, email_hash, status, is_synthetic, created_at)
      ${series} select ? + i, ?, ? || i, 'partner' || i || '@some-partner-shop.example', 'of an address', 'active', 0, 0 from n`,
      args: [n, base, p, name],
    },
    {
      sql: `insert into partner_balances (program_id, currency, partner_id, payable_cents)
      ${series} select ?, 'EUR', ? + i, iif(i = 1, 9000000, 1000 + i) from n`,
      args: [n, p, base],
    },
    {
      sql: `insert into referral_links (id, program_id, partner_id, code, code_key, status, created_at)
      ${series} select ? + i, ?, ? + i, 'code' || i, 'code' || i, 'active', 0 from n`,
      args: [n, base, p, base],
    },
  );
  const payouts = payoutCalls(world, ledger, now);
  const created = await payouts.change("create-payout", "one", {
    currency: "EUR",
    settledBy: "api",
    ...(minimumCents > 0 && { minimumCents }),
  });
  expect(created).toMatchObject({ ok: true });
  if (!created.ok) return;
  const { id: payoutId } = (created.answer as { payout: { id: number } }).payout;
  const finalized = await payouts.change("finalize-payout", "one", { payoutId });
  expect(finalized).toMatchObject({ ok: true });
  const canceled = await payouts.change("cancel-payout", "one", { payoutId });
  expect(canceled).toMatchObject({ ok: true, answer: { payout: { status: "canceled" } } });
});
