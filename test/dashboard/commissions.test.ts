import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { sampleWebsiteUrl } from "#domain/sample-program.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { allAtOnce, type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard, openMenu, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

/** Opens a program with sales of 100.00 each to Alice's customer "c1". */
async function openSold(...transactions: readonly string[]): Promise<SalesFixture> {
  const partners = [{ name: "Alice" }, { name: "Bob" }];
  const shop = salesFixture(programFixture(await people.world({ partners }), sharedApi()));
  await shop.refer("c1");
  for (const transaction_id of transactions) await shop.sell({ transaction_id, amount_cents: 10_000 });
  return shop;
}

const open = (shop: SalesFixture, query = "", user = people.admin) =>
  openDashboard(newContext, { user, at: `/programs/${shop.world.programId}/commissions${query}` });

interface Listed {
  readonly data: readonly { readonly id: number; readonly transactionId: string; readonly status: string }[];
}
const list = async ({ world }: SalesFixture, query = "") =>
  (await people.viewer.get<Listed>(`/api/programs/${world.programId}/commissions${query}`)).body.data;
const states = async (shop: SalesFixture) =>
  Object.fromEntries((await list(shop)).map(({ transactionId, status }) => [transactionId, status]));
const audited = async ({ world }: SalesFixture) =>
  (
    await people.admin.get<{ data: { action: string; after: { reason?: string } }[] }>(
      `/api/programs/${world.programId}/audit`,
    )
  ).body.data;

const menuItem = async (page: Page, name: string) => {
  await openMenu(page, "Export as CSV");
  return button(page, name);
};
const cells = (page: Page, head: string) => page.locator(`tbody td[data-head="${head}"]`).allInnerTexts();
const tabs = (page: Page) =>
  page
    .getByRole("navigation", { name: "Status" })
    .getByRole("link")
    .allInnerTexts()
    .then((texts) => texts.map((text) => text.replaceAll(/\s+/g, " ").trim()));

test("a user approves several commissions by keyboard after a confirmation, even if one of them is refused", async () => {
  const shop = await openSold("one", "two", "three", "four");
  const page = await open(shop);
  await page.getByLabel("Select four").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await page.getByText("3 selected").waitFor();
  await expectAccessible(page);
  await shop.refund({ transaction_id: "three" });
  await button(page, "Approve 3").click();
  const dialog = page.getByRole("dialog", { name: "Approve 3 commissions?" });
  await dialog.getByText("€60.00 can be paid out without waiting for the end of the hold period.").waitFor();
  await expectAccessible(page);
  expect(await states(shop)).toMatchObject({ two: "pending", four: "pending" });
  await button(page, "Approve 3 commissions").dblclick();
  await page.getByText("2 approved, 1 failed.").waitFor();
  await page.getByText("three: A reversed commission can't be approved").waitFor();
  expect(await states(shop)).toEqual({ one: "pending", two: "approved", three: "reversed", four: "approved" });
  expect((await audited(shop)).map(({ action }) => action)).toEqual(["commission.approved", "commission.approved"]);
  await expectAccessible(page);
});

test("while a new filter fails to load, the previous rows are dimmed and can't be decided", {
  tags: "soak",
}, async () => {
  const shop = await openSold("one");
  const page = await open(shop);
  await page.getByLabel("Select one").check();
  await button(page, "Approve 1").waitFor();
  const api = /\/api\/programs\/\d+\/commissions\?/;
  await page.route(api, (route) => route.fulfill({ status: 503, body: "" }));
  await page.getByLabel("Sale date").selectOption("last-month");
  await page.getByText("Can't reach Tributary.").waitFor();
  expect(await page.getByLabel("Select one").isDisabled()).toBe(true);
  expect(await page.getByRole("region", { name: "Commissions" }).getAttribute("aria-busy")).toBe("true");
  expect(await button(page, "Approve 1").count()).toBe(0);
  await page.unroute(api);
  await page.getByText("No commissions found").waitFor();
});

