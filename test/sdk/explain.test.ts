import { expect, test } from "vitest";
import type { Explanation as ServiceExplanation } from "#api/explain/reply.ts";
import { currencyCodes } from "#domain/currency.ts";
import { moneyText } from "#domain/explain/text.ts";
import { noUnits } from "#domain/units.ts";
import type { WorldSettings } from "../../harness/world.ts";
import type { Explanation } from "../../sdk/cli/explain/reply.ts";
import { money } from "../../sdk/cli/format.ts";
import { explained } from "../support/explain.ts";
import { at, daysAgo, inTestMode } from "../support/program-fixture.ts";
import { allAtOnce, salesFixture } from "../support/sales-fixture.ts";
import { command, type Ended, type Environment } from "./command.ts";
import { json, openShop } from "./command-at-shop.ts";
import { answer, refusal, serverThat } from "./server-that.ts";

const cli = command();
const withKey: Environment = { TRIBUTARY_API_KEY: `svc_1_${"k".repeat(43)}` };

async function open(settings?: WorldSettings) {
  const { shop: program, run } = await openShop(cli, settings);
  return { shop: salesFixture(program), run: (...args: string[]) => run("explain", ...args) };
}

/** Returns the lines below a heading, without their indent. */
function under(heading: RegExp, { out }: Ended): string[] {
  const lines = out.split("\n");
  const start = lines.findIndex((line) => heading.test(line)) + 1;
  expect(start, out).toBeGreaterThan(0);
  const end = lines.findIndex((line, i) => i >= start && !line.startsWith("  "));
  return lines.slice(start, end).map((line) => line.trim());
}

const secondOf = (instant: string): string => instant.slice(0, 19).replace("T", " ");

/**
 * Creates a customer of Alice's with a sale of 49.01 and a refund of 10.00. The customer has also used a click of
 * Bob's.
 */
async function story() {
  const opened = await open({ policies: [{ rateBps: 2_050, holdDays: 30 }] });
  const { shop } = opened;
  const [lost, click_id] = [shop.click(shop.bob, daysAgo(5)), shop.click(shop.alice, daysAgo(3))];
  const times = { lead: at(daysAgo(2)), sale: at(daysAgo(1)) };
  const lead = await shop.lead({ customer_key: "c1", click_id, click_ids: [lost], occurred_at: times.lead });
  const { body: sale } = await shop.sell({ transaction_id: "t", amount_cents: 4_901, occurred_at: times.sale });
  await shop.giveBack("t", { refund_id: "r1", refund_amount_cents: 1_000 });
  return { ...opened, lost, click_id, lead, sale, times };
}

test("explain prints the verdict, the clicks, the calculation, the entries and the events of a sale", async () => {
  const { shop, run, lost, click_id, lead, sale, times } = await story();
  const { alice, bob } = shop;
  const ended = await run("--transaction", "t");
  expect(ended).toMatchObject({ code: 0, err: "" });
  expect(ended.out).toMatch(new RegExp(`^Partner ${alice.code} earned €8\\.00 on this sale; it can be paid out from `));
  const [customer, ...clicks] = under(/^Why$/, ended);
  expect(customer).toMatch(
    /^Customer c1 is known since .*, by a call with your key\. Since .*, no click moves them to another partner\.$/,
  );
  expect(clicks).toEqual([
    `✓ click  ${secondOf(at(daysAgo(3)))}  ${alice.code}  ${click_id}`,
    "chosen; 1 day old, attribution window 60 days",
    `– click  ${secondOf(at(daysAgo(5)))}  ${bob.code}  ${lost}`,
    "older: the attribution model took another click; 3 days old, attribution window 60 days",
    "Settings then: model last_click, window in days 60, window until lead, policy version 1, partner active.",
  ]);
  const hold = secondOf(sale.commission.hold_until ?? "");
  expect(under(new RegExp(`^Commission ${sale.commission_id}: pending, hold until ${hold}$`), ended)).toEqual([
    "Sale of €49.01               €49.01",
    "20.5% of €49.01 = €10.04705  €10.04",
    "Rounded half up to €10.05    €10.05",
    '€2.05 less for refund "r1"    €8.00',
  ]);
  expect(under(/^Ledger entries/, ended)).toEqual([
    expect.stringMatching(`earned    €10.05  ${alice.code}  sale t, by API key$`),
    expect.stringMatching(`reversed  -€2.05  ${alice.code}  refund r1, by API key$`),
  ]);
  expect(ended.out).not.toContain("Missing");
  expect(under(/^Events/, ended)).toEqual([
    `${secondOf(at(daysAgo(5)))}  click   ${bob.code}  ${lost}`,
    `${secondOf(at(daysAgo(3)))}  click   ${alice.code}  ${click_id}`,
    `${secondOf(times.lead)}  lead    ${alice.code}  lead ${lead.lead_id}, customer c1, reported 2 days later`,
    `${secondOf(times.sale)}  sale    ${alice.code}  t, €49.01, commission €8.00 (pending), reported 1 day later`,
    expect.stringMatching(`  refund  ${alice.code}  r1 of t, €10.00, commission -€2.05$`),
  ]);
});

