import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import type { World } from "../../harness/world.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi, sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const open = ({ programId }: World, section?: string, user = people.owner) =>
  openDashboard(newContext, {
    user,
    at: `/programs/${programId}/settings${section === undefined ? "" : `?section=${section}`}`,
  });
const programOf = async ({ programId }: World) =>
  (await people.viewer.get<{ data: Record<string, unknown> }>(`/api/programs/${programId}`)).body.data;

test("errors in program settings appear at their field, typed values stay, and saved values take effect", {
  tags: "soak",
}, async () => {
  const world = await people.world();
  const page = await open(world, undefined, people.admin);
  await page.getByLabel("Name", { exact: true }).fill("Renamed");
  await page.getByLabel("Website").fill("ftp://shop.example");
  await button(page, "Save").click();
  await page.getByText("Enter a full URL, such as https://shop.example.").waitFor();
  expect(await page.getByLabel("Website").getAttribute("aria-invalid")).toBe("true");
  await expectAccessible(page);

  const navigation = page.getByRole("navigation", { name: "Program" });
  await navigation.getByRole("link", { name: "Partners" }).click();
  await page.getByRole("heading", { name: "Partners" }).waitFor();
  await navigation.getByRole("link", { name: "Settings" }).click();
  await page.getByText("Unsaved changes").waitFor();
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Renamed");
  // The browser asks for a confirmation before it leaves the page.
  const asked = page.waitForEvent("dialog").then(async (dialog) => {
    await dialog.dismiss();
    return dialog.type();
  });
  await page.reload({ timeout: 1_000 }).catch(() => undefined);
  expect(await asked).toBe("beforeunload");

  await page.getByLabel("Website").fill("other.example");
  await page.getByLabel("Currency").selectOption("JPY");
  await page.getByLabel("Time zone").selectOption("Asia/Tokyo");
  await page.getByLabel("Revenue in partners' pages").selectOption("Shown");
  await button(page, "Save").click();
  await page.getByText("Saved.").waitFor();
  await page.getByText("Unsaved changes").waitFor({ state: "detached" });
  expect(await programOf(world)).toMatchObject({
    name: "Renamed",
    websiteUrl: "https://other.example",
    currency: "JPY",
    timezone: "Asia/Tokyo",
    partnersSeeRevenue: true,
  });

  await page.getByRole("link", { name: "Attribution" }).click();
  await page.getByLabel("Attribution window").fill("366");
  await button(page, "Save").click();
  await page.getByText("Enter a whole number from 1 to 365.").waitFor();
  await page.getByLabel("Attribution window").fill("30");
  await page.getByLabel("Cookie lifetime").fill("7");
  await page.getByLabel("Attribution model").selectOption("First click");
  await page.getByLabel("Accept leads from").selectOption("Server only");
  await expectAccessible(page);
  await button(page, "Save").click();
  await page.getByText("Unsaved changes").waitFor({ state: "detached" });
  expect(await programOf(world)).toMatchObject({
    attributionWindowDays: 30,
    cookieWindowDays: 7,
    attributionModel: "first_click",
    leadAuth: "server_required",
  });
});

test("a user chooses whether the attribution window ends at the lead or the first payment, and an example with a trial explains this", {
  tags: "soak",
}, async () => {
  const world = await people.world();
  const page = await open(world, "attribution", people.admin);
  const control = page.getByLabel("Required within the window");
  const chosen = () => control.locator("option:checked").textContent();
  expect(await chosen()).toBe("Lead");
  await page.getByText("with a 60-day window and a 90-day trial").waitFor();
  await page.getByText("customer keys must not be guessable").waitFor();
  await control.selectOption("First payment");
  await page.getByText("Unsaved changes").waitFor();
  await expectAccessible(page);
  await button(page, "Save").click();
  await page.getByText("Saved.").waitFor();
  expect(await programOf(world)).toMatchObject({ windowUntil: "first_sale", attributionWindowDays: 60 });

  await page.reload();
  await settled(page);
  expect(await chosen()).toBe("First payment");
  const viewer = await open(world, "attribution", people.viewer);
  expect(await viewer.getByRole("main").locator("dl").textContent()).toContain(
    "Required within the windowFirst payment",
  );
  const audit = await open(world, "audit", people.admin);
  const change = audit.getByRole("row").filter({ hasText: "Changed the settings" });
  await change.getByText("admin").waitFor();
  expect(await change.textContent()).toContain("Required within the window: lead changed to→ first payment");
});

