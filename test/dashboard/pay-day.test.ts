import { mkdir, writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import { setVerified } from "../../harness/users.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { accepting, mailReceiver } from "../support/mail-receiver.ts";
import { finalize } from "./finalize.ts";
import { expectAccessible, openDashboard, settled, themes } from "./support.ts";

const newContext = isolatedBrowser();
const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars });

let owner: User;
beforeAll(async () => {
  owner = await own.user("Olga");
});

const count = 26;
const names = Array.from({ length: count }, (_, i) => ({ name: `Partner ${String(i + 1).padStart(2, "0")}` }));

/** Opens a program in which each partner has an email address and a bonus to be paid. */
async function open() {
  mailer.answerWith(accepting);
  const world = await own.world({ partners: names, members: [{ user: owner, role: "owner" }] });
  const program = `/api/programs/${world.programId}`;
  for (const [i, { id }] of world.partners.entries()) {
    const bonus = { amountCents: 1_000 + i, currency: "EUR", reason: "agreed", reference: "bonus" };
    expect((await owner.post(`${program}/partners/${id}/adjustments`, bonus)).status).toBe(201);
  }
  await world.change({
    sql: "update partners set email = 'p' || id || '@example.com', email_hash = 'of an address' where program_id = ?",
    args: [world.programId],
  });
  const issuer = { name: "Sample shop B.V.", address: "Keizersgracht 1\n1015 CC Amsterdam", taxId: "NL001234567B01" };
  expect((await owner.patch(program, { issuer })).status).toBe(200);
  return world;
}

test("on pay day, the dashboard counts partners who can't be emailed, names those without an address, and keeps the focus on the page", async () => {
  const world = await open();
  const [first, second] = world.partners;
  await world.change(
    { sql: "update partners set email = null, email_hash = null where id = ?", args: [first?.id ?? 0] },
    { sql: "update partners set is_embedded = 1 where id = ?", args: [second?.id ?? 0] },
  );
  const page = await openDashboard(newContext, {
    user: owner,
    at: `/programs/${world.programId}/overview`,
    url: own.service.url,
  });
  const focused = () => page.evaluate(() => document.activeElement?.id);
  await page.getByRole("link", { name: "Pay partners" }).click();
  await page.getByRole("button", { name: "Create draft" }).press("Enter");
  await page.getByRole("heading", { name: "Check this draft" }).waitFor();
  await expect.poll(focused).toBe("main");
  await finalize(page, /^Finalize/, "Enter");
  await page.getByRole("button", { name: "Mark as paid…" }).waitFor();
  await expect.poll(focused).toBe("main");
  const steps = (which: string) => page.locator(`.pay-steps ${which}`).allTextContents();
  expect(await steps("li.done")).toEqual(["Check (done)", "Finalize (done)"]);
  expect(await steps("li:not(.done)")).toEqual(["Pay", "Send"]);
  await settled(page);
  await expectAccessible(page);
  const paying = page.getByRole("dialog", { name: "Mark as paid" });
  await setVerified(own.database.url, owner, false);
  await page.reload();
  await page.getByRole("button", { name: "Mark as paid…" }).click();
  await paying.getByText("No one is mailed, because your address isn't verified.").waitFor();
  expect(await paying.getByText("Also mails").count()).toBe(0);
  await setVerified(own.database.url, owner, true);
  await page.reload();
  await page.getByRole("button", { name: "Mark as paid…" }).click();
  await paying.getByText(`Also mails ${count - 2} partners at once that they were paid`).waitFor();
  await paying.getByText("1 partner without an email address: no mail").waitFor();
  await paying.getByText("1 partner of your embedded referral page without access to their pages: no mail").waitFor();
  await paying.getByText(`${count - 2} partners without access to their pages: no link in their mail`).waitFor();
  await expectAccessible(page);
  await paying.getByRole("button", { name: "Mark as paid" }).click();
  await page.getByText(`${count - 2} of ${count} mailed.`).waitFor();
  const unmailed = page.locator("details", { hasText: "1 partner without an email address" });
  expect(await unmailed.getByText("Partner 01").isVisible()).toBe(true);
  expect(await page.getByText("in no file").count()).toBe(0);
  await page.getByRole("button", { name: "Mail 1 of 2 statements…" }).waitFor();

  await world.change({
    sql: "update partners set email = 'late@example.com', email_hash = 'of an address' where id = ?",
    args: [first?.id ?? 0],
  });
  await page.reload();
  await page.getByRole("button", { name: "Mail 2 statements…" }).click();
  const dialog = page.getByRole("dialog", { name: "Mail 2 statements?" });
  await dialog.getByText("2 partners without access to their pages: their mail has the sums, but no link").waitFor();
  expect(await page.getByText("on the way").count()).toBe(0);
  await dialog.getByRole("button", { name: "Mail 2 statements" }).click();
  await page.getByText("2 mails on the way.").waitFor();
  await page.getByText(`${count} of ${count} mailed.`).waitFor();
  await expect.poll(() => page.getByRole("button", { name: /^Mail \d/ }).count()).toBe(0);
});

