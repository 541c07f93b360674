import { beforeAll, describe, expect, it } from "vitest";
import { dayIn, endOfDay, startOfDay } from "#domain/calendar.ts";
import { type Dashboard, dashboardOf, type EventBody, openDashboard, shown } from "../support/dashboard.ts";
import { at, daysAgo, inTestMode, minute, type ProgramFixture, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const open = (settings?: Parameters<typeof openDashboard>[1]) => openDashboard(people, settings);

const chrome =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
const names = (events: readonly EventBody[]) => events.map(({ event_type, id }) => `${event_type} ${id}`);

const newYork = "America/New_York";
/** The day in New York, this many days ago. */
const dayInNewYork = (days: number) => dayIn(newYork, daysAgo(days));

/** Records `count` sales, one minute apart, the last one now. */
const sellTimes = async (shop: ProgramFixture, count: number) => {
  for (let i = count - 1; i >= 0; i -= 1)
    await shop.sale({ customer_key: "u", occurred_at: at(Date.now() - i * minute) });
};

describe("an event in the list", () => {
  it("each event in the list contains the fields of its kind", async () => {
    const shop = await open();
    const { api, alice, world, events } = shop;
    const { body: clicked } = await api.click(
      {
        affiliate_url: alice.landingUrl,
        program_id: world.programId,
        page_url: `${alice.landingUrl}&utm_source=x&email=a@b.example`,
        referrer_url: "https://blog.example/post?token=secret",
      },
      { browser: true, headers: { "user-agent": chrome } },
    );
    const { click_id } = clicked;
    await shop.lead({ customer_key: "u", click_id });
    const sale = await shop.sale({ transaction_id: "t1", amount_cents: 5_000, customer_key: "u" });
    const organic = await shop.sale({ transaction_id: "o1", amount_cents: 700, currency: "JPY", customer_key: "x" });
    await shop.refund({ transaction_id: "t1", refund_amount_cents: 1_000, refund_reason: "damaged" });
    await shop.refund({ transaction_id: "o1" });
    // workerd without Cloudflare's network doesn't provide the caller's country.
    await world.rows("update clicks set country = 'NL' where program_id = ?", world.programId);

    const { data, meta } = await shown(events());
    const common = { id: expect.any(Number), is_test: false, timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) };
    const alices = { ...common, click_id, partnerCode: alice.code };
    const nobodys = { ...common, click_id: null, partnerCode: null };
    expect(data).toEqual([
      {
        ...nobodys,
        event_type: "refund",
        transaction_id: "o1",
        refunded_cents: 700,
        currency: "JPY",
        reason: null,
        correction: false,
      },
      {
        ...alices,
        event_type: "refund",
        transaction_id: "t1",
        refunded_cents: 1_000,
        currency: "EUR",
        reason: "damaged",
        correction: false,
      },
      {
        ...nobodys,
        id: organic.sale_id,
        event_type: "sale",
        transaction_id: "o1",
        amount_cents: 700,
        currency: "JPY",
        customer_key: "x",
        source: null,
        attributed: false,
        reason: "customer_not_found",
        commission_id: organic.commission_id,
        corrected: false,
        correction: false,
      },
      {
        ...alices,
        id: sale.sale_id,
        event_type: "sale",
        transaction_id: "t1",
        amount_cents: 5_000,
        currency: "EUR",
        customer_key: "u",
        source: "click",
        attributed: true,
        reason: null,
        commission_id: sale.commission_id,
        corrected: false,
        correction: false,
      },
      { ...alices, event_type: "lead", customer_key: "u", provisional: false },
      {
        ...alices,
        event_type: "click",
        page_url: `https://shop.example/?aff=${alice.code}&utm_source=x`,
        referrer_url: "https://blog.example/post",
        country: "NL",
        device_type: "desktop",
        os: "macOS",
        browser: "Chrome",
        is_bot: false,
      },
    ]);
    expect(meta.pagination).toEqual({ page: 1, pageSize: 10, pageCount: 1, total: 6, nextCursor: null });
  });

  it("each event in the list shows why a sale earns nothing, whether a lead is provisional, and whether a click is a bot's", async () => {
    const shop = await open({ program: { leadAuth: "server_required" }, policies: [] });
    const { api, alice, world, events } = shop;
    const click_id = shop.click(alice);
    await shop.browserLead({ click_id });
    await shop.lead({ customer_key: "u", click_id });
    await shop.sale({ transaction_id: "t1", customer_key: "u" });
    await api.click({ affiliate_url: alice.landingUrl, program_id: world.programId, user_agent: "Googlebot/2.1" });
    const { data } = await shown(events());
    expect(data).toMatchObject([
      { event_type: "click", is_bot: true, partnerCode: alice.code },
      { event_type: "sale", attributed: true, reason: "no_commission_policy", partnerCode: alice.code },
      { event_type: "lead", provisional: false, customer_key: "u", partnerCode: alice.code, click_id },
      { event_type: "lead", provisional: true, customer_key: null, partnerCode: null, click_id },
    ]);
  });
});

