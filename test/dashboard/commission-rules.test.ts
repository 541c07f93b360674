import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

async function rulesNow(programId: number): Promise<unknown> {
  const path = `/api/programs/${programId}/commission-policy`;
  return (await people.owner.get<{ meta: { current: { rules: unknown } } }>(path)).body.meta.current.rules;
}

test("an owner adds a commission rule, sees an example of it, and saves it in the next version of the policy", async () => {
  const world = await people.world({ program: { name: "Northwind" }, partners: [{}] });
  const at = `/programs/${world.programId}/settings?section=commission`;
  const page = await openDashboard(newContext, { user: people.owner, at, width: "phone" });
  await page.getByRole("button", { name: "Add rule" }).click();
  const rule = page.getByRole("group", { name: "Rule 1" });
  await rule.getByPlaceholder("IDs, such as pro, team").fill("pro, team");
  await rule.getByRole("textbox", { name: /rate|percent/i }).fill("5");
  await page.getByText("A sale of €100.00 of pro earns €5.00.").waitFor();
  await page.getByRole("button", { name: "Save commission" }).click();
  await page.getByRole("button", { name: "Change commission" }).click();
  await page.getByText(/^Current: 20% of each sale; 5% on pro and team; held/).waitFor();
  await expect.poll(() => rulesNow(world.programId)).toEqual([{ rateBps: 500, when: { productIds: ["pro", "team"] } }]);
});

test("a policy for a customer's first sale isn't saved with a rule for renewals, and the form says that the rule never applies", async () => {
  const { programId } = await people.world({ program: { name: "Northwind" }, partners: [{}] });
  const at = `/programs/${programId}/settings?section=commission`;
  const page = await openDashboard(newContext, { user: people.owner, at });
  await page.locator('[name="scope"]').selectOption("one_time");
  await page.getByRole("button", { name: "Add rule" }).click();
  const rule = page.getByRole("group", { name: "Rule 1" });
  await rule.getByRole("combobox", { name: "Applies to" }).selectOption("renewals");
  await rule.getByRole("textbox", { name: "Rate" }).fill("7.5");
  const why = page.getByText("Rule 1 never applies, because the commission is only for a customer's first sale.");
  await why.waitFor();
  await page.getByRole("button", { name: "Save commission" }).click();
  await expect.poll(() => why.count()).toBe(2);
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.locator('[name="scope"]').selectOption("lifetime");
  await page.getByText("A renewal of €100.00 earns €7.50.").waitFor();
  await page.getByRole("button", { name: "Save commission" }).click();
  await page.getByRole("button", { name: "Change commission" }).click();
  await expect.poll(() => rulesNow(programId)).toEqual([{ rateBps: 750, when: { isRecurring: true } }]);
});

test("the policy's example says that tiers never apply if a rule covers everything, and leaves out a rule's months if the policy pays for fewer months", async () => {
  const { programId } = await people.world({ program: { name: "Northwind" }, partners: [{}] });
  const at = `/programs/${programId}/settings?section=commission`;
  const page = await openDashboard(newContext, { user: people.owner, at });
  await page.getByRole("button", { name: "Add rule" }).click();
  const rule = page.getByRole("group", { name: "Rule 1" });
  await rule.getByRole("combobox", { name: "Applies to" }).selectOption("everything");
  await rule.getByRole("textbox", { name: "Rate" }).fill("15");
  await page.getByRole("button", { name: "Add tier" }).click();
  await page.getByRole("group", { name: "Tiers" }).getByRole("textbox").last().fill("25");
  await page.getByText("The tiers never apply, because the rules cover all sales.").waitFor();
  await page.locator('[name="scope"]').selectOption("recurring");
  await page.locator('[name="durationMonths"]').fill("6");
  await rule.getByRole("combobox", { name: "Applies to" }).selectOption("months");
  await rule.getByRole("textbox", { name: "Months" }).fill("12");
  await page.getByText("A sale of €100.00 earns €15.00.").waitFor();
});

test("a rule in a policy that pays free months has an amount, which the form requires before it asks for confirmation", async () => {
  const { programId } = await people.world({ program: { name: "Northwind" }, partners: [{}] });
  const unit = { code: "MONTHS", digits: 0, one: "free month", other: "free months" };
  expect((await people.owner.post(`/api/programs/${programId}/units`, unit)).status).toBe(201);
  const at = `/programs/${programId}/settings?section=commission`;
  const page = await openDashboard(newContext, { user: people.owner, at });
  await page.getByRole("button", { name: "Add rule" }).click();
  const rule = page.getByRole("group", { name: "Rule 1" });
  await rule.getByPlaceholder("IDs, such as pro, team").fill("pro");
  await rule.getByRole("textbox", { name: "Rate" }).fill("5");
  await page.getByRole("combobox", { name: "Partners earn" }).first().selectOption("flat");
  await page.getByRole("combobox", { name: "Paid in" }).selectOption("MONTHS");
  await page.locator('[name="amountCents"]').fill("1");
  const earnings = rule.getByRole("combobox", { name: "Partners earn" }).getByRole("option");
  expect(await earnings.allTextContents()).toEqual(["an amount for each", "nothing"]);
  await page.getByRole("button", { name: "Save commission" }).click();
  await rule.getByText(/^Enter an amount/).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  await rule.getByRole("textbox", { name: "Amount" }).fill("3");
  await page.getByText("A sale of €100.00 of pro earns 3 free months.").waitFor();
  await page.getByRole("button", { name: "Save commission" }).click();
  await page.getByRole("button", { name: "Change commission" }).click();
  await expect.poll(() => rulesNow(programId)).toEqual([{ amountCents: 3, when: { productIds: ["pro"] } }]);
});
