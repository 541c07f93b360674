import { expect, it } from "vitest";
import { isolatedService } from "../support/isolated-service.ts";

const own = isolatedService();

const ask = async () => (await fetch(`${own.service.url}/readyz`)).status;

it("asks the database a few times at once, however many ask for it", async () => {
  expect(await ask()).toBe(200);
  own.proxy.resetCounts();
  own.proxy.inject({ kind: "late", ms: 500 }, { only: "reads" });
  const statuses = await Promise.all(Array.from({ length: 50 }, ask));
  own.proxy.heal();
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(own.proxy.counts.reads).toBeLessThanOrEqual(4);
});

it("says so once the database is away, and back", async () => {
  await own.proxy.disconnect();
  expect(await ask()).toBe(503);
  await own.proxy.connect();
  expect(await ask()).toBe(200);
});
