import { expect, test } from "vitest";
import { key, service } from "./service.ts";

const id = (field: string, max = 255) =>
  `${field} must be a string of 1 to ${max} characters, not blank, without control characters`;
const text = (field: string, max = 255) => `${field} must be a string of at most ${max} characters`;
const long = "x".repeat(256);
const iso = "occurred_at must be an ISO 8601 date and time with an offset";

const click = { affiliate_url: "https://shop.example/?aff=anna" };
const lead = { customer_key: "u1" };
const sale = { transaction_id: "t1", amount_cents: 100, customer_key: "u1" };
const refund = { transaction_id: "t1" };
const inTest = { additional_data: { test_mode: true } };

type Event = "click" | "lead" | "sale" | "refund";
type Row = [event: Event, body: unknown, ...messages: string[]];

const rows: readonly Row[] = [
  ["click", {}, "affiliate_url is required"],
  ["click", { affiliate_url: null }, "affiliate_url is required"],
  ["click", { affiliate_url: "" }, "affiliate_url is required"],
  ["click", { affiliate_url: 5 }, "Invalid affiliate_url"],
  ["click", { affiliate_url: "shop.example/?aff=anna" }, "Invalid affiliate_url"],
  ["click", { affiliate_url: "javascript:alert(1)?aff=a" }, "Invalid affiliate_url"],
  ["click", { affiliate_url: "https://me:secret@shop.example/?aff=a" }, "Invalid affiliate_url"],
  ["click", { affiliate_url: `https://shop.example/?aff=a&x=${"x".repeat(8_192)}` }, "Invalid affiliate_url"],
  ["click", { affiliate_url: "https://shop.example/" }, "No aff parameter found in affiliate_url"],
  ["click", { affiliate_url: "https://shop.example/?aff=%20" }, "No aff parameter found in affiliate_url"],
  ["click", { affiliate_url: "https://shop.example/#?aff=a" }, "No aff parameter found in affiliate_url"],
  ["click", { ...click, program_id: 0 }, "program_id must be a positive integer"],
  ["click", { ...click, program_id: 1.5 }, "program_id must be a positive integer"],
  ["click", { ...click, program_id: "01" }, "program_id must be a positive integer"],
  ["click", { ...click, program_id: "9007199254740993" }, "program_id must be a positive integer"],
  ["click", { ...click, event_id: "e".repeat(65) }, id("event_id", 64)],
  ["click", { ...click, event_id: "" }, id("event_id", 64)],
  ["click", { ...click, page_url: "ftp://shop.example" }, "Invalid page_url"],
  ["click", { ...click, referrer_url: "android-app://com.example" }, "Invalid referrer_url"],
  ["click", { ...click, page_title: long }, text("page_title")],
  ["click", { ...click, user_agent: "x".repeat(1025) }, text("user_agent", 1024)],
  ["click", { ...click, additional_data: [] }, "additional_data must be an object"],
  ["click", { ...click, additional_data: { test_mode: "true" } }, "additional_data.test_mode must be a boolean"],
  [
    "click",
    { ...click, additional_data: { program_id: "x" } },
    "additional_data.program_id must be a positive integer",
  ],
  ["click", { ...click, additional_data: { event_name: 5 } }, text("additional_data.event_name")],
  ["click", { ...click, additional_data: { x: "x".repeat(8 * 1024) } }, "additional_data is larger than 8 KiB"],
  ["click", inTest, "program_id is required"],
  ["click", { affiliate_url: "https://shop.example/", ...inTest }, "No aff parameter found in affiliate_url"],
  [
    "click",
    {
      additional_data: { test_mode: 1 },
      timezone: 1,
      language: 2,
      session_id: 3,
      page_title: 4,
      event_id: 5,
      program_id: {},
    },
    ...["affiliate_url is required", "program_id must be a positive integer", id("event_id", 64), text("page_title")],
    ...[text("session_id"), text("language"), text("timezone"), "additional_data.test_mode must be a boolean"],
  ],

  ["lead", {}, "click_id or customer_key is required"],
  ["lead", { click_id: "", click_ids: [], customer_key: null }, "click_id or customer_key is required"],
  ["lead", { click_ids: [""] }, "click_id or customer_key is required"],
  ["lead", { customer_key: "  " }, id("customer_key")],
  ["lead", { customer_key: "a\nb" }, id("customer_key")],
  ["lead", { customer_key: 17 }, id("customer_key")],
  ["lead", { ...lead, click_ids: "a" }, "click_ids must be an array of strings"],
  ["lead", { ...lead, click_ids: ["a", 5] }, text("click_ids")],
  ["lead", { ...lead, click_id: 5 }, text("click_id")],
  ["lead", { ...lead, email: 5 }, text("email")],
  [
    "lead",
    { occurred_at: "yesterday", program_id: -1, page_url: "x", session_id: 1, email: 2, click_ids: 3 },
    ...["click_ids must be an array of strings", text("email"), text("session_id"), "Invalid page_url"],
    ...["program_id must be a positive integer", iso],
  ],

  ["sale", { amount_cents: 1, customer_key: "u" }, "transaction_id is required and must be a string"],
  ["sale", { ...sale, transaction_id: 5 }, "transaction_id is required and must be a string"],
  ["sale", { ...sale, transaction_id: null }, "transaction_id is required and must be a string"],
  ["sale", { ...sale, transaction_id: "" }, "transaction_id is required and must be a string"],
  ["sale", { ...sale, transaction_id: {} }, "transaction_id is required and must be a string"],
  ["sale", { ...sale, transaction_id: long }, id("transaction_id")],
  ["sale", { ...sale, transaction_id: "\t" }, id("transaction_id")],
  ...[undefined, null, 0, -1, 1.5, "100", true, []].map(
    (amount_cents): Row => [
      "sale",
      { ...sale, amount_cents },
      "amount_cents is required and must be a positive integer",
    ],
  ),
  ["sale", { ...sale, amount_cents: 1e11 + 1 }, "amount_cents must not be above 100000000000"],
  ["sale", { ...sale, amount_cents: 1e300 }, "amount_cents must not be above 100000000000"],
  ["sale", { ...sale, customer_key: undefined }, "customer_key or click_id is required"],
  ["sale", { ...sale, customer_key: null, click_id: "" }, "customer_key or click_id is required"],
  ["sale", { ...sale, currency: "EURO" }, "currency must be an ISO 4217 currency code"],
  ["sale", { ...sale, currency: "XXX" }, "currency must be an ISO 4217 currency code"],
  ["sale", { ...sale, currency: 978 }, "currency must be an ISO 4217 currency code"],
  ["sale", { ...sale, sale_type: "gift" }, "sale_type must be payment or subscription"],
  ["sale", { ...sale, is_recurring: "yes" }, 'is_recurring must be true, false or "auto"'],
  ["sale", { ...sale, subscription_interval: "weekly" }, "subscription_interval must be monthly, quarterly or annual"],
  ["sale", { ...sale, line_items: "x".repeat(16 * 1024) }, "line_items is larger than 16 KiB"],
  [
    "sale",
    {
      occurred_at: 5,
      product_id: "",
      sale_type: 1,
      currency: "?",
      is_recurring: 1,
      additional_data: 1,
      line_items: null,
    },
    ...["transaction_id is required and must be a string", "amount_cents is required and must be a positive integer"],
    ...["customer_key or click_id is required", "currency must be an ISO 4217 currency code"],
    ...[
      "sale_type must be payment or subscription",
      'is_recurring must be true, false or "auto"',
      id("product_id"),
      iso,
    ],
    "additional_data must be an object",
  ],
  ["sale", inTest, "transaction_id is required and must be a string"],
  [
    "sale",
    { ...inTest, transaction_id: "t", amount_cents: 0 },
    "amount_cents is required and must be a positive integer",
  ],

  ["refund", {}, "transaction_id is required"],
  ["refund", inTest, "transaction_id is required"],
  ["refund", { transaction_id: 5 }, "transaction_id is required"],
  ["refund", { ...refund, refund_amount_cents: 0 }, "refund_amount_cents must be a positive integer"],
  ["refund", { ...refund, refunded_total_cents: -5 }, "refunded_total_cents must be a positive integer"],
  ["refund", { ...refund, refund_id: " " }, id("refund_id")],
  ["refund", { ...refund, refund_reason: long }, text("refund_reason")],
  [
    "refund",
    { ...refund, refund_amount_cents: 5, refunded_total_cents: 5 },
    "Send refund_amount_cents or refunded_total_cents, not both",
  ],
  [
    "refund",
    { refund_amount_cents: 1.5, refund_id: "", refunded_total_cents: 7, occurred_at: "2026-02-30T00:00:00Z" },
    ...["transaction_id is required", "refund_amount_cents must be a positive integer", id("refund_id")],
    ...["Send refund_amount_cents or refunded_total_cents, not both", iso],
  ],
];