/** Presses buttons and links, and counts the clicks. */
function clicking(page: Page) {
  let clicks = 0;
  return {
    press: async (role: "button" | "link", name: string | RegExp) => {
      clicks += 1;
      await page
        .getByRole(role, { name, exact: typeof name === "string" })
        .last()
        .click();
    },
    clicks: () => clicks,
  };
}

const thisMonth = (): string =>
  new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" }).format();

const pagesIn = (pdf: Buffer): number => [...pdf.toString("latin1").matchAll(/\/Type\s*\/Page[^s]/g)].length;

test("an owner pays 26 partners, emails them their statements and prints these, in at most 11 clicks", async () => {
  const world = await open();
  const page = await openDashboard(newContext, {
    user: owner,
    at: `/programs/${world.programId}/overview`,
    url: own.service.url,
  });
  const { press, clicks } = clicking(page);
  await press("link", /^Payouts\b/);
  await press("button", "New payout");
  await expect.poll(() => page.getByRole("textbox", { name: "Reference" }).inputValue()).toBe(thisMonth());
  await press("button", "Create draft");
  await page.getByRole("heading", { name: thisMonth() }).waitFor();
  expect(await page.locator(".pay-steps [aria-current]").innerText()).toBe("Check");
  await press("button", /^Finalize/);
  await press("button", "Mark as paid…");
  await page.getByRole("dialog").waitFor();
  await press("button", "Mark as paid");
  await page.getByText(`${count} of ${count} mailed.`).waitFor();
  await settled(page);
  await expectAccessible(page);
  await press("link", `Print ${count} statements`);
  await page.getByText(`${count} statements`).waitFor();
  expect(clicks()).toBeLessThanOrEqual(11);
  const pdf = await page.pdf({ preferCSSPageSize: true });
  expect(pagesIn(pdf)).toBe(count);
  await expectAccessible(page);

  const statements = await eventually(
    () => world.rows("select * from mails where program_id = ? and template = 'payout_paid'", world.programId),
    (rows) => rows.length === count && rows.every((row) => row.delivered_at !== null),
  );
  expect(statements).toHaveLength(count);

  await page.getByRole("link", { name: "Back to the payout" }).click();
  const { code } = world.partners[6] ?? { code: "" };
  await page.getByRole("link", { name: `Statement ${code}-1: Partner 07` }).click();
  await page.getByRole("heading", { name: "Statement for Partner 07" }).waitFor();
  await page.getByText(`${code}-1`, { exact: true }).waitFor();
  await page.getByText("NL001234567B01").waitFor();
  const [payout] = await world.rows("select id from payouts where program_id = ?", world.programId);
  const line = `/api/programs/${world.programId}/payouts/${payout?.id}/lines/${world.partners[6]?.id}`;
  expect((await owner.post(`${line}/fail`, { reason: "closed" })).status).toBe(200);
  await page.reload();
  const notice = page.getByText(/^This payment was returned on \d.*, and its amount became payable again\.$/);
  await notice.waitFor();
  await expectAccessible(page);
  await page.emulateMedia({ media: "print" });
  expect(await notice.isVisible()).toBe(true);
  expect(pagesIn(await page.pdf({ preferCSSPageSize: true }))).toBe(1);
  await page.emulateMedia({ media: "screen" });
  if (process.env.PICTURES) await keepPictures(page, process.env.PICTURES, world.programId);
  expect(await world.audit()).toEqual([]);
});

async function keepPictures(page: Page, folder: string, programId: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const statement = page.url();
  await page.goto(`/app/programs/${programId}/payouts`);
  await page.getByRole("link", { name: thisMonth() }).click();
  await page.getByRole("heading", { name: thisMonth() }).waitFor();
  const payout = page.url();
  for (const theme of themes) {
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme: theme, media: "screen" });
      await page.setViewportSize({ width, height: 900 });
      for (const [name, url] of Object.entries({ payout, statement })) {
        await page.goto(url);
        await settled(page);
        await page.screenshot({ path: `${folder}/${name}-${width}-${theme}.png`, fullPage: false });
      }
    }
  }
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 673, height: 1000 });
  await page.screenshot({ path: `${folder}/print.png`, fullPage: true });
  await writeFile(`${folder}/statement.pdf`, await page.pdf({ preferCSSPageSize: true }));
}
