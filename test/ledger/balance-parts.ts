import { expect } from "vitest";
import type { Database } from "#store/database.ts";
import { type PartField, partFields, readBalanceParts } from "#store/reports/balance-parts.ts";
import { readPartnerPerformance } from "#store/reports/partner-performance.ts";
import { readBalances } from "#store/views/balance-totals.ts";
import { listCommissions } from "#store/views/commission-list.ts";
import type { World } from "../../harness/world.ts";

const currency = "EUR";
const limit = 100;

const sum = (amounts: readonly (number | bigint)[]): number =>
  amounts.reduce<number>((all, each) => all + Number(each), 0);

/**
 * Checks that each sum over partners is the sum of its list, which has no zeros, and that each partner's amount is the
 * sum of its commissions and entries. `hasReturned` is true if a line of the partner was given back. An earlier refund
 * may then have been deducted already, so the rest may differ from 0.
 */
export async function expectParts(
  database: Database,
  { programId, partners }: World,
  hasReturned: boolean,
): Promise<void> {
  for (const sort of ["payable", "pending", "inPayout", "carried"] as const) {
    const list = { programId, currency, sort, isNonzero: true, after: undefined, limit };
    const { found, totals } = await readBalances(database, list, { timezone: "UTC", at: 0 });
    const amounts = found.map((each) => (sort === "carried" ? each.payableCents : each[`${sort}Cents`]));
    expect(sum(amounts), sort).toBe(totals[0]?.[`${sort}Cents`] ?? 0);
    expect(amounts).not.toContain(0n);
  }
  const days = { from: "0000-01-01", to: "9999-12-31" };
  const all = {
    days,
    currency,
    search: { text: "", inEmail: true },
    order: "desc",
    hidesZeros: true,
    limit,
    offset: 0,
  } as const;
  for (const sort of ["revenue", "commission", "unpaid"] as const) {
    const { rows, total, totals } = await readPartnerPerformance(
      database,
      { programId, isTest: false },
      { ...all, sort },
    );
    const amounts = rows.map((row) => row[`${sort}Cents`]);
    expect([total, sum(amounts)], sort).toEqual([rows.length, Number(totals[`${sort}Cents`])]);
    expect(amounts).not.toContain(0n);
  }
  for (const { id: partnerId } of partners) {
    for (const field of partFields) await expectPartsOf(database, { programId, partnerId, field }, hasReturned);
  }
}

interface Of {
  readonly programId: number;
  readonly partnerId: number;
  readonly field: PartField;
}

async function expectPartsOf(database: Database, { programId, partnerId, field }: Of, hasReturned: boolean) {
  const { balance, sums, entries } = await readBalanceParts(database, { programId, partnerId, currency }, field, limit);
  const isInPayout = field === "inPayout";
  const of = { status: "approved", partnerId, currency, isInPayout } as const;
  const filter = { ...of, reason: undefined, days: undefined, narrowing: {} };
  const page = { sort: "date", order: "desc", after: undefined, limit } as const;
  const listed = await listCommissions(database, { programId, isTest: false }, filter, page);
  expect(sums?.commissions).toBe(listed.length);
  expect(Number(sums?.amountCents)).toBe(sum(listed.map(({ amountCents }) => amountCents)));
  expect(listed.every(({ inPayout, status }) => inPayout === isInPayout && status === "approved")).toBe(true);
  // A later refund or its cancellation changes a commission in a payout, but not the payout.
  if (isInPayout) expect(Number(sums?.countedCents)).toBeLessThanOrEqual(Number(sums?.initialCents));
  if (isInPayout || hasReturned) return;
  const rows = sum([sums?.amountCents ?? 0, ...entries.map(({ amountCents }) => amountCents)]);
  expect(rows, `${field} of partner ${partnerId}`).toBe(Number(balance?.payableCents ?? 0));
}
