import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { isWhole, sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled, themes } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();
/** The users of the random histories. Each history gets new ones, because it takes up much of their calls a minute. */
const newPeople = usersOfFile();

type Shop = Awaited<ReturnType<typeof payoutsFixture>>;

const hostile = "<img src=x onerror=alert(1)> \u202Etxt";

const openShop = (users = people) =>
  payoutsFixture(users, { partners: [{ name: hostile, code: "hostile" }, { name: "Bob" }] });

const bonus = async ({ world, alice }: Shop, { admin }: typeof people, amountCents: number, reference: string) => {
  const to = `/api/programs/${world.programId}/partners/${alice.id}/adjustments`;
  const body = { amountCents, currency: "EUR", reason: "agreed", reference };
  expect((await admin.post(to, body)).status).toBe(201);
};

/**
 * Opens a program with a history: two payouts of which one is paid, refunds before and after, a correction, bonuses, a
 * debt, and a second currency.
 */
async function openLived() {
  const shop = await openShop();
  await shop.visit();
  const refunded = await shop.earn(2_000);
  const debt = await shop.earn(700, { partner: shop.bob });
  await shop.earn(1_000);
  const { id: paid } = (await shop.create({ reference: "October. 1" })).body.data;
  await shop.confirm(paid);
  await shop.refund({ transaction_id: refunded.transaction_id, refund_id: "r1", refund_amount_cents: 5_000 });
  await shop.refund({ transaction_id: debt.transaction_id, refund_id: "r2", refund_amount_cents: 3_500 });
  const inFinal = await shop.earn(4_000);
  await bonus(shop, people, 500, "bonus");
  const { id: final } = (await shop.create({ reference: "November" })).body.data;
  expect((await shop.finalize(final)).status).toBe(200);
  const later = await shop.earn(3_000);
  await shop.refund({ transaction_id: later.transaction_id, refund_id: "r3", refund_amount_cents: 2_500 });
  await shop.earn(1_234, { currency: "USD" });
  return { shop, paid, final, inFinal };
}

let opened: ReturnType<typeof openLived> | undefined;
/** The program with a history. Only the last test of this file changes it. */
const lived = () => (opened ??= openLived());

/** Parses an amount of a currency with two decimals into cents. */
const centsOf = (text: string): number =>
  Math.round(Number(text.replaceAll(/[^\d.]/g, "")) * 100) * (/[-−]/.test(text) ? -1 : 1);

const sum = (texts: readonly string[]): number => texts.reduce((all, text) => all + centsOf(text), 0);

const drawerOf = (page: Page) => page.getByRole("dialog");

interface Opened {
  readonly clicked: number;
  readonly shown: number;
  /** The sum of the terms. Undefined if the sum has only rows. */
  readonly terms: number | undefined;
  readonly rows: number;
  /** The part of the amount that no row explains. */
  readonly rest: number;
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
    rest: sum(await texts('.reasons-terms > div:has(dt:text("bonuses, deductions")) dd')),
  };
}

/**
 * Matches amounts of a balance. Each is the sum of its rows and the rest that the drawer names. Amounts called "being
 * paid" aren't matched, because later refunds lower their rows.
 */
const ofBalance = /reasons for (on hold|to pay|to be paid|to be deducted|in payout|paid so far|paid)(,|$)/i;

/** Checks that every amount on the page opens a drawer with the same amount, and that its parts add up to it. */
async function expectReasons(page: Page, summedByRows: RegExp = /^$/): Promise<string[]> {
  await settled(page);
  const buttons = page.getByRole("main").locator("button.why-money");
  await buttons.first().waitFor();
  const labels = await buttons.evaluateAll((all) => all.map((each) => each.getAttribute("aria-label") ?? ""));
  for (const label of new Set(labels)) {
    const { clicked, shown, terms, rows, rest } = await openReasons(page, label);
    expect(shown, label).toBe(clicked);
    if (terms === undefined || summedByRows.test(label)) expect(rows, `rows: ${label}`).toBe(clicked);
    else expect(terms, `terms: ${label}`).toBe(clicked);
    if (ofBalance.test(label)) expect(rows + rest, `rows and rest: ${label}`).toBe(clicked);
    await page.keyboard.press("Escape");
    await expect.poll(() => drawerOf(page).count()).toBe(0);
  }
  return labels;
}

