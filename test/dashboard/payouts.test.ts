import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { finalize } from "./finalize.ts";
import { expectNothingCut } from "./nothing-cut.ts";
import { expectAccessible, openDashboard, settled, themes } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const row = (page: Page, name: string) => page.locator("tbody tr").filter({ hasText: name });
const total = (page: Page, title: string) =>
  page.locator(".payout-summary dl > div").filter({ hasText: title }).locator("dd").innerText();

/** Opens a program in which Alice has earned 20.00 by sale "a", and Bob 40.00 by sale "b". */
async function openSold(): Promise<SalesFixture> {
  const world = await people.world({ partners: [{ name: "Alice" }, { name: "Bob" }], policies: [{ holdDays: 0 }] });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("c1");
  await shop.refer("c2", { partner: shop.bob });
  await shop.sell({ transaction_id: "a", amount_cents: 10_000 });
  await shop.sell({ transaction_id: "b", amount_cents: 20_000, customer_key: "c2" });
  return shop;
}

const open = (shop: SalesFixture, user: User = people.admin, at = "") =>
  openDashboard(newContext, { user, at: `/programs/${shop.world.programId}/payouts${at}` });

async function createDraft(page: Page, reference: string): Promise<void> {
  await button(page, /^New payout/).click();
  const dialog = page.getByRole("dialog", { name: "New payout" });
  await dialog.getByLabel("Reference").fill(reference);
  await expectAccessible(page);
  await button(page, "Create draft").click();
  await page.getByRole("heading", { name: reference }).waitFor();
}

async function markAsPaid(page: Page): Promise<void> {
  await button(page, "Mark as paid…").click();
  await expectAccessible(page, sampled(themes));
  await page.getByRole("dialog").getByRole("button", { name: "Mark as paid" }).click();
  await page.getByText("was recorded as paid").waitFor();
}

interface Statement {
  readonly data: {
    readonly openingCents: number;
    readonly entries: readonly { readonly amountCents: number }[];
    readonly closingCents: number;
  };
}

/** Returns the closing balance of each partner, after checking that the entries add up to it. */
async function closings({ world, alice, bob }: SalesFixture): Promise<number[]> {
  const statements = await Promise.all(
    [alice, bob].map(({ id }) =>
      people.viewer.get<Statement>(`/api/programs/${world.programId}/partners/${id}/statement`),
    ),
  );
  return statements.map(({ body: { data } }) => {
    const sum = data.entries.reduce((cents, { amountCents }) => cents + amountCents, data.openingCents);
    expect(sum).toBe(data.closingCents);
    return data.closingCents;
  });
}

test("approved commissions are paid, one payment fails, the refund of a paid sale is deducted, and the rest is paid", async () => {
  const shop = await openSold();
  const page = await open(shop);
  await settled(page);
  expect(await total(page, "To pay")).toBe("€60.00");
  await expectAccessible(page);
  await createDraft(page, "October");
  await expectAccessible(page);
  await finalize(page, "€60.00");
  await page.getByText("The amounts are final").waitFor();
  const downloading = page.waitForEvent("download");
  await button(page, "Payment list (CSV)").click();
  const file = await readFile(await (await downloading).path(), "utf8");
  expect(
    parseCsv(file)
      .map((line) => `${line[3]} ${line[5]}`)
      .toSorted(),
  ).toEqual(["Alice 20.00", "Bob 40.00", "partner amount"]);
  await markAsPaid(page);

  await button(page, "Mark as failed: Bob").click();
  await page.getByRole("dialog").getByLabel("Reason").fill("Account closed");
  await page.getByRole("dialog").getByRole("button", { name: "Mark as failed" }).click();
  await row(page, "Bob").getByText("Account closed").waitFor();
  await page.getByText("€20.00 was recorded as paid.").waitFor();
  await expectAccessible(page);

  await shop.giveBack("a", { refund_amount_cents: 5_000 });
  await shop.sell({ transaction_id: "c", amount_cents: 15_000 });
  await page.getByRole("main").getByRole("link", { name: "Payouts" }).click();
  await settled(page);
  await expect.poll(() => total(page, "To pay")).toBe("€60.00");
  expect(await total(page, "Paid this year")).toBe("€20.00");
  await row(page, "October").getByText("€40.00 returned").waitFor();
  await createDraft(page, "November");
  await finalize(page, "€60.00");
  await page.getByText("The amounts are final").waitFor();
  await markAsPaid(page);

  expect(await closings(shop)).toEqual([0, 0]);
  await expectLedgerConsistent(shop.world);
});

