import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectFits, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const hostile = "<img src=x onerror=alert(1)>";
const refuseDialogs = (page: Page) => page.on("dialog", () => expect.unreachable("a text ran as code"));

test("a visitor applies on a phone, and becomes a partner once an owner approves", async () => {
  const world = await people.world({ program: { name: "Northwind" }, groups: [{ name: "Gold" }, { name: "Silver" }] });
  const at = `/programs/${world.programId}/partners`;
  const slug = `northwind-${world.programId}`;
  const owner = await openDashboard(newContext, { user: people.owner, at: `${at}/join` });
  refuseDialogs(owner);
  await owner.getByLabel("Applications").selectOption({ label: "Open: you decide on each application" });
  await owner.getByLabel("Address").fill(slug);
  await owner.getByLabel("Headline").fill(`Earn with us ${hostile}`);
  await owner.getByLabel("Description").fill(`${hostile}\n${"x".repeat(200)}\nThird line`);
  await owner.getByLabel("Group").selectOption({ label: "Gold" });
  await owner.getByLabel("Question 1").fill(`Where will you write about us? ${hostile}`);
  await owner.getByLabel("Answer 1").selectOption("required");
  await owner.getByLabel("Question 2").waitFor();
  await owner.getByRole("button", { name: "Save join page" }).click();
  const link = owner.getByText(`/partner/#/join/${slug}`);
  await link.waitFor();
  await owner.getByRole("button", { name: "Publish terms…" }).click();
  await owner.getByRole("dialog").getByLabel("Terms").fill(`Be kind.\n${hostile}`);
  await expectAccessible(owner);
  await owner.getByRole("button", { name: "Publish", exact: true }).click();
  await owner.getByText("Version 1 (current)").waitFor();
  await expectAccessible(owner);
  await expectFits(owner);

  const page = await openDashboard(newContext, { app: "partner", at: `/#/join/${slug}`, width: "phone" });
  refuseDialogs(page);
  await page.getByRole("heading", { level: 1, name: `Earn with us ${hostile}` }).waitFor();
  expect(page.url()).toMatch(new RegExp(`/partner/join/${slug}$`));
  await page.getByText("20% of each sale").waitFor();
  await page.getByText("Terms of the program").click();
  await page.getByRole("region", { name: "Terms", exact: true }).getByText("Be kind.").waitFor();
  await expectAccessible(page);
  await expectFits(page);
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("Name").fill("Ada Lovelace");
  await page.getByLabel("Email").fill(`${randomUUID()}@people.example`);
  await page.getByLabel("Password").fill(randomUUID());
  await page.getByRole("button", { name: "Create account" }).click();

  const send = page.getByRole("button", { name: "Send application" });
  await send.click();
  await page.getByText("Enter an answer.").waitFor();
  await page.getByText("Accept the terms to apply.").waitFor();
  await page.getByLabel("Where will you write about us?").fill(`On my blog\n${hostile}`);
  await page.getByLabel("Website").fill("blog.example/outdoor");
  await page.getByLabel("I accept the terms").check();
  await people.admin.post(`/api/programs/${world.programId}/terms`, { text: "Be very kind." });
  await send.click();
  await page.getByText("The program has changed its terms.").waitFor();
  await page.getByText("Be very kind.").waitFor();
  expect(await page.getByLabel("I accept the terms").isChecked()).toBe(false);
  await page.getByLabel("I accept the terms").check();
  await expectAccessible(page);
  await expectFits(page);
  await send.click();
  await page.getByRole("heading", { name: "Your application was received" }).waitFor();
  await expectAccessible(page);
  await page.goto("/partner/");
  await page.getByText("Your application to Northwind waits for a decision.").waitFor();
  await page.goBack();

  await owner.getByRole("link", { name: "Applications" }).click();
  await owner.reload();
  await owner.getByRole("link", { name: "Applications 1", exact: true }).waitFor();
  const application = owner.getByRole("listitem").filter({ hasText: "Ada Lovelace" });
  await application.getByText(hostile).last().waitFor();
  await application.getByText("blog.example/outdoor").waitFor();
  await expectAccessible(owner);
  await expectFits(owner);
  await application.getByRole("button", { name: "Approve Ada Lovelace" }).click();
  await owner.getByRole("dialog").getByLabel("Code").fill("ada");
  const group = owner.getByRole("dialog").getByLabel("Group");
  expect(await group.locator("option:checked").textContent()).toBe("As on the join page");
  await group.selectOption({ label: "Silver" });
  await expectAccessible(owner);
  await owner.getByRole("button", { name: "Approve application" }).click();
  await owner.getByText("Ada Lovelace was approved.").waitFor();
  await owner.getByRole("link", { name: "Applications", exact: true }).waitFor();
  await owner.getByRole("button", { name: "Approved" }).click();
  await owner.getByRole("link", { name: "Ada Lovelace" }).click();
  await owner.getByRole("heading", { level: 1, name: "Ada Lovelace" }).waitFor();

  const found = await world.rows(
    "select g.name from group_memberships m join partner_groups g on g.id = m.group_id where m.program_id = ?",
    world.programId,
  );
  expect(found).toEqual([{ name: "Silver" }]);

  await page.reload();
  await page.getByRole("link", { name: "Go to your pages" }).click();
  await page.getByRole("region", { name: "Earned this month" }).waitFor();
});

