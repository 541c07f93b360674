import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { namedByCode } from "../../dashboard/src/named-by-code.ts";
import type { Session } from "../../harness/session.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { at, daysAgo, inTestMode, minute, type ProgramFixture, programFixture } from "../support/program-fixture.ts";
import { allAtOnce, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

async function createShop(settings = {}) {
  const world = await people.world({ partners: [{ name: "Alice" }, { name: "Bob" }], ...settings });
  return programFixture(world, sharedApi());
}

const open = ({ world }: Pick<ProgramFixture, "world">, path: string, user: Session = people.viewer) =>
  openDashboard(newContext, { user, at: `/programs/${world.programId}/${path}` });

const section = (page: Page, name: string) => page.getByRole("region", { name });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Records a sale of 49.00 by Alice's customer "u1", and refunds half of it. */
async function sellRefunded(shop: ProgramFixture) {
  const { alice, world } = shop;
  const visit = { page_url: `${alice.landingUrl}&utm_source=letter`, occurred_at: at(daysAgo(5)) };
  const { click_id } = await shop.visit(visit, { key: world.key });
  await shop.lead({ customer_key: "u1", click_id, occurred_at: at(daysAgo(2)) });
  const order = { transaction_id: "INV-1", customer_key: "u1", amount_cents: 4_900, occurred_at: at(daysAgo(1)) };
  const sale = await shop.sale(order);
  const refund = { refund_id: "r1", refund_amount_cents: 2_450, refund_reason: "half of it" };
  await shop.refund({ transaction_id: "INV-1", ...refund });
  return sale;
}

test("the explanation of a sale takes two requests, one of them for its partner's name, shows all sections, and is found by the order id", async () => {
  const shop = await createShop();
  const { code } = shop.alice;
  const sale = await sellRefunded(shop);
  const page = await open(shop, "overview");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.waitForLoadState("networkidle");
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/api\/(tracking\/|programs\/\d+\/)/.test(pathname) && !/\/(to-do|readiness\/\d+)$/.test(pathname))
      asked.push(pathname);
  });
  await page.goto(`/app/programs/${shop.world.programId}/explain?saleId=${sale.sale_id}`);
  await page.getByRole("heading", { level: 1, name: "Sale INV-1" }).waitFor();
  await section(page, "Verdict").getByText(` (${code}) earned €4.90 on this sale`).waitFor();
  await section(page, "Verdict").getByText("On hold", { exact: true }).waitFor();
  expect(await section(page, "Calculation").getByRole("listitem").allInnerTexts()).toEqual([
    expect.stringMatching(/^Sale of €49\.00\s+€49\.00$/),
    expect.stringMatching(/^20% of €49\.00 = €9\.80\s+€9\.80$/),
    expect.stringMatching(/^€4\.90 less for refund "r1"\s+€4\.90$/),
  ]);
  const entries = section(page, "Ledger entries").getByRole("listitem");
  await entries.filter({ hasText: "Earned with sale INV-1" }).getByText("€9.80").waitFor();
  await entries.filter({ hasText: "Reversed for refund r1" }).getByText("-€4.90").waitFor();
  const moments = page.locator(".moment");
  const titles = [expect.stringMatching(/^Click of [^(]+ \(\w+\)$/), "Lead", "Sale of €49.00", "Refund of €24.50"];
  await expect.poll(() => moments.locator("strong").allInnerTexts()).toEqual(titles);
  await moments.first().getByText(`Landed on ${shop.alice.landingUrl}&utm_source=letter`).waitFor();
  await moments.last().getByText("Reason given: half of it").waitFor();
  expect(await page.locator(".moment[aria-current]").innerText()).toContain("Sale of €49.00");
  await section(page, "Clicks considered")
    .getByText(/It was 3 days old[^.]*, and the window was 60 days\./)
    .waitFor();
  await section(page, "Settings at the time").getByText("Last click").waitFor();
  expect(asked).toEqual([
    `/api/tracking/explain/${shop.world.programId}`,
    `/api/programs/${shop.world.programId}/partners`,
  ]);
  await expectAccessible(page);

  await page.getByRole("link", { name: "Refund of €24.50" }).click();
  await page.getByRole("heading", { level: 1, name: "Refund r1 of sale INV-1" }).waitFor();
  await section(page, "Verdict").getByText("took €4.90 from the commission").waitFor();
  await page.getByRole("link", { name: "u1", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Customer u1" }).waitFor();
  await moments.getByRole("link", { name: "Lead" }).click();
  await page.getByRole("heading", { level: 1, name: "Lead u1" }).waitFor();
  await page.getByRole("link", { name: new RegExp(`^Click of .+ \\(${code}\\)$`) }).click();
  await page.getByRole("heading", { level: 1, name: "Click" }).waitFor();
  await section(page, "Verdict").getByText("brought a customer and led to 1 sale").waitFor();
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Lead u1" }).waitFor();

  const search = page.getByRole("searchbox", { name: "Search orders, customers and partners" });
  await search.fill("INV-1");
  await search.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Search for “INV-1”" }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "Sale INV-1", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Sale INV-1" }).waitFor();
});

