import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { World } from "../../harness/world.ts";
import { root } from "../../scripts/root.ts";
import { watchDisk } from "../../scripts/service/machine-watch.ts";
import { parseExposition, type Series } from "../support/exposition.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";

const own = isolatedService();
afterEach(() => own.proxy.heal());

async function scrape(): Promise<{ readonly text: string; readonly series: Series }> {
  const answer = await fetch(`${own.service.localUrl}/metrics`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await answer.text();
  return { text, series: parseExposition(text) };
}

/** The increase of each series with this name during `act`. */
async function growth(name: string, act: () => Promise<unknown>): Promise<Record<string, number>> {
  const { series: before } = await scrape();
  await act();
  const { series: after } = await scrape();
  const grown = [...after].map(([key, value]) => [key, value - (before.get(key) ?? 0)] as const);
  return Object.fromEntries(grown.filter(([key, by]) => key.startsWith(name) && by > 0));
}

const clickOn = ({ partner, programId }: World) =>
  own.api().click({ affiliate_url: partner.landingUrl, program_id: programId });

test("the metrics count and time calls by route and outcome, and contain no program id", async () => {
  const world = await own.world();
  const api = own.api();
  // The client's first call also reads the OpenAPI documents.
  await clickOn(world);
  const act = async () => {
    await clickOn(world);
    await api.sale({ transaction_id: "t", amount_cents: 500, customer_key: "c" }, { key: world.key });
    await api.sale({ transaction_id: "t", amount_cents: 500, customer_key: "c" }, { key: world.key });
    await api.sale({}, { key: "svc_wrong" });
    await fetch(`${own.service.url}/api/programs/${world.programId}`);
    for (const path of ["nowhere", world.partner.code]) await fetch(`${own.service.url}/${path}`);
    await fetch(`${own.service.url}/js/svc-tracker.js`);
    await fetch(`${own.service.url}/js/svc-tracker.js`, { method: "PUT" });
  };
  const name = "tributary_http_requests_total";
  const of = (method: string, route: string, status: number, outcome: string) =>
    `${name}{method="${method}",route="${route}",status="${status}",outcome="${outcome}"}`;
  expect(await growth(name, act)).toEqual({
    [of("POST", "/api/v1/track/click", 200, "ok")]: 1,
    [of("POST", "/api/v1/track/sale", 200, "ok")]: 1,
    [of("POST", "/api/v1/track/sale", 409, "duplicate_transaction")]: 1,
    [of("POST", "/api/v1/track/sale", 401, "invalid_key")]: 1,
    [of("GET", "/api/programs/:programId", 401, "no_session")]: 1,
    [of("GET", "unmatched", 404, "route_not_found")]: 2,
    [of("GET", "static", 200, "ok")]: 1,
    [of("PUT", "static", 405, "method_not_allowed")]: 1,
  });

  const { text, series } = await scrape();
  const timed = 'tributary_http_request_duration_seconds_count{method="POST",route="/api/v1/track/sale"}';
  expect(series.get(timed)).toBe(3);
  for (const secret of [String(world.programId), world.key, world.partner.code]) expect(text).not.toContain(secret);
});

test("the metrics count the Ledger's rounds (batched commits) and the calls in them", async () => {
  const world = await own.world();
  const name = "tributary_ledger_round_calls";
  const { [`${name}_sum`]: calls, [`${name}_count`]: rounds = 0 } = await growth(name, () =>
    Promise.all(Array.from({ length: 8 }, () => clickOn(world))),
  );
  expect(calls).toBe(8);
  expect(rounds).toBeGreaterThan(0);
  const { series } = await scrape();
  for (const lane of ["money", "traffic", "control"]) {
    expect(series.get(`tributary_ledger_queued_calls{lane="${lane}"}`), lane).toBe(0);
  }
});

test("the metrics contain the version and the start time", async () => {
  const { text, series } = await scrape();
  expect(text).toMatch(/^tributary_build_info\{version="[\d.]+\+[\w.-]+",runtime="workerd [\d.]+"\} 1$/m);
  const startedAt = series.get("process_start_time_seconds") ?? 0;
  expect(startedAt).toBeGreaterThan(Date.UTC(2026, 0) / 1_000);
  expect(series.get("tributary_ledger_up")).toBe(1);
});

test("the metrics count pending commissions whose hold period is over", async () => {
  const world = await own.world();
  const { body } = await clickOn(world);
  const { click_id } = body;
  await own.api().sale({ transaction_id: "t", amount_cents: 500, customer_key: "c", click_id }, { key: world.key });
  const before = (await scrape()).series;
  expect([before.get("tributary_commissions_due"), before.get("tributary_commissions_due_age_seconds")]).toEqual([
    0, 0,
  ]);

  // Prevents the Ledger from approving the commission.
  own.proxy.inject({ kind: "refuse" }, { only: "writes" });
  const hourAgo = Date.now() - 3_600_000;
  await world.write({
    sql: "update commissions set hold_until = ? where program_id = ?",
    args: [hourAgo, world.programId],
  });
  const { series } = await scrape();
  expect(series.get("tributary_commissions_due")).toBe(1);
  expect(series.get("tributary_commissions_due_age_seconds")).toBeGreaterThanOrEqual(3_600);
});

test("while the database is unreachable, the metrics still count spilled clicks and database errors", {
  tags: "soak",
}, async () => {
  const world = await own.world();
  // Caches the link in the Ledger.
  await eventually(
    () => clickOn(world),
    ({ status }) => status === 200,
  );
  const waiting = 'tributary_ledger_spilled_clicks{state="waiting"}';
  expect((await scrape()).series.get("tributary_database_up")).toBe(1);

  await own.proxy.disconnect();
  const faults = await growth("tributary_database_faults_total", async () => {
    expect((await clickOn(world)).status).toBe(200);
  });
  expect(Object.keys(faults)).toEqual(['tributary_database_faults_total{kind="unknown"}']);
  const { series } = await scrape();
  expect(series.get("tributary_database_up")).toBe(0);
  expect(series.get(waiting)).toBe(1);
  expect(series.get('tributary_ledger_spilled_clicks{state="set_aside"}')).toBe(0);
  expect([...series.keys()].filter((key) => key.startsWith("tributary_commissions"))).toEqual([]);

  await own.proxy.connect();
  await eventually(scrape, ({ series: now }) => now.get(waiting) === 0);
  expect((await scrape()).series.get("tributary_database_up")).toBe(1);
});

/** Sends headers that `fetch` doesn't allow. */
const ask = (path: string, headers: Readonly<Record<string, string>>) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(`${own.service.localUrl}${path}`, { headers }, (answer) => resolve(answer.resume().statusCode))
      .once("error", reject)
      .end();
  });

