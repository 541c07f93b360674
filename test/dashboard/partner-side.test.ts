import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { madePartner } from "../support/made-partner.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import {
  expectAccessible,
  expectNoSidewaysScroll,
  expectNothingMoved,
  openDashboard,
  settled,
  themes,
} from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile("stranger");

/** Opens a program in which Anna has earned 9.80 and 32.30. In all, 42.10 is payable. */
async function openShop(settings: Parameters<typeof payoutsFixture>[1] = {}) {
  const shop = await payoutsFixture(people, {
    program: { name: "Northwind", minimumPayoutCents: 2_000, payoutTerms: "Paid monthly, on the 15th" },
    partners: [{ name: "Anna", code: "anna" }, { name: "Bob" }],
    ...settings,
  });
  await shop.visit();
  await shop.earn(980);
  await shop.earn(3_230);
  return shop;
}

interface InProgram {
  readonly programId: number;
}

/** Returns the path of an invitation within the app. */
async function invite({ programId }: InProgram, partnerId: number, role = "manage"): Promise<string> {
  const path = `/api/programs/${programId}/partners/${partnerId}/invitations`;
  const { body } = await people.admin.post<{ data: { inviteUrl: string } }>(path, { role });
  return body.data.inviteUrl.replace(/^.*\/partner/, "");
}

async function join(user: User, world: InProgram, partnerId: number, role?: string): Promise<void> {
  const token = (await invite(world, partnerId, role)).replace(/^.*token=/, "");
  expect((await user.post("/api/partner/invitations/accept", { token })).status).toBe(200);
}

test("an invited partner creates an account on a phone, and sees everything important without scrolling", async () => {
  const { world, alice } = await openShop();
  const at = await invite(world, alice.id);
  const page = await openDashboard(newContext, { app: "partner", at, width: "phone" });
  await page.getByRole("heading", { name: "Join Northwind" }).waitFor();
  expect(page.url()).toMatch(/\/partner\/invitation$/);
  await expectAccessible(page);
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("Name").fill("Anna Larsson");
  await page.getByLabel("Email").fill(`${randomUUID()}@people.example`);
  await page.getByLabel("Password").fill(randomUUID());
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("Signed in as Anna Larsson").waitFor();
  await page.getByRole("button", { name: "Accept invitation" }).click();

  await page.waitForURL(`**/partner/programs/${world.programId}/partners/${alice.id}`);
  const earned = page.getByRole("region", { name: "Earned this month" }).getByText("€42.10");
  const payable = page.getByRole("region", { name: "Next payout" });
  await earned.waitFor();
  expect(await payable.innerText()).toContain("€42.10");
  expect(await page.evaluate("scrollY")).toBe(0);
  const bottomBar = await page.getByRole("navigation", { name: "Program" }).boundingBox();
  const copy = page.getByRole("button", { name: "Copy link" });
  for (const answer of [earned, payable.getByText("Paid monthly"), copy]) {
    const box = await answer.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(bottomBar?.y ?? 0);
  }
  await copy.click();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe("https://shop.example/?aff=anna");
  await settled(page);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});

const hostile = "<img src=x onerror=alert(1)>";

test("each page of the partners' app shows names as plain text, and fits four screen widths", async () => {
  const { world, alice, adjust } = await openShop({
    program: { name: hostile, payoutTerms: "x".repeat(300) },
    partners: [{ name: hostile, code: "a".repeat(64) }, {}],
  });
  await adjust(-4_700);
  await join(people.stranger, world, alice.id);
  const at = `/programs/${world.programId}/partners/${alice.id}`;
  const page = await openDashboard(newContext, { user: people.stranger, app: "partner", at });
  page.on("dialog", () => expect.unreachable("a name ran as code"));
  await page.getByText("€4.90 will be deducted from your next earnings.").first().waitFor();
  for (const path of sampled(["", "/payouts?tab=statement", "/links", "/commissions", "/payouts", "/profile"])) {
    await page.goto(`/partner${at}${path}`);
    await settled(page);
    await page.getByText(hostile).first().waitFor();
    await expectNothingMoved(page);
    for (const width of sampled([320, 390, 768, 1280])) {
      await page.setViewportSize({ width, height: 844 });
      await expectNoSidewaysScroll(page);
    }
    await expectAccessible(page, sampled(themes));
  }
  await page.emulateMedia({ media: "print" });
  await page.goto(`/partner${at}/payouts?tab=statement`);
  await page.getByRole("article", { name: "Statement" }).waitFor();
  expect(await page.getByRole("button", { name: "Print" }).isVisible()).toBe(false);
  expect(await page.getByRole("navigation", { name: "Program" }).isVisible()).toBe(false);
});

