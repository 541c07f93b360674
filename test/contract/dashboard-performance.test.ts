import { describe, expect, it } from "vitest";
import { sampled } from "../support/breadth.ts";
import { openDashboard, shown } from "../support/dashboard.ts";
import { at, daysAgo, inTestMode } from "../support/program-fixture.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const open = (settings?: Parameters<typeof openDashboard>[1]) => openDashboard(people, settings);

const nothing = {
  clicks: 0,
  uniqueClicks: 0,
  leads: 0,
  sales: 0,
  salesInCurrency: 0,
  refunds: 0,
  revenueCents: 0,
  refundedCents: 0,
  commissionCents: 0,
  organicSales: 0,
  organicRevenueCents: 0,
};
const dayOf = (instant: number, timeZone = "UTC") => new Intl.DateTimeFormat("en-CA", { timeZone }).format(instant);
const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;

describe("the figures of a performance report", () => {
  it("the figures of a performance report match the program's own events", async () => {
    const shop = await open({ policies: [{ rateBps: 2_000 }] });
    const { api, alice, bob, world, performance } = shop;
    const click = (partner: typeof alice, body = {}) =>
      api.click({ affiliate_url: partner.landingUrl, program_id: world.programId, ...body });
    const first = (await click(alice, { session_id: "visitor 1" })).body;
    await click(alice, { session_id: "visitor 1" });
    await click(bob, { session_id: "visitor 1" });
    await click(bob, { session_id: "visitor 2" });
    await click(bob, { user_agent: "Googlebot/2.1 (+http://www.google.com/bot.html)" });
    await click(alice, inTestMode);

    await shop.lead({ customer_key: "u1", click_id: first.click_id });
    await shop.lead({ customer_key: "organic" });
    await shop.sale({ transaction_id: "t1", amount_cents: 10_000, customer_key: "u1" });
    await shop.sale({ transaction_id: "t2", amount_cents: 2_555, customer_key: "u1" });
    await shop.sale({ transaction_id: "yen", amount_cents: 70_000, currency: "JPY", customer_key: "u1" });
    await shop.sale({ transaction_id: "o1", amount_cents: 444, customer_key: "organic" });
    await shop.sale({ transaction_id: "test", amount_cents: 99, customer_key: "u1", ...inTestMode });
    await shop.refund({ transaction_id: "t1", refund_amount_cents: 2_500 });
    await shop.refund({ transaction_id: "o1" });

    const { data, metrics, meta } = await shown(performance());
    expect(data).toHaveLength(7);
    expect(data.slice(0, 6).map(({ date: _, ...figures }) => figures)).toEqual(Array(6).fill(nothing));
    const expected = {
      clicks: 4,
      uniqueClicks: 3,
      leads: 1,
      sales: 3,
      salesInCurrency: 2,
      refunds: 1,
      revenueCents: 12_555,
      refundedCents: 2_500,
      commissionCents: 2_000 - 500 + 511,
      organicSales: 1,
      organicRevenueCents: 444,
    };
    expect(data[6]).toEqual({ date: meta.dateTo, ...expected });
    const up = { trend: 100, trendDirection: "up" };
    expect(metrics).toEqual({
      totalClicks: 4,
      totalUniqueClicks: 3,
      totalLeads: 1,
      totalSales: 3,
      salesInCurrency: 2,
      totalRefunds: 1,
      totalRevenueCents: 12_555,
      totalRefundedCents: 2_500,
      totalCommissionCents: 2_011,
      totalOrganicSales: 1,
      totalOrganicRevenueCents: 444,
      activePartners: 2,
      averageOrderValueCents: 6_278,
      conversionRate: 75,
      clicksTrend: up,
      leadsTrend: up,
      salesTrend: up,
      revenueTrend: up,
      commissionTrend: up,
    });
    expect(meta).toMatchObject({ period: "7d", currency: "EUR", otherCurrencies: ["JPY"], timezone: "UTC" });
  });

  it("a performance report counts events in all currencies, and sums amounts in one", async () => {
    const shop = await open();
    const { click_id } = { click_id: shop.click(shop.alice) };
    await shop.lead({ customer_key: "u", click_id });
    await shop.sale({ customer_key: "u", amount_cents: 500, transaction_id: "euro" });
    await shop.sale({ customer_key: "u", amount_cents: 70_000, currency: "jpy" });
    await shop.sale({ customer_key: "u", amount_cents: 1_234, currency: "KWD", transaction_id: "dinar" });
    await shop.sale({ customer_key: "other", amount_cents: 300 });
    await shop.sale({ customer_key: "other", amount_cents: 300, currency: "USD" });
    await shop.refund({ transaction_id: "euro" });
    await shop.refund({ transaction_id: "dinar" });
    const yen = await shown(shop.performance({ currency: "jpy" }));
    expect(yen.metrics).toMatchObject({ totalSales: 3, totalRevenueCents: 70_000, totalCommissionCents: 14_000 });
    expect(yen.metrics).toMatchObject({ salesInCurrency: 1, averageOrderValueCents: 70_000 });
    expect(yen.metrics).toMatchObject({ totalLeads: 1, activePartners: 1, totalOrganicSales: 2 });
    expect(yen.metrics).toMatchObject({ totalOrganicRevenueCents: 0, totalRefunds: 2, totalRefundedCents: 0 });
    expect(yen.data.at(-1)).toMatchObject({ sales: 3, salesInCurrency: 1, organicSales: 2, refunds: 2 });
    expect(yen.meta).toMatchObject({ currency: "JPY", otherCurrencies: ["EUR", "KWD", "USD"] });
    const franc = await shown(shop.performance({ currency: "CHF" }));
    expect(franc.metrics).toMatchObject({ totalSales: 3, salesInCurrency: 0, totalRevenueCents: 0, totalLeads: 1 });
    expect(franc.metrics).toMatchObject({ averageOrderValueCents: 0 });
    expect(franc.meta.otherCurrencies).toEqual(["EUR", "JPY", "KWD", "USD"]);
  });

  it("the figures of a performance report include only the given partner's events", async () => {
    const shop = await open();
    await shop.lead({ customer_key: "a", click_id: shop.click(shop.alice) });
    await shop.lead({ customer_key: "b", click_id: shop.click(shop.bob) });
    await shop.sale({ customer_key: "a", amount_cents: 500 });
    await shop.sale({ customer_key: "b", amount_cents: 700 });
    await shop.sale({ customer_key: "c", amount_cents: 900 });
    const bob = await shown(shop.performance({ partnerId: shop.bob.id }));
    expect(bob.metrics).toMatchObject({ totalLeads: 1, totalSales: 1, totalRevenueCents: 700, activePartners: 1 });
    expect(bob.metrics).toMatchObject({ totalOrganicSales: 0 });
    const other = await open();
    const stranger = await shown(shop.performance({ partnerId: other.alice.id }));
    expect(stranger.metrics).toMatchObject({ totalLeads: 0, totalSales: 0, activePartners: 0 });
  });

  it("the figures of a performance report exclude verification events", async () => {
    const shop = await open();
    await shop.runVerification();
    const synthetic = "select id from partners where program_id = ? and is_synthetic = 1";
    const [partner] = await shop.world.rows(synthetic, shop.world.programId);
    const day = dayOf(Date.now());
    const place = [shop.world.programId, day, Number(partner?.id)];
    // Simulates verification counts written to the live book by mistake.
    const count = `insert into daily_counts (program_id, is_test, day, partner_id, currency, clicks, sales, revenue_cents)
      values (?, 0, ?, ?, 'EUR', 1, 1, 100)`;
    await shop.world.write({ sql: count, args: place });
    const { metrics } = await shown(shop.performance());
    const undo = "delete from daily_counts where program_id = ? and is_test = 0 and day = ? and partner_id = ?";
    await shop.world.write({ sql: undo, args: place });
    expect(metrics).toMatchObject({ totalClicks: 0, totalSales: 0, totalRevenueCents: 0, activePartners: 0 });
  });

  it("a performance report shows a sum beyond 2^53 − 1 as that limit", async () => {
    const shop = await open();
    const days = [0, 1, 2].map((n) => dayOf(daysAgo(n)));
    const count = (day: string) => ({
      sql: `insert into daily_counts (program_id, is_test, day, partner_id, currency, sales, revenue_cents, commission_cents)
        values (?, 0, ?, ?, 'EUR', 1, 9007199254740991, 9007199254740991)`,
      args: [shop.world.programId, day, shop.alice.id],
    });
    await shop.world.write(...days.map(count));
    const { status, text } = await shop.performance();
    await shop.world.write({ sql: "delete from daily_counts where program_id = ?", args: [shop.world.programId] });
    expect(status, text).toBe(200);
    expect(text).toContain('"totalRevenueCents":9007199254740991');
    expect(text).toContain('"averageOrderValueCents":9007199254740991');
  });
});

