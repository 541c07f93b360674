import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { expectConsistentInTheEnd } from "../support/expect-ledger-consistent.ts";
import { partnerSide } from "../support/partner-side.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectFits, expectNoSidewaysScroll, openDashboard, settled, themes } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile("stranger");

const soldAt = at(daysAgo(3));
const [day = ""] = soldAt.split("T");

/** Opens a program in which Anna, who has access, has one sale, and another sale has no partner. */
async function openShop() {
  const world = await people.world({
    program: { name: "Northwind" },
    // The name begins with a character that would reverse the text after it.
    partners: [{ name: "\u202EAnna", code: "anna" }, { name: "Bob" }],
  });
  expectConsistentInTheEnd(world);
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("annas", { clickAt: daysAgo(9) });
  const sell = (transaction_id: string, customer_key: string, amount_cents: number) =>
    shop.sell({ transaction_id, customer_key, amount_cents, currency: "EUR", occurred_at: soldAt });
  await sell("known", "annas", 2_000);
  await sell("order-7", "friend", 4_900);
  const { partner } = world;
  const claims = `${await partnerSide(world, people.stranger, partner.id)}/claims`;
  return {
    world,
    shop,
    sell,
    claims: `/programs/${world.programId}/partners/claims`,
    portal: `/programs/${world.programId}/partners/${partner.id}/commissions`,
    report: async (body: object) => {
      const { status, text } = await people.stranger.post(claims, { day, ...body });
      expect(status, text).toBe(201);
    },
  };
}

test("a partner reports a missing sale on a phone, an owner credits the sale, and the partner sees the owner's answer", async () => {
  const { world, claims, portal, shop, sell } = await openShop();
  await shop.refer("bobs", { partner: shop.bob, clickAt: daysAgo(9) });
  await sell("bobs", "bobs", 4_900);
  const page = await openDashboard(newContext, { user: people.stranger, app: "partner", at: portal, width: "phone" });
  await page.getByRole("button", { name: "Report a missing sale…" }).press("Enter");
  const form = page.getByRole("dialog", { name: "A sale is missing" });
  await form.getByRole("button", { name: "Report sale" }).press("Enter");
  await form.getByText("Enter the day of the sale.").waitFor();
  await form.getByLabel("Day of the sale").fill(day);
  await form.getByLabel("Amount that the customer paid").fill("49");
  await form.getByLabel("Order number or other reference").fill("order-7");
  await form.getByLabel("Note to the program").fill("<b>A reader</b> told me");
  await expectAccessible(page);
  await form.getByRole("button", { name: "Report sale" }).press("Enter");
  await form.getByText("The program will review your claim.").waitFor();
  expect(await form.getByRole("list", { name: "Your sales around that day" }).innerText()).toMatch(/On hold\s+€4\.00$/);
  await expectAccessible(page);
  await form.getByRole("link").press("Enter");
  await form.waitFor({ state: "detached" });
  await page.getByRole("row").filter({ hasText: "€4.00" }).waitFor();
  expect(new URL(page.url()).search).toBe(`?from=${day}&to=${day}`);
  await page.getByRole("link", { name: "Missing sales" }).click();
  const own = page.getByRole("row").filter({ hasText: "€49.00" });
  await own.getByText("Waiting for the program").waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);

  const owner = await openDashboard(newContext, {
    user: people.owner,
    at: `/programs/${world.programId}/overview`,
  });
  const navigation = owner.getByRole("navigation", { name: "Program" });
  await navigation.getByRole("link", { name: "Partners 1 waiting" }).waitFor();
  await owner.getByText("1 sale is reported as missing").waitFor();
  await owner.getByText(/^Anna, since /).waitFor();
  await owner.getByRole("link", { name: "Answer claims" }).press("Enter");
  const claim = owner.getByRole("listitem", { name: /^Anna: A sale of €49\.00 on / });
  await claim.getByText("<b>A reader</b> told me").waitFor();
  expect(new URL(owner.url()).pathname).toBe(`/app${claims}`);
  const sales = claim.getByRole("list", { name: "Sales around that day" }).getByRole("listitem");
  expect(await sales.first().innerText()).toContain("Same reference");
  expect(await sales.first().innerText()).toContain("No partner has it.");
  expect(await sales.nth(1).innerText()).toContain("Anna has it already, with a commission of €4.00.");
  expect(await sales.last().innerText()).toContain(`Bob ${shop.bob.code} has it.`);
  await expectAccessible(owner, themes.slice(0, 1));
  await claim.getByRole("button", { name: "It's theirs: order-7" }).press("Enter");
  const dialog = owner.getByRole("dialog", { name: "Credit this sale to Anna?" });
  await dialog.getByText("Anna gets €9.80 for 1 sale, on hold as usual.", { exact: true }).waitFor();
  await dialog.getByLabel("Note to the partner").fill("Found it, thank you");
  await expectAccessible(owner);
  await dialog.getByRole("button", { name: "Credit sale" }).press("Enter");
  await owner.getByText("The claim of Anna was credited. They earned €9.80 for 1 sale.").waitFor();
  await owner.getByText("No claims waiting").waitFor();
  await navigation.getByRole("link", { name: "Partners", exact: true }).waitFor();

  await page.reload();
  await own.getByText("Assigned to you").waitFor();
  await own.getByText("Found it, thank you").waitFor();
  await page.getByRole("link", { name: "Commissions" }).last().click();
  await page.getByRole("row").filter({ hasText: "€9.80" }).waitFor();
});

