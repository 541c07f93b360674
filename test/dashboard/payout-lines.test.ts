import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { finalize } from "./finalize.ts";
import { expectNothingCut } from "./nothing-cut.ts";
import { expectAccessible, openDashboard, openMenu, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

type Shop = Awaited<ReturnType<typeof payoutsFixture>>;

const openShop = () => payoutsFixture(people, { partners: [{ name: "Alice" }, { name: "Bob" }] });

const openPayout = (shop: Shop, id: number) =>
  openDashboard(newContext, { user: people.admin, at: `/programs/${shop.world.programId}/payouts/${id}` });

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const orders = (page: Page) => page.getByRole("table", { name: "Commissions" }).locator("a.row-link").allInnerTexts();
const cellsOf = (page: Page, table: string, name: string) =>
  page.getByRole("table", { name: table }).locator("tbody tr").filter({ hasText: name }).locator("td").allInnerTexts();

/**
 * Opens a program that paid Alice 30.00 for two commissions, of which 10.00 was then refunded. Afterwards she earned
 * 40.00 and a bonus.
 */
async function openBroughtForward() {
  const shop = await openShop();
  const refunded = await shop.earn(2_000);
  await shop.earn(1_000);
  const { id: first } = (await shop.create({ reference: "October" })).body.data;
  await shop.confirm(first);
  await shop.refund({ ...{ transaction_id: refunded.transaction_id, refund_id: "r" }, refund_amount_cents: 5_000 });
  await shop.earn(4_000);
  await shop.earn(500, { partner: shop.bob });
  const adjust = `/api/programs/${shop.world.programId}/partners/${shop.alice.id}/adjustments`;
  const bonus = { amountCents: 500, currency: "EUR", reason: "Best post of the year", reference: "bonus" };
  expect((await people.admin.post(adjust, bonus)).status).toBe(201);
  const { id } = (await shop.create({ reference: "November" })).body.data;
  return { shop, first, id };
}

test("a payout line shows the parts of its amount, and links to its commissions", { tags: "soak" }, async () => {
  const { shop, first, id } = await openBroughtForward();
  const page = await openPayout(shop, id);
  await expect
    .poll(() => cellsOf(page, "Lines", "Alice"))
    .toEqual(
      expect.arrayContaining([
        "1 commission €40.00 · bonuses and deductions €5.00 · from earlier payouts -€10.00",
        "€35.00",
      ]),
    );
  expect(await cellsOf(page, "Lines", "Bob")).toEqual(expect.arrayContaining(["1 commission €5.00"]));
  expect(await page.getByRole("link", { name: /commission/ }).count()).toBe(0);
  await finalize(page, "€40.00");
  await page.getByRole("link", { name: "1 commission" }).first().click();
  await expect.poll(() => orders(page)).toEqual(["sale-3"]);
  await page.getByText("1 commission · €40.00").waitFor();

  await page.getByRole("link", { name: "November" }).click();
  await page.getByRole("link", { name: "View commissions" }).click();
  const byPartner = shop.alice.id < shop.bob.id ? ["sale-3", "sale-4"] : ["sale-4", "sale-3"];
  await expect.poll(() => orders(page)).toEqual(byPartner);
  await page.getByText("2 commissions · €45.00").waitFor();
  await settled(page);
  await expectAccessible(page);
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNothingCut(page, `commissions of a payout at ${width} px`);
  }
  await openMenu(page, "Export as CSV");
  const choices = page.locator("button.menu-item");
  await expect.poll(() => choices.allInnerTexts()).toEqual(["This view", "This view, with explanations as JSON"]);
  const [download] = await Promise.all([page.waitForEvent("download"), choices.first().click()]);
  const [, ...inFile] = parseCsv(await readFile(await download.path(), "utf8"));
  expect(inFile.map((cells) => cells.find((cell) => cell.startsWith("sale-")))).toEqual(byPartner);

  await page.goto(page.url().replace(/payoutId=\d+/, `payoutId=${first}`));
  await expect.poll(() => orders(page)).toEqual(["sale-1", "sale-2"]);
  await page.getByLabel("Payout").selectOption("All commissions");
  await page.getByRole("navigation", { name: "Status" }).waitFor();
  expect(new URL(page.url()).search).toBe("");
});