/** The app and path of each page with amounts. */
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

test("each amount of money opens a list of reasons, whose parts add up to the amount", async () => {
  const { shop, paid, final } = await lived();
  const [[, first], ...others] = placesOf(shop, [paid, final]);
  const walk = await openDashboard(newContext, { user: people.owner, at: first });
  await expectReasons(walk, /reasons for (on hold|to pay or in payout|revenue|commission)$/);
  for (const [app, at] of others.filter((_, i) => isWhole || i % 3 === 2)) {
    const page = walk;
    await page.goto(`/${app}${at}`);
    const labels = await expectReasons(page, /reasons for (on hold|to pay or in payout|revenue|commission)$/);
    expect(labels.length, at).toBeGreaterThan(0);
  }
  await walk.context().close();
  const of = `figure.commission.${shop.alice.id}`;
  const at = `/programs/${shop.world.programId}/partners/${shop.alice.id}?reasons=${of}`;
  const page = await openDashboard(newContext, { user: people.viewer, at });
  const day = drawerOf(page).getByRole("list", { name: "Days" }).getByRole("button").first();
  const amountCents = centsOf(await day.innerText());
  await day.click();
  const entries = drawerOf(page).getByRole("list", { name: "Entries" });
  await entries.getByText(/^Refund · .*now: Paid$/).waitFor();
  expect(sum(await entries.locator("li > :last-child").allInnerTexts())).toBe(amountCents);
  expect(await entries.getByRole("link").count()).toBe(await entries.getByRole("listitem").count());

  const rest = "bonuses, deductions, and refunds after payment";
  for (const [of, line] of [
    [
      "status.approved.EUR",
      `€53.00 to pay, in payout and to be deducted = commissions to pay or in payout €65.00 − ${rest} €12.00`,
    ],
    ["status.paid.EUR", `€37.00 paid = commissions paid €20.00 + ${rest} €17.00`],
    [`status.paid.EUR.${shop.alice.id}`, `€30.00 paid = commissions paid €20.00 + ${rest} €10.00`],
  ]) {
    await page.goto(`/app/programs/${shop.world.programId}/overview?reasons=${of}`);
    await drawerOf(page).getByText(`In Payouts: ${line}.`, { exact: true }).waitFor();
  }

  const own = `/partner/programs/${shop.world.programId}/partners`;
  await page.goto(`/app/programs/${shop.world.programId}/payouts?reasons=balance.payable.${shop.bob.id}.EUR`);
  const refund = drawerOf(page)
    .getByRole("list", { name: "Entries" })
    .getByRole("link", { name: /^Refund, commission/ });
  await refund.waitFor();
  await drawerOf(page).getByText("To be deducted", { exact: true }).waitFor();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    drawerOf(page).getByRole("button", { name: "Export the sum with bonuses and deductions" }).click(),
  ]);
  const [head = [], ...lines] = parseCsv(await readFile(await file.path(), "utf8"));
  const column = (name: string) => lines.map((row) => row[head.indexOf(name)]);
  expect([column("kind"), column("amount")]).toEqual([["reversed"], ["-7.00"]]);
  await page.goto(`/app/programs/${shop.world.programId}/payouts?reasons=all.payable.EUR`);
  await drawerOf(page).getByRole("button", { name: "-€7.00: reasons for To be deducted" }).click();
  await drawerOf(page)
    .getByRole("button", { name: /^-€7.00: reasons for To be deducted, Bob/ })
    .waitFor();

  const portal = await openDashboard(newContext, {
    user: people.owner,
    app: "partner",
    at: `/programs/${shop.world.programId}/partners/${shop.alice.id}?as=owner&reasons=balance.inPayout.EUR`,
  });
  const badges = drawerOf(portal).getByRole("list", { name: "Commissions" }).getByRole("listitem");
  await expect.poll(() => badges.allInnerTexts()).toEqual([expect.stringMatching(/Being paid.*€40\.00$/s)]);
  await portal.goto(`${own}/${shop.alice.id}?as=owner&reasons=month`);
  await drawerOf(portal)
    .getByText(/^\d sales? in all currencies$/)
    .first()
    .waitFor();
  await portal.getByText("Counts include all currencies.").waitFor();
  await portal.getByText(/^\d+ sales? from \d+ clicks? this month in all currencies\.$/).waitFor();
  await portal.goto(`${own}/${shop.bob.id}?as=owner&reasons=balance.paid.EUR`);
  await drawerOf(portal).getByText("1 payment").waitFor();
  expect(
    await drawerOf(portal)
      .getByText(/to be paid/i)
      .count(),
  ).toBe(0);
});

