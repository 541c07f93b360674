import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { allAtOnce, type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectCurrentInSight, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

const openShop = async () =>
  salesFixture(programFixture(await people.world({ partners: [{ name: "Alice" }, { name: "Bob" }] }), sharedApi()));

const open = ({ world }: SalesFixture, path: string, user = people.admin) =>
  openDashboard(newContext, { user, at: `/programs/${world.programId}/${path}` });

/**
 * Opens a program in which sale "again" is flagged, because it has the same customer, amount and minute as the first
 * sale.
 */
async function openFlagged() {
  const shop = await openShop();
  await shop.refer("c1");
  await shop.sell({ transaction_id: "first", amount_cents: 1_000 });
  await shop.sell({ transaction_id: "other", amount_cents: 4_900 });
  await shop.sell({ transaction_id: "again", amount_cents: 4_900 });
  return { shop, page: await open(shop, "commissions") };
}

const statesOf = async ({ world }: SalesFixture) => {
  const { body } = await people.viewer.get<{ data: { transactionId: string; status: string }[] }>(
    `/api/programs/${world.programId}/commissions`,
  );
  return Object.fromEntries(body.data.map(({ transactionId, status }) => [transactionId, status]));
};

test("the dialog that assigns an unpaid sale's customer proposes the sale's date, and states what the partner would earn", {
  tags: "soak",
}, async () => {
  const shop = await openShop();
  const { alice } = shop;
  for (const [id, days] of [
    ["earlier", 4],
    ["asked", 2],
    ["later", 1],
  ] as const)
    await shop.sale({ transaction_id: id, amount_cents: 4_900, customer_key: "c", occurred_at: at(daysAgo(days)) });
  const page = await open(shop, "explain?transactionId=asked", people.owner);
  await button(page, "Assign…").click();
  const dialog = page.getByRole("dialog", { name: "Assign this customer" });
  expect(await dialog.getByLabel("Also pay for sales since").inputValue()).toBe(at(daysAgo(2)).slice(0, 16));
  await dialog.getByLabel("Partner", { exact: true }).click();
  await dialog.getByRole("option", { name: alice.code }).click();
  await dialog.getByText("2 earlier sales would earn €19.60 for Alice, on hold as usual.").waitFor();
  await expectAccessible(page);
  await dialog.getByLabel("Reason").fill("Came by phone");
  await dialog.getByRole("button", { name: "Assign" }).click();
  await page.getByText("2 earlier sales earned €19.60").waitFor();
  expect(await statesOf(shop)).toEqual({ asked: "pending", later: "pending" });
});

test("the dialog for approving commissions names flagged ones, and lets the user leave them out", {
  tags: "soak",
}, async () => {
  const { shop, page } = await openFlagged();
  await page.getByLabel("Select all on this page").check();
  await button(page, "Approve 3").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 flagged: again.").waitFor();
  await dialog.getByText("Sale other of the same customer").waitFor();
  await dialog.getByLabel("Leave it out").check();
  await expectAccessible(page);
  await button(page, "Approve 2 commissions").click();
  await page.getByText("2 approved.").waitFor();
  expect(await statesOf(shop)).toEqual({ first: "approved", other: "approved", again: "pending" });
});

test("an approval leaves out held commissions unless the user chooses to end their hold", {
  tags: "finding",
}, async () => {
  const shop = await openShop();
  await shop.refer("c1");
  const { body } = await shop.sell({ transaction_id: "held", amount_cents: 4_900 });
  await shop.sell({ transaction_id: "other", amount_cents: 1_000 });
  const hold = `/api/programs/${shop.world.programId}/commissions/${String(body.commission_id)}/hold`;
  expect((await people.admin.post(hold, { reason: "Ask the partner" })).status).toBe(200);
  const page = await open(shop, "commissions");
  await page.getByLabel("Select all on this page").check();
  await button(page, "Approve 2").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 held for review: held. Approving ends the hold.").waitFor();
  expect(await dialog.getByRole("listitem").allInnerTexts()).toEqual(["Ask the partner"]);
  expect(await dialog.getByLabel("Leave it out").isChecked()).toBe(true);
  await button(page, "Approve commission").click();
  await page.getByText("1 approved.").waitFor();
  expect(await statesOf(shop)).toEqual({ held: "pending", other: "approved" });
});

test("the dialog for approving all matching commissions names flagged ones on other pages too, and lets the user leave them out", {
  tags: "soak",
}, async () => {
  const shop = await openShop();
  await shop.refer("c1");
  for (const id of ["other", "again"]) await shop.sell({ transaction_id: id, amount_cents: 4_900 });
  await allAtOnce(50, (i) => shop.sell({ transaction_id: `order-${i}`, amount_cents: 1_000 + i }));
  const page = await open(shop, "commissions");
  await page.getByRole("link", { name: "Flagged 1" }).waitFor();
  await page.getByLabel("Select all on this page").check();
  await button(page, "Select all 52 that match").click();
  await button(page, "Approve 52").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 flagged: again.").waitFor();
  await dialog.getByLabel("Leave it out").check();
  await button(page, "Approve 51 commissions").click();
  await page.getByText("51 approved.").waitFor();
  await page.getByRole("link", { name: "On hold 1" }).waitFor();
  expect(await page.locator("a.row-link").allInnerTexts()).toEqual(["again"]);
});

test("on a phone, the tab of the selected status stays in view when another tab appears before it", {
  tags: "soak",
}, async () => {
  const { shop } = await openFlagged();
  const page = await openDashboard(newContext, { user: people.admin, at: "/account", width: "phone" });
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/commissions\?.*flag=any/, async (route) => {
    await answered;
    await route.continue();
  });
  await page.goto(`/app/programs/${shop.world.programId}/commissions?status=void`);
  await page.getByRole("link", { name: /^No commission/ }).waitFor();
  await expectCurrentInSight(page);
  const flagged = page.getByRole("link", { name: "Included in On hold: Flagged 1" });
  expect(await flagged.count()).toBe(0);
  answer();
  await flagged.waitFor();
  expect(await flagged.getAttribute("title")).toBe("Included in “On hold”");
  await expectCurrentInSight(page);
});

