import { expect, test } from "vitest";
import type { Database } from "#store/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { type Dashboard, openDashboard } from "../support/dashboard.ts";
import { readEventsByGroup } from "../support/figures-by-group.ts";
import { partnerSide } from "../support/partner-side.ts";
import { at, daysAgo, inTestMode, type ProgramFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");
const api = sharedApi();

type Shop = ProgramFixture & Dashboard;
type Figures = Readonly<Record<string, number | null>>;
type Group = { readonly group: string; readonly label: string; readonly previous: Figures | null } & Figures;
interface Body {
  readonly data: readonly Group[];
  readonly meta: { readonly totals: Figures; readonly previousTotals: Figures | null } & Readonly<
    Record<string, unknown>
  >;
}

const queryOf = (query: Readonly<Record<string, string | number>>) =>
  new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));

const ask = ({ world }: Shop, query: Readonly<Record<string, string | number>>) =>
  people.viewer.get<Body>(`/api/programs/${world.programId}/performance?${queryOf(query)}`);

async function shown(shop: Shop, query: Readonly<Record<string, string | number>>) {
  const { status, text, body } = await ask(shop, query);
  expect(status, text).toBe(200);
  return body;
}

/** Returns the clicks, sales, revenue and commission of each group. */
async function groups(shop: Shop, query: Readonly<Record<string, string | number>>) {
  const { data } = await shown(shop, query);
  const rows = data.map(({ group, clicks, sales, revenueCents, commissionCents }) => [
    group,
    [clicks, sales, revenueCents, commissionCents],
  ]);
  return Object.fromEntries(rows);
}

const iPhone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1";

/** Alice has two visits from a newsletter, one of which led to a sale. Bob has one visit, and a sale by his coupon. */
async function openShop() {
  const shop = await openDashboard(people, { policies: [{ rateBps: 2_000 }] });
  const { alice, bob, world, visit } = shop;
  const mailed = {
    affiliate_url: `${alice.landingUrl}&aff_sub=mail`,
    page_url: "https://shop.example/shoes?utm_campaign=Black+Friday%21&utm_source=x",
    referrer_url: "https://www.blog.example/a",
  };
  const bought = await visit({ ...mailed, session_id: "1" });
  await visit({ ...mailed, session_id: "1", user_agent: iPhone });
  await visit({ affiliate_url: bob.landingUrl, page_url: "https://shop.example/", session_id: "2" });
  await visit({ ...mailed, user_agent: "Googlebot/2.1 (+http://www.google.com/bot.html)" });
  await visit({ ...mailed, ...inTestMode });
  await world.write({
    sql: "update clicks set country = 'NL' where program_id = ? and partner_id = ?",
    args: [world.programId, alice.id],
  });
  const coupon = { partnerId: bob.id, codes: ["BOB10", "bob-id"] };
  expect((await people.admin.post(`/api/programs/${world.programId}/coupons`, coupon)).status).toBe(201);
  await shop.lead({ customer_key: "u1", click_id: bought.click_id });
  await shop.sale({ transaction_id: "a", amount_cents: 10_000, customer_key: "u1" });
  await shop.sale({ transaction_id: "b", amount_cents: 5_000, customer_key: "u1" });
  await shop.sale({ transaction_id: "c", amount_cents: 3_000, customer_key: "u2", coupon_codes: ["bob-ID"] });
  await shop.sale({ transaction_id: "none", amount_cents: 900, customer_key: "u3" });
  await shop.refund({ transaction_id: "b", refund_amount_cents: 1_000 });
  return shop;
}

const ofAlice = [2, 2, 15_000, 2_800];
const ofBob = [1, 1, 3_000, 600];

test("for each grouping, the figures of all groups add up to the totals", async () => {
  const shop = await openShop();
  const { alice, bob } = shop;
  const { metrics } = (await shop.performance()).body;
  const today = String((await shop.all("sales"))[0]?.day);
  const month = today.slice(0, 7);
  const all = [3, 3, 18_000, 3_400];
  const bobsClick = [1, 0, 0, 0];
  const bobsSale = [0, 1, 3_000, 600];
  const expected = {
    partner: { [alice.id]: ofAlice, [bob.id]: ofBob },
    code: { [alice.code]: ofAlice, [bob.code]: ofBob },
    sub: { mail: ofAlice, none: ofBob },
    source: { click: [3, 2, 15_000, 2_800], coupon: bobsSale },
    country: { NL: ofAlice, none: ofBob },
    referrer_host: { "www.blog.example": ofAlice, none: ofBob },
    landing_path: { "/shoes": ofAlice, "/": bobsClick, none: bobsSale },
    campaign: { "Black Friday!": ofAlice, none: ofBob },
    coupon: { none: [3, 2, 15_000, 2_800], BOB10: bobsSale },
    month: { [month]: all },
    day: { [today]: all },
  };
  for (const [groupBy, groupsOf] of Object.entries(expected)) {
    expect({ groupBy, groups: await groups(shop, { groupBy }) }).toEqual({ groupBy, groups: groupsOf });
    const { totals } = (await shown(shop, { groupBy })).meta;
    const { totalClicks, totalLeads, totalSales, totalRefunds, totalRevenueCents, totalRefundedCents } = metrics;
    expect(totals).toMatchObject({
      clicks: totalClicks,
      leads: totalLeads,
      sales: totalSales,
      refunds: totalRefunds,
      revenueCents: totalRevenueCents,
      refundedCents: totalRefundedCents,
      commissionCents: metrics.totalCommissionCents,
      uniqueClicks: ["partner", "month", "day"].includes(groupBy) ? metrics.totalUniqueClicks : null,
    });
  }
  const devices = await shown(shop, { groupBy: "device" });
  expect(devices.data.find(({ group }) => group === "mobile")).toMatchObject({ clicks: 1, sales: 0 });
  const names = (await shown(shop, { groupBy: "partner" })).data.map(({ label }) => label);
  expect(names).toEqual([alice, bob].map(({ code }) => `Partner ${code}`));
});

