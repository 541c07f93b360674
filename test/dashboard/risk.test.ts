import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile("stranger");

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Opens a program in which Alice's customer "c1" paid 49.00 once, reported under two ids, and 10.00 before. */
async function openSuspicious(): Promise<SalesFixture> {
  const partners = [{ name: "Alice" }, { name: "Bob" }];
  const shop = salesFixture(programFixture(await people.world({ partners }), sharedApi()));
  await shop.refer("c1");
  await shop.sell({ transaction_id: "order-1", amount_cents: 1_000 });
  await shop.sell({ transaction_id: "in_7", amount_cents: 4_900 });
  await shop.sell({ transaction_id: "ch_9", amount_cents: 4_900 });
  return shop;
}

interface Listed {
  readonly id: number;
  readonly transactionId: string;
  readonly status: string;
  readonly held: boolean;
}
const list = async ({ world }: SalesFixture) =>
  (await people.viewer.get<{ data: Listed[] }>(`/api/programs/${world.programId}/commissions`)).body.data;
const states = async (shop: SalesFixture) =>
  Object.fromEntries(
    (await list(shop)).map(({ transactionId, status, held }) => [transactionId, held ? "held" : status]),
  );

async function hold(shop: SalesFixture, transactionId: string, notes: { reason: string; partnerNote?: string }) {
  const ids = (await list(shop)).filter((each) => each.transactionId === transactionId).map(({ id }) => id);
  const { status } = await people.admin.post(`/api/programs/${shop.world.programId}/commissions/hold`, {
    ...{ ids, ...notes },
  });
  expect(status).toBe(200);
}

const open = ({ world }: SalesFixture, path: string, options: { user?: typeof people.admin; width?: "phone" } = {}) =>
  openDashboard(newContext, { user: people.admin, at: `/programs/${world.programId}/${path}`, ...options });

const heldList = (page: Page) => page.getByRole("list", { name: "Commissions held for review" });
const headings = (page: Page) => heldList(page).getByRole("heading").allInnerTexts();
const audited = async ({ world }: SalesFixture) =>
  (
    await people.admin.get<{ data: { action: string; after: Record<string, string> }[] }>(
      `/api/programs/${world.programId}/audit`,
    )
  ).body.data;

