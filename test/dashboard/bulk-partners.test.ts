import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const tick = (page: Page, name: string) => page.getByRole("checkbox", { name: `Select ${name}` }).check();

async function listOf<Item extends JsonObject>({ programId }: World, path: string): Promise<readonly Item[]> {
  const { body } = await people.admin.get<{ data: Item[] }>(`/api/programs/${programId}/${path}`);
  return body.data;
}
const statuses = async (world: World) =>
  (await listOf(world, "partners")).map(({ code, status }) => `${code} ${status}`).toSorted();
const groupsOf = async (world: World) =>
  new Map((await listOf(world, "partners")).map(({ code, groupId }) => [code, groupId]));
const couponsOf = async (world: World) =>
  (await listOf(world, "coupons"))
    .map(({ codes, partnerCode, status }) => `${String(codes)} ${partnerCode} ${status}`)
    .toSorted();

const hostile = "=cmd|' /C calc'!A0 \u202e<b>x</b>";

async function open(settings: Parameters<typeof people.world>[0] = {}) {
  const world = await people.world({
    partners: [
      { code: "anna", name: "Anna" },
      { code: "bob", name: "Bob" },
      { code: "evil", name: hostile },
    ],
    ...settings,
  });
  const page = await openDashboard(newContext, { user: people.admin, at: `/programs/${world.programId}/partners` });
  await page.getByRole("link", { name: "Anna" }).waitFor();
  return { world, page };
}

test("selected partners are paused and resumed, and Undo reverts the change", async () => {
  const { world, page } = await open();
  const path = `/api/programs/${world.programId}/partners/${world.partner.id}`;
  expect((await people.admin.patch(path, { status: "paused" })).status).toBe(200);
  await page.reload();
  await page.getByLabel("Select all on this page").check();
  const bar = page.getByRole("region", { name: "Selection" });
  await bar.getByText("3 selected").waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  // The key P opens the same dialog as the button.
  await page.keyboard.press("p");
  const dialog = page.getByRole("dialog", { name: "Pause 2 partners?" });
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Pause 2 partners" }).click();
  await page.getByText("2 partners paused.").waitFor();
  await bar.waitFor({ state: "detached" });
  expect(await statuses(world)).toEqual(["anna paused", "bob paused", "evil paused"]);
  await settled(page);
  await expectAccessible(page);
  await button(page, "Undo: resume 2 partners").click();
  await page.getByText("2 partners resumed.").waitFor();
  expect(await statuses(world)).toEqual(["anna paused", "bob active", "evil active"]);
  expect((await listOf(world, "partners")).map(({ name }) => name)).toContain(hostile);
});

test("Undo after a move to a group returns each partner to their former group", async () => {
  const { world, page } = await open({
    groups: [{ name: "Gold" }, { name: "Silver" }],
    partners: [
      { code: "anna", name: "Anna", group: 0 },
      { code: "bob", name: "Bob" },
      { code: "cy", name: "Cy", group: 1 },
    ],
  });
  const [gold, silver] = world.groups;
  const before = await groupsOf(world);
  expect(before).toEqual(
    new Map([
      ["anna", gold?.id],
      ["bob", null],
      ["cy", silver?.id],
    ]),
  );
  const patches: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "PATCH") patches.push(request.url());
  });
  await page.getByLabel("Select all on this page").check();
  await button(page, "Move to group…").click();
  await page.getByLabel("Group", { exact: true }).selectOption("Silver");
  await expectAccessible(page);
  await button(page, "Move partners").click();
  await page.getByText("2 partners moved to Silver, 1 already in it.").waitFor();
  expect(new Set((await groupsOf(world)).values())).toEqual(new Set([silver?.id]));
  await button(page, "Undo: move each of 2 back").click();
  await page.getByText("2 partners moved back.").waitFor();
  expect(await groupsOf(world)).toEqual(before);
  // The partners are moved by calls for the whole list, even out of all groups, so there is no PATCH for each partner.
  expect(patches).toEqual([]);
});