test("a join page opens once its conditions are met, and its applicants become partners", {
  tags: "soak",
}, async () => {
  const world = await people.world({ program: { name: "Northwind" } });
  const at = `/programs/${world.programId}/partners`;
  const slug = `open-${world.programId}`;
  const owner = await openDashboard(newContext, { user: people.owner, at: `${at}/join` });
  const save = owner.getByRole("button", { name: "Save join page" });
  await owner.getByLabel("Applications").selectOption({ label: "Open: applicants become partners at once" });
  await owner.getByLabel("Address").fill(slug);
  await owner.getByRole("link", { name: "Settings › Risk" }).waitFor();
  await save.click();
  await owner.getByText("Change the settings below first.").waitFor();
  await expectAccessible(owner);
  await expectFits(owner);
  await owner.getByRole("link", { name: "Settings › Attribution" }).click();
  await owner.getByLabel("Accept leads from").selectOption({ label: "Server only" });
  await owner.getByRole("button", { name: "Save", exact: true }).click();
  await owner.getByText("Saved.").waitFor();
  await owner.goBack();
  expect(await owner.getByLabel("Address").inputValue()).toBe(slug);
  await save.click();
  await owner.getByText(`/partner/#/join/${slug}`).waitFor();

  const ann = await sharedUser("Ann");
  const page = await openDashboard(newContext, { user: ann, app: "partner", at: `/join/${slug}`, width: "phone" });
  await page.getByText("Most applications are approved at once.").waitFor();
  await page.getByRole("button", { name: "Send application" }).click();
  await page.getByRole("heading", { name: "You are in" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Go to your pages" }).click();
  await page.getByRole("region", { name: "Earned this month" }).waitFor();

  await owner.getByRole("link", { name: "Applications" }).click();
  await owner.getByRole("button", { name: "Approved" }).click();
  await owner
    .getByRole("listitem")
    .filter({ hasText: "Ann" })
    .getByText(/approved .* by the join page/)
    .waitFor();
});

test("an owner declines several applications together, with a note for each, and a closed join page isn't found", {
  tags: "soak",
}, async () => {
  const world = await people.world({ program: { name: hostile } });
  const program = `/api/programs/${world.programId}`;
  const slug = `shop-${world.programId}`;
  const joinPage = { mode: "approval", slug, headline: "", description: "", questions: [] };
  expect((await people.admin.put(`${program}/join`, joinPage)).status).toBe(200);
  const [first, second] = [await sharedUser("Ann"), await sharedUser("Bob")];
  for (const user of [first, second]) {
    const reply = await user.post(`/api/join/${slug}`, { name: `${user.name} ${hostile}` });
    expect(reply.status, reply.text).toBe(201);
  }
  const at = `/programs/${world.programId}/partners/applications`;
  const owner = await openDashboard(newContext, { user: people.owner, at, width: "phone" });
  refuseDialogs(owner);
  await owner.getByLabel(`Select Ann ${hostile}`).check();
  await owner.getByRole("button", { name: "Select all" }).click();
  await owner.keyboard.press("a");
  await owner.getByRole("dialog", { name: /^Approve/ }).waitFor();
  await owner.keyboard.press("Escape");
  await owner.keyboard.press("d");
  await owner.getByLabel("Note to the applicants").fill(`Not this year ${hostile}`);
  await expectAccessible(owner);
  await owner.getByRole("button", { name: "Decline 2 applications" }).click();
  await owner.getByText("2 declined.").waitFor();
  await owner.getByRole("button", { name: "Declined" }).click();
  await owner.getByText(`Not this year ${hostile}`).first().waitFor();
  await expectAccessible(owner);
  await expectFits(owner);

  const page = await openDashboard(newContext, { user: first, app: "partner", at: `/join/${slug}`, width: "phone" });
  refuseDialogs(page);
  await page.getByText(`Not this year ${hostile}`).waitFor();
  await page.getByText("You can apply again from").waitFor();
  await expectAccessible(page);
  await expectFits(page);
  await people.admin.put(`${program}/join`, { ...joinPage, mode: "closed" });
  await page.reload();
  await page.getByRole("heading", { name: "No program takes applications here" }).waitFor();
  await expectAccessible(page);

  const viewer = await openDashboard(newContext, { user: people.viewer, at: at.replace("applications", "join") });
  await settled(viewer);
  await viewer.getByText("Closed", { exact: true }).waitFor();
  expect(await viewer.getByRole("button", { name: /Save|Publish/ }).count()).toBe(0);
});
