import { expect, test } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { eventually } from "../support/isolated-service.ts";
import type { ProgramFixture } from "../support/program-fixture.ts";
import { command, type Environment } from "./command.ts";
import { json, openShop } from "./command-at-shop.ts";
import { answer, cut, refusal, serverThat } from "./server-that.ts";

const cli = command();
const open = (settings?: WorldSettings) => openShop(cli, settings);
const key = `svc_1_${"k".repeat(43)}`;
const withKey: Environment = { TRIBUTARY_API_KEY: key };

test("verify reports each step, and exits with 0 if everything was attributed", async () => {
  const { run } = await open();
  const { code, out } = await run("verify");
  expect(out).toMatch(/✓ click .*✓ lead .*✓ sale .*Attributed\./s);
  expect(code).toBe(0);
  expect(json(await run("verify", "--json"))).toMatchObject({ data: { attributed: true } });
});

test.each(
  sampled<[string, WorldSettings, string[]]>([
    [
      "no policy",
      { policies: [] },
      ["✓ lead", "✗ sale", "no_commission_policy: No commission policy covers it. Set one in the program's settings."],
    ],
    [
      "a paused program",
      { program: { status: "paused" } },
      ["✗ click", "Resume it in the dashboard.", "– lead", "Fix the step above first."],
    ],
    [
      "a policy with a minimum",
      { policies: [{ type: "percent", rateBps: 1_000, currency: "EUR", minSaleCents: 50_000 }] },
      ["✗ sale", "below_minimum: The sale is below the policy's minimum."],
    ],
  ]),
)("verify prints a remedy for %s", async (_, settings, said) => {
  const { run } = await open(settings);
  const { code, out } = await run("verify");
  for (const text of [...said, "Not attributed."]) expect(out).toContain(text);
  expect(code).toBe(1);
});

test("readiness prints what is missing and what to do next", async () => {
  const { run } = await open({ program: { websiteUrl: null }, policies: [] });
  const { code, out } = await run("readiness");
  expect(out).toContain("draft\nThe program's profile is incomplete.");
  expect(out).toContain("✗ profile\n      Set the program's name and website");
  expect(out).toContain("✗ economics\n      Set a commission policy");
  expect(out).toContain("✓ payout");
  expect(out).toContain("✗ live\n      Run: tributary-sdk verify");
  expect(out).toMatch(/sale +never +0 in 24 hours/);
  expect(code).toBe(1);
  expect(json(await run("readiness", "--json"))).toMatchObject({ state: "draft", blocker: "profile" });
});

test("readiness --watch prints each change of the readiness, and exits after the first live sale", {
  tags: "soak",
}, async () => {
  const { shop, environment } = await open();
  const watching = cli.start(["readiness", "--watch"], environment);
  await eventually(
    async () => watching.out(),
    (out) => out.includes(": configuring"),
  );
  await buy(shop);
  const { code, out } = await watching.ended;
  expect(out.match(/^Program \d+: \w+/gm)).toEqual([
    `Program ${shop.world.programId}: configuring`,
    `Program ${shop.world.programId}: live_verified`,
  ]);
  expect(code).toBe(0);
});

async function buy(shop: ProgramFixture): Promise<void> {
  const { click_id } = await shop.visit();
  await shop.lead({ click_id, customer_key: "buyer" });
  await shop.sale({ customer_key: "buyer" });
}

test("readiness --watch waits for an unreachable service, and exits if the key is refused", {
  tags: "soak",
}, async () => {
  const { url, calls } = await serverThat(
    cut,
    refusal(503, "Away.", { "retry-after": "1" }),
    refusal(401, "No such key."),
  );
  const watching = cli.start(["readiness", "--watch", "--url", url], withKey);
  const { code, err } = await watching.ended;
  expect(err).toMatch(/Service not reached.*Away\..*No such key\./s);
  expect(calls).toHaveLength(3);
  expect(code).toBe(1);
});

