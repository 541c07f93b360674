import { describe, expect, it } from "vitest";
import { createApi, type JsonObject } from "../../harness/client.ts";
import { at, createProgramFixture, day, daysAgo, type ProgramFixture } from "../support/program-fixture.ts";

const notFound = "Customer not found. Provide a valid click_id or customer_key.";
const foreign = "Customer does not belong to this program";

describe("a lead is refused", () => {
  const shops = async () => ({ shop: await createProgramFixture(), other: await createProgramFixture() });
  type Shops = Awaited<ReturnType<typeof shops>>;
  type Row = [what: string, mode: "key" | "browser", message: string, body: (shops: Shops) => JsonObject];
  const nobody = "click_id or customer_key is required";

  it.each<Row>([
    ["without a customer", "key", nobody, () => ({})],
    ["without a customer_key or click", "browser", nobody, ({ shop }) => ({ program_id: shop.world.programId })],
    ["with an empty history", "key", nobody, () => ({ click_ids: [], email: "a@b.example" })],
    ["without a valid click or customer_key", "key", notFound, () => ({ click_id: "forged" })],
    ["whose history has no valid click", "key", notFound, () => ({ click_ids: ["forged", "too"] })],
    ["without a valid click", "browser", notFound, () => ({ click_id: "forged", customer_key: "u" })],
    [
      "without a click",
      "browser",
      notFound,
      ({ shop: { world } }) => ({ customer_key: "u", program_id: world.programId }),
    ],
    ["without a click or program", "browser", notFound, () => ({ customer_key: "u" })],
    ["with another program's click", "key", foreign, ({ other }) => ({ click_id: other.click(other.alice) })],
    [
      "with a program_id other than its click's",
      "browser",
      foreign,
      ({ shop, other }) => ({
        program_id: shop.world.programId,
        click_id: other.click(other.alice),
        customer_key: "u",
      }),
    ],
    [
      "with a program_id other than its key's",
      "key",
      foreign,
      ({ shop, other }) => ({ program_id: other.world.programId, click_id: shop.click(shop.alice), customer_key: "u" }),
    ],
  ])("a lead %s is refused, sent by a browser or with the program's key: %s", async (_, mode, message, bodyOf) => {
    const both = await shops();
    const { api, world, all } = both.shop;
    const reply = await api.lead(bodyOf(both), mode === "key" ? { key: world.key } : {});
    expect(reply).toMatchObject({ status: 400, body: { error: { name: "BadRequestError", message } } });
    expect(await all("leads")).toEqual([]);
  });

  it("a lead with an API key that was never issued is refused, even with a valid click", async () => {
    const { api, click, alice, all } = await createProgramFixture();
    for (const key of ["nonsense", `svc_1_${"x".repeat(43)}`]) {
      const reply = await api.lead({ click_id: click(alice), customer_key: "u" }, { key });
      expect(reply).toMatchObject({ status: 401, body: { error: { message: "Invalid API token" } } });
    }
    expect(await all("leads")).toEqual([]);
  });

  it("a lead that happened more than 400 days ago is refused", async () => {
    const { api, world, lead } = await createProgramFixture();
    const told = (instant: number) => ({ customer_key: "u", occurred_at: at(instant) });
    const reply = await api.lead(told(Date.now() - 400 * day - 1_000), { key: world.key });
    expect(reply).toMatchObject({ status: 400, body: { error: { message: "occurred_at is more than 400 days ago" } } });
    expect(await lead(told(Date.now() - 400 * day + 60_000))).toMatchObject({ success: true });
  });
});

