import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { giveAccess } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { sharedUser } from "../support/shared-service.ts";
import { turnOnTotp } from "../support/totp.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { finalize } from "./finalize.ts";
import { expectAccessible, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

const confirmedTwoHoursAgo = (world: World, { userId }: User) =>
  world.write({
    sql: "update sessions set confirmed_at = ? where user_id = ?",
    args: [Date.now() - 7_200_000, userId],
  });

async function confirm(page: Page, { password }: User): Promise<void> {
  const question = page.getByRole("dialog", { name: "Confirm it's you" });
  await question.getByLabel("Password").fill(password);
  await question.getByRole("button", { name: "Confirm" }).click();
  await question.waitFor({ state: "detached" });
}

test("finalizing payouts, downloading files, and adjusting or importing balances ask for the password and then continue", async () => {
  const shop = await payoutsFixture(people, { partners: [{ name: "Alice", code: "alice" }, {}] });
  const { world, alice } = shop;
  const { owner } = people;
  await shop.earn(1_000);
  const { id } = (await shop.create()).body.data;
  const page = await openDashboard(newContext, { user: owner, at: `/programs/${world.programId}/payouts/${id}` });
  await settled(page);
  await confirmedTwoHoursAgo(world, owner);
  await finalize(page, "€10.00");
  await confirm(page, owner);
  await page.getByText("The amounts are final").waitFor();

  await confirmedTwoHoursAgo(world, owner);
  const downloading = page.waitForEvent("download");
  await button(page, "Payment list (CSV)").click();
  await confirm(page, owner);
  await downloading;

  await page.goto(page.url().replace(/payouts\/\d+$/, `partners/${alice.id}`));
  await confirmedTwoHoursAgo(world, owner);
  await button(page, "Adjust balance…").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Amount").fill("5");
  await dialog.getByLabel("Reason").fill("agreed");
  await button(page, "Record adjustment").click();
  await confirm(page, owner);
  await dialog.waitFor({ state: "detached" });

  await page.goto(page.url().replace(/partners\/\d+.*$/, "import"));
  const buffer = Buffer.from("partner_code,currency,amount,reference\nalice,EUR,12.50,r-1\n");
  await page.getByLabel("CSV file").setInputFiles({ name: "balances.csv", mimeType: "text/csv", buffer });
  await page.getByLabel("Rows are").selectOption("Open balances");
  await confirmedTwoHoursAgo(world, owner);
  await button(page, "Check").click();
  await button(page, "Import 1 balance").click();
  await confirm(page, owner);
  await page.getByText("1 balance was added").waitFor();
  expect((await shop.accounts()).payable).toBe(1_750);
});

test("a partner with two-factor authentication must enter a code with the password", async () => {
  const { world, alice } = await payoutsFixture(people);
  const user = await sharedUser();
  await giveAccess(world, { user, partnerId: alice.id });
  const [first = "", second = ""] = (await turnOnTotp(user)).recoveryCodes;
  const at = `/programs/${world.programId}/partners/${alice.id}/profile`;
  const page = await openDashboard(newContext, { app: "partner", user, at });
  await button(page, "Add…").click();
  await page.getByLabel("Method").selectOption("paypal");
  await page.getByLabel("Email of the PayPal account").fill("anna@partners.example");
  await page.getByLabel("Account holder").fill("Anna");
  await page.getByLabel("Account password").fill(user.password);
  await page.getByLabel("Code").fill(first);
  await expectAccessible(page);
  await button(page, "Save").click();
  await page.getByText("Saved.").waitFor();
  await button(page, "Delete my account…").click();
  const dialog = page.getByRole("dialog", { name: "Delete your account?" });
  await dialog.getByLabel("Password").fill(user.password);
  await button(page, "Delete account").click();
  await dialog.getByText("Enter a code.").waitFor();
  await dialog.getByLabel("Code").fill(second);
  await button(page, "Delete account").click();
  await dialog.waitFor({ state: "detached" });
});
