import { expect, it } from "vitest";
import { isolatedService } from "../support/isolated-service.ts";

const own = isolatedService();

const ask = async () => (await fetch(`${own.service.url}/readyz`)).status;

it("readyz sends only a few database requests for many parallel calls", async () => {
  expect(await ask()).toBe(200);
  own.proxy.resetCounts();
  own.proxy.inject({ kind: "late", ms: 500 }, { only: "reads" });
  const statuses = await Promise.all(Array.from({ length: 50 }, ask));
  own.proxy.heal();
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(own.proxy.counts.reads).toBeLessThanOrEqual(4);
});

it("readyz returns 503 while the database is unreachable, and 200 afterwards", async () => {
  await own.proxy.disconnect();
  expect(await ask()).toBe(503);
  await own.proxy.connect();
  await expect.poll(ask).toBe(200);
});

it("readyz returns 503 while the database can be read but not written, and 200 once it can be written, without another call", {
  tags: "soak",
}, async () => {
  const world = await own.world();
  own.service.clearLogs();
  own.proxy.inject({ kind: "refuse" }, { only: "writes" });
  const call = { transaction_id: "unwritten", amount_cents: 1, customer_key: "u" };
  expect((await own.api().sale(call, { key: world.key })).status).toBe(503);
  expect(await ask()).toBe(503);
  own.proxy.heal();
  await expect.poll(ask).toBe(200);
  const outages = own.service.logs.filter((line) => /"event":"ledger.database_(lost|recovered)"/.test(line));
  expect(outages).toHaveLength(2);
});

it("readyz returns 503 while the service's clock is behind the database's newest commit, and nothing is written", async () => {
  const world = await own.world();
  const api = own.api();
  const sell = (transaction_id: string) =>
    api.sale({ transaction_id, amount_cents: 1, customer_key: "u" }, { key: world.key });
  const click = () => api.click({ affiliate_url: world.partner.landingUrl, program_id: world.programId });
  expect([(await sell("before")).status, (await click()).status]).toEqual([200, 200]);
  const setNewestCommit = (at: number) =>
    world.write({ sql: "update ledger_writers set committed_at = ?, epoch = epoch + 1, seq = 0", args: [at] });

  await setNewestCommit(Date.now() + 3_600_000);
  expect(await ask()).toBe(503);
  const [refused, unkept] = [await sell("behind"), await click()];
  expect([refused.status, unkept.status]).toEqual([503, 503]);
  expect(refused.body.error).toMatchObject({ name: "ServiceUnavailableError" });
  expect(refused.headers.get("retry-after")).not.toBeNull();

  await setNewestCommit(Date.now());
  expect(await ask()).toBe(200);
  await expect.poll(async () => (await sell("right again")).status).toBe(200);
  expect((await click()).status).toBe(200);
  const sold = await world.rows("select transaction_id as t from sales where program_id = ?", world.programId);
  expect(sold.map(({ t }) => t)).toEqual(["before", "right again"]);
});
