import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import {
  expectAccessible,
  expectNoSidewaysScroll,
  expectNothingMoved,
  openDashboard,
  openMenu,
  settled,
} from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Opens a program with a click on Alice's link, her customer "c1" and one sale. */
async function openAlice(user = people.admin, query = "") {
  const shop = salesFixture(
    programFixture(await people.world({ partners: [{ name: "Alice" }, { name: "Bob" }] }), sharedApi()),
  );
  const { world, alice } = shop;
  await shop.visit({ occurred_at: at(daysAgo(2)), session_id: "v1" }, { key: world.key });
  await shop.refer("c1");
  await shop.sell({ transaction_id: "order-1", amount_cents: 10_000 });
  const page = await openDashboard(newContext, { user, at: `/programs/${world.programId}/partners${query}` });
  return { shop, alice, page };
}

test("a row of the list opens the partner's page, where numbers, commissions and events each have their own URL", async () => {
  const { shop, alice, page } = await openAlice(people.viewer);
  await page.getByRole("row").filter({ hasText: alice.code }).getByText("€100.00").click();
  await page.getByRole("heading", { level: 1, name: "Alice" }).waitFor();
  await page.waitForURL(`**/partners/${alice.id}`);
  const figures = await page.locator(".partner-tiles > div").allInnerTexts();
  expect(figures.map((text) => text.split(/\s+/))).toEqual([
    ["Clicks", "1"],
    ["Leads", "1"],
    ["Sales", "1"],
    ["Revenue", "€100.00"],
    ["Commission", "€20.00"],
    ["Sales", "per", "click", "100%"],
  ]);
  await button(page, "Revenue").click();
  await page.getByRole("slider", { name: "Revenue per day" }).waitFor();
  await page.getByRole("link", { name: "order-1", exact: true }).click();
  await page.getByRole("dialog", { name: "Sale order-1" }).getByText("earned €20.00").waitFor();
  await page.getByRole("link", { name: "View partner" }).click();
  await page.getByRole("link", { name: "Events" }).last().click();
  await page.getByRole("cell", { name: "order-1" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Details" }).click();
  await page.getByRole("term").filter({ hasText: "Landing page" }).waitFor();
  expect(await page.getByRole("main").getByRole("textbox").count()).toBe(0);
  expect(await page.getByRole("button", { name: /pause|save|set|change|remove/i }).count()).toBe(0);
  await page.goto(`/app/programs/${shop.world.programId}/partners/1`);
  await page.getByText("This program has no partner 1.").waitFor();
});

test("a partner's page doesn't shift while it loads, and fits a phone", { tags: "soak" }, async () => {
  const { shop, alice } = await openAlice();
  await shop.sell({ transaction_id: "large", amount_cents: 99_999_999_900 });
  for (const width of ["laptop", "phone"] as const) {
    const at = `/programs/${shop.world.programId}/partners/${alice.id}`;
    const page = await openDashboard(newContext, { user: people.admin, at, width });
    await page.getByRole("link", { name: "order-1" }).waitFor();
    await settled(page);
    await expectNothingMoved(page);
    await expectNoSidewaysScroll(page);
  }
});

test("opening a partner's page takes four requests", { tags: "soak" }, async () => {
  const { alice, page } = await openAlice(people.viewer);
  await page.getByRole("link", { name: "Alice" }).waitFor();
  await page.waitForLoadState("networkidle");
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) asked.push(pathname);
  });
  await page.getByRole("link", { name: "Alice" }).click();
  await page.getByRole("link", { name: "order-1" }).waitFor();
  await settled(page);
  expect(
    asked.filter((path) => !path.endsWith(`/partners/${alice.id}`)),
    asked.join(" "),
  ).toHaveLength(3);
  expect(asked).toHaveLength(4);
});

const lines = (page: Page) =>
  page
    .getByRole("region", { name: "Balance" })
    .getByRole("listitem")
    .allInnerTexts()
    .then((texts) => texts.map((text) => text.replaceAll(/\s+/g, " ")));