describe("a lead with the program's key", () => {
  it("a lead with the program's key is attributed by its click, and returns all fields", async () => {
    const { lead, click, alice, countedLeads } = await createProgramFixture();
    const reply = await lead({ click_id: click(alice), customer_key: "u" });
    expect(reply).toEqual({
      success: true,
      message: "Lead tracked successfully",
      attributed: true,
      lead_id: expect.any(Number),
      partner_code: alice.code,
    });
    expect(await countedLeads(alice)).toBe(1);
  });

  it.each<[string, (shop: ProgramFixture, other: ProgramFixture) => JsonObject, string]>([
    ["no click", () => ({}), "no_click"],
    ["a null click", () => ({ click_id: null, click_ids: null }), "no_click"],
    ["a forged click", () => ({ click_id: "forged" }), "invalid_click_id"],
    ["a forged history", () => ({ click_ids: ["forged"] }), "invalid_click_id"],
    ["another program's click", (_, other) => ({ click_id: other.click(other.alice) }), "invalid_click_id"],
    ["a test click", (shop) => ({ click_id: shop.click(shop.alice, daysAgo(1), true) }), "invalid_click_id"],
  ])(
    "a lead with the program's key and %s is recorded, because a stale cookie must not break a sign-up",
    async (_, bodyOf, reason) => {
      const [shop, other] = [await createProgramFixture(), await createProgramFixture()];
      const reply = await shop.lead({ customer_key: "u", ...bodyOf(shop, other) });
      expect(reply).toMatchObject({ success: true, attributed: false, reason, lead_id: expect.any(Number) });
      expect(await shop.all("leads")).toMatchObject([
        { id: reply.lead_id, customer_key: "u", partner_id: null, reason },
      ]);
    },
  );

  it("a lead with the program's key is unattributed if its click has expired, and returns the click's age in days", async () => {
    const { lead, click, alice } = await createProgramFixture({ program: { attributionWindowDays: 30 } });
    const reply = await lead({ click_id: click(alice, daysAgo(45)), customer_key: "u" });
    const expired = { attributed: false, reason: "attribution_window_expired", click_age_days: 45, window_days: 30 };
    expect(reply).toMatchObject({ success: true, ...expired });
  });

  it("a lead with the program's key doesn't attribute a customer who bought before the click", async () => {
    const { lead, sale, click, alice, all } = await createProgramFixture();
    await sale({ customer_key: "u", occurred_at: at(daysAgo(3)) });
    const reply = await lead({ click_id: click(alice, daysAgo(2)), customer_key: "u" });
    expect(reply).toMatchObject({ success: true, attributed: false, reason: "existing_customer" });
    expect(reply).not.toHaveProperty("attributed_sales");
    expect(await all("ledger_entries")).toEqual([]);
  });

  it("a lead with the program's key receives the first response again when repeated", async () => {
    const { lead, click, alice, all, countedLeads } = await createProgramFixture();
    const body = { click_id: click(alice), customer_key: "u" };
    const first = await lead(body);
    expect(await lead(body)).toEqual({ ...first, duplicate: true });
    expect(await lead({ customer_key: "u" })).toEqual({ ...first, duplicate: true });
    expect(await all("leads")).toHaveLength(1);
    expect(await countedLeads(alice)).toBe(1);
  });

  it("a lead with the program's key receives the first response again when repeated, even if unattributed", async () => {
    const { lead, all } = await createProgramFixture();
    const first = await lead({ customer_key: "u" });
    expect(await lead({ customer_key: "u" })).toEqual({ ...first, duplicate: true });
    expect(await all("leads")).toHaveLength(1);
  });
});

describe("only the Authorization header determines whether a lead is handled as sent with a key", () => {
  type Row = [what: string, headers: (key: string) => Record<string, string>, isServerMode: boolean];
  it.each<Row>([
    ["a Bearer token", (key) => ({ authorization: `Bearer ${key}` }), true],
    [
      "a Bearer token in a browser's request",
      (key) => ({ authorization: `Bearer ${key}`, "sec-fetch-site": "cross-site" }),
      true,
    ],
    [
      "a Bearer token with text/plain",
      (key) => ({ authorization: `Bearer ${key}`, "content-type": "text/plain" }),
      true,
    ],
    ["no header", () => ({}), false],
    ["an empty token", () => ({ authorization: "Bearer " }), false],
    ["another scheme", () => ({ authorization: "Basic dTpw" }), false],
    ["no header, with text/plain", () => ({ "content-type": "text/plain" }), false],
  ])(
    "only the Authorization header decides whether a lead counts as sent with the program's key: %s",
    async (_, headersOf, isServerMode) => {
      const { world, api, click, alice } = await createProgramFixture();
      const body = { click_id: click(alice), customer_key: "u" };
      const reply = await createApi(api.url).lead(body, { headers: headersOf(world.key) });
      expect(reply).toMatchObject({ status: 200, body: { attributed: true } });
      expect("lead_id" in reply.body).toBe(isServerMode);
    },
  );
});
