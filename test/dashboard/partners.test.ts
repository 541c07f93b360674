import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { signUpUsers } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = signUpUsers();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** The text of a partner's row, without its buttons. */
const rowOf = async (page: Page, partner: string, heads: readonly string[]) => {
  const row = page.getByRole("row").filter({ hasText: partner });
  await row.waitFor();
  return Promise.all(heads.map((head) => row.locator(`[data-head="${head}"]`).textContent()));
};

test("a partner is taken in, their link counts clicks, and none while they are paused", async () => {
  const { programId, key } = await people.world({ partners: [] });
  const page = await openDashboard(newContext, { user: people.admin, at: `/programs/${programId}/partners` });
  await page.getByText("No partners yet").waitFor();
  await button(page, "Add your first partner").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Anna");
  await dialog.getByLabel("Code").fill("a");
  await button(page, "Add partner").click();
  await dialog.getByText("Code must be 2 to 64 letters").waitFor();
  await dialog.getByLabel("Code").fill("anna");
  await dialog.getByLabel("Landing page").fill("https://shop.example/spring?page=2");
  await dialog.getByText("https://shop.example/spring?page=2&aff=anna").waitFor();
  await expectAccessible(page);
  await button(page, "Add partner").click();
  await button(page, "Copy link").click();
  const link = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(link).toBe("https://shop.example/spring?page=2&aff=anna");
  const click = async () => (await sharedApi().click({ affiliate_url: link, program_id: programId }, { key })).body;
  expect(await click()).toMatchObject({ success: true, partner_code: "anna" });

  await button(page, "Add another").click();
  await dialog.getByLabel("Name").fill("Another Anna");
  await dialog.getByLabel("Code").fill("ANNA");
  await button(page, "Add partner").click();
  await dialog.getByText("Another partner in this program already has this code").waitFor();
  // The draft is still there when the dialog opens again.
  await button(page, "Close").click();
  await button(page, "Add a partner").click();
  expect(await dialog.getByLabel("Code").inputValue()).toBe("ANNA");
  await button(page, "Discard").click();
  expect(await dialog.getByLabel("Code").inputValue()).toBe("");
  await button(page, "Close").click();

  await button(page, "Pause Anna").click();
  await button(page, "Resume Anna").waitFor();
  expect(await click()).toMatchObject({ success: false });
  await button(page, "Resume Anna").click();
  await button(page, "Pause Anna").waitFor();
  expect(await click()).toMatchObject({ success: true });
});

test("the counts are those of what was sent, and the amounts of one currency", async () => {
  const partners = [{ name: "Alice" }, { name: "Bob" }, { name: "Carol" }];
  const till = salesFixture(programFixture(await people.world({ partners }), sharedApi()));
  const { world, alice, bob } = till;
  for (const session_id of ["v1", "v2", "v3"]) {
    await till.visit({ occurred_at: at(daysAgo(2)), session_id }, { key: world.key });
  }
  await till.refer("c1");
  await till.refer("c2", { partner: bob });
  await till.sale({ customer_key: "c1", amount_cents: 10_000, transaction_id: "one" });
  await till.sale({ customer_key: "c1", amount_cents: 5_050 });
  await till.sale({ customer_key: "c1", amount_cents: 7_777, currency: "USD" });
  await till.sale({ customer_key: "c2", amount_cents: 101 });
  await till.refund({ transaction_id: "one", refund_id: "r", refund_amount_cents: 5_000 });

  const page = await openDashboard(newContext, {
    user: people.viewer,
    at: `/programs/${world.programId}/partners?period=7d`,
  });
  const heads = ["Clicks", "Leads", "Sales", "Revenue", "Commission"];
  const figures = { [alice.code]: ["3", "1", "3", "€150.50", "€20.10"], [bob.code]: ["0", "1", "1", "€1.01", "€0.20"] };
  for (const [row, shown] of Object.entries({ ...figures, Carol: ["0", "0", "0", "€0.00", "€0.00"] }))
    await expect.poll(() => rowOf(page, row, heads)).toEqual(shown);
  await page.getByLabel("Currency").selectOption("USD");
  await expect.poll(() => rowOf(page, alice.code, ["Revenue", "Commission"])).toEqual(["US$77.77", "US$15.55"]);
  await page.getByLabel("Search by name or code").fill(bob.code.toUpperCase());
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  await page.getByLabel("Search by name or code").fill("nobody");
  await page.getByText("No partners found").waitFor();
});

