import type { Page } from "playwright-core";
import { test } from "vitest";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { at, daysAgo, inTestMode, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectNothingCut } from "./nothing-cut.ts";
import { openDashboard, pagesOf, settled, themes } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();
const widths = sampled([390, 1440, 1024, 1920], 2);

const longName =
  "The Honourable Society of Extraordinarily Long Names in Northern Outdoor and Mountaineering Affiliate Marketing";
const longId = (start: string) => start.padEnd(100, "0123456789");
const manyDigits = 99_999_999_999;

async function sell() {
  const world = await people.world({
    program: { name: longName, timezone: "America/Argentina/Buenos_Aires" },
    partners: [
      { name: longName, code: longId("L").slice(0, 64) },
      { name: "متجر المعدات الجبلية والرحلات الطويلة في الشرق الأوسط" },
      { name: "東京アウトドア用品専門店株式会社" },
    ],
  });
  const shop = programFixture(world, sharedApi());
  for (const [i, partner] of world.partners.entries()) {
    const customer_key = longId(`customer-${i}-`);
    const affiliate_url = `${partner.landingUrl}&utm_campaign=${"a".repeat(100)}`;
    const { click_id } = await shop.visit({
      affiliate_url,
      page_url: `https://shop.example/${"long-words/".repeat(12)}`,
      referrer_url: `https://${"sub.".repeat(20)}example.org/`,
    });
    await shop.lead({ customer_key, click_id });
    const sold = { customer_key, amount_cents: manyDigits };
    await shop.sale({ ...sold, transaction_id: longId(`euros-${i}-`) });
    await shop.sale({ ...sold, transaction_id: longId(`dollars-${i}-`), currency: "USD" });
    await shop.refund({ transaction_id: longId(`dollars-${i}-`), refund_id: longId("refund-") });
    await shop.sale({ customer_key, transaction_id: `early-${i}`, occurred_at: at(daysAgo(9)) });
  }
  await shop.sale({ customer_key: longId("nobody-"), transaction_id: longId("organic-"), ...inTestMode });
  return { world, transactionId: longId("dollars-0-") };
}

async function expectNothingCutAtEachWidth(page: Page, where: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of sampled(themes)) {
      await page.emulateMedia({ colorScheme });
      await expectNothingCut(page, `${where} at ${width} px, ${colorScheme}`);
    }
  }
}

test("no page cuts off content at any width, with long names, ids and amounts", { tags: "soak" }, async () => {
  const { world, transactionId } = await sell();
  const page = await openDashboard(newContext, { user: people.owner, at: `/programs/${world.programId}` });
  const inside = `/programs/${world.programId}`;
  const others = [`${inside}/explain?transactionId=${transactionId}`, `${inside}/search?q=${transactionId}`];
  for (const path of [...(await pagesOf(page)), ...others]) {
    await page.goto(`/app${path}`);
    await settled(page);
    await expectNothingCutAtEachWidth(page, path);
  }
});

test("no dialog cuts off its content", { tags: "soak" }, async () => {
  const { world } = await sell();
  const at = `/programs/${world.programId}/settings?section=members`;
  const page = await openDashboard(newContext, { user: people.owner, at });
  await page.getByRole("button", { name: "Invite member" }).click();
  await page.getByLabel("Email").fill(`${"long.".repeat(10)}name@${"example.".repeat(20)}com`);
  await page.getByRole("dialog").getByRole("button", { name: "Create invite link" }).click();
  await page.getByRole("button", { name: /^Copy/ }).waitFor();
  await expectNothingCutAtEachWidth(page, "an invitation");
});