test("a user approves a single commission after a confirmation, and sees a refusal in its row", {
  tags: "soak",
}, async () => {
  const shop = await openSold("one");
  const message = "This customer's sales are still being processed. Try again in a moment.";
  const page = await open(shop);
  await page.route(/\/commissions\/(approve|reject)$/, (route) => {
    const [id] = route.request().postDataJSON().ids;
    return route.fulfill({ json: { data: [{ id, result: "refused", code: "moving", message }], remaining: 0 } });
  });
  await page.getByLabel("Select one").check();
  await button(page, "Approve 1").click();
  await page.getByRole("dialog").getByText("You can't put it on hold again, only reject it.").waitFor();
  await button(page, "Approve commission").click();
  await page.getByText("0 approved, 1 failed.").waitFor();
  await page.getByRole("status").getByText(message).waitFor();
  await page.getByRole("row").filter({ hasText: "one" }).getByText(message).waitFor();
  await page.getByLabel("Select one").check();
  await button(page, "Reject 1…").click();
  await page.getByRole("dialog").getByText("Alice won't be paid €20.00 for this order. You can't undo this.").waitFor();
  await page.getByLabel("Reason").fill("self-referral");
  await button(page, "Reject commission").click();
  await page.getByText("0 rejected, 1 failed.").waitFor();
});

test("the dialog for rejecting commissions explains the effect, and stores the entered reason", {
  tags: "soak",
}, async () => {
  const shop = await openSold("euros");
  await shop.sell({ transaction_id: "dollars", amount_cents: 5_000, currency: "USD" });
  const page = await open(shop);
  await page.getByText("2 commissions · €20.00 · $10.00").waitFor();
  await page.getByLabel("Select all on this page").check();
  await button(page, "Reject 2…").click();
  const dialog = page.getByRole("dialog", { name: "Reject 2 commissions?" });
  await dialog.getByText("Partners won't be paid €20.00 · $10.00 for these 2 orders.").waitFor();
  await button(page, "Reject 2 commissions").click();
  await dialog.getByText("Enter a reason.").waitFor();
  await expectAccessible(page);
  await dialog.getByLabel("Reason").fill("self-referral");
  await button(page, "Reject 2 commissions").dblclick();
  await page.getByText("2 rejected.").waitFor();
  expect(await states(shop)).toEqual({ euros: "rejected", dollars: "rejected" });
  expect((await audited(shop)).map(({ action, after }) => [action, after.reason])).toEqual([
    ["commission.rejected", "self-referral"],
    ["commission.rejected", "self-referral"],
  ]);
  await page.getByRole("link", { name: /^Rejected/ }).click();
  await expect.poll(() => page.locator("tbody s").allInnerTexts()).toEqual(["$10.00", "€20.00"]);
  expect(await page.getByRole("checkbox", { name: /^Select (euros|dollars)/ }).count()).toBe(0);
});

