import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { choosePartner, expectAccessible, openDashboard, openMenu, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Returns the text of a partner's row, without its buttons. */
const rowOf = async (page: Page, partner: string, heads: readonly string[]) => {
  const row = page.getByRole("row").filter({ hasText: partner });
  await row.waitFor();
  return Promise.all(heads.map((head) => row.locator(`[data-head="${head}"]`).textContent()));
};

test("clicks on a new partner's link are counted, except while the partner is paused", async () => {
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
  // The entered text is still there when the dialog opens again.
  await button(page, "Close").click();
  await button(page, "Add a partner").click();
  expect(await dialog.getByLabel("Code").inputValue()).toBe("ANNA");
  await button(page, "Discard").click();
  expect(await dialog.getByLabel("Code").inputValue()).toBe("");
  await button(page, "Close").click();

  await openMenu(page, "Actions for Anna");
  await expectAccessible(page);
  await button(page, "Pause…").click();
  await page.getByRole("dialog", { name: "Pause Anna?" }).getByText("Payouts leave the partner out").waitFor();
  await expectAccessible(page);
  expect(await click()).toMatchObject({ success: true });
  await button(page, "Pause partner").click();
  await page.getByRole("row").getByText("Paused").waitFor();
  const focused = () => page.evaluate<string>("document.activeElement.tagName");
  await expect.poll(focused, { message: "focus returns to the row's menu" }).toBe("SUMMARY");
  expect(await click()).toMatchObject({ success: false });
  await button(page, "Undo").click();
  await page.getByText("Anna is active again.").waitFor();
  await expect.poll(() => page.getByRole("row").getByText("Paused").count()).toBe(0);
  expect(await click()).toMatchObject({ success: true });
});

test("a partner's counts match the events sent, and amounts are in one currency", { tags: "soak" }, async () => {
  const partners = [{ name: "Alice" }, { name: "Bob" }, { name: "Carol" }];
  const shop = salesFixture(programFixture(await people.world({ partners }), sharedApi()));
  const { world, alice, bob } = shop;
  for (const session_id of ["v1", "v2", "v3"]) {
    await shop.visit({ occurred_at: at(daysAgo(2)), session_id }, { key: world.key });
  }
  await shop.refer("c1");
  await shop.refer("c2", { partner: bob });
  await shop.sale({ customer_key: "c1", amount_cents: 10_000, transaction_id: "one" });
  await shop.sale({ customer_key: "c1", amount_cents: 5_050 });
  await shop.sale({ customer_key: "c1", amount_cents: 7_777, currency: "USD" });
  const { commission_id: approved } = await shop.sale({ customer_key: "c2", amount_cents: 101 });
  await people.admin.post(`/api/programs/${world.programId}/commissions/${approved}/approve`, {});
  await shop.refund({ transaction_id: "one", refund_id: "r", refund_amount_cents: 5_000 });

  const page = await openDashboard(newContext, {
    user: people.viewer,
    at: `/programs/${world.programId}/partners?period=7d`,
  });
  const heads = ["Clicks", "Sales", "Sales per click", "Revenue", "Commission", "To pay"];
  const figures = {
    [alice.code]: ["3", "3", "100%", "€150.50", "€20.10", "–"],
    [bob.code]: ["–", "1", "–", "€1.01", "€0.20", "€0.20"],
    Carol: ["–", "–", "–", "–", "–", "–"],
    "Total of 3 partners": ["3", "4", "133.33%", "€151.51", "€20.30", "€0.20"],
  };
  for (const [row, shown] of Object.entries(figures)) await expect.poll(() => rowOf(page, row, heads)).toEqual(shown);
  await page.getByLabel("Currency").selectOption("USD");
  await expect.poll(() => rowOf(page, alice.code, ["Revenue", "Commission"])).toEqual(["$77.77", "$15.55"]);
  await page.getByLabel(/Search by name/).fill(bob.code.toUpperCase());
  await expect.poll(() => page.getByRole("row").count()).toBe(3);
  await page.getByText("Total of 1 partner").waitFor();
  await page.getByLabel(/Search by name/).fill("nobody");
  await page.getByText("No partners found").waitFor();
});

test("one request loads a page of the list of partners, and the service sorts and searches the list", {
  tags: "soak",
}, async () => {
  const partners = Array.from({ length: 52 }, (_, i) => ({ name: `Partner ${String(i).padStart(2, "0")}` }));
  const shop = salesFixture(programFixture(await people.world({ partners }), sharedApi()));
  const { world, bob } = shop;
  await shop.refer("c1");
  await shop.refer("c2", { partner: bob });
  await shop.sale({ customer_key: "c1", amount_cents: 500 });
  await shop.sale({ customer_key: "c2", amount_cents: 700 });
  const page = await openDashboard(newContext, { user: people.viewer, at: `/programs/${world.programId}/overview` });
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.waitForLoadState("networkidle");
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/api\/(tracking\/|programs\/\d+\/)/.test(pathname)) asked.push(pathname);
  });
  await page.getByRole("link", { name: "Partners" }).click();
  const names = () => page.locator(".partner-name a").allInnerTexts();
  const first = async (count: number) => (await names()).slice(0, count);
  await expect.poll(() => first(3)).toEqual(["Partner 01", "Partner 00", "Partner 02"]);
  const landings = `/api/programs/${world.programId}/unknown-codes`;
  expect(asked.filter((path) => path !== landings)).toEqual([`/api/tracking/performance/${world.programId}/partners`]);
  await page.getByText("1–50 of 52").waitFor();
  expect(await page.getByRole("columnheader", { name: "Revenue" }).getAttribute("aria-sort")).toBe("descending");
  await expectAccessible(page);

  await button(page, "Next").click();
  await expect.poll(names).toEqual(["Partner 50", "Partner 51"]);
  await page.getByText("51–52 of 52").waitFor();
  await page.getByLabel("Page", { exact: true }).selectOption("Page 1 of 2");
  await page.getByText("1–50 of 52").waitFor();
  await page.getByLabel("Page", { exact: true }).selectOption("Page 2 of 2");
  await page.getByText("51–52 of 52").waitFor();
  await button(page, "Partner").click();
  await expect.poll(() => first(2)).toEqual(["Partner 00", "Partner 01"]);
  await button(page, "Partner").click();
  await expect.poll(() => first(2)).toEqual(["Partner 51", "Partner 50"]);
  await button(page, "Sales").click();
  await expect.poll(() => first(3)).toEqual(["Partner 00", "Partner 01", "Partner 02"]);
  await page.getByLabel(/Search by name/).fill(bob.code);
  await expect.poll(names).toEqual(["Partner 01"]);
  expect(new URL(page.url()).searchParams.get("q")).toBe(bob.code);
  await page.getByText("1 of 1", { exact: true }).waitFor();
  const search = page.getByLabel(/Search by name/);
  await search.fill((await search.getAttribute("placeholder")) ?? "");
  const hidden = await page.evaluate<number>("document.activeElement.scrollWidth - document.activeElement.clientWidth");
  expect(hidden, "of the placeholder").toBe(0);
});

