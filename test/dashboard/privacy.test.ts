import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { showManyClicks } from "../support/large-customer.ts";
import { type ProgramFixture, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled, themes } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function openShop(): Promise<ProgramFixture> {
  const world = await people.world({ partners: [{}, {}], policies: [{ rateBps: 2_000 }] });
  const shop = programFixture(world, sharedApi());
  const { click_id } = await shop.visit({ page_url: "https://shop.example/hats" }, { key: world.key });
  await shop.lead({ customer_key: "jo", click_id, email: "jo@mail.example" });
  await shop.sale({ customer_key: "jo", transaction_id: "order-jo", amount_cents: 4_900 });
  await shop.sale({ customer_key: "jo", transaction_id: "t2", amount_cents: 1_900 });
  await shop.refund({ transaction_id: "t2" });
  return shop;
}

const open = (
  { world }: ProgramFixture,
  path: string,
  options: { user?: typeof people.admin; width?: "phone" | "laptop" } = {},
) => openDashboard(newContext, { user: people.owner, at: `/programs/${world.programId}/${path}`, ...options });

async function erase(page: Page): Promise<void> {
  await button(page, "Erase…").click();
  const dialog = page.getByRole("dialog", { name: "Erase this customer?" });
  await dialog.getByRole("heading", { name: "What stays" }).waitFor();
  await expectAccessible(page, themes);
  await dialog.getByRole("button", { name: "Erase customer" }).click();
  await page.getByRole("heading", { name: "Customer erased" }).waitFor();
}

test("an owner erases a customer on request, also by keyboard on a phone, and later finds the receipt of the erasure", async () => {
  const shop = await openShop();
  const page = await open(shop, "settings?section=privacy", { width: "phone" });
  const ask = async () => {
    await page.getByLabel("Find by").selectOption("Email address");
    await page.getByRole("textbox", { name: "Email address" }).fill("jo@mail.example");
  };
  await ask();
  await button(page, "Erase…").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("jo@mail.example").waitFor();
  await page.keyboard.press("Escape");
  await erase(page);
  await settled(page);
  await expectAccessible(page, themes);
  await expectNoSidewaysScroll(page);
  const sales = page.getByRole("region", { name: "Sales of the customer" });
  expect(await sales.getByRole("row").allInnerTexts()).toEqual(
    expect.arrayContaining([expect.stringMatching(/Revenue \(EUR\)\s+€68\.00\s+€68\.00/)]),
  );
  expect(await page.getByText("Unchanged", { exact: true }).count()).toBe(2);

  const address = page.url();
  await page.goto(`/app/programs/${shop.world.programId}/settings?section=privacy`);
  await ask();
  await button(page, "Export data").click();
  await page.getByText("This person's data was already erased").waitFor();
  await page.getByRole("link", { name: "View the receipt of the erasure" }).click();
  await page.getByRole("heading", { name: "Customer erased" }).waitFor();
  expect(page.url()).toBe(address);
});

test("an owner exports and erases a customer from the explanation of a sale, which then shows the erasure", {
  tags: "soak",
}, async () => {
  const shop = await openShop();
  const at = "explain?transactionId=order-jo";
  const admins = await open(shop, at, { user: people.admin });
  await admins.getByRole("heading", { name: "Customer" }).waitFor();
  expect(await button(admins, "Erase…").count()).toBe(0);
  const page = await open(shop, at);
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export the customer's data" }).click();
  expect((await downloading).suggestedFilename()).toMatch(/^tributary-.*-customer\.jsonl$/);
  await erase(page);
  await page.goto(`/app/programs/${shop.world.programId}/${at}`);
  await page.getByText(/^What was known about this customer was erased on .*\. Amounts, days/).waitFor();
  expect(await button(page, "Erase…").count()).toBe(0);
  await page.getByRole("link", { name: "View receipt" }).click();
  await page.getByRole("heading", { name: "Customer erased" }).waitFor();
  await admins.reload();
  await admins.getByText(/^What was known about this customer was erased on/).waitFor();
  expect(await admins.getByRole("link", { name: "View receipt" }).count()).toBe(0);
});

test("a customer with much data is exported in one file, and erased in steps", { tags: "soak" }, async () => {
  const shop = await openShop();
  await showManyClicks(shop);
  const page = await open(shop, "settings?section=privacy");
  await page.getByRole("textbox", { name: "Customer key" }).fill("jo");
  const downloading = page.waitForEvent("download");
  await button(page, "Export data").click();
  const path = await (await downloading).path();
  expect((await readFile(path, "utf8")).split("\n").length).toBeGreaterThan(1_001);
  await erase(page);
  await page.getByText("1,002", { exact: true }).waitFor();
});