test("a partner's page shows balances in every currency, and creates payouts and adjustments", {
  tags: "soak",
}, async () => {
  const { shop, alice, page } = await openAlice(people.admin);
  const { programId } = shop.world;
  const { commission_id } = (await shop.sell({ amount_cents: 5_000, currency: "USD" })).body;
  await people.admin.post(`/api/programs/${programId}/commissions/${commission_id}/approve`, {});
  await page.goto(`/app/programs/${programId}/partners/${alice.id}?period=7d`);
  await expect
    .poll(() => lines(page))
    .toEqual([
      "To pay €0.00 · On hold €20.00 · In payout €0.00 · Paid €0.00",
      "To pay $10.00 · On hold $0.00 · In payout $0.00 · Paid $0.00",
    ]);
  const tabs = page.getByRole("navigation", { name: "Status" }).getByRole("link");
  await expect
    .poll(async () => (await tabs.allInnerTexts()).slice(0, 3).map((text) => text.replaceAll(/\s+/g, " ").trim()))
    .toEqual(["All commissions 2", "On hold 1 €20.00", "To pay or in payout 1 $10.00"]);
  await page.getByRole("link", { name: /^To pay or in payout/ }).click();
  await page.getByText("1 commission · $10.00").waitFor();
  await page.getByLabel("Currency").selectOption("USD");
  await expect.poll(() => page.locator(".partner-tiles dd").allInnerTexts()).toContain("$50.00");
  await expectAccessible(page);

  await button(page, "Adjust balance…").click();
  const dialog = page.getByRole("dialog", { name: `Adjust the balance of Alice (${alice.code})` });
  await dialog.getByLabel("Type").selectOption("write-off");
  await dialog.getByLabel("Currency").selectOption("EUR");
  await dialog.getByLabel("Amount").fill("5");
  await dialog.getByLabel("Reason").fill("returned goods");
  await button(page, "Record adjustment").click();
  await expect.poll(() => lines(page)).toContainEqual(expect.stringMatching(/^To be deducted -€5.00 · On hold €20.00/));
  await button(page, "New payout").click();
  await page.getByText(`Pays only Alice (${alice.code}).`).waitFor();
  await button(page, "Create draft").click();
  await page.waitForURL(/payouts\/\d+/);
});

test("an admin can give a partner a bonus before their first sale", { tags: "soak" }, async () => {
  const { programId, partners } = await people.world({ partners: [{ name: "New" }] });
  const at = `/programs/${programId}/partners/${partners[0]?.id}`;
  const page = await openDashboard(newContext, { user: people.admin, at });
  await page.getByText("Nothing to pay yet.").waitFor();
  expect(await button(page, "New payout").count()).toBe(0);
  await button(page, "Adjust balance…").click();
  await page.getByRole("dialog").getByLabel("Amount").fill("50");
  await page.getByRole("dialog").getByLabel("Reason").fill("launch bonus");
  await button(page, "Record adjustment").click();
  await expect.poll(() => lines(page)).toEqual(["To pay €50.00 · On hold €0.00 · In payout €0.00 · Paid €0.00"]);
  await button(page, "New payout").waitFor();
  await page.goto(`/app/programs/${programId}/settings?section=audit&kind=adjustment`);
  const entry = page.getByRole("row").filter({ hasText: "launch bonus" });
  await entry.waitFor();
  expect(await entry.innerText()).not.toContain("Reference");
});

