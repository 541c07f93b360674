import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { at, inTestMode } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

const verdictOf = async ({ api, world }: SalesFixture) => {
  const { status, body } = await api.readiness({ key: world.key });
  expect(status).toBe(200);
  return body;
};
const withoutInstant = ({ gates, ...verdict }: JsonObject): JsonObject => {
  const { tracking, ...others } = gates as { [name: string]: JsonObject };
  return { ...verdict, gates: { ...others, tracking: { ...tracking, checked_at: null } } };
};

const profile = { websiteUrl: null };
const payout = { payoutMode: null };
const fails = (next_action: string) => ({ status: "fail", next_action });
const passes = { status: "pass" };

it("in the readiness report, a program that isn't set up fails every gate, each with a next action", async () => {
  const shop = await createSalesFixture({ program: { ...profile, ...payout }, policies: [] });
  const before = Date.now();
  const verdict = await verdictOf(shop);
  expect(verdict).toEqual({
    program_id: shop.world.programId,
    state: "draft",
    integration_verified: false,
    blocker: "profile",
    gates: {
      profile: fails("complete_program_profile"),
      economics: fails("set_commission_policy"),
      payout: fails("set_payout_mode"),
      tracking: { ...fails("install_tracker_or_send_events"), detail: null, checked_at: expect.any(String) },
      live: {
        ...fails("run_synthetic_sale_chain"),
        test_chain: { click: "pending", lead: "pending", sale: "pending" },
      },
    },
    last_event_at: { click: null, lead: null, sale: null },
    counts_24h: { clicks: 0, leads: 0, sales: 0 },
    key_rotated_at: null,
    last_reconciliation: null,
    poll: { retry_after_seconds: 5 },
  });
  const { checked_at } = (verdict.gates as { tracking: { checked_at: string } }).tracking;
  expect(at(Date.parse(checked_at))).toBe(checked_at);
  expect(Math.abs(Date.parse(checked_at) - before)).toBeLessThan(10_000);
});

type Step = (shop: SalesFixture) => Promise<unknown>;
const nothing: Step = async () => {};
const click: Step = ({ visit }) => visit({}, { browser: true });
const attributedSale: Step = async ({ refer, sell }) => {
  await refer("u");
  await sell({ customer_key: "u" });
};

it.each<[state: string, blocker: string | null, settings: WorldSettings, step: Step]>([
  ["draft", "profile", { program: profile }, attributedSale],
  ["draft", "profile", { program: { ...profile, ...payout }, policies: [] }, click],
  ["draft", "profile", { program: { name: " " } }, click],
  ["configuring", "economics", { program: payout, policies: [] }, click],
  ["configuring", "economics", { policies: [{ type: "none" }] }, click],
  ["configuring", "payout", { program: payout }, nothing],
  ["configuring", "tracking", {}, nothing],
  ["configuring", "tracking", {}, attributedSale],
  ["ready", "live", {}, click],
  ["ready", "live", {}, async (shop) => [await click(shop), await shop.sell({ customer_key: "nobody" })]],
  ["ready", "live", { policies: [], partners: [{ policies: [{}] }, {}] }, click],
  ["live_verified", null, {}, async (shop) => [await click(shop), await attributedSale(shop)]],
])("readiness has the state %s and the blocker %s with the settings %j", async (state, blocker, settings, step) => {
  const shop = await createSalesFixture(settings);
  await step(shop);
  const verdict = await verdictOf(shop);
  expect(verdict).toMatchObject({ state, blocker, integration_verified: blocker === null });
  const gates = verdict.gates as Record<string, JsonObject>;
  const order = ["profile", "economics", "payout", "tracking", "live"];
  expect(order.find((name) => gates[name]?.status !== "pass") ?? null).toBe(blocker);
  for (const name of order) expect("next_action" in (gates[name] ?? {}), name).toBe(gates[name]?.status !== "pass");
});

describe("the tracking gate", () => {
  const installed = { ...passes, detail: "tracker_installed" };
  const receiving = { ...passes, detail: "receiving_events" };
  const failing = { ...fails("install_tracker_or_send_events"), detail: null };
  const back =
    (days: number): Step =>
    ({ forge, world }) =>
      forge(
        [
          "events on a day that isn't the day of their time in any time zone",
          "hourly counts that don't match the events",
        ],
        "update clicks set occurred_at = occurred_at - ? where program_id = ?",
        days * 86_400_000,
        world.programId,
      );

  it.each<[string, object, Step[]]>([
    ["a real click from a browser", receiving, [click]],
    ["a real click from a backend", receiving, [({ visit }) => visit()]],
    ["a test click from the script", installed, [({ visit }) => visit(inTestMode, { browser: true })]],
    ["a test click from a backend", failing, [({ visit }) => visit(inTestMode)]],
    [
      "a test click from the script and a real click",
      receiving,
      [({ visit }) => visit(inTestMode, { browser: true }), click],
    ],
    ["a click 29 days ago", receiving, [click, back(29)]],
    ["a click 31 days ago", failing, [click, back(31)]],
    ["a test click 31 days ago", failing, [({ visit }) => visit(inTestMode, { browser: true }), back(31)]],
    ["a test lead and a test sale", failing, [({ lead }) => lead(inTestMode), ({ sale }) => sale(inTestMode)]],
  ])("after %s, the tracking gate of the readiness report is %j", async (_, expected, steps) => {
    const shop = await createSalesFixture();
    for (const step of steps) await step(shop);
    const { gates } = await verdictOf(shop);
    expect((gates as JsonObject).tracking).toEqual({ ...expected, checked_at: expect.any(String) });
  });
});

it("the readiness report shows when the newest API key was created, if the program had an earlier key", async () => {
  const [first, second] = [Date.now() - 9_000_000, Date.now() - 5_000_000];
  const keys = [{ createdAt: first, retiresAt: second + 3_600_000 }, { createdAt: second }];
  const shop = await createSalesFixture({ keys });
  const { body } = await shop.api.readiness({ key: shop.world.keys[1] });
  expect(body.key_rotated_at).toBe(at(second));
});

it("the readiness report is computed on every call, with or without force_recheck", async () => {
  const shop = await createSalesFixture();
  const { api, world } = shop;
  for (const query of ["", "?force_recheck=true", "?force_recheck=1&x=y", "?force_recheck"]) {
    const reply = await api.request("GET", `/api/v1/programs/me/readiness${query}`, { key: world.key });
    expect(withoutInstant(reply.body)).toEqual(withoutInstant(await verdictOf(shop)));
    await click(shop);
  }
});
