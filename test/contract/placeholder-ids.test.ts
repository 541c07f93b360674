import { describe, expect, test } from "vitest";
import type { JsonObject, Reply } from "../../harness/client.ts";
import { requestToken } from "../support/embedded.ts";
import { askExplain, explained } from "../support/explain.ts";
import { namesOfCustomers, placeholders } from "../support/placeholders.ts";
import { createProgramFixture, inTestMode, stateOf } from "../support/program-fixture.ts";
import { createSalesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const told = ({ status, body }: Reply<unknown>) => [status, body.error?.details];
const refused = (field: string) => [400, { code: "placeholder_id", field }];

describe("a placeholder such as undefined, sent as an id", () => {
  test.each(placeholders)(
    "a placeholder such as undefined is refused as a customer key, and no lead or sale is recorded: %j",
    { tags: ["finding"] },
    async (key) => {
      const shop = await createProgramFixture();
      const { api, world, alice } = shop;
      const click_id = shop.click(alice);
      const lead = { customer_key: key, click_id };
      const sale = { transaction_id: "t", amount_cents: 10_000, customer_key: key };
      expect(told(await api.lead(lead, { key: world.key }))).toEqual(refused("customer_key"));
      expect(told(await api.lead(lead, { browser: true }))).toEqual(refused("customer_key"));
      expect(told(await api.sale(sale, { key: world.key }))).toEqual(refused("customer_key"));
      expect(told(await api.sale({ ...sale, ...inTestMode }, { key: world.key }))).toEqual(refused("customer_key"));
      expect(await stateOf(shop)).toMatchObject({ customers: [], leads: [], sales: [], clicks: [], counts: [] });
    },
  );

  test("a placeholder such as undefined is refused as the id of a sale or a subscription, because it would merge different customers", {
    tags: ["finding"],
  }, async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1");
    expect(told(await shop.sell({ transaction_id: "undefined" }))).toEqual(refused("transaction_id"));
    const sold = await shop.sell({ subscription_id: "null", sale_type: "subscription" });
    expect(told(sold)).toEqual(refused("subscription_id"));
    expect(await shop.all("sales")).toEqual([]);
  });

  test("a placeholder such as undefined is refused as the id of a refund", { tags: ["finding"] }, async () => {
    const shop = await createSalesFixture();
    await shop.sell({ transaction_id: "t" });
    const body = { refund_amount_cents: 100, refund_id: "[object Object]" };
    expect(told(await shop.giveBack("t", body))).toEqual(refused("refund_id"));
    expect(told(await shop.giveBack("t", { refund_id: "NaN", cancel: true }))).toEqual(refused("refund_id"));
    expect(told(await shop.giveBack("undefined"))).toEqual(refused("transaction_id"));
    expect(await shop.all("refunds")).toEqual([]);
  });

  test("a placeholder such as undefined is refused as the id or code of a partner", { tags: ["finding"] }, async () => {
    const world = await people.world();
    const at = "/api/v1/programs/me/partners";
    const create = (body: JsonObject) =>
      sharedApi().request<{ data: { id: number } }>("POST", at, { body: { name: "Anna", ...body }, key: world.key });
    expect(told(await create({ code: "anna", external_id: "undefined" }))).toEqual(refused("external_id"));
    for (const code of ["undefined", "Null"]) expect(told(await create({ code })), code).toEqual(refused("code"));
    expect(told(await requestToken(sharedApi(), world, { external_id: "u", code: "Null" }))).toEqual(refused("code"));
    const path = `/api/programs/${world.programId}/partners`;
    const own = await people.owner.post(path, { name: "Anna", code: "anna", externalId: "{{id}}" });
    expect(told(own)).toEqual(refused("externalId"));

    const { body } = await create({ code: "anna", external_id: "u-7" });
    const change = (sent: JsonObject) => people.owner.patch(`${path}/${body.data.id}`, sent);
    expect(told(await change({ externalId: "None" }))).toEqual(refused("externalId"));
    const keyed = { body: { external_id: "null" }, key: world.key };
    expect(told(await sharedApi().request("PATCH", `${at}/${body.data.id}`, keyed))).toEqual(refused("external_id"));
    await world.write({ sql: "update partners set external_id = 'None' where id = ?", args: [body.data.id] });
    expect((await change({ externalId: "None", name: "Ann" })).status).toBe(200);
    expect((await create({ name: "Ann", code: "anna", external_id: "None" })).status).toBe(200);
  });

  test("a placeholder such as undefined is refused as the customer key of a correction or assignment, and as the reference of an adjustment", {
    tags: ["finding"],
  }, async () => {
    const shop = await createSalesFixture({ members: people.members() });
    const sold = await shop.sell({ transaction_id: "t" });
    const path = `/api/programs/${shop.world.programId}`;
    const correction = { customerKey: "undefined", reason: "Wrong customer" };
    expect(told(await people.admin.post(`${path}/sales/${sold.body.sale_id}/correct`, correction))).toEqual(
      refused("customerKey"),
    );
    const assigned = { customerKey: "null", partnerId: shop.alice.id, reason: "Hers" };
    expect(told(await people.admin.post(`${path}/customers/assign`, assigned))).toEqual(refused("customerKey"));
    const adjustment = { amountCents: 100, currency: "EUR", reason: "Bonus", reference: "undefined" };
    expect(told(await people.admin.post(`${path}/partners/${shop.alice.id}/adjustments`, adjustment))).toEqual(
      refused("reference"),
    );
  });

  test("a placeholder such as undefined is refused as the code of a coupon and as the reference of a payout", {
    tags: ["finding"],
  }, async () => {
    const shop = await createSalesFixture({ members: people.members() });
    const path = `/api/programs/${shop.world.programId}`;
    const coupon = await people.admin.post(`${path}/coupons`, { partnerId: shop.alice.id, codes: ["undefined"] });
    expect([coupon.status, invalidFields(coupon)]).toEqual([400, ["codes"]]);
    expect(told(await people.admin.post(`${path}/payouts`, { currency: "EUR", reference: " null " }))).toEqual(
      refused("reference"),
    );
  });

  test("a placeholder such as undefined counts as missing if it is the event id of a click, so that each click counts", {
    tags: ["finding"],
  }, async () => {
    const shop = await createProgramFixture();
    const first = await shop.visit({ event_id: "undefined" });
    const second = await shop.visit({ event_id: "undefined" });
    expect(second.click_id).not.toBe(first.click_id);
  });

  test("a placeholder such as undefined is an invalid click id, and the sale is recorded", {
    tags: ["finding"],
  }, async () => {
    const shop = await createSalesFixture();
    await shop.refer("c1");
    expect((await shop.sell({ customer_key: "c1", click_id: "undefined" })).body.attributed).toBe(true);
    const { body } = await shop.sell({ click_id: "undefined" });
    expect([body.attributed, body.reason]).toEqual([false, "invalid_click_id"]);
  });
});