test("a dialog creates coupons by a code pattern: it shows taken codes first, creates each coupon once, and Undo pauses them", async () => {
  const { world, page } = await open({ coupons: [{ codes: ["BOB10"], partner: 0 }] });
  const { programId } = world;
  await tick(page, "Anna (anna)");
  await tick(page, "Bob (bob)");
  await tick(page, `${hostile.replace("\u202e", "")} (evil)`);
  await page.getByRole("region", { name: "Selection" }).getByText("3 selected").waitFor();
  await page.keyboard.press("c");
  const dialog = page.getByRole("dialog", { name: "Create coupons for 3 partners" });
  const pattern = dialog.getByLabel("Pattern");
  await pattern.fill("SAVE10");
  await button(page, "Preview").click();
  await dialog.getByText("Use {CODE}, {NAME} or {FIRST}").waitFor();
  await pattern.fill("{CODE}10");
  await dialog.getByText("10 for").waitFor();
  await expectAccessible(page);
  await button(page, "Preview").click();
  await dialog.getByText("2 new coupons, 1 code left out.").waitFor();
  const rows = dialog.getByRole("row");
  expect(await rows.nth(1).innerText()).toMatch(/BOB10\s+Bob\s+bob\s+Another partner has this code\./);
  await expectAccessible(page);
  expect(await couponsOf(world)).toEqual(["BOB10 anna active"]);

  // The response to the first call is lost after the service has created the coupons.
  let calls = 0;
  await page.route("**/imports/rows", async (route) => {
    calls += 1;
    if (calls > 1) return route.continue();
    await route.fetch();
    await route.abort("connectionreset");
  });
  await button(page, "Create 2 coupons").click();
  await page.getByText("2 coupons created, 1 left out.").waitFor();
  await page.getByText("Bob: Another partner has this code.").waitFor();
  expect(calls).toBe(2);
  expect(await couponsOf(world)).toEqual(["ANNA10 anna active", "BOB10 anna active", "EVIL10 evil active"]);
  await page.unroute("**/imports/rows");

  // Bob is still selected.
  await page.getByText("1 selected").waitFor();
  await button(page, "Create coupons…").click();
  await page.getByRole("dialog").getByLabel("Pattern").fill("{NAME}20");
  await button(page, "Preview").click();
  await button(page, "Create 1 coupon").click();
  await page.getByText("1 coupon created.").waitFor();
  await button(page, "Undo: pause the coupon").click();
  await page.getByText("1 coupon paused. Their codes stay taken.").waitFor();
  expect(await couponsOf(world)).toContain("BOB20 bob paused");
  await button(page, "Undo: resume the coupon").click();
  await page.getByText("1 coupon resumed.").waitFor();
  await button(page, "Undo: pause the coupon").click();
  await page.getByText("1 coupon paused.").waitFor();

  // A coupon that has expired would stay invalid.
  const ending = (validUntil: number | null) =>
    world.change({ sql: "update coupons set valid_until = ? where status = 'paused'", args: [validUntil] });
  await ending(1);
  await tick(page, "Bob (bob)");
  await button(page, "Create coupons…").click();
  await page.getByRole("dialog").getByLabel("Pattern").fill("{NAME}20");
  await button(page, "Preview").click();
  await page.getByRole("dialog").getByText("0 new coupons, 1 code left out.").waitFor();
  expect(await page.getByRole("row", { name: "BOB20" }).innerText()).toContain("The partner's coupon has expired.");
  expect(await button(page, "Create 0 coupons").isDisabled()).toBe(true);
  await page.keyboard.press("Escape");
  await ending(null);

  // Creating the coupon again resumes it.
  await tick(page, "Anna (anna)");
  await button(page, "Create coupons…").click();
  await page.getByRole("dialog").getByLabel("Pattern").fill("{NAME}20");
  await button(page, "Preview").click();
  await page.getByRole("dialog").getByText("1 new coupon, 1 to resume.").waitFor();
  expect(await page.getByRole("row", { name: "BOB20" }).innerText()).toContain("Paused: will be resumed");
  await button(page, "Create 1 coupon and resume 1").click();
  await page.getByText("1 coupon created, 1 resumed.").waitFor();
  expect(await couponsOf(world)).toEqual(expect.arrayContaining(["ANNA20 anna active", "BOB20 bob active"]));
  await button(page, "Undo: pause these 2 coupons").click();
  await page.getByText("2 coupons paused.").waitFor();
  await page.goto(`/app/programs/${programId}/partners/coupons`);
  await page.getByText("EVIL10").waitFor();
  await page.getByLabel("Status").selectOption("Paused");
  await page.getByText("EVIL10").waitFor({ state: "detached" });
  expect(await page.getByRole("row", { name: "BOB20" }).count()).toBe(1);
  await ending(1);
  await button(page, "Resume BOB20").click();
  await page.getByText("BOB20 is resumed, but has expired").waitFor();
});

