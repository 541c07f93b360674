/** @module-tag soak */
import { expect, test } from "vitest";
import { isolatedDevelopmentService } from "./isolated-service.ts";

const own = isolatedDevelopmentService();

test("the service continues at the same address after its Ledger was evicted or killed", async () => {
  const world = await own.world();
  const sell = async (transaction_id: string) =>
    (await own.api().sale({ transaction_id, amount_cents: 500, customer_key: "c" }, { key: world.key })).status;
  expect(await sell("before")).toBe(200);

  await own.service.evictLedger();
  expect(await sell("evicted")).toBe(200);

  const { url } = own.service;
  await own.service.kill();
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  await own.service.restart();
  expect(own.service.url).toBe(url);
  expect(await sell("evicted")).toBe(409);
});

test("the Ledger's own storage and the log can be read", async () => {
  const tables = await own.service.ledgerStorage("select name from sqlite_master where type = ?", "table");
  expect(tables.length).toBeGreaterThan(0);
  own.service.clearLogs();
  await own.api().request("GET", "/healthz", { checked: false });
  await expect.poll(() => own.service.logs.some((line) => line.includes("/healthz"))).toBe(true);
});
