import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled, themes } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

type Shop = Awaited<ReturnType<typeof payoutsFixture>>;

const hostile = "<img src=x onerror=alert(1)> \u202Etxt";

const openShop = (settings: Parameters<typeof payoutsFixture>[1] = {}) =>
  payoutsFixture(people, { partners: [{ name: hostile, code: "hostile" }, { name: "Bob" }], ...settings });

const bonus = async (shop: Shop, partnerId: number, amountCents: number, reference: string) => {
  const to = `/api/programs/${shop.world.programId}/partners/${partnerId}/adjustments`;
  const body = { amountCents, currency: "EUR", reason: "agreed", reference };
  expect((await people.admin.post(to, body)).status).toBe(201);
};

/** Two payouts, one of them paid; refunds before and after; a correction; bonuses, a debt, and a second currency. */
async function lived() {
  const shop = await openShop();
  await shop.visit();
  const refunded = await shop.earn(2_000);
  const debt = await shop.earn(700, { partner: shop.bob });
  await shop.earn(1_000);
  const { id: paid } = (await shop.create({ reference: "October. 1" })).body.data;
  await shop.confirm(paid);
  await shop.refund({ transaction_id: refunded.transaction_id, refund_id: "r1", refund_amount_cents: 5_000 });
  await shop.refund({ transaction_id: debt.transaction_id, refund_id: "r2", refund_amount_cents: 3_500 });
  await shop.earn(4_000);
  await bonus(shop, shop.alice.id, 500, "bonus");
  const { id: final } = (await shop.create({ reference: "November" })).body.data;
  expect((await shop.finalize(final)).status).toBe(200);
  const later = await shop.earn(3_000);
  await shop.refund({ transaction_id: later.transaction_id, refund_id: "r3", refund_amount_cents: 2_500 });
  await shop.earn(1_234, { currency: "USD" });
  return { shop, paid, final };
}

/** In the smallest unit of a currency with two decimals. */
const centsOf = (text: string): number =>
  Math.round(Number(text.replaceAll(/[^\d.]/g, "")) * 100) * (/[-−]/.test(text) ? -1 : 1);

const sum = (texts: readonly string[]): number => texts.reduce((all, text) => all + centsOf(text), 0);

const drawerOf = (page: Page) => page.getByRole("dialog");

interface Opened {
  readonly clicked: number;
  readonly shown: number;
  /** Undefined if the rows alone make the sum. */
  readonly terms: number | undefined;
  readonly rows: number;
}

async function openReasons(page: Page, label: string): Promise<Opened> {
  const drawer = drawerOf(page);
  await page.getByRole("main").getByRole("button", { name: label, exact: true }).first().click();
  await drawer.locator(".reasons-sum dd").waitFor();
  await expect.poll(() => drawer.locator('[aria-busy="true"]').count(), { message: label }).toBe(0);
  const texts = (selector: string) => drawer.locator(selector).allInnerTexts();
  const [shown = ""] = await texts(".reasons-sum dd");
  const terms = await texts(".reasons-terms > div:not(.reasons-sum) dd");
  return {
    clicked: centsOf(label.split(": reasons for ")[0] ?? ""),
    shown: centsOf(shown),
    terms: terms.length === 0 ? undefined : sum(terms),
    rows: sum(await texts(".reasons-rows li > :last-child")),
  };
}

/** Every amount of the page opens a drawer with the same amount, whose parts add up to it. */
async function expectReasons(page: Page, summedByRows: RegExp = /^$/): Promise<string[]> {
  await settled(page);
  const buttons = page.getByRole("main").locator("button.why-money");
  await buttons.first().waitFor();
  const labels = await buttons.evaluateAll((all) => all.map((each) => each.getAttribute("aria-label") ?? ""));
  for (const label of new Set(labels)) {
    const { clicked, shown, terms, rows } = await openReasons(page, label);
    expect(shown, label).toBe(clicked);
    if (terms === undefined || summedByRows.test(label)) expect(rows, `rows: ${label}`).toBe(clicked);
    else expect(terms, `terms: ${label}`).toBe(clicked);
    await page.keyboard.press("Escape");
    await expect.poll(() => drawerOf(page).count()).toBe(0);
  }
  return labels;
}

/** Places with amounts, below the apps. */
const placesOf = ({ world, alice, bob }: Shop, payouts: readonly number[]) =>
  [
    ["app", `/programs/${world.programId}/overview`],
    ["app", `/programs/${world.programId}/overview?partnerId=${alice.id}`],
    ["app", `/programs/${world.programId}/payouts`],
    ["app", `/programs/${world.programId}/payouts?currency=USD`],
    ["app", `/programs/${world.programId}/partners/${alice.id}`],
    ["app", `/programs/${world.programId}/partners/${bob.id}`],
    ...payouts.map((id) => ["app", `/programs/${world.programId}/payouts/${id}`] as const),
    ["app", `/programs/${world.programId}/partners/${alice.id}/statement`],
    ["app", `/programs/${world.programId}/partners/${alice.id}/statement?number=1`],
    ["partner", `/programs/${world.programId}/partners/${alice.id}?as=owner`],
    ["partner", `/programs/${world.programId}/partners/${bob.id}?as=owner`],
    ["partner", `/programs/${world.programId}/partners/${alice.id}/payouts?as=owner`],
    ["partner", `/programs/${world.programId}/partners/${alice.id}/payouts?as=owner&tab=statement`],
  ] as const;

test("every amount opens reasons that add up to it, on all pages", async () => {
  const { shop, paid, final } = await lived();
  for (const [app, at] of placesOf(shop, [paid, final])) {
    const page = await openDashboard(newContext, { user: people.owner, app, at });
    const labels = await expectReasons(page, /reasons for (on hold|to pay or in payout|revenue|commission)$/);
    expect(labels.length, at).toBeGreaterThan(0);
    await page.context().close();
  }
});
