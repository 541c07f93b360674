import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { openDashboard as openStatistics } from "../support/dashboard.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { giveAccess } from "../support/partner-side.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled, themes, type Width } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile("stranger");

const hostile = "=cmd|' /C calc'!A0 \u202e<img src=x onerror=alert(1)>";

/**
 * Anna has two clicks of a campaign, one of which led to a sale of €100. The other partner has one click and no sale.
 */
async function openShop() {
  const shop = await openStatistics(people, {
    partners: [
      { name: "Anna", code: "anna" },
      { name: hostile, code: "evil" },
    ],
    policies: [{ rateBps: 2_000 }],
  });
  const { alice, bob, visit } = shop;
  const mailed = {
    affiliate_url: `${alice.landingUrl}&aff_sub=mail`,
    page_url: "https://shop.example/shoes?utm_campaign=Black+Friday",
    referrer_url: "https://www.blog.example/a",
  };
  const { click_id } = await visit({ ...mailed, session_id: "1" });
  await visit({ ...mailed, session_id: "2" });
  await visit({
    affiliate_url: `${bob.landingUrl}&aff_sub=${encodeURIComponent(hostile)}`,
    page_url: `https://shop.example/?utm_campaign=${encodeURIComponent(hostile)}`,
    session_id: "3",
  });
  await shop.lead({ customer_key: "u1", click_id });
  await shop.sale({ customer_key: "u1", amount_cents: 10_000 });
  return shop;
}

type Shop = Awaited<ReturnType<typeof openShop>>;

async function open({ world }: Shop, query = "", width: Width = "laptop"): Promise<Page> {
  const at = `/programs/${world.programId}/explore${query}`;
  const page = await openDashboard(newContext, { user: people.viewer, at, width });
  await settled(page);
  return page;
}

/** Clicks, sales, revenue, commission and refunds of the row whose title is this text. */
async function rowOf(page: Page, title: string): Promise<string[]> {
  const row = page.getByRole("row").filter({ has: page.getByText(title, { exact: true }) });
  return (await row.getByRole("cell").allInnerTexts()).slice(1, 6).map((text) => text.trim());
}
const expectRow = (page: Page, title: string, cells: readonly string[]) =>
  expect.poll(() => rowOf(page, title)).toEqual(cells);
const bought = ["2", "1", "€100.00", "€20.00", "–"];
const all = ["3", "1", "€100.00", "€20.00", "–"];
const groupBy = (page: Page, title: string) => page.getByLabel("Group by").selectOption(title);
const link = (page: Page, name: string) => page.getByRole("main").getByRole("link", { name, exact: true });
const chart = (page: Page, figure: string) => page.getByRole("slider", { name: `${figure} per day` });
const focused = (page: Page) => page.evaluate<string>("document.activeElement.id || document.activeElement.tagName");

test("a click on a row filters the chart, the table and the exported file, and the URL contains the filter", async () => {
  const shop = await openShop();
  const page = await openDashboard(newContext, {
    user: people.viewer,
    at: `/programs/${shop.world.programId}/overview?period=7d`,
  });
  await link(page, "Explore").click();
  await settled(page);
  const overview = page.getByRole("navigation", { name: "Program" }).getByRole("link", { name: "Overview" });
  expect(await overview.getAttribute("aria-current")).toBe("true");
  expect(await overview.getAttribute("href")).toContain("period=7d");
  await expectAccessible(page, themes);
  await link(page, "/shoes").click();
  await page.getByRole("button", { name: "Remove the filter Landing page: /shoes" }).waitFor();
  await settled(page);
  expect(await focused(page)).toBe("main");
  const { searchParams } = new URL(page.url());
  expect(Object.fromEntries(searchParams)).toEqual({ period: "7d", landingPath: "/shoes", by: "partner" });
  await expectRow(page, "Anna", bought);
  await page.getByRole("button", { name: "Clicks", exact: true, pressed: false }).first().click();
  await expect.poll(() => chart(page, "Clicks").getAttribute("aria-valuetext")).toContain("Clicks 2");

  await page.reload();
  await settled(page);
  await expectRow(page, "Total", bought);
  await expect.poll(() => chart(page, "Clicks").getAttribute("aria-valuetext")).toContain("Clicks 2");
  const downloaded = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export figures" }).click();
  const file = await readFile(await (await downloaded).path(), "utf8");
  expect(parseCsv(file).map((line) => line.slice(0, 5))).toEqual([
    ["partner", "partner_id", "clicks", "sign_ups", "sales"],
    ["Anna", String(shop.alice.id), "2", "1", "1"],
  ]);

  await page.getByRole("button", { name: "Remove the filter Landing page: /shoes" }).click();
  await expectRow(page, "Total", all);
  expect(await focused(page)).toBe("main");
  await page.goBack();
  await expectRow(page, "Total", bought);
});