test("today's payment is recorded even if the browser's clock is a day ahead", { tags: "soak" }, async () => {
  const shop = await openSold();
  const page = await open(shop);
  await createDraft(page, "October");
  await finalize(page, "€60.00");
  const day = new Date().toISOString().slice(0, 10);
  await page.clock.setFixedTime(Date.now() + 86_400_000);
  await button(page, "Mark as paid…").click();
  await page.getByRole("dialog").getByLabel("Paid on").fill(day);
  await page.getByRole("dialog").getByRole("button", { name: "Mark as paid" }).click();
  await page.getByText("was recorded as paid").waitFor();
});

test("a draft whose amounts changed shows them before it is finalized", { tags: "soak" }, async () => {
  const shop = await openSold();
  const page = await open(shop);
  await createDraft(page, "October");
  await shop.giveBack("a", { refund_amount_cents: 5_000 });
  await finalize(page, "€60.00");
  await page.getByRole("heading", { name: "The amounts have changed" }).waitFor();
  const change = page.getByRole("table", { name: "Changed amounts" }).locator("tbody tr");
  await expect
    .poll(() => change.locator("td").allInnerTexts())
    .toEqual([`Alice\n${shop.alice.code}`, "€20.00", "€10.00", "Amount changed"]);
  await page.getByText("New total: €50.00. The draft had €60.00.").waitFor();
  await expectAccessible(page);
  await shop.giveBack("b", { refund_amount_cents: 5_000 });
  await button(page, "Accept and finalize €50.00").click();
  await button(page, "Accept and finalize €40.00").click();
  await page.getByText("The amounts are final").waitFor();
  await button(page, "Cancel payout…").click();
  await page.getByText("become payable again").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel payout" }).click();
  await page.getByText("This payout was canceled.").waitFor();
});

test("a payout that another person has just canceled no longer tells the user to send the money", {
  tags: "soak",
}, async () => {
  const shop = await openSold();
  const page = await open(shop);
  await createDraft(page, "October");
  const cancel = (status: string) => {
    const [, id] = /payouts\/(\d+)/.exec(page.url()) ?? [];
    return people.owner.post(`/api/programs/${shop.world.programId}/payouts/${id}/cancel?expectedStatus=${status}`);
  };
  await finalize(page, "€60.00");
  await button(page, "Mark as paid…").click();
  expect((await cancel("final")).status).toBe(200);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Mark as paid" }).click();
  await page.getByText("This payout was canceled.").waitFor();
  expect(await page.getByText("Send the money").count()).toBe(0);
});

test("a payout pays only the selected partners, and its draft shows why others aren't", { tags: "soak" }, async () => {
  const shop = await openSold();
  const page = await open(shop);
  await page.getByLabel("Select Bob").check();
  await button(page, "New payout to 1").click();
  await page.getByText(`Pays only Bob (${shop.bob.code}).`).waitFor();
  await page.getByLabel("Minimum per partner").fill("1.5.0");
  await button(page, "Create draft").click();
  await page.getByText("Enter an amount in EUR with at most 2 decimals, such as 1.50.").waitFor();
  await page.getByLabel("Minimum per partner").fill("5");
  await button(page, "Create draft").click();
  await button(page, "Finalize €40.00").waitFor();
  await button(page, "Cancel payout…").click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel payout" }).click();
  await page.getByText("This payout was canceled.").waitFor();

  await page.getByRole("main").getByRole("link", { name: "Payouts" }).click();
  await button(page, "New payout").click();
  await page.getByLabel("Minimum per partner").fill("30");
  await button(page, "Create draft").click();
  await page.getByRole("table", { name: "Left out" }).getByText("Below the minimum.").waitFor();
  await button(page, "Finalize €40.00").waitFor();
});