test("a filter applies to all figures of a report, and filters can be combined", async () => {
  const shop = await openShop();
  const { alice, bob } = shop;
  expect(await groups(shop, { groupBy: "partner", country: "NL" })).toEqual({ [alice.id]: ofAlice });
  expect(await groups(shop, { groupBy: "country", partner: bob.id })).toEqual({ none: ofBob });
  expect(await groups(shop, { groupBy: "code", campaign: "Black Friday!", sub: "mail" })).toEqual({
    [alice.code]: ofAlice,
  });
  expect(await groups(shop, { groupBy: "code", landingPath: "none" })).toEqual({ [bob.code]: [0, 1, 3_000, 600] });
  expect(await groups(shop, { groupBy: "code", referrerHost: "elsewhere.example" })).toEqual({});
});

test("the figures of clicks deleted by retention are grouped as unknown, except by partner and day", async () => {
  const shop = await openShop();
  const { alice, bob, world } = shop;
  world.forged.add("hourly counts that don't match the events");
  await world.write({
    sql: "delete from clicks where program_id = ? and partner_id = ? and is_test = 0",
    args: [world.programId, bob.id],
  });
  expect(await groups(shop, { groupBy: "country" })).toMatchObject({ NL: ofAlice, unknown: [1, 0, 0, 0] });
  expect(Object.values(await groups(shop, { groupBy: "month", country: "unknown" }))).toEqual([[1, 0, 0, 0]]);
  expect(await groups(shop, { groupBy: "partner" })).toEqual({ [alice.id]: ofAlice, [bob.id]: ofBob });
});

test("compare=previous returns the figures of the preceding period", async () => {
  const shop = await openDashboard(people, { policies: [{ rateBps: 2_000, effectiveFrom: 0, createdAt: 0 }] });
  const click = shop.click(shop.alice, daysAgo(12));
  await shop.lead({ customer_key: "u1", click_id: click, occurred_at: at(daysAgo(12)) });
  await shop.sale({ customer_key: "u1", amount_cents: 1_000, occurred_at: at(daysAgo(10)) });
  await shop.sale({ customer_key: "u1", amount_cents: 4_000, occurred_at: at(daysAgo(1)) });
  const { data, meta } = await shown(shop, { groupBy: "code", compare: "previous" });
  expect(data).toMatchObject([
    { sales: 1, revenueCents: 4_000, previous: { sales: 1, revenueCents: 1_000, commissionCents: 200 } },
  ]);
  expect(meta).toMatchObject({
    totals: { sales: 1 },
    previousTotals: { sales: 1, leads: 1 },
    previousPeriod: { dateTo: expect.any(String) },
  });
  expect((await shown(shop, { groupBy: "code" })).meta).toMatchObject({ previousTotals: null, previousPeriod: null });
});

test("a program key reads the same figures as a member, in snake_case", async () => {
  const shop = await openShop();
  const read = (query: string, key = shop.world.key) =>
    api.request<Readonly<Record<string, unknown>>>("GET", `/api/v1/programs/me/performance?${query}`, { key });
  const { status, body } = await read("group_by=landing_path&landing_path=%2Fshoes&compare=previous");
  expect([status, body.data]).toEqual([
    200,
    [
      {
        group: "/shoes",
        label: "/shoes",
        clicks: 2,
        unique_clicks: null,
        leads: 1,
        sales: 2,
        refunds: 1,
        revenue_cents: 15_000,
        refunded_cents: 1_000,
        commission_cents: 2_800,
        previous: expect.objectContaining({ clicks: 0, revenue_cents: 0 }),
      },
    ],
  ]);
  expect(body.meta).toMatchObject({ group_by: "landing_path", totals: { clicks: 2 }, other_currencies: [] });
  const wrong = await read("group_by=color");
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("group_by must be partner, code, sub")]);
});