test("one request shows a page, sorted and searched by the service", async () => {
  const partners = Array.from({ length: 52 }, (_, i) => ({ name: `Partner ${String(i).padStart(2, "0")}` }));
  const till = salesFixture(programFixture(await people.world({ partners }), sharedApi()));
  const { world, bob } = till;
  await till.refer("c1");
  await till.refer("c2", { partner: bob });
  await till.sale({ customer_key: "c1", amount_cents: 500 });
  await till.sale({ customer_key: "c2", amount_cents: 700 });
  const page = await openDashboard(newContext, { user: people.viewer, at: `/programs/${world.programId}/overview` });
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.waitForLoadState("networkidle");
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/api\/(tracking\/|programs\/\d+\/)/.test(pathname)) asked.push(pathname);
  });
  await page.getByRole("link", { name: "Partners" }).click();
  const names = () => page.locator(".partner-name button").allInnerTexts();
  const first = async (count: number) => (await names()).slice(0, count);
  await expect.poll(() => first(3)).toEqual(["Partner 01", "Partner 00", "Partner 02"]);
  expect(asked).toEqual([`/api/tracking/performance/${world.programId}/partners`]);
  await page.getByText("1–50 of 52").waitFor();
  expect(await page.getByRole("columnheader", { name: "Revenue" }).getAttribute("aria-sort")).toBe("descending");
  await expectAccessible(page);

  await button(page, "Next").click();
  await expect.poll(names).toEqual(["Partner 50", "Partner 51"]);
  await page.getByText("51–52 of 52").waitFor();
  await button(page, "Partner").click();
  await expect.poll(() => first(2)).toEqual(["Partner 00", "Partner 01"]);
  await button(page, "Partner").click();
  await expect.poll(() => first(2)).toEqual(["Partner 51", "Partner 50"]);
  await button(page, "Sales").click();
  await expect.poll(() => first(3)).toEqual(["Partner 00", "Partner 01", "Partner 02"]);
  await page.getByLabel("Search by name or code").fill(bob.code);
  await expect.poll(names).toEqual(["Partner 01"]);
  expect(new URL(page.url()).searchParams.get("q")).toBe(bob.code);
  await page.getByText("1–1 of 1").waitFor();
});

test("a partner's own commission pays their next sale, until it is ended", async () => {
  const partners = [{ name: "Alice" }, { name: "Bob" }];
  const till = salesFixture(programFixture(await people.world({ partners }), sharedApi()));
  await till.refer("c1");
  const earned = async () => (await till.sell({ amount_cents: 10_000 })).body.commission.amount_cents;
  expect(await earned()).toBe(2_000);
  const page = await openDashboard(newContext, {
    user: people.admin,
    at: `/programs/${till.world.programId}/partners`,
  });
  await button(page, "Alice").click();
  const panel = page.getByRole("dialog", { name: "Alice" });
  await panel.getByText("Program commission: 20% of every sale, held for 15 days.").waitFor();
  await button(page, "Set custom commission").click();
  await panel.getByLabel("Rate").fill("33.3");
  await panel.getByText("A sale of €100.00 today earns €33.30").waitFor();
  await expectAccessible(page);
  await button(page, "Save commission").click();
  await page.getByRole("dialog", { name: "Change this partner's commission?" }).waitFor();
  await button(page, "Change commission").click();
  await panel.getByText("Custom commission: 33.3% of every sale, held for 15 days.").waitFor();
  expect(await earned()).toBe(3_330);
  await button(page, "Remove custom commission").click();
  await panel.getByText("Program commission: 20%").waitFor();
  expect(await earned()).toBe(2_000);

  await panel.getByLabel("Name").fill("Alice Ltd");
  await button(page, "Save name").click();
  await page.getByRole("dialog", { name: "Alice Ltd" }).waitFor();
  await page.keyboard.press("Escape");
  await button(page, "Alice Ltd").waitFor();
});

test("a viewer reads partners, and changes nothing", async () => {
  const { programId } = await people.world({ partners: [{ name: "Anna" }] });
  const page = await openDashboard(newContext, { user: people.viewer, at: `/programs/${programId}/partners` });
  await button(page, "Anna").click();
  await page.getByText("Program commission").waitFor();
  await settled(page);
  const names = await page.getByRole("main").getByRole("button").allInnerTexts();
  expect(names.filter((name) => /add|pause|resume|save|set|change|remove/i.test(name))).toEqual([]);
  expect(await page.getByRole("dialog").getByRole("textbox").count()).toBe(0);
});
