import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard, settled, type Width } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

async function openShop() {
  const world = await people.world({ keys: [{ name: "Shop backend" }], partners: [{}, {}] });
  const shop = programFixture(world, sharedApi());
  const program = `/programs/${world.programId}`;
  const open = (at: string, width: Width = "laptop") =>
    openDashboard(newContext, { user: people.viewer, at: `${program}/${at}`, width });
  return { ...shop, program, open };
}

test("the list of API calls shows the response to each call, can be filtered, and leads to the sale of a call", async () => {
  const { api, world, open, program } = await openShop();
  const page = await open("events");
  await page.getByRole("link", { name: "Requests" }).click();
  await page.getByRole("heading", { name: "No calls yet" }).waitFor();
  await expectAccessible(page, ["light"]);
  const sale = { transaction_id: "t1", amount_cents: 4_900, customer_key: "u1" };
  await api.sale(sale, { key: world.key });
  await api.sale({ ...sale, amount_cents: 1 }, { key: world.key });
  await api.refund({ transaction_id: "unknown" }, { key: world.key, headers: { "x-request-id": "request-of-mine" } });
  const cells = (head: string) => page.locator(`tbody td[data-head="${head}"]`).allInnerTexts();
  await expect.poll(() => cells("Outcome")).toEqual(["Refused", "Conflict", "Not attributed"]);
  expect(await cells("Answer")).toEqual([
    "404, sale_not_found",
    "409, duplicate_transaction",
    "200, No matching customer",
  ]);
  expect((await cells("Request ID"))[0]).toBe("request-of-mine");
  expect(await cells("Key")).toEqual(Array(3).fill("Shop backend"));
  await expectAccessible(page);

  await page.getByLabel("Outcome").selectOption("conflict");
  await expect.poll(() => cells("Outcome")).toEqual(["Conflict"]);
  await page.getByLabel("Outcome").selectOption("");
  await page.getByLabel("Event").selectOption("Refund");
  await expect.poll(() => cells("Event")).toEqual(["Refund"]);
  await page.getByLabel("Search by transaction id").fill("nothing");
  await page.getByRole("heading", { name: "No matching calls" }).waitFor();
  await page.getByRole("button", { name: "Show all calls" }).click();
  await expect.poll(() => cells("Event")).toHaveLength(3);
  expect(await page.getByRole("link", { name: "unknown" }).count()).toBe(0);
  await page.getByRole("link", { name: "t1" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Sale t1" }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/app${program}/explain`);

  await page.goto(`/app${program}/explain?transactionId=unknown`);
  await page.getByRole("link", { name: "See the calls" }).click();
  await expect.poll(() => cells("Transaction")).toEqual(["unknown"]);
  await settled(page);
});

test("the list of API calls fits a phone", { tags: "soak" }, async () => {
  const { api, world, open } = await openShop();
  await api.sale({ transaction_id: "t".repeat(200), amount_cents: 1, customer_key: "u1" }, { key: world.key });
  const page = await open("events/requests", "phone");
  await page.locator("tbody tr").waitFor();
  await expectNoSidewaysScroll(page);
  await settled(page);
});
