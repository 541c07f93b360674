import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { at, daysAgo, inTestMode, minute, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { choosePartner, expectAccessible, expectNothingMoved, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

async function open(settings: WorldSettings = {}) {
  const world = await people.world({ partners: [{ name: "Alice" }, { name: "Bob" }], ...settings });
  return { ...programFixture(world, sharedApi()), at: `/programs/${world.programId}/events` };
}

const rows = (page: Page) => page.locator("tbody tr");
const row = (page: Page, text: string) => rows(page).filter({ hasText: text });
const subjects = (page: Page) => page.locator(".event-subject").allInnerTexts();

test("new events appear marked at the top of the list, and a reader who has scrolled down loads them with a click", {
  tags: "soak",
}, async () => {
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
  expect(await page.evaluate("document.activeElement.className")).toBe("table");
  expect(await page.evaluate<number>("scrollY")).toBeLessThan(200);
  expect(await rows(page).count()).toBe(7);
  expect(page.url()).toContain("cursor=");
  await page.getByText("Older events, not live").waitFor();
  await page.goBack();
  await row(page, "t31").waitFor();
});

test("the events page polls only while it is visible, and immediately when it becomes visible", {
  tags: "soak",
}, async () => {
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

test("the events page hides test events by default, and its URL contains the filters by type, days, partner and live or test mode", {
  tags: "soak",
}, async () => {
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
  await choosePartner(page, shop.alice.code);
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

test("the events page labels canceled refunds, refunds without effect, and corrections", { tags: "soak" }, async () => {
  const shop = await open();
  const { sale_id } = await shop.sale({ transaction_id: "mistyped", customer_key: "u2", occurred_at: at(daysAgo(2)) });
  const correction = { amountCents: 4_900, reason: "typed wrong" };
  const corrected = await people.admin.post(`/api${shop.at.replace("events", `sales/${sale_id}/correct`)}`, correction);
  expect(corrected.status).toBe(200);
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
  await row(page, "mistyped").getByText("Correction", { exact: true }).waitFor();
  expect(await row(page, "covered").locator(".number").first().textContent()).toBe("€0.00");
});

test("the empty events page explains where events come from", { tags: "soak" }, async () => {
  const shop = await open();
  const page = await openDashboard(newContext, { user: people.viewer, at: shop.at });
  await page.getByRole("heading", { name: "No events yet" }).waitFor();
  await page.getByLabel("Test events").selectOption("only");
  await page.getByRole("heading", { name: "No test events yet" }).waitFor();
  await expectAccessible(page);
  await page.getByLabel("Test events").selectOption("exclude");
  await shop.sale({ transaction_id: "t1", customer_key: "u" });
  await row(page, "t1").waitFor();
});

test("an id with right-to-left characters doesn't change the order of the surrounding text", {
  tags: "soak",
}, async () => {
  const shop = await open();
  const turned = "\u202eorder";
  const { commission_id } = await shop.sale({ transaction_id: turned, customer_key: `${turned} of\u2067 us` });
  const page = await openDashboard(newContext, { user: people.viewer, at: shop.at });
  const stray = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll("main *")]
      .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && /[\\u202a-\\u202e\\u2066-\\u2069]/.test(node.data)))
      .filter((element) => !/isolate/.test(getComputedStyle(element).unicodeBidi))
      .map((element) => element.outerHTML)`);
  await row(page, "order").waitFor();
  expect(await stray()).toEqual([]);
  for (const path of [`commissions?commission=${commission_id}&status=void`, `explain?commissionId=${commission_id}`]) {
    await page.goto(page.url().replace(/(events|commissions).*/, path));
    await page.getByText("order").first().waitFor();
    await settled(page);
    expect(await stray(), path).toEqual([]);
  }
});
