import { describe, expect, it } from "vitest";
import { explained } from "../support/explain.ts";
import { createProgramFixture } from "../support/program-fixture.ts";

const full = {
  page_url: "https://shop.example/page",
  referrer_url: "https://blog.example/",
  page_title: "A page",
  session_id: "session-1",
  user_agent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  screen_resolution: "1920x1080",
  viewport_size: "1280x720",
  language: "en-US",
  timezone: "Europe/Berlin",
  additional_data: { page_titles: true, event_name: "landing" },
};
const dropped = {
  page_url: null,
  referrer_url: null,
  page_title: null,
  sub: null,
  existing_click_id: null,
  event_name: null,
  visitor: null,
  screen_resolution: null,
  viewport_size: null,
  language: null,
  timezone: null,
  country: null,
  region: null,
  city: null,
  device_type: null,
  os: null,
  browser: null,
};

describe("a click with limited: true", () => {
  it("a click with limited: true stores no visitor data that the caller sends, and returns a click id that attributes sign-ups", async () => {
    const { visit, lead, all, alice } = await createProgramFixture();
    const { click_id: existing_click_id } = await visit();
    const affiliate_url = `${alice.landingUrl}&aff_sub=nl`;
    const { click_id } = await visit(
      { ...full, affiliate_url, existing_click_id, event_id: "e", limited: true },
      { browser: true },
    );
    const [, click] = await all("clicks");
    expect(click).toMatchObject({
      ...dropped,
      click_id,
      partner_id: alice.id,
      event_id: "e",
      source: "browser",
      is_bot: 0,
    });
    expect(await lead({ click_id, customer_key: "u" })).toMatchObject({ attributed: true, partner_code: alice.code });
  });

  it("a click with limited: true always counts as a unique click, and is flagged if a bot sent it", async () => {
    const { visit, world } = await createProgramFixture();
    for (const user_agent of [full.user_agent, full.user_agent, "Googlebot/2.1"]) {
      await visit({ ...full, user_agent, limited: true });
    }
    expect(
      await world.rows(
        "select sum(clicks) as clicks, sum(unique_clicks) as unique_clicks, sum(uncounted_clicks) as uncounted from daily_counts where program_id = ?",
        world.programId,
      ),
    ).toMatchObject([{ clicks: 2, unique_clicks: 2, uncounted: 1 }]);
  });

  it("a click with limited: true stores the parameter that contains its code, and is explained like any other click", async () => {
    const fixture = await createProgramFixture();
    const { visit, all, bob } = fixture;
    const affiliate_url = `https://shop.example/?via=${bob.code}`;
    const { click_id } = await visit({ affiliate_url, code_param: "via", limited: true });
    expect(await all("clicks")).toMatchObject([{ ...dropped, partner_id: bob.id, code_param: "via" }]);
    const { events } = await explained(fixture, { click_id: click_id ?? "" });
    expect(events).toMatchObject([{ type: "click", id: click_id, code_param: "via" }]);
  });

  it("a click is refused if limited isn't a boolean, and stores all fields if limited is false", async () => {
    const { api, world, visit, all, alice } = await createProgramFixture();
    const body = { affiliate_url: alice.landingUrl, program_id: world.programId };
    const refused = await api.click({ ...body, limited: "true" });
    expect([refused.status, refused.body.error?.message]).toEqual([400, "limited must be a boolean"]);
    for (const limited of [false, null]) await visit({ ...full, limited });
    expect(await all("clicks")).toMatchObject([{ language: "en-US" }, { language: "en-US" }]);
  });
});