test("selecting a commission shows its keyboard shortcuts, and the key H opens the dialog to hold the commission", {
  tags: "soak",
}, async () => {
  const { page } = await openFlagged();
  await page.getByLabel("Select first").check();
  await page.getByRole("status").getByText("Press A to approve, R to reject or H to hold.").waitFor();
  await page.keyboard.press("h");
  await page.getByRole("dialog", { name: /^Hold/ }).waitFor();
});

test("the keys A and R approve and reject the selected commissions, unless the user is typing in a field", {
  tags: "soak",
}, async () => {
  const { page } = await openFlagged();
  await page.getByLabel("Select first").waitFor();
  await page.keyboard.press("a");
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.getByLabel("Select first").check();
  await page.keyboard.press("r");
  await page.getByRole("dialog", { name: "Reject commission?" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("a");
  await page.getByRole("dialog", { name: "Approve commission?" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("arar");
  await settled(page);
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("a shortcut key that opens a dialog isn't typed into the dialog's first field", { tags: "soak" }, async () => {
  const { page } = await openFlagged();
  await page.getByLabel("Select first").check();
  for (const [key, name] of [
    ["r", /^Reject/],
    ["r", /^Reject/],
    ["h", /^Hold/],
    ["h", /^Hold/],
  ] as const) {
    await page.keyboard.press(key);
    const dialog = page.getByRole("dialog", { name });
    await dialog.waitFor();
    await page.keyboard.press("x");
    expect(await dialog.getByRole("textbox").first().inputValue()).toBe("x");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }
});

test("closing a dialog returns the focus immediately, so that the next key doesn't open another dialog", {
  tags: "soak",
}, async () => {
  const { page } = await openFlagged();
  await page.getByLabel("Select first").check();
  for (const key of ["h", "r", "a"]) {
    await page.keyboard.press(key);
    await page.getByRole("dialog").waitFor();
    // Closes the dialog and reads the focus in one task, because the next key may be pressed before the next frame.
    const focused = await page.evaluate<string>(`(async () => {
      document.querySelector("dialog").dispatchEvent(new Event("cancel", { cancelable: true }));
      for (let turn = 0; turn < 5; turn++) await undefined;
      return document.activeElement.type;
    })()`);
    expect(focused).toBe("checkbox");
  }
  await page.keyboard.press("/");
  await page.keyboard.type("arar");
  await settled(page);
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(await page.getByRole("searchbox", { name: "Search orders" }).inputValue()).toBe("arar");
});

test("the list of partners in a dialog opens on demand, and Escape closes only the list, and then the dialog", {
  tags: "soak",
}, async () => {
  const shop = await openShop();
  await shop.sale({ transaction_id: "asked", amount_cents: 4_900, customer_key: "c" });
  const page = await open(shop, "explain?transactionId=asked");
  await button(page, "Assign…").click();
  const dialog = page.getByRole("dialog", { name: "Assign this customer" });
  const partner = dialog.getByLabel("Partner", { exact: true });
  await expect.poll(() => partner.evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await dialog.getByRole("listbox").count()).toBe(0);
  await partner.press("ArrowDown");
  await dialog.getByRole("listbox").waitFor();
  await partner.press("Escape");
  await dialog.getByRole("listbox").waitFor({ state: "hidden" });
  expect(await dialog.count()).toBe(1);
  await partner.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("what a user typed to correct a sale or adjust a balance is still there after the session has ended and the user signs in again", {
  tags: "soak",
}, async () => {
  const shop = await openShop();
  const { alice } = shop;
  await shop.refer("c1");
  const { body: sale } = await shop.sell({ transaction_id: "wrong", amount_cents: 4_900 });
  const page = await open(shop, `explain?saleId=${sale.sale_id}`);
  const dialog = page.getByRole("dialog");
  const expectKept = async (opens: string, sends: string) => {
    await button(page, opens).click();
    await dialog.getByLabel("Amount").fill("59");
    await dialog.getByLabel("Reason").fill("typed with care");
    await page.context().clearCookies();
    await dialog.getByRole("button", { name: sends }).click();
    await page.getByLabel("Email").fill(people.admin.email);
    await page.getByLabel("Password").fill(people.admin.password);
    await button(page, "Sign in").click();
    await button(page, opens).click();
    const fields = ["Amount", "Reason"].map((label) => dialog.getByLabel(label));
    expect(await Promise.all(fields.map((field) => field.inputValue()))).toEqual(["59", "typed with care"]);
    await page.keyboard.press("Escape");
  };
  await expectKept("Correct…", "Preview correction");
  await page.goto(page.url().replace(/explain.*$/, `partners/${alice.id}`));
  await expectKept("Adjust balance…", "Record adjustment");
});
