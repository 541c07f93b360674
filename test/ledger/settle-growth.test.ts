import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { readSettlementPage } from "#store/views/settlements.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { instantSleep } from "../support/instant-sleep.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { payoutCalls } from "../support/payout-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase({ engine: "sqld" });
const now = daysAgo(0);
const clock = { now: () => now, sleep: instantSleep, random: () => 0.5 };
const pageSize = 10;

/** Finalizes a payout that has this number of lines and is settled by API, and settles half of the lines. */
async function settling(lines: number) {
  const partners = Array.from({ length: lines }, () => ({}));
  const world = await createWorld(own.server.url, { partners, policies: [{ holdDays: 0 }] });
  const ledger = ownLedger(own.proxy.url, clock);
  const payouts = payoutCalls(world, ledger, now);
  const by = { at: now, programId: world.programId, actorId: "one" };
  const bonuses = world.partners.map(({ id: partnerId }) => {
    const money = { partnerId, amountCents: 100, currency: "EUR", reference: "bonus", reason: "r", partnerNote: null };
    const operationId = randomBytes(8).toString("hex");
    const call = { ...by, operationId, kind: "create-adjustment", ...money };
    return ledger.submit(ledger.changeTask(call as never, now)).outcome;
  });
  for (const bonus of bonuses) expect(await bonus).toMatchObject({ ok: true });
  const { id: payoutId } = await payouts.create("EUR", { settledBy: "api" });
  expect(await payouts.change("finalize-payout", "one", { payoutId })).toMatchObject({ ok: true });
  const ids = (await world.rows("select id from payout_lines where payout_id = ? order by id", payoutId)).map(
    ({ id }) => Number(id),
  );
  /** Measures the last call, because the first ones also read settings. */
  const costOf = async (kind: "settle-line" | "fail-line", ...calls: readonly object[]) => {
    for (const call of calls) {
      own.proxy.resetCounts();
      const mailing = { mailsFrom: "https://service.example", recipients: [] };
      expect(await payouts.change(kind, "key 1", { payoutId, ...mailing, ...call })).toMatchObject({ ok: true });
    }
    const { statements, rows, rowsWritten } = own.proxy.counts;
    return { statements, rows, rowsWritten };
  };
  const half = ids.slice(0, lines / 2);
  const settlement = (lineId: number | undefined) => ({ lineId, settlementId: `s${lineId}`, settledAt: null });
  for (const lineId of half) await costOf("settle-line", settlement(lineId));
  const [first, second, third, fourth, fifth] = ids.slice(lines / 2);
  const failure = (id: number | undefined) => ({ line: { id }, reason: "No account", partnerNote: null });
  const costs = {
    settled: await costOf("settle-line", settlement(first), settlement(second)),
    again: await costOf("settle-line", settlement(second)),
    givenBack: await costOf("fail-line", failure(third), failure(fourth)),
    // The second settlement arrived before its line was given back, and is decided afterwards.
    late: await costOf("settle-line", settlement(third), { ...settlement(fourth), at: now - 4 }),
    returned: await costOf("fail-line", failure(first), failure(second)),
  };
  const listed: Record<string, unknown> = {};
  for (const state of [undefined, "due", "settled", "given_back"] as const) {
    own.proxy.resetCounts();
    const asked = { programId: world.programId, payoutId, state, after: (fifth ?? 0) - 1, limit: pageSize };
    await readSettlementPage(databaseAt(own.proxy.url), asked);
    const { statements, rows } = own.proxy.counts;
    listed[state ?? "all"] = { statements, isBounded: rows <= 10 * pageSize };
  }
  expect(await world.audit()).toEqual([]);
  return { costs, listed };
}

test("settling or failing a line, or reading a page of lines, costs the same in a small and in a large payout", async () => {
  const [small, large] = [await settling(20), await settling(120)];
  expect(large).toEqual(small);
});
