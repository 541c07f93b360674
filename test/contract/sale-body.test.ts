import { beforeEach, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../harness/client.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

let shop: SalesFixture;
beforeEach(async () => {
  shop = await createSalesFixture();
});
const good = { transaction_id: "t", amount_cents: 1, customer_key: "c" };

const send = (body: JsonObject) => shop.api.sale(body, { key: shop.world.key });
const without = (field: keyof typeof good): JsonObject => ({ ...good, [field]: undefined });

async function expectFault(body: JsonObject, field: string, message: unknown): Promise<void> {
  const refused = await send(body);
  expect(refused).toMatchObject({
    status: 400,
    body: { data: null, error: { status: 400, name: "BadRequestError", message } },
  });
  expect(refused.body.error.details.errors).toEqual([{ path: [field], message, name: "ValidationError" }]);
}

const noTransaction = "transaction_id is required and must be a string";
const noAmount = "amount_cents is required and must be a positive integer";
const noCustomer = "customer_key or click_id is required";
const idRule = (field: string) =>
  `${field} must be a string of 1 to 255 characters, not blank, without control characters`;

describe("the required fields of a sale", () => {
  it.each<[keyof typeof good, Json[], string]>([
    ["transaction_id", [null, "", 7, true, ["t"]], noTransaction],
    ["amount_cents", [null, 0, -1, 1.5, "100", true], noAmount],
  ])("a sale is refused if %s is missing or invalid", async (field, bad, message) => {
    await expectFault(without(field), field, message);
    for (const value of bad) await expectFault({ ...good, [field]: value }, field, message);
  });

  it("a sale with none of customer_key, click_id and subscription_id is refused, and a sale with only click_id is accepted", async () => {
    await expectFault(without("customer_key"), "customer_key", noCustomer);
    await expectFault({ ...good, customer_key: null, click_id: null }, "customer_key", noCustomer);
    expect(await send({ ...without("customer_key"), transaction_id: "by click", click_id: "x" })).toMatchObject({
      status: 200,
    });
  });

  it("all errors of a sale's body are listed in the order of fields, and the first one is the message", async () => {
    const refused = await send({ currency: "nothing", sale_type: "gift" });
    expect(refused.body.error.message).toBe(noTransaction);
    expect(refused.body.error.details.errors?.map(({ path: [field] }) => field)).toEqual([
      "transaction_id",
      "amount_cents",
      "customer_key",
      "currency",
      "sale_type",
    ]);
  });

  it("the API key of a sale is checked before the body", async () => {
    expect(await shop.api.sale({}, {})).toMatchObject({ status: 401 });
    expect(await shop.api.sale({}, { key: "svc_1_unknown" })).toMatchObject({ status: 401 });
  });
});

describe("the fields of a sale", () => {
  it.each<[string, Json[], unknown]>([
    ["transaction_id", [" ", "x".repeat(256), "a\nb"], idRule("transaction_id")],
    ["amount_cents", [10 ** 11 + 1], `amount_cents must not be above ${10 ** 11}`],
    ["customer_key", ["", " ", "x".repeat(256), "a\tb", 7], idRule("customer_key")],
    ["click_id", ["x".repeat(256), 7], "click_id must be a string of at most 255 characters"],
    ["currency", ["EURO", "XXX", "ZZZ", "", 978], "currency must be an ISO 4217 currency code"],
    ["sale_type", ["gift", "Payment", ""], "sale_type must be payment or subscription"],
    ["is_recurring", ["true", "AUTO", "", 1, {}], 'is_recurring must be true, false or "auto"'],
    ["subscription_id", ["", 7], idRule("subscription_id")],
    ["subscription_interval", ["weekly"], "subscription_interval must be monthly, quarterly or annual"],
    ["product_id", [" "], idRule("product_id")],
    ["event_name", ["x".repeat(256), 7], "event_name must be a string of at most 255 characters"],
    ["line_items", ["x".repeat(16 * 1024 - 1)], "line_items is larger than 16 KiB"],
    ["occurred_at", ["yesterday", "2026-01-01", "2026-01-01T00:00:00", 0], expect.stringContaining("ISO 8601")],
    ["additional_data", [{ note: "x".repeat(8 * 1024) }], "additional_data is larger than 8 KiB"],
    ["additional_data", [[], "x"], "additional_data must be an object"],
  ])("a sale is refused if %s is invalid", async (field, bad, message) => {
    for (const value of bad) await expectFault({ ...good, [field]: value }, field, message);
  });

  it("the fields of a sale are stored as sent, except that the currency is in upper case and the customer_key has no outer white space", async () => {
    const all = {
      transaction_id: "x".repeat(255),
      amount_cents: 10 ** 11,
      customer_key: " K ".padEnd(255, "k"),
      currency: "jpy",
      sale_type: "subscription",
      is_recurring: true,
      subscription_id: "sub-1",
      subscription_interval: "quarterly",
      product_id: "Pro duct",
      event_name: "renewal",
      line_items: [{ sku: "a", n: [1, { deep: null }] }],
      additional_data: { note: "x".repeat(8 * 1024 - 11) },
      unknown_field: "ignored",
    };
    expect(await send(all)).toMatchObject({ status: 200, body: { commission: { currency: "JPY" } } });
    const { additional_data: _, customer_key, unknown_field: __, line_items, ...kept } = all;
    const row = await shop.saleRow(all.transaction_id);
    expect(row).toMatchObject({
      ...kept,
      currency: "JPY",
      is_recurring: 1,
      sent_customer_key: customer_key.trim(),
      is_test: 0,
    });
    expect(JSON.parse(String(row.line_items))).toEqual(line_items);
  });

  it("the optional fields of a sale can be null or absent, and then have their defaults", async () => {
    const optional = [
      "currency",
      "sale_type",
      "is_recurring",
      "subscription_id",
      "subscription_interval",
      "product_id",
    ];
    const nulls = Object.fromEntries(
      [...optional, "event_name", "line_items", "occurred_at", "additional_data"].map((name) => [name, null]),
    );
    for (const [transaction_id, body] of Object.entries({ absent: {}, nulls })) {
      expect(await send({ ...good, ...body, transaction_id })).toMatchObject({ status: 200 });
      expect(await shop.saleRow(transaction_id)).toMatchObject({
        ...{
          currency: "EUR",
          sale_type: "payment",
          is_recurring: 0,
          subscription_id: null,
          subscription_interval: null,
        },
        ...{ product_id: null, event_name: null, line_items: null },
      });
    }
  });

  it("the fields of a sale include line_items of up to 16 KiB", async () => {
    const line_items = "x".repeat(16 * 1024 - 2);
    expect(await send({ ...good, transaction_id: "16 KiB", line_items })).toMatchObject({ status: 200 });
  });

  it("the currency of a sale defaults to the program's currency", async () => {
    const swiss = await createSalesFixture({ program: { currency: "CHF" } });
    expect((await swiss.sell()).body.commission.currency).toBe("CHF");
    expect((await swiss.sell({ currency: "Kwd" })).body.commission.currency).toBe("KWD");
  });
});
