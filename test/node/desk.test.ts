import { afterEach, describe, expect, it } from "vitest";
import { createApi } from "../../harness/client.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { withinMinute } from "../support/within-minute.ts";

const own = isolatedService();
const wrongKeys = 10;
const limitedService = isolatedService({ limits: { FAILED_KEY_LIMIT: wrongKeys } });
const desk = () => own.service.desk ?? expect.fail("the service has no desk");
const get = (path: string, headers: Record<string, string> = {}) => fetch(`${own.service.url}${path}`, { headers });
const metric = async (name: string) => {
  const text = await (await fetch(`${own.service.localUrl}/metrics`)).text();
  return text.split("\n").find((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
};

describe("while the desk process, which serves the dashboard, is stopped", () => {
  afterEach(() => desk().signal("SIGCONT"));

  it("tracking, health checks and metrics continue while the desk process, which serves the dashboard, is stopped", {
    tags: "finding",
  }, async () => {
    const shop = salesFixture(programFixture(await own.world({ partners: [{}, {}] }), createApi(own.service.url)));
    desk().signal("SIGSTOP");
    await shop.refer("c1");
    expect((await shop.sell({ transaction_id: "t1", customer_key: "c1" })).body).toMatchObject({ attributed: true });
    for (const path of ["/healthz", "/readyz", "/js/svc-tracker.js"]) expect((await get(path)).status, path).toBe(200);
    expect(await metric("tributary_desk_up")).toBe("tributary_desk_up 0");
    desk().signal("SIGCONT");
    await expect.poll(() => metric("tributary_desk_up")).toBe("tributary_desk_up 1");
  });
});

it("metrics include the calls to both processes of the service, the ledger process and the desk process", async () => {
  const routes = 'tributary_http_requests_total{method="GET",route="/api/openapi.json",status="200",outcome="ok"}';
  expect(await metric(routes.slice(0, routes.indexOf("{")))).toBeDefined();
  await (await get("/api/openapi.json")).body?.cancel();
  const text = await (await fetch(`${own.service.localUrl}/metrics`)).text();
  expect(text).toContain(`${routes} 1`);
});

it("the limit of wrong keys per caller counts the calls to both processes together, whatever address the caller claims in headers", {
  tags: "finding",
}, async () => {
  const limited = limitedService.service.url;
  const guess = async (path: string, n: number) => {
    const forged = { "x-tributary-peer": `192.0.2.${n} 1`, "x-tributary-token": "guess" };
    const answer = await fetch(limited + path, { headers: { authorization: `Bearer wrong-${n}`, ...forged } });
    return answer.status;
  };
  const statuses = await withinMinute(async () => {
    const all: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      all.push(await guess("/api/v1/programs/me/partners", n), await guess("/api/v1/programs/me/readiness", n));
    }
    return all;
  });
  expect(statuses).toEqual([...Array(wrongKeys).fill(401), ...Array(16 - wrongKeys).fill(429)]);
});

it("after the desk process, which serves the dashboard, is killed, its paths return 503, and no confirmed tracking call is lost", async () => {
  const shop = salesFixture(programFixture(await own.world({ partners: [{}, {}] }), createApi(own.service.url)));
  await shop.refer("c1");
  await desk().kill();
  expect((await shop.sell({ transaction_id: "t1", customer_key: "c1" })).status).toBe(200);
  const answer = await get("/app/");
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
  expect((await createApi(own.service.url).request("GET", "/api/auth/get-session")).status).toBe(503);
  await own.service.restart();
  await eventually(
    async () => (await get("/app/")).status,
    (status) => status === 200,
  );
  expect((await shop.sell({ transaction_id: "t1", customer_key: "c1" })).status).toBe(409);
});

it.each(["/api/v1/programs/me/readiness", "/api/v1/programs/me/partners"])(
  "%s accepts about 200 headers, and headers of 32 kB in total, and refuses 201 headers",
  async (path) => {
    const { key } = await own.world();
    const asked = (count: number, length: number) =>
      get(path, {
        authorization: `Bearer ${key}`,
        ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, "v".repeat(length)])),
      });
    for (const answer of [await asked(190, 1), await asked(32, 1_000)]) expect(answer.status).toBe(200);
    expect((await asked(201, 1)).status).toBe(431);
  },
);