test("the metrics endpoint answers only requests to a local host, refuses those from pages of other sites, and requires the token for writes", async () => {
  const { port } = new URL(own.service.localUrl);
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
    expect(await ask("/metrics", { host }), host).toBe(200);
  }
  for (const host of ["evil.example", `evil.example:${port}`, `127.0.0.1.evil.example:${port}`]) {
    expect(await ask("/metrics", { host }), host).toBe(403);
  }
  const statusFrom = (site: string) => ask("/metrics", { "sec-fetch-site": site });
  expect([await statusFrom("none"), await statusFrom("cross-site"), await statusFrom("same-site")]).toEqual([
    200, 403, 403,
  ]);
  const put = (authorization: string) =>
    fetch(`${own.service.localUrl}/disk`, {
      method: "PUT",
      headers: { authorization },
      body: JSON.stringify({ freeBytes: 0, sizeBytes: 1, minFreeBytes: 1 }),
    }).then(({ status }) => status);
  for (const token of ["", "Bearer", `Bearer ${"x".repeat(43)}`]) expect(await put(token), token).toBe(401);
  expect((await fetch(`${own.service.localUrl}/metrics`, { method: "POST" })).status).toBe(405);
  expect((await fetch(`${own.service.localUrl}/healthz`)).status).toBe(404);
  for (const path of ["/metrics", "/disk", "/clock"])
    expect((await fetch(own.service.url + path)).status, path).toBe(404);
  expect((await fetch(`${own.service.url}/readyz`)).status).toBe(200);
});

const ready = async () => {
  const answer = await fetch(`${own.service.url}/readyz`);
  return { status: answer.status, body: await answer.json() };
};
const events = (event: string) => own.service.logs.filter((line) => line.includes(`"${event}"`));
const watching = (minFreeBytes: number) =>
  watchDisk(import.meta.dirname, own.service.reportDisk, { minFreeBytes, everyMs: 20 });

test("the service isn't ready while the disk is nearly full, but serves calls, and logs each change of this state once", async () => {
  const world = await own.world();
  await own.proxy.disconnect();
  const unavailable = await ready();
  await own.proxy.connect();
  await eventually(ready, ({ status }) => status === 200);

  let unwatch = watching(Number.MAX_SAFE_INTEGER);
  expect(await eventually(ready, ({ status }) => status === 503)).toEqual(unavailable);
  expect((await fetch(`${own.service.url}/healthz`)).status).toBe(200);
  expect((await clickOn(world)).status).toBe(200);
  const { series } = await scrape();
  expect(series.get("tributary_disk_min_free_bytes")).toBe(Number.MAX_SAFE_INTEGER);
  expect(series.get("tributary_disk_size_bytes")).toBeGreaterThan(series.get("tributary_disk_free_bytes") ?? 0);
  unwatch();

  unwatch = watching(0);
  await eventually(ready, ({ status }) => status === 200);
  unwatch();
  expect([events("disk.low"), events("disk.recovered")]).toEqual([
    [expect.stringContaining("free_bytes")],
    [expect.stringContaining("free_bytes")],
  ]);
});

test("the service writes nothing and isn't ready while the clock is set ahead by more than a day", async () => {
  const world = await own.world();
  expect((await clickOn(world)).status).toBe(200);
  const at = Date.now();
  const hour = 3_600_000;
  await own.service.reportClock({ at, uptimeMs: 50 * hour });
  expect((await ready()).status).toBe(200);
  await own.service.reportClock({ at, uptimeMs: 20 * hour });
  expect((await ready()).status).toBe(503);
  expect((await clickOn(world)).status).toBe(503);
  expect((await scrape()).series.get("tributary_clock_wrong")).toBe(1);

  await own.service.reportClock({ at, uptimeMs: 50 * hour });
  expect((await ready()).status).toBe(200);
  await eventually(
    () => clickOn(world),
    ({ status }) => status === 200,
  );
  expect((await scrape()).series.get("tributary_clock_wrong")).toBe(0);
  expect(events("ledger.clock_wrong")).toEqual([expect.stringContaining("was set ahead by 30 hours")]);
});

test("the guide lists every metric with its type", async () => {
  const unwatch = watching(0);
  const { text } = await eventually(scrape, ({ series }) => series.has("tributary_disk_free_bytes"));
  unwatch();
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  const guide = await readFile(join(root, "docs/metrics.md"), "utf8");
  const listed = [...guide.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name, type]) => `${name} ${type}`);
  // Only a runtime with two processes has this metric.
  const ofDesk = "tributary_desk_up gauge";
  expect(listed.toSorted()).toEqual([...types, ofDesk].toSorted());
});
