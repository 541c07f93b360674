import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { programFixture } from "../support/program-fixture.ts";
import { allAtOnce, type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { signUpUsers } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = signUpUsers();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

/** Sales of 100.00 each, to Alice's customer "c1". */
async function openSold(...transactions: readonly string[]): Promise<SalesFixture> {
  const partners = [{ name: "Alice" }, { name: "Bob" }];
  const till = salesFixture(programFixture(await people.world({ partners }), sharedApi()));
  await till.refer("c1");
  for (const transaction_id of transactions) await till.sell({ transaction_id, amount_cents: 10_000 });
  return till;
}

const open = (till: SalesFixture, query = "", user = people.admin) =>
  openDashboard(newContext, { user, at: `/programs/${till.world.programId}/commissions${query}` });

interface Listed {
  readonly data: readonly { readonly id: number; readonly transactionId: string; readonly status: string }[];
}
const list = async ({ world }: SalesFixture, query = "") =>
  (await people.viewer.get<Listed>(`/api/programs/${world.programId}/commissions${query}`)).body.data;
const states = async (till: SalesFixture) =>
  Object.fromEntries((await list(till)).map(({ transactionId, status }) => [transactionId, status]));
const audited = async ({ world }: SalesFixture) =>
  (
    await people.admin.get<{ data: { action: string; after: { reason?: string } }[] }>(
      `/api/programs/${world.programId}/audit`,
    )
  ).body.data;

test("many are approved at once, by keyboard; one that can't be is told at its row, and stops no other", async () => {
  const till = await openSold("one", "two", "three", "four");
  const page = await open(till);
  await page.getByLabel("Select four").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await page.getByText("3 selected").waitFor();
  await expectAccessible(page);
  await till.refund({ transaction_id: "three" });
  await button(page, "Approve 3").dblclick();
  await page.getByText("2 approved, 1 failed.").waitFor();
  await page
    .getByRole("row")
    .filter({ hasText: "three" })
    .getByText("A reversed commission can't be approved")
    .waitFor();
  expect(await states(till)).toEqual({ one: "pending", two: "approved", three: "reversed", four: "approved" });
  expect((await audited(till)).map(({ action }) => action)).toEqual(["commission.approved", "commission.approved"]);
  await expectAccessible(page);
});

test("rejecting asks for a reason, which is kept; what two currencies come to is never added", async () => {
  const till = await openSold("euros");
  await till.sell({ transaction_id: "dollars", amount_cents: 5_000, currency: "USD" });
  const page = await open(till);
  await page.getByText("2 on this page: €20.00 · US$10.00").waitFor();
  await page.getByLabel("Select all on this page").check();
  await button(page, "Reject 2…").click();
  const dialog = page.getByRole("dialog", { name: "Reject 2 commissions?" });
  await dialog.getByText("€20.00 · US$10.00").waitFor();
  await button(page, "Reject 2 commissions").click();
  await dialog.getByText("Enter a reason.").waitFor();
  await expectAccessible(page);
  await dialog.getByLabel("Reason").fill("self-referral");
  await button(page, "Reject 2 commissions").dblclick();
  await page.getByText("2 rejected.").waitFor();
  expect(await states(till)).toEqual({ euros: "rejected", dollars: "rejected" });
  expect((await audited(till)).map(({ action, after }) => [action, after.reason])).toEqual([
    ["commission.rejected", "self-referral"],
    ["commission.rejected", "self-referral"],
  ]);
  expect(await page.getByRole("checkbox", { name: /^Select (euros|dollars)/ }).count()).toBe(0);
});

test("an unconfirmed one says what an approval confirms", async () => {
  const till = salesFixture(programFixture(await people.world({ partners: [{}, {}] }), sharedApi()));
  await till.browserLead({ customer_key: "c1", click_id: till.click(till.alice) });
  await till.sell({ transaction_id: "one", amount_cents: 10_000 });
  const page = await open(till);
  await page.getByLabel("Select one").check();
  await page.getByRole("status").getByText("confirms its customer and all of their unconfirmed commissions").waitFor();
  await expectAccessible(page);
});

test("a decision that is refused while a customer moves says so in the service's words", async () => {
  const message = "This customer's sales are still being attributed. Try again in a moment.";
  const till = await openSold("one");
  const page = await open(till);
  const refused = { data: null, error: { status: 409, name: "ConflictError", message } };
  await page.route(/\/commissions\/\d+\/(approve|reject)$/, (route) => route.fulfill({ status: 409, json: refused }));
  await page.getByLabel("Select one").check();
  await button(page, "Approve 1").click();
  await page.getByText("0 approved, 1 failed.").waitFor();
  await page.getByRole("status").getByText(message).waitFor();
  await page.getByRole("row").filter({ hasText: "one" }).getByText(message).waitFor();
  await page.getByLabel("Select one").check();
  await button(page, "Reject 1…").click();
  await page.getByLabel("Reason").fill("self-referral");
  await button(page, "Reject 1 commission").click();
  await page.getByText("0 rejected, 1 failed.").waitFor();
  await page.getByRole("status").getByText(message).waitFor();
});

test("the filters stand in the URL, and the file holds what they leave", async () => {
  const till = await openSold("one", "two", "three");
  await till.refer("c2", { partner: till.bob });
  await till.sell({ transaction_id: "of Bob", customer_key: "c2" });
  await till.sell({ transaction_id: '=cmd|"of Bob"', customer_key: "c2" });
  const page = await open(till, `?partnerId=${till.bob.id}`);
  await link(page, "of Bob").waitFor();
  expect(await link(page, "one").count()).toBe(0);
  await page.getByLabel("Status").selectOption("pending");
  await page.waitForURL(/status=pending/);
  await settled(page);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export as CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("commissions.csv");
  const lines = (await readFile(await download.path(), "utf8")).trim().split("\r\n");
  const listed = await list(till, `?status=pending&partnerId=${till.bob.id}`);
  expect(lines.slice(1).map((line) => Number(line.split('"')[1]))).toEqual(listed.map(({ id }) => id));
  expect(listed).toHaveLength(2);
  expect(lines.join("\n")).toContain(`"'=cmd|""of Bob"""`);

  await page.goBack();
  await page.waitForURL((url) => !url.search.includes("status"));
});

test("fifty a page, and on to older ones", async () => {
  const till = await openSold("first");
  await allAtOnce(50, (i) => till.sell({ transaction_id: `later ${i}`, amount_cents: 1_000 }));
  const page = await open(till);
  await page.getByText("50 on this page: €100.00").waitFor();
  expect(await link(page, "first").count()).toBe(0);
  await button(page, "Older").click();
  await link(page, "first").waitFor();
  await page.getByText("1 on this page: €20.00").waitFor();
  await page.goBack();
  await page.getByText("50 on this page").waitFor();
});

test("a viewer reads commissions and takes the file, and decides nothing", async () => {
  const till = await openSold("one");
  const page = await open(till, "", people.viewer);
  await link(page, "one").waitFor();
  expect(await page.getByRole("checkbox").count()).toBe(0);
  expect(await page.getByRole("button", { name: /approve|reject/i }).count()).toBe(0);
  await page.getByRole("link", { name: "Export as CSV" }).waitFor();
});
