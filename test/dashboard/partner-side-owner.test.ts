import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile("stranger");

const newWorld = () => people.world({ program: { name: "Northwind" }, partners: [{ name: "Anna" }, { name: "Bob" }] });

test("an owner invites a partner, sees who has access, and ends the access immediately", { tags: "soak" }, async () => {
  const world = await newWorld();
  const { programId, partner } = world;
  const at = `/programs/${programId}/partners/${partner.id}?tab=details`;
  const page = await openDashboard(newContext, { user: people.owner, at });
  const access = page.getByRole("region", { name: "Access", exact: true });
  await access.getByText("No one has access yet.").waitFor();
  await access.getByRole("button", { name: "Invite…" }).click();
  const dialog = page.getByRole("dialog", { name: "Invite Anna" });
  await dialog.getByLabel("Role").selectOption("view");
  await dialog.getByRole("button", { name: "Create invite link" }).click();
  const link = await dialog.getByText("/partner/#/invitation?token=svcp_").innerText();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Done" }).click();
  await access.getByText("An invitation is open until").waitFor();

  const theirs = await openDashboard(newContext, {
    ...{ user: people.stranger, app: "partner", at: link.replace(/^.*\/partner/, "") },
  });
  await theirs.getByRole("button", { name: "Accept invitation" }).click();
  await theirs.getByRole("region", { name: "Earned this month" }).waitFor();
  await page.reload();
  const row = access.getByRole("row").filter({ hasText: people.stranger.email });
  await row.getByText("View only").waitFor();
  expect(await access.getByText("An invitation is open").count()).toBe(0);
  await row.getByRole("button", { name: /^End access of / }).click();
  await page.getByRole("button", { name: "End access", exact: true }).click();
  await access.getByText("No one has access yet.").waitFor();

  await theirs.reload();
  await theirs.getByRole("heading", { name: "You don't have access" }).waitFor();
  await theirs.getByRole("link", { name: "Go to your programs" }).click();
  await theirs.getByRole("heading", { name: "No program yet" }).waitFor();
  await expectAccessible(theirs);

  await page.goto(`/app/programs/${programId}/settings?section=audit`);
  for (const entry of ["Invited", "Accepted the invitation for", "Ended an account's access to"]) {
    await page.getByText(entry).first().waitFor();
  }
});

test("an owner sees what a partner sees, and can't change anything there", { tags: "soak" }, async () => {
  const { programId, partner } = await newWorld();
  const at = `/programs/${programId}/partners/${partner.id}?tab=details`;
  const page = await openDashboard(newContext, { user: people.owner, at });
  await page.getByRole("link", { name: "View as partner" }).click();
  await page.getByText("You see what Anna sees. Read only.").waitFor();
  await settled(page);
  await expectAccessible(page);
  const admin = await openDashboard(newContext, { user: people.admin, at });
  await admin.getByRole("region", { name: "Access", exact: true }).waitFor();
  expect(await admin.getByRole("link", { name: "View as partner" }).count()).toBe(0);
});

test("an owner who views a partner's page during a pause of the program sees the partner's notice about it", {
  tags: "soak",
}, async () => {
  const { programId, partner } = await people.world({
    program: { name: "Northwind", status: "paused" },
    partners: [{}],
  });
  const at = `/programs/${programId}/partners/${partner.id}?as=owner`;
  const page = await openDashboard(newContext, { user: people.owner, app: "partner", at });
  await page.getByText(/^The program is paused: clicks on your links aren't counted/).waitFor();
  await page.getByText(/^You see what .* sees. Read only.$/).waitFor();
});

test("an owner exports an invitation link for every partner, and revokes all of them in one place", {
  tags: "soak",
}, async () => {
  const { programId } = await newWorld();
  const page = await openDashboard(newContext, { user: people.admin, at: `/programs/${programId}/partners` });
  await page.getByRole("button", { name: "Invite all…" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download invite links" }).click();
  const rows = parseCsv(await readFile(await (await download).path(), "utf8"));
  expect(rows).toHaveLength(3);
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Invite all…" }).click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Revoke open invitations…" }).click();
  await page.getByRole("button", { name: "Revoke invitations", exact: true }).click();
  await page.getByText("No invitation is open any more.").waitFor();
  await expectNoSidewaysScroll(page);
});
