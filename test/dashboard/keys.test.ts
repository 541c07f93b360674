import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createWorld, type World, type WorldSettings } from "../../harness/world.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { day, daysAgo, inTestMode } from "../support/program-fixture.ts";
import { sharedApi, sharedService, sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled, type Width } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const dialogOf = (page: Page) => page.getByRole("dialog");
const scope = (page: Page, name: string) => dialogOf(page).getByRole("checkbox", { name, exact: true });
const name = (page: Page) => dialogOf(page).getByLabel("Name", { exact: true });
const row = (page: Page, text: string) => page.getByRole("table", { name: "Keys" }).getByRole("row", { name: text });
const endOf = (key: string) => `••••${key.slice(-4)}`;

const open = (world: World, width: Width = "laptop", user = people.owner) =>
  openDashboard(newContext, { user, at: `/programs/${world.programId}/settings?section=keys`, width });

async function choose(page: Page, of: string, action: string): Promise<void> {
  await row(page, of).locator("summary").click();
  await page.locator(".menu[open]").getByRole("button", { name: action }).click();
  await dialogOf(page).waitFor();
}

/** Copies the key from the screen that shows it once, and leaves the screen. */
async function takeKey(page: Page): Promise<string> {
  await button(page, "Copy key").click();
  const key = await page.evaluate<string>("navigator.clipboard.readText()");
  await page.getByLabel("I've saved it").check();
  await button(page, "Continue").click();
  await row(page, endOf(key)).waitFor();
  return key;
}

let sales = 0;
const sell = async (key: string, more = {}) => {
  sales += 1;
  const sale = { transaction_id: `order-${sales}`, amount_cents: 100, customer_key: "c1", ...more };
  return (await sharedApi().sale(sale, { key })).status;
};
const read = async (key: string) => (await sharedApi().readiness({ key })).status;

test("the dashboard shows a new key once with its scopes, and the key can do only what its scopes allow", {
  tags: "soak",
}, async () => {
  const page = await open(await people.world());
  await button(page, "Create key…").click();
  expect(await scope(page, "Track events").isChecked()).toBe(true);
  await expectAccessible(page);
  await button(page, "Create key").click();
  await page.getByText("Enter a name.").waitFor();
  await name(page).fill("Shop backend");
  await scope(page, "Track events").uncheck();
  await button(page, "Create key").click();
  await page.getByText("Choose at least one.").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("track");
  await expectAccessible(page);
  await scope(page, "Track events").check();
  await button(page, "Create key").click();
  await page.getByText("Shop backend · Track events · Live and test").waitFor();
  await expectAccessible(page);

  const key = await takeKey(page);
  expect([await sell(key), await sell(key, inTestMode), await read(key)]).toEqual([200, 200, 403]);
  const cells = await row(page, "Shop backend").getByRole("cell").allInnerTexts();
  expect(cells.slice(1, 4)).toEqual(["Track events", "Live and test", "Active"]);
  expect(await page.getByText(key).count()).toBe(0);
});

test("a test-only key can't manage partners, and works only in test mode", { tags: "soak" }, async () => {
  const page = await open(await people.world());
  await button(page, "Create key…").click();
  await name(page).fill("Staging");
  await scope(page, "Read").check();
  await scope(page, "Manage partners").check();
  await page.getByLabel("Data").selectOption("Test only");
  const manage = scope(page, "Manage partners");
  await expect.poll(() => manage.isDisabled()).toBe(true);
  expect(await manage.isChecked()).toBe(false);
  await page.getByText("Partners are live data, so a test-only key can't change them.").waitFor();
  await expectAccessible(page);
  await page.getByLabel("Data").selectOption("Live and test");
  await expect.poll(() => manage.isDisabled()).toBe(false);
  await page.getByLabel("Data").selectOption("Test only");
  await button(page, "Create key").click();
  await page.getByText("Staging · Track events, Read · Test only").waitFor();
  const key = await takeKey(page);
  expect([await sell(key), await sell(key, inTestMode)]).toEqual([403, 200]);

  await choose(page, "Staging", "Edit…");
  expect(await scope(page, "Read").isChecked()).toBe(true);
  expect(await manage.isDisabled()).toBe(true);
});

