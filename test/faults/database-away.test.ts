import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { mintProgramKey } from "#domain/program-key.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { expectUnavailable, worldOf } from "./away.ts";

const own = isolatedService();
const away = worldOf(own);
const { click, sell, one, storedClicks, countedClicks, spilled, settled } = away;

const clickOfOther = (body = {}) => click({ affiliate_url: away.world.partners[1]?.landingUrl ?? "", ...body });
const lead = (customer_key: string) => away.api.lead({ customer_key }, { key: away.world.key });
const refund = (transaction_id: string) => away.api.refund({ transaction_id }, { key: away.world.key });

describe("the service while the database is unreachable", () => {
  it("during an outage of the database, the service refuses leads, sales and refunds with 503, records nothing, and deduplicates them when they are sent again", async () => {
    await sell("before");
    own.proxy.inject({ kind: "refuse" });
    for (const reply of [await sell("t1"), await lead("v"), await refund("before"), await sell("t1")]) {
      expectUnavailable(reply);
    }
    own.proxy.heal();
    const sale = await eventually(
      () => sell("t1"),
      ({ status }) => status !== 503,
    );
    expect(sale.status).toBe(200);
    expect((await sell("t1")).status).toBe(409);
    expect((await refund("before")).body).toMatchObject({ refunded_cents: 1_000 });
    expect(await one("select count(*) as n from leads where program_id = ?")).toBe(0);
    expect(await one("select count(*) as n from sales where program_id = ?")).toBe(2);
  });

  it("during an outage of the database, the service accepts a click on a known link, stores it in the Ledger's own storage, and counts it once when the database is back", async () => {
    const before = await storedClicks();
    own.proxy.inject({ kind: "refuse" });
    const clicks = await Promise.all([click(), click(), click({ event_id: "e" }), click({ event_id: "e" })]);
    expect(clicks.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const ids = clicks.map(({ body }) => body.click_id);
    expect(ids[2]).toBe(ids[3]);
    expect(new Set(ids).size).toBe(3);
    expect(await spilled()).toBe(3);

    own.proxy.heal();
    await settled();
    expect(await storedClicks()).toBe(before + 3);
    expect(await countedClicks()).toBe(before + 3);
    const rows = await away.world.rows("select click_id from clicks where program_id = ?", away.world.programId);
    expect(rows.map((row) => row.click_id)).toEqual(expect.arrayContaining(ids));
    expect((await click({ event_id: "e" })).body.click_id).toBe(ids[2]);
  });

  it("during an outage of the database, the service stores one click per event, link and partner, and doesn't count a known event again", {
    tags: "soak",
  }, async () => {
    const [first, second] = away.world.partners.map(({ code }) => code);
    const known = (await click({ event_id: "known" })).body.click_id;
    await clickOfOther();
    const before = await countedClicks();
    own.proxy.inject({ kind: "refuse" });
    const visits = [
      await click({ event_id: "e" }),
      await clickOfOther({ event_id: "e" }),
      await click({ event_id: "e" }),
      await clickOfOther({ event_id: "e" }),
      await click({ event_id: "known" }),
    ];
    expect(visits.map(({ body }) => body.partner_code)).toEqual([first, second, first, second, first]);
    const ids = visits.map(({ body }) => body.click_id);
    expect(ids.slice(2, 4)).toEqual(ids.slice(0, 2));
    expect(new Set(ids).size).toBe(3);

    own.proxy.heal();
    await settled();
    expect(await countedClicks()).toBe(before + 2);
    expect((await click({ event_id: "known" })).body.click_id).toBe(known);
    expect((await clickOfOther({ event_id: "e" })).body.click_id).toBe(ids[1]);
  });

  it("during an outage of the database, the service refuses clicks with occurred_at, because it can check their keys only afterwards", {
    tags: "soak",
  }, async () => {
    const past = { occurred_at: at(daysAgo(29)) };
    const keys = [away.world.key, mintProgramKey(away.world.programId, randomBytes(32)), away.world.keys[1] ?? ""];
    const statuses = async () =>
      (await Promise.all(keys.map((key) => click(past, { key })))).map(({ status }) => status);
    const before = await storedClicks();
    own.proxy.inject({ kind: "refuse" });
    expectUnavailable(await click(past, { key: away.world.key }));
    expect(await statuses()).toEqual([503, 503, 503]);
    expect(await spilled()).toBe(0);
    own.proxy.heal();
    await eventually(
      () => click(past, { key: away.world.key }),
      ({ status }) => status === 200,
    );
    expect(await statuses()).toEqual([200, 401, 401]);
    expect(await storedClicks()).toBe(before + 2);
  });

  it("during an outage of the database, the service stores a click whose code is in a custom parameter, with this parameter's name and the sub-id", {
    tags: "soak",
  }, async () => {
    own.proxy.inject({ kind: "refuse" });
    const affiliate_url = `https://shop.example/?via=${away.world.partner.code}&aff_sub=newsletter`;
    const reply = await click({ affiliate_url, code_param: "via" });
    expect(reply).toMatchObject({ status: 200, body: { success: true } });
    expect(await spilled()).toBe(1);
    own.proxy.heal();
    await settled();
    const rows = await away.world.rows(
      "select code_param, sub, page_url from clicks where click_id = ?",
      reply.body.click_id ?? "",
    );
    expect(rows).toMatchObject([{ code_param: "via", sub: "newsletter", page_url: affiliate_url }]);
  });

  it("after an outage of the database, the service attributes a lead to a click that it accepted during the outage", {
    tags: "soak",
  }, async () => {
    own.proxy.inject({ kind: "refuse" });
    const { click_id } = (await click()).body;
    own.proxy.heal();
    const reply = await eventually(
      () => away.api.lead({ click_id, customer_key: "meanwhile" }, { key: away.world.key }),
      ({ status }) => status !== 503,
    );
    expect(reply.body).toMatchObject({ attributed: true, partner_code: away.world.partner.code });
  });

  it("during an outage of the database, the service refuses a click on an unknown link and a click in test mode", async () => {
    const stranger = await own.world();
    own.proxy.inject({ kind: "refuse" });
    expectUnavailable(
      await away.api.click({ affiliate_url: stranger.partner.landingUrl, program_id: stranger.programId }),
    );
    expectUnavailable(await click({ additional_data: { test_mode: true } }));
    expectUnavailable(await click({ program_id: null }));
    expectUnavailable(await click({ affiliate_url: "https://shop.example/?aff=nobody" }));
  });

  it("during an outage of the database, the service keeps clicks in the Ledger's own storage if the runtime is killed", async () => {
    const before = await storedClicks();
    own.proxy.inject({ kind: "refuse" });
    expect((await click()).status).toBe(200);
    await own.service.kill();
    own.proxy.heal();
    await own.service.restart();
    await eventually(storedClicks, (count) => count === before + 1);
    expect(await countedClicks()).toBe(before + 1);
  });

  it("during an outage of the database, the service answers readiness and /readyz with 503, each in its own format", async () => {
    own.proxy.inject({ kind: "refuse" });
    const readiness = await away.api.readiness({ key: away.world.key });
    expect(readiness.status).toBe(503);
    expect(readiness.body.error).toMatchObject({ code: "service_unavailable" });
    expect((await away.api.request("GET", "/readyz", { checked: false })).status).toBe(503);
    expect((await away.api.request("GET", "/healthz", { checked: false })).status).toBe(200);
  });
});
