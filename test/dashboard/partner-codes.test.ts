import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { madePartner } from "../support/made-partner.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("an admin adds a code to a partner, and pauses and resumes the code", { tags: "soak" }, async () => {
  const world = await people.world();
  const { programId } = world;
  const at = `/programs/${programId}/partners/${await madePartner(people.admin, world, { name: "Anna", code: "anna" })}`;
  const page = await openDashboard(newContext, { user: people.admin, at });
  await page.getByRole("link", { name: "Details" }).click();
  await button(page, "Add a code…").click();
  const dialog = page.getByRole("dialog", { name: "Add a code for Anna" });
  await dialog.getByLabel("Code").fill("ANNA");
  await button(page, "Add code").click();
  await dialog.getByText("Another partner in this program already has this code").waitFor();
  await dialog.getByLabel("Code").fill("summer");
  await expectAccessible(page);
  await button(page, "Add code").click();
  await page.getByText("summer was added.").waitFor();
  const row = page.getByRole("row").filter({ hasText: "summer" });
  await row.getByText("Your team").waitFor();
  const click = async () =>
    (await sharedApi().click({ affiliate_url: "https://shop.example/?aff=summer", program_id: programId })).body
      .success;
  expect(await click()).toBe(true);
  await button(page, "Pause summer").click();
  await row.getByText("Paused", { exact: true }).waitFor();
  expect(await click()).toBe(false);
  await expectAccessible(page);
  await button(page, "Resume summer").click();
  await row.getByText("Active", { exact: true }).waitFor();
  expect(await click()).toBe(true);
  await page.setViewportSize({ width: 360, height: 800 });
  await expectNoSidewaysScroll(page);

  const viewer = await openDashboard(newContext, { user: people.viewer, at });
  await viewer.getByRole("link", { name: "Details" }).click();
  await viewer.getByRole("row").filter({ hasText: "summer" }).waitFor();
  await settled(viewer);
  expect(await viewer.getByRole("button", { name: /add a code|pause|resume/i }).count()).toBe(0);
});

test("the partners page checks a pasted list of partners before it creates any of them", { tags: "soak" }, async () => {
  const { programId, rows } = await people.world({ partners: [{ name: "Bob", code: "bob" }] });
  const page = await openDashboard(newContext, { user: people.admin, at: `/programs/${programId}` });
  const { promise: listMayArrive, resolve: letListArrive } = Promise.withResolvers<void>();
  await page.route("**/performance/**", async (route) => {
    await listMayArrive;
    await route.continue();
  });
  await page.getByRole("link", { name: "Partners" }).click();
  await button(page, "Add several…").click();
  const dialog = page.getByRole("dialog");
  const list = [
    "Name\tCode\tEmail",
    "Anna\tanna\tanna@partners.example",
    "Bea\tbea\tanna@partners.example",
    "Robert\tbob\t",
    "Cy\tc\t",
    "Dee\tdee\tnone",
    "",
    "Eve\teve\t",
    "Anna Two\tANNA\t",
  ];
  await dialog.getByLabel("Partners").fill(list.join("\n"));
  letListArrive();
  await page.locator("tbody tr", { hasText: "Bob" }).waitFor();
  await expectAccessible(page);
  await button(page, "Check the list").click();
  await dialog.getByText("3 new partners, 4 lines to correct.").waitFor();
  await dialog.getByText("2 lines with an email address that several partners have: line 2, 3.").waitFor();
  for (const [line, problem] of [
    ["4", "This partner already exists with other values."],
    ["5", "The code must have 2 to 64 letters, digits, - or _."],
    ["6", "This isn't an email address."],
    ["9", "An earlier line has this code."],
  ] as const) {
    await dialog.getByRole("row").filter({ hasText: problem }).getByText(line, { exact: true }).waitFor();
  }
  await expectAccessible(page);
  const codes = async () =>
    (await rows("select code from referral_links where program_id = ? order by code", programId)).map(
      ({ code }) => code,
    );
  expect(await codes()).toEqual(["bob"]);

  await button(page, "Back").click();
  await expect.poll(() => dialog.getByLabel("Partners").inputValue()).toBe(list.join("\n"));
  await button(page, "Check the list").click();
  await button(page, "Add 3 partners").click();
  await page.getByText("3 partners added.").waitFor();
  await page.locator("tbody tr", { hasText: "Eve" }).waitFor();
  expect(await codes()).toEqual(["anna", "bea", "bob", "eve"]);

  await button(page, "Add several…").click();
  await dialog.getByLabel("Partners").fill("Anna, anna, anna@partners.example");
  await button(page, "Check the list").click();
  await dialog.getByText("0 new partners, 1 known already.").waitFor();
  await page.setViewportSize({ width: 360, height: 800 });
  await expectNoSidewaysScroll(page);
});