test("a partner adds a code and creates a link to a page by keyboard", { tags: "soak" }, async () => {
  const world = await people.world();
  const partnerId = await madePartner(people.admin, world, { name: "Anna", code: "anna" });
  await join(people.stranger, world, partnerId);
  const at = `/programs/${world.programId}/partners/${partnerId}`;
  const page = await openDashboard(newContext, { user: people.stranger, app: "partner", at });
  await settled(page);
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
  await page.getByRole("link", { name: "Links", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Links" }).waitFor();
  expect(await page.evaluate("document.activeElement.id")).toBe("main");
  await page.getByRole("button", { name: "Add a code" }).press("Enter");
  await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("code");
  await page.keyboard.type("anna-tips");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "anna-tips" }).waitFor();

  const built = page.getByRole("region", { name: "Link to any page" });
  await built.getByLabel("Page").fill("shop.example/pricing?plan=team#top");
  await built.getByLabel("Code").selectOption("anna-tips");
  await built.getByLabel("Sub-ID").fill("newsletter");
  await built.getByText("https://shop.example/pricing?plan=team&aff=anna-tips&aff_sub=newsletter#top").waitFor();
  await built.getByLabel("Page").fill("https://evil.example/");
  await built.getByText("Links work on shop.example only. This page is on evil.example.").waitFor();
  await built.getByLabel("Page").fill("");
  await built.getByRole("button", { name: "QR code" }).press("Enter");
  await page.getByRole("img", { name: "QR code of the link" }).waitFor();
  await expectAccessible(page);
});

test("a partner sees a code's clicks, sales and earnings, and why a payment failed", async () => {
  const { world, alice, create, confirm, post } = await openShop();
  const payout = (await create({ reference: "2026-11" })).body.data.id;
  await confirm(payout);
  const failed = { reason: "closed", partnerNote: "Your bank refused the payment." };
  await post("admin", `/${payout}/lines/${alice.id}/fail`, failed);
  await join(people.stranger, world, alice.id);
  const at = `/programs/${world.programId}/partners/${alice.id}`;
  const page = await openDashboard(newContext, { user: people.stranger, app: "partner", at: `${at}/links` });
  await page.getByText("Last 30 days: 1 click, 2 leads, 2 sales, €42.10 earned").waitFor();
  await expectAccessible(page);
  await page.goto(`/partner${at}/payouts`);
  const row = page.getByRole("row").filter({ hasText: "2026-11" });
  await row.getByText("Failed").waitFor();
  await row.getByText("Your bank refused the payment.").waitFor();
  await expectAccessible(page);
});

test("a partner filters and downloads commissions, and a partner with the role view can't change anything", {
  tags: "soak",
}, async () => {
  const { world, alice } = await openShop();
  await join(people.stranger, world, alice.id, "view");
  const at = `/programs/${world.programId}/partners/${alice.id}/commissions`;
  const page = await openDashboard(newContext, { user: people.stranger, app: "partner", at });
  await page.getByRole("cell", { name: "€32.30" }).waitFor();
  await page.getByText("Last recorded first, with the day of the sale.").waitFor();
  await page.getByLabel("Status").selectOption("Declined");
  await page.getByText("No commissions match these filters").waitFor();
  await page.goBack();
  await page.getByLabel("Sub-ID").fill("elsewhere");
  await page.keyboard.press("Enter");
  await page.getByText("No commissions match these filters").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("cell", { name: "€32.30" }).waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download commissions as CSV" }).click();
  expect(await readFile(await (await download).path(), "utf8")).toContain("32.30");
  await page.getByRole("link", { name: "Links", exact: true }).click();
  await page.getByRole("heading", { name: "anna" }).waitFor();
  expect(await page.getByRole("button", { name: "Add a code" }).count()).toBe(0);
});

