import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

test("an owner adds a commission tier, sees an example of it, and sees on a partner's page how many sales the next tier needs", async () => {
  const world = await people.world({ program: { name: "Northwind" }, partners: [{}] });
  const at = `/programs/${world.programId}/settings?section=commission`;
  const page = await openDashboard(newContext, { user: people.owner, at, width: "phone" });
  await page.getByRole("button", { name: "Add tier" }).click();
  const tiers = page.getByRole("group", { name: "Tiers" });
  await tiers.getByRole("textbox", { name: "Partners earn" }).fill("25");
  await page.getByText("From a partner's sale number 11 in a month, a sale of €100.00 earns €25.00.").waitFor();
  await page.getByRole("button", { name: "Save commission" }).click();
  await page.getByRole("button", { name: "Change commission" }).click();
  await page.getByText(/^Current: 20% of each sale, 25% from sale 11 in a month; held/).waitFor();
  const { body } = await people.owner.get<{ meta: { current: { tiers: unknown } } }>(
    `/api/programs/${world.programId}/commission-policy`,
  );
  expect(body.meta.current.tiers).toEqual({
    ...{ metric: "sales", period: "month", steps: [{ threshold: 11, rateBps: 2_500 }] },
  });
  const ofPartner = `/programs/${world.programId}/partners/${world.partner.id}?tab=details`;
  const partnerPage = await openDashboard(newContext, { user: people.owner, at: ofPartner, width: "phone" });
  await partnerPage.getByText("10 more sales until the next tier.").waitFor();
});
