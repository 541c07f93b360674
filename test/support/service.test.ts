/** @module-tag soak */
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createApi, insist } from "../../harness/client.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import { type PlainService, startService } from "../../harness/service.ts";
import { createWorld } from "../../harness/world.ts";
import { sharedApi, sharedService } from "./shared-service.ts";

let database: TestDatabase;
let proxy: DatabaseProxy;
let service: PlainService;

beforeAll(async () => {
  database = await startDatabase();
  proxy = await startDatabaseProxy(database.url);
  service = await startService({
    build: inject("built"),
    databaseUrl: proxy.url,
    proxies: [proxy],
    vars: { LEDGER_NAME: "harness" },
  });
});
afterAll(async () => {
  await service?.stop();
  await proxy?.close();
  await database?.dispose();
});

test("a test's own program on the shared service records a click, a lead, a sale and a refund", async () => {
  const world = await createWorld(sharedService.databaseUrl);
  const api = sharedApi();
  const click = await api.click({ affiliate_url: world.partner.landingUrl, program_id: world.programId });
  expect(click).toMatchObject({ status: 200, body: { success: true, partner_code: world.partner.code } });

  const customer_key = "customer-1";
  const lead = await api.lead({ click_id: click.body.click_id, customer_key }, { key: world.key });
  expect(lead).toMatchObject({ status: 200, body: { attributed: true } });

  const sale = await api.sale({ transaction_id: "order-1", amount_cents: 1_000, customer_key }, { key: world.key });
  expect(sale).toMatchObject({ status: 200, body: { attributed: true, commission: { amount_cents: 200 } } });

  const refund = await api.refund({ transaction_id: "order-1" }, { key: world.key });
  expect(refund).toMatchObject({ status: 200, body: { status: "reversed", commission_reversed_cents: 200 } });
  const rows = await world.rows("select amount_cents from sales where program_id = ?", world.programId);
  expect(rows.map((row) => row.amount_cents)).toEqual([1_000]);
});

test("a response that the OpenAPI document doesn't allow fails the test", async () => {
  await expect(sharedApi().request("GET", "/api/v1/nowhere")).rejects.toThrow("no such operation");
  const unchecked = await sharedApi().request("GET", "/api/v1/nowhere", { checked: false });
  expect(unchecked).toMatchObject({ status: 404, body: { error: { name: "NotFoundError" } } });
});

test("the service continues at the same address after it was killed", async () => {
  const world = await createWorld(database.url);
  const api = createApi(service.url);
  const sell = async (transaction_id: string) =>
    (await api.sale({ transaction_id, amount_cents: 500, customer_key: "c" }, { key: world.key })).status;
  expect(await sell("before")).toBe(200);

  const { url } = service;
  await service.kill();
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  await service.restart();
  expect(service.url).toBe(url);
  expect(await sell("killed")).toBe(200);
  expect(await sell("killed")).toBe(409);
});

test("the log can be read", async () => {
  service.clearLogs();
  await createApi(service.url).request("GET", "/healthz", { checked: false });
  await expect.poll(() => service.logs.some((line) => line.includes("/healthz"))).toBe(true);
});

test("the Worker's requests to the database go through the proxy, which can make them fail", async () => {
  const world = await createWorld(database.url);
  const api = createApi(service.url);
  proxy.resetCounts();
  expect((await api.readiness({ key: world.key })).status).toBe(200);
  expect(proxy.counts.total).toBeGreaterThan(0);

  await proxy.disconnect();
  expect(await api.request("GET", "/readyz", { checked: false })).toMatchObject({ status: 503 });
  await proxy.connect();
  expect(await api.request("GET", "/readyz", { checked: false })).toMatchObject({ status: 200 });
});

test("the next call uses settings that a test changed in the database without the Ledger", async () => {
  const world = await createWorld(database.url);
  const api = createApi(service.url);
  const click = () => api.click({ affiliate_url: world.partner.landingUrl, program_id: world.programId });
  expect((await click()).body.success).toBe(true);
  await world.change({ sql: "update partners set status = 'paused' where id = ?", args: [world.partner.id] });
  expect((await click()).body).toEqual({ success: false, message: "Referral link is inactive" });
});

test("the helper insist repeats a call until the service is available, and the call is recorded only once", {
  tags: "soak",
}, async () => {
  const world = await createWorld(database.url);
  const { sale } = createApi(service.url);
  const body = { transaction_id: "t", amount_cents: 500, customer_key: "c" };
  service.clearLogs();
  const heal = proxy.inject({ kind: "refuse" }, { only: "writes" });
  const insisted = insist(() => sale(body, { key: world.key }));
  const refused = () => service.logs.some((line) => /track\/sale.*503/.test(line));
  await expect.poll(refused).toBe(true);
  heal();
  expect(await insisted).toMatchObject({ status: 200 });
  expect(await world.rows("select id from sales where program_id = ?", world.programId)).toHaveLength(1);
});
