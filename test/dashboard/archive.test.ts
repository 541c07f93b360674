import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, openMenu, pagesOf, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();
const api = sharedApi();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("an owner archives a program, which is hidden from then on, and restores it", { tags: "soak" }, async () => {
  const world = await people.world({ program: { name: "Old shop" } });
  const { programId, workspaceId, key } = world;
  const at = `/programs/${programId}/settings`;
  const admin = await openDashboard(newContext, { user: people.admin, at });
  await button(admin, "Pause program").waitFor();
  expect(await button(admin, "Archive program").count()).toBe(0);

  const page = await openDashboard(newContext, { user: people.owner, at });
  await button(page, "Archive program").click();
  const dialog = page.getByRole("dialog", { name: "Archive Old shop?" });
  await dialog.getByText("Nothing is deleted").waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Archive program" }).click();
  await page.getByText("The program is archived.").waitFor();
  expect((await api.readiness({ key })).status).toBe(401);
  await expect.poll(() => page.getByRole("main").getByRole("textbox").count()).toBe(0);

  // The start page doesn't lead to the archived program, although the user visited it last.
  await page.goto("/app/");
  await page.getByText("All programs of this workspace are archived.").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Create program" }).waitFor();
  const made = await people.owner.post<{ data: { id: number } }>("/api/programs", { workspaceId, name: "New shop" });
  await page.goto("/app/");
  await page.waitForURL(`**/programs/${made.body.data.id}/overview`);
  await openMenu(page, "Switch program");
  expect(await page.getByRole("link", { name: "Old shop" }).count()).toBe(0);
  await button(page, "Show archived").click();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Old shop Archived" }).click();

  await button(page, "Restore program").click();
  await expectAccessible(page);
  await button(page, "Restore as paused").click();
  await page.getByText("The program was restored.").waitFor();
  await button(page, "Restore program").waitFor({ state: "detached" });
  expect((await api.readiness({ key })).status).toBe(200);
  await page.goto(`/app${at}?section=audit`);
  await page.getByText("Restored the program").waitFor();
  await page.getByText("Archived the program").waitFor();
  await page.goto(`/app${at}`);
  await page.getByRole("region", { name: "Status" }).getByRole("button", { name: "Resume program" }).waitFor();
});

test("every page of an archived program says who may restore the program, and hides refused actions, but commissions can be decided", {
  tags: "soak",
}, async () => {
  const world = await people.world({ partners: [{}, {}] });
  const shop = salesFixture(programFixture(world, api));
  await shop.refer("c1");
  await shop.sell();
  await people.owner.patch(`/api/programs/${world.programId}`, { status: "archived" });
  const page = await openDashboard(newContext, {
    user: people.owner,
    at: `/programs/${world.programId}`,
    width: "phone",
  });
  const keys = `/programs/${world.programId}/settings?section=keys`;
  for (const at of [...(await pagesOf(page)), keys]) {
    await page.goto(`/app${at}`);
    await settled(page);
    await button(page, "Restore program").waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    expect(await page.getByText("Live", { exact: true }).count(), at).toBe(0);
    for (const name of ["Add a partner", "Run verification", "Create key…", "Save"]) {
      expect(await button(page, name).count(), `${name} at ${at}`).toBe(0);
    }
  }
  await page.getByText("Off while archived").waitFor();

  const admin = await openDashboard(newContext, {
    user: people.admin,
    at: `/programs/${world.programId}/commissions`,
  });
  await admin.getByText("Ask an owner of the workspace to restore the program.").waitFor();
  expect(await button(admin, "Restore program").count()).toBe(0);
  await admin.getByRole("checkbox").nth(1).check();
  await admin.getByRole("button", { name: /^Approve/ }).click();
  await admin.getByRole("dialog").getByRole("button", { name: "Approve commission" }).click();
  await expect.poll(async () => (await shop.all("commissions")).map(({ status }) => status)).toEqual(["approved"]);
});