describe("the days of a performance report", () => {
  it.each([
    ["7d", 7],
    ["30d", 30],
    ["90d", 90],
  ])("a performance report for %s has %i days, ending today, including days without events", async (period, count) => {
    const shop = await open();
    const { data, meta } = await shown(shop.performance({ period }));
    const today = dayOf(Date.now());
    expect(data).toHaveLength(count);
    expect(data.at(-1)?.date).toBe(today);
    expect(data.map(({ date }) => daysBetween(date, today))).toEqual(
      Array.from({ length: count }, (_, i) => count - 1 - i),
    );
    expect(meta).toMatchObject({ period, dateFrom: data[0]?.date, dateTo: today });
    const { dateFrom = "", dateTo = "" } = meta.previousPeriod ?? {};
    expect(daysBetween(dateFrom, dateTo)).toBe(count - 1);
    expect(daysBetween(dateTo, meta.dateFrom)).toBe(1);
  });

  it("the days of a performance report with period=all begin with the first event's day, or are only today if there is no event", async () => {
    const shop = await open();
    const alone = await shown(shop.performance({ period: "all" }));
    expect(alone.data).toEqual([{ date: dayOf(Date.now()), ...nothing }]);
    await shop.sale({ customer_key: "u", occurred_at: at(daysAgo(399)) });
    const all = await shown(shop.performance({ period: "all" }));
    expect(all.data).toHaveLength(400);
    expect(all.data[0]).toMatchObject({ date: dayOf(daysAgo(399)), organicSales: 1 });
    expect(all.meta).toMatchObject({ period: "all", previousPeriod: null, dateTo: dayOf(Date.now()) });
    expect(all.metrics).toMatchObject({ salesTrend: { trend: 0, trendDirection: "stable" } });
  });

  it("two dates in the query of a performance report override a period, and both days are included", async () => {
    const shop = await open();
    for (const days of [1, 2, 3, 4]) await shop.sale({ customer_key: "u", occurred_at: at(daysAgo(days)) });
    const [dateFrom, dateTo] = [dayOf(daysAgo(3)), dayOf(daysAgo(2))];
    const { data, meta } = await shown(shop.performance({ period: "90d", dateFrom, dateTo }));
    expect(data.map(({ date, organicSales }) => [date, organicSales])).toEqual([
      [dateFrom, 1],
      [dateTo, 1],
    ]);
    expect(meta).toMatchObject({ period: "custom", dateFrom, dateTo });
    expect(meta.previousPeriod).toEqual({ dateFrom: dayOf(daysAgo(5)), dateTo: dayOf(daysAgo(4)) });
  });

  it("a performance report has up to 1,100 days, in any year since 1970", async () => {
    const shop = await open();
    const { data } = await shown(shop.performance({ dateFrom: "2024-01-01", dateTo: "2027-01-04" }));
    expect(data).toHaveLength(1_100);
    expect(data.filter(({ date }) => date === "2024-02-29")).toHaveLength(1);
    await shown(shop.performance({ dateFrom: "1970-01-01", dateTo: "1970-01-01" }));
    await shown(shop.performance({ dateFrom: "9999-12-31", dateTo: "9999-12-31" }));
  });

  it.each(sampled(["America/New_York", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Australia/Lord_Howe"]))(
    "the days of a performance report follow the program's time zone across clock changes: %s",
    async (timezone) => {
      const shop = await open({ program: { timezone } });
      const hour = 3_600_000;
      const around = [...changesOfClock(timezone), Date.now() - 40 * 24 * hour].flatMap((instant) =>
        [-26, -25, -24, -2, -1, 0, 1, 22, 23, 24, 25, 26].map((hours) => instant + hours * hour),
      );
      const expected = new Map<string, number>();
      for (const instant of around) {
        await shop.sale({ customer_key: "u", occurred_at: at(instant) });
        const day = dayOf(instant, timezone);
        expected.set(day, (expected.get(day) ?? 0) + 1);
      }
      const { data, meta } = await shown(shop.performance({ period: "all" }));
      const found = data.filter(({ organicSales }) => organicSales !== 0);
      expect(found.map(({ date, organicSales }) => [date, organicSales])).toEqual([...expected].sort());
      expect(meta).toMatchObject({ timezone, dateTo: dayOf(Date.now(), timezone) });
    },
  );

  it("the days of a performance report don't change when the program's time zone changes", async () => {
    const shop = await open({ program: { timezone: "Pacific/Kiritimati" } });
    await shop.sale({ customer_key: "u" });
    const { programId } = shop.world;
    await people.admin.patch(`/api/programs/${programId}`, { timezone: "Pacific/Pago_Pago" });
    const { data, meta } = await shown(shop.performance({ period: "all" }));
    expect(meta.timezone).toBe("Pacific/Pago_Pago");
    // The two time zones are 25 hours apart, so their days always differ.
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ date: dayOf(Date.now(), "Pacific/Kiritimati"), organicSales: 1 });
  });
});

