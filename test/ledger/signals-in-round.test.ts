import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { dateUtc } from "#domain/calendar.ts";
import type { Task } from "#engine/task.ts";
import { type ClickRow, emptyClick } from "#store/clicks.ts";
import type { Database } from "#store/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { asksNothing, payoutCalls } from "../support/payout-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase({ engine: "sqld" });
const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };

/**
 * Opens a shop with two sales of one payment: `in_1`, of 200 cents, is payable, and the commission of `pi_1` is held.
 */
async function open(at = now) {
  const real = databaseAt(own.server.url);
  let looked: PromiseWithResolvers<void> | undefined;
  let beforeRead = () => {};
  const isLook = ({ sql }: { readonly sql: string }) => sql.includes("c.review_until is not null");
  const database: Database = {
    ...real,
    async read(statements) {
      if (statements.some(isLook)) return real.read(statements).finally(() => looked?.resolve());
      beforeRead();
      await looked?.promise;
      return real.read(statements);
    },
  };
  const ledger = ledgerOn(database, clock);
  const program = { reviewDays: 1, blockedHosts: '["coupons.example"]' };
  const world = await createWorld(own.server.url, { policies: [{ holdDays: 0 }], program });
  const calls = callsOf(world, ledger);
  const click = calls.click(world.partner, daysAgo(4));
  await calls.lead("key", [click], "c1", { occurredAt: daysAgo(3) });
  await calls.sale("in_1", at, { at });
  await calls.sale("pi_1", at, { at });
  const { id: payoutId } = await payoutCalls(world, ledger, now).create("EUR");
  const by = () => ({
    ...{ operationId: randomBytes(8).toString("hex"), at: now, programId: world.programId, actorId: "owner" },
  });
  const states = async () =>
    (
      await world.rows(
        `select s.transaction_id as sale, c.status || iif(c.held_at is null, '', ', held') as state,
           (select group_concat(g.code || ' ' || g.effect || iif(g.ended_at is null, '', ', over'))
            from commission_signals g where g.commission_id = c.id) as signals
         from sales s join commissions c on c.sale_id = s.id where s.program_id = ? order by s.id`,
        world.programId,
      )
    ).map(({ sale, state, signals }) => `${sale} ${state}: ${signals}`);
  const { spill, loop } = ledger;
  const keepClick = (clickId: string, referrerUrl: string) =>
    spill.keep({
      ...{ ...(emptyClick as ClickRow), programId: world.programId, isTest: false, clickId },
      ...{ linkId: world.partner.linkId, partnerId: world.partner.id },
      ...{ source: "browser", isBot: false, isPrefetch: false, referrerUrl },
      ...{ occurredAt: daysAgo(4), createdAt: now, day: dateUtc(daysAgo(4)) },
    });
  return {
    ...calls,
    world,
    states,
    finalize: () => {
      const call = { ...by(), ...asksNothing, kind: "finalize-payout", payoutId };
      return ledger.changeTask(call as never, now);
    },
    /**
     * Runs the task in the round that writes a click from a blocked site. Both sales are based on this click. The task
     * is decided after this many reads.
     */
    besideKeptClick: async (task: Task, reads: number) => {
      const { clickId } = calls.click(world.partner, daysAgo(2));
      keepClick(clickId, "https://else.example");
      // This maintenance lets the Ledger read in advance what it needs to raise signals.
      await loop.maintain();
      await expect.poll(() => spill.isEmpty).toBe(true);
      let left = reads;
      beforeRead = () => {
        left -= 1;
        if (left === 0) keepClick(click.clickId, "https://coupons.example");
      };
      const outcome = await ledger.submit(task).outcome;
      await expect.poll(() => spill.isEmpty).toBe(true);
      return outcome;
    },
    /** Runs the task in the round that ends the review of `pi_1`. */
    besideEnd: async (task: Task) => {
      looked = Promise.withResolvers();
      const [outcome] = await Promise.all([ledger.submit(task).outcome, loop.maintain()]);
      await expect.poll(states).not.toContainEqual(expect.stringContaining("held"));
      return outcome;
    },
  };
}

const duplicate = "duplicate_source hold";

it("a commission refunded in the batch of calls that holds it is still held after the refund is canceled", async () => {
  const { besideKeptClick, refundTask, refund, states, world } = await open();
  expect(await besideKeptClick(refundTask("in_1", "rest", { refundId: "r1" }), 1)).toEqual(
    expect.objectContaining({ ok: true }),
  );
  expect((await states())[0]).toBe("in_1 reversed, held: blocked_source hold");
  await refund("in_1", "cancel", { refundId: "r1" });
  expect((await states())[0]).toBe("in_1 pending, held: blocked_source hold");
  expect(await world.audit()).toEqual([]);
});

it("a payout finalized in the batch of calls that would hold a commission contains the commission, which is flagged instead of held", async () => {
  const { besideKeptClick, finalize, states, world } = await open();
  expect(await besideKeptClick(finalize(), 2)).toEqual(expect.objectContaining({ ok: true }));
  expect(await states()).toEqual([
    "in_1 approved: blocked_source flag",
    `pi_1 pending, held: blocked_source hold,${duplicate}`,
  ]);
  const lines = await world.rows("select amount_cents from payout_lines where program_id = ?", world.programId);
  expect(lines).toEqual([{ amount_cents: 200 }]);
  expect(await world.audit()).toEqual([]);
});

it("a commission refunded in the batch of calls that ends its review is payable if the refund is canceled", async () => {
  const { besideEnd, refundTask, refund, states, world } = await open(daysAgo(2));
  expect(await besideEnd(refundTask("pi_1", "rest", { refundId: "r1" }))).toEqual(
    expect.objectContaining({ ok: true }),
  );
  expect((await states())[1]).toBe(`pi_1 reversed: ${duplicate}, over`);
  await refund("pi_1", "cancel", { refundId: "r1" });
  expect((await states())[1]).toBe(`pi_1 approved: ${duplicate}, over`);
  expect(await world.audit()).toEqual([]);
});

it("a payout finalized in the batch of calls that ends a review doesn't contain the reviewed commission", async () => {
  const { besideEnd, finalize, states, world } = await open(daysAgo(2));
  expect(await besideEnd(finalize())).toEqual(expect.objectContaining({ ok: true }));
  expect(await states()).toEqual(["in_1 approved: null", `pi_1 approved: ${duplicate}, over`]);
  expect(await world.audit()).toEqual([]);
});
