import { expect, it } from "vitest";
import { eventKinds } from "#domain/event-page.ts";
import type { Database } from "#store/database.ts";
import {
  adjustmentsOfReferences,
  linksOfNamed,
  partnersNamed,
  partnersOfAddresses,
  partnersOfCodes,
} from "#store/imports.ts";
import { firstKeyOf } from "#store/keys.ts";
import { partnerOfExternalId } from "#store/partners.ts";
import { readEvents } from "#store/reports/events.ts";
import { readExplainFacts } from "#store/reports/explain.ts";
import { explainKeys } from "#store/reports/explain-chain.ts";
import { idsOfPrefix } from "#store/reports/id-prefixes.ts";
import { readLinkFigures } from "#store/reports/link-figures.ts";
import type { Narrowing } from "#store/reports/narrowing.ts";
import { readOverview } from "#store/reports/overview.ts";
import { partnerSorts, readPartnerPerformance, sortOrders } from "#store/reports/partner-performance.ts";
import {
  allEntries,
  readStatementEntries,
  readStatementHead,
  readStatementStart,
} from "#store/reports/partner-statement.ts";
import { readTrackRecords } from "#store/reports/track-records.ts";
import { earlierPayment, stepSizes } from "#store/sales.ts";
import type { Statement } from "#store/statement.ts";
import { readBalances } from "#store/views/balance-totals.ts";
import { balanceSorts } from "#store/views/balances.ts";
import { commissionOrders, commissionSorts } from "#store/views/commission-filter.ts";
import { listCommissions } from "#store/views/commission-list.ts";
import { readCommissionTotals } from "#store/views/commission-totals.ts";
import { findCorrectableSale } from "#store/views/correctable-sale.ts";
import { listAcceptedTerms, readOwnData } from "#store/views/own-data.ts";
import { findPartnerWithBalances, listPartners } from "#store/views/partners.ts";
import { policyOfNewcomer, policyWithStep } from "#store/views/policy-now.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { queryPlans } from "../support/query-plans.ts";

const own = isolatedDatabase({ engine: "sqld" });
const { scansIn, plansOf } = queryPlans(() => own.server.url);

it("no statement of a tracking call or of maintenance scans a table", async () => {
  const world = await createWorld(own.server.url, { partners: [{}, {}], policies: [{ scope: "one_time" }] });
  const { ledger, sent } = notingLedger();
  const { lead, sale, refund, click, maintain, pending } = callsOf(world, ledger);
  const [alice, bob] = world.partners;
  if (alice === undefined || bob === undefined) throw new Error("a program has two partners");

  const shown = click(bob, daysAgo(3));
  await lead("browser", [click(bob, daysAgo(30))]);
  await lead("browser", [click(bob, daysAgo(90))], "c2");
  const nameless = { customerKey: null, clicks: [shown], clickId: shown.clickId, sentClickId: true };
  await sale("nameless", daysAgo(1), nameless);
  await sale("subscribed", daysAgo(1), { subscriptionId: "sub" });
  await sale("renewed", daysAgo(1), { customerKey: null, subscriptionId: "sub", isRecurring: "auto" });
  for (let i = 0; i < stepSizes.many.sales; i += 1) await sale(`t${i}`, daysAgo(20, i * 1_000));
  await refund("t0", "amount", { refundId: "r", cents: 10 });
  await refund("t0", "cancel", { refundId: "r" });
  await lead("key", [click(alice, daysAgo(25))]);
  expect(await pending()).toBe(1);
  await sale("meanwhile", daysAgo(0));
  await maintain();
  await lead("key", [shown], "c3");

  expect(sent.size).toBeGreaterThan(30);
  expect(await scansIn([...sent.values()])).toEqual([]);
});

it("the query for an earlier payment of a subscription reads the end of an index range", async () => {
  const sent = [earlierPayment({ programId: 1, isTest: false, subscriptionId: "s", occurredAt: 1 })];
  expect(await scansIn(sent)).toEqual([]);
  const range = "(program_id=? AND is_test=? AND subscription_id=? AND occurred_at<?)";
  expect(await plansOf(sent, /^SEARCH s /)).toEqual([expect.stringContaining(`INDEX sales_subscription ${range}`)]);
  expect(await plansOf(sent, /TEMP B-TREE/)).toEqual([]);
});

