import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { post } from "../support/statements-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const rowsOf = async (page: Page) =>
  Promise.all(
    (await page.getByRole("region", { name: "Entries" }).getByRole("row").all()).map(async (row) =>
      (await row.getByRole("cell").allTextContents()).slice(1).join(" | "),
    ),
  );

/** Shows the statement as it is printed, in the width of A4 without its margins, at 96 pixels per inch. */
async function showPrinted(page: Page): Promise<void> {
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 673, height: 1_000 });
  await page.locator(".sheet-page").first().waitFor();
}

async function open() {
  const settings = { program: { payoutTerms: "Paid on the 1st.\nMinimum €50." }, partners: [{ name: "Anna" }, {}] };
  const world = await people.world({ ...settings, policies: [{ holdDays: 0 }] });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("c1");
  await shop.sell({ transaction_id: "INV-1", amount_cents: 100_000 });
  await shop.giveBack("INV-1", { refund_amount_cents: 25_000, refund_reason: "damaged" });
  await shop.sell({ transaction_id: "INV-2", amount_cents: 5_000, currency: "JPY" });
  return shop;
}

test("a partner's page links to the statement, whose closing balance is the payable balance", {
  tags: "soak",
}, async () => {
  const { world } = await open();
  const page = await openDashboard(newContext, { user: people.viewer, at: `/programs/${world.programId}/partners` });
  await page.getByRole("link", { name: "Anna", exact: true }).click();
  await page.getByRole("link", { name: "Statement" }).click();
  await page.getByRole("heading", { name: "Statement for Anna" }).waitFor();
  await expect
    .poll(() => rowsOf(page))
    .toEqual([
      "",
      expect.stringContaining("Opening balance |  | €0.00"),
      expect.stringMatching(/\d \| Earned, commission [A-Z0-9]{10} \| €200.00 \| €200.00$/),
      expect.stringMatching(/\d \| Refund, commission [A-Z0-9]{10} \| -€50.00 \| €150.00$/),
      expect.stringContaining("Closing balance |  | €150.00"),
    ]);
  await expect.poll(() => page.locator(".sheet .open dd").allTextContents()).toEqual(["€0.00", "€150.00", "€0.00"]);
  await page.getByText("Minimum €50.").waitFor();
  await page.getByLabel("Currency").selectOption("JPY");
  await page.getByText("¥1,000").first().waitFor();
  await settled(page);
  await expectAccessible(page);
  await page.getByRole("link", { name: /^Earned, commission/ }).click();
  await page.getByText("INV-2").first().waitFor();

  const at = `/app/programs/${world.programId}/partners/${world.partner.id}/statement`;
  await page.goto(`${at}?from=2026-01-02&to=2026-01-02`);
  const period = page.locator(".sheet dt", { hasText: "Period" }).locator("+ dd");
  expect(await period.innerText()).toBe("2 Jan 2026");
});

test("a statement prints on A4 without the dashboard, with headings on each page", { tags: "soak" }, async () => {
  const shop = await open();
  const posted = Array.from({ length: 120 }, (_, i) => ({
    at: Date.parse("2026-01-01T00:00:00Z") + i,
    amountCents: i + 1,
  }));
  await post(shop, posted);
  const at = `/programs/${shop.world.programId}/partners/${shop.alice.id}/statement`;
  const page = await openDashboard(newContext, { user: people.viewer, at, theme: "dark" });
  await page.getByRole("heading", { name: "Statement for Anna" }).waitFor();
  await settled(page);
  await page.emulateMedia({ media: "print" });
  await page.locator(".sheet-page").first().waitFor();
  for (const name of ["Print", "Account"]) expect(await page.getByRole("button", { name }).isVisible()).toBe(false);
  expect(await page.getByRole("navigation").isVisible()).toBe(false);
  const ink = await page.evaluate<string>("getComputedStyle(document.querySelector('.sheet h2')).color");
  expect(ink).toBe("rgb(23, 26, 35)");
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
  const sizes = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map(([, w, h]) => [Number(w), Number(h)]);
  expect(sizes.length).toBeGreaterThan(1);
  for (const [width, height] of sizes) {
    expect(width).toBeCloseTo(595, -1);
    expect(height).toBeCloseTo(842, -1);
  }
});

