import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { setVerified } from "../../harness/users.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { mailReceiver } from "../support/mail-receiver.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars });

const linksTo = async (email: string, count: number) => {
  const mails = await eventually(
    async () => mailer.to(email).filter(({ template }) => template === "verify_address"),
    (found) => found.length === count,
  );
  return mails.map(({ text }) => /^http\S+$/m.exec(text)?.[0] ?? "");
};

test("an applicant verifies their email address on a phone, and applies", { tags: "soak" }, async () => {
  const { url } = own.service;
  const owner = await own.user("Olga");
  const world = await own.world({ program: { name: "Northwind" }, members: [{ user: owner, role: "owner" }] });
  const slug = `northwind-${world.programId}`;
  const joinPage = { mode: "approval", slug, headline: "Earn with us", description: "", questions: [] };
  await owner.put(`/api/programs/${world.programId}/join`, joinPage);

  const email = `${randomUUID()}@people.example`;
  const page = await openDashboard(newContext, { app: "partner", at: `/#/join/${slug}`, url, width: "phone" });
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("Name").fill("Ada Lovelace");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(randomUUID());
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Verify your email address to apply" }).waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await linksTo(email, 1);
  await page.getByRole("button", { name: "Send another link" }).click();
  await page.getByText(`A link was mailed to ${email}.`).waitFor();
  const [, link = ""] = await linksTo(email, 2);

  const mailed = await page.context().newPage();
  await mailed.goto(link);
  await mailed.getByRole("heading", { name: "Your email address is verified" }).waitFor();
  expect(mailed.url()).toBe(`${url}/partner/verify-email`);
  await expectAccessible(mailed);
  const back = mailed.getByRole("link", { name: "Continue your application" });
  expect(await back.getAttribute("href")).toBe(`/partner/join/${slug}`);
  await mailed.close();
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await page.getByRole("button", { name: "Send application" }).click();
  await page.getByRole("heading", { name: "Your application was received" }).waitFor();
  await page.getByText("You'll get an email").waitFor();
});

test("the account page offers a new link until the address is verified, and an invalid link explains what to do", {
  tags: "soak",
}, async () => {
  const { url } = own.service;
  const user = await own.user();
  await setVerified(own.database.url, user, false);
  const page = await openDashboard(newContext, { user, at: "/account", url });
  await page.getByText("Your email address isn't verified yet").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Send another link" }).click();
  const [link = ""] = await linksTo(user.email, 1);

  const stranger = await openDashboard(newContext, { at: "/#/verify-email?token=never-made", url });
  await stranger.getByRole("heading", { name: "This link doesn't work" }).waitFor();
  await stranger.getByRole("link", { name: "Sign in to get a new one" }).waitFor();
  await expectAccessible(stranger);

  await page.goto(link);
  await page.getByRole("heading", { name: "Your email address is verified" }).waitFor();
  await page.getByRole("link", { name: "Go to your programs" }).click();
  await page.goto(`${url}/app/account`);
  await page.getByRole("heading", { name: "Where you're signed in" }).waitFor();
  expect(await page.getByText("isn't verified yet").count()).toBe(0);
});

test("the dialog of an invitation shows the address that it was emailed to", { tags: "soak" }, async () => {
  const { url } = own.service;
  const owner = await own.user("Olga");
  const world = await own.world({ partners: [{ name: "Anna" }], members: [{ user: owner, role: "owner" }] });
  const email = `anna-${world.programId}@example.com`;
  await world.change({
    sql: "update partners set email = ?1, email_hash = 'of an address' where id = ?2",
    args: [email, world.partner.id],
  });
  const at = `/programs/${world.programId}/partners/${world.partner.id}?tab=details`;
  const page = await openDashboard(newContext, { user: owner, at, url });
  await page.getByRole("region", { name: "Access", exact: true }).getByRole("button", { name: "Invite…" }).click();
  const dialog = page.getByRole("dialog", { name: "Invite Anna" });
  await dialog.getByRole("button", { name: "Create invite link" }).click();
  await dialog.getByText("Mailed to a•••@example.com.").waitFor();
  await eventually(
    async () => mailer.to(email),
    (mails) => mails.length === 1,
  );
});
