import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { customersShop, type ImportedRow } from "../support/customers-shop.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const staff = usersOfFile();
const runs = Number(process.env.IMPORT_RUNS ?? 3);

const keys = ["a", "b", "c", "d"] as const;
const key = fc.constantFrom(...keys);
const days = fc.integer({ min: 1, max: 39 });

/** An event before the import: a sale, a refund, or a lead with a click of Alice or Bob. */
const event = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ is: fc.constant("sale" as const), key, days, cents: fc.integer({ min: 1, max: 99_999 }) }),
  },
  fc.record({ is: fc.constantFrom("lead" as const, "browserLead" as const), key, days, isBobs: fc.boolean() }),
  fc.record({ is: fc.constant("refund" as const), of: fc.nat(5), share: fc.integer({ min: 1, max: 3 }) }),
);

/** One row for each customer, because the result of two rows about one customer depends on their order. */
const row = (customer_key: string) =>
  fc.record({
    customer_key: fc.constant(customer_key),
    isBobs: fc.boolean(),
    since: fc.option(days),
    pay_past: fc.boolean(),
    first_sale_at: fc.option(fc.integer({ min: 1, max: 500 })),
    subscription_id: fc.option(fc.constantFrom("s", customer_key)),
  });

const history = fc.record({
  scope: fc.constantFrom("one_time" as const, "recurring" as const, "lifetime" as const),
  events: fc.array(event, { maxLength: 12 }),
  rows: fc.tuple(...keys.map(row)),
  order: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
  cuts: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

async function shopAfter({ scope, events }: History) {
  const durationMonths = scope === "recurring" ? 6 : null;
  const shop = await customersShop(staff, { policies: [{ rateBps: 2_000, scope, durationMonths }] });
  const { alice, bob, world } = shop;
  const sold: { readonly transaction_id: string; readonly cents: number }[] = [];
  for (const [n, each] of events.entries()) {
    if (each.is === "sale") {
      const sale = { transaction_id: `t${n}`, customer_key: each.key, occurred_at: at(daysAgo(each.days)) };
      await shop.sale({ ...sale, amount_cents: each.cents });
      sold.push({ transaction_id: sale.transaction_id, cents: each.cents });
    } else if (each.is === "refund") {
      const of = sold[each.of];
      const refund_amount_cents = of && Math.max(1, Math.floor(of.cents / each.share));
      if (of)
        await shop.api.refund(
          { transaction_id: of.transaction_id, refund_id: `r${n}`, refund_amount_cents: refund_amount_cents ?? 1 },
          { key: world.key },
        );
    } else {
      const click_id = shop.click(each.isBobs ? bob : alice, daysAgo(each.days + 0.5));
      await shop[each.is]({
        customer_key: each.key,
        click_id,
        ...(each.is === "lead" && { occurred_at: at(daysAgo(each.days)) }),
      });
    }
  }
  const rowsOf = (wanted: History["rows"]): JsonObject[] =>
    wanted.map(({ isBobs, since, first_sale_at, ...each }) => ({
      ...each,
      partner_code: isBobs ? bob.code : alice.code,
      since: since === null ? "" : at(daysAgo(since)),
      first_sale_at: first_sale_at === null ? "" : at(daysAgo(first_sale_at)),
    }));
  const codeOf = new Map([
    [alice.id, "alice"],
    [bob.id, "bob"],
  ]);
  /** The partner and commission of each sale, and the partner of each customer. */
  const books = async () => {
    const sales = await world.rows(
      "select s.transaction_id as t, c.partner_id as partner, c.source, c.status, c.amount_cents as cents from sales s join commissions c on c.sale_id = s.id where s.program_id = ? order by 1",
      world.programId,
    );
    const customers = await world.rows(
      "select customer_key as k, partner_id as partner, source, first_attributed_sale_at, imported_first_sale_at, imported_subscription_id from customers where program_id = ? and customer_key is not null order by 1",
      world.programId,
    );
    return [...sales, ...customers].map((found) => ({ ...found, partner: codeOf.get(Number(found.partner)) }));
  };
  return { ...shop, rowsOf, books };
}

const told = (rows: readonly ImportedRow[]) =>
  rows.map(({ result, code, field, effects, warnings }) => ({ result, code, field, effects, warnings }));

test("a dry run responds like the import, and splitting, reordering or repeating the rows doesn't change the result", async () => {
  await fc.assert(
    fc.asyncProperty(history, async (made) => {
      await staff.renew();
      const [whole, split] = [await shopAfter(made), await shopAfter(made)];
      expect(await split.books()).toEqual(await whole.books());
      const all = whole.rowsOf(made.rows);
      const before = await whole.books();
      const checked = told(await whole.run(all, { dryRun: true }));
      expect(await whole.books()).toEqual(before);
      expect(told(await whole.run(all))).toEqual(checked);

      const ordered = made.order.map((i) => split.rowsOf(made.rows)[i] ?? {});
      const calls: JsonObject[][] = [[]];
      for (const [i, each] of ordered.entries()) {
        if (i > 0 && made.cuts[i - 1]) calls.push([]);
        calls.at(-1)?.push(each);
      }
      for (const rows of [...calls, ...calls]) await split.run(rows);
      const isContested = made.rows.filter(({ subscription_id }) => subscription_id === "s").length > 1;
      if (!isContested) expect(await split.books()).toEqual(await whole.books());
      expect(
        told(await split.run(ordered)).filter(({ result }) => result === "created" || result === "updated"),
      ).toEqual([]);
    }),
    { numRuns: runs },
  );
});