test("an edited key has its new name and scopes from its next call on", { tags: "soak" }, async () => {
  const world = await people.world({ keys: [{}, { name: "Backend", scopes: ["track"] }] });
  const [, key = ""] = world.keys;
  const page = await open(world);
  await choose(page, "Backend", "Edit…");
  await expectAccessible(page);
  await name(page).fill("x".repeat(61));
  await button(page, "Save").click();
  await page.getByText("Enter 1 to 60 characters.").waitFor();
  await name(page).fill("Reports");
  await scope(page, "Track events").uncheck();
  await scope(page, "Read").check();
  await button(page, "Save").click();
  await dialogOf(page).waitFor({ state: "detached" });
  await row(page, "Reports")
    .filter({ hasText: endOf(key) })
    .waitFor();
  expect([await sell(key), await read(key)]).toEqual([403, 200]);

  await page.getByRole("link", { name: "Audit trail" }).click();
  const entry = page.getByRole("row").filter({ hasText: "Changed API key" });
  await entry.waitFor();
  const changes = await entry.locator("li").allTextContents();
  expect(changes).toEqual(["Name: Backend changed to→ Reports", "Scopes: Track events changed to→ Read"]);
});

test("adding scopes to a key requires a recent sign-in, and renaming it doesn't", { tags: "soak" }, async () => {
  const user = await sharedUser();
  const world = await createWorld(sharedService.databaseUrl, { members: [{ user, role: "owner" }] });
  const sql = "update sessions set confirmed_at = ? where user_id = ?";
  await world.write({ sql, args: [Date.now() - day, user.userId] });
  const page = await open(world, "laptop", user);
  const question = page.getByRole("dialog", { name: "Confirm it's you" });
  await choose(page, "First key", "Edit…");
  await name(page).fill("Backend");
  await button(page, "Save").click();
  await row(page, "Backend").waitFor();
  await choose(page, "Backend", "Edit…");
  await scope(page, "Read").uncheck();
  await button(page, "Save").click();
  await question.getByLabel("Password").fill(user.password);
  await question.getByRole("button", { name: "Confirm" }).click();
  await expect.poll(() => row(page, "Backend").innerText()).toContain("Track events, Manage partners");
  expect(await read(world.key)).toBe(403);
});

test("a key is rotated without a gap: the new key works immediately, and the old key works until its deadline", async () => {
  const world = await people.world({ keys: [{ name: "Backend" }] });
  const page = await open(world);
  const rotate = async (of: string, graceHours: string) => {
    await choose(page, endOf(of), "Rotate…");
    await page.getByLabel("Why do you need a new key?").selectOption(graceHours);
    await button(page, "Rotate key").click();
    await page.getByText("Backend · Track events, Read, Manage partners · Live and test").waitFor();
    return takeKey(page);
  };
  const second = await rotate(world.key, "24");
  expect([await sell(world.key), await sell(second)]).toEqual([200, 200]);
  await row(page, endOf(world.key)).getByText("Expires").waitFor();
  await expectAccessible(page);
  // The key has been rotated, so it can't be rotated again.
  await row(page, endOf(world.key)).locator("summary").click();
  const actions = page.locator(".menu[open]").getByRole("button");
  await expect.poll(() => actions.allInnerTexts()).toEqual(["Edit…", "End now…"]);
  await page.keyboard.press("Escape");

  await choose(page, endOf(second), "Rotate…");
  await page.getByText(`${endOf(world.key)} stops working as soon as you create a third.`).waitFor();
  await expectAccessible(page);
  await button(page, "Close").click();
  const third = await rotate(second, "0");
  expect([await sell(world.key), await sell(second), await sell(third)]).toEqual([401, 401, 200]);
  await page.getByText("Retired keys (2)").click();
  const retired = page.getByRole("table", { name: "Retired keys" });
  const hour = /\d.*–.*\d/;
  const lastUses = () => retired.locator('[data-head="Last used"]').allInnerTexts();
  await expect.poll(lastUses).toEqual([expect.stringMatching(hour), expect.stringMatching(hour)]);
  expect(await retired.locator("summary").count()).toBe(0);
  await expectAccessible(page);

  const fourth = await rotate(third, "24");
  await choose(page, endOf(third), "End now…");
  expect(await dialogOf(page).textContent()).not.toContain("No newer key");
  await button(page, "End key now").click();
  await row(page, endOf(third)).waitFor({ state: "detached" });
  expect([await sell(third), await sell(fourth)]).toEqual([401, 200]);
});

test("rotating a key doesn't affect another key with the same name", { tags: "soak" }, async () => {
  const world = await people.world({ keys: [{ name: "Backend" }, { name: "Backend" }] });
  const [first = "", second = ""] = world.keys;
  const page = await open(world);
  await choose(page, endOf(first), "Rotate…");
  await button(page, "Rotate key").click();
  await takeKey(page);
  await choose(page, endOf(second), "Rotate…");
  expect(await dialogOf(page).textContent()).not.toContain("Two of its keys are active.");
  await button(page, "Close").click();
  await choose(page, endOf(second), "End now…");
  await dialogOf(page).getByText("No newer key replaces this key").waitFor();
});

