import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { type LandingCase, landingCases, reportedLandings } from "../support/landing-cases.ts";
import { openMerchantSite, pageOf } from "../support/merchant-site.ts";

const visitor = isolatedBrowser();

async function expectRead(cases: readonly LandingCase[]): Promise<void> {
  const customer = await openMerchantSite(visitor);
  const [anna, bob] = customer.world.partners.map(({ code }) => code);
  customer.pages.set("/", pageOf(customer.tag('data-svc-params="via"')));
  const nameOf = new Map([
    [anna?.toLowerCase(), "anna"],
    [bob?.toLowerCase(), "bob"],
  ]);
  for (const { title, query, partner } of cases) {
    const before = customer.calls.length;
    await customer.context.clearCookies();
    await customer.visit(customer.at(`/?${query(anna ?? "", bob ?? "")}`));
    const found = await customer.run<string | null>("svc.getData().partnerCode ?? null");
    expect(found === null ? null : nameOf.get(found), title).toBe(partner);
    // The script also sends an unknown code once, so that the API can count it.
    expect(customer.calls.length - before, title).toBeLessThanOrEqual(1);
    await customer.run("sessionStorage.clear()");
  }
  const clicks = await customer.world.rows(
    "select code_param, sub from clicks where program_id = ? order by id",
    customer.world.programId,
  );
  expect(clicks).toMatchObject(
    cases
      .filter(({ partner }) => partner !== null)
      .map(({ isVia, sub }) => ({ code_param: isVia ? "via" : null, sub: sub ?? null })),
  );
}

test("the script parses every spelling of a landing link as the API does", () => expectRead(landingCases));

test("the script parses links damaged by mailers and campaign tools", { tags: ["finding"] }, () =>
  expectRead(reportedLandings),
);

const rewrites = ['history.replaceState({}, "", "/strip")', 'history.pushState({}, "", "/en")'];

test.each(rewrites)(
  "a landing is counted once if %s changes its URL before the script runs",
  { tags: ["finding"] },
  async (rewrite) => {
    const customer = await openMerchantSite(visitor);
    const { code } = customer.world.partner;
    customer.pages.set("/", pageOf(`<script>${rewrite}</script>${customer.tag()}`));
    await customer.visit(`${customer.landing()}&utm_source=blog`);
    expect(customer.lines()).toEqual(["POST click"]);
    const address = customer.at(`/?aff=${code}&utm_source=blog`);
    expect(customer.calls[0]?.body).toMatchObject({ affiliate_url: address, page_url: address });
    expect(await customer.run("!!svc.getClickId()")).toBe(true);

    await customer.run('history.pushState({}, "", "/later"); svc.trackClick()');
    await customer.page.reload();
    await customer.run("svc.ready");
    expect(customer.lines()).toEqual(["POST click"]);
  },
);

test("a landing with an unknown code is sent once if a router changes the page's URL", async () => {
  const customer = await openMerchantSite(visitor);
  customer.pages.set(
    "/",
    pageOf(`<script>history.replaceState({}, "", location.href + "&lang=en")</script>${customer.tag()}`),
  );
  await customer.visit(customer.landing("unknown"));
  expect(customer.lines()).toEqual(["POST click"]);
});

test("both landings are counted if the page changes its URL from one partner's link to another's", async () => {
  const customer = await openMerchantSite(visitor);
  const [anna, bob] = customer.world.partners.map(({ code }) => code.toLowerCase());
  customer.pages.set("/", pageOf(`<script>history.replaceState({}, "", "/?aff=${bob}")</script>${customer.tag()}`));
  await customer.visit(customer.landing(anna));
  expect(customer.calls.map(({ body }) => body.code)).toEqual([anna, bob]);
  expect(await customer.run("svc.getData().partnerCode")).toBe(bob);
});

test("a landing is counted if the browser doesn't expose the page's original URL", async () => {
  const customer = await openMerchantSite(visitor);
  await customer.context.addInitScript("delete Performance.prototype.getEntriesByType");
  await customer.visit(customer.landing());
  expect(customer.lines()).toEqual(["POST click"]);
});

test("a page with three script tags sends its landing once, also after going back to it, and replaceState to another partner's link sends a second landing", {
  tags: ["finding"],
}, async () => {
  const customer = await openMerchantSite(visitor);
  const [anna, bob] = customer.world.partners.map(({ code }) => code);
  const late = `<script>addEventListener("load", () => {
    const tag = document.querySelector("script[data-svc-program-id]").cloneNode();
    document.head.append(tag);
  })</script>`;
  customer.pages.set("/", pageOf(customer.tag() + customer.tag() + late));
  await customer.visit(customer.landing(anna));
  await customer.visit(customer.at("/next"));
  await customer.page.goBack({ waitUntil: "load" });
  await customer.run("svc.trackClick()");
  expect(customer.lines()).toEqual(["POST click"]);
  await customer.run(`history.replaceState({}, "", "/?aff=${bob}"); svc.trackClick()`);
  expect(customer.lines()).toEqual(["POST click", "POST click"]);
});
