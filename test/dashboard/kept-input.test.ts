import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { partnerSide } from "../support/partner-side.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi, sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

test("a form keeps what was typed when the session ends, except for a password", async () => {
  const world = await people.world({ program: { name: "Northwind" }, partners: [{ name: "Anna" }] });
  const anna = await sharedUser();
  const at = (await partnerSide(world, anna, world.partner.id)).replace("/api/partner", "");
  const page = await openDashboard(newContext, { user: anna, app: "partner", at: `${at}/profile` });
  const card = page.getByRole("region", { name: "Where you are paid" });
  await card.getByRole("button", { name: "Add…" }).click();
  await card.getByLabel("Method").selectOption("PayPal");
  await card.getByLabel("Email of the PayPal account").fill("anna@paypal.example");
  await card.getByLabel("Tax ID").fill("NL001234567B01");
  await card.getByLabel("Account password").fill("secret");
  await page.context().clearCookies();
  await card.getByRole("button", { name: "Save" }).click();

  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.getByLabel("Email").fill(anna.email);
  await page.getByLabel("Password").fill(anna.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await card.getByRole("button", { name: "Add…" }).click();
  const labels = ["Email of the PayPal account", "Tax ID", "Account password"];
  const typed = () => Promise.all(labels.map((label) => card.getByLabel(label).inputValue()));
  await expect.poll(typed).toEqual(["anna@paypal.example", "NL001234567B01", ""]);

  await card.getByRole("button", { name: "Cancel" }).click();
  await card.getByRole("button", { name: "Add…" }).click();
  await settled(page);
  expect(await card.getByLabel("Tax ID").inputValue()).toBe("");
});

test("the partners' app asks a partner for payment details on its first page until the partner has entered them", async () => {
  const world = await people.world({ program: { name: "Northwind" }, partners: [{ name: "Anna" }] });
  const anna = await sharedUser();
  const at = (await partnerSide(world, anna, world.partner.id)).replace("/api/partner", "");
  const page = await openDashboard(newContext, { user: anna, app: "partner", at, width: "phone" });
  const next = page.getByRole("region", { name: "Next payout" });
  await next.getByText("You have no payment details here yet.").waitFor();
  await expectAccessible(page);
  await next.getByRole("link", { name: "Add them" }).click();
  const card = page.getByRole("region", { name: "Where you are paid" });
  await card.getByRole("button", { name: "Add…" }).click();
  await card.getByLabel("IBAN").fill("DE89 3704 0044 0532 0130 00");
  await card.getByLabel("Account password").fill(anna.password);
  await card.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved. The program can check new details before it uses them.").waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("main");
  await page.getByRole("link", { name: "Overview" }).click();
  await next.getByText("Nothing yet.").waitFor();
  expect(await next.getByText("You have no payment details").count()).toBe(0);
});

test("the reason why a sale earned nothing lets an owner assign the sale's customer, and focus stays on the page", async () => {
  const world = await people.world({ partners: [{ name: "Alice" }, { name: "Bob" }] });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.sale({ transaction_id: "asked", amount_cents: 4_900, customer_key: "c" });
  const at = `/programs/${world.programId}/explain?transactionId=asked`;
  const admin = await openDashboard(newContext, { user: people.admin, at });
  await admin.getByRole("button", { name: "assign the customer to a partner" }).click();
  await admin.getByText("Earlier sales stay as they are. Only an owner can also pay").waitFor();

  const page = await openDashboard(newContext, { user: people.owner, at });
  await page.getByText("Read more, or assign the customer to a partner.").waitFor();
  await page.getByRole("button", { name: "assign the customer to a partner" }).click();
  const dialog = page.getByRole("dialog", { name: "Assign this customer" });
  await dialog.getByLabel("Partner", { exact: true }).click();
  await dialog.getByRole("option", { name: shop.alice.code }).click();
  await dialog.getByLabel("Reason").fill("Came by phone");
  await dialog.getByRole("button", { name: "Assign" }).click();
  await page.getByText("1 earlier sale earned").waitFor();
  await page.getByText("Read more").waitFor({ state: "detached" });
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("main");
});
