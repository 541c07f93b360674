import { inspect } from "node:util";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type FetchLike, Tributary } from "../../sdk/src/index.ts";

const options = { apiKey: "svc_1_secret", baseUrl: "https://tributary.example" };
const fetch = () => Promise.reject(new Error("nothing may be sent"));

/** The client without its types, as called from plain JavaScript. The types reject most of these arguments. */
const tributary: { readonly [method: string]: (...args: unknown[]) => unknown } = Object(
  new Tributary({ ...options, fetch }),
);
const call = (method: string, ...args: unknown[]) => {
  const { [method]: called } = tributary;
  return called?.apply(tributary, args);
};

const customer = { customerExternalId: "u" };
const sale = { ...customer, amount: 1, invoiceId: "i" };
const refund = { invoiceId: "i" };
const id = "1 to 255 printable characters";
const needsRefundId = `refund.refundId must be ${id}`;
const unit = "a positive integer";

test.each<[string, unknown, string]>([
  ["trackLead", {}, `lead.customerExternalId must be ${id}`],
  ["trackLead", { customerExternalId: 5 }, `lead.customerExternalId must be ${id}`],
  ["trackLead", { customerExternalId: "" }, `lead.customerExternalId must be ${id}`],
  ["trackLead", { customerExternalId: " " }, `lead.customerExternalId must be ${id}`],
  ["trackLead", { customerExternalId: "a\nb" }, `lead.customerExternalId must be ${id}`],
  ["trackLead", { customerExternalId: "\ud800" }, `lead.customerExternalId must be ${id}`],
  ["trackLead", { customerExternalId: "x".repeat(256) }, `lead.customerExternalId must be ${id}`],
  ["trackLead", { ...customer, customer_key: "u" }, "lead.customer_key is unknown"],
  ["trackLead", { ...customer, programId: 0 }, "lead.programId must be a positive integer"],
  ["trackLead", { ...customer, additionalData: [] }, "lead.additionalData must be an object"],
  [
    "trackLead",
    { ...customer, occurredAt: 1_700_000_000 },
    "lead.occurredAt must be a Date or ISO 8601 with an offset",
  ],
  ["trackLead", { ...customer, occurredAt: "2026-01-01" }, "lead.occurredAt must be a Date or ISO 8601 with an offset"],
  [
    "trackLead",
    { ...customer, occurredAt: new Date("x") },
    "lead.occurredAt must be a Date or ISO 8601 with an offset",
  ],
  ["trackSale", customer, `sale.amount must be ${unit}`],
  ["trackSale", { ...sale, amount: -1 }, `sale.amount must be ${unit}`],
  ["trackSale", { ...sale, amount: 49.5 }, `sale.amount must be ${unit}`],
  ["trackSale", { ...sale, amount: Number.NaN }, `sale.amount must be ${unit}`],
  ["trackSale", { ...sale, amount: Number.POSITIVE_INFINITY }, `sale.amount must be ${unit}`],
  ["trackSale", { ...sale, amount: "4900" }, `sale.amount must be ${unit}`],
  ["trackSale", { ...sale, invoiceId: undefined }, `sale.invoiceId must be ${id}`],
  ["trackSale", { ...sale, customerExternalId: null, clickId: "" }, `sale.customerExternalId must be ${id}`],
  ["trackSale", { ...sale, customerExternalId: null, subscriptionId: "" }, `sale.customerExternalId must be ${id}`],
  ["trackSale", { ...sale, customerExternalId: " ", subscriptionId: "s" }, `sale.customerExternalId must be ${id}`],
  ["trackSale", { ...sale, customerExternalId: null, subscriptionId: 5 }, `sale.subscriptionId must be ${id}`],
  ["trackSale", { ...sale, curency: "EUR" }, "sale.curency is unknown"],
  ["trackSale", { ...sale, currency: "euro" }, "sale.currency must be an ISO 4217 code"],
  ["trackSale", { ...sale, saleType: "gift" }, "sale.saleType must be payment or subscription"],
  ["trackSale", { ...sale, items: [] }, "sale.items must be an array of items"],
  ["trackSale", { ...sale, items: ["pro"] }, "sale.items must be an array of items"],
  ["trackSale", { ...sale, isRecurring: "yes" }, 'sale.isRecurring must be true, false or "auto"'],
  [
    "trackSale",
    { ...sale, subscriptionInterval: "weekly" },
    "sale.subscriptionInterval must be monthly, quarterly or annual",
  ],
  ...[true, false, null].map(
    (test_mode) =>
      ["trackSale", { ...sale, additionalData: { test_mode } }, "sale.testMode: use trackTestSale"] as [
        string,
        unknown,
        string,
      ],
  ),
  ["trackSale", { ...sale, testMode: true }, "sale.testMode: use trackTestSale"],
  ["trackTestSale", customer, `testSale.amount must be ${unit}`],
  ["trackLead", { ...customer, testMode: "true" }, "lead.testMode must be true or false"],
  ["trackRefund", {}, `refund.invoiceId must be ${id}`],
  ["trackRefund", { ...refund, refundedTotal: 0.5 }, `refund.refundedTotal must be ${unit}`],
  ["trackRefund", { ...refund, amount: "", refundId: "r" }, `refund.amount must be ${unit}`],
  ["trackRefund", { ...refund, refundedTotal: "", refundId: "r" }, `refund.refundedTotal must be ${unit}`],
  ["trackRefund", { ...refund, amount: -1, refundId: "r" }, `refund.amount must be ${unit}`],
  [
    "trackRefund",
    { ...refund, refundedTotal: -1, refundId: "r", cancel: true },
    `refund.refundedTotal must be ${unit}`,
  ],
  ...[0, -1, 0.5, "100"].map(
    (chargeTotal) =>
      ["trackRefund", { ...refund, chargeTotal }, `refund.chargeTotal must be ${unit}`] as [string, unknown, string],
  ),
  ["trackRefund", { ...refund, refundId: "r", cancel: "yes" }, "refund.cancel must be true or false"],
  ...[{}, { refundId: null }, { refundId: "" }, { refundedTotal: 0 }].map(
    (total) => ["trackRefund", { ...refund, ...total, cancel: true }, needsRefundId] as [string, unknown, string],
  ),
  ...[{}, { refundId: null }, { refundId: "" }].map(
    (id) => ["trackRefund", { ...refund, ...id, amount: 1 }, needsRefundId] as [string, unknown, string],
  ),
  ["trackClick", {}, "click.affiliateUrl must be a URL"],
  ...["x".repeat(256), {}].map(
    (codeParam) =>
      [
        "trackClick",
        { affiliateUrl: "https://x.example/", codeParam },
        "click.codeParam must be 1 to 255 printable characters",
      ] as [string, unknown, string],
  ),
])("%s(%j) throws", (method, input, message) => {
  expect(() => call(method, input)).toThrow(new TypeError(message));
});