test("the dialog for approving an unconfirmed commission says that the approval also confirms the customer", {
  tags: "soak",
}, async () => {
  const shop = salesFixture(programFixture(await people.world({ partners: [{}, {}] }), sharedApi()));
  await shop.browserLead({ customer_key: "c1", click_id: shop.click(shop.alice) });
  await shop.sell({ transaction_id: "one", amount_cents: 10_000 });
  const page = await open(shop);
  await page.getByRole("row").getByText("Needs confirmation").waitFor();
  await page.getByLabel("Select one").check();
  await button(page, "Approve 1").click();
  await page.getByRole("dialog").getByText("confirms its customer, and with them all").waitFor();
  await expectAccessible(page);
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();

  await shop.browserLead({ customer_key: "c2", click_id: shop.click(shop.bob) });
  await shop.sell({ transaction_id: "two", customer_key: "c2", amount_cents: 10_000 });
  await page.goto(`/app/programs/${shop.world.programId}/commissions?status=pending&unconfirmed=true`);
  await page.getByLabel("Select all").check();
  await button(page, "Approve 2").click();
  await page.getByText("Approving these 2 commissions confirms their customers").waitFor();
  const approve = button(page, "Approve 2 commissions");
  expect(await approve.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press("Enter");
  await page.getByText("2 approved.").getByRole("link", { name: "Go to payouts" }).waitFor();
  await page.getByRole("heading", { name: "Nothing left to confirm" }).waitFor();
  await page.getByRole("link", { name: "Pay partners" }).waitFor();
  await expectAccessible(page);
  expect(await states(shop)).toEqual({ one: "approved", two: "approved" });
});

test("the commissions page has a tab for each status, with the count and sum of the filtered commissions", {
  tags: "soak",
}, async () => {
  const shop = await openSold("one", "two", "three");
  await shop.sell({ transaction_id: "dollars", amount_cents: 5_000, currency: "USD" });
  await shop.refer("c2", { partner: shop.bob });
  await shop.sell({ transaction_id: "Bob's", customer_key: "c2", amount_cents: 50_000 });
  await shop.sell({ transaction_id: "organic", customer_key: "stranger" });
  await shop.sell({ transaction_id: "forged", customer_key: "other", click_id: "forged" });
  const [bobs] = await list(shop, `?partnerId=${shop.bob.id}`);
  await people.admin.post(`/api/programs/${shop.world.programId}/commissions/${bobs?.id}/approve`);
  await shop.refund({ transaction_id: "two" });
  const page = await open(shop);
  const none = ["Paid 0", "Rejected 0"];
  await expect
    .poll(() => tabs(page))
    .toEqual([
      "On hold 3 €40.00 · $10.00",
      "Included in On hold: Flagged 1 €20.00",
      "To pay or in payout 1 €100.00",
      ...none,
      "Reversed 1",
      "No commission 2",
    ]);
  await expect
    .poll(() => cells(page, "Status"))
    .toEqual(Array(3).fill(expect.stringMatching(/^On hold\s(.*\n)*.*Releases \d/)));
  await page.getByLabel("Currency").selectOption("USD");
  const zero = ["To pay or in payout 0", ...none, "Reversed 0", "No commission 0"];
  await expect.poll(() => tabs(page)).toEqual(["On hold 1 $10.00", ...zero]);
  await page.getByText("1 commission · $10.00").waitFor();

  await page.getByLabel("Currency").selectOption("");
  await page.getByRole("link", { name: /^No commission/ }).click();
  await expect.poll(() => cells(page, "Reason")).toEqual(["Invalid click ID", "No matching customer"]);
  await expectAccessible(page);
  await page.getByLabel("Reason").selectOption("invalid_click_id");
  await expect.poll(() => cells(page, "Reason")).toEqual(["Invalid click ID"]);
  await page.getByText("1 sale", { exact: true }).waitFor();
});

test("commissions can be sorted by date and amount and filtered by period, and the URL contains the order and the period", {
  tags: "soak",
}, async () => {
  const shop = await openSold("today");
  const sell = (transaction_id: string, days: number, amount_cents: number) =>
    shop.sell({ transaction_id, amount_cents, customer_key: "c3", occurred_at: at(daysAgo(days)) });
  await shop.refer("c3", { clickAt: daysAgo(300) });
  await sell("old", 200, 1_000);
  await sell("small", 3, 1_000);
  await sell("large", 2, 90_000);
  const page = await open(shop);
  const shown = () => page.locator("tbody a.row-link").allInnerTexts();
  await expect.poll(shown).toEqual(["today", "large", "small"]);
  await button(page, "Sale date").click();
  await expect.poll(shown).toEqual(["small", "large", "today"]);
  await button(page, "Commission").click();
  await expect.poll(shown).toEqual(["large", "today", "small"]);
  await page.getByRole("link", { name: /^To pay/ }).click();
  await expect.poll(shown).toEqual(["old"]);
  await page.getByLabel("Sale date").selectOption("last-quarter");
  const quarter = new URL(page.url()).searchParams;
  expect([quarter.get("sold"), quarter.get("status"), quarter.get("sort")]).toEqual([
    "last-quarter",
    "approved",
    "amount",
  ]);
  await page.getByLabel("Sale date").selectOption("custom");
  await page.getByLabel("To", { exact: true }).fill(at(daysAgo(201)).slice(0, 10));
  await page.getByText("No commissions match these filters.").waitFor();
  await button(page, "Clear filters").click();
  await expect.poll(shown).toEqual(["old"]);
});

test("a row of the commissions list opens a panel with its own URL and a link to the full explanation", {
  tags: "soak",
}, async () => {
  const shop = await openSold("one");
  const page = await open(shop, "", people.viewer);
  await page.getByRole("row").filter({ hasText: "one" }).getByText("€100.00").click();
  const panel = page.getByRole("dialog", { name: "Sale one" });
  await panel.getByText("earned €20.00 on this sale").waitFor();
  await expectAccessible(page);
  const [commission] = await list(shop);
  expect(new URL(page.url()).searchParams.get("commission")).toBe(String(commission?.id));
  await page.reload();
  await panel.getByRole("term").filter({ hasText: "Sale date" }).waitFor();
  expect(
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /approve|reject/i })
      .count(),
  ).toBe(0);
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => !url.search.includes("commission"));
  await link(page, "one").click();
  await panel.getByRole("link", { name: "View full story" }).click();
  await page.getByRole("heading", { level: 1, name: "Commission of sale one" }).waitFor();
  await page.goto(`/app/programs/${shop.world.programId}/commissions?commission=1234567`);
  await page.getByText("This program has no commission 1234567.").waitFor();
});