test.each(namesOfCustomers)("%j is accepted as a customer key", { tags: ["finding"] }, async (key) => {
  const shop = await createSalesFixture();
  await shop.refer(key);
  expect((await shop.sell({ customer_key: key })).body.attributed).toBe(true);
});

/** A shop with a sale that an earlier version recorded under a placeholder. */
async function shopOfBefore() {
  const shop = await createSalesFixture({ members: people.members() });
  const { programId } = shop.world;
  await shop.refer("c1");
  const sold = await shop.sell({ transaction_id: "t", customer_key: "c1" });
  await shop.giveBack("t", { refund_amount_cents: 100, refund_id: "r" });
  for (const sql of [
    "update customers set customer_key = 'undefined' where program_id = ?",
    "update leads set customer_key = 'undefined' where program_id = ?",
    "update sales set transaction_id = 'null', sent_customer_key = 'undefined' where program_id = ?",
    "update refunds set refund_id = 'NaN' where program_id = ?",
    `update commissions set explanation = json_set(explanation, '$.sale.transactionId', 'null') where program_id = ?`,
  ]) {
    await shop.write(sql, programId);
  }
  return { ...shop, sold: sold.body, path: `/api/programs/${programId}` };
}

describe("a sale stored under a placeholder", { tags: ["finding"] }, () => {
  test("a sale that an earlier version stored under a placeholder is deduplicated if sent again, and another sale with the placeholder is refused", async () => {
    const { sell, sold } = await shopOfBefore();
    const again = await sell({ transaction_id: "null", customer_key: "undefined" });
    expect(again.status).toBe(409);
    expect(again.body.error.details).toMatchObject({ sale_id: sold.sale_id, same_request: true });
    expect(told(await sell({ transaction_id: "t2", customer_key: "undefined" }))).toEqual(refused("customer_key"));
  });

  test("a sale that an earlier version stored under a placeholder can be refunded, and the refund canceled", async () => {
    const { giveBack, sold } = await shopOfBefore();
    const refund = await giveBack("null", { refund_amount_cents: 200, refund_id: "r2" });
    expect(refund.body).toMatchObject({ sale_id: sold.sale_id, refunded_total_cents: 300 });
    const known = await giveBack("null", { refund_amount_cents: 100, refund_id: "NaN" });
    expect(known.body).toMatchObject({ status: "skipped", reason: "duplicate refund_id" });
    const canceled = await giveBack("null", { refund_id: "NaN", cancel: true });
    expect(canceled.body).toMatchObject({ status: "restored", refunded_total_cents: 200 });
    const unknown = await giveBack("null", { refund_amount_cents: 100, refund_id: "undefined" });
    expect(told(unknown)).toEqual(refused("refund_id"));
  });

  test("a sale that an earlier version stored under a placeholder can be explained", async () => {
    const shop = await shopOfBefore();
    expect(await explained(shop, { transaction_id: "null" })).toMatchObject({ subject: { type: "sale" } });
    expect(await explained(shop, { customer_key: "undefined" })).toMatchObject({
      customer: { customer_key: "undefined" },
    });
  });

  test("a sale that an earlier version stored under a placeholder can be corrected, also to a customer with a valid key", async () => {
    const { sold, path, refer } = await shopOfBefore();
    await refer("c2");
    const correct = (body: JsonObject, saleId = sold.sale_id) =>
      people.admin.post<{ data: { after: { saleId: number; customerKey: string; transactionId: string } } }>(
        `${path}/sales/${saleId}/correct`,
        { reason: "Wrong amount", ...body },
      );
    const amount = await correct({ amountCents: 900 });
    expect([amount.status, amount.body.data?.after]).toMatchObject([
      200,
      { customerKey: "undefined", transactionId: "null~1" },
    ]);
    const key = await correct({ customerKey: "c2" }, amount.body.data.after.saleId);
    expect([key.status, key.body.data?.after]).toMatchObject([200, { customerKey: "c2" }]);
  });

  test("a sale that an earlier version stored under a placeholder can be erased, after which no sale is recorded under that placeholder", async () => {
    const shop = await shopOfBefore();
    const erased = await people.owner.post(`${shop.path}/privacy/erase`, { customerKey: "undefined", confirm: true });
    expect(erased.status, erased.text).toBeLessThan(300);
    await expect
      .poll(async () => (await askExplain(shop.api, { customer_key: "undefined" }, { key: shop.world.key })).status, {
        interval: 100,
      })
      .toBe(404);
    const sale = await shop.sell({ transaction_id: "t2", customer_key: "undefined" });
    expect(told(sale)).toEqual(refused("customer_key"));
  });
});
