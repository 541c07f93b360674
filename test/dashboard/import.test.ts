import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const choose = (page: Page, text: string) =>
  page.getByLabel("CSV file").setInputFiles({ name: "export.csv", mimeType: "text/csv", buffer: Buffer.from(text) });

async function openImport(user = people.admin) {
  const world = await people.world({ partners: [{ code: "anna" }, {}] });
  const page = await openDashboard(newContext, { user, at: `/programs/${world.programId}/import` });
  await page.getByRole("heading", { name: "Import and export" }).waitFor();
  return { world, page };
}

test("an admin maps the columns of a partner spreadsheet, checks and imports it, and downloads the refused rows", async () => {
  const { world, page } = await openImport();
  await choose(
    page,
    "\uFEFFPartner;Code;E-Mail\r\nBea;bea;bea@partners.example\r\nCy;x;\r\nDee;dee;dee@partners.example\r\n",
  );
  await page.getByText("The file has no column for name").waitFor();
  await page.getByLabel("Name", { exact: true }).selectOption("Partner");
  await page.getByLabel("Name of the former program").fill("Spreadsheet");
  await expectAccessible(page);
  await button(page, "Check").click();
  await page.getByText("2 partners would be added, 0 changed and 1 refused.").waitFor();
  await page.getByText("(line 3 in column “Codes”): A code may have 2 to 64 letters, digits, - and _.").waitFor();
  await expectAccessible(page);
  expect(await world.rows("select id from partners where program_id = ?", world.programId)).toHaveLength(2);
  await button(page, "Import 2 partners").click();
  await page.getByText("2 partners were added").waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Save the refused rows").click()]);
  expect(download.suggestedFilename()).toBe("refused-partners.csv");
  const saved = await readFile(await download.path(), "utf8");
  expect(saved).toBe(
    '\uFEFF"Partner";"Code";"E-Mail";"refused_line";"refused_reason";"refused_field"\r\n"Cy";"x";"";"3";"invalid_code";"code"\r\n',
  );
  expect(
    await world.rows("select name from partners where program_id = ? and name = 'Dee'", world.programId),
  ).toMatchObject([{ name: "Dee" }]);
});

test("customers since a past date are imported only after the owner agrees, and the page shows what their earlier sales would cost", {
  tags: "soak",
}, async () => {
  const { world, page } = await openImport(people.owner);
  const shop = programFixture(world, sharedApi());
  await shop.sale({ transaction_id: "t", amount_cents: 4_900, customer_key: "cus_9", occurred_at: at(daysAgo(3)) });
  await choose(page, `customer_key,partner_code,since\ncus_9,anna,${at(daysAgo(5))}\n`);
  await page.getByLabel("Rows are").selectOption("Customers and their partners");
  await button(page, "Check").click();
  await page.getByText("“Since” is in the past.").waitFor();
  await page.getByLabel("Where “Since” is in the past").check();
  await button(page, "Check").click();
  await page.getByText("1 earlier sale would earn €9.80").waitFor();
  await button(page, "Import 1 customer").click();
  await page.getByText("1 earlier sale earned €9.80").waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Export customers").click()]);
  expect(await readFile(await download.path(), "utf8")).toContain('"cus_9","anna"');
  await expectAccessible(page);
  expect(await world.rows("select amount_cents from commissions where program_id = ?", world.programId)).toMatchObject([
    { amount_cents: 980 },
  ]);
});

test("an import waits for the program's units, and reading them again doesn't stop it", { tags: "soak" }, async () => {
  const { page } = await openImport();
  let answer = () => {};
  await page.route("**/units", async (route) => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    await route.fallback();
  });
  await choose(page, "name,code\nBea,bea\n");
  await page.getByLabel("Rows are").waitFor();
  expect(await button(page, "Check").count()).toBe(0);
  answer();
  await button(page, "Check").waitFor();

  const again = page.waitForRequest("**/units");
  await page.getByRole("link", { name: "Overview" }).click();
  await page.goBack();
  await choose(page, "name,code\nBea,bea\n");
  await again;
  await button(page, "Check").click();
  await page.getByText("1 partner would be added, 0 changed and 0 refused.").waitFor();
  const answered = page.waitForResponse("**/units");
  answer();
  await answered;
  await button(page, "Import 1 partner").click();
  await page.getByText("1 partner was added").waitFor();
});

test("the import page shows each unreadable row's text, and the expected value", { tags: "soak" }, async () => {
  const { page } = await openImport();
  await choose(
    page,
    "partner_code;currency;amount;reference\nanna;EUR;120,50;r-1\nanna;EUR;much;r-2\nanna;EUR;1,00;r-1\nanna;RMB;5,00;r-3\n",
  );
  await page.getByLabel("Rows are").selectOption("Open balances");
  const problems = page.getByRole("region", { name: "Rows to correct" });
  await problems.getByText("much").waitFor();
  await problems.getByText("a different value from line 2").waitFor();
  await page.getByText("€120.50 in 1 balance.").waitFor();
});

test("a viewer can't import, and the import page reports a file that isn't CSV", { tags: "soak" }, async () => {
  const { page } = await openImport(people.viewer);
  await page.getByText("requires the admin role").waitFor();
  const { page: other } = await openImport();
  await choose(other, "\0\0\0");
  await other.getByText("This isn't a CSV file").waitFor();
});