test("a grouping of figures that reads events covers at most 92 days, and one that reads daily counts any number", async () => {
  const shop = await openShop();
  const long = { dateFrom: "2026-01-01", dateTo: "2026-04-03" };
  const statuses = async (...queries: Parameters<typeof ask>[1][]) =>
    Promise.all(queries.map(async (query) => (await ask(shop, query)).status));
  expect(
    await statuses(
      { groupBy: "code", ...long },
      { groupBy: "code", period: "all" },
      { groupBy: "partner", country: "NL", ...long },
      { groupBy: "day", ...long },
    ),
  ).toEqual([400, 400, 400, 400]);
  expect(await statuses({ groupBy: "code", ...long, dateTo: "2026-04-02" })).toEqual([200]);
  expect(
    await statuses(
      { groupBy: "partner", ...long },
      { groupBy: "month", period: "all" },
      { groupBy: "month", partner: shop.bob.id, ...long },
    ),
  ).toEqual([200, 200, 200]);
  expect(invalidFields(await ask(shop, { groupBy: "code", period: "all" }))).toEqual(["dateFrom"]);
});

test("the CSV file of figures has a row for each group, with formulas escaped", async () => {
  const shop = await openShop();
  await shop.visit({ affiliate_url: shop.alice.landingUrl, page_url: "https://shop.example/?utm_campaign=%3Dcmd" });
  const { text, headers } = await ask(shop, { groupBy: "campaign", format: "csv" });
  expect(text.replace("\uFEFF", "").split("\r\n")).toEqual([
    '"campaign","clicks","sign_ups","sales","refunds","revenue","refunded","commission","currency"',
    '"Black Friday!","2","1","2","1","150.00","10.00","28.00","EUR"',
    '"none","1","0","1","0","30.00","0.00","6.00","EUR"',
    `"'=cmd","1","0","0","0","0.00","0.00","0.00","EUR"`,
    "",
  ]);
  expect(headers.get("Content-Disposition")).toContain("by-campaign-");
});

test("the JSONL response of figures has a progress object on each line, and the result on the last", async () => {
  const shop = await openShop();
  const { text } = await ask(shop, { groupBy: "sub", format: "jsonl" });
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.slice(0, -1).every(({ progress }) => progress.done <= progress.of)).toBe(true);
  expect(lines.at(-1).result).toEqual(await shown(shop, { groupBy: "sub" }));
});

test("no database request of a performance report by group contains a statement twice", async () => {
  const { world } = await openShop();
  const real = databaseAt(world.databases.url);
  const sent: string[][] = [];
  const database: Database = {
    ...real,
    read: (statements) => {
      sent.push(statements.map(({ sql, args }) => JSON.stringify([sql, args])));
      return real.read(statements);
    },
  };
  const days = { from: "2000-01-01", to: "2100-01-01" };
  const query = { groupBy: "code", filters: {}, days, previous: undefined, currency: "EUR" } as const;
  const { totals } = await readEventsByGroup(database, world.programId, query);
  expect(totals.now.clicks).toBe(3n);
  expect(sent.length).toBeGreaterThan(5);
  for (const statements of sent) expect(statements).toEqual([...new Set(statements)]);
});

test("a second concurrent read of a program's figures by group is refused with 429", async () => {
  const shop = await openShop();
  const key = (groupBy: string) =>
    api.request("GET", `/api/v1/programs/me/performance?group_by=${groupBy}`, { key: shop.world.key });
  const replies = await Promise.all(["sub", "country", "device", "code", "sub", "campaign"].map(key));
  const late = replies.filter(({ status }) => status !== 200);
  expect(late.length).toBeGreaterThan(0);
  for (const reply of late) {
    expect(refusalOf(reply)).toBe("429 Other figures by group are being computed. Try again in a moment.");
    expect(reply.body.error.details).toMatchObject({ code: "breakdown_running" });
    expect(reply.headers.get("Retry-After")).toBe("5");
  }
  expect((await key("partner")).status).toBe(200);
});

test("a partner sees their own figures, and revenue only if the program allows it", async () => {
  const shop = await openShop();
  const { world, alice, bob } = shop;
  const path = await partnerSide(world, people.stranger, alice.id);
  const own = async (query: string) => {
    const { status, text, body } = await people.stranger.get<Body>(`${path}/performance?${query}`);
    expect(status, text).toBe(200);
    return body;
  };
  const { data } = await own("groupBy=sub");
  expect(data).toEqual([
    {
      group: "mail",
      label: "mail",
      clicks: 2,
      uniqueClicks: null,
      leads: 1,
      sales: 2,
      commissionCents: 2_800,
      previous: null,
    },
  ]);
  expect((await own("groupBy=country")).data).toMatchObject([{ group: "NL" }]);
  expect((await people.stranger.get(`${path}/performance?groupBy=partner`)).status).toBe(400);
  expect((await people.stranger.get(`${path}/performance?groupBy=sub&partner=${bob.id}`)).text).not.toContain('"none"');
  await people.admin.patch(`/api/programs/${world.programId}`, { partnersSeeRevenue: true });
  expect((await own("groupBy=sub")).meta.totals).toMatchObject({ revenueCents: 15_000, refundedCents: 1_000 });
});
