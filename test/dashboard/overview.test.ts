import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Partner } from "../../harness/world.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { at, daysAgo, minute, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import {
  choosePartner,
  expectAccessible,
  expectNoSidewaysScroll,
  expectNothingMoved,
  openDashboard,
  settled,
} from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const figure = (page: Page, title: string) => page.getByRole("button", { name: new RegExp(`^${title}`) });
const fact = (page: Page, title: string) => page.locator(".fact", { hasText: title }).locator("dd");
const shows = async (page: Page, figures: Readonly<Record<string, string>>) => {
  for (const [title, text] of Object.entries(figures)) {
    await expect.poll(() => page.locator(".tile", { has: figure(page, title) }).textContent()).toContain(text);
  }
};
const dayOf = (instant: number) => at(instant).slice(0, 10);
const yearOf = (days: number) => new Date(daysAgo(days)).getUTCFullYear();

interface Sold {
  readonly by: "alice" | "bob" | "nobody";
  readonly cents: number;
  readonly currency: "EUR" | "USD";
  readonly ago: number;
}
const sold: readonly Sold[] = [
  { by: "alice", cents: 4_900, currency: "EUR", ago: 1 },
  { by: "alice", cents: 3_100, currency: "EUR", ago: 3 },
  { by: "alice", cents: 5_000, currency: "EUR", ago: 10 },
  { by: "bob", cents: 10_000, currency: "USD", ago: 2 },
  { by: "bob", cents: 2_000, currency: "EUR", ago: 4 },
  { by: "nobody", cents: 1_234, currency: "EUR", ago: 1 },
];
const refundedCents = 1_000;

/** Records three sales, and a partial refund of the first sale. */
async function sell() {
  const world = await people.world({ partners: [{ name: "Alice" }, { name: "Bob" }] });
  const shop = programFixture(world, sharedApi());
  const visit = (partner: Partner, ago: number, session_id: string) =>
    shop.visit({ affiliate_url: partner.landingUrl, occurred_at: at(daysAgo(ago)), session_id }, { key: world.key });
  await Promise.all([visit(shop.alice, 1, "v1"), visit(shop.alice, 1, "v2"), visit(shop.alice, 3, "v1")]);
  await Promise.all([visit(shop.bob, 2, "v3"), visit(shop.alice, 10, "v4")]);
  for (const [i, { by, cents, currency, ago }] of sold.entries()) {
    const customer_key = `u${i}`;
    const occurred_at = at(daysAgo(ago));
    if (by !== "nobody")
      await shop.lead({ customer_key, click_id: shop.click(shop[by], daysAgo(ago, -minute)), occurred_at });
    await shop.sale({ transaction_id: `t${i}`, customer_key, amount_cents: cents, currency, occurred_at });
  }
  await shop.refund({ transaction_id: "t0", refund_id: "r1", refund_amount_cents: refundedCents });
  return { world, shop };
}

/** Types a date digit by digit. In between, the field contains the years 0002, 0020 and 0202. */
async function typesOneDay(page: Page): Promise<void> {
  const [from, to] = [page.getByLabel("From", { exact: true }), page.getByLabel("To", { exact: true })];
  const last = await to.inputValue();
  const steps = () => page.evaluate<number>("history.length");
  const before = { steps: await steps(), address: page.url() };
  await from.focus();
  const year = yearOf(0) - 2;
  await page.keyboard.type(`0909${year}`);
  await expect.poll(() => from.inputValue()).toBe(`${year}-09-09`);
  expect([page.url(), await to.inputValue()]).toEqual([before.address, last]);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.searchParams.get("dateFrom") === `${year}-09-09`);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.searchParams.get("dateFrom") !== `${year}-09-09`);
  expect([await to.inputValue(), await steps()]).toEqual([last, before.steps + 1]);
  await page.keyboard.press("Delete");
  await page.keyboard.press("Tab");
  await to.focus();
  expect(await from.inputValue()).not.toBe("");
  await page.goBack();
  await page.waitForURL(before.address);
  await expect.poll(() => from.inputValue()).toBe(new URL(before.address).searchParams.get("dateFrom"));
}