test.each(["trackLead", "trackSale", "trackRefund", "trackClick"])(
  "%s() throws immediately if its argument is missing or has invalid fields",
  (method) => {
    expect(() => call(method)).toThrow(TypeError);
    expect(() => call(method, null)).toThrow(TypeError);
    expect(() => call(method, JSON.parse('{"__proto__":1}'))).toThrow(TypeError);
    expect(() => call(method, { constructor: 1 })).toThrow(TypeError);
  },
);

test("values that JSON can't represent throw immediately", () => {
  expect(() => call("trackLead", { ...customer, additionalData: { n: 1n } })).toThrow(TypeError);
  expect(() => call("trackSale", { ...sale, amount: 4900n })).toThrow(TypeError);
  const loop: Record<string, unknown> = {};
  loop.loop = loop;
  expect(() => call("trackSale", { ...sale, lineItems: loop })).toThrow(TypeError);
});

test.each([{ retries: -1 }, { retries: 11 }, { retries: Number.NaN }, { timeoutMs: 0 }, { timeoutMs: 2 ** 31 }])(
  "invalid limits %j of retries or time throw a TypeError",
  (limits) => {
    const message = "retries must be 0 to 10, timeoutMs positive";
    expect(() => new Tributary({ ...options, ...limits })).toThrow(new TypeError(message));
    expect(() => call("trackLead", customer, limits)).toThrow(new TypeError(message));
  },
);