it("no statement of a correction scans a table", async () => {
  const world = await createWorld(own.server.url, { partners: [{}], policies: [{ scope: "one_time" }] });
  const { ledger, sent } = notingLedger();
  const { lead, sale, refund, click } = callsOf(world, ledger);
  await lead("key", [click(world.partner, daysAgo(9))]);
  await sale("t", daysAgo(2));
  for (let i = 0; i < 25; i += 1) await refund("t", "amount", { refundId: `r${i}`, cents: 1, reason: "damaged" });
  const at = daysAgo(0);
  const [row] = await world.rows("select id from sales where program_id = ?", world.programId);
  const { database, sent: found } = noted();
  const correctable = await findCorrectableSale(database, world.programId, Number(row?.id));
  if (correctable === undefined) throw new Error("the sale is there");
  sent.clear();
  const member = { operationId: "correction", at, programId: world.programId, actorId: "someone", clicks: [] };
  const { outcome } = ledger.submit(
    ledger.changeTask(
      {
        ...{ ...member, ...correctable, kind: "correct-sale", reason: "r", isDryRun: false },
        changes: { occurredAt: daysAgo(1) },
      },
      at,
    ),
  );
  expect(await outcome).toMatchObject({ ok: true });
  for (const text of ["json_group_array", "o.reason"]) {
    expect([...sent.keys()]).toContainEqual(expect.stringContaining(text));
  }
  expect(await scansIn([...found, ...sent.values()])).toEqual([]);
  const firsts = [...sent.values()].filter(
    ({ sql }) => sql.includes('s.customer_id = "customers"."id"') && !sql.includes("commission_signals"),
  );
  expect(firsts).toHaveLength(1);
  expect(await plansOf(firsts, / s USING/)).toEqual(
    [1, 2, 3].map(() =>
      expect.stringMatching(/^SEARCH s USING INDEX sales_customer \(customer_id=\? AND occurred_at>\?\)/),
    ),
  );
  expect(await plansOf(firsts, /TEMP B-TREE/)).toEqual([]);
});

it.each([...explainKeys, "refund"] as const)("no statement of an explanation by its %s scans a table", async (of) => {
  const by = of === "refund" ? "transaction" : of;
  const world = await createWorld(own.server.url);
  const { database, sent } = noted();
  const key = by === "click" || by === "customer" || by === "transaction" ? "some" : 1;
  await readExplainFacts(database, {
    ...{ programId: world.programId, isTest: false, by, key },
    ...{ refundId: of === "refund" ? "r" : undefined, after: undefined },
  });
  expect(sent.length).toBeGreaterThan(10);
  expect(await scansIn(sent)).toEqual([]);
  const ofSales = sent.filter((statement) => statement.sql.includes('"sales"."sale_type"'));
  expect(ofSales).toHaveLength(1);
  if (of === "customer" || of === "lead") expect(await plansOf(ofSales, /TEMP B-TREE/)).toEqual([]);
});

const narrowings: readonly Narrowing[] = [
  {},
  { saleId: 1 },
  { commissionId: 1 },
  { transactionId: "t" },
  { customerKey: "c" },
  { saleId: 1, customerKey: "c" },
];

it.each(sampled(narrowings, 2))(
  "no statement of a list of events or commissions scans a table: %o",
  async (narrowing) => {
    const book = { programId: 1, isTest: false };
    const { database, sent } = noted();
    const days = { from: "0000-01-01", to: "9999-12-31" };
    const common = { partnerId: undefined, narrowing, after: undefined, limit: 10 };
    await readEvents(database, { books: [book], kinds: eventKinds, days, ...common });
    const events = sent.length;
    expect(events).toBe(Object.keys(narrowing).length === 0 ? 5 : 8);
    const noFilter = { partnerId: undefined, currency: undefined, reason: undefined, narrowing };
    for (const status of [undefined, "paid", "void"] as const) {
      for (const sort of ["created", "date", "amount"] as const) {
        for (const order of commissionOrders) {
          const page = { sort, order, after: undefined, limit: 10 };
          await listCommissions(database, book, { ...noFilter, status, days: undefined }, page);
          await listCommissions(database, book, { ...noFilter, status, days }, page);
        }
      }
    }
    expect(sent).toHaveLength(events + 36);
    expect(await scansIn(sent)).toEqual([]);
  },
);