test("a user can choose another currency, and the table by month has no column for the change from the previous period", async () => {
  const shop = await openShop();
  await shop.sale({ customer_key: "u1", transaction_id: "dollars", amount_cents: 5_000, currency: "USD" });
  await shop.world.change({ sql: "update partners set name = char(8203) where id = ?", args: [shop.bob.id] });
  const page = await open(shop);
  await link(page, `Partner ${shop.bob.id}`).waitFor();
  const change = page.getByRole("columnheader", { name: /change$/ });
  await change.waitFor();
  await page.getByText("Amounts in EUR. You also have amounts in USD. Counts include all currencies.").waitFor();
  await page.getByLabel("Currency").selectOption("USD");
  await expectRow(page, "Anna", ["2", "2", "$50.00", "$10.00", "–"]);
  await groupBy(page, "Month");
  await page.getByRole("columnheader", { name: "Month" }).waitFor();
  await settled(page);
  expect(await change.count()).toBe(0);
  await expectRow(page, "Total", ["3", "2", "$50.00", "$10.00", "–"]);
});

test("a user compares two rows of the table in the chart", async () => {
  const shop = await openShop();
  const page = await open(shop, "?by=landing_path&measure=clicks");
  const hint = page.getByText("Choose one or two rows below");
  await hint.waitFor();
  await page.getByRole("checkbox", { name: "Show /shoes in the chart" }).check();
  await page.getByRole("checkbox", { name: "Show / in the chart" }).check();
  await expect.poll(() => chart(page, "Clicks").getAttribute("aria-valuetext")).toMatch(/\/shoes 2, \/ 1$/);
  expect(await page.locator(".chart-key").allInnerTexts()).toEqual(["/shoes", "/"]);
  expect(await hint.count()).toBe(0);
  await expectAccessible(page, themes);
  await page.getByRole("checkbox", { name: "Show /shoes in the chart" }).uncheck();
  await expect.poll(() => page.locator(".chart-key").allInnerTexts()).toEqual(["/"]);
  await page.emulateMedia({ media: "print" });
  expect(await page.getByRole("checkbox").filter({ visible: true }).count()).toBe(0);
});

test("partners with the same name are distinguished by their codes", async () => {
  const shop = await openShop();
  const { world, alice, bob } = shop;
  const rename = { sql: "update partners set name = 'Climb Magazine' where program_id = ?", args: [world.programId] };
  await world.write(rename);
  const page = await open(shop, "?measure=clicks");
  const names = [alice, bob].map(({ code }) => `Climb Magazine (${code})`);
  for (const name of names) await page.getByRole("checkbox", { name: `Show ${name} in the chart` }).check();
  await expect.poll(() => page.locator(".chart-key").allInnerTexts()).toEqual(names);
});