test("a paused program counts no clicks until it is active again", { tags: "soak" }, async () => {
  const world = await people.world();
  const page = await open(world, undefined, people.admin);
  const click = async () =>
    (
      await sharedApi().click(
        { affiliate_url: world.partner.landingUrl, program_id: world.programId },
        { key: world.key },
      )
    ).body.success;
  await button(page, "Pause program").click();
  await page.getByRole("dialog").getByRole("button", { name: "Pause program" }).click();
  const banner = page.getByText("and new sales earn nothing.");
  await banner.waitFor();
  expect(await click()).toBe(false);
  const integration = await open(world, "integration", people.admin);
  await integration.getByRole("region", { name: "Status" }).getByText("Paused", { exact: true }).waitFor();
  await page.getByRole("region", { name: "Status" }).getByRole("button", { name: "Resume program" }).click();
  await page.getByText("Clicks are counted").waitFor();
  await expect.poll(() => banner.count()).toBe(0);
  expect(await click()).toBe(true);
});

test("a sale earns the amount in the commission form's example, with the rounding and the hold period", async () => {
  const world = await people.world({ program: { currency: "JPY" }, partners: [{}, {}] });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("c1");
  const page = await open(world, "commission", people.admin);
  expect(await button(page, "Save commission").isDisabled()).toBe(true);
  await page.getByLabel("Rate").fill("12.5");
  await page.getByLabel("Hold period").fill("30");
  expect(await button(page, "Save commission").isDisabled()).toBe(false);
  const example = page.getByRole("status").filter({ hasText: "A sale of" });
  expect(await example.textContent()).toMatch(/^A sale of ¥100 today earns ¥13, held until /);
  const said = await example.textContent();
  await button(page, "Save commission").click();
  const dialog = page.getByRole("dialog", { name: "Change the commission for all partners?" });
  expect(await dialog.textContent()).toMatch(
    /20% of each sale, held for 15 days.*12\.5% of each sale, held for 30 days/,
  );
  await expectAccessible(page);
  await button(page, "Cancel").click();
  await dialog.waitFor({ state: "detached" });
  await button(page, "Save commission").click();
  await button(page, "Change commission").click();
  await page.getByText("Current: 12.5% of each sale, held for 30 days.").waitFor();
  const { commission } = (await shop.sell({ amount_cents: 100, currency: "JPY" })).body;
  expect(commission.amount_cents).toBe(13);
  const held = new Date(String(commission.hold_until));
  const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" }).format(held);
  expect(said).toContain(`held until ${date}.`);

  await page.getByLabel("Maximum per sale").fill("10");
  await expect.poll(() => example.textContent()).toContain("earns ¥10 (¥13 before the cap)");
  await page.getByLabel("Minimum sale").fill("101");
  await expect.poll(() => example.textContent()).toContain("earns nothing: it's below the minimum sale of ¥101.");
  await page.getByLabel("Applies to").selectOption("one_time");
  await page.getByLabel("Partners earn").selectOption("flat");
  await page.getByLabel("Amount").fill("1.5");
  await button(page, "Save commission").click();
  await page.getByText("Enter an amount in JPY without decimals.").waitFor();
  await page.getByLabel("Amount").fill("7");
  await button(page, "Save commission").click();
  await button(page, "Change commission").click();
  await page
    .getByText(
      "Current: ¥7 for a customer's first sale; nothing on sales below ¥101; at most ¥10 for a sale; only for sales in JPY",
    )
    .waitFor();
  await shop.refer("c2", { partner: shop.bob });
  await shop.refer("c3");
  const sell = async (customer_key: string, amount_cents: number) =>
    (await shop.sell({ amount_cents, currency: "JPY", customer_key })).body.commission.amount_cents;
  expect([await sell("c2", 101), await sell("c2", 102), await sell("c3", 100)]).toEqual([7, 0, 0]);
  const versions = page.getByRole("table", { name: "Versions" }).getByRole("row");
  expect(await versions.count()).toBe(4);
  expect(await versions.nth(2).textContent()).toMatch(/12\.5% .*Was 20% of each sale.*admin$/);
  await expectAccessible(page);

  await button(page, "Stop paying commission…").click();
  await button(page, "Stop paying commission").click();
  await page.getByText("No commission is set").waitFor();
  await shop.refer("c4");
  expect(await sell("c4", 200)).toBe(0);
});