test("the coupons page finds the partners of a pasted coupon list by code or name, and marks the lines that get no coupon", async () => {
  const { world, page } = await open();
  const program = `/programs/${world.programId}`;
  await people.admin.patch(`/api${program}/partners/${world.partners[1]?.id}`, { status: "paused" });
  await page.goto(`/app${program}/partners/coupons`);
  await button(page, "Create several…").click();
  const dialog = page.getByRole("dialog", { name: "Create several coupons" });
  await dialog.getByLabel("Coupons").fill("Code\tPartner\nA10\tanna\nB10\tBob\na10\tbob\nC10\tnina\nwith space\tanna");
  await expectAccessible(page);
  await button(page, "Preview").click();
  await dialog.getByText("2 new coupons, 3 lines left out.").waitFor();
  await dialog.getByText("Line 2 has the same code.").waitFor();
  await dialog.getByRole("row", { name: "B10" }).getByText("New, but the partner is paused").waitFor();
  await dialog.getByText("No partner has this code or name.").waitFor();
  expect(await dialog.locator(".table-scroll").evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  await expectAccessible(page);
  await button(page, "Create 2 coupons").click();
  await page.getByText("2 coupons created, 3 left out.").waitFor();
  expect(await couponsOf(world)).toEqual(["A10 anna active", "B10 bob active"]);
  await settled(page);
  await expectAccessible(page);
  await button(page, "Undo: pause these 2 coupons").click();
  await page.getByText("2 coupons paused.").waitFor();
  expect(await couponsOf(world)).toEqual(["A10 anna paused", "B10 bob paused"]);
});

test("a bulk change of all matching partners runs in steps, and stopping it keeps the changes made so far", async () => {
  const count = 250;
  const partners = Array.from({ length: count }, (_, i) => ({ code: `p-${i}`, name: `Partner ${i}` }));
  const { world, page } = await open({ partners: [{ code: "anna", name: "Anna" }, ...partners] });
  await page.getByLabel("Select all on this page").check();
  await button(page, `Select all ${count + 1} that match`).click();
  await page.getByText(`${count + 1} selected`).waitFor();
  let calls = 0;
  const second = Promise.withResolvers<void>();
  const isOver = Promise.withResolvers<void>();
  await page.route("**/imports/rows", async (route) => {
    calls += 1;
    if (calls > 1) {
      second.resolve();
      await isOver.promise;
    }
    await route.continue().catch(() => {});
  });
  await button(page, "Pause…").click();
  await button(page, `Pause ${count + 1} partners`).click();
  await second.promise;
  await page
    .getByRole("dialog")
    .getByText(`100 of ${count + 1}`)
    .waitFor();
  await button(page, "Stop").click();
  await page.getByText(`Stopped. 100 of ${count + 1} done. Repeat for the others.`).waitFor();
  isOver.resolve();
  await page.getByText(`${count + 1 - 100} selected`).waitFor();
  await button(page, "Pause…").click();
  await button(page, `Pause ${count + 1 - 100} partners`).click();
  await page.getByText(`${count + 1 - 100} partners paused.`).waitFor();
  const { rows } = world;
  expect(
    await rows(`select count(*) as n from partners where program_id = ${world.programId} and status <> 'paused'`),
  ).toMatchObject([{ n: 0 }]);
});

test("a viewer sees no checkboxes to select partners", async () => {
  const world = await people.world({ partners: [{ name: "Anna" }] });
  const page = await openDashboard(newContext, { user: people.viewer, at: `/programs/${world.programId}/partners` });
  await page.getByRole("link", { name: "Anna" }).waitFor();
  expect(await page.getByRole("checkbox").count()).toBe(0);
});