test("the numbers of Overview match the events by partner, period and currency, and have trends compared to the previous period", async () => {
  const { world, shop } = await sell();
  const { programId } = world;
  const page = await openDashboard(newContext, {
    user: people.viewer,
    at: `/programs/${programId}/overview?period=7d`,
  });
  await settled(page);
  await expectNothingMoved(page);

  // In the last seven days, revenue in euros is 49.00, 31.00 and 20.00. Before them it is 50.00. The commission is a
  // fifth, less the refund's part.
  await shows(page, { Clicks: "4", Leads: "4", Sales: "4", Revenue: "€100.00", Commission: "€18.00" });
  await shows(page, { Clicks: "300%", Leads: "300%", Revenue: "100%", Commission: "80%" });
  expect(await fact(page, "Sales per click").textContent()).toContain("100%");
  expect(await fact(page, "Average order value").textContent()).toMatch(/€33\.33from 3 partner sales$/);
  expect(await fact(page, "Active partners").textContent()).toContain("2");
  expect(await fact(page, "Refunded").textContent()).toMatch(/€10\.00in 1 refund/);
  expect(await fact(page, "Organic").textContent()).toMatch(/€12\.34in 1 sale$/);

  await choosePartner(page, shop.alice.code);
  await shows(page, { Clicks: "3", Leads: "2", Sales: "2", Revenue: "€80.00", Commission: "€14.00" });
  expect(page.url()).toContain(`partnerId=${shop.alice.id}`);

  await choosePartner(page, shop.bob.code);
  await shows(page, { Revenue: "€20.00" });
  await page.getByText("Amounts in EUR. You also have amounts in USD. Counts include all currencies.").waitFor();
  await page.getByLabel("Currency").selectOption("USD");
  await shows(page, { Sales: "2", Revenue: "$100.00", Commission: "$20.00" });

  await page.goBack();
  await page.goBack();
  await shows(page, { Revenue: "€80.00" });

  await page.getByLabel("Period").selectOption("30d");
  await shows(page, { Clicks: "4", Sales: "3", Revenue: "€130.00" });
  await page.getByLabel("Period").selectOption("custom");
  await page.getByLabel("From", { exact: true }).fill(dayOf(daysAgo(10)));
  await page.getByLabel("To", { exact: true }).fill(dayOf(daysAgo(10)));
  await shows(page, { Clicks: "1", Sales: "1", Revenue: "€50.00" });
  await typesOneDay(page);
  await page.reload();
  await shows(page, { Revenue: "€50.00" });
  await expectAccessible(page);
});

test("the chart of Overview can be read by pointer, by keyboard and as a table", { tags: "soak" }, async () => {
  const { world } = await sell();
  const page = await openDashboard(newContext, {
    user: people.viewer,
    at: `/programs/${world.programId}/overview?period=7d`,
  });
  await figure(page, "Revenue").click();
  const chart = page.getByRole("slider", { name: /^Revenue per day/ });
  const plot = chart.locator("svg");
  expect(await plot.locator("text").allTextContents()).toEqual(expect.arrayContaining(["€0", "€20", "€40"]));
  const line = plot.locator(".chart-line").first();
  expect((await line.boundingBox())?.height).toBeGreaterThan(100);

  const tip = page.locator(".chart-tip");
  await chart.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => tip.textContent()).toContain("€49.00");
  expect(await chart.getAttribute("aria-valuetext")).toContain("Revenue €49.00");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => tip.textContent()).toContain("€31.00");
  await chart.hover({ position: { x: 200, y: 100 } });
  await expect.poll(() => tip.textContent()).toMatch(/€\d/);

  await page.getByText("View as table").click();
  const yesterday = page.locator(".days").getByRole("row").nth(2);
  for (const text of ["€49.00", "€9.80"]) await yesterday.getByText(text).waitFor();
  expect(await page.locator(".days").getByRole("row").count()).toBe(8);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});