test("an export contains the filtered commissions, and a failed export shows a message", { tags: "soak" }, async () => {
  const shop = await openSold("one", "two", "three");
  await shop.refer("c2", { partner: shop.bob });
  await shop.sell({ transaction_id: "of Bob", customer_key: "c2" });
  await shop.sell({ transaction_id: '=cmd|"of Bob"', customer_key: "c2" });
  const page = await open(shop, `?partnerId=${shop.bob.id}`);
  await link(page, "of Bob").waitFor();
  expect(await link(page, "one").count()).toBe(0);
  const view = await menuItem(page, "This view");
  const [download] = await Promise.all([page.waitForEvent("download"), view.click()]);
  expect(download.suggestedFilename()).toBe("tributary-test-program-commissions.csv");
  const text = await readFile(await download.path(), "utf8");
  expect(text.startsWith('\uFEFF"sale_date","order_id"')).toBe(true);
  expect(parseCsv(text).map((line) => line[1])).toEqual(["order_id", `'=cmd|"of Bob"`, "of Bob"]);

  const api = await menuItem(page, "This view, with explanations as JSON");
  const [plain] = await Promise.all([page.waitForEvent("download"), api.click()]);
  expect(plain.suggestedFilename()).toBe("tributary-test-program-commissions.csv");
  await page.route("**/commissions?*format=csv*", (route) => route.fulfill({ status: 503, json: {} }));
  await (await menuItem(page, "This view")).click();
  await page.getByText("Can't reach Tributary right now. Try again in a moment.").waitFor();
  expect(page.url()).toContain("/app/");
});

test("a page has fifty commissions, and its footer totals the commissions of all pages", { tags: "soak" }, async () => {
  const shop = await openSold("first");
  await allAtOnce(50, (i) => shop.sell({ transaction_id: `later ${i}`, amount_cents: 1_000 }));
  const page = await open(shop);
  await page.getByText("51 commissions · €120.00").waitFor();
  expect(await link(page, "first").count()).toBe(0);
  await button(page, "Next page").click();
  await link(page, "first").waitFor();
  await page.getByText("51 commissions · €120.00").waitFor();
  await page.goBack();
  await expect.poll(() => page.locator("tbody tr").count()).toBe(50);
});

test("a viewer can read and export commissions, but can't decide them", { tags: "soak" }, async () => {
  const shop = await openSold("one");
  const page = await open(shop, "", people.viewer);
  await link(page, "one").waitFor();
  expect(await page.getByRole("checkbox").count()).toBe(0);
  expect(await page.getByRole("button", { name: /approve|reject/i }).count()).toBe(0);
  await (await menuItem(page, "This view")).waitFor();
});

test("a printed list of commissions isn't cut off, and contains neither tabs nor banners", {
  tags: "soak",
}, async () => {
  const shop = await openSold("order-5181");
  await shop.write("update programs set website_url = ? where id = ?", sampleWebsiteUrl, shop.world.programId);
  const page = await open(shop);
  await link(page, "order-5181").waitFor();
  await settled(page);
  const tabsAndBanner = page.locator(".status-tabs > :not([aria-current]), .notice:has(.program-banner)");
  expect(await tabsAndBanner.count()).toBeGreaterThan(2);
  await page.emulateMedia({ media: "print" });
  // The width of A4 without its margins, at 96 pixels per inch.
  await page.setViewportSize({ width: 673, height: 1_000 });
  for (const each of await tabsAndBanner.all()) expect(await each.isVisible()).toBe(false);
  const edges = await page.evaluate<[number, number][]>(
    `[...document.querySelector('tbody tr').cells].map((cell) => cell.getBoundingClientRect())
      .filter(({ width }) => width > 0).map(({ left, right }) => [left, right])`,
  );
  expect(edges.length).toBeGreaterThan(4);
  for (const [i, [left]] of edges.entries()) expect(left).toBeGreaterThanOrEqual((edges[i - 1]?.[1] ?? 0) - 0.5);
});