test("names that contain HTML markup are shown as text, also on a phone", async () => {
  const shop = await openShop();
  const page = await open(shop, "", "phone");
  const topOf = async (text: string) =>
    (await page.getByRole("row").filter({ hasText: "Anna" }).getByText(text, { exact: true }).boundingBox())?.y ?? 0;
  expect(await topOf("Anna")).toBeLessThan(await topOf("€100.00"));
  await link(page, hostile).click();
  await page.getByRole("button", { name: `Remove the filter Partner: ${hostile}` }).waitFor();
  for (const [by, title] of [
    ["Campaign", hostile],
    ["Sub-ID", "No sub-ID"],
    ["Landing page", "/"],
    ["Referrer", "Direct or unknown"],
  ] as const) {
    await groupBy(page, by);
    await settled(page);
    // A card has no place for figures that are zero.
    await expectRow(page, title, ["1", ""]);
    await expectNoSidewaysScroll(page);
  }
  expect(await page.locator("main img").count()).toBe(0);
  await groupBy(page, "Campaign");
  await link(page, hostile).click();
  await page.getByRole("button", { name: `Remove the filter Campaign: ${hostile}` }).waitFor();
  await expectRow(page, "Total", ["1"]);
  await expectAccessible(page, themes);
});

test("a user groups the figures, adds and removes a filter, and compares rows by keyboard alone", async () => {
  const shop = await openShop();
  const page = await open(shop);
  const { keyboard } = page;
  const tabTo = async (name: string) => {
    for (let i = 0; i < 40; i += 1) {
      await keyboard.press("Tab");
      const label = "(document.activeElement.ariaLabel || document.activeElement.textContent)";
      if ((await page.evaluate<string>(label)) === name) return;
    }
    throw new Error(`no tab stop is called ${name}`);
  };
  await tabTo("Group by");
  await keyboard.press("ArrowDown");
  await keyboard.press("ArrowDown");
  await page.waitForURL(/by=sub/);
  await settled(page);
  await tabTo("Show mail in the chart");
  await keyboard.press("Space");
  await expect.poll(() => page.locator(".chart-key").allInnerTexts()).toEqual(["mail"]);
  await keyboard.press("Shift+Tab");
  await keyboard.press("Enter");
  await page.waitForURL(/sub=mail/);
  await settled(page);
  expect(await focused(page)).toBe("main");
  await expectRow(page, "Total", bought);
  await tabTo("Remove the filter Sub-ID: mail");
  await keyboard.press("Enter");
  await expectRow(page, "Total", all);
  expect(await focused(page)).toBe("main");
});

test("Explore offers a shorter period if the chosen period is too long for this grouping", async () => {
  const shop = await openShop();
  const page = await open(shop, "?by=sub&period=all");
  await page.getByRole("heading", { name: "Choose a shorter period" }).waitFor();
  expect(await page.getByRole("button", { name: "Export figures" }).count()).toBe(0);
  await page.getByRole("button", { name: "Last 90 days" }).click();
  await settled(page);
  await expectRow(page, "mail", bought);
});

test("partners see their own figures, grouped by code, sub-id or landing page", async () => {
  const shop = await openShop();
  const { world, alice } = shop;
  await giveAccess(world, { user: people.stranger, partnerId: alice.id });
  const page = await openDashboard(newContext, {
    user: people.stranger,
    app: "partner",
    at: `/programs/${world.programId}/partners/${alice.id}/links`,
    width: "phone",
  });
  await settled(page);
  const card = page.getByRole("region", { name: "Last 90 days" });
  const cells = async (title: string) => {
    const row = card.getByRole("row").filter({ has: page.getByText(title, { exact: true }) });
    return row.getByRole("cell").allInnerTexts();
  };
  for (const [by, title] of [
    ["code", "anna"],
    ["sub", "mail"],
    ["landing_path", "/shoes"],
    ["referrer_host", "www.blog.example"],
    ["campaign", "Black Friday"],
  ] as const) {
    await card.getByLabel("Group by").selectOption(by);
    await expect.poll(() => cells(title)).toEqual([title, "2", "1", "€20.00"]);
    await expectNoSidewaysScroll(page);
  }
  expect(await card.getByText("evil").count()).toBe(0);
  await expectAccessible(page, themes);
});