test.each(rows)("the service refuses a %s with the body %j", async (event, body, ...messages) => {
  const { [event]: send, calls } = service();
  const reply = await send(body);
  expect(reply.status).toBe(400);
  expect(reply.body).toMatchObject({
    data: null,
    error: { status: 400, name: "BadRequestError", message: messages[0] },
  });
  expect(faultsOf(reply.body).map(({ message }) => message)).toEqual(messages);
  expect(faultsOf(reply.body).map(({ name }) => name)).toEqual(messages.map(() => "ValidationError"));
  expect(calls.filter(({ kind }) => kind !== "key")).toEqual([]);
});

test("an error in a request body has the path of its field", async () => {
  const reply = await service().lead({ customer_key: "u", click_ids: ["a", 1], additional_data: { test_mode: 1 } });
  expect(faultsOf(reply.body).map(({ path }) => path)).toEqual([
    ["click_ids", 1],
    ["additional_data", "test_mode"],
  ]);
});

test("an error about several fields of a request body is listed at the first of these fields", async () => {
  const reply = await service().sale({ transaction_id: "t", amount_cents: 1 });
  expect(faultsOf(reply.body).map(({ path }) => path)).toEqual([["customer_key"]]);
});

const day = 24 * 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

test.each([
  ["click", click, 30],
  ["lead", lead, 400],
  ["sale", sale, 400],
] as const)("the occurred_at of a %s can be as old as its limit in days, and not older", async (event, body, days) => {
  const { [event]: send } = service();
  const old = await send({ ...body, occurred_at: ago(days * day + 2000) }, { key });
  expect(old.body).toMatchObject({ error: { message: `occurred_at is more than ${days} days ago` } });
  const young = await send({ ...body, occurred_at: ago(days * day - 2000) }, { key });
  expect(young.status).toBe(200);
});

