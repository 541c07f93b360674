import { expect, it } from "vitest";
import { openDashboard, shown } from "../support/dashboard.ts";
import { inTestMode, programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const open = () => openDashboard(people);

async function openCommissions(): Promise<SalesFixture> {
  return salesFixture(programFixture(await people.world({ partners: [{}, {}] }), sharedApi()));
}

interface Page {
  readonly data: { readonly id: number }[];
}
const list = async ({ world }: SalesFixture, query: string) =>
  (await people.viewer.get<Page>(`/api/programs/${world.programId}/commissions${query}`)).body;

it("events can be filtered by a sale or a customer, with pages and a total", async () => {
  const shop = await open();
  const { click_id } = await shop.visit();
  await shop.lead({ customer_key: "c1", click_id });
  const one = await shop.sale({ customer_key: "c1", transaction_id: "one" });
  await shop.sale({ customer_key: "c1", transaction_id: "two" });
  await shop.refund({ transaction_id: "one", refund_id: "r", refund_amount_cents: 100 });
  await shop.lead({ customer_key: "c2", click_id: shop.click(shop.bob) });
  await shop.sale({ customer_key: "c2", transaction_id: "other" });
  const found = async (query: Record<string, string | number>) => {
    const { data, meta } = await shown(shop.events(query));
    expect(meta.pagination.total).toBe(data.length);
    return data.map(({ event_type, transaction_id }) => [event_type, transaction_id ?? null]);
  };
  const ofSale = [
    ["refund", "one"],
    ["sale", "one"],
  ];
  expect(await found({ saleId: one.sale_id })).toEqual(ofSale);
  expect(await found({ commissionId: one.commission_id })).toEqual(ofSale);
  expect(await found({ transactionId: "one" })).toEqual(ofSale);
  expect(await found({ transactionId: "one", eventType: "sale" })).toEqual([["sale", "one"]]);
  const ofCustomer = [
    ["refund", "one"],
    ["sale", "two"],
    ["sale", "one"],
    ["lead", null],
    ["click", null],
  ];
  expect(await found({ customerKey: "c1" })).toEqual(ofCustomer);
  expect(await found({ customerKey: "c1", saleId: one.sale_id })).toEqual(ofSale);
  expect(await found({ customerKey: "c2", saleId: one.sale_id })).toEqual([]);
  expect(await found({ customerKey: "c1", partnerId: shop.bob.id })).toEqual([]);
  expect(await found({ transactionId: "one", test: "only" })).toEqual([]);

  const first = await shown(shop.events({ customerKey: "c1", pageSize: 3 }));
  const rest = await shown(
    shop.events({ customerKey: "c1", pageSize: 3, cursor: first.meta.pagination.nextCursor ?? "" }),
  );
  expect([...first.data, ...rest.data].map(({ event_type }) => event_type)).toEqual(ofCustomer.map(([kind]) => kind));
  const elsewhere = await open();
  expect((await shown(elsewhere.events({ saleId: one.sale_id }))).data).toEqual([]);
});

it("commissions can be filtered by a sale, a customer or the book (live or test)", async () => {
  const shop = await openCommissions();
  await shop.refer("c1");
  await shop.refer("c2", { partner: shop.bob });
  const sell = async (body: Parameters<typeof shop.sell>[0]) => (await shop.sell(body)).body;
  const [one, two] = [await sell({ transaction_id: "one" }), await sell({ transaction_id: "two" })];
  const other = await sell({ transaction_id: "other", customer_key: "c2" });
  const ofTest = await sell({ transaction_id: "one", ...inTestMode });
  const ids = async (query: string) => (await list(shop, query)).data.map(({ id }) => id);
  expect(await ids(`?saleId=${one.sale_id}`)).toEqual([one.commission_id]);
  expect(await ids(`?commissionId=${two.commission_id}`)).toEqual([two.commission_id]);
  expect(await ids("?transactionId=other")).toEqual([other.commission_id]);
  expect(await ids("?customerKey=c1")).toEqual([two.commission_id, one.commission_id]);
  expect(await ids(`?customerKey=c1&saleId=${other.sale_id}`)).toEqual([]);
  expect(await ids("?customerKey=c1&status=approved")).toEqual([]);
  expect(await ids(`?commissionId=${ofTest.commission_id}&status=void`)).toEqual([]);
  expect(await ids("?test=only&status=void")).toEqual([ofTest.commission_id]);
  expect(await ids("?test=only&transactionId=one&status=void")).toEqual([ofTest.commission_id]);
  const elsewhere = await openCommissions();
  expect((await list(elsewhere, `?saleId=${one.sale_id}`)).data).toEqual([]);
});
