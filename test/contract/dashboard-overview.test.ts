import { describe, expect, it } from "vitest";
import { maxCounted } from "#store/reports/top-lists.ts";
import { ownId } from "../../harness/own-id.ts";
import { openDashboard, shown } from "../support/dashboard.ts";
import { at, daysAgo, inTestMode } from "../support/program-fixture.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const open = (settings?: Parameters<typeof openDashboard>[1]) => openDashboard(people, settings);
const dayOf = (instant: number) => at(instant).slice(0, 10);

const iPhone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";

describe("the overview's top lists", () => {
  it("the overview's top lists count clicks and their sales by page, referrer, country and device", async () => {
    const shop = await open();
    const { alice, bob } = shop;
    const visit = (partner: typeof alice, more = {}) => shop.visit({ affiliate_url: partner.landingUrl, ...more });
    const page = { page_url: "https://shop.example/shoes?aff=a&utm_source=b" };
    const { click_id } = await visit(alice, {
      ...page,
      referrer_url: "https://www.blog.example/a",
      user_agent: iPhone,
    });
    await visit(alice, { ...page, page_url: "https://shop.example/shoes", referrer_url: "https://www.blog.example/b" });
    await visit(bob, { page_url: "https://shop.example/" });
    await visit(bob, { ...page, user_agent: "Googlebot/2.1 (+http://www.google.com/bot.html)" });
    await visit(bob, { ...page, ...inTestMode });
    await shop.lead({ customer_key: "u1", click_id });
    await shop.sale({ customer_key: "u1" });
    await shop.sale({ customer_key: "u1", currency: "JPY" });
    await shop.sale({ customer_key: "nobody" });
    // This lead's click is valid, but its row isn't stored.
    await shop.lead({ customer_key: "u2", click_id: shop.click(bob) });
    await shop.sale({ customer_key: "u2" });

    const { data, meta } = await shown(shop.overview());
    expect(data.landingPages).toEqual([
      { value: "shop.example/shoes", clicks: 2, sales: 2 },
      { value: "shop.example/", clicks: 1, sales: 0 },
      { value: null, clicks: 0, sales: 1 },
    ]);
    expect(data.referrers).toEqual([
      { value: "www.blog.example", clicks: 2, sales: 2 },
      { value: null, clicks: 1, sales: 1 },
    ]);
    expect(data.devices).toEqual([
      { value: null, clicks: 2, sales: 1 },
      { value: "mobile", clicks: 1, sales: 2 },
    ]);
    expect(data.countries).toEqual([{ value: null, clicks: 3, sales: 3 }]);
    expect(meta).toMatchObject({ countedClicks: 3, countedSales: 3, isComplete: true, period: "7d", timezone: "UTC" });

    const ofBob = await shown(shop.overview({ partnerId: bob.id }));
    expect(ofBob.data.landingPages).toEqual([
      { value: "shop.example/", clicks: 1, sales: 0 },
      { value: null, clicks: 0, sales: 1 },
    ]);
  });

  it("the overview's top lists cover a period by the day that is stored with each click", async () => {
    const shop = await open();
    const visit = (path: string, days: number) =>
      shop.visit({ page_url: `https://shop.example/${path}`, occurred_at: at(daysAgo(days)) }, { key: shop.world.key });
    await visit("old", 9);
    await visit("new", 2);
    const pages = async (query = {}) => (await shown(shop.overview(query))).data.landingPages.map(({ value }) => value);
    expect(await pages()).toEqual(["shop.example/new"]);
    expect(await pages({ period: "all" })).toEqual(["shop.example/new", "shop.example/old"]);
    const [dateFrom, dateTo] = [dayOf(daysAgo(10)), dayOf(daysAgo(8))];
    expect(await pages({ dateFrom, dateTo })).toEqual(["shop.example/old"]);
  });

  it("the overview's top lists count only the latest clicks of a period with too many clicks, and are then marked as incomplete", async () => {
    const shop = await open();
    const { programId } = shop.world;
    const [from, to] = [daysAgo(3), daysAgo(1)];
    await shop.world.write(`
      insert into clicks (id, program_id, is_test, click_id, source, is_bot, is_prefetch, page_url, occurred_at, created_at, day)
      with recursive series (i) as (select 1 union all select i + 1 from series where i <= ${maxCounted.clicks})
      select ${ownId()} + i, ${programId}, 0, '${programId} ' || i, 'browser', 0, 0,
        iif(i = 1, 'https://shop.example/oldest', 'https://shop.example/' || (i % 20)), ${from} + i, ${from}, '${dayOf(to)}'
      from series`);
    const { data, meta } = await shown(shop.overview());
    expect(meta).toMatchObject({ countedClicks: maxCounted.clicks, countedSales: 0, isComplete: false });
    expect(data.landingPages).toHaveLength(10);
    expect(data.landingPages.every(({ clicks }) => clicks === maxCounted.clicks / 20)).toBe(true);
    await shop.world.write(`delete from clicks where program_id = ${programId}`);
  });
});

