import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { inTestMode, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, type Width } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

/** Opens a program with a sale of Alice's customer "u1" and its refund. */
async function openSold(width: Width = "laptop") {
  const shop = programFixture(await people.world({ partners: [{ name: "Alice" }, {}] }), sharedApi());
  const click_id = shop.click(shop.alice);
  const { lead_id } = await shop.lead({ customer_key: "u1", click_id });
  const sale = await shop.sale({ transaction_id: "order-17", customer_key: "u1", amount_cents: 4_900 });
  await shop.refund({ transaction_id: "order-17", refund_id: "refund-3", refund_amount_cents: 900 });
  const at = `/programs/${shop.world.programId}/events`;
  const page = await openDashboard(newContext, { user: people.admin, at, width });
  await page.getByRole("heading", { name: "Events" }).waitFor();
  return { shop, page, click_id, lead_id, sale };
}

const field = (page: Page) => page.getByRole("searchbox", { name: "Search orders, customers and partners" });

async function search(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press("Enter");
  await page.getByRole("heading", { level: 1, name: `Search for “${text}”` }).waitFor();
}

const hits = async (page: Page) => {
  const found = page.locator(".hits:not(.partner-hits, .similar-hits)");
  await found.waitFor();
  return found.locator("li").allInnerTexts();
};

test("the reference that a partner quotes finds the commission, and the commission's details show the reference", {
  tags: "soak",
}, async () => {
  const { shop, page, sale } = await openSold();
  const path = `/programs/${shop.world.programId}/commissions`;
  const { ref } = (await people.admin.get<{ data: { ref: string } }>(`/api${path}/${sale.commission_id}`)).body.data;
  await search(page, ref);
  expect(await hits(page)).toEqual([expect.stringContaining("by partner's reference")]);
  await page.goto(`/app${path}?commission=${sale.commission_id}`);
  await page.getByRole("dialog").getByText(ref).waitFor();
});

test("any id finds its explanation, shown as a summary with a link", { tags: "soak" }, async () => {
  const { shop, page, click_id, lead_id, sale } = await openSold();
  const { code } = shop.alice;
  for (const [text, title, sentence] of [
    ["order-17", "Sale order-17", ` (${code}) earned €8.00 on this sale`],
    ["u1", "Customer u1", ` (${code})`],
    [click_id, "Click", ` (${code}) brought a customer`],
    [String(sale.sale_id), "Sale order-17", "earned €8.00"],
    [String(sale.commission_id), "Commission of sale order-17", "earned €8.00"],
    [String(lead_id), "Lead u1", ` (${code})`],
    ["order-17 / refund-3", "Refund refund-3 of sale order-17", "returned €9.00 of this sale"],
    ["order-17/refund-3", "Refund refund-3 of sale order-17", "took €1.80"],
  ] as const) {
    await search(page, text);
    await expect.poll(() => hits(page)).toContainEqual(expect.stringContaining(sentence));
    await page.getByRole("link", { name: title, exact: true }).first().waitFor();
  }
  await expectAccessible(page);
  await page.getByRole("link", { name: "Refund refund-3 of sale order-17" }).click();
  await page.getByRole("heading", { level: 1, name: "Refund refund-3 of sale order-17" }).waitFor();
});

test("the search finds partners by name, code and email, and says why a sale earned no commission, with a link to the remedy", {
  tags: "soak",
}, async () => {
  const { shop, page } = await openSold();
  const { alice, world } = shop;
  await people.admin.patch(`/api/programs/${world.programId}/partners/${alice.id}`, { email: "a@people.example" });
  const partners = page.getByRole("list", { name: "Partners" });
  for (const text of ["alic", alice.code, "@people.example"]) {
    await search(page, text);
    await partners.getByRole("link", { name: "Alice" }).waitFor();
  }
  await expectAccessible(page);
  await partners.getByRole("link", { name: "Alice" }).click();
  await page.getByRole("heading", { level: 1, name: "Alice" }).waitFor();

  await people.admin.patch(`/api/programs/${world.programId}/partners/${alice.id}`, { status: "paused" });
  await shop.sale({ transaction_id: "too-late", customer_key: "u1" });
  await search(page, "too-late");
  expect(await hits(page)).toContainEqual(expect.stringContaining("the partner was paused"));
  await page.getByRole("link", { name: "Open partner" }).click();
  await page.getByRole("row").getByText("Paused").waitFor();
});

