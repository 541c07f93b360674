import { expect, test } from "vitest";
import type { World } from "../../harness/world.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { signUpUsers } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const people = signUpUsers();

const open = ({ programId }: World, filters = "") =>
  openDashboard(newContext, { user: people.admin, at: `/programs/${programId}/settings?section=audit${filters}` });

test("the audit trail tells who changed what, from what to what", async () => {
  const world = await people.world({ partners: [{ name: "Anna" }] });
  const path = `/api/programs/${world.programId}`;
  await people.admin.patch(path, { name: "Bakery", attributionWindowDays: 30 });
  await people.admin.patch(`${path}/partners/${world.partner.id}`, { status: "paused" });
  await people.owner.put(`${path}/commission-policy`, { type: "flat", amountCents: 1_050, scope: "one_time" });
  const page = await open(world);
  const row = (text: string) => page.getByRole("row").filter({ hasText: text });
  const settings = row("Changed the settings");
  await settings.getByText("admin").waitFor();
  expect(await settings.textContent()).toContain(
    "Name: Test program changed to→ BakeryAttribution window: 60 days changed to→ 30 days",
  );
  expect(await row("Changed partner Anna").textContent()).toContain("Status: active changed to→ paused");
  const policy = await row("Changed the commission").textContent();
  expect(policy).toContain("owner");
  expect(policy).toContain("Rate: 20% changed to→ none");
  expect(policy).toContain("Amount: €10.50");
  await expectAccessible(page);
});

test("the audit trail is filtered by what, who and when; decisions made together are one row that leads to each", async () => {
  const world = await people.world({ partners: [{ name: "Anna" }, {}] });
  const path = `/api/programs/${world.programId}`;
  const till = salesFixture(programFixture(world, sharedApi()));
  await till.refer("c1");
  const ids: number[] = [];
  for (const order of ["order-1", "order-2", "order-3"])
    ids.push((await till.sell({ transaction_id: order })).body.commission_id);
  await people.owner.patch(path, { name: "Bakery" });
  for (const id of ids) await people.admin.post(`${path}/commissions/${id}/approve`, {});
  const page = await open(world);
  const rows = page.getByRole("table", { name: "Changes" }).getByRole("row");
  const decisions = rows.filter({ hasText: "Approved 3 commissions" });
  await decisions.waitFor();
  expect(await rows.count()).toBe(3);
  await decisions.locator("summary").click();
  expect(await decisions.getByRole("link").allInnerTexts()).toEqual(["order-3", "order-2", "order-1"]);
  await expectAccessible(page);

  await page.getByLabel("Action").selectOption("Settings");
  await expect.poll(() => rows.count()).toBe(2);
  expect(new URL(page.url()).searchParams.get("kind")).toBe("program");
  await page.getByLabel("User").selectOption("admin");
  await page.getByText("No changes match these filters.").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await decisions.waitFor();
  expect(new URL(page.url()).searchParams.get("section")).toBe("audit");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export as CSV" }).click();
  expect((await download).suggestedFilename()).toBe("audit.csv");

  await decisions.locator("summary").click();
  await decisions.getByRole("link", { name: "order-2" }).click();
  await page.getByRole("heading", { level: 1, name: /order-2/ }).waitFor();
});

test("an address with a filter that can't be is told in words, and cleared", async () => {
  const page = await open(await people.world(), "&dateFrom=2026-02-30");
  await page.getByText("The page's address has an invalid start date.").waitFor();
  await page.getByRole("alert").getByRole("button", { name: "Clear filters" }).click();
  await page.getByText("Changes to the program appear here").waitFor();
  await expectAccessible(page);
});
