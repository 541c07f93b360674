import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { SaleCorrection } from "#operations/manage/correction.ts";
import { findCorrectableSale } from "#store/views/correctable-sale.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld, type WorldSettings } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { uniqueWord } from "../support/unique-word.ts";

export const anna = 0;
export const ben = 1;
export const clara = 2;

/** Opens a shop with the partners anna, ben and clara. Their sales are held for 15 days by default. */
export async function openShop(databaseUrl: string, settings: WorldSettings = {}) {
  const world = await createWorld(databaseUrl, {
    partners: ["anna", "ben", "clara"].map((name) => ({ code: uniqueWord(name) })),
    coupons: [
      { codes: ["BEN10", "promo_1"], partner: ben },
      { codes: ["CLARA5"], partner: clara },
      { codes: ["ANNA5"], partner: anna },
    ],
    ...settings,
  });
  const calls = callsOf(world, databaseUrl);
  const names = ["anna", "ben", "clara"];
  const nameOf = (id: unknown) => names[world.partners.findIndex((partner) => partner.id === id)] ?? null;
  const click = (partner: number, days: number) => {
    const of = world.partners[partner];
    if (of === undefined) throw new Error("no such partner");
    return calls.click(of, daysAgo(days));
  };
  const sell = (transactionId: string, days: number, ...couponCodes: string[]) =>
    calls.sale(transactionId, daysAgo(days), { amountCents: 4_900, couponCodes });
  const refer = (partner: number, clickDays: number, days = clickDays, customerKey = "c1") =>
    calls.lead("key", [click(partner, clickDays)], customerKey, { occurredAt: daysAgo(days) });
  /** Returns for each transaction id: partner, source, status, amount and the outcome of each coupon. */
  const books = async () => {
    const rows = await world.rows(
      `select s.transaction_id as t, c.partner_id, c.source, c.status, c.reason, c.amount_cents, c.explanation
       from commissions c join sales s on s.id = c.sale_id where c.program_id = ? order by s.occurred_at, s.id`,
      world.programId,
    );
    return Object.fromEntries(
      rows.map(({ t, partner_id, source, status, reason, amount_cents, explanation }) => {
        const { coupons = [] } = JSON.parse(String(explanation)) as { coupons?: { outcome: string }[] };
        const outcomes = coupons.map(({ outcome }) => outcome);
        return [String(t), [nameOf(partner_id), source ?? reason, status, amount_cents, ...outcomes]];
      }),
    );
  };
  const balances = async () =>
    Object.fromEntries(
      (
        await world.rows(
          `select partner_id, sum(amount_cents) as cents from ledger_entries where program_id = ? group by 1 having cents <> 0`,
          world.programId,
        )
      ).map(({ partner_id, cents }) => [nameOf(partner_id), cents]),
    );
  type Change = Parameters<typeof calls.ledger.changeTask>[0];
  const attempt = (call: Partial<Change> & Pick<Change, "kind">): Promise<unknown> => {
    const by = { operationId: randomBytes(8).toString("hex"), at: daysAgo(0), actorId: "someone" };
    const task = calls.ledger.changeTask({ ...by, programId: world.programId, ...call } as Change, daysAgo(0));
    return calls.ledger.submit(task).outcome;
  };
  const change = async (call: Parameters<typeof attempt>[0]) => expect(await attempt(call)).toMatchObject({ ok: true });
  /** `clicks` are the clicks that the original call sent with the sale. */
  const correct = async (
    transactionId: string,
    changes: SaleCorrection,
    clicks: readonly ReturnType<typeof click>[] = [],
  ) => {
    const { programId } = world;
    const [row] = await world.rows(
      "select id from sales where program_id = ? and transaction_id = ?",
      ...[programId, transactionId],
    );
    const found = await findCorrectableSale(databaseAt(databaseUrl), programId, Number(row?.id));
    await change({ ...found, kind: "correct-sale", clicks, changes, reason: "wrong", isDryRun: false });
  };
  const consistent = async () => {
    expect(calls.ledger.faults).toEqual([]);
    expect(await world.audit()).toEqual([]);
  };
  return { world, ...calls, click, sell, refer, books, balances, attempt, change, correct, consistent };
}
