import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { root } from "../../scripts/root.ts";
import type { CheckoutMetadata } from "../../sdk/src/processors/keys.ts";
import * as squeezed from "../sdk/lemon-squeezy-events.ts";
import * as paddle from "../sdk/paddle-events.ts";
import * as polar from "../sdk/polar-events.ts";
import { openShop } from "../sdk/processor-shop.ts";
import { answer, serverThat } from "../sdk/server-that.ts";
import { blocksOf, readDocument } from "../support/documents.ts";
import { type Integrator, newIntegrator } from "../support/integrator.ts";
import { sharedService } from "../support/shared-service.ts";
import { typeFaultsIn } from "../support/type-faults.ts";
import { purchase, revenueCatEvent } from "./revenuecat-events.ts";

let integrator: Integrator;
beforeAll(async () => {
  integrator = await newIntegrator();
  const { project } = integrator;
  await integrator.shell(`echo "allow-remote=root" > .npmrc; npm install ${sharedService.url}/${inject("sdk").file}`);
  await symlink(join(root, "node_modules/@types"), join(project, "node_modules/@types"));
  await writeFile(join(project, "package.json"), '{"type":"module"}');
});
afterAll(() => integrator.dispose());

const secret = "secret_of_the_tests";
type Shop = Awaited<ReturnType<typeof openShop>>;
interface Delivered {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Compiles a guide's code, and runs it followed by these calls. Returns the lines that the calls print. */
async function run(page: string, calls: string, { shop }: Shop, env: Readonly<Record<string, string>>) {
  const code = blocksOf(readDocument(`docs/${page}.md`)).map(({ text }) => text);
  // Uses the program of the test.
  const own = code.join("\n").replaceAll("programId: 1 ", `programId: ${shop.world.programId} `);
  await writeFile(join(integrator.project, `${page}.ts`), own + calls);
  expect(await typeFaultsIn(integrator, `${page}.ts`)).toBe("");
  const service = { TRIBUTARY_URL: sharedService.url, TRIBUTARY_API_KEY: shop.world.key };
  const output = await integrator.shell(`node ${page}.ts`, { env: { ...service, ...env } });
  return output.trim().split("\n");
}

const deliveries = (handler: string, delivered: readonly Delivered[]) => `
  for (const { body, headers } of ${JSON.stringify(delivered)} as { body: string; headers: Record<string, string> }[]) {
    const answer = await ${handler}(new Request("https://shop.example/webhook", { method: "POST", body, headers }));
    console.log(answer.status, await answer.text());
  }`;

const checkOut = (clickId: string) =>
  `\nconsole.log(await checkOut({ id: "user-1", clickId: ${JSON.stringify(clickId)} }));`;

const signed = <Event>(events: readonly Event[], sign: (body: string) => Readonly<Record<string, string>>) =>
  events.map((event) => JSON.stringify(event, null, 2)).map((body) => ({ body, headers: sign(body) }));

const forged = ([first]: readonly Delivered[]): Delivered => ({
  body: `${first?.body} `,
  headers: first?.headers ?? {},
});

const recorded = (id: string, refunded: number, commission: number) => [
  { id, amount: 10_000, currency: expect.any(String), isRecurring: false, refunded, commission },
];

test("the code of docs/paddle.md compiles, and passes custom data from a checkout to a refunded sale", async () => {
  const shop = await openShop();
  const transaction = { id: "txn_1", checkout: { url: "https://shop.example/pay" }, custom_data: shop.keys };
  const api = await serverThat(answer(200, { data: transaction }));
  const refund = paddle.adjusted({ id: "adj_1", transaction: "txn_1", total: 1_190, tax: 190 });
  const events = [refund, paddle.completed({ id: "txn_1", customData: shop.keys, total: 11_900, tax: 1_900 }), refund];
  const delivered = signed(events, (body) => paddle.signedByPaddle(body, [secret]));
  const calls = checkOut(shop.keys.svc_click_id) + deliveries("onPaddle", [...delivered, forged(delivered)]);
  const env = { PADDLE_API: api.url, PADDLE_API_KEY: "pdl_key", PADDLE_WEBHOOK_SECRET: secret };
  expect(await run("paddle", calls, shop, env)).toEqual([
    ...["https://shop.example/pay", expect.stringMatching(/^503 Sale not found/)],
    ...["200 Recorded.", "200 Recorded.", "400 bad_signature"],
  ]);
  expect(api.calls).toMatchObject([
    { method: "POST", path: "/transactions", key: "Bearer pdl_key", body: { custom_data: shop.keys } },
    { method: "GET", path: "/transactions/txn_1", key: "Bearer pdl_key" },
  ]);
  expect(await shop.sales()).toEqual(recorded("txn_1", 1_000, 1_800));
});

test("the code of docs/lemon-squeezy.md compiles, and passes custom data from a checkout to a refunded sale", {
  tags: "soak",
}, async () => {
  const shop = await openShop();
  const order = { id: "1", customData: shop.keys, total: 11_900, tax: 1_900 };
  const events = [squeezed.orderCreated(order), squeezed.orderRefunded({ ...order, refunded: 1_190 })];
  const delivered = signed(events, (body) => squeezed.signedByLemonSqueezy(body, secret));
  const calls = checkOut(shop.keys.svc_click_id) + deliveries("onLemonSqueezy", [...delivered, forged(delivered)]);
  const [url = "", ...answers] = await run("lemon-squeezy", calls, shop, { LEMON_SQUEEZY_WEBHOOK_SECRET: secret });
  expect(answers).toEqual(["200 Recorded.", "200 Recorded.", "400 bad_signature"]);
  const custom = [...new URL(url).searchParams].map(([name, value]) => [
    /^checkout\[custom\]\[(\w+)\]$/.exec(name)?.[1],
    value,
  ]);
  expect(Object.fromEntries(custom)).toEqual(shop.keys);
  expect(await shop.sales()).toEqual(recorded("order_1", 1_000, 1_800));
});

test("the code of docs/polar.md compiles, and passes metadata from a checkout to a refunded sale", {
  tags: "soak",
}, async () => {
  const shop = await openShop();
  const api = await serverThat(answer(201, { url: "https://polar.sh/checkout/1" }));
  const order = { id: "order-1", metadata: shop.keys, net: 10_000, tax: 1_900 };
  const events = [polar.orderPaid(order), polar.orderRefunded({ ...order, refunded: 1_000 })];
  const delivered = signed(events, (body) => polar.signedByPolar(body, [secret]));
  const calls = checkOut(shop.keys.svc_click_id) + deliveries("onPolar", [...delivered, forged(delivered)]);
  const env = { POLAR_API: api.url, POLAR_ACCESS_TOKEN: "polar_oat", POLAR_WEBHOOK_SECRET: secret };
  const answers = ["200 Recorded.", "200 Recorded.", "400 bad_signature"];
  expect(await run("polar", calls, shop, env)).toEqual(["https://polar.sh/checkout/1", ...answers]);
  const metadata: CheckoutMetadata = shop.keys;
  expect(api.calls).toMatchObject([
    { path: "/v1/checkouts/", key: "Bearer polar_oat", body: { metadata, external_customer_id: "user-1" } },
  ]);
  expect(await shop.sales()).toEqual(recorded("order-1", 1_000, 1_800));
});

test("the code of docs/revenuecat.md compiles, and converts purchases, renewals and refunds to the right amounts", {
  tags: "soak",
}, async () => {
  const shop = await openShop();
  await shop.shop.lead({ customer_key: "user-1", click_id: shop.keys.svc_click_id });
  const { aliases } = purchase;
  const refund = {
    ...purchase,
    type: "CANCELLATION",
    cancel_reason: "CUSTOMER_SUPPORT",
    price_in_purchased_currency: -49.99,
  };
  const events = [
    refund,
    purchase,
    { ...purchase, type: "RENEWAL", transaction_id: "2", app_user_id: aliases[0], aliases: ["user-1"] },
    { ...purchase, type: "RENEWAL", transaction_id: "3", is_trial_conversion: true },
    {
      ...purchase,
      type: "NON_RENEWING_PURCHASE",
      transaction_id: "1",
      store: "PLAY_STORE",
      currency: "JPY",
      price_in_purchased_currency: 1_000,
    },
    {
      ...purchase,
      type: "INITIAL_PURCHASE",
      transaction_id: "4",
      period_type: "TRIAL",
      price_in_purchased_currency: 0,
    },
    { ...purchase, transaction_id: "5", environment: "SANDBOX" },
    { ...purchase, transaction_id: "6", app_user_id: aliases[0] },
    { ...purchase, type: "TEST", transaction_id: null, currency: null, price_in_purchased_currency: null },
    refund,
    { ...refund, cancel_reason: "UNSUBSCRIBE", transaction_id: "2" },
    // The store refunds the purchase, reverses the refund, and does both again.
    ...["CANCELLATION", "REFUND_REVERSED", "CANCELLATION", "REFUND_REVERSED"].map((type, i) => ({
      ...{ ...refund, type, transaction_id: i < 3 ? "3" : "2", event_timestamp_ms: purchase.event_timestamp_ms + i },
    })),
  ];
  const delivered = signed(events.map(revenueCatEvent), () => ({ authorization: secret }));
  const calls = deliveries("onRevenueCat", [...delivered, { body: "{}", headers: { authorization: "other" } }]);
  const [ahead, ...answers] = await run("revenuecat", calls, shop, { REVENUECAT_WEBHOOK_SECRET: secret });
  expect(ahead).toMatch(/^503 Sale not found/);
  const [yes, no] = ["200 Recorded.", "200 Nothing to report."];
  expect(answers).toEqual([yes, yes, yes, yes, no, yes, no, no, yes, no, yes, yes, yes, yes, "401 Not for you"]);
  const sale = { amount: 2_699, currency: "EUR", isRecurring: false, refunded: 0, commission: 540 };
  expect(await shop.sales()).toEqual([
    { ...sale, id: "APP_STORE_1", refunded: 2_699, commission: 0 },
    { ...sale, id: "APP_STORE_2", isRecurring: true },
    { ...sale, id: "APP_STORE_3", refunded: 2_699, commission: 0 },
    { ...sale, id: "PLAY_STORE_1", amount: 540, currency: "JPY", commission: 108 },
  ]);
  const inTest = (await shop.shop.all("sales")).filter(({ is_test }) => Boolean(is_test));
  expect(inTest).toMatchObject([{ transaction_id: "APP_STORE_5", amount_cents: 2_699 }]);
});