test("an explanation shows the current settings next to the former settings that decided the sale", {
  tags: "soak",
}, async () => {
  const shop = await createShop();
  const sale = await sellRefunded(shop);
  const change = { attributionModel: "first_click", attributionWindowDays: 30 };
  expect((await people.admin.patch(`/api/programs/${shop.world.programId}`, change)).status).toBe(200);
  const page = await open(shop, `explain?saleId=${sale.sale_id}`);
  const settings = section(page, "Settings at the time");
  await settings.getByText("Last click (now: First click)").waitFor();
  await settings.getByText("60 days (now: 30 days)").waitFor();
  await expectAccessible(page);
});

test("an explanation shows a commission's unrounded amount in one step only", { tags: "soak" }, async () => {
  const shop = await createShop();
  await shop.lead({ customer_key: "u1", click_id: shop.click(shop.alice) });
  const sale = await shop.sale({ transaction_id: "INV-1", customer_key: "u1", amount_cents: 4_904 });
  const page = await open(shop, `explain?saleId=${sale.sale_id}`);
  const steps = section(page, "Calculation").getByRole("listitem");
  await steps.first().waitFor();
  expect(await steps.allInnerTexts()).toEqual([
    expect.stringMatching(/^Sale of €49\.04\s+€49\.04$/),
    "20% of €49.04 = €9.808",
    expect.stringMatching(/^Rounded half up to €9\.81\s+€9\.81$/),
  ]);
});

test("a button copies the whole explanation as text", { tags: "soak" }, async () => {
  const shop = await createShop();
  const sale = await sellRefunded(shop);
  const page = await open(shop, `explain?saleId=${sale.sale_id}`);
  await button(page, "Copy as text").click();
  await page.getByText("Copied to the clipboard.").waitFor();
  const text = await page.evaluate<string>("navigator.clipboard.readText()");
  const soldAt = /^- (\d+ \w+ \d{4}, \d+:\d\d UTC): Sale of/m.exec(text)?.[1] ?? "";
  expect(Date.parse(soldAt.replace(",", ""))).toBe(Math.floor(Date.parse(at(daysAgo(1))) / 60_000) * 60_000);
  for (const line of [
    `Sale INV-1\nPartner ${shop.alice.code} earned €4.90 on this sale`,
    'Calculation\n- Sale of €49.00: €49.00\n- 20% of €49.00 = €9.80: €9.80\n- €4.90 less for refund "r1": €4.90\n',
    "Reversed for refund r1: -€4.90, by API key",
    `- ${soldAt}: Sale of €49.00\n  Order INV-1\n  Customer u1`,
    ", and the window was 60 days. (",
    "- Attribution model: Last click\n- Attribution window: 60 days",
  ])
    expect(text).toContain(line);
  expect(text.endsWith(`\n\n${page.url()}`)).toBe(true);
});

test("each event's row links to the event's explanation in live and test mode, and a refund's row to the refunded sale", {
  tags: "soak",
}, async () => {
  const shop = await createShop();
  await sellRefunded(shop);
  await shop.sale({ transaction_id: "tested", customer_key: "x", ...inTestMode });
  const page = await open(shop, "events?test=include");
  for (const [row, title, query] of [
    ["Sale INV-1", "Sale INV-1", /saleId=\d+$/],
    ["Refund INV-1", "Sale INV-1", /transactionId=INV-1$/],
    ["Lead u1", "Lead u1", /leadId=\d+$/],
    [/^Click /, "Click", /clickId=[\w-]+$/],
    ["Sale tested", "Sale tested", /saleId=\d+&testMode=true$/],
  ] as const) {
    await page.getByRole("link", { name: row }).click();
    await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    expect(page.url()).toMatch(query);
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Events", exact: true }).waitFor();
  }
});