describe("filters of the list of events", () => {
  let shop: ProgramFixture & Dashboard;
  let ids: Record<"aliceSale" | "bobSale" | "organicSale" | "testSale", number>;
  const found = async (query: Record<string, string | number>) => {
    const { data, meta } = await shown(shop.events(query));
    expect(meta.pagination.total).toBe(data.length);
    return data;
  };

  // `openDashboard` would check the shop after one test, and several tests use it.
  beforeAll(async () => {
    const world = await people.world({ partners: [{}, {}], program: { timezone: newYork } });
    shop = { ...programFixture(world, sharedApi()), ...dashboardOf(people.viewer, world.programId) };
    await shop.lead({ customer_key: "a", click_id: shop.click(shop.alice, daysAgo(20)), occurred_at: at(daysAgo(20)) });
    await shop.lead({ customer_key: "b", click_id: shop.click(shop.bob, daysAgo(20)), occurred_at: at(daysAgo(19)) });
    const sale = async (customer_key: string, instant: number, more = {}) =>
      (await shop.sale({ customer_key, occurred_at: at(instant), ...more })).sale_id;
    ids = {
      aliceSale: await sale("a", startOfDay(newYork, dayInNewYork(9))),
      bobSale: await sale("b", endOfDay(newYork, dayInNewYork(9)) - 1, { transaction_id: "bob" }),
      organicSale: await sale("c", daysAgo(2)),
      testSale: await sale("a", daysAgo(3), inTestMode),
    };
    await shop.refund({ transaction_id: "bob", occurred_at: at(daysAgo(5)) });
    await shop.api.click({ program_id: world.programId, ...inTestMode });
  });

  it("events are filtered by type, and `conversion` selects sales", async () => {
    expect(await found({ eventType: "click" })).toEqual([]);
    expect((await found({ eventType: "lead" })).map(({ customer_key }) => customer_key)).toEqual(["b", "a"]);
    const sales = [`sale ${ids.organicSale}`, `sale ${ids.bobSale}`, `sale ${ids.aliceSale}`];
    expect(names(await found({ eventType: "sale" }))).toEqual(sales);
    expect(names(await found({ eventType: "conversion" }))).toEqual(sales);
    expect((await found({ eventType: "refund" })).map(({ transaction_id }) => transaction_id)).toEqual(["bob"]);
  });

  it("events are filtered by partner", async () => {
    const kinds = async (partnerId: number) => (await found({ partnerId })).map(({ event_type }) => event_type);
    expect(await kinds(shop.alice.id)).toEqual(["sale", "lead"]);
    expect(await kinds(shop.bob.id)).toEqual(["refund", "sale", "lead"]);
    const { alice } = await open();
    expect(await kinds(alice.id)).toEqual([]);
  });

  it("events are filtered by days in the program's time zone, including the first and the last", async () => {
    const day = dayInNewYork(9);
    const both = [`sale ${ids.bobSale}`, `sale ${ids.aliceSale}`];
    expect(names(await found({ dateFrom: day, dateTo: day }))).toEqual(both);
    expect(names(await found({ dateFrom: day, eventType: "sale" }))).toEqual([`sale ${ids.organicSale}`, ...both]);
    expect(names(await found({ dateTo: day, eventType: "sale" }))).toEqual(both);
    expect(await found({ dateTo: dayInNewYork(30) })).toEqual([]);
    expect(await found({ dateFrom: "2999-01-01" })).toEqual([]);
  });

  it("events are filtered by book: live, test, or both", async () => {
    const live = await found({});
    expect(live.every(({ is_test }) => !is_test)).toBe(true);
    expect(await found({ test: "exclude" })).toEqual(live);
    const test = await found({ test: "only" });
    expect(test).toMatchObject([
      { event_type: "click", is_test: true, partnerCode: null },
      { event_type: "sale", is_test: true, id: ids.testSale },
    ]);
    const both = (await shown(shop.events({ test: "include", pageSize: 100 }))).data;
    const newestFirst = [...live, ...test].toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
    expect(names(both)).toEqual(names(newestFirst));
  });

  it("the filters of the list of events can all be combined", async () => {
    const day = dayInNewYork(9);
    const query = { eventType: "conversion", partnerId: shop.bob.id, dateFrom: day, dateTo: day, test: "include" };
    expect(names(await found(query))).toEqual([`sale ${ids.bobSale}`]);
  });

  it("the filters of the list of events never select events of another program", async () => {
    const other = await open();
    expect((await shown(other.events({ test: "include" }))).data).toEqual([]);
  });
});

