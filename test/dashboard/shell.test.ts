import { expect, test } from "vitest";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import {
  expectAccessible,
  expectCurrentInSight,
  expectNoSidewaysScroll,
  openDashboard,
  openMenu,
  pagesOf,
  settled,
  soon,
  themes,
  withClock,
} from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile("stranger");

test("a program's page shows its frame before scripts run, and the sign-in page shows nothing before scripts run", {
  tags: "soak",
}, async () => {
  const withoutScripts: typeof newContext = (options) => newContext({ ...options, javaScriptEnabled: false });
  for (const theme of themes) {
    for (const width of ["phone", "laptop"] as const) {
      const page = await openDashboard(withoutScripts, { at: "/programs/1/partners", theme, width });
      expect(await page.locator(".sidebar .skeleton span").first().isVisible()).toBe(true);
      expect(await page.locator(".page .card .skeleton").isVisible()).toBe(true);
      await expectNoSidewaysScroll(page);
      await page.goto("/app/sign-in");
      expect(await page.locator("#app").innerHTML()).toBe("");
    }
  }
});

test("every page passes axe in each theme, and scrolls only vertically on a phone", async () => {
  const { programId, workspaceId } = await people.world();
  const page = await openDashboard(newContext, {
    user: people.owner,
    at: `/programs/${programId}`,
    width: "phone",
  });
  // The navigation has Setup once a response has said that the program isn't live yet.
  await page.getByRole("navigation", { name: "Program" }).getByRole("link", { name: "Setup" }).waitFor();
  const inside = await pagesOf(page);
  const outside = ["/workspaces/new", `/workspaces/${workspaceId}/programs/new`, "/invitation", "/nothing-here"];
  const deep = [`/programs/${programId}/settings?section=audit`, `/programs/${programId}/nothing-here`];
  for (const at of sampled([...inside, ...outside, ...deep], 3)) {
    await page.goto(`/app${at}`);
    await settled(page);
    await expectAccessible(page, sampled(themes));
    await expectNoSidewaysScroll(page);
    await expectCurrentInSight(page);
  }
});

test("every invalid URL shows an explanation and a link to a valid page", { tags: "soak" }, async () => {
  const { programId, partner } = await people.world();
  const page = await openDashboard(newContext, { user: people.owner });
  const days = "dateFrom=2026-13-45&dateTo=2026-13-46";
  for (const [at, words, wayOn] of [
    ["overview?partnerId=31337", "This program has no partner 31337.", "Show all partners"],
    ["events?partnerId=31337", "This program has no partner 31337.", "Show all events"],
    ["commissions?partnerId=31337", "This program has no partner 31337.", "Clear filters"],
    ["partners?page=900", "The list of 1 partner has fewer pages.", "First page"],
    [`partners/${partner.id}/statement?from=2026-13-45`, "an invalid start date.", "Clear filters"],
    [`events?${days}`, "an invalid start date and end date.", "Clear filters"],
    ["commissions?cursor=x", "an invalid page.", "Clear filters"],
    ["payouts?currency=EU", "an invalid currency.", "Clear filters"],
  ]) {
    await page.goto(`/app/programs/${programId}/${at}`);
    const main = page.getByRole("main");
    await main.getByText(words ?? "").waitFor();
    await main.getByRole("button", { name: wayOn ?? "" }).click();
    await expect.poll(() => main.getByText(words ?? "").count()).toBe(0);
    await settled(page);
  }
  for (const path of ["overview", "partners", `partners/${partner.id}`, "commissions"]) {
    await page.goto(`/app/programs/${programId}/${path}?${days}`);
    await settled(page);
    await page.getByRole("main").getByRole("combobox").first().waitFor();
  }
});

test("the first Tab reaches the skip link on every page", { tags: "soak" }, async () => {
  const { programId } = await people.world();
  const page = await openDashboard(newContext, { user: people.owner, at: `/programs/${programId}` });
  for (const at of [...(await pagesOf(page)), `/programs/${programId}/settings?section=commission`]) {
    await page.goto(`/app${at}`);
    await settled(page);
    await page.keyboard.press("Tab");
    expect(await page.evaluate<string>("document.activeElement.textContent"), at).toBe("Skip to content");
  }
});

