import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { sampleWebsiteUrl } from "#domain/sample-program.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, openMenu, pagesOf, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const archive = (page: Page) => page.getByRole("button", { name: "Archive sample program" });
const badge = (page: Page) => page.getByRole("main").getByText("Sample data", { exact: true });

test("each page of the sample program has a notice, from which an owner archives the program", {
  tags: "soak",
}, async () => {
  const { programId } = await people.world({ program: { name: "Sample shop", websiteUrl: sampleWebsiteUrl } });
  const at = `/programs/${programId}`;
  const page = await openDashboard(newContext, { user: people.owner, at, width: "phone" });
  for (const each of await pagesOf(page)) {
    await page.goto(`/app${each}`);
    await settled(page);
    await badge(page).waitFor();
    expect(await archive(page).count(), each).toBe(1);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  }
  await openMenu(page, "Switch program");
  await page.getByRole("link", { name: "Sample shop Sample" }).waitFor();
  await page.keyboard.press("Escape");

  const admin = await openDashboard(newContext, { user: people.admin, at });
  await badge(admin).waitFor();
  expect(await archive(admin).count()).toBe(0);

  await archive(page).click();
  await page.getByText("The sample program is archived.").waitFor();
  await page.getByRole("button", { name: "Restore program" }).waitFor();
  expect(await badge(page).count()).toBe(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await badge(page).waitFor();
});

test("a program with the sample's name has no notice that it is a sample", { tags: "soak" }, async () => {
  const { programId } = await people.world({ program: { name: "Sample shop" } });
  const page = await openDashboard(newContext, { user: people.owner, at: `/programs/${programId}/overview` });
  await settled(page);
  expect(await badge(page).count()).toBe(0);
});