test("with approval by two people, another person marks a payout as paid", { tags: "soak" }, async () => {
  const shop = await openSold();
  const settings = await openDashboard(newContext, {
    user: people.owner,
    at: `/programs/${shop.world.programId}/settings?section=payouts`,
  });
  await settings.getByLabel("Approval").selectOption("two_people");
  await settings.getByLabel("Minimum payout").fill("25");
  await button(settings, /^Save$/).click();
  await settings.getByText("Saved.").waitFor();
  await expectAccessible(settings);

  const page = await open(shop);
  await createDraft(page, "October");
  await finalize(page, "€40.00");
  await page.getByText("someone else has to mark it as paid. owner can.").waitFor();
  expect(await button(page, "Mark as paid…").count()).toBe(0);
  const other = await openDashboard(newContext, { user: people.owner, at: new URL(page.url()).pathname.slice(4) });
  await markAsPaid(other);
});

test("a partner whose balances are all zero isn't listed among the balances", { tags: "soak" }, async () => {
  const shop = await openSold();
  await shop.refer("c3", { partner: shop.alice });
  const { body } = await shop.sell({ transaction_id: "usd", amount_cents: 10_000, currency: "USD" });
  const reject = `/api/programs/${shop.world.programId}/commissions/${body.commission_id}/reject`;
  expect((await people.admin.post(reject, { reason: "self-referral" })).status).toBe(200);
  const page = await open(shop, people.admin, "?currency=USD");
  await page.getByText("No balances yet").waitFor();
  await page.getByLabel("Currency").selectOption("EUR");
  await expect.poll(() => page.getByRole("table", { name: "Balances" }).locator("tbody tr").count()).toBe(2);
});

test("an adjustment changes the payable amount", { tags: "soak" }, async () => {
  const shop = await openSold();
  const page = await open(shop);
  await button(page, "Adjust Bob").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Type").selectOption("write-off");
  await dialog.getByLabel("Amount").fill("50");
  await dialog.getByLabel("Reason").fill("Paid twice in May");
  await dialog.getByLabel("Note to the partner").fill("Correction of May");
  await button(page, "Record adjustment").click();
  await row(page, "Bob").getByText("to be deducted").waitFor();
  await expect.poll(() => total(page, "To pay")).toBe("€20.00");
  await row(page, "Bob").getByRole("link", { name: "Bob" }).click();
  await page.getByText("Correction of May").waitFor();
  expect(await page.getByText("Paid twice in May").count()).toBe(0);
});

test("a viewer sees no email addresses and no actions", { tags: "soak" }, async () => {
  const shop = await openSold();
  const at = await open(shop).then(async (page) => {
    await createDraft(page, "October");
    await finalize(page, "€60.00");
    await page.getByText("The amounts are final").waitFor();
    return new URL(page.url()).pathname.slice(4);
  });
  for (const path of [at, `/programs/${shop.world.programId}/payouts`]) {
    const page = await openDashboard(newContext, { user: people.viewer, at: path });
    await settled(page);
    await page.getByText("Alice").first().waitFor();
    const buttons = page.getByRole("main").getByRole("button");
    const reasons = page.getByRole("button", { name: ": reasons for " });
    expect(await buttons.filter({ hasNotText: "Export" }).count()).toBe(await reasons.count());
    expect(await page.getByRole("main").getByRole("checkbox").count()).toBe(0);
    expect(await page.getByRole("columnheader", { name: "Paid to" }).count()).toBe(0);
    await expectAccessible(page);
  }
});

