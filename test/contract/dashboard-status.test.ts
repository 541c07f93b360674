import { describe, expect, it } from "vitest";
import { dashboardOf, openDashboard, shown } from "../support/dashboard.ts";
import { at, daysAgo, inTestMode, minute } from "../support/program-fixture.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const open = (settings?: Parameters<typeof openDashboard>[1]) => openDashboard(people, settings);

const none = {
  testEventCount: 0,
  liveEventCount: 0,
  hasTestEvents: false,
  latestTestEvent: null,
  latestLiveEvent: null,
};

describe("the status of a program", () => {
  it("the status of a new program shows every step as open", async () => {
    const { status, world } = await open({ partners: [{}, {}] });
    const { data } = await shown(status());
    expect(data).toEqual({
      programId: world.programId,
      stepStatuses: { pageview: "pending", referrals: "pending", payments: "pending" },
      statistics: { pageview: none, referrals: none, payments: none },
      hasPartners: true,
      lastUpdated: expect.stringMatching(/Z$/),
    });
    expect(Math.abs(Date.parse(data.lastUpdated) - Date.now())).toBeLessThan(minute);
  });

  it("the status of a program counts live and test events separately, and shows the last event, attributed or not", async () => {
    const shop = await open();
    const { api, alice, world, status } = shop;
    const click = (body = {}) => api.click({ affiliate_url: alice.landingUrl, program_id: world.programId, ...body });
    await click();
    await click({ user_agent: "Googlebot/2.1" });
    const tested = (await click(inTestMode)).body.data.eventId;
    const first = await shop.lead({ customer_key: "u" });
    await shop.lead({ customer_key: "v", occurred_at: at(daysAgo(3)) });
    await shop.sale({ customer_key: "u", occurred_at: at(daysAgo(3)), ...inTestMode });
    const newest = await shop.sale({ customer_key: "u", occurred_at: at(daysAgo(2)), ...inTestMode });
    const { stepStatuses, statistics } = (await shown(status())).data;
    const timestamp = expect.stringMatching(/Z$/);
    expect(stepStatuses).toEqual({ pageview: "complete", referrals: "complete", payments: "complete" });
    expect(statistics).toEqual({
      pageview: {
        testEventCount: 1,
        liveEventCount: 1,
        hasTestEvents: true,
        latestTestEvent: { id: tested, timestamp },
        latestLiveEvent: { id: expect.any(Number), timestamp },
      },
      referrals: { ...none, liveEventCount: 2, latestLiveEvent: { id: first.lead_id, timestamp } },
      payments: {
        ...none,
        testEventCount: 2,
        hasTestEvents: true,
        latestTestEvent: { id: newest.sale_id, timestamp: at(daysAgo(2)) },
      },
    });
  });

  it("the status of a program excludes the events of verification runs, and the partner that these runs use", async () => {
    const shop = await openDashboard(people);
    const world = await people.world({ partners: [] });
    const viewed = dashboardOf(people.admin, world.programId);
    expect((await shown(viewed.runVerification())).data.attributed).toBe(true);
    const { data } = await shown(viewed.status());
    expect(data).toMatchObject({
      hasPartners: false,
      statistics: { pageview: none, referrals: none, payments: none },
      stepStatuses: { pageview: "pending", referrals: "pending", payments: "pending" },
    });
    expect((await shown(shop.status())).data.hasPartners).toBe(true);
  });

  it("the status of a paused program keeps its completed steps", async () => {
    const { status, world, sale } = await open();
    await sale({ customer_key: "u" });
    await people.admin.patch(`/api/programs/${world.programId}`, { status: "paused" });
    expect((await shown(status())).data.stepStatuses.payments).toBe("complete");
  });
});

describe("readiness", () => {
  it("the readiness report is the same for a member as for the program's key", async () => {
    const { readiness, api, world, lead, click, alice, sale } = await open();
    await lead({ customer_key: "u", click_id: click(alice) });
    await sale({ customer_key: "u" });
    const [member, key] = [await readiness(), await api.readiness({ key: world.key })];
    const untimed = (text: string) => text.replace(/"checked_at":"[^"]+"/, "");
    expect(member.status).toBe(200);
    expect(untimed(member.text)).toBe(untimed(key.text));
    expect(member.body).not.toHaveProperty("success");
  });
});

