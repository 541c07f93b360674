import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Json } from "../../harness/client.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { programFixture } from "../support/program-fixture.ts";
import { mcpClient, propose } from "../support/proposing.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile("stranger");
const reason = '<img src=x onerror="document.title=1"> Approve everything';

async function opened(further: readonly string[] = []) {
  const world = await people.world({
    keys: [{}, { scopes: ["read", "manage"] }],
    partners: [{ name: "Alice" }, { name: "Bob" }],
    groups: [{ name: "Gold" }],
  });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("c1");
  for (const transaction_id of ["one", "two", ...further]) await shop.sell({ transaction_id, amount_cents: 10_000 });
  const [, key = ""] = world.keys;
  const client = await mcpClient(sharedService.url, { key });
  const { body } = await people.admin.get<{ data: { id: number; transactionId: string }[] }>(
    `/api/programs/${world.programId}/commissions`,
  );
  const idOf = (transactionId: string) => body.data.find((each) => each.transactionId === transactionId)?.id ?? 0;
  const follow = async (given: Readonly<Record<string, Json>>, user = people.admin): Promise<Page> => {
    const { token } = await propose(client, { reason, ...given });
    return openDashboard(newContext, { user, at: `/#/proposal?token=${token}` });
  };
  const audited = async () =>
    (
      await people.admin.get<{ data: { action: string; via: { reason: string; changed: boolean } | null }[] }>(
        `/api/programs/${world.programId}/audit`,
      )
    ).body.data.map(({ action, via }) => [action, via?.reason, via?.changed]);
  return { ...shop, idOf, follow, audited };
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("the link of a proposal opens the page with the proposed approval and its commissions, and a member can dismiss or confirm it", async () => {
  const further = Array.from({ length: 11 }, (_, i) => `further ${i}`);
  const { idOf, follow, audited } = await opened(further);
  const page = await follow({ action: "approve", ids: [idOf("one")] });
  const dialog = page.getByRole("dialog", { name: "Approve commission?" });
  await dialog.getByText(/^Proposed by /).waitFor();
  expect(await dialog.locator("q").innerText()).toBe(reason);
  expect(await page.locator("img[src=x]").count()).toBe(0);
  const named = dialog.getByRole("list", { name: "Proposed commissions" });
  expect(await named.getByRole("listitem").allInnerTexts()).toEqual([
    expect.stringMatching(/^one · Alice .* · €20\.00$/),
  ]);
  expect(page.url()).toMatch(/\/app\/programs\/\d+\/commissions$/);
  await settled(page);
  await expectAccessible(page);
  await button(page, "Cancel").click();
  await page.getByText("Approves 1 commission of 1 partner: €20.00.").waitFor();
  await button(page, "Review…").click();
  expect(await audited()).toEqual([]);
  await dialog.getByRole("button", { name: "Approve commission", exact: true }).click();
  await page.getByText("1 approved.").waitFor();
  await page.getByText(/^Proposed by /).waitFor({ state: "detached" });
  expect(await audited()).toEqual([["commission.approved", reason, false]]);

  const late = await follow({ action: "approve", ids: [idOf("one")] });
  await late.getByText("None of the commissions can be approved.").waitFor();
  expect(await button(late, "Review…").count()).toBe(0);
  await settled(late);
  const other = late.waitForRequest(/\/api\/programs\/\d+\/./);
  await late.getByRole("link", { name: "Partners", exact: true }).first().click();
  expect(await (await other).headerValue("x-proposal")).toBeNull();

  const ids = ["two", ...further].map(idOf);
  const again = await follow({ action: "reject", ids });
  const rejection = again.getByRole("dialog", { name: "Reject 12 commissions?" });
  await rejection.waitFor();
  expect(await rejection.getByRole("listitem").filter({ hasText: "Alice" }).count()).toBe(10);
  await rejection.getByRole("button", { name: "Show 2 more", exact: true }).click();
  expect(await rejection.getByRole("listitem").filter({ hasText: "Alice" }).count()).toBe(12);
  expect(await again.getByLabel("Reason").inputValue()).toBe(reason);
  await button(again, "Cancel").click();
  await button(again, "Dismiss").click();
  await again.getByText(/^Proposed by /).waitFor({ state: "detached" });
  expect(await audited()).toHaveLength(1);
});

test("the proposed terms are filled in, and terms that the member changes are recorded as changed", {
  tags: "soak",
}, async () => {
  const { world, alice, follow, audited } = await opened();
  const page = await follow({ action: "policy", type: "percent", rateBps: 2_500, scope: "lifetime" });
  const dialog = page.getByRole("dialog", { name: "Change the commission", exact: true });
  await dialog.getByLabel("Rate").waitFor();
  expect(await dialog.getByLabel("Rate").first().inputValue()).toBe("25");
  await dialog.getByRole("button", { name: "Save commission", exact: true }).click();
  await button(page, "Change commission").click();
  await page.getByText("Commission saved.").waitFor();
  expect(await audited()).toEqual([["policy.set", reason, false]]);

  const adjusted = { action: "adjustment", partnerId: alice.id, amountCents: -500, currency: "EUR" };
  const adjusting = await follow(adjusted, people.owner);
  const box = adjusting.getByRole("dialog", { name: /Adjust the balance of Alice/ });
  await box.getByLabel("Amount").waitFor();
  expect(await box.getByLabel("Amount").inputValue()).toBe("5.00");
  expect(await box.getByLabel("Type").inputValue()).toBe("write-off");
  await box.getByLabel("Amount").fill("7");
  await button(adjusting, "Record adjustment").click();
  await adjusting.getByText("Adjustment recorded.").waitFor();
  expect((await audited()).at(0)).toEqual(["adjustment.created", reason, true]);

  const [group] = world.groups;
  const moving = await follow({ action: "group", partnerIds: [alice.id], groupId: group?.id ?? 0 });
  await moving.getByRole("dialog").getByRole("link", { name: "Alice" }).waitFor();
  await button(moving, "Move partners").click();
  await moving.getByText("1 partner moved to Gold.").waitFor();
  expect((await audited()).at(0)).toEqual(["group.partners_added", reason, false]);
});

test("a member without the required role and a person who isn't a member get a message, and nothing is changed", async () => {
  const { idOf, follow, audited } = await opened();
  const given = { action: "approve", ids: [idOf("one")] };
  const viewed = await follow(given, people.viewer);
  await viewed.getByText("This requires the admin role. Ask an owner of the workspace.").waitFor();
  const strange = await follow(given, people.stranger);
  await strange.getByRole("heading", { name: "This proposal can't be opened" }).waitFor();
  const altered = await openDashboard(newContext, { user: people.admin, at: "/#/proposal?token=svcp_1_x" });
  await altered.getByRole("heading", { name: "This proposal can't be opened" }).waitFor();
  expect(await audited()).toEqual([]);
});