test("the members page lists the keys and webhooks of a removed member, and ends them if the owner wants this", async () => {
  const leaving = await sharedUser("Grace");
  const world = await people.world({ members: [...people.members(), { user: leaving, role: "owner" }] });
  const path = `/api/programs/${world.programId}`;
  await leaving.post(`${path}/api-keys`, { name: "Hers", scopes: ["read"], book: "both" });
  await leaving.post(`${path}/webhooks`, { url: "https://grace.example/hook" });
  const page = await open(world, "members");
  await button(page, "Remove Grace").click();
  await button(page, "Remove member").click();
  const dialog = page.getByRole("dialog", { name: "Grace was removed" });
  await dialog.getByText("API key Hers").waitFor();
  await dialog.getByText("Webhook https://grace.example/hook").waitFor();
  await expectAccessible(page);
  await button(page, "End them all").click();
  await page.getByText("All were ended.").waitFor();
  const { body: keys } = await people.owner.get<{ data: { name: string; retiresAt: string | null }[] }>(
    `${path}/api-keys`,
  );
  expect(keys.data.find(({ name }) => name === "Hers")?.retiresAt).toMatch(/Z$/);
  expect((await people.owner.get(`${path}/webhooks`)).text).toContain('"disabled"');
});

test("an owner invites, suspends and removes members and changes roles, and the last owner stays", {
  tags: "soak",
}, async () => {
  const world = await people.world();
  const newcomer = await sharedUser("Grace");
  const page = await open(world, "members");
  await button(page, "Invite member").click();
  await expect.poll(() => page.evaluate<string>("document.activeElement.name")).toBe("email");
  await page.keyboard.type("grace");
  await page.mouse.click(5, 5);
  await button(page, "Create invite link").click();
  await page.getByText("Enter a valid email address.").waitFor();
  await page.getByLabel("Email").fill("grace@people.example");
  await page.getByLabel("Role", { exact: true }).selectOption("admin");
  await button(page, "Create invite link").click();
  await page.mouse.click(5, 5);
  await button(page, "Copy invite link").click();
  await page.getByRole("dialog").getByText("Copied to the clipboard.").waitFor();
  const link = await page.evaluate<string>("navigator.clipboard.readText()");
  await expectAccessible(page);
  await button(page, "Done").click();
  await page.getByRole("row").filter({ hasText: "grace@people.example" }).getByText("Invited by owner").waitFor();

  const hers = await openDashboard(newContext, { user: newcomer, at: link.replace(/^.*\/app/, "") });
  await button(hers, "Join workspace").click();
  await hers.getByText("You joined the workspace. Your role is admin.").waitFor();
  const patch = () => newcomer.patch(`/api/programs/${world.programId}`, { name: "By Grace" });
  expect((await patch()).status).toBe(200);

  await page.reload();
  await button(page, "Change role of Grace").click();
  await page.getByLabel("Role", { exact: true }).selectOption("viewer");
  await button(page, "Change role").click();
  await page.getByText("Grace's role is now viewer.").waitFor();
  expect((await patch()).status).toBe(403);
  await button(page, "Suspend Grace").click();
  await button(page, "Reactivate Grace").waitFor();
  expect((await newcomer.get(`/api/programs/${world.programId}`)).status).toBe(403);
  await button(page, "Remove Grace").click();
  await button(page, "Remove member").click();
  await page.getByText("Grace was removed.").waitFor();
  await expect.poll(() => page.getByText("Grace", { exact: true }).count()).toBe(0);

  await button(page, "Invite member").click();
  await page.getByLabel("Email").fill("joan@people.example");
  await page.getByLabel("Role", { exact: true }).selectOption("admin");
  await button(page, "Create invite link").click();
  await button(page, "Done").click();
  await button(page, "Revoke the invitation for joan@people.example").click();
  await expectAccessible(page);
  await button(page, "Revoke invitation").click();
  await page.getByText("Invitation revoked.").waitFor();
  await page.getByText("No open invitations.").waitFor();

  await page.getByRole("link", { name: "Audit trail" }).click();
  await button(page, "Workspace").click();
  await page.getByText("Revoked the invitation for joan@people.example").waitFor();
  const trail = (await page.getByRole("row").allTextContents()).slice(1);
  const told = [
    "Revoked the invitation for joan@people.exampleRole: admin changed to→ none",
    "Invited joan@people.exampleRole: admin",
    "Removed member GraceRole: viewer changed to→ noneStatus: suspended changed to→ none",
    "Changed member GraceStatus: active changed to→ suspended",
    "Changed member GraceRole: admin changed to→ viewer",
    "Accepted the invitation for grace@people.exampleRole: admin",
    "Invited grace@people.exampleRole: admin",
  ];
  expect(trail).toEqual(told.map((text) => expect.stringContaining(text)));
  await expectAccessible(page);

  await page.getByRole("link", { name: "Members" }).click();
  await button(page, "Change role of owner").click();
  await page.getByLabel("Role", { exact: true }).selectOption("viewer");
  await button(page, "Change role").click();
  await page.getByRole("dialog").getByText("A workspace needs at least one active owner").waitFor();
  await button(page, "Close").click();
  await button(page, "Suspend owner").click();
  await page.getByText("A workspace needs at least one active owner").last().waitFor();
  await expectAccessible(page);
});