test("the search finds a coupon and its partner by the coupon's code", { tags: "soak" }, async () => {
  const { shop, page } = await openSold();
  const { alice, world } = shop;
  const coupon = { codes: ["ALICE10", "promo_1"], partnerId: alice.id };
  expect((await people.admin.post(`/api/programs/${world.programId}/coupons`, coupon)).status).toBe(201);
  await search(page, "alice10");
  const found = page.getByRole("link", { name: "Coupon ALICE10 of Alice" });
  await found.waitFor();
  await expectAccessible(page);
  await found.click();
  await page.getByRole("row", { name: "ALICE10" }).waitFor();
});

test("an order and its commission link to each other", { tags: "soak" }, async () => {
  const { page } = await openSold();
  await search(page, "order-17");
  await page.getByRole("link", { name: "Sale order-17" }).click();
  await page.getByRole("link", { name: "View commission" }).click();
  await page.getByRole("dialog", { name: "Sale order-17" }).getByRole("link", { name: "View full story" }).click();
  await page.getByRole("heading", { level: 1, name: "Commission of sale order-17" }).waitFor();
});

test("the slash key focuses the search on any page, except while the user types", { tags: "soak" }, async () => {
  const { page } = await openSold();
  const isFocused = () => field(page).evaluate((element) => element === element.ownerDocument.activeElement);
  await page.keyboard.press("/");
  expect(await isFocused()).toBe(true);
  await page.keyboard.type("order/17");
  expect(await field(page).inputValue()).toBe("order/17");
  await page.getByRole("link", { name: "Partners" }).click();
  await page.getByLabel(/Search by name/).fill("a");
  await page.keyboard.press("/");
  expect(await isFocused()).toBe(false);
  expect(await page.getByLabel(/Search by name/).inputValue()).toBe("a/");
});

test("one request looks up a number as every kind of id, and an empty result states what was searched", {
  tags: "soak",
}, async () => {
  const { page, sale } = await openSold();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (/\/api\/tracking\/(search|explain)/.test(request.url())) asked.push(new URL(request.url()).search);
  });
  await search(page, "31337");
  await page.getByText("Neither live nor test data has “31337” as a transaction ID, a customer key").waitFor();
  expect(asked).toEqual(["?q=31337"]);
  await expectAccessible(page);
  await search(page, String(sale.sale_id));
  await hits(page);
  expect(asked).toHaveLength(2);
});

test("the beginning of an id finds up to three sales and customers", { tags: "soak" }, async () => {
  const { shop, page } = await openSold();
  for (const n of [1, 2, 3, 4]) await shop.sale({ transaction_id: `walk-in-${n}`, customer_key: `walker-${n}` });
  await search(page, "walk");
  const similar = page.getByRole("region", { name: "Similar IDs" });
  await similar.getByRole("link", { name: "Sale walk-in-1", exact: true }).waitFor();
  expect(await similar.getByRole("link").allInnerTexts()).toEqual([
    ...["Sale walk-in-1", "Sale walk-in-2", "Sale walk-in-3"],
    ...["Customer walker-1", "Customer walker-2", "Customer walker-3"],
  ]);
  await expectAccessible(page);
  await similar.getByRole("link", { name: "Sale walk-in-2" }).click();
  await page.getByRole("heading", { level: 1, name: "Sale walk-in-2" }).waitFor();
});

test("ids found only in test data are marked as test data", { tags: "soak" }, async () => {
  const { shop, page } = await openSold();
  await shop.sale({ transaction_id: "tested", customer_key: "x", ...inTestMode });
  await search(page, "tested");
  await page.getByText("Live data doesn't have “tested”. Test data does.").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Sale tested" }).click();
  await page.getByRole("heading", { level: 1, name: "Sale tested" }).waitFor();
  expect(page.url()).toContain("testMode=true");
});

test("a phone shows the search field", { tags: "soak" }, async () => {
  const { page } = await openSold("phone");
  await field(page).tap();
  await search(page, "order-17");
  expect(await hits(page)).toHaveLength(1);
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});
