import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

test("arrow keys move between table rows, and the key ? shows the keyboard shortcuts", { tags: "soak" }, async () => {
  const partners = ["Anna", "Ben", "Carl"].map((name) => ({ name }));
  const { programId } = await people.world({ partners });
  const page = await openDashboard(newContext, { user: people.admin, at: `/programs/${programId}/partners` });
  await settled(page);
  const names = page.locator("tbody a.row-link");
  const [first = "", second = ""] = await names.allInnerTexts();
  const focused = () => page.evaluate<string>("document.activeElement.innerText");
  await names.first().focus();
  await page.keyboard.press("ArrowDown");
  expect(await focused()).toBe(second);
  await page.keyboard.press("ArrowUp");
  expect(await focused()).toBe(first);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: first }).waitFor();
  await page.goBack();
  await names.first().waitFor();

  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await page.getByLabel("Search by name, code or email").focus();
  await page.keyboard.press("?");
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("arrow keys move only within a row's menu while the menu is open", { tags: "soak" }, async () => {
  const { programId } = await people.world({ partners: [{ name: "Anna" }, { name: "Ben" }, { name: "Carl" }] });
  const page = await openDashboard(newContext, { user: people.admin, at: `/programs/${programId}/partners` });
  await settled(page);
  const focused = () => page.evaluate<string>("document.activeElement.innerText");
  await page.getByRole("row").nth(1).locator("summary").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Pause…" }).waitFor();
  const found: string[] = [];
  for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowDown"]) {
    await page.keyboard.press(key);
    found.push(await focused());
  }
  expect(found).toEqual(["Copy link", "View events", "Copy link", "Pause…", "Copy link"]);
  await page.keyboard.press("Escape");
  expect(await page.locator(".menu[open]").count()).toBe(0);
});

test("focus stays in the list of members when the focused row is removed, and suspending a member can be undone", {
  tags: "soak",
}, async () => {
  const { programId } = await people.world();
  const at = `/programs/${programId}/settings?section=members`;
  const page = await openDashboard(newContext, { user: people.owner, at });
  await page.getByRole("button", { name: "Suspend viewer" }).click();
  await page.getByRole("button", { name: "Reactivate viewer" }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Suspend viewer" }).waitFor();

  await page.getByRole("button", { name: "Remove viewer" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove member" }).click();
  await page.getByRole("row").filter({ hasText: "viewer@" }).waitFor({ state: "detached" });
  await expect
    .poll(() => page.evaluate<boolean>("document.querySelector('.table').contains(document.activeElement)"))
    .toBe(true);
});

test("a printed page states its filters in words, and shows neither filter fields nor navigation", {
  tags: "soak",
}, async () => {
  const { programId } = await people.world();
  const at = `/programs/${programId}/partners?dateFrom=2026-11-01&dateTo=2026-11-09&q=a`;
  const page = await openDashboard(newContext, { user: people.admin, at });
  await settled(page);
  const shown = (selector: string) => page.locator(selector).first().isVisible();
  expect(await shown(".print-only")).toBe(false);
  await page.emulateMedia({ media: "print" });
  expect(await page.locator("main > .print-only").innerText()).toMatch(/^Test program · Partners · [A-Z]/);
  const printed = page.locator(".filters");
  expect((await printed.innerText()).replaceAll(/\s+/g, " ")).toContain("From 1 Nov 2026 To 9 Nov 2026");
  expect(await printed.innerText()).toContain("Search:");
  expect(await printed.locator("input[type=date]").first().isVisible()).toBe(false);
  expect([await shown(".sidebar"), await shown(".tabs")]).toEqual([false, false]);
});

test("a printed list of commissions states its filters, and omits a date that isn't set", {
  tags: "soak",
}, async () => {
  const { programId } = await people.world();
  const at = `/programs/${programId}/commissions?status=approved&dateFrom=2026-11-01`;
  const page = await openDashboard(newContext, { user: people.admin, at });
  await settled(page);
  await page.emulateMedia({ media: "print" });
  const shown = async (selector: string) => (await page.locator(selector).innerText()).replaceAll(/\s+/g, " ").trim();
  expect(await shown(".status-tabs")).toMatch(/^To pay or in payout/);
  expect(await shown(".filters")).toContain("From 1 Nov 2026");
  expect(await page.getByLabel("To", { exact: true }).locator("..").isVisible()).toBe(false);
});

test("printed rows of a list have their cells below the right headings, whether or not a row has a checkbox", {
  tags: "soak",
}, async () => {
  const shop = await payoutsFixture(people);
  await shop.earn(980);
  await shop.finalize((await shop.create()).body.data.id);
  await shop.earn(450);
  const at = `/programs/${shop.world.programId}/commissions?status=approved`;
  const page = await openDashboard(newContext, { user: people.admin, at });
  await settled(page);
  const boxes = page.locator("tbody td .selector");
  expect([await page.locator("tbody tr").count(), await boxes.count()]).toEqual([2, 1]);
  await page.emulateMedia({ media: "print" });
  expect(await boxes.first().isVisible()).toBe(false);
  const misplaced = await page.evaluate<string[]>(`[...document.querySelectorAll("tbody td")]
    .filter((cell) => cell.checkVisibility())
    .filter((cell) => {
      const head = document.querySelectorAll("thead th")[cell.cellIndex].getBoundingClientRect();
      return Math.abs(head.left - cell.getBoundingClientRect().left) > 1;
    })
    .map((cell) => cell.dataset.head)`);
  expect(misplaced).toEqual([]);
});