test("explain prints the same explanation for each of a sale's ids, and --json prints the service's response", {
  tags: "soak",
}, async () => {
  const { shop, run, lead, sale } = await story();
  const byTransaction = await run("--transaction", "t", "--json");
  expect(byTransaction).toMatchObject({ code: 0, err: "" });
  const reply = await explained(shop, { transaction_id: "t" });
  const shown: Explanation = reply;
  expect(json(byTransaction)).toEqual(shown);
  const { subject: _, ...rest } = reply;
  expect(json(await run("--sale", `${sale.sale_id}`, "--json"))).toEqual(reply);
  const byCommission = json(await run("--commission", `${sale.commission_id}`, "--json"));
  expect(byCommission).toEqual({ ...rest, subject: { type: "commission", id: sale.commission_id } });
  expect((await run("--lead", `${lead.lead_id}`)).out).toContain("This lead belongs to partner");
  expect((await run("--transaction", "t", "--refund", "r1")).out).toMatch(
    new RegExp(`^Refund "r1" returned €10\\.00 of this sale and took €2\\.05 from .* partner ${shop.alice.code}`),
  );
});

test("explain prints why a click earned nothing, and exits with 0", async () => {
  const { shop, run, lost } = await story();
  const ended = await run("--click", lost);
  expect(ended.code).toBe(0);
  expect(ended.out).toMatch(`This click of partner ${shop.bob.code} earned nothing: the customer belongs to a newer`);
});

test("explain prints a line per currency for a customer with sales in two currencies", { tags: "soak" }, async () => {
  const { shop, run } = await story();
  await shop.sell({ transaction_id: "u", amount_cents: 2_000, currency: "JPY" });
  expect(under(/^Sales$/, await run("--customer", "c1"))).toEqual([
    "1 sale of €49.01 (€10.00 refunded), 1 attributed, commission €8.00",
    "1 sale of ¥2,000, 1 attributed, commission ¥410",
  ]);
});