describe("pages of the list of events", () => {
  it("pages by cursor list each event once, even if new and late events arrive in between", async () => {
    const shop = await open();
    await shop.lead({ customer_key: "u", click_id: shop.click(shop.alice, daysAgo(3)), occurred_at: at(daysAgo(3)) });
    await sellTimes(shop, 12);
    const before = names((await shown(shop.events({ pageSize: 100 }))).data);
    const walked: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { data, meta } = await shown(shop.events({ pageSize: 4, ...(cursor === undefined ? {} : { cursor }) }));
      walked.push(...names(data));
      cursor = meta.pagination.nextCursor;
      await shop.sale({ customer_key: "new" });
      await shop.api.click({ affiliate_url: shop.alice.landingUrl, program_id: shop.world.programId });
    }
    expect(walked).toEqual(before);
    expect(new Set(walked).size).toBe(13);
  });

  it("pages by cursor list each of several events with the same timestamp once", { tags: "soak" }, async () => {
    const shop = await open();
    const occurred_at = at(daysAgo(1));
    for (const customer_key of ["a", "b", "c"]) {
      await shop.lead({ customer_key, occurred_at });
      await shop.sale({ customer_key, transaction_id: customer_key, occurred_at });
      await shop.refund({ transaction_id: customer_key, occurred_at });
    }
    const whole = names((await shown(shop.events())).data);
    expect(whole.map((name) => name.split(" ")[0])).toEqual([
      ...["refund", "refund", "refund"],
      ...["sale", "sale", "sale"],
      ...["lead", "lead", "lead"],
    ]);
    for (const pageSize of [1, 2, 4]) {
      const walked: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const { data, meta } = await shown(shop.events({ pageSize, ...(cursor === undefined ? {} : { cursor }) }));
        walked.push(...names(data));
        cursor = meta.pagination.nextCursor;
      }
      expect(walked).toEqual(whole);
    }
  });

  it("pages by number list the same events as the list without page numbers, and return a cursor to the next page", {
    tags: "soak",
  }, async () => {
    const shop = await open();
    await sellTimes(shop, 7);
    const page = async (number: number) => shown(shop.events({ page: number, pageSize: 3 }));
    const whole = names((await shown(shop.events())).data);
    const pages = [await page(1), await page(2), await page(3), await page(4)];
    expect(pages.flatMap(({ data }) => names(data))).toEqual(whole);
    expect(
      pages.map(({ meta: { pagination } }) => ({ ...pagination, nextCursor: pagination.nextCursor !== null })),
    ).toEqual(
      [1, 2, 3, 4].map((number) => ({ page: number, pageSize: 3, pageCount: 3, total: 7, nextCursor: number < 3 })),
    );
    const cursor = pages[0]?.meta.pagination.nextCursor ?? "";
    expect((await shown(shop.events({ cursor, pageSize: 3 }))).data).toEqual(pages[1]?.data);
    // If a cursor is sent, the page number is ignored.
    expect((await shown(shop.events({ cursor, pageSize: 3, page: 1_000 }))).data).toEqual(pages[1]?.data);
  });

  it("every page returns the total number of events", async () => {
    const { events } = await open();
    expect((await shown(events())).meta.pagination).toEqual({
      page: 1,
      pageSize: 10,
      pageCount: 0,
      total: 0,
      nextCursor: null,
    });
  });
});

describe("a query for events", () => {
  it.each([
    ["page 10^9", { page: 10 ** 9 }, ["page"]],
    ["a page past the newest 1,000", { page: 101 }, ["page"]],
    ["a large page past the newest 1,000", { page: 11, pageSize: 100 }, ["page"]],
    ["page 0", { page: 0 }, ["page"]],
    ["a fractional page", { page: 1.5 }, ["page"]],
    ["page 1e1", { page: "1e1" }, ["page"]],
    ["a page size of 101", { pageSize: 101 }, ["pageSize"]],
    ["a page size of 0", { pageSize: 0 }, ["pageSize"]],
    ["an unknown type", { eventType: "view" }, ["eventType"]],
    ["an unknown book", { test: "yes" }, ["test"]],
    ["reversed dates", { dateFrom: "2026-02-01", dateTo: "2026-01-01" }, ["dateFrom"]],
    ["invalid days", { dateFrom: "2026-02-29", dateTo: "now" }, ["dateFrom", "dateTo"]],
    ["an invalid partner", { partnerId: "-1" }, ["partnerId"]],
    ["an invalid cursor", { cursor: "abc" }, ["cursor"]],
    [
      "several invalid fields",
      { test: "x", page: "x", pageSize: "x", eventType: "x" },
      ["page", "pageSize", "eventType", "test"],
    ],
  ])("a query for events is refused with %s", async (_, query, fields) => {
    const { events } = await open();
    const reply = await events(query);
    expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
  });

  it("a query for events can request pages by number within the newest 1,000 events", async () => {
    const { events } = await open();
    await shown(events({ page: 10, pageSize: 100 }));
    await shown(events({ page: 1_000, pageSize: 1 }));
  });
});