test("send records a customer's journey in the test book, and reports each step", async () => {
  const { shop, run } = await open();
  const url = shop.alice.landingUrl;
  const clicked = await run("send", "click", "--affiliate-url", url);
  expect(clicked).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Test click recorded for partner ${shop.alice.code}.`),
  });
  const clickId = /Click id, good for 60 days: (\S+)/.exec(clicked.out)?.[1] ?? "";

  const lead = await run("send", "lead", "--click-id", clickId, "--customer-key", "u1");
  expect(lead.out).toMatch(
    new RegExp(`Test lead recorded: lead \\d+\\.\n  The customer belongs to partner ${shop.alice.code}`),
  );
  const again = await run("send", "lead", "--click-id", clickId, "--customer-key", "u1");
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining("was already recorded, nothing changed") });

  const order = ["--customer-key", "u1", "--transaction-id", "t1", "--currency", "eur", "--recurring"];
  const sale = await run("send", "sale", ...order, "--amount", "4900", "--line-items", '[{"sku":1}]');
  expect(sale.out).toMatch(
    /Test sale recorded: sale \d+, commission \d+\.\n {2}Partner \S+ earns 980 in the smallest unit of EUR: pending, on hold until/,
  );
  expect(await run("send", "sale", ...order, "--amount", "4900")).toMatchObject({
    code: 0,
    out: expect.stringContaining("Already recorded, not counted again"),
  });
  expect(await run("send", "sale", ...order, "--amount", "5000")).toMatchObject({
    code: 1,
    err: expect.stringContaining("already recorded with a different amount_cents"),
  });

  const refund = ["send", "refund", "--transaction-id", "t1", "--amount", "2450", "--refund-id", "r1"];
  expect((await run(...refund)).out).toContain("490 of its commission was reversed, 490 is left.");
  expect((await run(...refund)).out).toContain("changed nothing: duplicate refund_id");
  const rest = await run("send", "refund", "--transaction-id", "t1", "--json");
  expect(json(rest)).toMatchObject({ status: "reversed", refunded_total_cents: 4_900 });

  expect(await shop.all("sales")).toMatchObject([{ is_test: 1, is_recurring: 1, line_items: '[{"sku":1}]' }]);
  expect(await shop.all("clicks")).toMatchObject([{ is_test: 1 }]);
  expect(await shop.all("refunds")).toHaveLength(2);
});

test("send sale accepts one or more coupon codes", { tags: "soak" }, async () => {
  const { shop, run } = await open({ coupons: [{ codes: ["ALICE10"] }] });
  const order = ["--customer-key", "u1", "--transaction-id", "t1", "--amount", "4900"];
  const sale = await run("send", "sale", ...order, "--coupon", "nobody's", "--coupon", "ALICE10");
  expect(sale.out).toContain(`Partner ${shop.alice.code} earns 980`);
  const explained = await run("explain", "--transaction", "t1", "--test");
  expect(explained.out).toContain("– coupon nobody's: no coupon has this code\n");
  expect(explained.out).toContain(`✓ coupon ALICE10 of ${shop.alice.code}: it named the partner\n`);
});

test("send cancels a refund, and reports the restored commission", async () => {
  const restored = {
    success: true,
    sale_id: 1,
    status: "restored",
    refunded_cents: -900,
    refunded_total_cents: 0,
    commission_reversed_cents: -180,
    commission_amount_cents: 980,
  };
  const used = { ...restored, reason: "one_time_used", commission_reversed_cents: 0, commission_amount_cents: 0 };
  const { url, calls } = await serverThat(answer(200, restored), answer(200, used));
  const cancel = ["send", "refund", "--live", "--transaction-id", "t1", "--refund-id", "ch_1", "--cancel"];
  const options = ["--refunded-total", "0", "--charge-total", "5831", "--url", url];
  const first = await cli.run([...cancel, ...options], withKey);
  expect(first.out).toContain("Refund canceled; 0 of sale 1 still refunded");
  expect(first.out).toContain("180 was restored to its commission, which is now 980.");
  expect(calls[0]?.body).toEqual({
    transaction_id: "t1",
    refund_id: "ch_1",
    cancel: true,
    refunded_total_cents: 0,
    charge_total_cents: 5_831,
  });
  expect((await cli.run([...cancel, ...options], withKey)).out).toContain(
    "Nothing was restored: another sale has earned",
  );
});

test("send --live records live events", { tags: "soak" }, async () => {
  const { shop, run } = await open();
  const click = json(await run("send", "click", "--live", "--json", "--affiliate-url", shop.alice.landingUrl));
  await run("send", "lead", "--live", "--click-id", click.click_id, "--customer-key", "u1");
  const sale = ["--customer-key", "u1", "--amount", "1000", "--transaction-id", "t1"];
  expect(json(await run("send", "sale", "--live", "--json", ...sale))).toMatchObject({ attributed: true });
  const refund = await run("send", "refund", "--live", "--transaction-id", "t1", "--reason", "too late");
  expect(refund.out).toContain("Refund of 1000 recorded");
  expect(await shop.all("sales")).toMatchObject([{ is_test: 0 }]);
  expect(await shop.all("refunds")).toMatchObject([{ is_test: 0 }]);
});

test("send explains why a lead or a sale isn't attributed", { tags: "soak" }, async () => {
  const { run } = await open({ policies: [] });
  const lead = await run("send", "lead", "--customer-key", "u1");
  expect(lead).toMatchObject({
    code: 0,
    out: expect.stringContaining("(no_click). No click of this customer is known."),
  });
  const sale = await run("send", "sale", "--customer-key", "u1");
  expect(sale).toMatchObject({ code: 0, out: expect.stringContaining("isn't attributed to a partner (no_click)") });
});