test("the chosen period and currency are kept from Overview to Partners, to a partner's page and back", {
  tags: "soak",
}, async () => {
  const { shop, page } = await openAlice(people.viewer);
  await shop.sell({ amount_cents: 5_000, currency: "USD" });
  await page.goto(`/app/programs/${shop.world.programId}/overview`);
  await page.getByLabel("Period").selectOption("month");
  await page.getByLabel("Currency").selectOption("USD");
  const expectKept = async () => {
    await expect.poll(() => page.getByLabel("Period").inputValue()).toBe("month");
    expect(await page.getByLabel("Currency").inputValue()).toBe("USD");
  };
  await page.getByRole("navigation", { name: "Program" }).getByRole("link", { name: "Partners" }).click();
  await page.getByRole("heading", { level: 1, name: "Partners" }).waitFor();
  await expectKept();
  await page.getByRole("link", { name: "Alice" }).click();
  await page.getByRole("heading", { level: 1, name: "Alice" }).waitFor();
  await expectKept();
  await expect.poll(() => page.locator(".partner-tiles dd").allInnerTexts()).toContain("$50.00");
  await page.getByRole("link", { name: "Details" }).click();
  await expectKept();
  await page.getByLabel("Period").selectOption("custom");
  await page.getByLabel("From").fill("2020-01-01");
  await page.getByLabel("To", { exact: true }).fill("2020-01-31");
  await expect.poll(() => page.locator(".partner-tiles dd").first().innerText()).toBe("0");
  await page.getByRole("main").getByRole("link", { name: "Partners" }).click();
  await page.getByRole("heading", { level: 1, name: "Partners" }).waitFor();
  expect(await page.getByLabel("From").inputValue()).toBe("2020-01-01");
  await page.getByRole("navigation", { name: "Program" }).getByRole("link", { name: "Overview" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  expect(await page.getByLabel("To", { exact: true }).inputValue()).toBe("2020-01-31");
});

test("an admin searches by day and amount for a sale that a partner is missing, and assigns the customer to the partner", {
  tags: "soak",
}, async () => {
  const world = await people.world({ partners: [{ name: "Alice" }, { name: "Bob" }] });
  const shop = programFixture(world, sharedApi());
  await shop.sale({ customer_key: "nobody's", transaction_id: "order-1", amount_cents: 4_900, currency: "EUR" });
  const at = `/programs/${world.programId}/partners/${world.partner.id}`;
  const page = await openDashboard(newContext, { user: people.admin, at });
  await page.getByRole("button", { name: "Find a missing sale…" }).click();
  const dialog = page.getByRole("dialog", { name: "Find a missing sale" });
  await dialog.getByLabel("Day of the sale").fill(new Date().toISOString().slice(0, 10));
  await dialog.getByLabel("Amount").fill("49");
  await dialog.getByRole("button", { name: "Find" }).click();
  await dialog.getByText(/^€49\.00 on .*\. No partner has it\. /).waitFor();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 800 });
  await expectNoSidewaysScroll(page);
  expect(await dialog.getByRole("link", { name: "order-1" }).getAttribute("href")).toContain("/explain?saleId=");
  await dialog.getByRole("link", { name: "Assign its customer…" }).click();
  const assigning = page.getByRole("dialog", { name: "Assign this customer" });
  await expect.poll(() => assigning.getByRole("combobox", { name: "Partner" }).inputValue()).toBe("Alice");
  await assigning.getByLabel("Reason").fill("By phone");
  await button(page, "Assign").click();
  await page.getByText("Assigned to Alice.").waitFor();
});

test("an owner erases a partner whose balances are all zero", { tags: "soak" }, async () => {
  const { shop, alice, page } = await openAlice(people.owner);
  const erase = async ({ id, name }: { readonly id: number; readonly name: string }) => {
    await page.goto(`${page.url().split("/partners")[0]}/partners/${id}`);
    await openMenu(page, `More actions for ${name}`);
    await button(page, "Erase…").click();
  };
  await erase({ ...alice, name: "Alice" });
  const dialog = page.getByRole("dialog", { name: "Erase Alice?" });
  await dialog.getByText("€20.00 pending: approve or reject these commissions").waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await erase({ ...shop.bob, name: "Bob" });
  await button(page, "Erase partner").click();
  await page.getByRole("heading", { level: 1, name: /^Partner [12]$/ }).waitFor();
  await page.getByText("Erased", { exact: true }).waitFor();
  expect(await button(page, "Resume").count()).toBe(0);
});