test("each commission held for review shows its reason, amount and partner's record, and keyboard shortcuts decide one after the other", {
  tags: "soak",
}, async () => {
  const shop = await openSuspicious();
  await hold(shop, "order-1", { reason: "Ordered from the partner's own address." });
  const page = await open(shop, "commissions");
  await page.getByRole("link", { name: "Held for review 2" }).click();
  await expect
    .poll(() => headings(page))
    .toEqual([
      "Sale in_7 of the same customer, for the same amount, was made in the same minute.",
      "Ordered from the partner's own address.",
    ]);
  const [first] = await heldList(page).getByRole("listitem").all();
  await first?.getByText("Sale ch_9 of €49.00 to c1,").waitFor();
  await first?.getByText("€9.80").waitFor();
  await first
    ?.getByText(/Alice: of their last 3 commissions, since .*, 2 were held for review and none rejected\./)
    .waitFor();
  await first
    ?.getByText(/Held since .*\. The commission isn't paid until someone on your team releases it\./)
    .waitFor();
  await expectAccessible(page);

  await page.keyboard.press("r");
  const rejecting = page.getByRole("dialog", { name: "Reject commission?" });
  await rejecting.getByLabel("Reason").pressSequentially("a rare pair");
  expect(await rejecting.getByLabel("Reason").inputValue()).toBe("a rare pair");
  await page.keyboard.press("Enter");
  await page.getByText("1 rejected.", { exact: true }).waitFor();
  await expect.poll(() => headings(page)).toHaveLength(1);
  await page.keyboard.press("a");
  await page.getByRole("dialog", { name: "Release commission?" }).getByLabel("Note").fill("They moved.");
  await page.keyboard.press("Enter");
  await page.getByText("No commissions held for review").waitFor();
  await page.getByText("1 released.").waitFor();
  expect(await states(shop)).toEqual({ "order-1": "pending", in_7: "pending", ch_9: "rejected" });
  expect((await audited(shop)).slice(0, 2)).toMatchObject([
    { action: "commission.released", after: { note: "They moved." } },
    { action: "commission.rejected", after: { reason: "a rare pair" } },
  ]);
});

test("an admin releases several held commissions together on a phone, and a viewer can't decide them", {
  tags: "soak",
}, async () => {
  const shop = await openSuspicious();
  await hold(shop, "order-1", { reason: "Odd." });
  const page = await open(shop, "commissions?held=true", { width: "phone" });
  await page.getByLabel("Select ch_9").check();
  await button(page, "Select all").click();
  await settled(page);
  await page.getByRole("status").getByText("Press A to release or R to reject.").waitFor();
  await page.keyboard.press("a");
  await page.getByRole("dialog", { name: "Release 2 commissions?" }).waitFor();
  await page.keyboard.press("Escape");
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await button(page, "Release 2…").click();
  await page.getByRole("dialog", { name: "Release 2 commissions?" }).getByText("€11.80").waitFor();
  await expectAccessible(page);
  await button(page, "Release 2 commissions").click();
  await page.getByText("2 released.").waitFor();
  expect(await states(shop)).toEqual({ "order-1": "pending", in_7: "pending", ch_9: "pending" });

  await hold(shop, "in_7", { reason: "Odd." });
  const seen = await open(shop, "commissions?held=true", { user: people.viewer });
  await expect.poll(() => headings(seen)).toEqual(["Odd."]);
  await seen.keyboard.press("a");
  expect(await seen.getByRole("dialog").count()).toBe(0);
  expect(await seen.getByRole("button", { name: /release|reject/i }).count()).toBe(0);
});

test("an admin holds a commission in the list and releases it on its page, with a reason for each", async () => {
  const shop = await openSuspicious();
  const page = await open(shop, "commissions");
  await page.getByLabel("Select in_7").check();
  await button(page, "Hold 1…").click();
  const holding = page.getByRole("dialog", { name: "Hold commission for review?" });
  await button(page, "Hold commission").click();
  await holding.getByText("Enter a reason.").waitFor();
  await holding.getByLabel("Reason").fill("A card of the partner.");
  await holding.getByLabel("Note to the partner").fill("We look at this order.");
  await expectAccessible(page);
  await button(page, "Hold commission").click();
  await page.getByText("1 held for review.").waitFor();
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "in_7", exact: true }) });
  await row.getByText("Held for review").waitFor();
  await row.getByText("A card of the partner.").waitFor();

  await page.getByRole("link", { name: "in_7", exact: true }).click();
  const panel = page.getByRole("dialog", { name: "Sale in_7" });
  await panel.getByText("The commission isn't paid until someone on your team releases it.").waitFor();
  await panel.getByText("A card of the partner.").first().waitFor();
  await expectAccessible(page);
  await panel.getByRole("link", { name: "View full story" }).click();
  await page
    .getByRole("region", { name: "What is missing" })
    .getByRole("link", { name: "View all held for review" })
    .waitFor();
  await page
    .getByRole("region", { name: "Verdict" })
    .getByText(/A card of the partner/)
    .waitFor();
  await expectAccessible(page);
  await button(page, "Release…").click();
  await button(page, "Release commission").click();
  await page.getByText("1 released.").waitFor();
  await button(page, "Hold…").waitFor();
  expect(await states(shop)).toMatchObject({ in_7: "pending", ch_9: "held" });
});

