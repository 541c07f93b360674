import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { partnerSide } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

test("a partner enters payment details on a phone, and members see the last characters of the account", async () => {
  const world = await people.world({ program: { name: "Northwind" }, partners: [{ name: "Anna" }] });
  const { programId, partner } = world;
  const anna = await sharedUser();
  const at = (await partnerSide(world, anna, partner.id)).replace("/api/partner", "");
  const members = `/programs/${programId}/partners/${partner.id}?tab=details`;
  const page = await openDashboard(newContext, { user: people.owner, at: members });
  const shown = page.getByRole("region", { name: "Payment details" });
  await shown.getByText("No payment details yet. There's no email address either, so there's no way to pay").waitFor();
  const theirs = await openDashboard(newContext, { user: anna, app: "partner", at: `${at}/profile`, width: "phone" });
  const card = theirs.getByRole("region", { name: "Where you are paid" });
  await card.getByText("The program doesn't know how to pay you yet.").waitFor();
  await card.getByRole("button", { name: "Add…" }).click();
  await card.getByLabel("Method").selectOption("Wise");
  await card.getByLabel("Email of the Wise account").fill("anna@wise.example");
  await card.getByLabel("Account holder").fill("A. H");
  await card.getByRole("button", { name: "Save" }).click();
  await card.getByText("Enter your account password.").waitFor();
  await card.getByLabel("Account password").fill(anna.password);
  await card.getByRole("button", { name: "Save" }).click();
  await card.getByText("Wise refuses this name. Enter a first and a last name in Latin letters.").waitFor();
  await card.getByLabel("Method").selectOption("Bank transfer");
  await card.getByLabel("IBAN").fill("DE89 3704 0044 0532 0130 01");
  await card.getByLabel("Account password").fill(anna.password);
  await card.getByRole("button", { name: "Save" }).click();
  await card.getByText("Check this for a typing error. It isn't valid for the chosen method.").waitFor();
  expect(await card.getByLabel("IBAN").evaluate((field) => document.activeElement === field)).toBe(true);
  await card.getByLabel("IBAN").fill("DE89 3704 0044 0532 0130 00");
  await expectAccessible(theirs);
  await card.getByRole("button", { name: "Save" }).click();
  await card.getByText("DE89370400440532013000").waitFor();
  await settled(theirs);
  await expectNoSidewaysScroll(theirs);

  await page.reload();
  await shown.getByText("…3000").waitFor();
  await shown.getByRole("button", { name: "Change…" }).click();
  await shown.getByLabel("Method").selectOption("Wise");
  await shown.getByLabel("Email of the Wise account").fill("anna@wise.example");
  await shown.getByRole("button", { name: "Save payment details" }).click();
  await shown.getByText("Wise refuses this name.").waitFor();
  await shown.getByLabel("Method").selectOption("PayPal");
  await shown.getByLabel("Email of the PayPal account").fill("anna@paypal.example");
  await expectAccessible(page);
  await shown.getByRole("button", { name: "Save payment details" }).click();
  await shown.getByText("a•••@paypal.example").waitFor();
  await shown.getByText("Bank transfer …3000").waitFor();
  await page.goto(`/app/programs/${programId}/settings?section=audit`);
  await page.getByText("Changed the payment details of").first().waitFor();

  await theirs.reload();
  await card.getByText("Only the account that entered these details can see them in full.").waitFor();
  const admin = await openDashboard(newContext, { user: people.admin, at: members });
  await admin
    .getByRole("region", { name: "Payment details" })
    .getByText(/^PayPal$/)
    .waitFor();
  expect(await admin.getByRole("region", { name: "Payment details" }).getByRole("button").count()).toBe(0);
});

test("partners with the same account are marked on their pages and in the draft", async () => {
  const shop = await payoutsFixture(people, { partners: [{ name: "Anna" }, { name: "Ben" }] });
  const { programId } = shop.world;
  for (const { id } of [shop.alice, shop.bob]) {
    const details = { method: "bank", account: "DE89370400440532013000", holder: "A. Larsson" };
    const set = await people.owner.put(`/api/programs/${programId}/partners/${id}/payment`, details);
    expect(set.status).toBe(200);
  }
  await shop.earn(980);
  await shop.earn(300, { partner: shop.bob });
  const { id } = (await shop.create()).body.data;
  const at = `/programs/${programId}/partners/${shop.alice.id}?tab=details`;
  const page = await openDashboard(newContext, { user: people.admin, at });
  const card = page.getByRole("region", { name: "Payment details" });
  await card.getByText("Paid to the same account as Ben.").waitFor();
  await expectAccessible(page);
  await page.goto(`/app/programs/${programId}/payouts/${id}`);
  await expect.poll(() => page.getByText("Shared account").count()).toBe(2);
  await expectAccessible(page);
  const seen = await openDashboard(newContext, { user: people.viewer, at: `/programs/${programId}/payouts/${id}` });
  await seen.getByRole("table", { name: "Lines" }).waitFor();
  expect(await seen.getByText("Shared account").count()).toBe(0);
});