test("explain prints what is missing, with its remedy", async () => {
  const { shop, run } = await open();
  await shop.lead({ customer_key: "c1" });
  await shop.sell({ transaction_id: "t" });
  const ended = await run("--transaction", "t");
  expect(ended.code).toBe(0);
  expect(ended.out).toMatch(/^No partner earned a commission on this sale/);
  expect(under(/^Missing$/, ended)).toEqual([
    "✗ no_click: No partner's click was reported for the customer.",
    expect.stringMatching(/^If a partner referred them, send a lead with the click id/),
    expect.stringMatching(/^https?:\/\/.*\/docs#reason-no_click$/),
  ]);
  expect(under(/^Events/, ended).at(-1)).toMatch(/sale +– +t, €10\.00, no commission, no_click$/);
});

test("explain prints settings that have changed since the decision", async () => {
  const { url } = await serverThat(answer(200, { ...sample, settings_now: { window_days: 30 } }));
  const { out } = await cli.run(["explain", "--sale", "1", "--url", url], withKey);
  expect(out).toContain("  Different today: window in days 30.\n");
  expect(out).toContain("  The customer had shown 3 other clicks before.\n");
});

test("explain prints a history of several pages completely, each event once", { tags: "soak" }, async () => {
  const { shop, run } = await open();
  await shop.refer("c1");
  await allAtOnce(120, (i) => shop.sell({ transaction_id: `t${i}` }));
  const ended = await run("--customer", "c1");
  expect(ended).toMatchObject({ code: 0, err: "" });
  const events = under(/^Events/, ended);
  expect(events).toHaveLength(122);
  expect(new Set(events.map((line) => line.split(/ +/).slice(2, 5).join(" "))).size).toBe(122);
  expect(ended.out.match(/^Why$/gm)).toHaveLength(1);

  const lines = (await run("--customer", "c1", "--json")).out.trim().split("\n");
  const pages = lines.map((line) => JSON.parse(line) as Explanation);
  expect(pages.map((page) => page.events.length)).toEqual([100, 22]);
  expect(pages.map((page) => page.next_cursor === null)).toEqual([false, true]);
});

test("explain exits with 3 if a rate limit refuses a page", { tags: "soak" }, async () => {
  const first = answer(200, { ...sample, next_cursor: "c+2" });
  const { url, calls } = await serverThat(first, refusal(429, "Too many requests.", { "retry-after": "60" }));
  const { code, err } = await cli.run(["explain", "--customer", "a&b", "--test", "--url", url], withKey);
  expect(err).toBe("✗ Too many requests.\n  Try again in 60 s. Nothing counts twice.\n");
  expect(code).toBe(3);
  expect(calls.map(({ path }) => path)).toEqual([
    "/api/v1/programs/me/explain?customer_key=a%26b&test_mode=true",
    "/api/v1/programs/me/explain?customer_key=a%26b&test_mode=true&cursor=c%2B2",
  ]);
});

test("explain exits with 1 for an unknown id, and prints the id and the book that it searched", {
  tags: "soak",
}, async () => {
  const { shop, run } = await open();
  const unknown = await run("--transaction", "order-17");
  expect(unknown).toEqual({
    code: 1,
    out: "",
    err: `✗ No sale has this transaction_id.
  Looked for --transaction order-17 in the live book. Add --test to look in the test book.
`,
  });
  await shop.sell({ transaction_id: "order-17", ...inTestMode });
  expect((await run("--transaction", "order-17")).err).toContain("A test sale has this transaction_id.\n");
  expect((await run("--transaction", "order-17", "--test")).code).toBe(0);
  const refund = await run("--transaction", "order-17", "--refund", "r1", "--test", "--json");
  expect(refund.err).toContain("No test refund of this sale has this refund_id.\n");
  expect(refund.err).toContain("Looked for --transaction order-17 --refund r1 in the test book. Omit --test");
  expect(json(refund)).toMatchObject({ error: { status: 404 } });
});

test("explain refuses an invalid id by the name of its flag", { tags: "soak" }, async () => {
  const { run } = await open();
  expect(await run("--sale", "order-17")).toMatchObject({
    code: 1,
    err: "✗ sale_id must be a positive integer (--sale)\n",
  });
});

test("explain prints no control characters from visitors' texts", async () => {
  const [event] = sample.events;
  const hostile = "x\x1b[2J\n\u202ey";
  const forged = {
    ...sample,
    verdict: { ...sample.verdict, message: hostile },
    customer: { ...sample.customer, customer_key: hostile },
    events: [{ ...event, page_url: hostile, partner_code: hostile }],
    candidates: [{ ...sample.candidates[0], click_id: hostile, outcome: hostile }],
    missing: [{ code: hostile, message: hostile, remedy: hostile, docs_url: hostile }],
  };
  const { url } = await serverThat(answer(200, forged));
  const { out } = await cli.run(["explain", "--sale", "1", "--url", url], withKey);
  expect(out.match(/x \[2J {2}y/g)).toHaveLength(10);
  for (const character of "\x1b\u202e") expect(out).not.toContain(character);
});

test("explain prints unknown events and outcomes of a newer service by name", { tags: "soak" }, async () => {
  const [event] = sample.events;
  const later = {
    ...sample,
    events: [{ ...event, type: "payout", id: 9 }],
    candidates: [{ ...sample.candidates[0], outcome: "too_fast" }],
  };
  const { url } = await serverThat(answer(200, later));
  const { code, out } = await cli.run(["explain", "--sale", "1", "--url", url], withKey);
  expect(out).toMatch(/too_fast; 1 day old[\s\S]*payout {2}anna\n$/);
  expect(code).toBe(0);
});

test("explain names the member who decided, and shows what a canceled refund restored", async () => {
  const { url } = await serverThat(answer(200, sample));
  const ended = await cli.run(["explain", "--sale", "1", "--url", url], withKey);
  expect(under(/^Ledger entries/, ended)).toEqual(["2026-03-04 12:00:00  rejected  -€2.00  anna  rejection, by Kim"]);
  expect(under(/^Events/, ended)).toEqual([
    "2026-03-01 12:00:00  click   anna  https://shop.example/, bot",
    "2026-03-02 12:00:00  refund  anna  of t, €9.00 canceled, commission €1.80",
    "2026-03-02 12:00:00  refund  anna  r2 of t, changed nothing",
  ]);
});

test("explain prints amounts with the decimals of ISO 4217, like the service", () => {
  for (const code of currencyCodes()) expect(money(-123_456, code)).toBe(moneyText(-123_456, code, noUnits));
});

const happened = { occurred_at: "2026-03-02T12:00:00.000Z", received_at: "2026-03-02T12:00:01.000Z" };
const inEuros = { currency: "EUR", commission_currency: "EUR" };
const refund = { ...happened, ...inEuros, sale_id: 1, transaction_id: "t", partner_code: "anna" };
const canceled = { ...refund, refund_id: null, refunded_cents: -900, commission_reversed_cents: -180 };
const skipped = { ...refund, refund_id: "r2", refunded_cents: 0, commission_reversed_cents: 0 };
const sample = {
  subject: { type: "sale", id: 1 },
  verdict: {
    ...{
      attributed: true,
      partner_code: "anna",
      source: "click",
      commission_cents: 0,
      currency: "EUR",
      status: "rejected",
    },
    ...{ reason: null, message: "The commission of partner anna on this sale was rejected.", sales: 1, sums: [] },
  },
  customer: {
    ...{ customer_key: null, known_since: happened.occurred_at, source: "click", since: null },
    ...{ evidence: "browser", locked_since: null },
  },
  events: [
    {
      ...{ type: "click", id: "c", occurred_at: "2026-03-01T12:00:00.000Z", received_at: null, partner_code: "anna" },
      ...{
        code_param: null,
        sub: null,
        channel: "browser",
        is_bot: true,
        page_url: "https://shop.example/",
        referrer_url: null,
        country: null,
      },
      ...{ device_type: null, os: null, browser: null },
    },
    { ...canceled, type: "refund", id: 5, status: "restored", reason: null, refund_reason: null },
    { ...skipped, type: "refund", id: 6, status: "skipped", reason: "already refunded", refund_reason: null },
  ],
  next_cursor: null,
  candidates: [
    {
      ...{ click_id: "c", at: "2026-03-01T12:00:00.000Z", partner_code: "anna", outcome: "chosen" },
      ...{ age_days: 1, window_days: 60 },
    },
  ],
  earlier_clicks: 3,
  commission: {
    ...{ id: 2, status: "rejected", partner_code: "anna", source: "click", sub: null, policy_version: 1 },
    ...{ hold_until: null, calculation: [], decision: null, more_entries: 0 },
    entries: [
      {
        ...{ id: 3, kind: "rejected", amount_cents: -200, currency: "EUR", partner_code: "anna" },
        ...{ occurred_at: "2026-03-04T12:00:00.000Z", posted_at: "2026-03-04T12:00:00.000Z" },
        ...{ stands_for: { type: "rejection", id: null }, by: { type: "member", name: "Kim" }, payout: null },
      },
    ],
  },
  corrects: null,
  erased: false,
  erasure: null,
  corrected_by: null,
  renewal: null,
  coupons: [],
  missing: [],
  settings_then: {
    ...{ model: null, window_days: 60, window_until: null },
    ...{ policy_version: null, policy_group: null, partner_status: null },
  },
  settings_now: null,
} satisfies ServiceExplanation;
