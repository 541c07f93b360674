import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile("stranger");

/** Anna earned 9.80 now, and 42.10 is payable. */
async function openShop(settings: Parameters<typeof payoutsFixture>[1] = {}) {
  const shop = await payoutsFixture(people, {
    program: { name: "Northwind", minimumPayoutCents: 2_000, payoutTerms: "Paid monthly, on the 15th" },
    partners: [{ name: "Anna", code: "anna" }, { name: "Bob" }],
    ...settings,
  });
  await shop.visit();
  await shop.earn(980);
  await shop.earn(3_230);
  return shop;
}

/** Below the app. */
async function invite({ programId }: { readonly programId: number }, partnerId: number): Promise<string> {
  const path = `/api/programs/${programId}/partners/${partnerId}/invitations`;
  const { body } = await people.admin.post<{ data: { inviteUrl: string } }>(path, {});
  return body.data.inviteUrl.replace(/^.*\/partner/, "");
}

test("an invited partner creates an account on a phone, and sees all that matters without scrolling", async () => {
  const { world, alice } = await openShop();
  const at = await invite(world, alice.id);
  const page = await openDashboard(newContext, { app: "partner", at, width: "phone" });
  await page.getByRole("heading", { name: "Join Northwind" }).waitFor();
  expect(page.url()).toMatch(/\/partner\/invitation$/);
  await expectAccessible(page);
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("Name").fill("Anna Larsson");
  await page.getByLabel("Email").fill(`${randomUUID()}@people.example`);
  await page.getByLabel("Password").fill(randomUUID());
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("Signed in as Anna Larsson").waitFor();
  await page.getByRole("button", { name: "Accept invitation" }).click();

  await page.waitForURL(`**/partner/programs/${world.programId}/partners/${alice.id}`);
  const earned = page.getByRole("region", { name: "Earned this month" }).getByText("€42.10");
  const payable = page.getByRole("region", { name: "Next payout" });
  await earned.waitFor();
  expect(await payable.innerText()).toContain("€42.10");
  expect(await page.evaluate("scrollY")).toBe(0);
  const bottomBar = await page.getByRole("navigation", { name: "Program" }).boundingBox();
  for (const answer of [earned, payable.getByText("Paid monthly")]) {
    const box = await answer.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(bottomBar?.y ?? 0);
  }
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});
