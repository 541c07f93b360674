import { expect, test } from "vitest";
import type { MemberSettings } from "../../harness/world.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile("suspended");

test("choosing approval by two people warns if only one member may pay, and a payout says that nobody else can approve it", {
  tags: "soak",
}, async () => {
  const members: MemberSettings[] = [
    { user: people.owner, role: "owner" },
    { user: people.viewer, role: "viewer" },
    { user: people.suspended, role: "admin", status: "suspended" },
  ];
  const shop = await payoutsFixture(people, { members });
  await shop.earn(1_000);
  const { programId } = shop.world;
  const at = `/programs/${programId}/settings?section=payouts`;
  const page = await openDashboard(newContext, { user: people.owner, at });
  const warning = page.getByText("Only one member can finalize payouts and mark them as paid.");
  await page.getByLabel("Approval").selectOption("two_people");
  await warning.waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.").waitFor();

  const { id } = (await shop.post("owner", "", { currency: "EUR" })).body.data;
  await page.goto(`/app/programs/${programId}/payouts`);
  await page.getByRole("button", { name: /^New payout/ }).click();
  await page.getByRole("button", { name: "Create draft" }).click();
  await page.getByRole("link", { name: "Open the draft" }).click();
  await page.getByRole("heading", { name: "Check this draft" }).waitFor();
  expect((await shop.post("owner", `/${id}/finalize`)).status).toBe(200);
  await page.reload();
  await page.getByText("No other owner or admin is active").waitFor();
  expect(await page.getByRole("button", { name: "Mark as paid…" }).count()).toBe(0);
  await page.goto(`/app/programs/${programId}`);
  await page.getByRole("link", { name: "Confirm the payout" }).waitFor();
});
