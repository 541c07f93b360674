import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { partnerSide } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi, sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const bank = (account: string) => ({ method: "bank", account, holder: "A. Larsson" });

/** The parts of Ben's email address between which it may break, each with its number of lines. */
const partsOfAddress = `[...document.querySelectorAll('td[data-head="Paid to"]')]
  .filter(({ textContent }) => textContent.startsWith("benjamin"))
  .flatMap((cell) => [...(cell.querySelector("wbr")?.parentNode ?? cell).childNodes])
  .filter(({ textContent }) => textContent !== "")
  .map((part) => {
    const range = document.createRange();
    range.selectNode(part);
    return [part.textContent, new Set([...range.getClientRects()].map(({ top }) => top)).size];
  })`;

test("a payout draft shows where each line is paid, which payment details changed, and which partners can't be paid yet", {
  tags: "soak",
}, async () => {
  const shop = await payoutsFixture(people, { partners: [{ name: "Anna" }, { name: "Ben" }, { name: "Cleo" }] });
  const { programId, partners } = shop.world;
  const cleo = partners[2] ?? shop.bob;
  const setPayment = async (details: object) => {
    const path = `/api/programs/${programId}/partners/${shop.alice.id}/payment`;
    expect((await people.owner.put(path, { ...details })).status).toBe(200);
  };
  await setPayment(bank("NL91ABNA0417164300"));
  await setPayment(bank("DE89370400440532013000"));
  await shop.setEmail(shop.bob.id, "benjamin.b@partner.example");
  await shop.setEmail(cleo.id, null);
  await shop.earn(980);
  await shop.earn(300, { partner: shop.bob });
  await shop.earn(500, { partner: cleo });
  const { id, reference } = (await shop.create()).body.data;
  const page = await openDashboard(newContext, { user: people.admin, at: `/programs/${programId}/payouts/${id}` });
  const row = (name: string) => page.getByRole("table", { name: "Lines" }).getByRole("row").filter({ hasText: name });
  await row("Anna").getByText("Bank transfer …3000").waitFor();
  await row("Anna").getByText("before: Bank transfer …4300").waitFor();
  await row("Ben").getByText("benjamin.b@partner.example").waitFor();
  await page.setViewportSize({ width: 768, height: 900 });
  expect(await page.evaluate<[string, number][]>(partsOfAddress)).toEqual([
    ["benjamin.b", 1],
    ["@", 1],
    ["partner.example", 1],
  ]);
  await row("Cleo").getByText("No email address").waitFor();
  await page.getByText("No way to pay: 1 partner, €5.00").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Leave out" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reference").fill(reference);
  await dialog.getByRole("button", { name: "Create new draft" }).click();
  await dialog.getByText("Another payout has this reference. Enter a new one.").waitFor();
  await dialog.getByLabel("Reference").fill("Autumn, without Cleo");
  await dialog.getByRole("button", { name: "Create new draft" }).click();
  await page.getByText("Created a new draft without them").waitFor();
  await page.getByRole("heading", { name: "Autumn, without Cleo" }).waitFor();
  await row("Ben").waitFor();
  expect(await page.getByText("No way to pay").count()).toBe(0);
  const leftOut = page.getByRole("table", { name: "Left out" }).getByRole("row", { name: "Cleo" });
  await leftOut.getByText("Not part of this draft. The amount is left for a later payout.").waitFor();
  const seen = await openDashboard(newContext, { user: people.viewer, at: `/programs/${programId}/payouts/${id}` });
  await seen.getByRole("table", { name: "Lines" }).waitFor();
  expect(await seen.getByText(/3000|4300|benjamin|No way to pay/).count()).toBe(0);
});

test("the to-do list links to a partner whose payment details changed", { tags: "soak" }, async () => {
  const shop = await payoutsFixture(people, { partners: [{ name: "Anna" }, { name: "Ben" }] });
  const { programId } = shop.world;
  for (const name of ["anna", "anna.b"]) await shop.setEmail(shop.alice.id, `${name}@partner.example`);
  await shop.earn(980);
  const page = await openDashboard(newContext, { user: people.admin, at: `/programs/${programId}/overview` });
  await page
    .getByRole("listitem")
    .filter({ hasText: "1 partner changed where they are paid" })
    .getByRole("link", { name: /^Check/ })
    .click();
  await page.getByText("If the partner confirms the change, include their line").waitFor();
  await settled(page);
  const isInSight = `(() => {
    const { top, bottom } = [...document.querySelectorAll("h2")]
      .find(({ innerText }) => innerText === "Payment details").getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`;
  await expect.poll(() => page.evaluate<boolean>(isInSight)).toBe(true);
});

test("a paid partner sees the amount paid so far, and the amount waiting in another currency", {
  tags: "soak",
}, async () => {
  const shop = await payoutsFixture(people, { partners: [{ name: "Anna" }, { name: "Ben" }] });
  await shop.earn(980);
  const { id } = (await shop.create()).body.data;
  await shop.confirm(id);
  const anna = await sharedUser();
  const at = (await partnerSide(shop.world, anna, shop.alice.id)).replace("/api/partner", "");
  const page = await openDashboard(newContext, { user: anna, app: "partner", at, width: "phone" });
  const next = page.getByRole("region", { name: "Next payout" });
  await next.getByText("€9.80 paid so far. What you earn next is paid after its hold period.").waitFor();
  await shop.earn(450, { currency: "USD" });
  await page.reload();
  await next.getByText("and $4.50").waitFor();
});

test("a partner reads the earliest day on which the hold of a commission ends", { tags: "soak" }, async () => {
  const shop = salesFixture(programFixture(await people.world({ partners: [{ name: "Anna" }, {}] }), sharedApi()));
  await shop.browserLead({ customer_key: "c1", click_id: shop.click(shop.alice) });
  await shop.sell({ transaction_id: "one", amount_cents: 10_000 });
  const anna = await sharedUser();
  const at = (await partnerSide(shop.world, anna, shop.alice.id)).replace("/api/partner", "");
  const page = await openDashboard(newContext, { user: anna, app: "partner", at: `${at}/commissions` });
  await page
    .getByText(/until .+ at the earliest/)
    .first()
    .waitFor();
});