/** Opens a program with a random history. The same seed creates the same history. */
async function randomShop(seed: number) {
  await newPeople.renew();
  const shop = await openShop(newPeople);
  let state = seed;
  const below = (limit: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
  const sold: { transaction_id: string; amount: number }[] = [];
  const payouts: number[] = [];
  for (let step = 0; step < 16; step += 1) {
    const kind = below(6);
    if (kind < 3) {
      const commission = 100 + below(9_000);
      const partner = below(2) === 0 ? shop.alice : shop.bob;
      const { transaction_id } = await shop.earn(commission, { partner, currency: below(4) === 0 ? "USD" : "EUR" });
      sold.push({ transaction_id, amount: commission * 5 });
    } else if (kind === 3) {
      const sale = sold[below(sold.length)];
      const refund_amount_cents = 1 + below(sale?.amount ?? 1);
      if (sale !== undefined)
        await shop.refund({ transaction_id: sale.transaction_id, refund_id: `r${step}`, refund_amount_cents });
    } else if (kind === 4) await bonus(shop, newPeople, below(2) === 0 ? 250 : -250, `b${step}`);
    else {
      const { status, body } = await shop.create({ reference: `Payout ${step}` });
      if (status !== 201 || body.data.totalCents === 0) continue;
      payouts.push(body.data.id);
      if (below(3) > 0) await shop.finalize(body.data.id);
      if (below(2) === 0) await shop.confirm(body.data.id);
      else if (below(4) === 0) await shop.cancel(body.data.id);
    }
  }
  return { shop, payouts };
}

test.each(sampled([1, 2, 3, 4]))(
  "amounts of random histories have reasons that add up, with seed %i",
  {
    tags: "soak",
  },
  async (seed) => {
    const { shop, payouts } = await randomShop(seed * 7_919);
    const places = placesOf(shop, payouts).filter(([, at]) => !at.includes("number=1"));
    for (const [app, at] of places) {
      const page = await openDashboard(newContext, { user: newPeople.owner, app, at });
      await settled(page);
      if ((await page.getByRole("main").locator("button.why-money").count()) > 0) await expectReasons(page);
      await page.context().close();
    }
  },
);

test("a viewer opens a balance's reasons by keyboard, opens a part and goes back, and copies a text that the partner may read", async () => {
  const { shop } = await lived();
  const page = await openDashboard(newContext, {
    user: people.viewer,
    at: `/programs/${shop.world.programId}/payouts`,
  });
  await settled(page);
  const drawer = drawerOf(page);
  const total = page.getByRole("button", { name: "€25.00: reasons for To pay", exact: true });
  await total.focus();
  await page.keyboard.press("Enter");
  await drawer.getByRole("heading", { name: "What makes up this amount" }).waitFor();
  const part = drawer.getByRole("button", { name: /^€25\.00: reasons for To pay, <img/ });
  await part.press("Enter");
  await drawer.getByText("1 commission").waitFor();
  await expect.poll(() => drawer.getByRole("list", { name: "Commissions" }).getByRole("link").count()).toBe(1);
  await expectAccessible(page, themes);

  await drawer.getByRole("button", { name: "Copy for the partner" }).click();
  const copied = await page.evaluate<string>("navigator.clipboard.readText()");
  // The final payout has already deducted the debt of 10.00 and paid the bonus of 5.00, so only the last commission is
  // left to pay.
  expect(copied).toContain("€25.00 to pay = 1 commission €30.00 − refunds and corrections €5.00");
  expect(copied).toMatch(/- [A-Z0-9]{10}: €25\.00; 20% commission; sale of .*; to be paid; €30\.00 at first/);
  expect(copied).not.toMatch(/sale-\d|buyer-|€150/);

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    drawer.getByRole("button", { name: "Export these commissions" }).click(),
  ]);
  const [head = [], ...rows] = parseCsv(await readFile(await download.path(), "utf8"));
  expect(rows.map((row) => row[head.indexOf("commission_net")])).toEqual(expect.arrayContaining(["25.00"]));

  const back = drawer.getByRole("button", { name: "Back", exact: true });
  const isFocused = (button: Locator) => button.evaluate((element) => element === document.activeElement);
  await back.press("Enter");
  await expect.poll(() => isFocused(part)).toBe(true);
  expect(await back.count()).toBe(0);
  await page.keyboard.press("Escape");
  await expect.poll(() => drawer.count()).toBe(0);
  await expect.poll(() => isFocused(total)).toBe(true);

  await total.press("Enter");
  await part.press("Enter");
  await back.waitFor();
  await page.reload();
  await back.click();
  await part.waitFor();
  expect(await back.count()).toBe(0);
});

