import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { createProgramFixture, daysAgo, inTestMode, type ProgramFixture } from "../support/program-fixture.ts";
import { uniqueWord } from "../support/unique-word.ts";

const inactive = { success: false, message: "Referral link is inactive" };
const ownCode = () => uniqueWord("Code-");
const landing = (code: string) => `https://shop.example/landing?aff=${code}`;

describe("a click", () => {
  it("a click is stored, and returns its id, its partner and its cookie's lifetime", async () => {
    const { visit, alice, all, world } = await createProgramFixture();
    const reply = await visit({ affiliate_url: landing(alice.code) });
    const { code: partner_code } = alice;
    expect(reply).toEqual({ success: true, click_id: expect.any(String), partner_code, cookie_window_days: 60 });
    expect(await all("clicks")).toMatchObject([
      { click_id: reply.click_id, link_id: alice.linkId, partner_id: alice.id, is_test: 0, event_id: null },
    ]);
    const counts = "select partner_id, clicks, unique_clicks from daily_counts where program_id = ?";
    expect(await world.rows(counts, world.programId)).toMatchObject([
      { partner_id: alice.id, clicks: 1, unique_clicks: 1 },
    ]);
  });

  it("a click attributes a sign-up to its partner", async () => {
    const { visit, lead, alice } = await createProgramFixture();
    const { click_id } = await visit({}, { browser: true });
    expect(await lead({ click_id, customer_key: "u" })).toMatchObject({ attributed: true, partner_code: alice.code });
  });

  it("a click stores the visit's details, and the id of the visitor's previous click", async () => {
    const { visit, all } = await createProgramFixture();
    const told = {
      page_title: "Welcome",
      screen_resolution: "1920x1080",
      viewport_size: "1280x720",
      language: "nl-NL",
      timezone: "Europe/Amsterdam",
    };
    const first = await visit({ ...told, additional_data: { event_name: "landing" } });
    const second = await visit({ existing_click_id: first.click_id });
    await visit({ existing_click_id: second.click_id });
    const [landed, ...later] = await all("clicks");
    expect(landed).toMatchObject({ ...told, event_name: "landing", existing_click_id: null });
    expect(later.map((row) => row.existing_click_id)).toEqual([first.click_id, second.click_id]);
    expect(later[0]).toMatchObject({ page_title: null, screen_resolution: null, language: null, event_name: null });
  });

  it.each<[string, (shop: ProgramFixture, other: ProgramFixture, good: string) => string]>([
    ["made up", () => "click-1"],
    ["altered", (_shop, _other, good) => `${good.slice(0, -1)}${good.endsWith("A") ? "B" : "A"}`],
    ["of another program", (_shop, other) => other.click(other.alice)],
    ["of the other book", ({ click, alice }) => click(alice, daysAgo(1), true)],
    ["longer than a click id", (_shop, _other, good) => good.repeat(20)],
    ["longer than any text may be", () => "x".repeat(1_000)],
    ["of unusual characters", () => "\u0001\n🙂"],
  ])("a click is recorded without a previous click id that is %s", async (_, idOf) => {
    const [shop, other] = [await createProgramFixture(), await createProgramFixture()];
    const existing_click_id = idOf(shop, other, shop.click(shop.alice));
    await shop.visit({ existing_click_id });
    expect(await shop.all("clicks")).toMatchObject([{ existing_click_id: null }]);
  });

  it("a click in the test book links only to a click of the test book", async () => {
    const { visit, all, click, alice } = await createProgramFixture();
    const [test, live] = [click(alice, daysAgo(1), true), click(alice)];
    await visit({ existing_click_id: test, ...inTestMode });
    await visit({ existing_click_id: live, ...inTestMode });
    expect((await all("clicks")).map((row) => row.existing_click_id)).toEqual([test, null]);
  });

  it.each<[string, NonNullable<WorldSettings["program"]>, number]>([
    ["the attribution window", {}, 60],
    ["the attribution window set by the program", { attributionWindowDays: 30 }, 30],
    ["the program's own setting", { attributionWindowDays: 30, cookieWindowDays: 7 }, 7],
  ])("a click returns a cookie lifetime equal to %s", async (_, program, cookie_window_days) => {
    const { visit } = await createProgramFixture({ program });
    expect(await visit()).toMatchObject({ cookie_window_days });
  });
});

describe("the link of a click", () => {
  it("the link of a click is looked up only in the named program", async () => {
    const code = ownCode();
    const partners = [{ code }, {}];
    const shops = [await createProgramFixture({ partners }), await createProgramFixture({ partners })];
    for (const { visit, all, alice, world } of shops) {
      expect(await visit({ program_id: String(world.programId) })).toMatchObject({ partner_code: code });
      expect(await all("clicks")).toMatchObject([{ program_id: world.programId, partner_id: alice.id }]);
    }
  });

  it("the link of a click is found by its code in upper or lower case, and the response has the code as it was created", async () => {
    const code = ownCode();
    const { visit, all } = await createProgramFixture({ partners: [{ code }, {}] });
    for (const written of [code.toLowerCase(), code.toUpperCase(), code]) {
      expect(await visit({ affiliate_url: landing(written) })).toMatchObject({ partner_code: code });
    }
    expect(await all("clicks")).toHaveLength(3);
  });

  it.each<[string, (own: number, code: string, other: number) => JsonObject]>([
    ["with an unknown code", (program_id) => ({ affiliate_url: landing(ownCode()), program_id })],
    ["with an unknown code, without a program", () => ({ affiliate_url: landing(ownCode()) })],
    ["with the code of another program", (_, code, other) => ({ affiliate_url: landing(code), program_id: other })],
    ["in an unknown program", (_, code) => ({ affiliate_url: landing(code), program_id: 2 ** 48 + 1 })],
  ])("the link of a click isn't found %s", async (_, bodyOf) => {
    const [{ api, world, alice, all }, other] = [await createProgramFixture(), await createProgramFixture()];
    const reply = await api.click(bodyOf(world.programId, alice.code, other.world.programId));
    const error = { name: "BadRequestError", message: "Referral link not found", details: {} };
    expect(reply).toMatchObject({ status: 400, body: { data: null, error } });
    expect([...(await all("clicks")), ...(await other.all("clicks"))]).toEqual([]);
  });
});

describe("a click on a paused link, partner or program returns no error and isn't recorded", () => {
  it.each<[string, WorldSettings]>([
    ["paused link", { partners: [{ linkStatus: "paused" }, {}] }],
    ["paused partner", { partners: [{ status: "paused" }, {}] }],
    ["paused program", { program: { status: "paused" } }],
  ])("a click on a paused link, partner or program returns no error and isn't recorded: %s", async (_, settings) => {
    const { visit, all, world } = await createProgramFixture(settings);
    const occurred_at = new Date(daysAgo(1)).toISOString();
    const bodies = [{}, { program_id: null }, { event_id: "e" }, { additional_data: { test_mode: true } }];
    for (const body of bodies) expect(await visit(body)).toEqual(inactive);
    expect(await visit({ occurred_at }, { key: world.key })).toEqual(inactive);
    expect(await all("clicks")).toEqual([]);
    for (const table of ["click_event_ids", "daily_counts"]) {
      expect(await world.rows(`select * from ${table} where program_id = ?`, world.programId)).toEqual([]);
    }
  });
});
