import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectNothingCut } from "./nothing-cut.ts";
import { expectAccessible, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const statusOf = (page: Page, name: string) =>
  page.getByRole("table", { name: "Lines" }).locator("tbody tr").filter({ hasText: name }).innerText();

test("an owner creates and finalizes a payout that is settled by API, and sees the settlement of each line", async () => {
  const shop = await payoutsFixture(people, {
    members: people.members(),
    keys: [{}, { name: "Billing", scopes: ["read", "settle"], book: "both" }],
    partners: [{ name: "Alice" }, { name: "Bob" }, { name: "Carol" }],
  });
  const { world, alice, bob } = shop;
  const [, , carol] = world.partners;
  const ofAlice = `/api/programs/${world.programId}/partners/${alice.id}`;
  expect((await people.owner.patch(ofAlice, { externalId: "user-alice" })).status).toBe(200);
  await shop.earn(980);
  await shop.earn(490, { partner: bob });
  await shop.earn(300, { partner: carol ?? bob });
  const at = `/programs/${world.programId}/payouts`;
  const page = await openDashboard(newContext, { user: people.admin, at });
  await page.getByRole("button", { name: "New payout" }).first().click();
  await page.getByLabel("Who settles").selectOption("api");
  await page.getByRole("button", { name: "Create draft" }).click();
  await page.getByRole("heading", { name: "Check this draft" }).waitFor();
  expect(await page.getByLabel("Who settles").inputValue()).toBe("api");
  expect(await statusOf(page, "Alice")).toContain("user-alice");
  await page.getByRole("button", { name: /^Finalize/ }).click();
  await page.getByRole("heading", { name: "Your system settles the lines" }).waitFor();
  expect(await page.getByRole("button", { name: "Payment list (CSV)" }).count()).toBe(0);

  const [, key] = world.keys;
  const id = Number(/payouts\/(\d+)/.exec(page.url())?.[1]);
  const path = `/api/v1/programs/me/payouts/${id}/lines`;
  const { body } = await sharedApi().request<{ data: { line_id: number; partner_id: number }[] }>("GET", path, { key });
  const tell = async (partnerId: number, what: string, sent: Record<string, string>) => {
    const line = body.data.find(({ partner_id }) => partner_id === partnerId)?.line_id;
    const told = await sharedApi().request("POST", `${path}/${line}/${what}`, { key, body: sent });
    expect(told.status, told.text).toBe(200);
  };
  await tell(alice.id, "settle", { settlement_id: "cbtxn_1" });
  await tell(bob.id, "fail", { reason: "No customer", partner_note: "Create an account first" });
  await tell(bob.id, "settle", { settlement_id: "cbtxn_2" });
  await page.reload();
  await expect.poll(() => statusOf(page, "Alice")).toContain("cbtxn_1");
  expect(await statusOf(page, "Alice")).toContain("Settled");
  const given = await statusOf(page, "Bob");
  for (const text of ["Given back", "Settled later", "cbtxn_2", "No customer"]) expect(given).toContain(text);
  expect(await statusOf(page, "Carol")).toContain("Due");
  await settled(page);
  await expectAccessible(page);
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNothingCut(page, `a payout settled by API at ${width} px`);
  }
  await page.getByRole("button", { name: /^Give back: Carol/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("Left");
  await dialog.getByRole("button", { name: "Give back" }).click();
  await page.getByText("Line given back.").waitFor();
  await expect.poll(() => page.locator("header .badge").innerText()).toBe("Paid");

  // The next draft names the partners whose external id has changed since a line of theirs was settled. Bob's line had
  // already been given back when it was settled, so he isn't named.
  for (const [{ id: partnerId }, externalId] of [
    [alice, "user-mallory"],
    [bob, "user-bob"],
  ] as const) {
    const path = `/api/v1/programs/me/partners/${partnerId}`;
    const changed = await sharedApi().request("PATCH", path, { key: world.keys[0], body: { external_id: externalId } });
    expect(changed.status, changed.text).toBe(200);
  }
  await shop.earn(700);
  await shop.earn(800, { partner: bob });
  const next = await people.owner.post<{ data: { id: number } }>(`/api${at}`, { currency: "EUR", settledBy: "api" });
  await page.goto(page.url().replace(/payouts\/\d+/, `payouts/${next.body.data.id}`));
  await page.getByText("Your ID of 1 partner has changed").waitFor();
  expect(await statusOf(page, "Alice")).toMatch(/user-mallory\s+before: user-alice/);
  expect(await statusOf(page, "Bob")).not.toContain("before:");
  await page.getByLabel("Who settles").selectOption("person");
  await page.getByText("Your ID of 1 partner has changed").waitFor({ state: "detached" });
});