test("failed payments and canceled payouts have no links to commissions", { tags: "soak" }, async () => {
  const { shop, first, id } = await openBroughtForward();
  await shop.fail(first, shop.alice.id);
  const page = await openPayout(shop, first);
  await page.getByText("2 commissions").waitFor();
  expect(await page.getByRole("link", { name: /commission/ }).count()).toBe(0);
  await shop.cancel(id);
  await page.goto(page.url().replace(/\d+$/, String(id)));
  await page.getByText("This payout was canceled.").waitFor();
  await settled(page);
  expect(await page.getByRole("link", { name: /commission/ }).count()).toBe(0);
});

test("a printed payout fits the sheet, with one-line headings and no column for buttons", {
  tags: "soak",
}, async () => {
  const { shop, first } = await openBroughtForward();
  const page = await openPayout(shop, first);
  const actions = page.getByRole("columnheader", { name: "Actions" });
  await actions.waitFor();
  await settled(page);
  await page.emulateMedia({ media: "print" });
  // The width of A4 without its margins, at 96 pixels per inch.
  await page.setViewportSize({ width: 673, height: 1_000 });
  expect(await actions.isVisible()).toBe(false);
  const heads = await page.evaluate<[string, number][]>(`[...document.querySelectorAll("main th")].map((head) => {
    const range = document.createRange();
    range.selectNodeContents(head);
    return [head.innerText, range.getClientRects().length];
  }).filter(([, lines]) => lines > 0)`);
  expect(heads).toEqual(["Partner", "Paid to", "Includes", "Amount", "Status"].map((head) => [head, 1]));
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(673);
});

test("a new payout proposes a currency with a payable balance", { tags: "soak" }, async () => {
  const shop = await openShop();
  const proposed = async () => {
    const page = await openDashboard(newContext, {
      user: people.admin,
      at: `/programs/${shop.world.programId}/payouts`,
    });
    await page.getByRole("region", { name: "Balances" }).waitFor();
    await button(page, "New payout").click();
    return page.getByRole("dialog").getByLabel("Currency").inputValue();
  };
  await shop.earn(1_000);
  await shop.earn(2_000, { currency: "USD" });
  expect(await proposed()).toBe("EUR");
  await shop.confirm((await shop.create()).body.data.id);
  expect(await proposed()).toBe("USD");
});

test("a draft without payable balances explains why, and can be canceled", { tags: "soak" }, async () => {
  const shop = await openShop();
  const { transaction_id } = await shop.earn(1_000);
  await shop.earn(800, { partner: shop.bob });
  const { id } = (await shop.create({ minimumCents: 600 })).body.data;
  const page = await openPayout(shop, id);
  await button(page, "Finalize €18.00").waitFor();
  await shop.refund({ transaction_id, refund_id: "r", refund_amount_cents: 2_500 });
  await people.admin.patch(`/api/programs/${shop.world.programId}/partners/${shop.bob.id}`, { status: "paused" });
  await finalize(page, "€18.00");
  await page.getByRole("heading", { name: "Nothing is left to pay" }).waitFor();
  expect(await cellsOf(page, "Changed amounts", "Alice")).toEqual(
    expect.arrayContaining(["€10.00", "€0.00", "Now below the minimum"]),
  );
  expect(await cellsOf(page, "Changed amounts", "Bob")).toEqual(
    expect.arrayContaining(["€8.00", "€0.00", "Partner was paused"]),
  );
  expect(await button(page, /inalize/).count()).toBe(0);
  await expectAccessible(page);
  await button(page, "Cancel payout…").click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel payout" }).click();
  await page.getByText("This payout was canceled.").waitFor();

  const { id: withoutMinimum } = (await shop.create()).body.data;
  await page.goto(`/app/programs/${shop.world.programId}/payouts/${withoutMinimum}`);
  await button(page, "Finalize €5.00").waitFor();
  await shop.refund({ transaction_id, refund_id: "r2", refund_amount_cents: 2_500 });
  await finalize(page, "€5.00");
  await page.getByRole("heading", { name: "Nothing is left to pay" }).waitFor();
  expect(await cellsOf(page, "Changed amounts", "Alice")).toEqual(
    expect.arrayContaining(["€5.00", "€0.00", "Nothing is left to pay"]),
  );
});