test("top partners on Overview are shown with their codes, which distinguish partners with the same name", {
  tags: "soak",
}, async () => {
  const partners = [{ name: "Climb" }, { name: "Climb" }, { name: "Other" }];
  const shop = programFixture(await people.world({ partners }), sharedApi());
  const codes = shop.world.partners.map(({ code }) => code);
  for (const code of codes) await shop.visit({ affiliate_url: `https://shop.example/?aff=${code}` });
  const page = await openDashboard(newContext, {
    user: people.viewer,
    at: `/programs/${shop.world.programId}/overview`,
  });
  const named = page.getByRole("table", { name: "Top partners by revenue" }).getByRole("rowheader");
  await expect
    .poll(async () => (await named.allInnerTexts()).map((text) => text.replace(/\s+/, " ").trim()).toSorted())
    .toEqual([`Climb ${codes[0]}`, `Climb ${codes[1]}`, `Other ${codes[2]}`].toSorted());
});

test("Overview opens with at most four requests, and shows top partners and sources, open items and next steps", {
  tags: "soak",
}, async () => {
  const { world, shop } = await sell();
  await shop.visit({ page_url: "https://shop.example/shoes", referrer_url: "https://blog.example/a" });
  await shop.browserLead({ customer_key: "new", click_id: shop.click(shop.bob), program_id: world.programId });
  await shop.sale({ transaction_id: "unconfirmed", customer_key: "new", amount_cents: 5_000 });
  const page = await openDashboard(newContext, { user: people.viewer, at: "/sign-in" });
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    // The layout of every page also reads the program's readiness.
    if (/^\/api\/tracking\/(?!readiness\/)/.test(pathname)) asked.push(pathname);
  });
  await page.goto(`/app/programs/${world.programId}/overview?period=30d`);
  await settled(page);
  expect(asked.length).toBeLessThanOrEqual(4);

  const partners = page.getByRole("table", { name: "Top partners by revenue" }).getByRole("row");
  await expect.poll(() => partners.nth(1).innerText()).toMatch(/Alice\s+\S+\s+5\s+3\s+€130\.00/);
  await expect.poll(() => partners.nth(2).innerText()).toMatch(/Bob\s+\S+\s+1\s+3\s+€70\.00/);
  const sources = page.getByRole("region", { name: "Where clicks come from" });
  await sources.getByText("/shoes", { exact: true }).waitFor();
  await sources.getByRole("button", { name: "Referrers" }).click();
  await sources.getByText("blog.example").waitFor();
  await sources.getByText("Direct or unknown").waitFor();

  const standing = page.getByRole("navigation", { name: "Commissions by status" });
  expect(await standing.locator("div", { hasText: "On hold" }).innerText()).toContain("€38.00 · $20.00");
  await standing.getByText("Commissions, all time").waitFor();
  await page.getByRole("link", { name: "Confirm commissions" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Bob" }).click();
  await shows(page, { Revenue: "€70.00" });
  await standing.getByRole("link", { name: "On hold" }).click();
  await page.getByRole("heading", { name: "Commissions" }).waitFor();
  expect(page.url()).toMatch(/status=pending&partnerId=\d+$/);
});

