import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { partnerSide } from "../support/partner-side.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile("stranger");

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const rowOf = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

async function choose(within: Page | Locator, name: string): Promise<void> {
  await within.getByRole("combobox", { name: "Partner" }).click();
  await within.getByRole("option", { name }).click();
}

test("an admin creates a coupon, finds it, limits it and pauses it, and the audit log has an entry for each change", async () => {
  const world = await people.world({
    program: { timezone: "Europe/Amsterdam" },
    partners: [{ name: "Alice" }, { name: "Bob" }],
    coupons: [{ codes: ["BOB10"], partner: 1 }],
  });
  const program = `/programs/${world.programId}`;
  const page = await openDashboard(newContext, { user: people.admin, at: `${program}/partners/coupons` });
  await rowOf(page, "BOB10").getByText("Always").waitFor();
  await button(page, "Create coupon").click();
  const dialog = page.getByRole("dialog", { name: "Create a coupon" });
  const create = dialog.getByRole("button", { name: "Create coupon" });
  const codes = dialog.getByRole("textbox", { name: "Codes" });
  await codes.fill("A B C D");
  await create.click();
  await dialog.getByText("Enter at most 3 codes.").waitFor();
  await codes.fill("bob10 promo_1");
  await create.click();
  await dialog.getByText("Choose a partner.").waitFor();
  await choose(dialog, "Alice");
  await dialog.getByLabel("Last day").fill("2099-12-31");
  await create.click();
  await dialog.getByText("already has one of these codes").waitFor();
  await codes.fill("ALICE10 promo_1");
  await expectAccessible(page);
  await create.click();
  const made = rowOf(page, "ALICE10");
  await made.getByText("promo_1").waitFor();
  expect(await made.innerText()).toMatch(/Alice.*Active.*Until 31 Dec 2099, 23:59/s);
  await settled(page);
  await expectAccessible(page);

  const search = page.getByRole("searchbox", { name: "Search by code" });
  await search.fill("PROMO_1");
  await rowOf(page, "BOB10").waitFor({ state: "detached" });
  await made.waitFor();
  await search.fill("NONE");
  await page.getByText("No coupons found").waitFor();
  await search.fill("");
  await choose(page, "Bob");
  await made.waitFor({ state: "detached" });
  await choose(page, "All partners");

  await button(page, "Change validity of ALICE10").click();
  await page.getByLabel("First day").fill("2100-01-01");
  await button(page, "Save validity").click();
  await page.getByText("The coupon would end before it begins").waitFor();
  await page.getByLabel("First day").fill("2020-12-01");
  await button(page, "Save validity").click();
  await made.getByText("From 1 Dec 2020").waitFor();
  const path = `/api${program}/coupons?code=alice10`;
  const stored = await people.admin.get<{ data: object[] }>(path);
  expect(stored.body.data).toMatchObject([
    { validFrom: "2020-11-30T23:00:00.000Z", validUntil: "2099-12-31T22:59:59.999Z" },
  ]);
  await button(page, "Pause ALICE10").click();
  await made.getByText("Paused").waitFor();

  await page.goto(`/app${program}/settings?section=audit&kind=coupon`);
  const created = page.getByRole("row").filter({ hasText: "Created coupon ALICE10 for Alice" });
  expect(await created.innerText()).toMatch(/Codes: ALICE10, promo_1.*Valid until: 31 Dec 2099, 23:59/s);
  await page.getByRole("row").filter({ hasText: "Changed coupon ALICE10" }).first().waitFor();
});

test("a partner's page shows the partner's coupons, a viewer can only read them, and the partner sees them on a phone", {
  tags: "soak",
}, async () => {
  const world = await people.world({
    partners: [{ name: "Alice" }, { name: "Bob" }],
    coupons: [
      { codes: ["ALICE10", "promo_1"], partner: 0 },
      { codes: ["BOB10"], partner: 1 },
    ],
  });
  const at = `/programs/${world.programId}/partners/${world.partner.id}`;
  const page = await openDashboard(newContext, { user: people.viewer, at: `${at}?tab=details` });
  const card = page.getByRole("region", { name: "Coupons", exact: true });
  await card.getByText("ALICE10").waitFor();
  expect(await card.getByText("BOB10").count()).toBe(0);
  expect(await card.getByRole("button").count()).toBe(0);

  await partnerSide(world, people.stranger, world.partner.id, "view");
  const own = await openDashboard(newContext, {
    ...{ app: "partner", user: people.stranger, width: "phone" },
    at: `${at}/links`,
  });
  const mine = own.getByRole("region", { name: "Coupons", exact: true });
  await mine.getByText("promo_1").waitFor();
  expect(await mine.getByText("BOB10").count()).toBe(0);
  await settled(own);
  await expectNoSidewaysScroll(own);
  await expectAccessible(own);
});
