import { expect, test } from "vitest";
import { correctionFixture } from "../support/correction-fixture.ts";
import { dashboardOf, shown } from "../support/dashboard.ts";
import { queryText } from "../support/explain.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { partnerSide } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { at, daysAgo, hour } from "../support/program-fixture.ts";
import type { SalesFixture } from "../support/sales-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");
interface Explanation {
  readonly verdict: { readonly message: string; readonly sums: readonly object[] };
  readonly commission: {
    readonly calculation: readonly { readonly text: string }[];
    readonly entries: readonly { readonly kind: string; readonly by: object }[];
  } | null;
}
interface Commissions {
  readonly data: readonly { readonly transactionId: string; readonly corrected: boolean }[];
}

const { open, correct } = correctionFixture(people);

const hoursAgo = (hours: number) => daysAgo(0, -hours * hour);
/** One recent sale and one older sale, because readiness counts recent sales by row and older ones by daily counts. */
const soldAt = [hoursAgo(3), daysAgo(1, 1_000)];

interface OwnCommissions {
  readonly data: readonly { readonly status: string; readonly corrected: boolean; readonly amountCents: number }[];
}

interface Erased {
  readonly data: { readonly receiptId: string };
}
interface Receipt {
  readonly data: { readonly before: { readonly sales: readonly object[] }; readonly after: object };
}

const ownCommissions = async (side: string, query = "") =>
  (await shown(people.stranger.get<OwnCommissions>(`${side}/commissions${query}`))).data.map(
    ({ status, corrected, amountCents }) => [status, corrected, amountCents],
  );

interface DayEntries {
  readonly data: readonly { readonly kind: string; readonly amountCents: number; readonly transactionId: string }[];
}

const entriesOf = ({ world: { programId } }: SalesFixture, partnerId: number, day: string) =>
  people.viewer.get<DayEntries>(`/api/programs/${programId}/partners/${partnerId}/day-entries?day=${day}`);

interface OwnOverview {
  readonly totals: unknown;
  readonly days: readonly object[];
}

/**
 * Returns every report with counts or sums of sales, refunds and commissions, as members and partners read it, without
 * names.
 */
async function counted(shop: SalesFixture, side: string) {
  const { programId } = shop.world;
  const { performance, partners, overview, status, readiness } = dashboardOf(people.viewer, programId);
  const own = async <Data>(report: string) =>
    (await shown(people.stranger.get<{ data: Data }>(`${side}/${report}`))).data;
  const [totals, days] = [await shown(performance()), await shown(performance({ partnerId: shop.alice.id }))];
  const listed = await shown(partners());
  const { data } = await shown(overview());
  const ownOverview = await own<OwnOverview>("overview");
  const integration = (await shown(status())).data.statistics.payments;
  return {
    days: [totals.data, days.data],
    metrics: [totals.metrics, days.metrics],
    partners: listed.data.map(({ sales, revenueCents, refunds, refundedCents, commissionCents }) => ({
      ...{ sales, revenueCents, refunds, refundedCents, commissionCents },
    })),
    totals: listed.meta.totals,
    top: [data.landingPages, data.referrers, data.countries, data.devices],
    integration: integration.liveEventCount,
    lastDay: (await readiness()).body.counts24h,
    ownTotals: ownOverview.totals,
    ownDays: ownOverview.days,
    ownLinks: (await own<readonly Record<string, unknown>[]>("links")).map(
      ({ clicks, leads, sales, commissionCents }) => ({ clicks, leads, sales, commissionCents }),
    ),
  };
}

/** Records two sales of this amount, one with a refund of 5.00. Their customer is Alice's, who has two codes. */
async function sold(amountCents: number) {
  const { shop } = await open();
  const side = await partnerSide(shop.world, people.stranger, shop.alice.id);
  await shop.forge(
    ["links whose creation differs from the audit trail"],
    `insert into referral_links (id, program_id, partner_id, code, code_key, status, created_at)
      select max(id) + 1, program_id, partner_id, 'second-' || ?1, 'second-' || ?1, 'active', created_at
      from referral_links where partner_id = ?1`,
    shop.alice.id,
  );
  await shop.refer("c2", { clickAt: daysAgo(5) });
  const saleIds: number[] = [];
  for (const [i, instant] of soldAt.entries()) {
    const { body } = await shop.sell({
      transaction_id: `s${i}`,
      customer_key: "c2",
      amount_cents: amountCents,
      occurred_at: at(instant),
    });
    saleIds.push(body.sale_id);
  }
  await shop.giveBack("s0", { refund_id: "r", refund_amount_cents: 500, occurred_at: at(hoursAgo(2)) });
  return { shop, side, saleIds };
}