it.each(sampled(narrowings, 2))(
  "no statement of a list of a payout's commissions scans a table: %o",
  async (narrowing) => {
    const book = { programId: 1, isTest: false };
    const { database, sent } = noted();
    const common = { payoutId: 1, currency: undefined, reason: undefined, status: undefined, narrowing };
    const page = { order: "desc", after: undefined, limit: 10 } as const;
    for (const days of [undefined, { from: "0000-01-01", to: "9999-12-31" }]) {
      for (const partnerId of [undefined, 1]) {
        for (const sort of commissionSorts) {
          await listCommissions(database, book, { ...common, days, partnerId }, { ...page, sort });
        }
        await readCommissionTotals(database, book, { payoutId: 1, partnerId, days });
      }
    }
    expect(sent).toHaveLength(20);
    expect(await scansIn(sent)).toEqual([]);
    const ranges = await plansOf(sent, /commissions_payable/);
    expect(ranges).toHaveLength(20);
    for (const plan of ranges) {
      expect(plan).toContain("commissions_payable (program_id=? AND currency=? AND partner_id=? AND payable_number>?");
    }
  },
);

it("the terms for the estimate of a partner's commission are read with one index search for the partner's tier steps", async () => {
  const of = { programId: 1, at: Date.parse("2026-11-30") };
  const sent = [policyWithStep({ ...of, partnerId: 1, today: "2026-11-30" }), policyOfNewcomer({ ...of, groupId: 1 })];
  expect(await scansIn(sent)).toEqual([]);
  const period = "INDEX tier_steps_period (policy_id=? AND partner_id=? AND is_test=? AND period=?)";
  expect(await plansOf(sent, /tier_steps/)).toEqual([expect.stringContaining(`SEARCH s USING ${period}`)]);
  expect(await plansOf(sent, /TEMP B-TREE/)).toEqual([]);
});

it("no statement of a partner's own data scans a table", async () => {
  const { database, sent } = noted();
  const asked = { programId: 1, partnerId: 1, accountId: "u" };
  await readOwnData(database, asked);
  await listAcceptedTerms(database, asked, { before: 10, limit: 10 });
  expect(sent).toHaveLength(7);
  expect(await scansIn(sent)).toEqual([]);
});

it("no statement of a partner search scans a table", async () => {
  const { database, sent } = noted();
  await listPartners(database, 1, { text: "a", inEmail: true }, { before: 10, limit: 10 });
  expect(sent).toHaveLength(1);
  expect(await scansIn(sent)).toEqual([]);
});

it("no statement of the commission totals scans a table", async () => {
  const { database, sent } = noted();
  const days = { from: "2026-01-01", to: "2026-01-31" };
  for (const filter of [{ days: undefined }, { days }]) {
    await readCommissionTotals(database, { programId: 1, isTest: false }, { partnerId: 1, ...filter });
  }
  expect(sent).toHaveLength(2);
  expect(await scansIn(sent)).toEqual([]);
});

it("no statement of the overview scans a table", async () => {
  const { database, sent } = noted();
  const days = { from: "2026-01-01", to: "2026-12-31" };
  for (const partnerId of [undefined, 1]) {
    await readOverview(database, { programId: 1, isTest: false }, { days, partnerId, at: daysAgo(0) });
  }
  // The other statements read one end of an index, for the latest event of a kind.
  const searching = sent.filter(({ sql }) => !sql.startsWith("select max("));
  expect(searching.length).toBeGreaterThan(10);
  expect(await scansIn(searching)).toEqual([]);
});

it("no statement of the partners' performance scans a table", async () => {
  const { database, sent } = noted();
  const search = { text: "a", inEmail: true };
  const common = { days: { from: "0000-01-01", to: "9999-12-31" }, currency: "EUR", search, limit: 50, offset: 0 };
  const book = { programId: 1, isTest: false };
  for (const hidesZeros of [false, true])
    for (const sort of partnerSorts)
      for (const order of sortOrders)
        await readPartnerPerformance(database, book, { ...common, sort, order, hidesZeros });
  await readTrackRecords(database, book, [1, 2]);
  expect(sent).toHaveLength(2 * 5 * partnerSorts.length * sortOrders.length + 1);
  expect(await scansIn(sent)).toEqual([]);
});

it("no statement of a list of balances scans a table", async () => {
  const { database, sent } = noted();
  const list = { programId: 1, currency: "EUR", after: { currency: "EUR", partnerId: 1, cents: "1" }, limit: 50 };
  for (const sort of balanceSorts)
    for (const isNonzero of [false, true])
      await readBalances(database, { ...list, sort, isNonzero }, { timezone: "UTC", at: 0 });
  expect(sent).toHaveLength(2 * 3 * balanceSorts.length);
  expect(await scansIn(sent)).toEqual([]);
});

