import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { createProgramFixture, inTestMode, type ProgramFixture } from "../support/program-fixture.ts";

const page = "https://shop.example/landing";
const via = { code_param: "via" };
const nameMessage = "code_param must be 1 to 20 characters of a-z, 0-9, _ and -, and not aff, aff_sub or utm_*";

const refused = (path: string, message: string) => ({
  status: 400,
  body: {
    data: null,
    error: { name: "BadRequestError", message, details: { errors: [{ path: [path], message }] } },
  },
});
const notFound = {
  status: 400,
  body: {
    data: null,
    error: { status: 400, name: "BadRequestError", message: "Referral link not found", details: {} },
  },
};

describe("a click whose code is in a parameter other than aff", () => {
  it("a click whose code is in a parameter other than aff is attributed to that code's partner, and stores the parameter and its name", async () => {
    const { visit, all, bob } = await createProgramFixture();
    const landing = `${page}?via=${bob.code.toUpperCase()}&fpr=x&utm_source=blog`;
    const referrer_url = `https://blog.example/?fpr=x&via=${bob.code}`;
    const { partner_code } = await visit({ affiliate_url: landing, referrer_url, ...via });
    expect(partner_code).toBe(bob.code);
    expect(await all("clicks")).toMatchObject([
      {
        partner_id: bob.id,
        code_param: "via",
        page_url: `${page}?via=${bob.code.toUpperCase()}&utm_source=blog`,
        referrer_url: `https://blog.example/?via=${bob.code}`,
      },
    ]);
  });

  it("a click whose code is in a parameter other than aff attributes a sign-up to its partner, and its explanation shows the parameter", async () => {
    const { visit, lead, api, world, bob } = await createProgramFixture();
    const { click_id } = await visit({ affiliate_url: `${page}?via=${bob.code}`, ...via });
    expect(await lead({ click_id, customer_key: "u" })).toMatchObject({ attributed: true, partner_code: bob.code });
    const { body } = await api.request<{ events: readonly JsonObject[] }>(
      "GET",
      `/api/v1/programs/me/explain?click_id=${click_id}`,
      { key: world.key },
    );
    expect(body.events[0]).toMatchObject({ type: "click", id: click_id, code_param: "via" });
  });

  it("a click whose code is in a parameter other than aff is deduplicated by its event_id, whichever parameter each call uses", async () => {
    const { visit, all, bob } = await createProgramFixture();
    const first = await visit({ affiliate_url: `${page}?via=${bob.code}`, event_id: "e", ...via });
    const second = await visit({ affiliate_url: `${page}?aff=${bob.code}`, event_id: "e" });
    expect(second.click_id).toBe(first.click_id);
    expect(await all("clicks")).toHaveLength(1);
  });

  it("a click whose code is in a parameter other than aff can be a test click of a program that only additional_data names", async () => {
    const { visit, all, bob, world } = await createProgramFixture();
    const additional_data = { ...inTestMode.additional_data, program_id: world.programId };
    await visit({ affiliate_url: `${page}?via=${bob.code}`, program_id: null, ...via, additional_data });
    expect(await all("clicks")).toMatchObject([{ is_test: 1, partner_id: bob.id, code_param: "via" }]);
  });

  it("a click whose code is in a parameter other than aff isn't recorded if its link is paused", async () => {
    const { visit, all, bob } = await createProgramFixture({ partners: [{}, { linkStatus: "paused" }] });
    expect(await visit({ affiliate_url: `${page}?via=${bob.code}`, ...via })).toEqual({
      success: false,
      message: "Referral link is inactive",
    });
    expect(await all("clicks")).toEqual([]);
  });
});

