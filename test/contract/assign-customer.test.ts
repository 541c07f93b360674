import { expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { openDashboard } from "../support/dashboard.ts";
import { explained } from "../support/explain.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const staff = usersOfFile();

interface Assigned {
  readonly data: JsonObject;
  readonly error?: { readonly details: { readonly code?: string; readonly errors?: readonly { path: string[] }[] } };
}

async function openShop() {
  const shop = await openDashboard(staff);
  const { world, alice } = shop;
  const assign = (body: JsonObject = {}, user = body.payPast ? staff.owner : staff.admin) =>
    user.post<Assigned>(`/api/programs/${world.programId}/customers/assign`, {
      ...{ customerKey: "c", partnerId: alice.id, reason: "told on the phone", ...body },
    });
  const sell = (transaction_id: string, body: JsonObject = {}) =>
    shop.sale({ transaction_id, amount_cents: 4_900, customer_key: "c", ...body });
  const entries = () =>
    world.rows(
      "select action, after from audit_entries where program_id = ? and action = 'customer.assigned'",
      world.programId,
    );
  return { ...shop, assign, sell, entries };
}

test("a customer is assigned to a partner once, and later sales earn a commission", async () => {
  const shop = await openShop();
  const { assign, sell, entries, alice, bob } = shop;
  await sell("before", { occurred_at: at(daysAgo(3)) });
  const { status, body } = await assign();
  expect([status, body.data]).toMatchObject([
    200,
    {
      customerKey: "c",
      partnerCode: alice.code,
      source: "person",
      effects: { sales: 0, amounts: [] },
      hasMore: false,
      unconfirmedSales: 0,
    },
  ]);
  expect((await assign()).body).toEqual(body);
  expect((await assign({ reason: "again" })).body).toEqual(body);
  expect(await entries()).toHaveLength(1);
  expect((await assign({ partnerId: bob.id })).body.error?.details).toEqual({ code: "final" });
  const click_id = shop.click(bob, daysAgo(0.5));
  expect(await sell("after", { click_id })).toMatchObject({ partner_code: alice.code, source: "person" });
  expect(await explained(shop, { customer_key: "c" })).toMatchObject({ customer: { source: "person" } });
});

test("a customer_key can be assigned to a partner before any other call contains it", async () => {
  const { assign, sell, alice } = await openShop();
  await assign();
  expect(await sell("first")).toMatchObject({ partner_code: alice.code, commission: { amount_cents: 980 } });
});

test("assigning a customer to a partner since a past instant requires payPast, and pays commissions for earlier sales since that instant", async () => {
  const { assign, sell, entries } = await openShop();
  await sell("before", { occurred_at: at(daysAgo(9)) });
  await sell("after", { occurred_at: at(daysAgo(3)) });
  const since = at(daysAgo(5));
  const refused = await assign({ since });
  expect([refused.status, refused.body.error?.details]).toEqual([400, { code: "past_needs_consent" }]);
  const { body } = await assign({ since, payPast: true });
  expect(body.data).toMatchObject({ since, effects: { sales: 1, amounts: [{ currency: "EUR", cents: 980 }] } });
  expect((await assign({ since, payPast: true })).body.data).toMatchObject({ since, effects: { sales: 0 } });
  expect((await assign({ since: at(daysAgo(6)), payPast: true })).status).toBe(409);
  expect(String((await entries())[0]?.after)).not.toContain("told on the phone");
});

test("a customer attributed by a call with the program's key can't be assigned to a partner, and one attributed only by a browser can", async () => {
  const { assign, alice, bob, ...shop } = await openShop();
  await shop.lead({ customer_key: "c", click_id: shop.click(bob, daysAgo(2)) });
  for (const partnerId of [alice.id, bob.id]) expect((await assign({ partnerId })).status).toBe(409);
  await shop.browserLead({ customer_key: "browser's", click_id: shop.click(bob, daysAgo(2)) });
  expect((await assign({ customerKey: "browser's" })).status).toBe(200);
});

test("assigning a customer leaves their earlier unconfirmed sales unconfirmed, and the response counts them", async () => {
  const { assign, sell, alice, ...shop } = await openShop();
  await shop.browserLead({ customer_key: "c", click_id: shop.click(alice, daysAgo(9)) });
  await sell("earlier", { occurred_at: at(daysAgo(8)) });
  await sell("later", { occurred_at: at(daysAgo(3)) });
  const since = at(daysAgo(5));
  const { body } = await assign({ since, payPast: true });
  expect(body.data).toMatchObject({ effects: { sales: 0 }, unconfirmedSales: 1 });
  expect((await assign({ since, payPast: true })).body).toEqual(body);
  expect(await explained(shop, { transaction_id: "earlier" })).toMatchObject({ missing: [{ code: "unconfirmed" }] });
  const approve = { filter: { unconfirmed: true }, expectedCount: 1 };
  const approved = await staff.admin.post(`/api/programs/${shop.world.programId}/commissions/approve`, approve);
  expect(approved.status, approved.text).toBe(200);
  expect((await assign({ since, payPast: true })).body.data).toMatchObject({ unconfirmedSales: 0 });
});

test.each([
  ["customerKey", { customerKey: "" }],
  ["partnerId", { partnerId: "1" }],
  ["since", { since: "2026-03-01" }],
  ["since", { since: at(daysAgo(-400)) }],
  ["payPast", { payPast: "yes" }],
  ["reason", { reason: " " }],
])("an assignment with an invalid %s is refused", async (field, body) => {
  const { assign, world } = await openShop();
  const refused = await assign(body);
  expect([refused.status, refused.body.error?.details.errors?.map(({ path }) => path)]).toEqual([400, [[field]]]);
  expect(await world.rows("select id from customers where program_id = ?", world.programId)).toEqual([]);
});

test("a customer can't be assigned to another program's partner, and a viewer can't assign customers", async () => {
  const { assign } = await openShop();
  const other = await openShop();
  expect((await assign({ partnerId: other.alice.id })).status).toBe(404);
  expect((await assign({}, staff.viewer)).status).toBe(403);
});