test("an owner can end an active key, and the page states what then stops working", { tags: "soak" }, async () => {
  const world = await people.world();
  const page = await open(world);
  await choose(page, "First key", "End now…");
  await dialogOf(page).getByText("No newer key replaces this key, so systems that use it stop working.").waitFor();
  await dialogOf(page).getByText("It was never used.").waitFor();
  await expectAccessible(page);
  await button(page, "End key now").click();
  await page.getByText("No active keys").waitFor();
  expect(await sell(world.key)).toBe(401);
  await page.getByText("Retired keys (1)").waitFor();
  await expectAccessible(page);
});

test("the dialog for a new key explains that a program can't have more than 20", { tags: "soak" }, async () => {
  const keys = Array.from({ length: 20 }, (_, i) => ({ name: `Key ${i + 1}` }));
  const page = await open(await people.world({ keys }));
  await button(page, "Create key…").click();
  await name(page).fill("One more");
  await button(page, "Create key").click();
  await dialogOf(page).getByText("A program can have at most 20 live API keys").waitFor();
  expect(await name(page).inputValue()).toBe("One more");
});

const longName = "Affiliate portal of the Northern European marketing team 60";
const inEveryState: NonNullable<WorldSettings["keys"]> = [
  { name: "Sync", createdAt: daysAgo(89) },
  { name: "Reports", scopes: ["track", "read"], createdAt: daysAgo(200) },
  { name: "Forgotten", scopes: ["read", "manage"], createdAt: daysAgo(91) },
  { name: "Abandoned", createdAt: daysAgo(200) },
  { name: "Busy", createdAt: daysAgo(200) },
  { name: longName, book: "test", scopes: ["track"], createdAt: daysAgo(3), retiresAt: daysAgo(-1) },
  { name: "Old", createdAt: daysAgo(300), retiresAt: daysAgo(100) },
];

async function keysInEveryState(): Promise<World> {
  const world = await people.world({ keys: inEveryState });
  const sql = "update program_keys set last_used_at = ? where program_id = ? and name = ?";
  await world.write(
    { sql, args: [daysAgo(91), world.programId, "Abandoned"] },
    { sql, args: [daysAgo(2), world.programId, "Busy"] },
  );
  return world;
}

test("the list of keys marks a key that may manage partners and wasn't used for 90 days", {
  tags: "soak",
}, async () => {
  const page = await open(await keysInEveryState());
  await row(page, "Sync").waitFor();
  const lastUse = (of: string) => row(page, of).locator('[data-head="Last used"]').innerText();
  expect(await lastUse("Sync")).toBe("Never used");
  expect(await lastUse("Reports")).toBe("Never used");
  expect(await lastUse("Forgotten")).toMatch(/^Never used\s+in more than 90 days$/);
  expect(await lastUse("Abandoned")).toMatch(/\d\s+Not used for 90 days$/);
  expect(await lastUse("Busy")).not.toContain("90 days");
});

test("keys of every kind and their dialogs fit a narrow phone", { tags: "soak" }, async () => {
  const page = await open(await keysInEveryState(), "phone");
  await page.setViewportSize({ width: 360, height: 800 });
  await page.getByText("Retired keys (1)").click();
  await page.getByRole("table", { name: "Retired keys" }).waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await button(page, "Create key…").click();
  const box = await dialogOf(page).boundingBox();
  expect(box && [box.x >= 0, box.x + box.width <= 360]).toEqual([true, true]);
  const labels = await dialogOf(page).locator("label:has(input[type=checkbox])").all();
  expect(labels).toHaveLength(4);
  for (const label of labels) expect((await label.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await name(page).fill(longName);
  await button(page, "Create key").click();
  await page.getByText(`${longName} · Track events`).waitFor();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});

test("a dialog is opened and closed by keyboard, and focus returns to the row's menu", { tags: "soak" }, async () => {
  const page = await open(await people.world());
  const menu = row(page, "First key").locator("summary");
  await menu.focus();
  await page.keyboard.press("Enter");
  await button(page, "Edit…").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Rotate this key?" }).waitFor();
  await page.keyboard.press("Escape");
  await dialogOf(page).waitFor({ state: "detached" });
  await expect.poll(() => menu.evaluate((element) => element === document.activeElement)).toBe(true);
});

test.each(["admin", "viewer"] as const)("a member with the role %s sees no keys", { tags: "soak" }, async (role) => {
  const page = await open(await people.world(), "laptop", people[role]);
  await page.getByText("This section requires the owner role.").waitFor();
  await settled(page);
  expect(await page.getByRole("link", { name: "API keys" }).count()).toBe(0);
  expect(await page.getByText("svc_").count()).toBe(0);
});