it("the counts for a referral code read only the events since the given day, and the partner's own ledger entries", async () => {
  const { database, sent } = noted();
  const days = { from: "2026-04-02", to: "2026-05-01" };
  const links = [1, 2].map((id) => ({ id, codeKey: `code-${id}` }));
  await readLinkFigures(database, { programId: 1, partnerId: 1, currency: "EUR", days }, links);
  expect(await scansIn(sent)).toEqual([]);
  const ranges =
    /_recent \(.* AND occurred_at>\?\)|entries_partner \(program_id=\? AND partner_id=\? AND currency=\?\)/;
  expect(await plansOf(sent, ranges)).toHaveLength(4);
});

it("no statement of an import reads all partners of the program", async () => {
  const named = { programId: 1, externalIds: '["u-1"]', codeKeys: '["anna"]' };
  const references = { programId: 1, codeKeys: '["anna"]', references: '["import:r:EUR"]' };
  const sent = [
    ...[partnersNamed(named), linksOfNamed(named), partnersOfCodes(named)],
    ...[partnersOfAddresses({ programId: 1, emailHashes: '["a"]' }), adjustmentsOfReferences(references)],
    ...[partnerOfExternalId({ programId: 1, externalId: "u-1" }), firstKeyOf({ programId: 1 })],
  ];
  expect(await scansIn(sent)).toEqual([]);
  expect(await plansOf(sent, /partners USING \w+ INDEX \w+ \(program_id=\?\)|partners_program/)).toEqual([]);
});

it("no statement of a partner's balances scans a table", async () => {
  const { database, sent } = noted();
  await findPartnerWithBalances(database, 1, 1, 0);
  expect(sent).toHaveLength(6);
  expect(await scansIn(sent)).toEqual([]);
  const plans = await plansOf(sent, /partner_balances/);
  expect(plans).toEqual([expect.stringContaining("(program_id=? AND currency=? AND partner_id=?)")]);
});

it("a search by id prefix reads one index range, and no more rows than it returns", async () => {
  const sent = Object.values(idsOfPrefix(1, "walk"));
  expect(sent).toHaveLength(4);
  const plans = await plansOf(sent, /./);
  const ranges = ["sales", "customers"].map((table) => {
    const [index, id] = table === "sales" ? ["sales_transaction", "transaction_id"] : ["customers_key", "customer_key"];
    const range = `(program_id=? AND is_test=? AND ${id}>? AND ${id}<?)`;
    return expect.stringMatching(
      new RegExp(`^SEARCH ${table} USING (COVERING )?INDEX ${index} ${range.replaceAll(/[()?]/g, "\\$&")}`),
    );
  });
  expect(plans).toEqual([...ranges, ...ranges]);
  expect(sent.every(({ sql, args }) => /limit \?$/.test(sql) && args.at(-1) === 3)).toBe(true);
});

it("no query of a partner's statement scans a table or sorts", async () => {
  const { database, sent } = noted();
  const account = { programId: 1, partnerId: 1, currency: "EUR" };
  const period = { since: 0, until: daysAgo(0) };
  await readStatementStart(database, { programId: 1, partnerId: 1, number: 3 });
  await readStatementHead(database, { ...account, ...allEntries, ...period, seen: 0 });
  await readStatementEntries(database, account, { ...period, after: 5, last: 10, limit: 500 });
  expect(sent).toHaveLength(10);
  expect(await scansIn(sent)).toEqual([]);
  expect(await plansOf(sent, /TEMP B-TREE/)).toEqual([]);
});

function notingLedger() {
  const sent = new Map<string, Statement>();
  const real = databaseAt(own.server.url);
  const noting = (mode: "read" | "write") => (statements: readonly Statement[]) => {
    for (const statement of statements) sent.set(statement.sql, statement);
    return real[mode](statements);
  };
  const database: Database = { read: noting("read"), write: noting("write"), roundTrips: 0 };
  return { ledger: ledgerOn(database, { now: () => daysAgo(0), sleep: async () => {}, random: () => 0.5 }), sent };
}

function noted() {
  const sent: Statement[] = [];
  const real = databaseAt(own.server.url);
  const read: Database["read"] = (statements) => {
    sent.push(...statements);
    return real.read(statements);
  };
  return { sent, database: { ...real, read, roundTrips: 0 } };
}
