/** @module-tag soak */
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import {
  expectAccessible,
  expectCurrentInSight,
  expectNoSidewaysScroll,
  openDashboard,
  settled,
  type Width,
} from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const longName = "The Honourable Society of Extraordinarily Long Names in Northern Outdoor and Mountaineering";

async function openSold(): Promise<SalesFixture> {
  const partners = [{ name: longName }, { name: "Basecamp Notes" }];
  const world = await people.world({ partners, policies: [{ holdDays: 0 }] });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("c1");
  await shop.sell({ transaction_id: "order-1", amount_cents: 99_999_999_999 });
  await shop.giveBack("order-1", {
    refund_amount_cents: 100,
    refund_reason: "damaged on the long way to the customer",
  });
  await shop.refer("c2", { partner: shop.bob });
  await shop.sell({ transaction_id: "order-2", customer_key: "c2" });
  return shop;
}

async function open({ world }: SalesFixture, path: string, width: Width = "phone"): Promise<Page> {
  const page = await openDashboard(newContext, {
    user: people.owner,
    at: `/programs/${world.programId}/${path}`,
    width,
  });
  await settled(page);
  return page;
}

const row = (page: Page, text: string) => page.locator("tbody tr").filter({ hasText: text });

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (box === null) throw new Error(`not shown: ${locator}`);
  return box;
}

async function expectAmountsInSight(page: Page): Promise<void> {
  await expectNoSidewaysScroll(page);
  const amounts = await page.locator("tbody .figures").all();
  expect(amounts.length).toBeGreaterThan(0);
  for (const amount of amounts) {
    const { x, width } = await boxOf(amount);
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(390);
  }
}

test("on a phone, a statement shows each amount without scrolling sideways", { tags: "soak" }, async () => {
  const shop = await openSold();
  const page = await open(shop, `partners/${shop.alice.id}/statement`);
  expect(await row(page, "Refund, commission").locator(".figures").allInnerTexts()).toEqual([
    "-€0.20",
    "€199,999,999.80",
  ]);
  await expectAmountsInSight(page);
  await expectAccessible(page);
});

test.each(
  sampled([
    ["partners", longName, 100],
    ["payouts", longName, 110],
  ]),
)("on a phone, a row of %s is a card of two or three lines", { tags: "soak" }, async (path, name, highest) => {
  const page = await open(await openSold(), path);
  expect((await boxOf(row(page, name))).height).toBeLessThan(highest);
  await expectAmountsInSight(page);
  await expectAccessible(page);
});

test("on a phone, a payout line says that the partner has no email address", { tags: "soak" }, async () => {
  const { world } = await openSold();
  const payouts = `/api/programs/${world.programId}/payouts`;
  const { body } = await people.admin.post<{ data: { id: number } }>(payouts, { currency: "EUR" });
  expect((await people.admin.post(`${payouts}/${body.data.id}/finalize`, {})).status).toBe(200);
  const at = `/programs/${world.programId}/payouts/${body.data.id}`;
  const page = await openDashboard(newContext, { user: people.admin, at, width: "phone" });
  await page.getByRole("table", { name: "Lines" }).getByText("No email address").first().waitFor();
});

test.each(
  sampled([
    ["phone", 44],
    ["laptop", 24],
  ] as const),
)("on a %s, the touch target of a checkbox is at least %i px", async (width, target) => {
  const page = await open(await openSold(), "payouts", width);
  for (const path of ["payouts", "commissions?status=approved"]) {
    await page.goto(page.url().replace(/[^/]*$/, path));
    const label = page.locator("tbody label").first();
    const checkbox = label.getByRole("checkbox");
    await checkbox.waitFor();
    expect((await boxOf(checkbox)).width).toBeGreaterThanOrEqual(16);
    const { width: across, height } = await boxOf(label);
    expect(Math.min(across, height)).toBeGreaterThanOrEqual(target);
    await label.click({ position: { x: 1, y: 1 } });
    expect(await checkbox.isChecked()).toBe(true);
    await label.click({ position: { x: across - 1, y: height - 1 } });
    expect(await checkbox.isChecked()).toBe(false);
  }
});

test("the table of the audit trail wraps long names and codes, and doesn't scroll sideways", {
  tags: "soak",
}, async () => {
  const shop = await openSold();
  const path = `/api/programs/${shop.world.programId}/partners`;
  const { status } = await people.owner.post(path, { name: longName, code: "L".padEnd(60, "0") });
  expect(status).toBe(201);
  const page = await open(shop, "settings?section=audit", "laptop");
  await page.setViewportSize({ width: 1024, height: 900 });
  const table = page.locator(".table-scroll");
  await table.waitFor();
  const widths = await table.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
  expect(widths[0]).toBe(widths[1]);
});

test("on a phone, the tab of the selected commission status is in view", { tags: "soak" }, async () => {
  const page = await open(await openSold(), "commissions?status=void");
  await expectCurrentInSight(page);
});
