import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { createApi, type Json, type Reply } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { eventually } from "../support/isolated-service.ts";

export class Answers {
  /** The click ids by event id. */
  readonly clicks = new Map<string, string>();
  /** The sale ids by transaction id. Undefined if the caller got no response and gave up. */
  readonly sales = new Map<string, number | undefined>();
  /** The transaction ids whose refund was answered. */
  readonly refunds = new Set<string>();
}

export interface Target extends Pick<World, "programId" | "key"> {
  readonly partner: Pick<World["partner"], "landingUrl">;
}

export interface Traffic extends Pick<Answers, "clicks" | "sales"> {
  readonly customers: number;
}

const attemptMs = 12_000;

/** Retries like the SDK, but sooner, until the response isn't a failure of the service. */
async function insist<T>(call: (signal: AbortSignal) => Promise<Reply<T>>): Promise<Reply<T>> {
  for (let pause = 50; ; pause = Math.min(pause * 2, 800)) {
    const reply = await call(AbortSignal.timeout(attemptMs)).catch(() => undefined);
    if (reply !== undefined && reply.status < 500 && reply.status !== 429) return reply;
    await delay(pause * (0.5 + Math.random()));
  }
}

export const priceOf = (i: number): number => 1_000 + 7 * i;
export const refundOf = (i: number): number => 1 + 3 * i;
const isReferred = (i: number): boolean => i % 4 !== 3;

/**
 * Sends each customer's click, lead, sale and refund to the URLs in turn. Sends the sale and the refund twice
 * concurrently.
 */
export async function traffic(
  world: Target,
  urls: readonly string[],
  { customers, everyMs, from = 0 }: { customers: number; everyMs: number; from?: number },
  { clicks, sales, refunds } = new Answers(),
): Promise<Traffic> {
  const apis = urls.map((url) => createApi(url));
  const by = (i: number) => apis[i % apis.length] ?? createApi("");
  const { key, programId, partner } = world;
  const sale = (i: number, caller: number) => (signal: AbortSignal) =>
    by(caller).sale({ transaction_id: `t${i}`, amount_cents: priceOf(i), customer_key: `u${i}` }, { key, signal });

  const live = async (i: number) => {
    await delay((i - from) * everyMs);
    const click = { affiliate_url: partner.landingUrl, program_id: programId, event_id: `e${i}` };
    const clicked = await Promise.all(
      [i, i + 1].map((caller) => insist((signal) => by(caller).click(click, { signal }))),
    );
    for (const { status } of clicked) expect(status).toBe(200);
    // Two Ledgers can't coordinate and may both accept a click. The database determines which one counts.
    const click_id = clicked[0]?.body.click_id ?? "";
    clicks.set(`e${i}`, click_id);

    const lead: Json = isReferred(i) ? { click_id, customer_key: `u${i}` } : { customer_key: `u${i}` };
    const led = await insist((signal) => by(i).lead(lead, { key, signal }));
    expect(led.body).toMatchObject({ success: true, attributed: isReferred(i) });

    const sold = await Promise.all([insist(sale(i, i)), insist(sale(i, i + 1))]);
    for (const { status, text } of sold) expect([200, 409], text).toContain(status);
    const ids = sold.map(({ body }) => body.sale_id ?? Number(body.error.details.sale_id));
    expect(ids[0]).toBe(ids[1]);
    sales.set(`t${i}`, ids[0]);

    const refund = { transaction_id: `t${i}`, refund_amount_cents: refundOf(i), refund_id: "r" };
    const refunded = await Promise.all(
      [i, i + 1].map((caller) => insist((signal) => by(caller).refund(refund, { key, signal }))),
    );
    for (const { status, body } of refunded) {
      expect(status).toBe(200);
      expect(body).toMatchObject({ sale_id: ids[0], refunded_cents: refundOf(i), refunded_total_cents: refundOf(i) });
    }
    refunds.add(`t${i}`);

    // This call is never retried.
    const impatient = { transaction_id: `once-${i}`, amount_cents: 500, customer_key: `once-${i}` };
    const once = await by(i)
      .sale(impatient, { key, signal: AbortSignal.timeout(1_000) })
      .catch(() => undefined);
    sales.set(impatient.transaction_id, once?.status === 200 ? once.body.sale_id : undefined);
  };
  await Promise.all(Array.from({ length: customers }, (_, i) => live(from + i)));
  return { customers, clicks, sales };
}

/**
 * Checks that everything answered is recorded once and everything else at most once, that nothing else is recorded, and
 * that the ledger is consistent.
 */
export async function expectOnce(
  world: Pick<World, "programId" | "rows" | "audit">,
  all: readonly Traffic[],
): Promise<void> {
  const { programId, rows, audit } = world;
  const customers = all.reduce((sum, traffic) => sum + traffic.customers, 0);
  // Clicks kept while the database was unreachable are flushed later.
  await eventually(
    () => rows("select count(*) as n from clicks where not is_test and program_id = ?", programId),
    ([row]) => Number(row?.n) >= customers,
    30_000,
  );
  const clicks = await rows("select event_id, click_id from clicks where not is_test and program_id = ?", programId);
  const events = all.flatMap((traffic) => [...traffic.clicks.keys()]);
  expect(clicks.map((row) => row.event_id).sort()).toEqual(events.sort());

  const stored = await rows(
    `select transaction_id, s.id, s.amount_cents, refunded_cents, s.partner_id is not null as referred,
       c.initial_cents, c.amount_cents as left_cents
     from sales s join commissions c on c.sale_id = s.id where not s.is_test and s.program_id = ?`,
    programId,
  );
  const byTransaction = new Map(stored.map((row) => [String(row.transaction_id), row]));
  expect(byTransaction.size).toBe(stored.length);
  const sent = new Map(all.flatMap((traffic) => [...traffic.sales]));
  for (const transaction of byTransaction.keys()) expect(sent.has(transaction), transaction).toBe(true);
  for (const [transaction, id] of sent) {
    if (id !== undefined) expect(byTransaction.get(transaction)?.id, transaction).toBe(id);
    if (!transaction.startsWith("t")) continue;
    const i = Number(transaction.slice(1));
    const initial = isReferred(i) ? Math.round(priceOf(i) * 0.2) : 0;
    expect(byTransaction.get(transaction), transaction).toMatchObject({
      amount_cents: priceOf(i),
      refunded_cents: refundOf(i),
      referred: isReferred(i) ? 1 : 0,
      initial_cents: initial,
      left_cents: Math.round((initial * (priceOf(i) - refundOf(i))) / priceOf(i)),
    });
  }
  const [people] = await rows(
    `select count(*) as customers, (select count(*) from leads where program_id = :p) as leads,
       (select count(*) from refunds where program_id = :p) as refunds
     from customers where program_id = :p and customer_key like 'u%'`.replaceAll(":p", String(programId)),
  );
  expect(people).toMatchObject({ customers, leads: customers, refunds: customers });
  expect(await audit(), "what the audit finds").toEqual([]);
}

/** Has the Ledger cache the world's link, so that it accepts clicks on the link during an outage. */
export async function knownTo<T extends Target>(url: string, world: T): Promise<T> {
  await insist((signal) =>
    createApi(url).click(
      { affiliate_url: world.partner.landingUrl, program_id: world.programId, additional_data: { test_mode: true } },
      { signal },
    ),
  );
  return world;
}
