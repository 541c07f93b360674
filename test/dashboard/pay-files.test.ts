/** @module-tag soak */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

test("an owner pays with a payment file, enters the account that the bank's file needs, and sees which payout lines are in no file", async () => {
  const shop = await payoutsFixture(people, {
    partners: [{ name: "Paula" }, { name: "Bea" }, { name: "Emil" }, { name: "Zoe", code: "zoe" }],
  });
  const program = `/api/programs/${shop.world.programId}`;
  const [paula, bea, emil, zoe] = shop.world.partners;
  if (!paula || !bea || !emil || !zoe) throw new Error("the program has four partners");
  for (const partner of [paula, bea, emil, zoe]) await shop.earn(1_000, { partner });
  const details = [
    [paula, { method: "paypal", account: "paula@pay.example", holder: "Paula" }],
    [bea, { method: "bank", account: "FR1420041010050500013M02606", holder: "Bea" }],
    [zoe, { method: "wise", account: "zoe@pay.example", holder: "Zoe" }],
  ] as const;
  for (const [{ id }, given] of details) await people.owner.put(`${program}/partners/${id}/payment`, given);
  const { id } = (await shop.create({ reference: "March" })).body.data;

  const at = `/programs/${shop.world.programId}/payouts/${id}`;
  const page = await openDashboard(newContext, { user: people.owner, at });
  await page.getByText("Wise refuses the name: 1 partner, €10.00").waitFor();
  await expectAccessible(page);
  await shop.finalize(id);
  await page.reload();
  const section = page.getByRole("region", { name: "Pay by file" });
  await section.getByText("2 partners, €20.00, are in no file").waitFor();
  await section.getByText(`Zoe (${zoe.code}): Wise needs the holder's first and last name`).waitFor();
  await expectAccessible(page);
  const downloading = page.waitForEvent("download");
  await section.getByRole("button", { name: "PayPal file" }).click();
  const file = await readFile(await (await downloading).path(), "utf8");
  expect(parseCsv(file).map(([account, amount]) => [account, amount])).toEqual([["paula@pay.example", "10,00"]]);
  expect(await section.getByRole("button").count()).toBe(1);

  await section.getByRole("link", { name: "Add your bank account" }).click();
  const account = page.getByRole("region", { name: "Your bank account" });
  await account.getByLabel("Account holder").fill("Northwind GmbH");
  await account.getByLabel("IBAN").fill("DE88 3704 0044 0532 0130 00");
  await account.getByRole("button", { name: "Save" }).click();
  await account.getByText("must be an IBAN").waitFor();
  await account.getByLabel("IBAN").fill("DE89 3704 0044 0532 0130 00");
  await expectAccessible(page);
  await account.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();

  await page.goto(`/app${at}`);
  const bank = page.waitForEvent("download");
  await section.getByRole("button", { name: "Bank (SEPA) file" }).click();
  expect(await readFile(await (await bank).path(), "utf8")).toContain("<CtrlSum>10.00</CtrlSum>");

  await shop.confirm(id);
  await page.reload();
  const paid = page.getByRole("region", { name: "Payment files" });
  const again = page.waitForEvent("download");
  await paid.getByRole("button", { name: "PayPal file" }).click();
  expect(await readFile(await (await again).path(), "utf8")).toBe(file);

  const admin = await openDashboard(newContext, { user: people.admin, at });
  await settled(admin);
  expect(await admin.getByText("Pay by file").count()).toBe(0);
});
