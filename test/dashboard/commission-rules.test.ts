import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

test("an owner adds a rule, sees it in an example, and keeps it in the next version of the policy", async () => {
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
  await page.getByText(/^Current: 5% on pro and team; otherwise 20% of every sale; held/).waitFor();
  const current = async () =>
    (
      await people.owner.get<{ meta: { current: { rules: unknown } } }>(
        `/api/programs/${world.programId}/commission-policy`,
      )
    ).body.meta.current.rules;
  await expect.poll(current).toEqual([{ rateBps: 500, when: { productIds: ["pro", "team"] } }]);
});