/** The instants within the last 390 days at which the time zone's clocks change. */
function changesOfClock(timeZone: string): number[] {
  const hour = 3_600_000;
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  const offset = (instant: number) => format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value;
  const start = Math.floor((Date.now() - 390 * 24 * hour) / hour) * hour;
  const changes: number[] = [];
  for (let instant = start; instant < Date.now() - 48 * hour; instant += 24 * hour) {
    if (offset(instant) === offset(instant + 24 * hour)) continue;
    let change = instant;
    while (offset(change) === offset(change + hour)) change += hour;
    changes.push(change + hour);
  }
  return changes;
}

describe("the trends of a performance report", () => {
  it("the trends of a performance report compare with the preceding period of the same length", async () => {
    const shop = await open();
    for (const [customer_key, days] of [
      ["u", 15],
      ["v", 13],
    ] as const) {
      const click_id = shop.click(shop.alice, daysAgo(days));
      await shop.lead({ customer_key, click_id, occurred_at: at(daysAgo(days)) });
    }
    const sale = (days: number, amount_cents: number) =>
      shop.sale({ customer_key: "u", occurred_at: at(daysAgo(days)), amount_cents });
    await sale(14, 1_000_000);
    for (const days of [13, 10, 7]) await sale(days, 1_000);
    for (const days of [6, 0]) await sale(days, 2_000);
    const { metrics } = await shown(shop.performance());
    expect(metrics).toMatchObject({
      totalSales: 2,
      salesTrend: { trend: 33.3, trendDirection: "down" },
      revenueTrend: { trend: 33.3, trendDirection: "up" },
      commissionTrend: { trend: 33.3, trendDirection: "up" },
      leadsTrend: { trend: 100, trendDirection: "down" },
      clicksTrend: { trend: 0, trendDirection: "stable" },
      conversionRate: 0,
    });
  });

  it("the trends of a performance report show a fall below zero as down, and a rise from below zero as up", async () => {
    const shop = await open();
    const early = at(daysAgo(13));
    await shop.lead({ customer_key: "u", click_id: shop.click(shop.alice, daysAgo(13)), occurred_at: early });
    await shop.sale({ customer_key: "u", transaction_id: "early", amount_cents: 1_000, occurred_at: early });
    await shop.refund({ transaction_id: "early" });
    const now = await shown(shop.performance());
    expect(now.metrics).toMatchObject({
      totalCommissionCents: -200,
      totalRefunds: 1,
      totalRefundedCents: 1_000,
      totalRevenueCents: 0,
      commissionTrend: { trend: 200, trendDirection: "down" },
    });
    const [today, before] = [dayOf(Date.now()), dayOf(daysAgo(1))];
    const custom = await shown(shop.performance({ dateFrom: today, dateTo: today }));
    expect(custom.meta.previousPeriod).toEqual({ dateFrom: before, dateTo: before });
    expect(custom.metrics).toMatchObject({ commissionTrend: { trend: 100, trendDirection: "down" } });
  });
});