test("the partners' numbers are dimmed while another period loads, even if loading fails", {
  tags: "soak",
}, async () => {
  const { page } = await openAlice();
  const table = page.getByRole("region", { name: "Partners" });
  await expect.poll(() => table.getAttribute("aria-busy")).toBe("false");
  await page.route("**/api/tracking/performance/**", (route) => route.fulfill({ status: 503, body: "" }));
  await page.getByLabel("Period").selectOption("90d");
  await page.getByText("Can't reach Tributary.").waitFor();
  expect(await table.getAttribute("aria-busy")).toBe("true");
  await page.unroute("**/api/tracking/performance/**");
  await expect.poll(() => table.getAttribute("aria-busy")).toBe("false");
});

test("a partner's own commission policy applies from the partner's next sale until an admin removes the policy", {
  tags: "soak",
}, async () => {
  const partners = [{ name: "Alice" }, { name: "Bob" }];
  const shop = salesFixture(programFixture(await people.world({ partners }), sharedApi()));
  await shop.refer("c1");
  const earned = async () => (await shop.sell({ amount_cents: 10_000 })).body.commission.amount_cents;
  expect(await earned()).toBe(2_000);
  const at = `/programs/${shop.world.programId}/partners/${shop.alice.id}?tab=details`;
  const page = await openDashboard(newContext, { user: people.admin, at });
  const panel = page.getByRole("region", { name: "Commission" });
  await panel.getByText("Commission of the program: 20% of each sale, held for 15 days.").waitFor();
  await button(page, "Set custom commission").click();
  await panel.getByLabel("Rate").fill("33.3");
  await panel.getByText("A sale of €100.00 today earns €33.30").waitFor();
  await expectAccessible(page);
  await button(page, "Save commission").click();
  await page.getByRole("dialog", { name: "Change this partner's commission?" }).waitFor();
  await button(page, "Change commission").click();
  await panel.getByText("Custom commission: 33.3% of each sale, held for 15 days.").waitFor();
  expect(await earned()).toBe(3_330);
  await button(page, "Remove custom commission").click();
  const question = page.getByRole("dialog", { name: "Remove custom commission?" });
  await question.getByText("20% of each sale, held for 15 days.").waitFor();
  await question.getByRole("button", { name: "Remove custom commission" }).click();
  await page.getByText("Custom commission removed.").waitFor();
  await panel.getByText("Commission of the program: 20%").waitFor();
  expect(await earned()).toBe(2_000);
});