test("reports for members and partners count a corrected sale once, with its corrected values", async () => {
  const [right, wrong] = [await sold(5_900), await sold(1_900)];
  const wanted = await counted(right.shop, right.side);
  expect(wanted.metrics).toMatchObject([{ totalSales: 3, totalRevenueCents: 60_800, totalRefundedCents: 500 }, {}]);
  expect(wanted.ownLinks).toMatchObject([{ sales: 3 }, { sales: 0 }]);
  expect(await counted(wrong.shop, wrong.side)).not.toEqual(wanted);
  for (const saleId of wrong.saleIds) {
    const { after } = (await correct(wrong.shop, saleId, { amountCents: 9_900 })).body.data;
    expect((await correct(wrong.shop, Number(after.saleId), { amountCents: 5_900 })).status).toBe(200);
  }
  const corrected = await counted(wrong.shop, wrong.side);
  expect(corrected).toEqual(wanted);
  const [, ofAlice = []] = corrected.days;
  const earning = ofAlice.filter(({ commissionCents }) => commissionCents !== 0);
  expect(earning.length).toBeGreaterThan(1);
  for (const { date, commissionCents } of earning) {
    const entries = (await shown(entriesOf(wrong.shop, wrong.shop.alice.id, date))).data;
    expect([date, entries.reduce((sum, { amountCents }) => sum + amountCents, 0)]).toEqual([date, commissionCents]);
  }
  expect((await entriesOf(wrong.shop, 1, "2026-01-01")).status).toBe(404);
});

test("reports count a corrected sale without a partner once, as unattributed", async () => {
  const { shop } = await open();
  const { body } = await shop.sell({ transaction_id: "nobody", customer_key: "c3", amount_cents: 1_900 });
  await correct(shop, body.sale_id, { amountCents: 5_900 });
  const { metrics } = await shown(dashboardOf(people.viewer, shop.world.programId).performance());
  expect(metrics).toMatchObject({ totalOrganicSales: 1, totalOrganicRevenueCents: 5_900 });
});

test("the list of events and the accounting file contain the replaced sale and its replacement, and mark which is which", async () => {
  const { shop, sale } = await open();
  await correct(shop, sale.sale_id, { amountCents: 4_900 });
  const { data, meta } = await shown(dashboardOf(people.viewer, shop.world.programId).events());
  const kinds = data.map(({ event_type, transaction_id }) => `${event_type} ${transaction_id ?? ""}`.trim());
  expect(kinds.toSorted()).toEqual(["lead", "refund t", "sale t", "sale t~1"]);
  expect(meta.pagination.total).toBe(4);
  const said = data.map((event) => [event.transaction_id, event.corrected, event.correction]);
  expect(said).toContainEqual(["t", true, false]);
  expect(said).toContainEqual(["t~1", false, true]);
  expect(said).toContainEqual(["t", undefined, true]);
  const file = await people.viewer.get(
    `/api/programs/${shop.world.programId}/commissions?format=csv&columns=accounting`,
    { checked: false },
  );
  const [head = [], ...lines] = parseCsv(file.text);
  const cell = (line: readonly string[], name: string) => line[head.indexOf(name)];
  expect(lines.map((line) => [cell(line, "order_id"), cell(line, "correction")])).toEqual([
    ["t~1", "replacement"],
    ["t", "replaced"],
  ]);
  const ofPartner = await shown(
    dashboardOf(people.viewer, shop.world.programId).events({ partnerId: shop.alice.id, eventType: "refund" }),
  );
  expect([ofPartner.data.length, ofPartner.meta.pagination.total]).toEqual([1, 1]);
});

