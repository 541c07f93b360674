import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../harness/client.ts";
import { createProgramFixture, inTestMode, type ProgramFixture } from "../support/program-fixture.ts";

type Event = "click" | "lead" | "sale" | "refund";

const said = (event: Event, { world }: ProgramFixture) => ({
  success: true,
  message: `Test ${event} event tracked successfully`,
  data: { eventId: expect.any(Number), programId: world.programId, test_mode: true },
});

const testClick = async ({ api, world, alice }: ProgramFixture) =>
  (await api.click({ affiliate_url: alice.landingUrl, program_id: world.programId, ...inTestMode })).body;

describe("the response to a test event", () => {
  it("the response to a test click has a note and the usual fields", async () => {
    const shop = await createProgramFixture();
    const click = { click_id: expect.any(String), partner_code: shop.alice.code, cookie_window_days: 60 };
    expect(await testClick(shop)).toEqual({ ...said("click", shop), ...click });
  });

  it("the response to a test lead has a note and the usual fields", async () => {
    const shop = await createProgramFixture();
    const body = { click_id: (await testClick(shop)).click_id, customer_key: "u", ...inTestMode };
    const settled = { attributed: true, partner_code: shop.alice.code };
    const reply = await shop.lead(body);
    expect(reply).toEqual({ ...said("lead", shop), ...settled, lead_id: reply.data.eventId });
    expect(await shop.lead(body)).toEqual({ ...reply, duplicate: true });
  });

  it("the response to a test lead from a browser has a note and the usual fields", async () => {
    const shop = await createProgramFixture();
    const body = { click_id: (await testClick(shop)).click_id, program_id: shop.world.programId, ...inTestMode };
    const settled = { attributed: true, partner_code: shop.alice.code };
    expect(await shop.browserLead(body)).toEqual({ ...said("lead", shop), ...settled });
  });

  it("the response to a test sale or refund has a note and the usual fields", async () => {
    const shop = await createProgramFixture();
    const sold = await shop.sale({ click_id: (await testClick(shop)).click_id, transaction_id: "t", ...inTestMode });
    const { sale_id, commission_id } = sold;
    expect(sold).toMatchObject({ ...said("sale", shop), attributed: true, commission: { amount_cents: 2_000 } });
    expect(sold.data.eventId).toBe(sale_id);

    const refunded = await shop.refund({ transaction_id: "t", ...inTestMode });
    const reversed = { sale_id, commission_id, status: "reversed", commission_reversed_cents: 2_000 };
    expect(refunded).toMatchObject({ ...said("refund", shop), ...reversed });
  });
});

describe("fewer required fields in test mode", () => {
  it.each<[string, (programId: number) => JsonObject]>([
    ["program_id", (program_id) => ({ program_id, ...inTestMode })],
    ["additional_data.program_id", (program_id) => ({ additional_data: { test_mode: true, program_id } })],
  ])("in test mode, a click needs no URL if %s contains the program", async (_, bodyOf) => {
    const shop = await createProgramFixture();
    const { status, body } = await shop.api.click(bodyOf(shop.world.programId));
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { ...said("click", shop), click_id: expect.any(String) },
    });
    expect(body).not.toHaveProperty("partner_code");
  });

  it.each<[string, "key" | "browser", JsonObject]>([
    ["a lead needs no ids", "key", {}],
    ["a lead needs no ids", "browser", {}],
    ["a lead needs no click", "key", { customer_key: "u" }],
    ["a lead needs no click", "browser", { customer_key: "u" }],
  ])("in test mode, %s: sent by %s", async (_, mode, ids) => {
    const shop = await createProgramFixture();
    const { programId } = shop.world;
    const reply =
      mode === "key"
        ? await shop.lead({ ...ids, ...inTestMode })
        : await shop.browserLead({ ...ids, additional_data: { test_mode: true, program_id: programId } });
    expect(reply).toMatchObject({ ...said("lead", shop), attributed: false, reason: "no_click" });
    expect(await shop.all("leads")).toMatchObject([{ id: reply.data.eventId, is_test: 1, partner_id: null }]);
  });

  it("in test mode, a lead can have the click id of a click without a referral link", async () => {
    const shop = await createProgramFixture();
    const { click_id } = (await shop.api.click({ program_id: shop.world.programId, ...inTestMode })).body;
    const unattributed = { ...said("lead", shop), attributed: false, reason: "no_click" };
    expect(await shop.browserLead({ click_id, customer_key: "u", ...inTestMode })).toMatchObject(unattributed);
  });

  it("in test mode, a sale needs only its transaction_id", async () => {
    const shop = await createProgramFixture({ program: { currency: "JPY" } });
    const { key } = shop.world;
    const { body } = await shop.api.sale({ transaction_id: "t", ...inTestMode }, { key });
    expect(body).toMatchObject({ ...said("sale", shop), attributed: false });
    const stored = { is_test: 1, transaction_id: "t", amount_cents: 9_999, currency: "JPY" };
    expect(await shop.all("sales")).toMatchObject([stored]);
  });
});

