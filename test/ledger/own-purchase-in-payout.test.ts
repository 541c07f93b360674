import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Database } from "#store/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { asksNothing, payoutCalls } from "../support/payout-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase();
const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };

/** Commits the hold of the partner's own purchase only after the payout's candidates, if they are read meanwhile. */
function databaseWithLateHold() {
  const real = databaseAt(own.server.url);
  let reading: Promise<unknown> | undefined;
  const database: Database = {
    ...real,
    read(statements) {
      const read = real.read(statements);
      if (statements.some(({ sql }) => sql.includes("payout_gaps"))) reading = read;
      return read;
    },
    async write(statements) {
      if (statements.some(({ sql }) => sql.includes("self_referral"))) {
        reading = undefined;
        for (let turn = 0; turn < 10; turn += 1) await setImmediate();
        await reading;
      }
      return real.write(statements);
    },
  };
  return database;
}

/** Opens a shop in which a customer known only by a click bought for 4,900 cents; the draft includes that commission. */
async function open() {
  const ledger = ledgerOn(databaseWithLateHold(), clock);
  const world = await createWorld(own.server.url, { policies: [{ holdDays: 0 }], partners: [{}] });
  const { partner, rows, programId } = world;
  await rows("update partners set external_id = 'user-1' where id = ? returning 1", partner.id);
  const calls = callsOf(world, ledger);
  const click = calls.click(partner, daysAgo(4));
  const clicked = { clicks: [click], clickId: click.clickId, sentClickId: true };
  await calls.sale("t1", now, { customerKey: null, amountCents: 4_900, ...clicked });
  const { id: payoutId } = await payoutCalls(world, ledger, now).create("EUR");
  await calls.lead("key", [calls.click(partner, daysAgo(3))], "c2", { occurredAt: daysAgo(2) });
  await calls.sale("t2", now, { customerKey: "c2", amountCents: 25_000 });
  const by = { operationId: "finalize", at: now, programId, actorId: "owner" };
  const finalize = ledger.changeTask({ ...by, ...asksNothing, kind: "finalize-payout", payoutId } as never, now);
  return { ...calls, world, click, clicked, finalize };
}

const held = "select held_at is not null as held from commissions where program_id = ? order by id limit 1";

test("a payout doesn't pay a partner's own purchase if a sale whose customer_key reveals this purchase is decided together with the finalization", async () => {
  const { world, together, saleTask, clicked, finalize } = await open();
  const sale = saleTask("t3", now, { customerKey: "user-1", amountCents: 100, ...clicked });
  const [sold, finalized] = await together(sale, finalize);
  expect(sold).toMatchObject({ ok: true });
  expect(await world.rows(held, world.programId)).toEqual([{ held: 1 }]);
  expect(finalized).toMatchObject({ ok: false, refusal: { code: "all_left_out" } });
  expect(await world.audit()).toEqual([]);
});

test("a payout doesn't pay a partner's own purchase if a lead whose customer_key reveals this purchase is decided together with the finalization", async () => {
  const { world, together, leadTask, click, finalize } = await open();
  const [known, finalized] = await together(leadTask("key", [click], "user-1"), finalize);
  expect(known).toMatchObject({ ok: true });
  expect(await world.rows(held, world.programId)).toEqual([{ held: 1 }]);
  expect(finalized).toMatchObject({ ok: false, refusal: { code: "all_left_out" } });
  expect(await world.audit()).toEqual([]);
});