describe("aff takes precedence over the other parameter", () => {
  it.each<[string, (shop: ProgramFixture) => string]>([
    ["if the URL has both", ({ alice, bob }) => `?via=${bob.code}&aff=${alice.code}`],
    ["if the URL has only aff", ({ alice }) => `?aff=${alice.code}`],
  ])("a click with a code_param other than aff is attributed by aff %s", async (_, queryOf) => {
    const shop = await createProgramFixture();
    const { partner_code } = await shop.visit({ affiliate_url: `${page}${queryOf(shop)}`, ...via });
    expect(partner_code).toBe(shop.alice.code);
    const page_url = `${page}?aff=${shop.alice.code}`;
    expect(await shop.all("clicks")).toMatchObject([{ partner_id: shop.alice.id, code_param: null, page_url }]);
  });

  it("an empty aff parameter doesn't take precedence over another parameter with a code", async () => {
    const { visit, bob } = await createProgramFixture();
    const affiliate_url = `${page}?aff=&via=${bob.code}`;
    expect(await visit({ affiliate_url, ...via })).toMatchObject({ partner_code: bob.code });
  });
});

describe("refusals of clicks with a code in another parameter", () => {
  it.each(["aff", "aff_sub", "utm_source", "Via", "v ia", "ä", "x".repeat(21), "", 5])(
    "a click with the parameter name %j is refused",
    async (name) => {
      const { api, all, bob, world } = await createProgramFixture();
      const affiliate_url = `${page}?${name}=${bob.code}`;
      const reply = await api.click({ affiliate_url, program_id: world.programId, code_param: name });
      expect(reply).toMatchObject(refused("code_param", nameMessage));
      expect(reply.body.error?.details).toMatchObject({ errors: [{}] });
      expect(await all("clicks")).toEqual([]);
    },
  );

  it.each<[string, (shop: ProgramFixture) => string]>([
    ["with the code in the parameter", ({ bob }) => `${page}?via=${bob.code}`],
    ["with aff", ({ bob }) => `${page}?aff=${bob.code}`],
  ])("a click with a code_param other than aff, but without program_id, is refused: %s", async (_, urlOf) => {
    const shop = await createProgramFixture();
    const reply = await shop.api.click({ affiliate_url: urlOf(shop), ...via });
    expect(reply).toMatchObject(refused("program_id", "program_id is required"));
    expect(await shop.all("clicks")).toEqual([]);
  });

  it.each(["", "?via=", "?fpr=anna"])(
    "a click is refused if neither aff nor the parameter in code_param has a code in the URL: %j",
    async (query) => {
      const { api, all, world } = await createProgramFixture();
      const reply = await api.click({ affiliate_url: `${page}${query}`, program_id: world.programId, ...via });
      expect(reply).toMatchObject(refused("affiliate_url", "No aff parameter found in affiliate_url"));
      expect(await all("clicks")).toEqual([]);
    },
  );
});

describe("a code chosen by a partner", () => {
  it.each<[string, WorldSettings]>([
    ["is refused in another parameter like an unknown code", {}],
    [
      "is refused like an unknown code even if it is paused",
      { partners: [{}, { madeBy: "partner", linkStatus: "paused" }] },
    ],
    ["is refused like an unknown code in a paused program", { program: { status: "paused" } }],
    ["is refused like an unknown code in an archived program", { program: { archivedAt: 1 } }],
  ])("a code chosen by a partner %s", async (_, settings) => {
    const shop = await createProgramFixture({ partners: [{}, { madeBy: "partner" }], ...settings });
    const { api, all, bob, world } = shop;
    for (const code of [bob.code, `unknown-${bob.code}`.slice(0, 30)]) {
      for (const test_mode of [false, true]) {
        const body = { affiliate_url: `${page}?via=${code}`, program_id: world.programId, ...via };
        expect(await api.click({ ...body, additional_data: { test_mode } })).toMatchObject(notFound);
      }
    }
    expect(await all("clicks")).toEqual([]);
  });

  it("a code chosen by a partner is found in the parameter aff", async () => {
    const { visit, bob } = await createProgramFixture({ partners: [{}, { madeBy: "partner" }] });
    const affiliate_url = `${page}?via=other&aff=${bob.code}`;
    expect(await visit({ affiliate_url, ...via })).toMatchObject({ success: true, partner_code: bob.code });
  });

  it("a code created by an import or a member is found in a parameter other than aff", async () => {
    const { visit, alice, bob } = await createProgramFixture({ partners: [{ madeBy: "owner" }, { madeBy: "import" }] });
    for (const { code } of [alice, bob]) {
      expect(await visit({ affiliate_url: `${page}?via=${code}`, ...via })).toMatchObject({ partner_code: code });
    }
  });
});