describe("refusals in test mode", () => {
  const unknown = 2 ** 48 + 1;
  const testOf = (program_id: Json) => ({ additional_data: { test_mode: true, program_id } });
  it.each<[string, Event, JsonObject, number, string]>([
    ["a click without a URL and program is refused", "click", inTestMode, 400, "program_id is required"],
    ["a click of an unknown program is refused", "click", testOf(unknown), 400, "Program not found"],
    ["a lead without a key and program is refused", "lead", inTestMode, 400, "program_id is required"],
    ["a lead of an unknown program is refused", "lead", testOf(unknown), 400, "Program not found"],
    [
      "a sale without a key is refused",
      "sale",
      inTestMode,
      401,
      "Missing API key. Send it as Authorization: Bearer <key>.",
    ],
    [
      "a refund without a key is refused",
      "refund",
      inTestMode,
      401,
      "Missing API key. Send it as Authorization: Bearer <key>.",
    ],
  ])("in test mode, %s", async (_, event, body, status, message) => {
    const { api } = await createProgramFixture();
    expect(await api[event](body)).toMatchObject({ status, body: { error: { message } } });
  });

  it.each<[string, JsonObject]>([
    ["without", {}],
    ["with a null", { transaction_id: null }],
    ["with an empty", { transaction_id: "" }],
    ["with a numeric", { transaction_id: 17 }],
  ])("in test mode, a sale %s transaction_id is refused", async (_, body) => {
    const shop = await createProgramFixture();
    const reply = await shop.api.sale({ ...body, ...inTestMode }, { key: shop.world.key });
    const message = "transaction_id is required and must be a string";
    expect(reply).toMatchObject({ status: 400, body: { error: { message } } });
    expect(await shop.all("sales")).toEqual([]);
  });

  it("in test mode, a wrong key is refused", async () => {
    const { api } = await createProgramFixture();
    for (const event of ["lead", "sale", "refund"] as const) {
      const reply = await api[event](inTestMode, { key: `svc_1_${"x".repeat(43)}` });
      expect(reply).toMatchObject({ status: 401, body: { error: { message: "Invalid API token" } } });
    }
  });

  it("in test mode, a live click id is refused if nothing else identifies the customer", async () => {
    const { api, click, alice, world } = await createProgramFixture();
    for (const click_id of [click(alice), "forged"]) {
      for (const key of [world.key, undefined]) {
        const reply = await api.lead({ program_id: world.programId, click_id, ...inTestMode }, { key });
        expect(reply.status).toBe(400);
      }
    }
  });
});

it("a test lead without an API key doesn't change the program's readiness", async () => {
  const { api, world, browserLead, click, alice } = await createProgramFixture();
  const readiness = async () => {
    const { text } = await api.readiness({ key: world.key });
    return text.replace(/"checked_at":"[^"]+"/, "");
  };
  const before = await readiness();
  await browserLead({ click_id: click(alice, undefined, true), program_id: world.programId, ...inTestMode });
  expect(await readiness()).toEqual(before);
});

it("an event with test_mode: false is recorded as live", async () => {
  const { lead, click, alice, all } = await createProgramFixture();
  const reply = await lead({ click_id: click(alice), customer_key: "u", additional_data: { test_mode: false } });
  expect(reply).toMatchObject({ message: "Lead tracked successfully" });
  expect(await all("leads")).toMatchObject([{ is_test: 0 }]);
});
