import { expect, test } from "vitest";
import { inTestMode, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Found {
  readonly data: readonly { readonly query: object; readonly explanation: { readonly subject: object } }[];
  readonly meta: {
    readonly similar: readonly { readonly query: object; readonly sale?: object }[];
    readonly coupons: readonly object[];
  };
}

async function openShop() {
  const shop = programFixture(await people.world({ partners: [{}, {}] }), sharedApi());
  const search = (q: string) =>
    people.viewer.get<Found>(`/api/tracking/search/${shop.world.programId}?${new URLSearchParams({ q })}`);
  const found = async (q: string) => (await search(q)).body.data.map(({ query }) => query);
  const similar = async (q: string) => (await search(q)).body.meta.similar.map(({ query }) => query);
  return { ...shop, search, found, similar };
}

test("search matches a text as every kind of id, and lists live data before test data", async () => {
  const shop = await openShop();
  const { sale_id, commission_id } = await shop.sale({ transaction_id: "t1", customer_key: "u1" });
  await shop.sale({ transaction_id: String(sale_id), customer_key: "u2" });
  await shop.sale({ transaction_id: "t1", customer_key: "tested", ...inTestMode });

  expect(await shop.found(" t1 ")).toEqual([{ transactionId: "t1" }]);
  expect(await shop.found("tested")).toEqual([{ customerKey: "tested", testMode: "true" }]);
  const ofNumber = await shop.found(String(sale_id));
  expect(ofNumber).toEqual(expect.arrayContaining([{ saleId: String(sale_id) }, { transactionId: String(sale_id) }]));
  const [hit] = (await shop.search(String(commission_id))).body.data.filter(({ query }) => "commissionId" in query);
  expect(hit?.explanation.subject).toEqual({ type: "commission", id: commission_id });
});

test("search doesn't find data of another program, and refuses an empty query", async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const { sale_id } = await other.sale({ transaction_id: "elsewhere", customer_key: "u1" });
  for (const q of ["elsewhere", "u1", String(sale_id)]) expect(await shop.found(q)).toEqual([]);
  expect(refusalOf(await shop.search(" "))).toMatch(/^400 q must /);
});

test("search finds a coupon by its code in any case, and no coupon of another program", async () => {
  const world = await people.world({ partners: [{ name: "Ben" }], coupons: [{ codes: ["BEN10", "promo_1"] }] });
  const other = await people.world({ coupons: [{ codes: ["CLARA5"] }] });
  const coupons = async (q: string) => {
    const path = `/api/tracking/search/${world.programId}?${new URLSearchParams({ q })}`;
    return (await people.viewer.get<Found>(path)).body.meta.coupons;
  };
  const ben = { codes: ["BEN10", "promo_1"], partnerName: "Ben", status: "active", validFrom: null };
  for (const code of ["ben10", " PROMO_1 "]) expect(await coupons(code)).toMatchObject([ben]);
  expect(other.coupons).toHaveLength(1);
  for (const code of ["CLARA5", "ben", "ben10 " + "x"]) expect(await coupons(code)).toEqual([]);
});

test("search finds up to three transaction ids and customer keys by prefix, live data before test data", async () => {
  const [shop, other] = [await openShop(), await openShop()];
  await other.sale({ transaction_id: "walk-0", customer_key: "walker-0" });
  for (const n of [4, 3, 2, 1]) await shop.sale({ transaction_id: `walk-${n}`, customer_key: `WALK-${n}` });
  await shop.sale({ transaction_id: "walk-9", customer_key: "tested", ...inTestMode });
  await shop.sale({ transaction_id: "wal", customer_key: "w\u{1F6B6}" });
  const sales = ["walk-1", "walk-2", "walk-3"].map((transactionId) => ({ transactionId }));
  expect(await shop.similar("walk-")).toEqual(sales);
  expect(await shop.found("wal")).toEqual([{ transactionId: "wal" }]);
  expect(await shop.similar("wal")).toEqual(sales);
  expect(await shop.similar("WALK-4")).toEqual([]);
  expect(await shop.similar("WALK")).toEqual([1, 2, 3].map((n) => ({ customerKey: `WALK-${n}` })));
  expect(await shop.similar("w")).toContainEqual({ customerKey: "w\u{1F6B6}" });
  expect(await shop.similar("test")).toEqual([{ customerKey: "tested", testMode: "true" }]);
  expect(await shop.similar("walk%")).toEqual([]);
  expect((await shop.search("walk-")).body.meta.similar[0]?.sale).toEqual({
    ...{ amountCents: expect.any(Number), currency: "EUR", occurredAt: expect.any(String) },
  });
});