test("Overview compares a period with the previous one, the previous year or nothing, in tiles, tooltip and chart", {
  tags: "soak",
}, async () => {
  const { world } = await sell();
  const page = await openDashboard(newContext, {
    user: people.viewer,
    at: `/programs/${world.programId}/overview?period=7d`,
  });
  const chart = page.getByRole("slider");
  await figure(page, "Revenue").click();
  await expect.poll(() => chart.getAttribute("aria-valuetext")).toMatch(/Revenue €0\.00, Before €0\.00$/);
  await chart.focus();
  await page.keyboard.press("Home");
  for (let i = 0; i < 3; i += 1) await page.keyboard.press("ArrowRight");
  await expect.poll(() => page.locator(".chart-tip").innerText()).toMatch(/Revenue €31\.00\s+Before €50\.00/);
  await page.getByLabel("Period").selectOption("30d");
  await shows(page, { Clicks: "New", Revenue: "New", Commission: "New" });
  expect(await page.locator(".trend.up").count()).toBe(0);
  const aYearBefore = new RegExp(`Compared with .* ${yearOf(29) - 1} to .* ${yearOf(0) - 1}\\.`);
  await page.getByLabel("Comparison").selectOption("year");
  await page.getByText(aYearBefore).waitFor();
  await page.getByLabel("Comparison").selectOption("none");
  await expect.poll(() => page.locator(".trend").count()).toBe(0);
  await page.goBack();
  await page.getByText(aYearBefore).waitFor();

  await page.getByLabel("Period").selectOption("ytd");
  await page.getByRole("slider", { name: /per (day|week)/ }).waitFor();
  await page.getByLabel("Period").selectOption("today");
  await expect.poll(() => chart.getAttribute("aria-valuemax")).toBe("0");
  await page.goBack();
  await page.getByLabel("Period").selectOption("all");
  await expect.poll(() => page.getByLabel("Comparison").count()).toBe(0);
});

test("numbers on Overview are dimmed until the new period loads, and choosing a tile adds no entry to the browser history", {
  tags: "soak",
}, async () => {
  const { world } = await sell();
  const page = await openDashboard(newContext, {
    user: people.viewer,
    at: `/programs/${world.programId}/overview?period=7d`,
  });
  await shows(page, { Revenue: "€100.00" });
  for (const title of ["Leads", "Sales", "Revenue"]) await figure(page, title).click();
  await page.getByLabel("Period").selectOption("30d");
  await shows(page, { Revenue: "€150.00" });
  await page.goBack();
  await shows(page, { Revenue: "€100.00" });
  expect(await figure(page, "Revenue").getAttribute("aria-pressed")).toBe("true");

  await page.route("**/api/tracking/performance/**", (route) => route.abort());
  await page.getByLabel("Period").selectOption("90d");
  await page.locator(".trends.stale").waitFor();
  await page.unroute("**/api/tracking/performance/**");
  await expect.poll(() => page.locator(".trends.stale").count()).toBe(0);
});

test("the chart renders in a browser with an invalid language tag", { tags: "soak" }, async () => {
  const world = await people.world({ partners: [{}, {}] });
  await programFixture(world, sharedApi()).visit();
  const withInvalidLanguage: typeof newContext = async (options) => {
    const context = await newContext(options);
    await context.addInitScript(
      'Object.defineProperty(Navigator.prototype, "language", { get: () => "en-US@posix", configurable: true })',
    );
    return context;
  };
  const page = await openDashboard(withInvalidLanguage, {
    user: people.viewer,
    at: `/programs/${world.programId}/overview`,
  });
  await page
    .getByRole("slider", { name: /^Clicks per day/ })
    .locator("svg")
    .waitFor();
});

test("an empty Overview explains where the numbers come from, and links to Setup until the integration is verified", {
  tags: "soak",
}, async () => {
  const { programId, partner } = await people.world();
  const page = await openDashboard(newContext, { user: people.owner, at: `/programs/${programId}` });
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.getByRole("heading", { name: "No activity in this period" }).waitFor();
  await page.getByText("The integration isn't verified yet").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Continue setup" }).click();
  await sharedApi().click({ affiliate_url: partner.landingUrl, program_id: programId });
  await page.getByRole("button", { name: "Run test" }).click();
  await page.getByText("Ready to go live").waitFor();
  await page.getByRole("link", { name: "Overview" }).click();
  await shows(page, { Clicks: "1" });
  await expect.poll(() => page.getByText("The integration isn't verified yet").count()).toBe(0);
});
