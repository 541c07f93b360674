import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { lastMonth, period } from "../support/last-month.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

test("an admin creates a bonus in a form that reads like a sentence, awards the bonus from the to-do list, and ends it", {
  tags: "soak",
}, async () => {
  const world = await people.world({
    program: { name: "Northwind" },
    partners: [{ name: "Alice" }, { name: "Bob" }],
    policies: [{ holdDays: 0 }],
  });
  const { alice, bob, click, lead, sell } = salesFixture(programFixture(world, sharedApi()));
  for (const [partner, customer_key] of [
    [alice, "a"],
    [bob, "b"],
  ] as const) {
    await lead({ click_id: click(partner, daysAgo(60)), customer_key, occurred_at: at(daysAgo(59)) });
    await sell({ customer_key, amount_cents: 4_500, occurred_at: at(lastMonth) });
  }
  const program = `/programs/${world.programId}`;
  const page = await openDashboard(newContext, {
    user: people.admin,
    at: `${program}/partners/bonuses`,
    width: "phone",
  });
  await page.getByText("No bonuses yet").waitFor();
  await page.getByRole("button", { name: "Create bonus" }).click();
  await page.getByText("Enter the amount of the bonus.").waitFor();
  await page.getByText("Enter a number of sales.").waitFor();
  await page.getByRole("textbox", { name: "Amount of the bonus" }).fill("50");
  await page.getByRole("textbox", { name: "Number of sales" }).fill("x");
  await page.getByRole("button", { name: "Create bonus" }).click();
  await page.getByText("Enter a whole number.").waitFor();
  await page.getByRole("textbox", { name: "Number of sales" }).fill("1");
  await page.getByRole("combobox", { name: "First period" }).selectOption(period);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create bonus" }).click();
  await page.getByText("€50.00 for 1 sale a month", { exact: true }).waitFor();
  await expectNoSidewaysScroll(page);

  const reached = () => world.rows("select 1 from due_bonuses where program_id = ?", world.programId);
  await expect.poll(async () => (await reached()).length, { timeout: 30_000 }).toBe(2);
  await page.getByText("Bonuses to award", { exact: true }).waitFor();
  const overview = await openDashboard(newContext, { user: people.admin, at: `${program}/overview`, width: "laptop" });
  await overview.getByText("2 bonuses can be awarded").waitFor();
  await overview.getByRole("link", { name: "Award bonuses" }).click();
  const due = overview.getByRole("region", { name: /^Bonuses to award for / });
  await due.getByText("Alice").waitFor();
  await settled(overview);
  await expectAccessible(overview);
  await overview.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(overview);
  await overview.getByRole("button", { name: "Award these 2 bonuses…" }).click();
  const question = overview.getByRole("dialog");
  await question.getByText("€100.00 to 2 partners for").waitFor();
  await question.getByRole("button", { name: "Cancel" }).click();
  await due.getByRole("button", { name: "Award the bonus to Alice" }).press("Enter");
  await question.getByText("€50.00 to Alice for").waitFor();
  await expectAccessible(overview);
  await question.getByRole("button", { name: "Award" }).press("Enter");
  await overview.getByText("€50.00 awarded to Alice.").waitFor();
  await due.getByText("Alice").waitFor({ state: "detached" });
  expect(await overview.locator(":focus").innerText()).toContain("New bonus");
  await due.getByRole("button", { name: "Award the bonus to Bob" }).click();
  await question.getByRole("button", { name: "Award" }).click();
  await due.waitFor({ state: "detached" });
  const paid = await world.rows(
    "select partner_id, amount_cents from adjustments where program_id = ? order by partner_id",
    world.programId,
  );
  const partners = [alice.id, bob.id].toSorted((a, b) => a - b);
  expect(paid).toEqual(partners.map((partner_id) => ({ partner_id, amount_cents: 5_000 })));

  await overview.getByRole("button", { name: "End €50.00 for 1 sale a month" }).click();
  await overview.getByText("If its terms are wrong, dismiss it afterwards").waitFor();
  await overview.getByRole("button", { name: "End bonus" }).click();
  await overview.getByText(/^End of /).waitFor();
  await overview.getByRole("button", { name: "Dismiss €50.00 for 1 sale a month" }).click();
  await overview.getByText("It can't be awarded to anyone any more").waitFor();
  await expectAccessible(overview);
  await overview.getByRole("button", { name: "Dismiss bonus" }).click();
  await overview.getByText("Dismissed", { exact: true }).waitFor();
  const audit = await openDashboard(newContext, { user: people.admin, at: `${program}/settings?section=audit` });
  await audit.getByText("Dismissed the bonus of €50.00 for 1 sale a month").waitFor();
  await audit.getByText("Ended the bonus of €50.00 for 1 sale a month").waitFor();
  expect(await audit.getByRole("row").filter({ hasText: "Created the bonus of" }).innerText()).toContain(
    "To reach: 1 sale",
  );
});
