import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { World } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { daysAgo, programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { openDashboard, settled } from "./support.ts";

// Verifies the pages' answers to questions that owners ask every day. Each answer takes at most two steps from the
// Overview page. A click or a search is a step.

const newContext = isolatedBrowser();
const people = usersOfFile();
/** Only the narrowest widths, because a wider window shows more. */
const widths = [390, 1024];
const maxSteps = 2;
let world: World;

beforeAll(async () => {
  world = await people.world({
    partners: [{ name: "Alpine Weekly" }, { name: "Basecamp Notes" }],
    program: { attributionWindowDays: 7, timezone: "UTC" },
    policies: [{ holdDays: 0, rateBps: 2_000 }],
  });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.visit({ affiliate_url: shop.alice.landingUrl });
  await shop.refer("c1");
  await shop.sell({ transaction_id: "order-1", amount_cents: 100_000 });
  await shop.sell({ transaction_id: "order-late", click_id: shop.click(shop.bob, daysAgo(20)) });
  const policy = { type: "flat", amountCents: 1_050, scope: "lifetime" };
  const { status, text } = await people.owner.put(`/api/programs/${world.programId}/commission-policy`, policy);
  expect(status, text).toBe(200);
});

interface Owner {
  readonly page: Page;
  readonly question: string;
  steps: number;
}

async function click(owner: Owner, target: Locator): Promise<void> {
  await target.click();
  owner.steps += 1;
}

async function search(owner: Owner, text: string): Promise<void> {
  const field = owner.page.getByRole("searchbox", { name: "Search orders, customers and partners" });
  await field.fill(text);
  await field.press("Enter");
  owner.steps += 1;
}

const link = ({ page }: Owner, name: string) =>
  page.getByRole("navigation", { name: "Program" }).getByRole("link", { name });
const row = ({ page }: Owner, name: string) => page.getByRole("row").filter({ hasText: name });

/** Checks that the answer is in the window after scrolling down at most, and that nothing covers it. */
async function expectInSight(owner: Owner, answer: Locator): Promise<void> {
  await answer.waitFor();
  await settled(owner.page);
  const isInSight = await answer.evaluate((element) => {
    const document = element.ownerDocument;
    document.documentElement.scrollTop += element.getBoundingClientRect().top - 400;
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const at = (x: number) => element.contains(document.elementFromPoint(x, (top + bottom) / 2));
    return at(left + 2) && at(right - 2);
  });
  expect(isInSight, owner.question).toBe(true);
  expect(owner.steps, owner.question).toBeLessThanOrEqual(maxSteps);
}

const questions: readonly (readonly [question: string, answer: (owner: Owner) => Promise<void>])[] = [
  [
    "What did partners bring?",
    async (owner) => {
      const top = owner.page.getByRole("table", { name: "Top partners by revenue" });
      await expectInSight(owner, top.getByRole("row").filter({ hasText: "Alpine Weekly" }).getByText("€1,000.00"));
    },
  ],
  [
    "Who earns what?",
    async (owner) => {
      await click(owner, link(owner, "Partners"));
      await expectInSight(owner, row(owner, "Alpine Weekly").getByText("€200.00").first());
    },
  ],
  [
    "What do I owe now?",
    async (owner) => {
      await click(owner, link(owner, "Payouts"));
      const total = owner.page.getByRole("definition").first().getByText("€200.00");
      await expectInSight(owner, total);
      await expectInSight(owner, row(owner, "Alpine Weekly").getByText("€200.00").first());
    },
  ],
  [
    "Why did this order earn nothing?",
    async (owner) => {
      await search(owner, "order-late");
      await expectInSight(
        owner,
        owner.page.getByText("the click was 20 days old, and the attribution window was 7 days"),
      );
    },
  ],
  [
    "Who changed the policy?",
    async (owner) => {
      await click(owner, link(owner, "Settings"));
      await click(owner, owner.page.getByRole("link", { name: "Commission", exact: true }));
      const change = row(owner, "€10.50").filter({ hasText: "Was 20%" });
      await expectInSight(owner, change.getByText("owner", { exact: true }));
      await expectInSight(owner, change.getByRole("time"));
    },
  ],
  [
    "What did partners earn last month, for accounting?",
    async (owner) => {
      const { page } = owner;
      await click(owner, link(owner, "Commissions"));
      const now = new Date();
      const lastMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0));
      const name = lastMonth.toLocaleDateString("en", { month: "long", timeZone: "UTC" });
      const file = page.waitForEvent("download");
      await click(owner, page.getByRole("button", { name: `Export ${name}` }));
      expect((await file).suggestedFilename()).toContain(lastMonth.toISOString().slice(0, 7));
      expect(owner.steps, owner.question).toBeLessThanOrEqual(maxSteps);
    },
  ],
];

test.each(sampled(widths))(
  "the dashboard answers each of an owner's questions in at most two steps at %i px",
  { tags: "soak" },
  async (width) => {
    const at = `/programs/${world.programId}/overview`;
    const page = await openDashboard(newContext, { user: people.owner, at, ...(width === 390 && { width: "phone" }) });
    await page.setViewportSize({ width, height: 900 });
    for (const [question, answer] of questions) {
      await page.goto(`/app${at}`);
      await settled(page);
      await answer({ page, question, steps: 0 });
    }
  },
);
