import { describe, expect, it } from "vitest";
import { integrate } from "../sdk/integration.ts";
import { type LandingCase, landingCases, reportedLandings } from "../support/landing-cases.ts";
import { createProgramFixture } from "../support/program-fixture.ts";

const refusals = ["Referral link not found", "No aff parameter found in affiliate_url"];

/** The partner credited with each landing, and the parameter and sub-id of the stored click. */
async function readByApi(cases: readonly LandingCase[]) {
  const { world, api, alice, bob, all } = await createProgramFixture();
  const answers = [];
  for (const { query } of cases) {
    const affiliate_url = `https://shop.example/?${query(alice.code, bob.code)}`;
    const { status, body } = await api.click({ affiliate_url, program_id: world.programId, code_param: "via" });
    answers.push({ status, code: body.partner_code, message: body.error?.message, clickId: body.click_id });
  }
  return { answers, clicks: await all("clicks"), alice, bob };
}

async function readBySdk(cases: readonly LandingCase[]) {
  const { shop, tributary } = await integrate();
  const answers = [];
  for (const { query } of cases) {
    const affiliateUrl = `https://shop.example/?${query(shop.alice.code, shop.bob.code)}`;
    const { status, data, error } = await tributary.trackClick({ affiliateUrl, codeParam: "via" });
    answers.push({ status, code: data?.partnerCode, message: error?.message, clickId: data?.clickId });
  }
  return { answers, clicks: await shop.all("clicks"), alice: shop.alice, bob: shop.bob };
}

async function expectRead(cases: readonly LandingCase[], read: typeof readByApi | typeof readBySdk): Promise<void> {
  const { answers, clicks, alice, bob } = await read(cases);
  const nameOf = new Map([
    [alice.code, "anna"],
    [bob.code, "bob"],
  ]);
  for (const [i, { title, partner, isVia, sub }] of cases.entries()) {
    const { status, code, message, clickId } = answers[i] ?? {};
    if (partner === null) {
      expect([status, refusals.includes(message ?? "")], `${title}: ${message}`).toEqual([400, true]);
      continue;
    }
    expect([status, nameOf.get(code ?? "")], title).toEqual([200, partner]);
    const click = clicks.find(({ click_id }) => click_id === clickId);
    expect([click?.code_param, click?.sub], title).toEqual([isVia ? "via" : null, sub ?? null]);
  }
}

describe("a landing URL", () => {
  it("the API parses a landing URL in every spelling of the link", () => expectRead(landingCases, readByApi));

  it("the SDK parses a landing URL as the API does, in every spelling of the link", () =>
    expectRead(landingCases, readBySdk));

  it("the API parses the landing URLs of links that mailers and campaign tools damaged", { tags: ["finding"] }, () =>
    expectRead(reportedLandings, readByApi),
  );

  it("a click stores its page URL with the parameter names decoded", async () => {
    const { visit, all, alice } = await createProgramFixture();
    await visit({ affiliate_url: `https://shop.example/p?x=1&amp;AFF=${alice.code}&amp;utm_source=mail` });
    expect(await all("clicks")).toMatchObject([
      { page_url: `https://shop.example/p?aff=${alice.code}&utm_source=mail` },
    ]);
  });
});
