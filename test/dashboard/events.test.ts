import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { at, day, daysAgo, inTestMode, minute, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { signUpUsers } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, expectNothingMoved, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = signUpUsers();

async function open(settings: WorldSettings = {}) {
  const world = await people.world({ partners: [{ name: "Alice" }, { name: "Bob" }], ...settings });
  return { ...programFixture(world, sharedApi()), at: `/programs/${world.programId}/events` };
}

const rows = (page: Page) => page.locator("tbody tr");
const row = (page: Page, text: string) => rows(page).filter({ hasText: text });
const subjects = (page: Page) => page.locator(".event-subject").allInnerTexts();

test("new events appear at the top by themselves, with a mark; further down they wait for a word", async () => {
  const shop = await open();
  const sell = (i: number, more = {}) =>
    shop.sale({ transaction_id: `t${i}`, customer_key: "u", occurred_at: at(daysAgo(1, i * minute)), ...more });
  for (let i = 0; i < 30; i += 1) await sell(i);
  const page = await openDashboard(newContext, { user: people.viewer, at: shop.at });
  await row(page, "t29").waitFor();
  expect(await rows(page).count()).toBe(25);
  await page.getByText("30 events").waitFor();
  await expectNothingMoved(page);

  await sell(30);
  await row(page, "t30").waitFor();
  expect(await page.locator("tr.fresh").count()).toBe(1);
  await page.getByRole("link", { name: "Sale t30, new" }).waitFor();

  await page.evaluate("scrollTo(0, 400)");
  await sell(31);
  await sell(32, inTestMode);
  const more = page.getByRole("button", { name: "1 new event" });
  await more.waitFor();
  expect(await row(page, "t31").count()).toBe(0);
  await expectAccessible(page);
  await more.click();
  await row(page, "t31").waitFor();
  expect(await page.evaluate<number>("scrollY")).toBe(0);
  expect(await row(page, "t32").count()).toBe(0);

  await page.getByRole("button", { name: "Older" }).click();
  await row(page, "t0").waitFor();
  expect(await rows(page).count()).toBe(7);
  expect(page.url()).toContain("cursor=");
  await page.getByText("Older events, not live").waitFor();
  await page.goBack();
  await row(page, "t31").waitFor();
});

test("nothing is asked while nobody looks, and at once when somebody does", async () => {
  const shop = await open();
  await shop.sale({ transaction_id: "t1", customer_key: "u" });
  const page = await openDashboard(newContext, { user: people.viewer, at: "/sign-in" });
  await page.clock.install();
  await page.goto(`/app${shop.at}`);
  await row(page, "t1").waitFor();
  await settled(page);
  const setHidden = (isHidden: boolean) =>
    page.evaluate(
      `Object.defineProperty(document, "hidden", { configurable: true, get: () => ${isHidden} });
       document.dispatchEvent(new Event("visibilitychange"))`,
    );
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().includes("/api/tracking/events/")) asked += 1;
  });
  await setHidden(true);
  await shop.sale({ transaction_id: "t2", customer_key: "u" });
  await page.clock.fastForward(20_000);
  await page.clock.fastForward(20_000);
  expect(asked).toBe(0);
  await setHidden(false);
  await row(page, "t2").waitFor();
});