test("an explanation without a commission states what is missing and what to do, and for a test event it links to test data", {
  tags: "soak",
}, async () => {
  const shop = await createShop({ policies: [{ scope: "one_time" }] });
  const { alice, bob } = shop;
  await shop.sale({ transaction_id: "organic", customer_key: "nobody" });
  await shop.lead({ customer_key: "late", click_id: shop.click(alice, daysAgo(100)), occurred_at: at(daysAgo(30)) });
  await shop.sale({ transaction_id: "late", customer_key: "late" });
  const altered = shop.click(alice, daysAgo(4)).replace(/.(?=.{20}$)/, (letter) => (letter === "A" ? "B" : "A"));
  await shop.lead({
    customer_key: "two",
    click_ids: [shop.click(alice, daysAgo(3)), shop.click(bob, daysAgo(2)), altered],
  });
  await shop.sale({ transaction_id: "first", customer_key: "two", occurred_at: at(daysAgo(0, -2 * minute)) });
  await shop.sale({ transaction_id: "second", customer_key: "two", occurred_at: at(daysAgo(0, -minute)) });
  await shop.sale({ transaction_id: "tested", customer_key: "x", ...inTestMode });
  const page = await open(shop, "explain?transactionId=organic");
  const missing = section(page, "What is missing");
  await page.getByText(/neither a lead nor a click identified the customer/i).waitFor();
  await missing.getByText("Have your developer report the customer's sign-up").waitFor();
  expect(await missing.getByRole("link").getAttribute("href")).toContain("/docs#reason-customer_not_found");
  await expectAccessible(page);
  const explain = (query: string) => page.goto(`/app/programs/${shop.world.programId}/explain?${query}`);
  await explain("transactionId=late");
  await page.getByText(/the click was 70 days old, and the attribution window was 60 days\./i).waitFor();
  await explain("transactionId=second");
  await page.getByText(/the policy pays for one sale per customer/i).waitFor();
  await explain("customerKey=two");
  const clicks = section(page, "Clicks considered").getByRole("listitem");
  await clicks.filter({ hasText: bob.code }).getByText("Chosen.").waitFor();
  await clicks.filter({ hasText: alice.code }).getByText("the attribution model took a newer click").waitFor();
  await clicks.filter({ hasText: altered }).getByText("Not valid: forged, altered").waitFor();
  await explain("transactionId=tested&testMode=true");
  await page.locator(".page-head").getByText("Test", { exact: true }).waitFor();
  expect(await page.getByRole("link", { name: "x", exact: true }).getAttribute("href")).toMatch(/testMode=true$/);
  await explain("transactionId=tested");
  await page.getByRole("heading", { name: "Not found" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Search for tested" }).click();
  await page.getByText("Live data doesn't have “tested”. Test data does.").waitFor();
});

test("an explanation with more than a hundred events has pages, and fits a phone", { tags: "soak" }, async () => {
  const shop = salesFixture(await createShop());
  await shop.refer("c1");
  await allAtOnce(104, (i) => shop.sell({ transaction_id: `t${i}`, amount_cents: 1_000 }));
  const page = await openDashboard(newContext, {
    user: people.viewer,
    at: `/programs/${shop.world.programId}/explain?customerKey=c1`,
    width: "phone",
  });
  await section(page, "Verdict").getByText("104 sales, with a commission of €208.00 in all").waitFor();
  expect(await page.locator(".moment").count()).toBe(100);
  await expectNoSidewaysScroll(page);
  await button(page, "Show later events").click();
  await expect.poll(() => page.locator(".moment").count()).toBe(106);
  expect(await button(page, "Show later events").count()).toBe(0);
  await expectNoSidewaysScroll(page);
});

test("an admin decides a commission in its explanation, and a viewer can't", { tags: "soak" }, async () => {
  const shop = salesFixture(await createShop());
  await shop.browserLead({ customer_key: "c1", click_id: shop.click(shop.alice) });
  await shop.sell({ transaction_id: "one", amount_cents: 10_000 });
  await shop.sell({ transaction_id: "two", amount_cents: 5_000 });
  const page = await open(shop, "commissions", people.admin);
  await page.getByRole("link", { name: "one", exact: true }).click();
  await page.getByRole("link", { name: "View full story" }).click();
  await page.getByRole("heading", { level: 1, name: "Commission of sale one" }).waitFor();
  await section(page, "Verdict").getByText("Needs confirmation", { exact: true }).waitFor();
  await button(page, "Approve").click();
  await page.getByText("Approving the commission confirms its customer").waitFor();
  await expectAccessible(page);
  await button(page, "Approve commission").dblclick();
  await page.getByText("1 approved.").waitFor();
  await section(page, "Verdict")
    .getByText(/it was approved by .+ and can be paid out/)
    .waitFor();
  expect(await button(page, "Approve").count()).toBe(0);
  await button(page, "Reject…").click();
  const dialog = page.getByRole("dialog", { name: "Reject commission?" });
  await dialog.getByLabel("Reason").fill("self-referral");
  await button(page, "Reject commission").click();
  await section(page, "Verdict").getByText("was rejected").waitFor();
  await section(page, "Ledger entries").getByText("by admin").waitFor();
  expect(await button(page, "Reject…").count()).toBe(0);

  const viewer = await open(shop, "explain?transactionId=two");
  await section(viewer, "Verdict").getByText("On hold", { exact: true }).waitFor();
  expect(await viewer.getByRole("button", { name: /approve|reject/i }).count()).toBe(0);
});

test("a corrected sale and the sale that replaces it link to each other's explanation", { tags: "soak" }, async () => {
  const shop = salesFixture(await createShop({ program: { timezone: "Asia/Tokyo" } }));
  await shop.refer("c1", { clickAt: daysAgo(5) });
  const order = { transaction_id: "wrong", amount_cents: 49_000, occurred_at: at(daysAgo(2)) };
  const { body: sale } = await shop.sell(order);
  await shop.giveBack("wrong", { refund_id: "r1", refund_amount_cents: 1_000 });
  const page = await open(shop, `explain?saleId=${sale.sale_id}`, people.admin);
  await button(page, "Correct…").click();
  const dialog = page.getByRole("dialog", { name: "Correct sale wrong" });
  expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  const field = (label: string) => dialog.getByLabel(label);
  const preview = () => button(page, "Preview correction").click();
  expect([await field("Amount").inputValue(), await field("Customer").inputValue()]).toEqual(["490.00", "c1"]);
  await expectAccessible(page);
  await preview();
  await dialog.getByText("Enter a reason").waitFor();
  await field("Reason").fill("ten times too high");
  await preview();
  await dialog.getByText("The correction changes nothing").waitFor();
  await field("Amount").fill("5");
  await preview();
  await dialog.getByText("The amount is less than what was already refunded.").waitFor();
  expect(await field("Amount").getAttribute("aria-invalid")).toBe("true");
  await field("Amount").fill("49");
  await field("Amount").press("Enter");
  const facts = dialog.locator(".correction dd");
  await dialog.getByText("wrong~1 counts instead").waitFor();
  await dialog.getByText(namedByCode({ name: "Alice", partnerCode: shop.alice.code })).waitFor();
  expect((await facts.allTextContents()).map((text) => text.replace(/ changes to\s+/, " ").trim())).toEqual([
    "€490.00 → €49.00",
    "€10.00",
    "c1",
    expect.any(String),
    namedByCode({ name: "Alice", partnerCode: shop.alice.code }),
    "€96.00 → €7.80",
    "On hold",
  ]);
  await expectAccessible(page);
  await button(page, "Back").click();
  expect([await field("Amount").inputValue(), await field("Reason").inputValue()]).toEqual([
    "49",
    "ten times too high",
  ]);
  const day = at(daysAgo(3)).slice(0, 10);
  await field("Date and time").fill(`${day}T12:00`);
  await preview();
  await button(page, "Correct sale").dblclick();
  await page.getByRole("heading", { level: 1, name: "Sale wrong~1" }).waitFor();
  await page.getByText("Sale corrected.").waitFor();
  await section(page, "Verdict").getByText("€7.80").first().waitFor();
  const corrected = await shop.row(
    "select occurred_at from sales where transaction_id = 'wrong~1' and program_id = ?",
    shop.world.programId,
  );
  expect(new Date(Number(corrected.occurred_at)).toISOString()).toBe(`${day}T03:00:00.000Z`);
  await page.getByText("This sale corrects an earlier one: wrong").getByRole("link").click();
  await page.getByRole("heading", { level: 1, name: "Sale wrong", exact: true }).waitFor();
  await page.getByText("The sale that counts now: wrong~1").waitFor();
  await page.getByRole("link", { name: "Corrected: €480.00 no longer counts" }).waitFor();
  expect(await button(page, "Correct…").count()).toBe(0);
  await expectAccessible(page);

  const viewer = await open(shop, "explain?transactionId=wrong~1");
  await section(viewer, "Verdict").waitFor();
  expect(await button(viewer, "Correct…").count()).toBe(0);
});

test("an owner assigns to a partner a customer who had none, and a viewer can't", { tags: "soak" }, async () => {
  const shop = await createShop();
  const { world, alice } = shop;
  await shop.sale({ transaction_id: "t", amount_cents: 4_900, customer_key: "c", occurred_at: at(daysAgo(2)) });
  const address = `/programs/${world.programId}/explain?customerKey=c`;
  const page = await openDashboard(newContext, { user: people.owner, at: address });
  await page.getByRole("button", { name: "Assign…" }).click();
  const dialog = page.getByRole("dialog", { name: "Assign this customer" });
  await dialog.getByLabel("Partner", { exact: true }).click();
  await dialog.getByRole("option", { name: alice.code }).click();
  await dialog.getByLabel("Also pay for sales since").fill(at(daysAgo(3)).slice(0, 16));
  await dialog.getByLabel("Reason").fill("Came by phone");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Assign" }).click();
  await page.getByText("1 earlier sale earned €9.80").waitFor();
  await page.getByText("A member", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Assign…" }).count()).toBe(0);
  const viewed = await openDashboard(newContext, { user: people.viewer, at: address });
  await viewed.getByText("A member", { exact: true }).waitFor();
});