const longName =
  "The Honourable Society of Extraordinarily Long Names in Northern Outdoor and Mountaineering Affiliate Shops";

test("long names and large amounts in any currency are never cut off", { tags: "soak" }, async () => {
  const partners = [{ name: longName }, { name: "متجر المعدات الجبلية" }];
  const world = await people.world({ partners, policies: [{ holdDays: 0, rateBps: 10_000 }] });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("c1");
  for (const currency of ["EUR", "JPY", "KWD"]) await shop.sell({ amount_cents: 99_999_999_999, currency });
  const page = await open(shop);
  const paths: string[] = [];
  for (const currency of ["EUR", "KWD"]) {
    await button(page, "New payout").click();
    await page.getByLabel("Currency").last().selectOption(currency);
    await page.getByLabel("Reference").fill(`${currency} ${longName}`);
    await button(page, "Create draft").click();
    await button(page, /^Finalize/).waitFor();
    paths.push(page.url());
    await page.getByRole("main").getByRole("link", { name: "Payouts" }).click();
    await settled(page);
  }
  for (const path of [page.url(), ...paths]) {
    await page.goto(path);
    await settled(page);
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await expectNothingCut(page, `${path} at ${width} px`);
    }
  }
});

test("partners with the same name can be distinguished on every page with money", { tags: "soak" }, async () => {
  const world = await people.world({
    partners: [
      { name: "Climb Magazine", code: "climb" },
      { name: "Climb Magazine", code: "climb-magazine" },
    ],
    policies: [{ holdDays: 0 }],
  });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("c1");
  await shop.refer("c2", { partner: shop.bob });
  await shop.sell({ transaction_id: "a", amount_cents: 10_000 });
  await shop.sell({ transaction_id: "b", amount_cents: 20_000, customer_key: "c2" });
  const page = await open(shop);
  const codes = (table: string) => page.getByRole("table", { name: table }).locator("code").allInnerTexts();
  await expect.poll(() => codes("Balances")).toEqual(["climb-magazine", "climb"]);
  await button(page, "Adjust Climb Magazine (climb)").click();
  await page.getByRole("heading", { name: "Adjust the balance of Climb Magazine (climb)" }).waitFor();
  await page.keyboard.press("Escape");

  await createDraft(page, "October");
  await expect.poll(() => codes("Lines")).toEqual(["climb-magazine", "climb"]);
  await shop.giveBack("a", { refund_amount_cents: 5_000 });
  await finalize(page, "€60.00");
  await expect.poll(() => codes("Changed amounts")).toEqual(["climb"]);
  await button(page, "Accept and finalize €50.00").click();
  await markAsPaid(page);
  await button(page, "Mark as failed: Climb Magazine (climb-magazine)").click();
  await page.getByRole("dialog").getByText("€40.00 to Climb Magazine (climb-magazine) becomes payable again").waitFor();
  await page.getByRole("dialog").getByLabel("Reason").fill("AC04");
  await page.getByRole("dialog").getByLabel("Note to the partner").fill("Your account is closed");
  await page.getByRole("dialog").getByRole("button", { name: "Mark as failed" }).click();
  await page.getByText("Told the partner: Your account is closed").waitFor();
  await page.getByRole("table", { name: "Lines" }).getByRole("link", { name: "Climb Magazine" }).first().click();
  await page.locator(".sheet .about").getByText("climb-magazine").waitFor();
});

test.each([
  ["Export balances", "balances-eur"],
  ["Export payouts", "payouts"],
])("%s saves a file with a descriptive name", { tags: "soak" }, async (name, kind) => {
  const shop = await openSold();
  const made = await people.admin.post(`/api/programs/${shop.world.programId}/payouts`, { currency: "EUR" });
  expect(made.status).toBe(201);
  const page = await open(shop, people.viewer);
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, name).click()]);
  expect(download.suggestedFilename()).toMatch(
    new RegExp(`^tributary-test-program-${kind}-\\d{4}-\\d\\d-\\d\\d\\.csv$`),
  );
});
