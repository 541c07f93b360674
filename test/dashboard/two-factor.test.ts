import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { totpCode, totpStepAt } from "#domain/totp.ts";
import type { User } from "../../harness/session.ts";
import { createWorld } from "../../harness/world.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { sharedService, sharedUser } from "../support/shared-service.ts";
import { fromBase32, turnOnTotp, wrongCodeOf } from "../support/totp.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const { databaseUrl } = sharedService;

async function confirmedTwoHoursAgo({ userId }: User): Promise<void> {
  const sql = "update sessions set confirmed_at = ? where user_id = ?";
  await (await createWorld(databaseUrl)).write({ sql, args: [Date.now() - 7_200_000, userId] });
}

const fillIn = async (page: Page, label: string, text: string) =>
  page.getByRole("dialog").getByLabel(label, { exact: true }).fill(text);

test("a user turns two-factor authentication on by keyboard, and off again", { tags: "soak" }, async () => {
  const user = await sharedUser();
  const page = await openDashboard(newContext, { user, at: "/account" });
  await page.getByRole("button", { name: "Turn on two-factor authentication" }).press("Enter");
  await fillIn(page, "Password", "not the password");
  await page.keyboard.press("Enter");
  await page.getByText("Password is incorrect").waitFor();
  await expectAccessible(page);
  await fillIn(page, "Password", user.password);
  await page.keyboard.press("Enter");

  await page.getByRole("heading", { name: "Save your recovery codes" }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.tagName);
  await expect.poll(focused).toBe("DIALOG");
  await expectAccessible(page);
  const codes = await page.locator(".recovery-codes code").allTextContents();
  expect(codes).toHaveLength(10);
  await page.getByRole("button", { name: "Copy recovery codes" }).click();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(`${codes.join("\n")}\n`);
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download recovery codes" }).click();
  const file = await saving;
  expect(file.suggestedFilename()).toBe("tributary-recovery-codes.txt");
  expect(await readFile(await file.path(), "utf8")).toBe(`${codes.join("\n")}\n`);
  const next = page.getByRole("dialog").getByRole("button", { name: "Continue" });
  expect(await next.isDisabled()).toBe(true);
  await page.getByLabel("I've saved them").check();
  await next.press("Enter");

  const setupKey = (await page.getByRole("region", { name: "setup key" }).textContent()) ?? "";
  const secret = fromBase32(setupKey.replaceAll(" ", ""));
  await page.getByRole("img", { name: "QR code of the setup key" }).waitFor();
  await expect.poll(focused).toBe("INPUT");
  expect(await page.getByRole("link", { name: "open it in the app" }).getAttribute("href")).toMatch(/^otpauth:/);
  await expectAccessible(page);
  await fillIn(page, "Code", wrongCodeOf(secret));
  await page.keyboard.press("Enter");
  await page.getByText("Code is incorrect or was already used").waitFor();
  await fillIn(page, "Code", totpCode(secret, totpStepAt(Date.now())));
  await page.keyboard.press("Enter");
  await page.getByText("Two-factor authentication is on.", { exact: true }).waitFor();
  await page.getByText("Turned on two-factor authentication").waitFor();

  await page.getByText("10 recovery codes left.").waitFor();
  await page.getByRole("button", { name: "Replace recovery codes" }).click();
  await expectAccessible(page);
  await fillIn(page, "Password", user.password);
  await fillIn(page, "Code", totpCode(secret, totpStepAt(Date.now()) + 1));
  await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
  await page.getByRole("heading", { name: "Save your recovery codes" }).waitFor();
  const renewed = await page.locator(".recovery-codes code").allTextContents();
  expect(new Set([...renewed, ...codes]).size).toBe(20);
  await page.getByLabel("I've saved them").check();
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  await page.getByText("Replaced the recovery codes").waitFor();

  await page.getByRole("button", { name: "Turn off two-factor authentication" }).click();
  await expectAccessible(page);
  await fillIn(page, "Password", user.password);
  await fillIn(page, "Code", renewed[0] ?? "");
  await page.getByRole("dialog").getByRole("button", { name: "Turn off" }).click();
  await page.getByText("Two-factor authentication is off.", { exact: true }).waitFor();
});