test.each(["click", "lead", "sale", "refund"] as const)(
  "the occurred_at of a %s sent by a server can't be in the future",
  async (event) => {
    const { [event]: send } = service();
    const body = { ...click, ...sale, occurred_at: ago(-6 * 60_000) };
    expect((await send(body, { key })).body).toMatchObject({ error: { message: "occurred_at is in the future" } });
  },
);

test("an error about the age of occurred_at is listed among other errors in the order of the fields", async () => {
  const reply = await service().sale({
    ...sale,
    currency: "?",
    occurred_at: "1999-01-01T00:00:00Z",
    additional_data: 1,
  });
  expect(faultsOf(reply.body).map(({ path }) => path)).toEqual([["currency"], ["occurred_at"], ["additional_data"]]);
});

test("occurred_at is ignored in a lead that a browser sends", async () => {
  const { lead: send, calls } = service();
  expect((await send({ ...lead, program_id: 7, occurred_at: "1999-01-01T00:00:00Z" })).status).toBe(200);
  expect(calls[0]).toMatchObject({ kind: "lead" });
  expect(calls[0]).toHaveProperty("occurredAt", calls[0]?.at);
});

interface WireFault {
  readonly path: unknown;
  readonly message: string;
  readonly name: string;
}

const faultsOf = (body: unknown): readonly WireFault[] =>
  (body as { error: { details: { errors: readonly WireFault[] } } }).error.details.errors;