describe("a query for a performance report", () => {
  const may = { dateFrom: "2026-05-01", dateTo: "2026-05-31" };
  it.each([
    ["an unknown period", { period: "8d" }, ["period"]],
    ["an empty period", { period: "" }, ["period"]],
    ["an unknown currency", { currency: "XXL" }, ["currency"]],
    ["reversed dates", { dateFrom: may.dateTo, dateTo: may.dateFrom }, ["dateFrom"]],
    ["only dateFrom", { dateFrom: may.dateFrom }, ["dateFrom"]],
    ["only dateTo", { dateTo: may.dateTo }, ["dateFrom"]],
    ["an invalid day", { ...may, dateTo: "2026-02-30" }, ["dateTo"]],
    ["garbage", { dateFrom: "yesterday", dateTo: "1" }, ["dateFrom", "dateTo"]],
    ["an instant", { ...may, dateFrom: "2026-05-01T00:00:00Z" }, ["dateFrom"]],
    ["a day before 1970", { ...may, dateFrom: "1969-12-31" }, ["dateFrom"]],
    ["a year with six digits", { dateTo: "+012026-05-01" }, ["dateFrom", "dateTo"]],
    ["1,101 days", { dateFrom: "2024-01-01", dateTo: "2027-01-05" }, ["dateFrom"]],
    ["an invalid partner", { partnerId: "anna" }, ["partnerId"]],
    ["partner 0", { partnerId: 0 }, ["partnerId"]],
    ["every field invalid", { period: "x", dateFrom: "x", dateTo: "y", partnerId: "-", currency: "?" }, null],
  ])("a query for a performance report is refused with %s", async (_, query, fields) => {
    const { performance } = await open();
    const reply = await performance(query);
    expect(reply.status).toBe(400);
    expect(invalidFields(reply)).toEqual(fields ?? ["period", "dateFrom", "dateTo", "partnerId", "currency"]);
  });

  it("a query for a performance report is refused if it has the same field twice", async () => {
    const { world } = await open();
    const reply = await people.viewer.get(`/api/tracking/performance/${world.programId}?period=7d&period=30d`);
    expect([reply.status, invalidFields(reply)]).toEqual([400, ["period"]]);
  });
});
