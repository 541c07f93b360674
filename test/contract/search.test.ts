import { expect, test } from "vitest";
import { inTestMode, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { refusalOf, signUpUsers } from "../support/users-fixture.ts";

const people = signUpUsers();

interface Found {
  readonly data: readonly { readonly query: object; readonly explanation: { readonly subject: object } }[];
}

async function openShop() {
  const shop = programFixture(await people.world({ partners: [{}, {}] }), sharedApi());
  const search = (q: string) =>
    people.viewer.get<Found>(`/api/tracking/search/${shop.world.programId}?${new URLSearchParams({ q })}`);
  const found = async (q: string) => (await search(q)).body.data.map(({ query }) => query);
  return { ...shop, search, found };
}

test("finds what has the id in each way that it can be read, in live data before test data", async () => {
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

test("finds nothing of another program, and asks for a text", async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const { sale_id } = await other.sale({ transaction_id: "elsewhere", customer_key: "u1" });
  for (const q of ["elsewhere", "u1", String(sale_id)]) expect(await shop.found(q)).toEqual([]);
  expect(refusalOf(await shop.search(" "))).toMatch(/^400 q must /);
});
