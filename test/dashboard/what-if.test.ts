/** @module-tag soak */
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

test("an owner compares a policy with the last 90 days before saving it", async () => {
  const world = await people.world({ program: { name: "Northwind" }, partners: [{ name: "Alice" }, { name: "Bob" }] });
  const shop = programFixture(world, sharedApi());
  for (const [days, partner] of [
    [3, shop.alice],
    [2, shop.bob],
  ] as const) {
    await shop.sale({
      click_id: shop.click(partner, daysAgo(days)),
      occurred_at: at(daysAgo(days)),
      amount_cents: 62_000,
    });
  }
  const form = `/programs/${world.programId}/settings?section=commission`;
  const page = await openDashboard(newContext, { user: people.owner, at: form, width: "phone" });
  await page.getByLabel("Rate").fill("10");
  await page.getByRole("button", { name: "Compare with the last 90 days" }).click();
  await page.getByText("This change: €124.00 less than today's commission (€248.00).").waitFor();
  await page.getByText("The last 90 days would have cost €124.00 instead of €248.00.").waitFor();
  const table = page.getByRole("table", { name: "Changes by month and partner" });
  await table.getByText("Alice").waitFor();
  expect(await table.getByRole("row").filter({ hasText: "Bob" }).textContent()).toContain(
    "€124.00€124.00€62.00-€62.00",
  );
  await expectAccessible(page);

  await page.getByLabel("Rate").fill("20");
  await page.getByText("You've changed the commission since this comparison.").waitFor();
  await page.getByLabel("Rate").fill("");
  await page.getByRole("button", { name: "Compare again" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Rate").fill("20");
  await page.getByRole("alert").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Compare again" }).click();
  await page.getByText("This change: no difference from today's commission (€248.00).").waitFor();
  await page.getByText("The last 90 days would have cost the same: €248.00.").waitFor();

  await page.goto(`/app/programs/${world.programId}/partners/${shop.bob.id}?tab=details`);
  await page.getByRole("button", { name: "Set custom commission" }).click();
  await page.getByLabel("Rate").fill("50");
  await page.getByRole("button", { name: "Compare with the last 90 days" }).click();
  await page.getByText("The last 90 days would have cost €310.00 instead of €124.00.").waitFor();
});