describe("a test event", () => {
  it.each(["click", "lead", "sale"] as const)(
    "a test event can be a %s, recorded by the same code as a real event",
    async (kind) => {
      const { test, checkTestEvents, events, performance } = await open();
      const made = await test({ event_type: kind });
      expect(made).toMatchObject({
        status: 200,
        body: {
          success: true,
          message: `Test ${kind} event tracked successfully`,
          testEvent: { id: expect.any(Number), event_type: kind, timestamp: expect.stringMatching(/Z$/) },
        },
      });
      const { data } = await shown(checkTestEvents());
      expect(data).toMatchObject({ hasTestEvents: true, eventCount: 1, latestTestEvent: made.body.testEvent });
      expect(data.eventsByType[kind]).toMatchObject([
        { ...Object(made.body.testEvent), is_test: true, partnerCode: null },
      ]);
      expect((await shown(events())).data).toEqual([]);
      const { metrics } = await shown(performance());
      expect(metrics).toMatchObject({ totalClicks: 0, totalLeads: 0, totalSales: 0, totalOrganicSales: 0 });
    },
  );

  it("a test event is a click by default, and doesn't prove that the script is installed", async () => {
    const { test, readiness } = await open();
    expect((await test()).body).toMatchObject({ testEvent: { event_type: "click" } });
    expect((await readiness()).body).toMatchObject({ gates: { tracking: { status: "fail", detail: null } } });
  });

  it("each request for a test event records a new test event", async () => {
    const { test, checkTestEvents } = await open();
    for (const event_type of ["sale", "sale", "lead", "lead"]) expect((await test({ event_type })).status).toBe(200);
    expect((await shown(checkTestEvents())).data.eventCount).toBe(4);
  });

  it("a test event can't be a click if the program is paused", async () => {
    const { test, world } = await open();
    await people.admin.patch(`/api/programs/${world.programId}`, { status: "paused" });
    expect(refusalOf(await test())).toBe("409 The program is paused and records no clicks");
    expect((await test({ event_type: "sale" })).status).toBe(200);
  });

  it.each([
    [{}, ["program_id"]],
    [{ program_id: "seven" }, ["program_id"]],
    [{ program_id: -1, event_type: "refund" }, ["program_id", "event_type"]],
  ])("a test event is refused with the body %j", async (body, fields) => {
    const reply = await people.admin.post("/api/tracking/test", body);
    expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
  });

  it("a test event is refused with an unknown type, a malformed body or an oversized body", async () => {
    const { test, world } = await open();
    const reply = await test({ event_type: "refund" });
    expect([reply.status, invalidFields(reply)]).toEqual([400, ["event_type"]]);
    expect((await people.admin.post("/api/tracking/test", "{")).status).toBe(400);
    const large = { program_id: world.programId, padding: "x".repeat(70_000) };
    expect((await people.admin.post("/api/tracking/test", large)).status).toBe(413);
  });

  it("a test event accepts the program's id as a string of digits", async () => {
    const { world } = await open();
    const body = { program_id: String(world.programId) };
    expect((await people.admin.post("/api/tracking/test", body)).status).toBe(200);
  });
});

describe("checking test events", () => {
  it("the check of test events returns the program's test events, and can be limited to an integration step and to events since an instant", async () => {
    const shop = await open();
    const { checkTestEvents, api, world, alice } = shop;
    await api.click({ affiliate_url: alice.landingUrl, program_id: world.programId, ...inTestMode });
    await api.click({ affiliate_url: alice.landingUrl, program_id: world.programId });
    const old = await shop.sale({ customer_key: "u", occurred_at: at(daysAgo(2)), ...inTestMode });
    const sale = await shop.sale({ customer_key: "u", transaction_id: "t1", ...inTestMode });
    const all = (await shown(checkTestEvents())).data;
    expect(all).toMatchObject({ hasTestEvents: true, eventCount: 3, programId: world.programId, stepId: null });
    expect(all.eventsByType).toMatchObject({
      click: [{ is_test: true, partnerCode: alice.code, is_bot: false }],
      lead: [],
      sale: [{ id: sale.sale_id, transaction_id: "t1", amount_cents: 10_000 }, { id: old.sale_id }],
    });
    expect(all.latestTestEvent).toMatchObject({ event_type: "sale", id: sale.sale_id });

    const paid = (await shown(checkTestEvents({ step_id: "payments", since: at(daysAgo(1)) }))).data;
    expect(paid).toMatchObject({ eventCount: 1, stepId: "payments", eventsByType: { click: [], lead: [] } });
    expect(paid.eventsByType.sale.map(({ id }) => id)).toEqual([sale.sale_id]);
    expect((await shown(checkTestEvents({ step_id: "pageview" }))).data.eventCount).toBe(1);
    expect((await shown(checkTestEvents({ step_id: "referrals" }))).data).toMatchObject({
      hasTestEvents: false,
      eventCount: 0,
      latestTestEvent: null,
    });
    const later = at(Date.now() + 60 * minute).replace("Z", "+00:00");
    expect((await shown(checkTestEvents({ since: later }))).data.hasTestEvents).toBe(false);
  });

  it("the check of test events lists the newest 25 events of each type, and counts all", async () => {
    const { checkTestEvents, sale } = await open();
    for (let i = 0; i < 27; i += 1) await sale({ customer_key: "u", ...inTestMode });
    const { data } = await shown(checkTestEvents());
    expect(data.eventCount).toBe(27);
    expect(data.eventsByType.sale).toHaveLength(25);
  });

  it("the check of test events returns no verification events", async () => {
    const { checkTestEvents, runVerification } = await open();
    await shown(runVerification());
    expect((await shown(checkTestEvents())).data).toMatchObject({ hasTestEvents: false, eventCount: 0 });
  });

  it.each([
    [{ since: "yesterday" }, ["since"]],
    [{ since: "2026-01-01" }, ["since"]],
    [{ step_id: "checkout" }, ["step_id"]],
  ])("the check of test events refuses the query %j", async (body, fields) => {
    const reply = await (await open()).checkTestEvents(body);
    expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
  });
});