test("a printed statement has one line per row, and 48 rows fit on three pages", { tags: "soak" }, async () => {
  const shop = await open();
  const at = Date.parse("2026-01-01T00:00:00Z");
  await post(
    shop,
    Array.from({ length: 46 }, (_, i) => ({ at: at + i, amountCents: 1_234_567 })),
  );
  const statement = `/programs/${shop.world.programId}/partners/${shop.alice.id}/statement?to=2026-01-31`;
  const page = await openDashboard(newContext, { user: people.viewer, at: statement });
  await page.getByRole("heading", { name: "Statement for Anna" }).waitFor();
  await settled(page);
  await showPrinted(page);
  const lines = await page.evaluate<number[]>(`[...document.querySelectorAll('.sheet td')].map((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return range.getBoundingClientRect().height / parseFloat(getComputedStyle(cell).lineHeight);
  })`);
  expect(lines).toHaveLength(48 * 5);
  expect(Math.max(...lines)).toBeLessThan(1.5);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(673);
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
  expect([...pdf.matchAll(/\/MediaBox/g)].length).toBeLessThanOrEqual(3);
});

test("a statement's period can be a month, and its downloaded file is named after partner and period", {
  tags: "soak",
}, async () => {
  const { world, alice } = await open();
  const at = `/programs/${world.programId}/partners/${alice.id}/statement`;
  const page = await openDashboard(newContext, { user: people.viewer, at });
  await page.getByLabel("Period").selectOption("This month");
  await settled(page);
  const painted = page.evaluate<string>(`new Promise((resolve) => {
    const shown = () => resolve(document.querySelector('.day-filter input').value);
    document.querySelector('[aria-label="Period"]').addEventListener("change", () => requestAnimationFrame(shown));
  })`);
  await page.getByLabel("Period").selectOption("Last month");
  const today = new Date();
  const first = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 1)).toISOString();
  await expect.poll(() => new URL(page.url()).searchParams.get("from")).toBe(first.slice(0, 10));
  expect(await painted, "the first picture of the new period").toBe(first.slice(0, 10));
  await settled(page);
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export statement" }).click();
  expect((await saving).suggestedFilename()).toBe(
    `tributary-test-program-statement-${alice.code.toLowerCase()}-${first.slice(0, 7)}-eur.csv`,
  );
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Export statement" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("a payment and its return are listed in the statement with the payout's reference", { tags: "soak" }, async () => {
  const { world, alice } = await open();
  const payouts = `/api/programs/${world.programId}/payouts`;
  const { body } = await people.admin.post<{ data: { id: number } }>(payouts, {
    currency: "EUR",
    reference: "payout-1",
  });
  expect((await people.admin.post(`${payouts}/${body.data.id}/confirm`, {})).status).toBe(200);
  await people.admin.post(`${payouts}/${body.data.id}/lines/${alice.id}/fail`, { reason: "AC04" });
  const at = `/programs/${world.programId}/partners/${alice.id}/statement`;
  const page = await openDashboard(newContext, { user: people.viewer, at });
  await expect
    .poll(async () => (await rowsOf(page)).slice(4, 6))
    .toEqual([
      " | Payment, reference payout-1 | -€150.00 | €0.00",
      " | Returned payment, reference payout-1 | €150.00 | €150.00",
    ]);
  const sums = await page.locator("dl.sums").innerText();
  expect(sums.split(/\s*\n\s*/).join(" ")).toContain("Returned payments €150.00 Paid -€150.00 Carried forward €150.00");
});