test("signing in asks for a code, and then returns to the page", async () => {
  const user = await sharedUser();
  const { code, wrongCode } = await turnOnTotp(user);
  const page = await openDashboard(newContext, { at: "/account", width: "phone" });
  await page.getByLabel("Email").fill(user.email);
  await page.getByLabel("Password").fill(user.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Enter your code" }).waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByLabel("Code").fill(wrongCode);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Invalid code").waitFor();
  await page.getByLabel("Code").fill(code());
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Account", exact: true }).waitFor();
  await page.getByText("Failed sign-in").waitFor();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});

test("an action that requires a recent sign-in asks for the password, and then continues", {
  tags: "soak",
}, async () => {
  const user = await sharedUser();
  const { programId } = await createWorld(databaseUrl, { members: [{ user, role: "owner" }] });
  const page = await openDashboard(newContext, { user, at: `/programs/${programId}/settings?section=members` });
  await settled(page);
  await confirmedTwoHoursAgo(user);
  const invite = async () => {
    await page.getByRole("button", { name: "Invite member" }).click();
    await page.getByLabel("Email").fill("new@people.example");
    await page.getByRole("button", { name: "Create invite link" }).click();
    await page.getByRole("heading", { name: "Confirm it's you" }).waitFor();
  };
  const question = page.getByRole("dialog", { name: "Confirm it's you" });
  await invite();
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "detached" });
  await page.getByText("Confirm who you are first").waitFor();
  await page.getByRole("button", { name: "Create invite link" }).click();
  await expectAccessible(page);
  await question.getByLabel("Password").fill("not the password");
  await question.getByRole("button", { name: "Confirm" }).click();
  await question.getByText("Password is incorrect").waitFor();
  await question.getByLabel("Password").fill(user.password);
  await question.getByRole("button", { name: "Confirm" }).click();
  await question.waitFor({ state: "detached" });
  await page.getByRole("region", { name: "invite link" }).waitFor();
});

test("an owner requires two-factor authentication, and sees which members use it", { tags: "soak" }, async () => {
  const [owner, admin] = await Promise.all([sharedUser(), sharedUser("Grace Hopper")]);
  const members = [
    { user: owner, role: "owner" },
    { user: admin, role: "admin" },
  ] as const;
  const { programId } = await createWorld(databaseUrl, { members });
  const at = `/programs/${programId}/settings?section=members`;
  const before = await openDashboard(newContext, { user: owner, at });
  await before.getByText("To require it, turn it on for your own account first.").waitFor();
  const { recoveryCodes } = await turnOnTotp(owner);
  await confirmedTwoHoursAgo(owner);

  const page = await openDashboard(newContext, { user: owner, at });
  await page.getByRole("button", { name: "Require two-factor authentication" }).click();
  const question = page.getByRole("dialog", { name: "Confirm it's you" });
  await question.getByLabel("Code").fill(recoveryCodes[0] ?? "");
  await question.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("Two-factor authentication is now required.").waitFor();
  await expectAccessible(page);
  const row = page.getByRole("row", { name: /Grace Hopper/ });
  expect(await row.getByText("Off", { exact: true }).count()).toBe(1);

  const other = await openDashboard(newContext, { user: admin, at: `/programs/${programId}/settings`, width: "phone" });
  await other.getByLabel("Name").fill("Renamed");
  await other.getByRole("button", { name: "Save" }).click();
  await other.getByText("This workspace requires two-factor authentication. Turn it on for your account.").waitFor();

  const audit = await openDashboard(newContext, {
    user: owner,
    at: `/programs/${programId}/settings?section=audit&of=workspace`,
  });
  await audit.getByText("Changed the workspace").waitFor();
  await audit.getByText("Turned on two-factor authentication").first().waitFor();
  await expectAccessible(audit);
});