test("an explanation shows who corrected the sale, and the customer's sums exclude the replaced sale", async () => {
  const { shop, sale } = await open();
  const { after } = (await correct(shop, sale.sale_id, { amountCents: 4_900 })).body.data;
  const explain = async (query: Parameters<typeof queryText>[0]) => {
    const path = `/api/tracking/explain/${shop.world.programId}?${queryText(query)}`;
    return shown(people.viewer.get<Explanation>(path));
  };
  const of = await explain({ saleId: sale.sale_id });
  expect(of.verdict.message).toBe(
    `Partner ${shop.alice.code} earned nothing on this sale, because it was corrected: sale "t~1" counts instead.`,
  );
  expect(of.commission?.calculation.at(-1)?.text).toMatch(/^€[\d.]+ less for the correction$/);
  const byMember = { type: "member", name: expect.any(String) };
  expect(of.commission?.entries.map(({ kind, by }) => [kind, by])).toEqual([
    ["earned", { type: "api_key", name: null }],
    ["reversed", byMember],
  ]);
  const { commission } = await explain({ saleId: Number(after.saleId) });
  expect(commission?.entries.map(({ kind, by }) => [kind, by])).toEqual([["earned", byMember]]);
  const { verdict } = await explain({ customerKey: "c1" });
  expect(verdict.sums).toMatchObject([{ sales: 1, amountCents: 4_900, refundedCents: 0, commissionCents: 980 }]);
  const listed = await shown(people.viewer.get<Commissions>(`/api/programs/${shop.world.programId}/commissions`));
  expect(listed.data.map(({ transactionId, corrected }) => [transactionId, corrected])).toEqual([
    ["t~1", false],
    ["t", true],
  ]);
});

test("a sale corrected after its payout is shown to the partner as corrected, and listed as reversed, and its explanation states what the next payout deducts", async () => {
  const shop = await payoutsFixture(people);
  const side = await partnerSide(shop.world, people.stranger, shop.alice.id);
  const { transaction_id, commissionId } = await shop.earn(2_000);
  const { sale_id: saleId } = await shop.row("select sale_id from commissions where id = ?", commissionId);
  const finalize = async (reference: string) => {
    const { id } = (await shop.create({ reference })).body.data;
    expect((await shop.finalize(id)).status).toBe(200);
    return id;
  };
  const message = async () =>
    (await shown(people.viewer.get<Explanation>(`/api/tracking/explain/${shop.world.programId}?saleId=${saleId}`)))
      .verdict.message;
  const corrected = `Partner ${shop.alice.code} earned nothing on this sale, because it was corrected: sale "${transaction_id}~1" counts instead`;
  const first = await finalize("May");
  expect((await correct(shop, Number(saleId), { amountCents: 5_000 })).status).toBe(200);
  expect(await message()).toBe(`${corrected}, and the next payout deducts the €20.00 already in payout May.`);
  expect(await ownCommissions(side)).toEqual([
    ["approved", false, 1_000],
    ["approved", true, 0],
  ]);
  expect((await shop.confirm(first)).status).toBe(200);
  expect(await message()).toBe(`${corrected}, and the next payout deducts the €20.00 already paid.`);
  expect((await ownCommissions(side)).at(-1)).toEqual(["paid", true, 0]);
  const later = await shop.earn(3_000);
  await finalize("June");
  expect(await message()).toBe(`${corrected}; €20.00 was paid out with payout May, and payout June deducts €20.00.`);
  await shop.giveBack(later.transaction_id);
  expect(await ownCommissions(side, "?status=reversed")).toEqual([
    ["approved", false, 0],
    ["paid", true, 0],
  ]);
});

test("if a refunded sale is corrected, its explanation names a member, the partner sees it as corrected, and the receipt of the customer's erasure counts it once", async () => {
  const { shop, sale } = await open();
  const side = await partnerSide(shop.world, people.stranger, shop.alice.id);
  await shop.giveBack("t", { refund_id: "r" });
  const { body } = await correct(shop, sale.sale_id, { amountCents: 4_900 });
  const explanation = `/api/tracking/explain/${shop.world.programId}?saleId=${body.data.after.saleId}`;
  const { commission } = await shown(people.viewer.get<Explanation>(explanation));
  expect(commission?.entries.map(({ kind, by }) => [kind, by])).toEqual([
    ["earned", { type: "member", name: expect.any(String) }],
    ["reversed", { type: "member", name: expect.any(String) }],
  ]);
  expect(await ownCommissions(side)).toEqual([
    ["reversed", false, 0],
    ["reversed", true, 0],
  ]);
  const path = `/api/programs/${shop.world.programId}/privacy`;
  const erased = { customerKey: "c1", confirm: true };
  const { receiptId } = (await shown(people.owner.post<Erased>(`${path}/erase`, erased))).data;
  const { before, after } = (await shown(people.owner.get<Receipt>(`${path}/receipts/${receiptId}`))).data;
  expect(before.sales).toMatchObject([{ sales: 1, amountCents: 4_900, refundedCents: 4_900 }]);
  expect(after).toEqual(before);
});
