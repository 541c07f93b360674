import { expect, it } from "vitest";
import type { Database } from "#store/database.ts";
import { payoutCandidates } from "#store/payout-lines.ts";
import { cutAt, insertRanges } from "#store/payout-ranges.ts";
import { partFields, readBalanceParts } from "#store/reports/balance-parts.ts";
import { laterChanges } from "#store/reports/partner-statement.ts";
import type { Statement } from "#store/statement.ts";
import { listCommissions } from "#store/views/commission-list.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { queryPlans } from "../support/query-plans.ts";

const own = isolatedDatabase({ engine: "sqld" });
const { scansIn, plansOf } = queryPlans(() => own.server.url);

it("by ranges of entry numbers, a payout finds the ledger entries that no live payout line has, and reads no ranges of earlier payouts", async () => {
  const of = { programId: 1, currency: "EUR" };
  const cut = cutAt({ ...of, until: 5 });
  const reads = [
    payoutCandidates({ ...of, cut: 10, partnerIds: null, payoutId: 1, leastCents: 5 }),
    insertRanges({ ...of, payoutId: 1, cut: 10 }),
    cut,
  ];
  expect(await scansIn(reads)).toEqual([]);
  expect(await plansOf(reads, /payout_ranges|^SEARCH r /)).toEqual([]);
  const gaps = await plansOf(reads, /^SEARCH g /);
  expect(gaps).toHaveLength(3);
  const ofPartner = "PRIMARY KEY (program_id=? AND currency=? AND partner_id=?";
  expect(gaps.every((plan) => plan.includes(ofPartner))).toBe(true);
  const lines = await plansOf(reads, /^SEARCH l USING PRIMARY KEY/);
  expect(lines.filter((plan) => plan.includes(ofPartner))).toHaveLength(2);
  const commissions = await plansOf(reads, /^SEARCH c .* commissions_/);
  const numbers = "payable_number>? AND payable_number<?";
  const ofPayout = `commissions_payable (program_id=? AND currency=? AND partner_id=? AND ${numbers})`;
  const ofCut = `commissions_numbers (program_id=? AND currency=? AND ${numbers})`;
  expect(commissions.map((plan) => [ofPayout, ofCut].find((range) => plan.includes(range)))).toEqual([ofPayout, ofCut]);
  expect(await plansOf([cut], /^SEARCH e USING .*ledger_entries_program \(program_id=\? AND rowid<\?\)/)).toHaveLength(
    4,
  );
  expect(await plansOf([cut], /partner_/)).toEqual([]);
});

it("the changes after a payment are read from the payment's own commissions, and only from entries made after the payment", async () => {
  const read = laterChanges({ payoutId: 1, partnerId: 1, last: 10 });
  expect(await scansIn([read])).toEqual([]);
  const steps = await plansOf([read], /^SEARCH [rcl] /);
  expect(steps.map((plan) => plan.slice(0, plan.indexOf(": ")))).toEqual([
    "SEARCH r USING INDEX payout_ranges_payout (payout_id=? AND partner_id=?)",
    expect.stringMatching(
      /commissions_payable \(program_id=\? AND currency=\? AND partner_id=\? AND payable_number>\? AND payable_number<\?\)$/,
    ),
    "SEARCH l USING INDEX ledger_entries_commission (commission_id=? AND <expr>>?)",
  ]);
});

it("the amounts that a partner's balance consists of are read from index ranges of this partner, without a table scan", async () => {
  const sent: Statement[] = [];
  const real = databaseAt(own.server.url);
  const read: Database["read"] = (statements) => {
    sent.push(...statements);
    return real.read(statements);
  };
  const database = { ...real, read, roundTrips: 0 };
  const account = { programId: 1, partnerId: 1, currency: "EUR" };
  const filter = { ...account, status: "approved", reason: undefined, days: undefined, narrowing: {} } as const;
  const page = { sort: "date", order: "desc", after: undefined, limit: 10 } as const;
  for (const field of partFields) {
    await readBalanceParts(database, account, field, 10);
    const isInPayout = field === "inPayout";
    await listCommissions(database, { programId: 1, isTest: false }, { ...filter, isInPayout }, page);
  }
  expect(sent).toHaveLength(12);
  expect(await scansIn(sent)).toEqual([]);
  const ranges = await plansOf(
    sent,
    /commissions_payable|ledger_entries_partner|PRIMARY KEY \(program_id=\? AND currency/,
  );
  expect(ranges.every((plan) => /partner_id=\?/.test(plan.slice(0, plan.indexOf(": "))))).toBe(true);
});
