import { expect, test } from "vitest";
import { signUp } from "../../harness/session.ts";
import { inviteOwner } from "../../scripts/operate/invite-owner.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard } from "./support.ts";

// Sign-up requires an invitation on this service.

const newContext = isolatedBrowser();
const own = isolatedService({ vars: { SIGN_UP: "invited" } });

const ownerLink = () => inviteOwner({ url: own.database.url }, own.service.url);
const behindApp = (link: string) => link.replace(/^.*\/app/, "");

test("the sign-in page offers sign-up only with an invitation", { tags: "soak" }, async () => {
  const { url } = own.service;
  const page = await openDashboard(newContext, { at: "/sign-in", url, width: "phone" });
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  expect(await page.getByText("Create an account").count()).toBe(0);
  await page.goto("/app/sign-up");
  await page.getByRole("heading", { name: "Sign-up is by invitation only" }).waitFor();
  expect(await page.getByRole("textbox").count()).toBe(0);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});

test("the first owner signs up with the operator's link and names a workspace", async () => {
  const { url } = own.service;
  const link = await ownerLink();
  const page = await openDashboard(newContext, { at: behindApp(link), url });
  await page.getByLabel("Name").fill("Grace");
  expect(page.url()).not.toContain("token");
  await page.getByLabel("Email").fill("grace@people.example");
  await page.getByLabel("Password").fill("a long passphrase");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Name your workspace" }).waitFor();
  await page.getByLabel("Name").fill("Bakery");
  await page.getByRole("button", { name: "Create workspace" }).click();
  await page.getByRole("heading", { name: "Create a program" }).waitFor();

  for (const at of [link, "/app/sign-up", "/partner/sign-up"]) {
    await page.goto(at);
    await page.getByText("You're signed in as grace@people.example.").waitFor();
    expect(await page.getByRole("textbox").count()).toBe(0);
  }
  await expectAccessible(page);
  await page.goto(link);
  await page.getByRole("link", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Create a program" }).waitFor();

  const again = await openDashboard(newContext, { at: behindApp(link), url });
  await again.getByRole("heading", { name: "This link no longer works" }).waitFor();
  expect(await again.getByRole("textbox").count()).toBe(0);
  expect(await again.getByRole("main").textContent()).toContain("tributary invite-owner");
});

test("a member who may not create workspaces sees an explanation", { tags: "soak" }, async () => {
  const { url } = own.service;
  const owner = await signUp(url, { invitation: (await ownerLink()).slice(-43) });
  const world = await own.world({ members: [{ user: owner, role: "owner" }] });
  const invited = await owner.post<{ data: { inviteUrl: string } }>(`/api/workspaces/${world.workspaceId}/members`, {
    email: "ada@people.example",
    role: "viewer",
  });
  const viewer = await signUp(url, { invitation: invited.body.data.inviteUrl.slice(-43) });
  const menuOf = async (user: typeof owner) => {
    const page = await openDashboard(newContext, { user, at: `/programs/${world.programId}`, url });
    await page.locator("summary").filter({ hasText: "Switch program" }).click();
    await page.getByRole("link", { name: "Test program" }).waitFor();
    return page;
  };
  const ofOwner = await menuOf(owner);
  await ofOwner.getByRole("link", { name: "New workspace" }).waitFor();
  const page = await menuOf(viewer);
  expect(await page.getByRole("link", { name: "New workspace" }).count()).toBe(0);
  await page.goto("/app/workspaces/new");
  await page.getByRole("heading", { name: "You can't create a workspace" }).waitFor();
  await expectAccessible(page);
});

test("a join page lets a visitor create an account without an invitation", { tags: "soak" }, async () => {
  const { url } = own.service;
  const owner = await signUp(url, { invitation: (await ownerLink()).slice(-43) });
  const world = await own.world({ program: { name: "Northwind" }, members: [{ user: owner, role: "owner" }] });
  const page = { mode: "approval", slug: "northwind", headline: "", description: "", questions: [] };
  expect((await owner.put(`/api/programs/${world.programId}/join`, page)).status).toBe(200);
  const stranger = await openDashboard(newContext, { app: "partner", at: "/#/join/northwind", url, width: "phone" });
  await stranger.getByRole("link", { name: "Create an account" }).click();
  await stranger.getByLabel("Name").fill("Ada");
  await stranger.getByLabel("Email").fill("applicant@people.example");
  await stranger.getByLabel("Password").fill("a long passphrase");
  await expectAccessible(stranger);
  await stranger.getByRole("button", { name: "Create account" }).click();
  await stranger.getByRole("button", { name: "Send application" }).waitFor();
});
