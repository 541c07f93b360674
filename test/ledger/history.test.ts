import fc from "fast-check";
import { expect, test } from "vitest";
import type { Api } from "../../harness/client.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { at, day, daysAgo } from "../support/program-fixture.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import { type Click, type Command, CustomerModel, type Terms } from "./history-model.ts";

// Histories start 24 days ago and advance two days per step. Late reports are leads. No two instants are equal. Some
// clicks are too old or in the future. Only a few amounts occur, so that refunds often equal the sale's amount.
const maxSteps = 12;
const stepAt = (step: number): number => daysAgo(24 - 2 * step);
const clickDays = [29, 27, 25, 23, 19, 11, 3];
const windowDays = 14;
const holdDays = 15;
const rates = [2_000, 3_333] as const;
const renewalRateBps = 777;
const rules = [{ when: { isRecurring: true }, rateBps: renewalRateBps }];
const numRuns = Number(process.env.HISTORY_RUNS ?? 2);

const click = fc.option(fc.nat(clickDays.length - 1), { nil: undefined, freq: 3 });
const transaction = fc.constantFrom("t0", "t1", "t2");
const command = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("lead"), click, lateDays: fc.constantFrom(0, 7, 15) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("sale"),
      transaction,
      amountCents: fc.constantFrom(3, 10, 1_005, 10 ** 11),
      click,
      subscription: fc.constantFrom(undefined, "s0", "s0", "s1"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("refund"),
      transaction,
      amountCents: fc.constantFrom(undefined, undefined, 1, 2, 335, 33_333_333_333),
      refundId: fc.constantFrom(undefined, "r0", "r1"),
    }),
  },
);
const step = fc.record({ command, copies: fc.constantFrom(1, 1, 2, 6) });
const steps = fc.array(step, { minLength: 6, maxLength: maxSteps });
type Steps = typeof steps extends fc.Arbitrary<infer T> ? T : never;

interface SentClick extends Click {
  readonly clickId: string;
}

/** Sends clicks of both partners alternately, each twice concurrently with one event id. */
async function sendClicks(api: Api, { partners, programId, key }: World): Promise<SentClick[]> {
  return Promise.all(
    clickDays.map(async (days, i) => {
      const { code, landingUrl } = partners[i % 2] ?? { code: "", landingUrl: "" };
      const body = {
        affiliate_url: landingUrl,
        program_id: programId,
        event_id: `e${i}`,
        occurred_at: at(daysAgo(days)),
      };
      const replies = await Promise.all([api.click(body, { key }), api.click(body, { key })]);
      expect(replies.map(({ body }) => body.click_id)).toEqual(Array(2).fill(expect.any(String)));
      expect(replies[0].body.click_id).toBe(replies[1].body.click_id);
      return { code, at: daysAgo(days), clickId: replies[0].body.click_id };
    }),
  );
}

async function send(
  api: Api,
  { key }: World,
  customer_key: string,
  sent: Command,
  clickId: string | undefined,
): Promise<string> {
  if (sent.kind === "lead") {
    const { body } = await api.lead({ customer_key, click_id: clickId, occurred_at: at(sent.at) }, { key });
    return body.attributed ? body.partner_code : "nobody";
  }
  const transaction_id = `${customer_key} ${sent.transaction}`;
  if (sent.kind === "sale") {
    const sale = {
      transaction_id,
      amount_cents: sent.amountCents,
      customer_key,
      click_id: clickId,
      subscription_id: sent.subscription && `${customer_key} ${sent.subscription}`,
      is_recurring: "auto",
      occurred_at: at(sent.at),
    };
    const { status, body } = await api.sale(sale, { key });
    if (status !== 200) return String(status);
    return `${body.partner_code ?? "nobody"} ${body.commission.amount_cents} ${body.is_recurring}`;
  }
  const refund = { transaction_id, refund_amount_cents: sent.amountCents, refund_id: sent.refundId };
  const { status, body } = await api.refund(refund, { key });
  if (status !== 200) return String(status);
  return body.status === "skipped" ? "skipped" : `${body.status} ${body.commission_amount_cents}`;
}

const salesOf = async (world: World, customerKey: string) => {
  const rows = await world.rows(
    `select transaction_id, partner_code, refunded_cents, c.amount_cents, status, is_recurring from sales s
     join commissions c on c.sale_id = s.id where s.program_id = ? and sent_customer_key = ?`,
    ...[world.programId, customerKey],
  );
  return Object.fromEntries(
    rows.map((row) => [
      String(row.transaction_id).replace(`${customerKey} `, ""),
      [row.partner_code, row.refunded_cents, row.amount_cents, row.status, row.is_recurring],
    ]),
  );
};

/** Sends one customer's history. The copies of each step are sent concurrently. */
async function live(
  to: { api: Api; world: World; clicks: readonly SentClick[] },
  name: string,
  history: Steps,
  terms: Terms,
) {
  const model = new CustomerModel(terms);
  for (const [i, { command, copies }] of history.entries()) {
    const shown = "click" in command && command.click !== undefined ? to.clicks[command.click] : undefined;
    const late = "lateDays" in command ? command.lateDays * day : 0;
    const sent = { ...command, click: shown, at: stepAt(i) - late } as Command;
    const each = Array.from({ length: copies });
    const answers = await Promise.all(each.map(() => send(to.api, to.world, name, sent, shown?.clickId)));
    const expected = each.map(() => model.take(sent));
    expect(answers.sort(), `step ${i} of ${name}`).toEqual(expected.sort());
  }
  expect(await salesOf(to.world, name)).toEqual(model.sales(Date.now()));
}

test("calls have the results that the contract states, in any order and with any repetition", async () => {
  const windowUntil = fc.constantFrom("lead" as const, "first_sale" as const);
  const history = fc.asyncProperty(windowUntil, steps, steps, steps, async (windowUntil, ...histories) => {
    const api = sharedApi();
    const world = await createWorld(sharedService.databaseUrl, {
      program: { attributionWindowDays: windowDays, windowUntil, timezone: "Asia/Tokyo" },
      policies: [{ rateBps: rates[0], holdDays, rules }],
      partners: [{}, { policies: [{ rateBps: rates[1], holdDays, rules }] }],
    });
    const rateBps = Object.fromEntries(world.partners.map(({ code }, i) => [code, rates[i] ?? 0]));
    const terms = { windowMs: windowDays * day, windowUntil, holdMs: holdDays * day, rateBps, renewalRateBps };
    const clicks = await sendClicks(api, world);
    // Two customers with keys stay separate even if they have used the same click.
    await Promise.all(histories.map((history, i) => live({ api, world, clicks }, `customer-${i}`, history, terms)));
    await expectLedgerConsistent(world);
  });
  await fc.assert(history, { numRuns, interruptAfterTimeLimit: 600_000 });
});
