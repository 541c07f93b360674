import type { FrameLocator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { isWhole } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { openEmbedHost } from "../support/embed-host.ts";
import { giveAccess } from "../support/partner-side.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectFits, expectFrameAccessible, openDashboard, themes } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile("stranger");

const policies = [{ scope: "recurring", durationMonths: 2 } as const];

/** Fills in the form by keyboard. The focus must be in its first field. */
async function calculate(page: Page, ...entries: readonly string[]): Promise<void> {
  for (const entry of entries) {
    await page.keyboard.type(entry);
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
}

const rowsOf = (place: Page | FrameLocator) =>
  place.getByRole("table", { name: "What you would earn from each payment" }).getByRole("row").allInnerTexts();

test("a partner calculates by keyboard what a subscription would earn, and sees why", async () => {
  const world = await people.world({ policies });
  await giveAccess(world, { user: people.stranger, partnerId: world.partner.id, role: "view" });
  const at = `/programs/${world.programId}/partners/${world.partner.id}/links`;
  const page = await openDashboard(newContext, { user: people.stranger, app: "partner", at, width: "phone" });
  const card = page.getByRole("region", { name: "What would I earn?" });
  const price = card.getByLabel("Price in EUR");
  await price.focus();
  await calculate(page, "0", "Once");
  await card.getByText("Enter a value from €0.01 to €1,000,000,000.00.").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("amountCents");
  await price.fill("");
  await calculate(page, "49", "Every month", "5");
  await card.getByText("You would earn €29.40 from 5 payments of €49.00.").waitFor();
  expect((await rowsOf(page)).map((row) => row.replaceAll(/\s+/g, " "))).toEqual([
    "Payment You earn Why",
    "Months 1–3 €9.80 each 20% of €49.00 = €9.80",
    "Months 4–5 €0.00 The policy pays for 2 months after the customer's first sale, and that time was over.",
  ]);
  await expectAccessible(page);
  await expectFits(page);
});

test("a visitor of a join page, and a user of a referral page, calculate what they would earn", async () => {
  const world = await people.world({ policies });
  const slug = `shop-${world.programId}`;
  const joinPage = { mode: "approval", slug, headline: "", description: "", questions: [] };
  expect((await people.admin.put(`/api/programs/${world.programId}/join`, joinPage)).status).toBe(200);
  const page = await openDashboard(newContext, { app: "partner", at: `/#/join/${slug}`, width: "phone" });
  await page.getByText("What would I earn?").press("Enter");
  await page.getByLabel("Price in EUR").focus();
  await calculate(page, "120", "Every year", "2");
  await page.getByText("You would earn €24.00 from 2 payments of €120.00.").waitFor();
  expect((await rowsOf(page)).map((row) => row.split("\t")[0])).toEqual(["Payment", "Year 1", "Year 2"]);
  await expectAccessible(page);
  await expectFits(page);

  const host = await openEmbedHost(newContext, { owner: people.owner });
  const { frame } = host;
  await host.open();
  await frame.getByText("What would I earn?").press("Enter");
  await frame.getByLabel("Price in EUR").focus();
  await calculate(host.page, "49", "Once");
  await frame.getByText("You would earn €9.80 from one payment of €49.00.").waitFor();
  expect(await rowsOf(frame)).toHaveLength(2);
  await host.page.setViewportSize({ width: 320, height: 900 });
  if (isWhole) await expectFrameAccessible(host.page, host.inner(), themes);
});
