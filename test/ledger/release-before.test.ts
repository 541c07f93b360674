import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@libsql/client/http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startDatabase } from "../../harness/database.ts";
import { createWorld } from "../../harness/world.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { migrate } from "../../scripts/migrate.ts";
import { root } from "../../scripts/root.ts";
import { type Sqld, startSqld } from "../../scripts/sqld.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { clickOf, day, daysAgo } from "../support/program-fixture.ts";

// Rows from before the migration 0003_evidence_and_entries, and rows that a Worker of the previous release writes while
// both run.

let directory: string;
let sqld: Sqld;
let client: Client;
const long = daysAgo(30);
const clickId = clickOf(1, { linkId: 1 }, long);
const policy = {
  ...{ id: 1, version: 1, partnerId: null, type: "percent", rateBps: 2_000, amountCents: null, currency: null },
  ...{ scope: "lifetime", durationMonths: null, holdDays: 15, minSaleCents: null, maxCommissionCents: null },
  effectiveFrom: long,
};
const longDay = new Date(long).toISOString().slice(0, 10);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tributary-release-"));
  sqld = await startSqld({ directory });
  client = createClient({ url: sqld.url });
  const before = join(directory, "before");
  await cp(join(root, "migrations"), before, { recursive: true });
  const path = join(before, "meta/_journal.json");
  const journal = JSON.parse(await readFile(path, "utf8")) as { entries: { idx: number }[] };
  await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.filter(({ idx }) => idx < 3) }));
  await migrate(sqld, before);
  await client.batch([...program, ...customer, ...[1, 2].flatMap(soldTo)], "write");
  await migrate(sqld);
});
afterAll(async () => {
  await sqld?.kill();
  await rm(directory, { recursive: true, force: true });
});

const program = [
  `insert into workspaces values ('w', 'W', ${long})`,
  `insert into programs (id, workspace_id, name, currency, timezone, lead_auth, attribution_model,
     attribution_window_days, status, created_at)
   values (1, 'w', 'P', 'EUR', 'UTC', 'browser_allowed', 'last_click', 60, 'active', ${long})`,
  `insert into partners (id, program_id, name, status, created_at) values (1, 1, 'a', 'active', ${long})`,
  `insert into referral_links (id, program_id, partner_id, code, code_key, status, created_at)
   values (1, 1, 1, 'x', 'x', 'active', ${long})`,
  `insert into commission_policies (id, program_id, version, type, rate_bps, scope, hold_days, effective_from, created_at)
   values (1, 1, 1, 'percent', 2000, 'lifetime', 15, ${long}, ${long})`,
];

/** A browser's customer with two sales past their hold. A person has approved the first. */
const customer = [
  `insert into customers (id, program_id, is_test, customer_key, partner_id, link_id, click_id, click_at, evidence, model,
     window_days, click_age_days, first_sale_at, first_attributed_sale_at, created_at)
   values (1, 1, 0, 'c1', 1, 1, '${clickId}', ${long}, 'browser', 'last_click', 60, 0, ${long}, ${long}, ${long + 2})`,
  `insert into customer_clicks values (1, '${clickId}', 1, ${long}, 'browser', 0, 1)`,
  `insert into audit_entries (id, program_id, operation_id, actor_id, action, subject, created_at)
   values (1, 1, 'op', 'u', 'commission.approved', 'commission 1', ${daysAgo(1)})`,
];

