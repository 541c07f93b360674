import { beforeAll, describe, expect, it } from "vitest";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { type Dashboard, dashboardOf, shown } from "../support/dashboard.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";

const own = isolatedService();

let user: User;
let world: World;
let dashboard: Dashboard;

beforeAll(async () => {
  user = await own.user();
  world = await own.world({ members: [{ user, role: "admin" }] });
  dashboard = dashboardOf(user, world.programId);
  const sale = { transaction_id: "explained", amount_cents: 100, customer_key: "u" };
  expect((await own.api().sale(sale, { key: world.key })).status).toBe(200);
});

describe("requests to the database", () => {
  it.each([
    ["status", () => dashboard.status()],
    ["events", () => dashboard.events({ test: "include", pageSize: 100 })],
    ["performance", () => dashboard.performance({ period: "all" })],
    ["partners' performance", () => dashboard.partners({ period: "all", search: "a" })],
    ["overview", () => dashboard.overview({ period: "all" })],
    ["commissions", () => user.get(`/api/programs/${world.programId}/commissions?sort=date&status=pending`)],
    ["totals of commissions", () => user.get(`/api/programs/${world.programId}/commissions/totals`)],
    ["readiness", () => dashboard.readiness()],
    ["checking test events", () => dashboard.checkTestEvents()],
    ["a search that finds nothing", () => user.get(`/api/tracking/search/${world.programId}?q=nothing`)],
    ["an explanation", () => user.get(`/api/tracking/explain/${world.programId}?transactionId=explained`)],
  ] as const)("%s on the dashboard takes two database requests: one for access, one for data", async (_, ask) => {
    // The Ledger's maintenance tasks may add reads, so the count is repeated.
    const counted = async () => {
      own.proxy.resetCounts();
      expect((await ask()).status).toBe(200);
      return own.proxy.counts;
    };
    const counts = await eventually(counted, ({ total }) => total === 2);
    expect(counts).toMatchObject({ reads: 2, writes: 0, total: 2 });
  });
});

it("the performance report is read from daily counts, not from events", async () => {
  const click = { affiliate_url: world.partner.landingUrl, program_id: world.programId };
  await own.api().click(click);
  await own.api().click(click);
  await world.write({ sql: "delete from clicks where program_id = ?", args: [world.programId] });
  expect((await shown(dashboard.performance())).metrics).toMatchObject({ totalClicks: 2 });
  expect((await shown(dashboard.partners())).data).toMatchObject([{ clicks: 2 }]);
});

describe("the verification if the database fails", () => {
  it("a verification run responds 503 while the database is unreachable, and the last run's verdict stays", {
    tags: "soak",
  }, async () => {
    await shown(dashboard.runVerification());
    const heal = own.proxy.inject({ kind: "refuse" }, { only: "writes" });
    const reply = await dashboard.runVerification();
    heal();
    expect(reply.status).toBe(503);
    expect(Number(reply.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await dashboard.readiness()).body).toMatchObject({ gates: { live: { status: "pass" } } });
    await eventually(
      () => dashboard.test(),
      ({ status }) => status === 200,
    );
  });

  it("a verification run responds 200 and reports the failed step if the database can't store the run's sale", async () => {
    await world.write(`
      create trigger broken before insert on sales when new.transaction_id like 'verification%'
      begin select raise(abort, 'broken for a test'); end`);
    const { data } = await shown(dashboard.runVerification());
    await world.write("drop trigger broken");
    expect(data).toMatchObject({
      verdict: { click: "attributed", lead: "attributed", sale: "pending" },
      attributed: false,
      steps: [
        { status: "pass" },
        { status: "pass" },
        { name: "sale", status: "fail", http_status: 500, message: "Sale tracking failed" },
      ],
    });
    expect((await dashboard.readiness()).body).toMatchObject({ gates: { live: { status: "unknown" } } });
  });
});
