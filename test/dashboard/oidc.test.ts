import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { oidcFixture, startProvider } from "../support/oidc-provider.ts";
import { partnerSide } from "../support/partner-side.ts";
import { expectAccessible, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const provider = await startProvider();
const own = isolatedService({ vars: { ...provider.vars } });
const bound = isolatedService({ vars: { ...provider.vars, OIDC_REQUIRED: "on" } });
beforeAll(() => provider.serve(own.service.url, bound.service.url));
afterAll(() => provider.stop());

const { newPerson } = oidcFixture(provider, () => own.service.url);
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Fills in the provider's pages. */
async function signInThere(page: Page, sub: string): Promise<void> {
  await page.locator("input[name=login]").fill(sub);
  await page.locator("input[name=password]").fill("x");
  await page.locator("button[type=submit]").click();
}

const consent = (page: Page) => page.locator("button[type=submit]").click();

test("a member signs in at the identity provider, and signs in there again for an action that requires a recent sign-in", async () => {
  const { url } = own.service;
  const person = newPerson();
  const page = await openDashboard(newContext, { at: "/sign-in?return=%2Fapp%2Faccount", url });
  await button(page, "Continue with Acme").waitFor();
  await expectAccessible(page);
  await button(page, "Continue with Acme").click();
  await signInThere(page, person.sub);
  await consent(page);
  await page.getByText("Your account has no password").waitFor();
  await expectAccessible(page);
  expect(await page.getByLabel("Current password").count()).toBe(0);

  const { write } = await own.world();
  const asked = "update sessions set confirmed_at = 1 where user_id = (select id from users where email = ?)";
  await write({ sql: asked, args: [person.email ?? ""] });
  await button(page, "Turn on two-factor authentication").click();
  const dialog = page.getByRole("dialog", { name: "Turn on two-factor authentication" });
  expect(await dialog.getByLabel("Password").count()).toBe(0);
  await dialog.getByRole("button", { name: "Continue" }).click();
  const question = page.getByRole("dialog", { name: "Confirm it's you" });
  await question.getByText("Sign in at Acme again").waitFor();
  await expectAccessible(page);
  await question.getByRole("button", { name: "Continue with Acme" }).click();
  await signInThere(page, person.sub);
  await button(page, "Turn on two-factor authentication").click();
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("heading", { name: "Save your recovery codes" }).waitFor();
});

test("a member links an account to an identity at the provider, and removes the link", async () => {
  const { url } = own.service;
  const user = await own.user();
  const page = await openDashboard(newContext, { user, at: "/account", url });
  await button(page, "Link to Acme").click();
  await signInThere(page, newPerson().sub);
  await consent(page);
  await button(page, "Remove link").click();
  await page.getByText("no longer linked to Acme").waitFor();
  await button(page, "Link to Acme").waitFor();
});

test("a member without a linked account is told to sign in at the provider, can open the Account page to link it, and can sign out", async () => {
  const { url } = bound.service;
  const user = await bound.user();
  const { programId } = await bound.world({ members: [{ user, role: "owner" }] });
  const page = await openDashboard(newContext, { user, at: `/programs/${programId}/overview`, url });
  const heading = page.getByRole("heading", { level: 1 });
  for (const path of ["/", "/workspaces/new", `/programs/${programId}/overview`]) {
    await page.goto(`/app${path}`);
    await page.getByText("Members sign in at the identity provider.").waitFor();
    expect(await heading.allTextContents()).toEqual(["You don't have access"]);
  }
  await expectAccessible(page);
  await page.getByRole("link", { name: "Open the Account page" }).click();
  await button(page, "Link to Acme").waitFor();
  await page.getByText("Members sign in at the identity provider.").waitFor();
  await page.goBack();
  await button(page, "Sign out").click();
  await button(page, "Continue with Acme").waitFor();
});

test("a linked member's session by password can only read and sign out, and leads to the sign-in at the identity provider", async () => {
  const { url } = bound.service;
  const user = await bound.user();
  const world = await bound.world({ members: [{ user, role: "owner" }], partners: [{}] });
  await partnerSide(world, user, world.partner.id);
  const person = newPerson();
  await oidcFixture(provider, () => url).link(user, person);
  const page = await openDashboard(newContext, { user, at: "/account", url });
  await page.getByText("In this session, you can only read this page and sign out.").waitFor();
  await expectAccessible(page);
  const enabled = page.locator("main").locator("button:enabled, input:enabled");
  expect(await enabled.allTextContents()).toEqual(["Sign out"]);

  await page.goto("/partner/");
  const there = page.getByRole("link", { name: "Sign in there" });
  await there.waitFor();
  await expectAccessible(page);
  expect(await there.getAttribute("href")).toBe("/api/auth/oidc?returnTo=%2Fpartner%2F");

  await page.goto(`/app/programs/${world.programId}/overview`);
  await page.getByRole("link", { name: "Continue with Acme" }).click();
  await signInThere(page, person.sub);
  await consent(page);
  await page.waitForURL(`${url}/app/programs/${world.programId}/overview`);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page.goto("/app/account");
  await button(page, "Remove link").waitFor();
  expect(await button(page, "Change name").isEnabled()).toBe(true);
});
