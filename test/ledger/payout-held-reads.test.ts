import { expect, test } from "vitest";
import { createWorld } from "../../harness/world.ts";
import { instantSleep } from "../support/instant-sleep.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { payoutCalls } from "../support/payout-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase({ engine: "sqld" });

test("repeating a sale whose commission is in no payout line reads no more rows after 200 later payouts than after 20", async () => {
  const now = daysAgo(0);
  const ledger = ownLedger(own.proxy.url, { now: () => now, sleep: instantSleep, random: () => 0.5 });
  const world = await createWorld(own.server.url, { partners: [{}], policies: [{ holdDays: 0 }] });
  const { lead, sale, saleTask, click } = callsOf(world, ledger);
  const { create, change } = payoutCalls(world, ledger, now);
  await lead("key", [click(world.partner, daysAgo(3))]);
  await sale("t", daysAgo(1));
  const { id: payoutId } = await create("EUR");
  expect(await change("confirm-payout", "one", { payoutId })).toMatchObject({ ok: true });

  // The triggers would reject ranges that no payout has written.
  const triggers = await world.rows(
    "select name from sqlite_master where type = 'trigger' and tbl_name = 'payout_ranges'",
  );
  await world.write(...triggers.map(({ name }) => `drop trigger ${name}`));

  const [held] = await world.rows(
    "select currency, partner_id, to_number from payout_ranges where payout_id = ?",
    payoutId,
  );
  // This is the state after a failed payment.
  await world.write({ sql: "delete from payout_ranges where payout_id = ?", args: [payoutId] });
  const rowsAfter = async (from: number, upTo: number) => {
    await world.write({
      sql: `insert into payout_ranges with recursive numbers(v) as (select ?1 union all select v + 1 from numbers where v < ?2)
        select ?3, ?4, ?5, ?6 + v * 10, ?6 + v * 10 - 5, ?7 from numbers`,
      args: [
        from,
        upTo,
        world.programId,
        String(held?.currency),
        Number(held?.partner_id),
        Number(held?.to_number),
        payoutId,
      ],
    });
    own.proxy.resetCounts();
    const { outcome } = ledger.submit(saleTask("t", daysAgo(1)));
    expect(await outcome).toMatchObject({ refusal: { sale: { commission: { status: "approved" } } } });
    return own.proxy.counts.rows;
  };
  const rows = await rowsAfter(1, 20);
  expect(await rowsAfter(21, 200)).toBe(rows);
});