it("the overview sums commissions by status and currency, and counts unconfirmed ones", async () => {
  const shop = await open();
  await shop.lead({ customer_key: "u", click_id: shop.click(shop.alice) });
  await shop.browserLead({ customer_key: "new", click_id: shop.click(shop.bob), program_id: shop.world.programId });
  const { commission_id: id } = await shop.sale({ customer_key: "u", amount_cents: 1_000 });
  await shop.sale({ customer_key: "u", amount_cents: 2_000 });
  await shop.sale({ customer_key: "u", amount_cents: 3_000, currency: "JPY" });
  await shop.sale({ customer_key: "new", amount_cents: 4_000 });
  await people.admin.post(`/api/programs/${shop.world.programId}/commissions/${id}/approve`, {});
  const nothing = { pendingCents: 0, approvedCents: 0, paidCents: 0, unconfirmed: 0 };
  const { data } = await shown(shop.overview());
  expect(data.commissions).toEqual([
    { ...nothing, currency: "EUR", pendingCents: 1_200, approvedCents: 200, unconfirmed: 1 },
    { ...nothing, currency: "JPY", pendingCents: 600 },
  ]);
  expect((await shown(shop.overview())).meta.partner).toBeNull();
  const ofBob = await shown(shop.overview({ partnerId: shop.bob.id }));
  expect(ofBob.meta.partner).toEqual({ id: shop.bob.id, name: expect.stringContaining(shop.bob.code) });
  expect(ofBob.data.commissions).toEqual([{ ...nothing, currency: "EUR", pendingCents: 800, unconfirmed: 1 }]);
});

it("the overview shows the latest click, and the integration as verified after a successful verification run", async () => {
  const shop = await open({ program: { websiteUrl: "https://shop.example", payoutMode: "manual" } });
  expect((await shown(shop.overview())).data).toMatchObject({
    integrationVerified: false,
    state: "configuring",
    lastClickAt: null,
    clicksStopped: false,
  });
  await shop.visit();
  await shop.runVerification();
  const { data } = await shown(shop.overview());
  expect(data).toMatchObject({ integrationVerified: true, state: "integration_verified" });
  expect(Date.now() - Date.parse(data.lastClickAt ?? "")).toBeLessThan(60_000);
});

it("the overview reports that clicks have stopped if recent days have none and earlier days do", async () => {
  const shop = await open();
  const visit = (days: number) => shop.visit({ occurred_at: at(daysAgo(days)) }, { key: shop.world.key });
  const hasStopped = async () => (await shown(shop.overview())).data.clicksStopped;
  await visit(28);
  await visit(4);
  expect(await hasStopped()).toBe(false);
  for (let days = 5; days < 28; days++) await visit(days);
  expect(await hasStopped()).toBe(true);
  await shop.sale({ customer_key: "nobody" });
  await shop.visit(inTestMode);
  expect(await hasStopped()).toBe(true);
  await shop.visit();
  expect(await hasStopped()).toBe(false);
});

it.each([
  [{ period: "8d" }, ["period"]],
  [{ dateFrom: "2026-01-02", dateTo: "2026-01-01" }, ["dateFrom"]],
  [{ dateFrom: "2026-01-02" }, ["dateFrom"]],
  [{ partnerId: "anna" }, ["partnerId"]],
])("an overview query with %o is refused", async (query, fields) => {
  const { overview } = await open();
  const reply = await overview(query as Readonly<Record<string, string>>);
  expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
});
