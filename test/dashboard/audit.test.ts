import { expect, test } from "vitest";
import type { World } from "../../harness/world.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile("suspended");

const open = ({ programId }: World, filters = "") =>
  openDashboard(newContext, { user: people.admin, at: `/programs/${programId}/settings?section=audit${filters}` });

test("the audit trail shows who made each change, with the values before and after", { tags: "soak" }, async () => {
  const world = await people.world({ partners: [{ name: "Anna" }, {}], groups: [{ name: "Gold" }] });
  const path = `/api/programs/${world.programId}`;
  await people.admin.patch(path, { name: "Bakery", attributionWindowDays: 30 });
  await people.admin.patch(`${path}/partners/${world.partner.id}`, { status: "paused", groupId: world.groups[0]?.id });
  await people.owner.put(`${path}/commission-policy`, { type: "flat", amountCents: 1_050, scope: "one_time" });
  const shop = salesFixture(programFixture(world, sharedApi()));
  const { body: sale } = await shop.sell({ transaction_id: "order-9", amount_cents: 49_000 });
  await people.admin.post(`${path}/sales/${sale.sale_id}/correct`, { amountCents: 4_900, reason: "ten times" });
  await people.owner.post(`${path}/api-token/rotate`, {});
  const { data } = (await people.owner.get<{ data: { apiKeys: { id: number }[] } }>(path)).body;
  await people.owner.delete(`${path}/api-keys/${data.apiKeys[1]?.id}`);
  await people.owner.post(`${path}/api-keys`, { name: "Reports", scopes: ["track", "read"], book: "test" });
  const page = await open(world);
  const row = (text: string) => page.getByRole("row").filter({ hasText: text });
  const settings = row("Changed the settings");
  await settings.getByText("admin").waitFor();
  expect(await settings.textContent()).toContain(
    "Name: Test program changed to→ BakeryAttribution window: 60 days changed to→ 30 days",
  );
  expect(await row("Changed partner Anna").textContent()).toMatch(/Status: active changed to→ paused.*Group: Gold/);
  const policy = await row("Changed the commission").textContent();
  expect(policy).toContain("owner");
  expect(policy).toContain("Rate: 20% changed to→ none");
  expect(policy).toContain("Amount: €10.50");
  const corrected = row("Corrected sale order-9");
  expect(await corrected.textContent()).toContain("Amount: €490.00 changed to→ €49.00");
  expect(await corrected.textContent()).toMatch(/Order: order-9 changed to→ order-9~1.*Reason: ten times$/);
  expect(await row("Ended API key").textContent()).toMatch(/Expires: .+ changed to→ /);
  expect(await row("Rotated an API key to svc_").count()).toBe(1);
  expect(await row("Created API key svc_").textContent()).toContain(
    "Name: ReportsScopes: Track events, ReadData: test only",
  );
  await expectAccessible(page);
  await page.getByLabel("Action").selectOption("Sale corrections");
  await expect.poll(() => page.getByRole("table", { name: "Changes" }).getByRole("row").count()).toBe(2);
  await page.getByRole("link", { name: "order-9" }).click();
  await page.getByRole("heading", { level: 1, name: "Sale order-9" }).waitFor();
});

test("the audit trail filters by action, member and date, and shows a bulk decision as one row that links to each commission", {
  tags: "soak",
}, async () => {
  const world = await people.world({ partners: [{ name: "Anna" }, {}] });
  const path = `/api/programs/${world.programId}`;
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("c1");
  const ids: number[] = [];
  for (const order of ["order-1", "order-2", "order-3"])
    ids.push((await shop.sell({ transaction_id: order })).body.commission_id);
  await people.owner.patch(path, { name: "Bakery" });
  for (const id of ids) await people.admin.post(`${path}/commissions/${id}/approve`, {});
  const page = await open(world);
  const rows = page.getByRole("table", { name: "Changes" }).getByRole("row");
  const decisions = rows.filter({ hasText: "Approved 3 commissions" });
  await decisions.waitFor();
  expect(await rows.count()).toBe(3);
  await page.emulateMedia({ media: "print" });
  expect(await decisions.locator("summary").isVisible()).toBe(true);
  await page.emulateMedia({ media: null });
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
  await page.getByRole("button", { name: "Export audit trail" }).click();
  expect((await download).suggestedFilename()).toBe("tributary-bakery-audit.csv");

  await decisions.locator("summary").click();
  await decisions.getByRole("link", { name: "order-2" }).click();
  await page.getByRole("heading", { level: 1, name: /order-2/ }).waitFor();
});

test("audit entries name payouts and partners, link to them, and can be filtered by any member", {
  tags: "soak",
}, async () => {
  const shop = await payoutsFixture(people, { partners: [{ name: "Anna", policies: [{ holdDays: 0 }] }, {}] });
  await shop.earn(1_000, { currency: "USD" });
  const { id } = (await shop.create({ reference: "November", currency: "USD" })).body.data;
  await shop.confirm(id);
  expect((await shop.post("admin", `/${id}/lines/${shop.alice.id}/fail`, { reason: "AC04" })).status).toBe(200);
  const policy = { type: "none", partnerId: shop.alice.id };
  await people.owner.put(`/api/programs/${shop.world.programId}/commission-policy`, policy);
  const page = await open(shop.world);
  const row = (text: string) => page.getByRole("row").filter({ hasText: text });
  const removed = row("Removed the custom commission of Anna");
  await expect.poll(() => removed.locator("li").allTextContents()).toEqual(["Rate: 20% changed to→ none"]);
  const failed = row("Marked the payment to Anna in payout November as failed");
  expect(await failed.getByRole("link").count()).toBe(2);
  expect(await failed.textContent()).toContain("Amount: $10.00 changed to→ $0.00");
  expect((await failed.locator(".words").boundingBox())?.height).toBeLessThan(50);
  await row("Marked payout November as paid").waitFor();

  await page.getByLabel("Action").selectOption("Payouts");
  await expect.poll(() => page.getByRole("row").filter({ hasText: "commission of Anna" }).count()).toBe(0);
  expect(await page.getByLabel("User").locator("option").allInnerTexts()).toEqual([
    ...["All users", "admin", "owner", "suspended", "viewer"],
  ]);
  await failed.getByRole("link", { name: "November" }).click();
  await page.getByRole("heading", { level: 1, name: "November" }).waitFor();
  await page.goBack();
  await failed.getByRole("link", { name: "Anna" }).click();
  await page.getByRole("heading", { level: 1, name: "Anna" }).waitFor();
});

test("the page of the audit trail explains an invalid filter in its URL, and can clear all filters", {
  tags: "soak",
}, async () => {
  const page = await open(await people.world(), "&dateFrom=2026-02-30");
  await page.getByText("The page's address has an invalid start date.").waitFor();
  await page.getByRole("alert").getByRole("button", { name: "Clear filters" }).click();
  await page.getByText("Changes to the program appear here").waitFor();
  await expectAccessible(page);
});