test("an admin can decline a claim with a note but can't pay for past sales, and a viewer can only read claims", {
  tags: "soak",
}, async () => {
  const { world, claims, portal, report, sell } = await openShop();
  for (const i of [1, 2, 3, 4, 5]) await sell(`other-${i}`, `c${i}`, 10_000 * i);
  await report({ reference: `${"x".repeat(100)}` });
  await report({ amountCents: 4_900, currency: "EUR", note: `${"y".repeat(400)}\nand more` });
  const viewer = await openDashboard(newContext, { user: people.viewer, at: claims });
  await viewer.getByRole("listitem", { name: /^Anna/ }).first().waitFor();
  expect(await viewer.getByRole("button", { name: /^It's theirs|^Decline the/ }).count()).toBe(0);

  const page = await openDashboard(newContext, { user: people.admin, at: claims });
  const claim = page.getByRole("listitem", { name: /^Anna: A sale of €49\.00/ });
  const sales = claim.getByRole("list", { name: "Sales around that day" }).getByRole("listitem");
  await claim.getByRole("button", { name: "Show more sales" }).click();
  await expect.poll(() => sales.count()).toBe(7);
  await expectFits(page, [320, 390, 1280]);
  await expectAccessible(page);
  await claim.getByRole("button", { name: "It's theirs: order-7" }).click();
  await page.getByText("This sale stays as it is: only an owner can pay for it too.").waitFor();
  await expectFits(page, [320, 390, 1280]);
  await page.getByRole("button", { name: "Credit sale" }).click();
  await page.getByText("The claim of Anna was credited.", { exact: true }).waitFor();
  await claim.waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Decline the claim of Anna" }).click();
  await page.getByLabel("Note to the partner").fill("The order was canceled");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Decline claim" }).click();
  const done = page.getByText("The claim of Anna was declined.");
  await done.waitFor();
  expect(await done.evaluate((notice) => notice.parentElement === document.activeElement)).toBe(true);
  await page.getByRole("button", { name: "All" }).click();
  const decided = page.getByRole("listitem", { name: /^Anna/ });
  await decided.first().getByRole("link", { name: "order-7" }).waitFor();
  await decided.last().getByText("The order was canceled").waitFor();
  const audit = `/programs/${world.programId}/settings?section=audit&kind=claim`;
  const trail = await openDashboard(newContext, { user: people.admin, at: audit });
  await trail.getByText(/^Credited the claim of .*Anna with sale order-7$/).waitFor();
  await trail.getByText(/^Declined the claim of .*Anna about a sale on \d+ [A-Z][a-z]+ \d{4}$/).waitFor();
  await expectAccessible(page);
  await expectFits(page, [320, 390, 1280]);

  const partner = await openDashboard(newContext, {
    user: people.stranger,
    app: "partner",
    at: `${portal}?tab=missing`,
  });
  await settled(partner);
  await partner.getByText("The order was canceled").waitFor();
  await partner.getByText("Your customer from now on").waitFor();
  await partner.getByText("This sale isn't paid.").waitFor();
  await expectAccessible(partner);
  await expectFits(partner, [320, 390, 1280]);
  await partner.getByRole("link", { name: "Your sales" }).first().click();
  await partner.getByRole("row").filter({ hasText: "€4.00" }).waitFor();

  await report({ reference: "third" });
  await page.getByRole("button", { name: "Waiting" }).click();
  await page.getByRole("button", { name: "Decline the claim of Anna" }).click();
  await page.getByLabel("Note to the partner").fill("Of another shop");
  const path = `/api/programs/${world.programId}/claims`;
  const open = await people.owner.get<{ data: { id: number }[] }>(`${path}?status=open`);
  await people.owner.post(`${path}/${open.body.data[0]?.id}/resolve`, { outcome: "declined" });
  await page.getByRole("button", { name: "Decline claim" }).click();
  await page.getByText("Another member declined this claim first.").waitFor();
  expect(await page.getByLabel("Note to the partner").inputValue()).toBe("Of another shop");
});

test("an owner pays for a claimed sale after confirming the password, credits another for later sales only, and closes a claim of a credited sale", {
  tags: "soak",
}, async () => {
  const { world, claims, report, sell } = await openShop();
  await report({ reference: "order-7" });
  await report({ reference: "known" });
  await sell("order-8", "other friend", 3_000);
  const page = await openDashboard(newContext, { user: people.owner, at: claims, width: "phone" });
  const claim = page.getByRole("listitem", { name: /^Anna/ }).filter({ hasText: "Referenceknown" });
  await claim.getByRole("button", { name: "Already theirs: known" }).click();
  await page.getByText("Anna has this sale already.").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Answer claim" }).click();
  await page.getByText("The claim of Anna was answered: the sale is already theirs.").waitFor();
  await claim.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "It's theirs: order-7" }).click();
  await page.getByText("Anna gets €9.80").waitFor();
  await page.getByLabel("The customer's sales earn for the partner from").selectOption("Now on, not for this sale");
  expect(await page.getByText("Anna gets €9.80").count()).toBe(0);
  await page.getByRole("button", { name: "Credit sale" }).click();
  await page.getByText("No claims waiting").waitFor();
  await page.getByRole("button", { name: "Credited" }).click();
  const credited = page.getByRole("list", { name: "Claims" });
  await credited.getByRole("link", { name: "known" }).waitFor();
  await credited.getByRole("link", { name: "order-7" }).waitFor();
  expect(await page.getByText("paid with the customer's later sales").count()).toBe(0);

  await report({ reference: "order-8" });
  await page.getByRole("button", { name: "Waiting" }).click();
  await page.getByRole("button", { name: "It's theirs: order-8" }).click();
  await page.getByText("Anna gets €6.00").waitFor();
  await world.write({
    sql: "update sessions set confirmed_at = ? where user_id = ?",
    args: [Date.now() - 7_200_000, people.owner.userId],
  });
  await page.getByRole("button", { name: "Credit sale" }).click();
  const question = page.getByRole("dialog", { name: "Confirm it's you" });
  await question.getByLabel("Password").fill(people.owner.password);
  await question.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("They earned €6.00 for 1 sale.").waitFor();
});
