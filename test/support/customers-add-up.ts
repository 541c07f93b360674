import { expect } from "vitest";
import type { Database } from "#store/database.ts";
import { readPerformance } from "#store/reports/performance.ts";
import { type CustomerView, firstCustomer, listCustomers } from "#store/views/customers.ts";
import type { World } from "../../harness/world.ts";

/** Reads all pages of the list of customers. Each page has at most `size` customers. */
export async function allCustomers(database: Database, world: World, size = 7): Promise<readonly CustomerView[]> {
  const book = { programId: world.programId, isTest: false };
  const rows: CustomerView[] = [];
  let after: typeof firstCustomer | undefined = firstCustomer;
  while (after !== undefined) {
    const page = await listCustomers(database, book, {}, { after, size });
    rows.push(...page.rows);
    after = page.next;
  }
  return rows;
}

/** Checks that the figures of all customers, with and without a partner, add up to the program's figures. */
export async function expectCustomersToAddUp(database: Database, world: World): Promise<void> {
  const listed = await allCustomers(database, world);
  expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
  const found = await world.rows(
    "select count(*) as n from customers where program_id = ? and is_test = 0",
    world.programId,
  );
  expect(listed.length).toBe(found[0]?.n);
  const sums = listed.flatMap((row) => row.sums ?? []);
  const days = { from: "0000-01-01", to: "9999-12-31" };
  for (const currency of new Set(["EUR", ...sums.map((sum) => sum.currency)])) {
    const ofCurrency = { days, since: days.from, partnerId: undefined, currency };
    const read = await readPerformance(database, { programId: world.programId, isTest: false }, ofCurrency);
    const expected = { sales: 0n, amountCents: 0n, refundedCents: 0n, commissionCents: 0n };
    for (const day of read.days) {
      expected.sales += day.salesInCurrency;
      expected.amountCents += day.revenueCents;
      expected.refundedCents += day.refundedCents;
      expected.commissionCents += day.commissionCents;
    }
    const actual = { sales: 0n, amountCents: 0n, refundedCents: 0n, commissionCents: 0n };
    for (const sum of sums.filter((each) => each.currency === currency && each.isAttributed === 1)) {
      actual.sales += BigInt(sum.sales);
      actual.amountCents += BigInt(sum.amountCents);
      actual.refundedCents += BigInt(sum.refundedCents);
      actual.commissionCents += BigInt(sum.commissionCents);
    }
    expect(actual).toEqual(expected);
  }
}
