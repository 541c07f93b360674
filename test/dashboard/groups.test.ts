import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("an admin creates and renames a group, adds and removes a partner, and compares and sets the group's commission", async () => {
  const partners = [{ name: "Alice" }, { name: "Bob", policies: [{ rateBps: 1_000 }] }];
  const shop = salesFixture(programFixture(await people.world({ partners }), sharedApi()));
  await shop.refer("c1");
  const earned = async () => (await shop.sell({ amount_cents: 10_000 })).body.commission.amount_cents;
  expect(await earned()).toBe(2_000);

  const program = `/programs/${shop.world.programId}/partners`;
  const page = await openDashboard(newContext, { user: people.admin, at: `${program}/groups` });
  await page.getByText("No groups yet").waitFor();
  await page.getByRole("textbox", { name: "Name" }).fill("Gold");
  await button(page, "Create group").click();
  await page.getByRole("link", { name: "Gold" }).click();

  await page.getByText("No partners are in this group.").waitFor();
  await page.getByRole("combobox", { name: "Partner" }).click();
  await page.getByRole("option", { name: "Alice" }).click();
  await button(page, "Add to group").click();
  await page.getByRole("link", { name: "Alice" }).waitFor();
  await page.getByRole("combobox", { name: "Partner" }).click();
  await page.getByRole("option", { name: "Bob" }).click();
  await button(page, "Add to group").click();
  const member = (name: string) => page.getByRole("row").filter({ hasText: name });
  await member("Bob").getByText("Custom commission").waitFor();
  expect(await member("Alice").getByText("Custom commission").count()).toBe(0);

  const commission = page.getByRole("region", { name: "Commission" });
  await commission.getByText("Commission of the program: 20% of each sale").waitFor();
  await button(page, "Set custom commission").click();
  await commission.getByLabel("Rate").fill("30");
  await button(page, "Compare with the last 90 days").click();
  await commission.getByText("This change can't be compared with the last 90 days.").waitFor();
  await commission.getByText("Recalculated: 0 of 1 sale, only those that partners made in this group").waitFor();
  expect(await commission.getByText("no difference").count()).toBe(0);
  await button(page, "Save commission").click();
  const dialog = page.getByRole("dialog", { name: "Change this group's commission?" });
  await dialog.getByText("Not affected: partners with a custom commission.").waitFor();
  await button(page, "Change commission").click();
  await commission.getByText("Custom commission: 30% of each sale").waitFor();
  expect(await earned()).toBe(3_000);
  await button(page, "Remove custom commission").click();
  await page.getByText("New sales of partners in Gold without a custom commission earn the commission of").waitFor();
  await button(page, "Cancel").click();

  await page.getByRole("textbox", { name: "Name" }).fill("Platinum");
  await button(page, "Rename group").click();
  await page.getByRole("heading", { name: "Platinum" }).waitFor();
  await settled(page);
  await expectAccessible(page);
  await page.getByRole("link", { name: "All groups" }).click();
  const row = page.getByRole("row").filter({ hasText: "Platinum" });
  await row.getByText("30% of each sale").waitFor();

  await page.goto(`/app${program}/${shop.alice.id}?tab=details`);
  await page.getByText("Commission of the group Platinum: 30% of each sale").waitFor();
  await page.getByRole("combobox", { name: "Group" }).selectOption("None");
  await button(page, "Save group").click();
  await page.getByText("Commission of the program: 20% of each sale").waitFor();
  expect(await earned()).toBe(2_000);

  const others = "1 partner with a custom commission and the group Platinum (1 partner)";
  await page.goto(`/app/programs/${shop.world.programId}/settings?section=commission`);
  await page.getByText(`Doesn't apply to ${others}.`).waitFor();
  await page.getByLabel("Rate").fill("15");
  await button(page, "Save commission").click();
  await page.getByText(`Not affected: ${others}.`).waitFor();
  await button(page, "Cancel").click();
  await button(page, "Stop paying commission…").click();
  await page.getByText(`New sales won't earn anything, except those of ${others}.`).waitFor();
  await button(page, "Stop paying commission").click();
  await page.getByText(`New sales no longer earn a commission, except those of ${others}.`).waitFor();
  await page.getByText(`No commission is set. Sales earn nothing, except those of ${others}.`).waitFor();
});

test("an admin sets the program's offer, and a different offer for a group", async () => {
  const world = await people.world({ groups: [{ name: "Gold" }] });
  const offerOf = async (owner: string) => {
    const { body } = await people.viewer.get<{ data: { offer: unknown } }>(
      `/api/programs/${world.programId}${owner}/offer`,
    );
    return body.data.offer;
  };
  const settings = `/programs/${world.programId}/settings?section=offer`;
  const page = await openDashboard(newContext, { user: people.admin, at: settings });
  const card = page.getByRole("region", { name: "Customer offer" });
  await card.getByLabel("Offer", { exact: true }).selectOption("An offer");
  await button(page, "Save offer").click();
  await card.getByText("Enter text for customers.").waitFor();
  await card.getByLabel("Text for customers").fill("20% off");
  await card.getByLabel("Stripe coupon").fill("FRIEND 20");
  await button(page, "Save offer").click();
  await card.getByText("Enter 1 to 64 characters without spaces.").waitFor();
  await card.getByLabel("Stripe coupon").fill("FRIEND20");
  await button(page, "Save offer").click();
  await page.getByText("Saved.").waitFor();
  expect(await offerOf("")).toMatchObject({ label: "20% off", couponIds: { stripe: "FRIEND20" }, until: null });
  await settled(page);
  await expectAccessible(page);

  const group = world.groups[0]?.id;
  await page.goto(`/app/programs/${world.programId}/partners/groups?group=${group}`);
  await card.getByLabel("Offer", { exact: true }).selectOption("No offer");
  await button(page, "Save offer").click();
  await page.getByText("Saved.").waitFor();
  expect(await offerOf(`/groups/${group}`)).toEqual({ none: true });

  const seen = await openDashboard(newContext, { user: people.viewer, at: settings });
  await seen.getByRole("region", { name: "Customer offer" }).getByText("20% off").waitFor();
});