test("an admin sees no keys and no members in settings, and a viewer can't change anything", {
  tags: "soak",
}, async () => {
  const world = await people.world();
  const tabsOf = async (page: Page) => {
    await settled(page);
    return page.getByRole("navigation", { name: "Settings" }).getByRole("link").allInnerTexts();
  };
  const forAll = ["Attribution", "Integration", "Webhooks", "Commission", "Customer offer", "Units", "Risk", "Payouts"];
  const admin = await open(world, "keys", people.admin);
  expect(await tabsOf(admin)).toEqual(["Program", "Mail", "Audit trail", ...forAll]);
  await admin.getByText("This section requires the owner role.").waitFor();
  expect(await admin.getByText("svc_").count()).toBe(0);

  for (const section of ["program", "attribution", "commission", "payouts", "webhooks"]) {
    const viewer = await open(world, section, people.viewer);
    expect(await tabsOf(viewer)).toEqual(["Program", "Mail", ...forAll]);
    expect(await viewer.getByRole("list", { name: "Access" }).count()).toBe(0);
    const main = viewer.getByRole("main");
    expect(await main.locator("input, select, textarea, button").count()).toBe(0);
    await expectAccessible(viewer);
  }
});

test("each section of settings passes axe, and scrolls only vertically on a phone", { tags: "soak" }, async () => {
  const world = await people.world();
  const at = `/programs/${world.programId}/settings`;
  const page = await openDashboard(newContext, { user: people.owner, at, width: "phone" });
  for (const section of [
    "program",
    "attribution",
    "commission",
    "integration",
    "keys",
    "webhooks",
    "members",
    "privacy",
    "audit",
  ]) {
    await page.goto(`/app${at}?section=${section}`);
    await settled(page);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  }
});
