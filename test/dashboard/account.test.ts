import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { hashLinkToken } from "#domain/link-token.ts";
import { openReset } from "#store/accounts/passwords.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createSession, type User } from "../../harness/session.ts";
import { createWorld } from "../../harness/world.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { sharedService, sharedUser } from "../support/shared-service.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled, themes } from "./support.ts";

const newContext = isolatedBrowser();
const { url, databaseUrl } = sharedService;

const credentials = ({ email, password }: User) => ({ email, password });
const sessionsOf = (page: Page) =>
  page.locator("section").filter({ has: page.getByRole("heading", { name: "Where you're signed in" }) });
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

test("changing the password ends the account's other sessions", { tags: "soak" }, async () => {
  const user = await sharedUser();
  const other = createSession(url);
  await other.post("/api/auth/sign-in/email", credentials(user), { headers: { "user-agent": firefox } });
  const page = await openDashboard(newContext, { user, at: "/account" });
  await sessionsOf(page).getByText("Firefox on Linux").waitFor();
  await page.getByText("This browser").waitFor();

  await page.getByLabel("Current password").fill("not the password");
  await page.getByLabel("New password").fill("a better password");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Current password is incorrect").waitFor();
  await expectAccessible(page);
  await page.getByLabel("Current password").fill(user.password);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Password changed. You were signed out everywhere else.").waitFor();
  expect(await page.getByLabel("Current password").inputValue()).toBe("");
  await sessionsOf(page).getByText("Firefox on Linux").waitFor({ state: "detached" });
  expect((await other.get("/api/auth/get-session")).text).toBe("null");
});

test("a user ends an account's sessions one by one, or all except the current one", { tags: "soak" }, async () => {
  const user = await sharedUser();
  for (const agent of [firefox, firefox.replace("X11; Linux x86_64", "Windows NT 10.0"), "curl/8"]) {
    await createSession(url).post("/api/auth/sign-in/email", credentials(user), { headers: { "user-agent": agent } });
  }
  for (const theme of themes) {
    const page = await openDashboard(newContext, { user, at: "/account", theme, width: "phone" });
    await page.getByText("This browser").waitFor();
    await settled(page);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  }
  const page = await openDashboard(newContext, { user, at: "/account" });
  await page.getByRole("button", { name: "Sign out of Firefox on Linux" }).click();
  await page.getByText("Signed out of Firefox on Linux.").waitFor();
  await sessionsOf(page).getByText("Firefox on Windows").waitFor();
  await page.getByRole("button", { name: "Sign out everywhere else" }).click();
  await sessionsOf(page).getByText("Firefox on Windows").waitFor({ state: "detached" });
  expect((await user.get<{ data: unknown[] }>("/api/auth/list-sessions")).body.data).toHaveLength(1);
});

test("a reset link leads to a new password, and works once", { tags: "soak" }, async () => {
  const user = await sharedUser();
  const token = randomUUID();
  const opened = { tokenHash: hashLinkToken(token), at: Date.now(), validMs: 60_000 };
  expect(await openReset(databaseAt(databaseUrl), user.email, opened)).toBe(true);
  const at = `/#/reset-password?token=${token}`;

  const page = await openDashboard(newContext, { at });
  await page.getByRole("heading", { name: "Choose a new password" }).waitFor();
  expect(page.url()).not.toContain("token");
  await expectAccessible(page);
  await page.getByLabel("New password").fill("qwertyuiop");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("New password is one of the most common passwords. Choose another one.").waitFor();
  await page.getByLabel("New password").fill("a new password");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Password changed. Sign in with the new one.").waitFor();
  await page.getByLabel("Email").fill(user.email);
  await page.getByLabel("Password").fill("a new password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Name your workspace" }).waitFor();

  const again = await openDashboard(newContext, { at });
  await again.getByLabel("New password").fill("another password");
  await again.getByRole("button", { name: "Change password" }).click();
  await again.getByText("This reset link is invalid, expired or already used").waitFor();
});

test("an account can leave a workspace", { tags: "soak" }, async () => {
  const user = await sharedUser();
  const owner = await sharedUser();
  const { workspaceId } = await createWorld(databaseUrl, {
    members: [
      { user: owner, role: "owner" },
      { user, role: "viewer" },
    ],
  });
  expect((await owner.patch(`/api/workspaces/${workspaceId}`, { name: "Bakery" })).status).toBe(200);
  const page = await openDashboard(newContext, { user, at: "/account", width: "phone" });
  await page.getByRole("button", { name: "Leave Bakery" }).click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Leave workspace" }).click();
  await page.getByText("You left Bakery.").waitFor();
  await page.getByText("You aren't a member of any workspace.").waitFor();
  await expectNoSidewaysScroll(page);
});