test.each([
  ["a word of 255 letters", "W".repeat(255)],
  ["255 letters from right to left", "ש".repeat(255)],
  ["Arabic with digits", "متجر الكتب «الأول», 24"],
])("a printed statement doesn't cut off %s", { tags: "soak" }, async (_, name) => {
  const world = await people.world({ partners: [{ name }, {}], policies: [{ holdDays: 0, rateBps: 10_000 }] });
  const till = salesFixture(programFixture(world, sharedApi()));
  await till.refer("c1");
  await till.sell({ transaction_id: name, amount_cents: 99_999_999_999 });
  const adjustments = `/api/programs/${world.programId}/partners/${till.alice.id}/adjustments`;
  const bonus = {
    amountCents: 100,
    currency: "EUR",
    reason: "r",
    reference: "b",
    partnerNote: name.repeat(2).slice(0, 500),
  };
  expect((await people.admin.post(adjustments, bonus)).status).toBe(201);
  const at = `/programs/${world.programId}/partners/${till.alice.id}/statement`;
  const page = await openDashboard(newContext, { user: people.viewer, at });
  await page.getByText("Closing balance").waitFor();
  await settled(page);
  await showPrinted(page);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(673);
  const outside = await page.evaluate<
    string[]
  >(`[...document.querySelectorAll('.sheet :is(h2, dd, td, .issuer)')].filter((box) => {
    const range = document.createRange();
    range.selectNodeContents(box);
    const [text, around] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
    return text.width > 0 && (text.left < around.left - 1 || text.right > around.right + 1 || text.bottom > around.bottom + 1);
  }).map((box) => box.outerHTML.slice(0, 200))`);
  expect(outside).toEqual([]);
  expect(await page.locator(".sheet h2").innerText()).toBe(`Statement for ${name}`);
  await expectNumberedPages(page);
});

/**
 * Checks that each part into which the statement was divided is one printed page with its number. Returns the number of
 * pages.
 */
async function expectNumberedPages(page: Page): Promise<number> {
  const numbers = await page.locator(".sheet .page-number > span").allInnerTexts();
  expect(numbers).toEqual(numbers.map((_, i) => `Page ${i + 1} of ${numbers.length}`));
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
  expect([...pdf.matchAll(/\/MediaBox/g)]).toHaveLength(numbers.length);
  return numbers.length;
}

test.each([1, 20, 25, 28, 31, 34, 37, 40, 60, 64, 68, 120])(
  "a printed statement of %i entries has its sums on a page that also contains entries",
  {
    tags: "soak",
  },
  async (count) => {
    const shop = await open();
    const at = Date.parse("2026-01-01T00:00:00Z");
    await post(
      shop,
      Array.from({ length: count }, (_, i) => ({ at: at + i, amountCents: 1_234_567 })),
    );
    const statement = `/programs/${shop.world.programId}/partners/${shop.alice.id}/statement`;
    const page = await openDashboard(newContext, { user: people.viewer, at: statement });
    await page.getByRole("heading", { name: "Statement for Anna" }).waitFor();
    await settled(page);
    await showPrinted(page);
    await expectNumberedPages(page);
    const last = page.locator(".sheet-page").last();
    expect(await last.locator("tbody tr").count()).toBeGreaterThanOrEqual(3);
    await last.getByText("Carried forward").waitFor();
  },
);

test("the statement of an unknown partner is reported as not found", { tags: "soak" }, async () => {
  const { world } = await open();
  const page = await openDashboard(newContext, {
    user: people.viewer,
    at: `/programs/${world.programId}/partners/987654321/statement`,
  });
  await page.getByText("Partner not found").waitFor();
});

test("payout terms keep their line breaks when they are edited", { tags: "soak" }, async () => {
  const { world } = await open();
  const at = `/programs/${world.programId}/settings?section=payouts`;
  const page = await openDashboard(newContext, { user: people.owner, at });
  const field = page.getByRole("textbox", { name: "Terms" });
  expect(await field.inputValue()).toBe("Paid on the 1st.\nMinimum €50.");
  await field.press("End");
  await field.press("Enter");
  await field.pressSequentially("By bank transfer.");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.").waitFor();
  const [program] = await world.rows("select payout_terms as terms from programs where id = ?", world.programId);
  expect(String(program?.terms).split("\n")).toHaveLength(3);
});