test("undefined limits of a call default to the client's limits", async () => {
  const limits = { retries: undefined, timeoutMs: undefined, onError: () => {} };
  expect(await call("trackLead", customer, limits)).toMatchObject({ error: { name: "NetworkError" } });
});

test.each(["svc_1_secret\n", " svc_1_secret", "svc_1_sécret", "sk_live_secret", 5])(
  "a key like %j is rejected, and not revealed",
  (apiKey) => {
    const make = () => new Tributary({ ...options, apiKey: apiKey as string });
    expect(make).toThrow(new TypeError("apiKey (TRIBUTARY_API_KEY) must be a program key"));
  },
);

test.each([
  "tributary.example",
  "ftp://tributary.example",
  "https://user:password@tributary.example",
  "https://tributary.example/?x=1",
  "https://tributary.example/?",
  "https://tributary.example/#x",
  "http://tributary.example",
  "http://10.0.0.1",
  "http://0.0.0.0",
  "http://localhost.example",
  "http://notlocalhost",
  "http://127.0.0.1.nip.example",
  "http://[::2]",
  "http://[::ffff:127.0.0.1]",
])("a base address like %j is rejected", (baseUrl) => {
  const make = () => new Tributary({ ...options, baseUrl: baseUrl as string });
  expect(make).toThrow(new TypeError("baseUrl (TRIBUTARY_URL) must be https without credentials or query"));
});

test.each([
  "https://tributary.example/path",
  "http://localhost:8787",
  "http://LOCALHOST",
  "http://api.shop.localhost",
  "http://127.0.0.1:8787",
  "http://127.8.9.10",
  "http://127.1",
  "http://[::1]:8787",
])("a base address like %s is accepted", (baseUrl) => {
  expect(() => new Tributary({ ...options, baseUrl })).not.toThrow();
});

describe("the environment variables", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("the SDK's environment variables supply the options that aren't passed", async () => {
    vi.stubEnv("TRIBUTARY_API_KEY", "svc_z_fromenv");
    vi.stubEnv("TRIBUTARY_URL", "https://env.example/base");
    const seen: string[] = [];
    const heard: FetchLike = (url, { headers }) => {
      seen.push(`${url} ${headers.authorization}`);
      return fetch();
    };
    const client = new Tributary({ fetch: heard, retries: 0, onError: () => {} });
    expect(client.programId).toBe(35);
    await client.readiness();
    const passed = { ...options, fetch: heard, retries: 0, onError: () => {} };
    await new Tributary(passed).readiness();
    expect(seen).toEqual([
      "https://env.example/base/api/v1/programs/me/readiness Bearer svc_z_fromenv",
      "https://tributary.example/api/v1/programs/me/readiness Bearer svc_1_secret",
    ]);
  });

  test.each([undefined, ""])("an environment variable without a value causes an error with its name: %j", (value) => {
    vi.stubEnv("TRIBUTARY_API_KEY", value);
    vi.stubEnv("TRIBUTARY_URL", value);
    const noKey = new TypeError("apiKey (TRIBUTARY_API_KEY) must be a program key");
    expect(() => new Tributary()).toThrow(noKey);
    expect(() => new Tributary({ ...options, apiKey: "" })).toThrow(noKey);
    const noUrl = new TypeError("baseUrl (TRIBUTARY_URL) must be https without credentials or query");
    expect(() => new Tributary({ apiKey: options.apiKey })).toThrow(noUrl);
  });

  test("the SDK works without environment variables, even if `process` doesn't exist", () => {
    vi.stubGlobal("process", undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(new Tributary(options).programId).toBe(1);
    expect(() => new Tributary({ baseUrl: options.baseUrl })).toThrow("TRIBUTARY_API_KEY");
  });
});

test("the key can't be read from the client object", () => {
  const client = new Tributary(options);
  const shown = inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client);
  expect(shown).not.toContain("secret");
});