/** Entries had their calls' instants by the clocks of the edge, which don't agree to the millisecond. */
const soldTo = (id: number): string[] => {
  const explanation = JSON.stringify({
    decidedAt: long,
    sale: { transactionId: `t${id}`, amountCents: 1_000, currency: "EUR", occurredAt: long + id - 1 },
    partner: { id: 1, code: "x" },
    click: { id: clickId, at: long },
    clickAgeDays: 0,
    windowDays: 60,
    evidence: "browser",
    model: "last_click",
    decision: "earned",
    policy,
    baseCents: 1_000,
    uncappedCents: 200,
    capped: false,
    rounding: "half_up",
    amountCents: 200,
    holdUntil: long + id - 1 + 15 * day,
  });
  const status = id === 1 ? "'approved', null, 0" : "'pending', null, 1";
  return [
    `insert into sales (id, program_id, is_test, transaction_id, operation_id, customer_id, amount_cents, currency,
       sale_type, is_recurring, partner_id, partner_code, click_age_days,
       window_days, refunded_cents, occurred_at, created_at, day)
     values (${id}, 1, 0, 't${id}', 'op${id}', 1, 1000, 'EUR', 'payment', 0, 1, 'x', 0, 60, 0, ${long + id - 1}, ${long + 2}, '${longDay}')`,
    `insert into commissions values (${id}, 1, 0, ${id}, 1, ${status}, 200, 0, 'EUR', ${long + id - 1 + 15 * day}, 1,
       '${explanation}', ${long + 2})`,
    `insert into ledger_entries values (${id}, 1, 0, ${id}, 1, 'earned', 200, 'EUR', null, ${long + id - 1},
       ${long - 3 * id}, '${longDay}')`,
  ];
};

it("books of the release before are right, and what a person had confirmed is paid", async () => {
  expect(await auditLedger(client)).toEqual([]);
  const rows = async (sql: string, ...args: (string | number | null)[]) => (await client.execute({ sql, args })).rows;
  const { maintain, commissions, lead, click } = callsOf({ programId: 1, rows }, sqld.url);
  await lead("key", [click({ linkId: 1 }, daysAgo(31))]);
  await maintain();
  await expect
    .poll(async () => (await commissions()).map(({ status, is_unconfirmed }) => [status, is_unconfirmed]))
    .toEqual([
      ["approved", 0],
      ["approved", 0],
    ]);
  expect(await auditLedger(client)).toEqual([]);
});

it("what the Worker of the release before writes meanwhile has its instants, and takes its place", async () => {
  const database = await startDatabase();
  try {
    const world = await createWorld(database.url, { policies: [{ scope: "one_time", holdDays: 1 }] });
    const { lead, sale, click, commissions } = callsOf(world, database.url);
    await lead("key", [click(world.partner, daysAgo(5))]);
    const told = await sale("t1", daysAgo(0, -3_600_000));
    // Its statements name only its own columns.
    const copied =
      "program_id, is_test, sale_id, partner_id, is_unconfirmed, initial_cents, amount_cents, currency, hold_until";
    await world.write(
      { sql: "update customers set one_time_commission_id = null where program_id = ?", args: [world.programId] },
      {
        sql: `insert into sales (id, program_id, is_test, transaction_id, operation_id, customer_id, amount_cents, currency,
            sale_type, is_recurring, partner_id, partner_code, refunded_cents, occurred_at, created_at, day)
          select -id, program_id, is_test, 'old', 'old', customer_id, amount_cents, currency, sale_type, is_recurring,
            partner_id, partner_code, 0, occurred_at, created_at, day from sales where id = ?`,
        args: [told.saleId],
      },
      {
        sql: `insert into commissions (id, ${copied}, status, explanation, created_at)
          select -id, program_id, is_test, -sale_id, partner_id, 0, 200, 0, currency, hold_until, 'pending', '{}', created_at
          from commissions where id = ?`,
        args: [told.commissionId],
      },
      { sql: "update commissions set status = 'approved' where program_id = ?", args: [world.programId] },
    );
    const [row] = await world.rows(
      "select one_time_commission_id as id from customers where program_id = ?",
      world.programId,
    );
    expect(row?.id).toBe(-told.commissionId);
    for (const commission of await commissions())
      expect(commission).toMatchObject({ approved_by: "hold", approved_at: expect.any(Number) });
  } finally {
    await database.dispose();
  }
});
