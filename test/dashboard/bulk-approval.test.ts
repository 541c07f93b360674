import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { programFixture } from "../support/program-fixture.ts";
import { allAtOnce, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

async function openSold(count: number) {
  const shop = salesFixture(programFixture(await people.world({ partners: [{}, {}] }), sharedApi()));
  await shop.refer("c1");
  await allAtOnce(count, (i) => shop.sell({ transaction_id: `order-${i}`, amount_cents: 1_000 }));
  const page = await openDashboard(newContext, {
    user: people.admin,
    at: `/programs/${shop.world.programId}/commissions`,
  });
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  return { shop, page, button };
}

/** Number of commissions that one call decides. */
const perCall = 500;
const limited = {
  status: 429,
  headers: { "Retry-After": "2" },
  json: { data: null, error: { status: 429, name: "RateLimitError", message: "Too many requests", details: {} } },
};

test("a bulk approval is sent in several calls, shows its progress, and waits while the rate limit is reached", {
  tags: "soak",
}, async () => {
  const count = perCall + 2;
  const { page, button } = await openSold(count);
  await page.getByText(`${count} commissions · €1,004.00`).waitFor();
  const sent: unknown[] = [];
  await page.route("**/commissions/approve", async (route) => {
    sent.push(route.request().postDataJSON());
    await (sent.length === 2 ? route.fulfill(limited) : route.continue());
  });
  await page.getByLabel("Select all on this page").check();
  await page.getByText("50 selected").waitFor();
  await button(`Select all ${count} that match`).click();
  await page.getByText(`${count} selected`).waitFor();
  await expectAccessible(page);
  await button(`Approve ${count}`).click();
  const dialog = page.getByRole("dialog", { name: `Approve ${count} commissions?` });
  await dialog.getByText("€1,004.00 can be paid out").waitFor();
  await button(`Approve ${count} commissions`).click();
  await dialog.getByText(`${perCall} of ${count}. Waiting for the rate limit…`).waitFor();
  const progress = dialog.getByRole("progressbar", { name: "Decided" });
  expect([await progress.getAttribute("value"), await progress.getAttribute("max")]).toEqual(["500", "502"]);
  await page.getByText(`${count} approved.`).waitFor();
  expect(sent).toMatchObject([{ expectedCount: count }, { expectedCount: 2 }, { expectedCount: 2 }]);
  expect(sent[2]).toEqual(sent[1]);
  await page.getByText("No commissions on hold").waitFor();
  await page.getByRole("link", { name: "Pay partners" }).waitFor();
});

test("commissions that a bulk approval couldn't approve stay selected, and refusals with the same reason share a line", {
  tags: "soak",
}, async () => {
  const { page, button } = await openSold(6);
  const message = "This customer's sales are still being processed. Try again in a moment.";
  await page.route("**/commissions/approve", async (route) => {
    const { ids } = route.request().postDataJSON() as { ids: number[] };
    const response = await route.fetch({ postData: { ids: ids.slice(0, 2) } });
    const { data } = (await response.json()) as { data: unknown[] };
    const refused = ids.slice(2).map((id) => ({ id, result: "refused", code: "customer_moving", message }));
    await route.fulfill({ response, json: { data: [...data, ...refused], remaining: 0 } });
  });
  await page.getByLabel("Select all on this page").check();
  await button("Approve 6").click();
  await button("Approve 6 commissions").click();
  await page.getByText("2 approved, 4 failed.").waitFor();
  await page.getByText(`4 of them: ${message}`).waitFor();
  await page.getByText("4 selected").waitFor();
  expect(await page.locator("tbody input:checked").count()).toBe(4);
});
