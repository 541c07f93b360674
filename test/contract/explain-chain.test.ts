import { expect, it } from "vitest";
import type { Explanation } from "#api/explain/reply.ts";
import { explained } from "../support/explain.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { allAtOnce, createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

async function pagesOf(shop: SalesFixture, query: Record<string, string>): Promise<Explanation[]> {
  const pages = [await explained(shop, query)];
  for (let cursor = pages[0]?.next_cursor; cursor; cursor = pages.at(-1)?.next_cursor) {
    pages.push(await explained(shop, { ...query, cursor }));
  }
  return pages;
}

it("the explanation of a history of 250 events has pages of 100, oldest first, each event once", {
  tags: "soak",
}, async () => {
  const shop = await createSalesFixture();
  const clicks = Array.from({ length: 40 }, (_, i) => shop.click(shop.alice, daysAgo(50 - i)));
  for (const half of [clicks.slice(0, 20), clicks.slice(20)]) {
    await shop.lead({ customer_key: "c1", click_ids: half, occurred_at: at(daysAgo(10)) });
  }
  // Several events have the same instant, so a page can end between them.
  await allAtOnce(150, (i) => shop.sell({ transaction_id: `t${i}`, occurred_at: at(daysAgo(9 - Math.floor(i / 50))) }));
  await allAtOnce(59, (i) =>
    shop.giveBack(`t${i}`, { refund_id: "r", occurred_at: at(daysAgo(9 - Math.floor(i / 50))) }),
  );

  const pages = await pagesOf(shop, { customer_key: "c1" });
  expect(pages.map(({ events }) => events.length)).toEqual([100, 100, 50]);
  const events = pages.flatMap((page) => page.events);
  const names = events.map(({ type, id }) => `${type} ${id}`);
  expect(new Set(names).size).toBe(250);
  const instants = events.map(({ occurred_at }) => occurred_at);
  expect(instants).toEqual(instants.toSorted());
  expect(events.slice(0, 41).map(({ type }) => type)).toEqual([...Array(40).fill("click"), "lead"]);
  const { events: _, next_cursor: __, ...first } = pages[0] ?? expect.unreachable();
  expect(first.verdict).toMatchObject({ sales: 150, commission_cents: 91 * 200, currency: "EUR", status: null });
  for (const page of pages) expect(page).toMatchObject(first);
});

it("the explanation of a sale with more than 100 refunds lists 100 ledger entries, and its calculation still ends with the commission", async () => {
  const shop = await createSalesFixture({ policies: [{ rateBps: 5_000 }] });
  await shop.refer("c1");
  const { body: sale } = await shop.sell({ transaction_id: "t", amount_cents: 10_000 });
  await allAtOnce(120, (i) => shop.giveBack("t", { refund_id: `r${i}`, refund_amount_cents: 10 }));
  const pages = await pagesOf(shop, { transaction_id: "t" });
  expect(pages.map(({ events }) => events.length)).toEqual([100, 23]);
  for (const { commission } of pages) {
    expect(commission).toMatchObject({ id: sale.commission_id, more_entries: 21 });
    expect(commission?.entries).toHaveLength(100);
    expect(commission?.calculation.slice(-2)).toEqual([
      { step: "refund", text: expect.stringMatching(/^€0\.05 less for refund "r\d+"$/), cents: 4_505, currency: "EUR" },
      { step: "refund", text: "€1.05 less for further refunds", cents: 4_400, currency: "EUR" },
    ]);
  }
});

it("the explanation of a click sent for several customers lists every sale it attributed, with or without a commission", async () => {
  const shop = await createSalesFixture();
  const clickOf = (days: number) => shop.click(shop.alice, daysAgo(days));
  const [shared, newer, expired] = [clickOf(3), clickOf(1), clickOf(63)];
  for (const customer_key of ["c1", "c2"]) await shop.lead({ customer_key, click_id: shared });
  await shop.lead({ customer_key: "c3", click_ids: [shared, newer] });
  for (const customer_key of ["c1", "c2", "c3"]) await shop.sell({ customer_key });
  await shop.sell({ customer_key: "c4", click_id: expired });
  const sumsOf = async (click_id: string) => {
    const { verdict, events } = await explained(shop, { click_id });
    const [sum, ...others] = verdict.sums;
    expect(others).toEqual([]);
    return [sum?.sales, sum?.attributed_sales, events.filter(({ type }) => type === "click").length];
  };
  expect(await sumsOf(shared)).toEqual([2, 2, 1]);
  expect(await sumsOf(newer)).toEqual([1, 1, 1]);
  expect(await sumsOf(expired)).toEqual([1, 0, 1]);
});
