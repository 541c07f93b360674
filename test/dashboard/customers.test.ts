import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const rowOf = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

test("a viewer finds customers by partner, key and sales, downloads them and opens an explanation", async () => {
  const world = await people.world({
    partners: [{ name: "Alice" }, { name: "Bob" }],
    policies: [{ rateBps: 2_000 }],
  });
  const shop = programFixture(world, sharedApi());
  await shop.lead({ customer_key: "cus_alice", click_id: shop.click(shop.alice) });
  await shop.sale({ transaction_id: "a1", customer_key: "cus_alice", amount_cents: 4_900 });
  await shop.refund({ transaction_id: "a1", refund_id: "r1", refund_amount_cents: 900 });
  await shop.sale({ transaction_id: "a2", customer_key: "cus_alice", amount_cents: 1_000, currency: "USD" });
  await shop.lead({ customer_key: "cus_bob", click_id: shop.click(shop.bob) });
  await shop.sale({ transaction_id: "o1", customer_key: "organic", amount_cents: 700 });
  const page = await openDashboard(newContext, { user: people.viewer, at: `/programs/${world.programId}/events` });
  await page.getByRole("link", { name: "Customers", exact: true }).click();
  const ofAlice = rowOf(page, "cus_alice");
  await ofAlice.getByText(shop.alice.code).waitFor();
  expect(await ofAlice.innerText()).toMatch(/Click.*Final.*2.*€49\.00.*\$10\.00.*€8\.00.*\$2\.00/s);
  expect(await rowOf(page, "organic").innerText()).toMatch(/None.*1, without a partner/s);
  await settled(page);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);

  await page.getByRole("combobox", { name: "Partner" }).click();
  await page.getByRole("option", { name: "Bob" }).click();
  await ofAlice.waitFor({ state: "detached" });
  await rowOf(page, "cus_bob").waitFor();
  await page.getByLabel("Sales").selectOption("true");
  await page.getByText("No matching customers").waitFor();
  await page.getByRole("button", { name: "Show all customers" }).click();
  await page.getByRole("searchbox", { name: "Search by customer key or email" }).fill("cus_al");
  await rowOf(page, "cus_bob").waitFor({ state: "detached" });
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export customers" }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/customers\.csv$/);
  await page.getByRole("link", { name: "cus_alice" }).click();
  await page.waitForURL(/explain\?customerKey=cus_alice/);
  await page.getByText("a1").first().waitFor();
  const sums = page.locator("dl.sums").filter({ hasText: "EUR" });
  expect(await sums.innerText()).toMatch(/Revenue\s+€49\.00/);
});