test("a partner sees revenue if the program allows it", { tags: "soak" }, async () => {
  const { world, alice } = await openShop({
    program: { name: "Northwind", partnersSeeRevenue: true },
    partners: [{ name: "Anna", code: "anna" }, { name: "Bob" }],
  });
  await join(people.stranger, world, alice.id);
  const at = `/programs/${world.programId}/partners/${alice.id}`;
  const page = await openDashboard(newContext, { user: people.stranger, app: "partner", at });
  const figures = page.getByRole("region", { name: "Your figures" });
  await figures.getByText("Revenue").waitFor();
  expect(await figures.locator("dl").innerText()).toMatch(/Revenue\s+€210/);
});

test("a partner downloads everything stored about them", { tags: "soak" }, async () => {
  const { world, alice } = await openShop();
  await join(people.stranger, world, alice.id, "view");
  const at = `/programs/${world.programId}/partners/${alice.id}/profile`;
  const page = await openDashboard(newContext, { user: people.stranger, app: "partner", at });
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download all that is stored about me" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("tributary-northwind-own-data.json");
  const { data } = JSON.parse(await readFile(await file.path(), "utf8"));
  expect(data).toMatchObject({ programName: "Northwind", account: { email: people.stranger.email } });
});

test("a partner of two programs switches between them", { tags: "soak" }, async () => {
  const newWorld = (name: string) => people.world({ program: { name }, partners: [{ name: "Anna" }] });
  const [first, second] = [await newWorld("Northwind"), await newWorld("Southwind")];
  const anna = await sharedUser("Anna");
  for (const world of [first, second]) {
    await join(anna, world, world.partner.id);
  }
  const page = await openDashboard(newContext, { user: anna, app: "partner", width: "phone" });
  await page.waitForURL("**/partner/programs/*/partners/*");
  await settled(page);
  await page.locator("summary", { hasText: "Switch program" }).click();
  await expectAccessible(page);
  const other = page.url().includes(`/${first.programId}/`) ? second : first;
  await page.locator(`a[href*="/programs/${other.programId}/"].menu-item`).click();
  await page.waitForURL(`**/programs/${other.programId}/**`);
});

test("a partner accepts the program's terms with the invitation, and is asked to accept a new version at the next visit", {
  tags: "soak",
}, async () => {
  const world = await people.world({ partners: [{ name: "Anna" }] });
  const terms = `/api/programs/${world.programId}/terms`;
  expect((await people.admin.post(terms, { text: `No coupon sites.\n${hostile}` })).status).toBe(201);
  const [at, user] = [await invite(world, world.partner.id), await sharedUser()];
  const page = await openDashboard(newContext, { user, app: "partner", at, width: "phone" });
  await page.getByRole("region", { name: "Terms" }).getByText("No coupon sites.").waitFor();
  await expectAccessible(page);
  await people.admin.post(terms, { text: "No coupon sites, no spam." });
  await page.getByRole("button", { name: "Accept invitation" }).click();
  await page.getByText("No coupon sites, no spam.").waitFor();
  await page.getByRole("button", { name: "Accept invitation" }).click();
  await page.getByRole("region", { name: "Earned this month" }).waitFor();
  expect(await page.getByText("The program has new terms.").count()).toBe(0);

  await people.admin.post(terms, { text: "Only your own channels." });
  await page.reload();
  await page.getByRole("button", { name: "Read and accept" }).click();
  await page.getByText("Only your own channels.").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Accept terms" }).click();
  await page.getByText("The program has new terms.").waitFor({ state: "hidden" });
});