test("each risk signal has a setting, and the form reports an invalid site to block", { tags: "soak" }, async () => {
  const { world } = await openSuspicious();
  const page = await openDashboard(newContext, { user: people.admin, at: `/programs/${world.programId}/settings` });
  await page.getByRole("link", { name: "Risk", exact: true }).click();
  await page.getByLabel("Duplicate sales").selectOption("Flag");
  await page.getByLabel("Self-referrals").selectOption("Off");
  await page.getByLabel("Customers with many addresses").selectOption("Off");
  await page.getByLabel("Sites to block").fill("https://Coupons.example/top\nlocalhost");
  await page.getByLabel("Review ends after").fill("91");
  await button(page, "Save").click();
  await page.getByText("“localhost” isn't a site, such as coupons.example.").waitFor();
  await page.getByLabel("Sites to block").fill("https://Coupons.example/top\ndeals.example");
  await button(page, "Save").click();
  await page.getByText("Enter a whole number from 1 to 90.").waitFor();
  await page.getByLabel("Review ends after").fill("14");
  await expectAccessible(page);
  await button(page, "Save").click();
  await page.getByText("Saved.").waitFor();
  await page.getByText("Unsaved changes").waitFor({ state: "detached" });
  expect((await people.viewer.get(`/api/programs/${world.programId}/risk`)).body).toEqual({
    data: {
      signals: { self_referral: "off", duplicate_source: "flag", blocked_source: "hold", many_sources: "off" },
      blockedHosts: ["coupons.example", "deals.example"],
      reviewDays: 14,
    },
  });
  const seen = await openDashboard(newContext, {
    ...{ user: people.viewer, at: `/programs/${world.programId}/settings?section=risk` },
  });
  await seen.getByText("coupons.example, deals.example").waitFor();
  await seen.getByText("14 days").waitFor();
  expect(await button(seen, "Save").count()).toBe(0);

  await page.goto(`/app/programs/${world.programId}/settings?section=audit`);
  await page.getByText("coupons.example, deals.example").waitFor();
});

test("risk signals flag an exempt partner's commissions, but don't hold them", { tags: "soak" }, async () => {
  const shop = await openSuspicious();
  const page = await open(shop, `partners/${shop.alice.id}?tab=details`);
  const exempt = page.getByRole("checkbox", { name: "Signals only flag this partner's commissions" });
  expect(await exempt.isChecked()).toBe(false);
  await exempt.check();
  await page.getByText("Signals flag commissions of Alice, but don't hold them.").waitFor();
  await expect.poll(() => exempt.isChecked()).toBe(true);
  await shop.sell({ transaction_id: "in_20", amount_cents: 7_000 });
  await shop.sell({ transaction_id: "ch_20", amount_cents: 7_000 });
  expect(await states(shop)).toMatchObject({ ch_9: "held", ch_20: "pending" });
  const flagged = await open(shop, "commissions");
  const row = flagged.getByRole("row").filter({ has: flagged.getByRole("link", { name: "ch_20", exact: true }) });
  await row.getByText("Flagged").waitFor();
  await row.getByText("Sale in_20 of the same customer").waitFor();
});

test("partners see neither risk signals nor reviews of their commissions", { tags: "soak" }, async () => {
  const shop = await openSuspicious();
  const { world, alice } = shop;
  await hold(shop, "order-1", { reason: "Suspected fraud.", partnerNote: "Thanks for your patience." });
  const path = `/api/programs/${world.programId}/partners/${alice.id}/invitations`;
  const { body } = await people.admin.post<{ data: { inviteUrl: string } }>(path, {});
  const token = body.data.inviteUrl.replace(/^.*token=/, "");
  await people.stranger.post("/api/partner/invitations/accept", { token });
  const at = `/programs/${world.programId}/partners/${alice.id}`;
  const page = await openDashboard(newContext, { app: "partner", user: people.stranger, at: `${at}/commissions` });
  await page.getByText("€9.80").first().waitFor();
  await settled(page);
  for (const part of ["commissions", "", "payouts"]) {
    await page.goto(`/partner${at}/${part}`);
    await settled(page);
    expect(await page.locator("body").innerText()).not.toMatch(
      /held|review|flag|signal|suspect|same customer|patience/i,
    );
  }
});