test("the reasons of an amount fit on a phone's screen, and printed amounts aren't underlined", async () => {
  const { shop } = await lived();
  const at = `/programs/${shop.world.programId}/payouts`;
  const page = await openDashboard(newContext, { user: people.owner, at, width: "phone", theme: "dark" });
  await settled(page);
  await expectNoSidewaysScroll(page);
  await expectAccessible(page, themes);
  const amount = page.getByRole("main").locator("button.why-money").first();
  const line = () => amount.evaluate((button) => getComputedStyle(button).textDecorationLine);
  expect(await line()).toBe("underline");
  await page.emulateMedia({ media: "print" });
  expect(await line()).toBe("none");
  await page.emulateMedia({ media: "screen" });
  await page.goto(`/app${at}?reasons=balance.payable.${shop.alice.id}.EUR`);
  await drawerOf(page).getByText("1 commission").waitFor();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page, themes);
  await page.goto(`/app${at}?reasons=balance.nothing`);
  await drawerOf(page).getByText("This page has no such amount.").waitFor();
});

test("a refund after a payout was finalized lowers the listed amount of the sale's commission, but not the sum in the payout", async () => {
  const { shop, inFinal } = await lived();
  const at = `/programs/${shop.world.programId}/partners/${shop.alice.id}?as=owner&reasons=balance.inPayout.EUR`;
  const page = await openDashboard(newContext, { user: people.owner, app: "partner", at });
  const commissions = drawerOf(page).getByRole("list", { name: "Commissions" }).getByRole("listitem");
  const amountIs = (amount: RegExp) =>
    expect.poll(() => commissions.allInnerTexts()).toEqual([expect.stringMatching(amount)]);
  await amountIs(/€40\.00$/);
  const terms = () => drawerOf(page).locator(".reasons-terms").innerText();
  const finalized = await terms();
  expect(finalized).toMatch(/1 commission\s+€40\.00/);
  await shop.refund({ transaction_id: inFinal.transaction_id, refund_id: "r4", refund_amount_cents: 5_000 });
  await page.reload();
  await amountIs(/€30\.00$/);
  expect(await terms()).toBe(finalized);
});