test("on a phone, the bottom navigation links to every page, with touch targets of 44 px", {
  tags: "soak",
}, async () => {
  const { programId } = await people.world();
  const page = await openDashboard(newContext, {
    user: people.owner,
    at: `/programs/${programId}/setup`,
    width: "phone",
  });
  await settled(page);
  for (const link of await page.getByRole("navigation", { name: "Program" }).getByRole("link").all()) {
    const box = await link.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  }
  await page.getByRole("link", { name: "Settings", exact: true }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await settled(page);
  for (const control of await page.getByRole("main").locator("input, select, button").all())
    expect((await control.boundingBox())?.height, await control.innerHTML()).toBeGreaterThanOrEqual(44);
});

test("a viewer sees no API key on Setup, and no buttons that change anything", { tags: "soak" }, async () => {
  const { programId } = await people.world();
  const viewer = await openDashboard(newContext, { user: people.viewer, at: `/programs/${programId}/setup` });
  await settled(viewer);
  expect(await viewer.getByRole("main").getByRole("textbox").count()).toBe(0);
  const buttons = await viewer.getByRole("main").getByRole("button").allInnerTexts();
  const reads = /^(Copy|Copy instructions for my developer|View|Open|Continue)$/;
  expect(buttons.filter((text) => !reads.test(text.trim()))).toEqual([]);
  expect(await viewer.getByText("svc_").count()).toBe(0);

  const owner = await openDashboard(newContext, { user: people.owner, at: `/programs/${programId}/setup` });
  await owner.getByRole("button", { name: "Run test" }).waitFor();
  await owner.getByRole("button", { name: "Edit Website" }).waitFor();
  await owner.getByText("svc_").waitFor();
});

test("a user who isn't a member of the workspace sees an explanation and links to other pages", {
  tags: "soak",
}, async () => {
  const { programId } = await people.world();
  const page = await openDashboard(newContext, { user: people.stranger, at: `/programs/${programId}/setup` });
  await page.getByText("You are not an active member of this workspace").waitFor();
  expect(await page.getByRole("heading").allTextContents()).toEqual(["You don't have access"]);
  await page.getByRole("button", { name: "Go to your programs" }).click();
  await page.getByRole("heading", { name: "Name your workspace" }).waitFor();
  await page.getByRole("link", { name: "Open your partner page" }).click();
  await page.waitForURL("**/partner/");
});

test("the theme follows the system until the user chooses one, and the choice is remembered", {
  tags: "soak",
}, async () => {
  const { programId } = await people.world();
  const page = await openDashboard(newContext, {
    user: people.viewer,
    at: `/programs/${programId}/setup`,
    theme: "dark",
  });
  const background = () => page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
  await settled(page);
  const dark = await background();
  await openMenu(page, "Account");
  await page.getByRole("button", { name: "light" }).click();
  const light = await background();
  expect(light).not.toBe(dark);
  await page.reload();
  await settled(page);
  expect(await background()).toBe(light);
});

test("an ended session leads to the sign-in page, and back to the page afterwards", async () => {
  const world = await people.world();
  const { admin } = people;
  const at = `/programs/${world.programId}/setup`;
  const page = await openDashboard(withClock(newContext), { user: admin, at: `${at}?kept=1` });
  await settled(page);
  const { status } = await admin.post("/api/auth/sign-out", {});
  expect(status).toBe(200);

  // The page polls, and so notices the ended session.
  await soon(page, page.getByRole("heading", { name: "Sign in" }).waitFor());
  expect(new URL(page.url()).searchParams.get("return")).toBe(`/app${at}?kept=1`);
  await expectAccessible(page);
  await page.getByLabel("Email").fill(admin.email);
  await page.getByLabel("Password").fill("not that");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Invalid email or password").waitFor();
  await page.getByLabel("Password").fill(admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`**/app${at}?kept=1`);
  await settled(page);

  await openMenu(page, "Account");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goto(`/app${at}`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("a signed-in user doesn't see the sign-in page", { tags: "soak" }, async () => {
  const { programId } = await people.world();
  const at = `/programs/${programId}/setup`;
  const page = await openDashboard(newContext, { user: people.admin, at: `/sign-in?return=/app${at}` });
  await page.waitForURL(`**/app${at}`);
});

test.each(sampled(["//evil.example/app/", "/app/../api/auth/sign-out", "https://evil.example/app/"]))(
  "signing in never redirects to %s",
  async (address) => {
    const page = await openDashboard(newContext, { at: `/sign-in?${new URLSearchParams({ return: address })}` });
    await page.getByLabel("Email").fill(people.stranger.email);
    await page.getByLabel("Password").fill(people.stranger.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Name your workspace" }).waitFor();
  },
);

test("an invitation leads through sign-up into the workspace", { tags: "soak" }, async () => {
  const world = await people.world();
  await people.owner.post("/api/programs", { workspaceId: world.workspaceId, name: "The busy one" });
  const { body } = await people.owner.post<{ data: { inviteUrl: string } }>(
    `/api/workspaces/${world.workspaceId}/members`,
    { email: "ada@people.example", role: "viewer" },
  );
  const link = body.data.inviteUrl.replace(/^.*\/app/, "");
  const page = await openDashboard(newContext, { at: link });
  const [workspace] = await world.rows("select name from workspaces where id = ?", world.workspaceId);
  await page.getByRole("heading", { name: `Join ${workspace?.name}` }).waitFor();
  await page.getByText("As a viewer, you can see its programs.").waitFor();
  expect(page.url()).not.toContain("token");
  await expectAccessible(page);
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByText(`You've been invited to ${workspace?.name}.`).waitFor();
  await page.getByLabel("Name").fill("Ada");
  await page.getByLabel("Email").fill(`${crypto.randomUUID()}@people.example`);
  await page.getByLabel("Password").fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("Enter 10 to 128 characters.").waitFor();
  await page.getByLabel("Password").fill("long enough");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("Choose a program.").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "The busy one" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await settled(page);
  expect(await page.getByRole("main").getByRole("link", { name: /setup/i }).count()).toBe(0);

  const late = await openDashboard(newContext, { at: link });
  await late.getByRole("heading", { name: "This invitation doesn't work" }).waitFor();
  await expectAccessible(late);
});
