import { expect, test } from "vitest";
import { dayIn } from "#domain/calendar.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Totals {
  readonly currency: string;
  readonly payableCents: number;
  readonly inPayoutCents: number;
  readonly carriedCents: number;
  readonly paidThisYearCents: number;
}
interface Page {
  readonly data: readonly { readonly partnerId: number; readonly currency: string; readonly payableCents: number }[];
  readonly meta: { readonly nextCursor: string | null; readonly totals: readonly Totals[] };
}

async function open(settings: WorldSettings = {}): Promise<SalesFixture> {
  const world = await people.world({ partners: [{}, {}], policies: [{ holdDays: 0 }], ...settings });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("c1");
  await shop.refer("c2", { partner: shop.bob });
  return shop;
}

const path = ({ world }: SalesFixture) => `/api/programs/${world.programId}`;
const list = async (shop: SalesFixture, query = "") =>
  (await people.viewer.get<Page>(`${path(shop)}/balances${query}`)).body;
const totalOf = async (shop: SalesFixture) => (await list(shop)).meta.totals[0];

test("the totals of the balances include all partners, by currency, whatever page is listed", async () => {
  const shop = await open();
  await shop.sell({ amount_cents: 1_000 });
  await shop.sell({ amount_cents: 5_000, customer_key: "c2" });
  await shop.sell({ amount_cents: 2_000, currency: "JPY" });
  const { data, meta } = await list(shop, "?currency=jpy");
  expect(data.map(({ currency }) => currency)).toEqual(["JPY"]);
  const nothing = { pendingCents: 0, inPayoutCents: 0, paidCents: 0, carriedCents: 0, paidThisYearCents: 0 };
  expect(meta.totals).toEqual([
    { currency: "EUR", ...nothing, payableCents: 1_200 },
    { currency: "JPY", ...nothing, payableCents: 400 },
  ]);
});

test("a negative balance does not reduce what other partners are paid", async () => {
  const shop = await open();
  await shop.sell({ transaction_id: "t" });
  const draft = { currency: "EUR", partnerIds: [shop.alice.id] };
  const { body } = await people.admin.post<{ data: { id: number } }>(`${path(shop)}/payouts`, draft);
  expect((await people.admin.post(`${path(shop)}/payouts/${body.data.id}/finalize`, {})).status).toBe(200);
  await shop.sell({ customer_key: "c2" });
  await shop.giveBack("t", { refund_amount_cents: 500 });
  expect(await totalOf(shop)).toMatchObject({ payableCents: 200, inPayoutCents: 200, carriedCents: -100 });
});

test("the total paid this year counts payments by their day in the program's time zone, and excludes failed payments", async () => {
  const timezone = "Pacific/Auckland";
  const shop = await open({ program: { timezone } });
  const pay = async (paidAt: string | undefined) => {
    await shop.sell();
    await shop.sell({ customer_key: "c2" });
    const made = await people.admin.post<{ data: { id: number } }>(`${path(shop)}/payouts`, { currency: "EUR" });
    const payout = `${path(shop)}/payouts/${made.body.data.id}`;
    expect((await people.admin.post(`${payout}/confirm`, { paidAt })).status).toBe(200);
    return payout;
  };
  const year = Number(dayIn(timezone, Date.now()).slice(0, 4));
  await pay(`${year - 1}-12-31T00:00:00+13:00`);
  expect(await totalOf(shop)).toMatchObject({ paidThisYearCents: 0, paidCents: 400 });
  await pay(`${year}-01-01T00:00:00+13:00`);
  expect(await totalOf(shop)).toMatchObject({ paidThisYearCents: 400 });
  await people.admin.post(`${await pay(undefined)}/lines/${shop.bob.id}/fail`, { reason: "Account closed" });
  expect(await totalOf(shop)).toMatchObject({ paidThisYearCents: 600, paidCents: 1_000, payableCents: 200 });
});

test("sorting by payable amount lists each balance once, highest first and negative ones last", async () => {
  const shop = await open();
  const { programId } = shop.world;
  const base = 2 ** 47 + programId;
  const numbers = "with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 70)";
  await shop.world.write(
    {
      sql: `insert into partners (id, program_id, name, status, is_synthetic, created_at)
        ${numbers} select ${base} + n, ?, 'name', 'active', 0, 1 from numbers`,
      args: [programId],
    },
    {
      sql: `insert into referral_links (id, program_id, partner_id, code, code_key, status, created_at)
        ${numbers} select ${base} + n, ?, ${base} + n, 'p' || n, 'p' || n, 'active', 1 from numbers`,
      args: [programId],
    },
    {
      sql: `insert into partner_balances (program_id, currency, partner_id, payable_cents)
        ${numbers} select ?, 'EUR', ${base} + n, n % 9 * iif(n % 2, 1, -1) from numbers`,
      args: [programId],
    },
  );
  const first = await list(shop, "?sort=payable&currency=EUR");
  const second = await list(shop, `?sort=payable&currency=EUR&cursor=${first.meta.nextCursor}`);
  const all = [...first.data, ...second.data];
  expect([first.data.length, second.data.length, second.meta.nextCursor]).toEqual([50, 20, null]);
  expect(new Set(all.map(({ partnerId }) => partnerId)).size).toBe(70);
  const amounts = all.map(({ payableCents }) => payableCents);
  expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
});

test("a list of balances with an unknown sort order or currency is refused", async () => {
  const reply = await people.viewer.get(`${path(await open())}/balances?sort=name&currency=EU`);
  expect([reply.status, invalidFields(reply)]).toEqual([400, ["currency", "sort"]]);
});