test("filters by type, days, partner and book stand in the URL; test events are hidden at first", async () => {
  const shop = await open();
  await shop.lead({ customer_key: "a", click_id: shop.click(shop.alice, daysAgo(9)), occurred_at: at(daysAgo(8)) });
  await shop.lead({ customer_key: "b", click_id: shop.click(shop.bob, daysAgo(9)), occurred_at: at(daysAgo(7)) });
  await shop.sale({ transaction_id: "of-alice", customer_key: "a", occurred_at: at(daysAgo(6)) });
  await shop.sale({ transaction_id: "of-bob", customer_key: "b", occurred_at: at(daysAgo(5)) });
  await shop.sale({ transaction_id: "of-test", customer_key: "c", ...inTestMode });
  await shop.refund({ transaction_id: "of-bob", occurred_at: at(daysAgo(4)) });
  const page = await openDashboard(newContext, { user: people.viewer, at: shop.at });
  const showing = (...expected: string[]) => expect.poll(() => subjects(page)).toEqual(expected);
  await showing("of-bob", "of-bob", "of-alice", "b", "a");

  await page.getByRole("button", { name: "Sales" }).click();
  await showing("of-bob", "of-alice");
  await page.getByLabel("Partner", { exact: true }).selectOption(String(shop.alice.id));
  await showing("of-alice");
  await page.goBack();
  await page.getByLabel("Test events").selectOption("include");
  await showing("of-test", "of-bob", "of-alice");
  await row(page, "of-test").getByText("Test", { exact: true }).waitFor();
  await page.getByLabel("Test events").selectOption("only");
  await showing("of-test");
  await page.reload();
  await showing("of-test");
  await page.getByLabel("Test events").selectOption("exclude");
  await page.getByRole("button", { name: "All", exact: true }).click();
  const dayOf = (instant: number) => at(instant).slice(0, 10);
  await page.getByLabel("From").fill(dayOf(daysAgo(7)));
  await page.getByLabel("To", { exact: true }).fill(dayOf(daysAgo(6)));
  await showing("of-alice", "b");
  await page.getByRole("button", { name: "Refunds" }).click();
  await page.getByRole("heading", { name: "No matching events" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Show all events" }).click();
  await showing("of-bob", "of-bob", "of-alice", "b", "a");
});

test("an attributed sale tells its click, its sign-up, why this amount, and every later change; by keyboard", async () => {
  const shop = await open();
  const { alice, world } = shop;
  const { click_id } = await shop.visit(
    {
      page_url: `${alice.landingUrl}&utm_source=letter`,
      occurred_at: at(daysAgo(5)),
    },
    { key: world.key },
  );
  await shop.lead({ customer_key: "u1", click_id, occurred_at: at(daysAgo(2)) });
  const sale = await shop.sale({
    transaction_id: "INV-1",
    customer_key: "u1",
    amount_cents: 4_900,
    occurred_at: at(daysAgo(1)),
  });
  expect(sale.commission.amount_cents).toBe(980);
  await shop.refund({
    transaction_id: "INV-1",
    refund_id: "r1",
    refund_amount_cents: 2_450,
    refund_reason: "half of it",
  });
  const { status } = await people.admin.post(
    `/api/programs/${world.programId}/commissions/${sale.commission_id}/approve`,
    {},
  );
  expect(status).toBe(200);

  const page = await openDashboard(newContext, { user: people.owner, at: shop.at });
  const link = page.getByRole("link", { name: "Sale INV-1" });
  await link.focus();
  await page.keyboard.press("Enter");
  const panel = page.getByRole("dialog", { name: "Sale INV-1" });
  await panel.getByText("20% of €49.00 = €9.80 (rounded half up).").waitFor();
  const says = (text: string) => panel.getByText(text).first().waitFor();
  await says("Last click, 3 days old (60-day window). Reported by your server.");
  await says("Program policy (version 1), for all of the customer's sales.");
  await says("€4.90 was taken back by refunds. €4.90 was approved.");
  await says(`Landed on ${alice.landingUrl}&utm_source=letter`);
  await says("Reason given: half of it");
  await says("Commission approved by admin");
  const titles = await panel.locator(".moment strong").allInnerTexts();
  expect(titles).toEqual([
    "Click on Alice's link",
    "Sign-up",
    "Sale of €49.00",
    "Commission of €9.80",
    "Refund of €24.50",
    "Commission approved by admin",
  ]);
  await expectAccessible(page);

  const isInside = () => page.evaluate<boolean>("document.querySelector('dialog').contains(document.activeElement)");
  expect(await isInside()).toBe(true);
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  expect(await link.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);

  await link.click();
  await panel.getByRole("link", { name: "Refund of €24.50" }).click();
  await page.getByRole("dialog", { name: "Refund INV-1" }).getByText("20% of €49.00").waitFor();
  await page.getByRole("link", { name: "Sign-up" }).click();
  await page.getByRole("dialog", { name: "Lead u1" }).getByText("Sale of €49.00").waitFor();
  await page.getByRole("link", { name: "Click on Alice's link" }).click();
  await page
    .getByRole("dialog", { name: /^Click / })
    .getByText("Sale of €49.00")
    .waitFor();

  const viewer = await openDashboard(newContext, {
    user: people.viewer,
    at: `${shop.at}?type=lead&event=sale-${sale.sale_id}-${daysAgo(1)}`,
    width: "phone",
  });
  const seen = viewer.getByRole("dialog", { name: "Sale INV-1" });
  await seen.getByText("20% of €49.00 = €9.80 (rounded half up).").waitFor();
  await seen.getByText("€4.90 was approved before the hold ended.").waitFor();
  expect(await seen.getByText("approved by").count()).toBe(0);
  await expectAccessible(viewer);
  await expectNoSidewaysScroll(viewer);
  await seen.getByRole("button", { name: "Close" }).click();
  await seen.waitFor({ state: "detached" });
  expect(new URL(viewer.url()).search).toBe("?type=lead");
});

test("an organic, a void, a reversed and a test sale each say why nothing is due", async () => {
  const shop = await open({ policies: [{ scope: "one_time" }] });
  const { alice } = shop;
  await shop.sale({ transaction_id: "organic", customer_key: "nobody" });
  await shop.lead({ customer_key: "late", click_id: shop.click(alice, daysAgo(100)), occurred_at: at(daysAgo(30)) });
  await shop.lead({ customer_key: "u1", click_id: shop.click(alice, daysAgo(3)) });
  await shop.sale({ transaction_id: "first", customer_key: "u1", occurred_at: at(daysAgo(0, -2 * minute)) });
  await shop.sale({ transaction_id: "second", customer_key: "u1", occurred_at: at(daysAgo(0, -minute)) });
  await shop.sale({ transaction_id: "late", customer_key: "late" });
  await shop.refund({ transaction_id: "first", refund_reason: "sent back" });
  await shop.sale({ transaction_id: "tested", customer_key: "x", ...inTestMode });
  const page = await openDashboard(newContext, { user: people.viewer, at: `${shop.at}?test=include` });
  const story = async (name: string, ...said: string[]) => {
    await page.getByRole("link", { name }).click();
    const panel = page.getByRole("dialog", { name });
    for (const text of said) await panel.getByText(text).first().waitFor();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
  };
  await story("Sale organic", "No commission is due.", "This customer is unknown", "No commission");
  await story("Sale second", "No commission is due.", "The policy pays only for a customer's first sale", alice.code);
  await story(
    "Sale late",
    "No commission is due.",
    "The click was 70 days old, and the attribution window was 60 days.",
  );
  await story(
    "Sale first",
    "Reversed: refunds took back the full €20.00.",
    "Reason given: sent back",
    "Refund of €100.00",
  );
  await story("Refund first", "Reversed: refunds took back the full €20.00.", "Sale of €100.00");
  await story("Sale tested", "This is a test event. It doesn't count in reports");
});

test("a canceled refund is called so, and one that changed nothing too", async () => {
  const shop = await open();
  await shop.lead({ customer_key: "u1", click_id: shop.click(shop.alice, daysAgo(3)) });
  for (const transaction_id of ["disputed", "covered"]) {
    await shop.sale({ transaction_id, customer_key: "u1", occurred_at: at(daysAgo(1)) });
    await shop.refund({ transaction_id, refund_id: "r1", refund_amount_cents: 500 });
  }
  const page = await openDashboard(newContext, { user: people.viewer, at: "/sign-in" });
  await page.route("**/api/tracking/events/**", async (route) => {
    const reply = await route.fetch();
    const body = await reply.json();
    for (const event of body.data)
      if (event.event_type === "refund") event.refunded_cents = event.transaction_id === "disputed" ? -500 : 0;
    await route.fulfill({ response: reply, json: body });
  });
  await page.goto(`/app${shop.at}?type=refund`);
  const canceled = row(page, "disputed");
  await canceled.getByText("Refund canceled", { exact: true }).waitFor();
  expect(await canceled.locator(".number").first().textContent()).toBe("€5.00");
  await row(page, "covered").getByText("No change").waitFor();
  expect(await row(page, "covered").locator(".number").first().textContent()).toBe("€0.00");
  await page.getByRole("link", { name: "Refund disputed" }).click();
  const panel = page.getByRole("dialog", { name: "Canceled refund disputed" });
  await panel.locator(".moment strong", { hasText: "Refund of €5.00 canceled" }).waitFor();
  await expectAccessible(page);
});

test("before anything came it says what brings it, and an event that is not there is not found", async () => {
  const shop = await open();
  const page = await openDashboard(newContext, {
    user: people.viewer,
    at: `${shop.at}?event=sale-7-${Date.now() - day}`,
  });
  await page.getByRole("dialog").getByText("Not found").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "No events yet" }).waitFor();
  await page.getByLabel("Test events").selectOption("only");
  await page.getByRole("heading", { name: "No test events yet" }).waitFor();
  await expectAccessible(page);
  await page.getByLabel("Test events").selectOption("exclude");
  await shop.sale({ transaction_id: "t1", customer_key: "u" });
  await row(page, "t1").waitFor();
});