/** Opens a program with a click on Alice's link, her customer "c1" and one sale. */
async function openAlice(user = people.admin, query = "") {
  const shop = salesFixture(
    programFixture(await people.world({ partners: [{ name: "Alice" }, { name: "Bob" }] }), sharedApi()),
  );
  const { world, alice } = shop;
  await shop.visit({ occurred_at: at(daysAgo(2)), session_id: "v1" }, { key: world.key });
  await shop.refer("c1");
  await shop.sell({ transaction_id: "order-1", amount_cents: 10_000 });
  const page = await openDashboard(newContext, { user, at: `/programs/${world.programId}/partners${query}` });
  return { shop, alice, page };
}

test("an admin edits and clears a partner's email and landing page, and edits the name", { tags: "soak" }, async () => {
  const { alice, page } = await openAlice(people.admin);
  await openMenu(page, "Actions for Alice");
  await page.getByRole("link", { name: "Edit" }).click();
  const details = page.getByRole("region", { name: "Details" });
  await details.getByLabel("Name").fill("Alice Ltd");
  await details.getByLabel("Email").fill("alice");
  await button(page, "Save details").click();
  await details.getByText("Enter a valid email address.").waitFor();
  await details.getByLabel("Email").fill("alice@people.example");
  await details.getByLabel("Landing page").fill("shop.example/spring");
  await button(page, "Save details").click();
  await page.getByRole("heading", { level: 1, name: "Alice Ltd" }).waitFor();
  await details.getByText(`https://shop.example/spring?aff=${alice.code}`).waitFor();
  await expectAccessible(page);
  await details.getByLabel("Email").fill("");
  await button(page, "Save details").click();
  await expect.poll(() => button(page, "Discard").count()).toBe(0);
  await page.reload();
  await details.getByLabel("Landing page").waitFor();
  expect(await details.getByLabel("Email").inputValue()).toBe("");
});

test("the partner filter searches on the server, also by keyboard", { tags: "soak" }, async () => {
  const partners = Array.from({ length: 25 }, (_, i) => ({ name: `Partner ${String(i).padStart(2, "0")}` }));
  const { programId } = await people.world({ partners: [...partners, { name: "Zoë" }] });
  const page = await openDashboard(newContext, { user: people.viewer, at: `/programs/${programId}/commissions` });
  await settled(page);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).search));
  const field = page.getByRole("combobox", { name: "Partner" });
  const options = page.getByRole("listbox", { name: "Partners" }).getByRole("option");
  await field.focus();
  expect(await field.getAttribute("aria-expanded")).toBe("false");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => options.count()).toBe(21);
  await expectAccessible(page);
  // The only match is marked. Enter also chooses it if it is pressed before the match is found.
  await field.pressSequentially("zo");
  await page.keyboard.press("Enter");
  await page.waitForURL(/partnerId=\d+/);
  await expect.poll(() => field.inputValue()).toBe("Zoë");
  await field.fill("Partner 2");
  await expect.poll(() => options.count()).toBe(5);
  await page.keyboard.press("ArrowUp");
  const marked = page.locator(`[id="${await field.getAttribute("aria-activedescendant")}"]`);
  expect(await marked.innerText()).toBe(await options.last().innerText());
  expect(await marked.getAttribute("aria-selected")).toBe("true");
  await page.keyboard.press("Escape");
  expect(await field.inputValue()).toBe("Zoë");
  expect(asked).toContain("?limit=20&search=zo");
  expect(asked.filter((search) => search.includes("cursor"))).toEqual([]);
  await choosePartner(page, undefined);
  await page.waitForURL((url) => !url.search.includes("partnerId"));
});

test("a viewer reads partners, but can't change them", { tags: "soak" }, async () => {
  const { page } = await openAlice(people.viewer);
  await openMenu(page, "Actions for Alice");
  const names = await page.getByRole("main").getByRole("button").allInnerTexts();
  expect(names.filter((name) => /add|pause|resume|save|set|change|remove/i.test(name))).toEqual([]);
  expect(await page.getByRole("link", { name: "Edit" }).count()).toBe(0);
});

test("after adding a partner with an email address, a user is led to the partner's invitation", {
  tags: "soak",
}, async () => {
  const { programId } = await people.world();
  const page = await openDashboard(newContext, { user: people.owner, at: `/programs/${programId}/partners` });
  await page.getByRole("button", { name: "Add a partner" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Heath Hikers");
  await dialog.getByLabel("Code").fill("heath");
  await dialog.getByLabel("Email").fill("heath@hikers.example");
  await dialog.getByRole("button", { name: "Add partner" }).click();
  await dialog.getByText("until you invite them at heath@hikers.example").waitFor();
  await dialog.getByRole("button", { name: "Invite…" }).click();
  await page
    .getByRole("dialog", { name: "Invite Heath Hikers" })
    .getByRole("button", { name: "Create invite link" })
    .waitFor();
});
