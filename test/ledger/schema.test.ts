import { randomUUID } from "node:crypto";
import { createClient } from "@libsql/client/http";
import { beforeAll, describe, expect, it } from "vitest";
import { addMember } from "../../harness/world.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";

const own = isolatedService();
const query = async (sql: string) => (await createClient({ url: own.database.url }).execute(sql)).rows;

const schema = {
  table: `accounts adjustments audit_entries click_event_ids click_events clicks commission_policies commissions
    customer_clicks customers daily_counts invitations leads ledger_entries ledger_writers memberships
    partner_balances partners payout_line_entries payout_lines payouts pending_moves program_keys programs
    rate_limits recent_hours referral_links refunds sales schema_migrations sessions sign_up_tokens users
    verification_runs verifications workspace_audit_entries workspaces`,
  index: `accounts_user adjustments_payable adjustments_reference audit_entries_operation audit_entries_program
    audit_entries_subject clicks_click_id clicks_recent clicks_visitor commission_policies_version commissions_line
    commissions_maturing commissions_payable commissions_sale commissions_status customer_clicks_browser
    customer_clicks_click customer_clicks_keyed customer_clicks_nameless customers_key invitations_token
    invitations_workspace leads_customer leads_recent leads_unsettled ledger_entries_adjusted
    ledger_entries_commission ledger_entries_earned ledger_entries_moved ledger_entries_paid ledger_entries_partner
    ledger_entries_refunded ledger_entries_rejected memberships_place partners_program payout_line_entries_line
    payout_lines_held payout_lines_of_partner payout_lines_partner payout_lines_state payout_lines_unposted
    payouts_draft payouts_reference payouts_unfinished program_keys_hash program_keys_program referral_links_code
    referral_links_partner refunds_recent refunds_sale sales_customer sales_recent sales_subscription
    sales_transaction sessions_token sessions_user users_email verifications_identifier
    workspace_audit_entries_operation workspace_audit_entries_workspace`,
  trigger: `adjustments_no_delete adjustments_no_replace adjustments_no_update audit_entries_no_delete
    audit_entries_no_replace audit_entries_no_update clicks_counted clicks_of_the_hour clicks_once clicks_uncounted
    commissions_attribution_stays commissions_balanced commissions_due_at_once commissions_due_later leads_counted
    leads_moved leads_of_the_hour leads_of_the_hour_attributed leads_of_the_hour_lost ledger_entries_balanced
    ledger_entries_counted ledger_entries_no_delete ledger_entries_no_replace ledger_entries_no_update
    ledger_entries_of_payout ledger_entries_of_person ledger_entries_settled ledger_writers_fence
    ledger_writers_first ledger_writers_stay payout_line_entries_freed
    payout_line_entries_held payout_line_entries_no_update payout_line_entries_once payout_line_entries_taken
    payout_lines_final payout_lines_stay payouts_in_order payouts_stay refunds_counted refunds_recounted
    sales_attribution_stays sales_counted sales_moved sales_of_the_hour sales_of_the_hour_attributed
    workspace_audit_entries_no_delete workspace_audit_entries_no_replace workspace_audit_entries_no_update`,
};

it.each(Object.entries(schema))("after all migrations there is exactly every %s of the list", async (type, names) => {
  const found = await query(`select name from sqlite_master where type = '${type}' and sql is not null order by name`);
  expect(found.map(({ name }) => name)).toEqual(names.split(/\s+/));
});

it("every table is STRICT", async () => {
  const lax = await query("select name from pragma_table_list where schema = 'main' and not strict");
  expect(lax.map(({ name }) => name)).toEqual(["sqlite_schema"]);
});

/** The file's own program, with rows in every table. Every attempt is refused, so nothing changes. */
let till: SalesFixture;
beforeAll(async () => {
  const world = await own.world({ partners: [{}, {}] });
  till = salesFixture(programFixture(world, own.api()), own.database.url);
  await addMember(own.database.url, world.workspaceId, { user: { userId: randomUUID() }, role: "owner" });
  await till.api.click({ affiliate_url: till.alice.landingUrl, program_id: world.programId, event_id: "e1" });
  await till.refer("c1");
  await till.sell({ transaction_id: "t" });
  await till.giveBack("t", { refund_amount_cents: 500, refund_id: "r1" });
  await till.api.lead({ customer_key: "c2", click_id: till.click(till.bob, 0) }, { browser: true });
  // The Ledger would go on with the payout.
  await own.service.stop();
  for (const sql of [
    `insert into users (id, name, email, created_at, updated_at) values ('${person}', 'P', '${person}@example.com', 0, 0)`,
    `insert into accounts (id, account_id, provider_id, user_id, created_at, updated_at)
      values ('${person}', '${person}', 'credential', '${person}', 0, 0)`,
    `insert into sessions (id, token, user_id, expires_at, created_at, updated_at)
      values ('${person}', '${person}', '${person}', 0, 0, 0)`,
    `insert into invitations (id, workspace_id, token_hash, role, invited_by, expires_at, created_at)
      select '${person}', workspace_id, '${person}', 'viewer', '${person}', 0, 0 from programs where id = :program`,
    `insert into verification_runs (program_id, click, lead, sale, is_attributed, hour_at, runs_in_hour)
      values (:program, 'pending', 'pending', 'pending', 0, 0, 1)`,
    // As a Worker of the previous release would.
    `insert into click_events (program_id, is_test, event_id, click_id, recorded_at)
      select program_id, is_test, event_id, click_id, recorded_at from click_event_ids where program_id = :program`,
    `insert into audit_entries (id, program_id, operation_id, actor_id, action, subject, created_at)
      values (-:program, :program, '${person}', '${person}', 'a', 's', 0)`,
    `insert into workspace_audit_entries (workspace_id, operation_id, actor_id, action, subject, created_at)
      select workspace_id, '${person}', '${person}', 'a', 's', 0 from programs where id = :program`,
    `insert into payouts (id, program_id, currency, reference, status, phase, until, minimum_cents, created_at, created_by,
        finalized_at, finalized_by)
      values (:program, :program, 'EUR', 'r', 'finalizing', 'reserving', 0, 1, 0, 'u', 0, 'u')`,
    `insert into payout_lines (id, program_id, payout_id, partner_id, currency, state, name, amount_cents, commissions)
      select :program, :program, :program, min(id), 'EUR', 'reserving', 'n', 1, 0 from partners where program_id = :program`,
    `insert into adjustments (id, program_id, partner_id, amount_cents, currency, reason, reference, created_by, created_at)
      select :program, :program, partner_id, 5, 'EUR', 'bonus', 'r', 'u', 0 from payout_lines where id = :program`,
    `insert into ledger_entries (id, program_id, is_test, partner_id, kind, amount_cents, currency, occurred_at, created_at,
        day, adjustment_id)
      select -:program, :program, 0, partner_id, 'adjusted', 5, 'EUR', 0, 0, '1970-01-01', id from adjustments
      where id = :program`,
    "insert into payout_line_entries (entry_id, line_id, amount_cents) values (-:program, :program, 5)",
    `insert into sign_up_tokens (token_hash, expires_at, used_by, used_at, created_at)
      values ('${person}', 0, '${person}', 0, 0)`,
  ]) {
    await attempt(sql);
  }
});

const person = randomUUID();

const ownRows: Readonly<Record<string, string>> = {
  programs: "id = :program",
  ledger_entries: "program_id = :program and commission_id is not null",
  payout_line_entries: "line_id = :program",
  leads: "program_id = :program and customer_key = 'c1'",
  memberships: "workspace_id = (select workspace_id from programs where id = :program)",
  users: `id = '${person}'`,
  accounts: `user_id = '${person}'`,
  sessions: `user_id = '${person}'`,
  invitations: `invited_by = '${person}'`,
  sign_up_tokens: `used_by = '${person}'`,
  workspace_audit_entries: `operation_id = '${person}'`,
  customer_clicks: "customer_id in (select id from customers where program_id = :program)",
};
const rowsOf = (table: string) => `(${ownRows[table] ?? "program_id = :program"})`;
const attempt = (sql: string) => till.write(sql.replaceAll(":program", String(till.world.programId)));
const change = (table: string, to: string) => attempt(`update ${table} set ${to} where ${rowsOf(table)}`);

/** Copies the first row with these changes. */
async function addCopy(table: string, changes: Readonly<Record<string, string>>, verb = "insert"): Promise<void> {
  const columns = (await query(`select name from pragma_table_info('${table}')`)).map(({ name }) => String(name));
  const values = columns.map((column) => changes[column] ?? column);
  await attempt(`${verb} into ${table} (${columns}) select ${values} from ${table} where ${rowsOf(table)} limit 1`);
}

describe("the database itself refuses", () => {
  const checks: readonly [constraint: string, violation: string][] = [
    ["commission_policies_type", "type = 'gift'"],
    ["commission_policies_type", "rate_bps = null"],
    ["commission_policies_type", "rate_bps = 10001"],
    ["commission_policies_type", "type = 'flat', amount_cents = 1"],
    ["commission_policies_scope", "scope = 'recurring'"],
    ["commission_policies_scope", "scope = 'sometimes'"],
    ["commission_policies_limits", "max_commission_cents = 1"],
    ["commission_policies_hold", "hold_days = 366"],
    ["commissions_status", "status = 'lost'"],
    ["commissions_void", "status = 'void'"],
    ["commissions_void", "reason = 'no_click'"],
    ["commissions_approval", "approved_at = 1"],
    ["commissions_due", "hold_until = null"],
    ["commissions_initial", "initial_cents = -1"],
    ["commissions_amount", "amount_cents = -1"],
    ["commissions_line", "line_id = program_id"],
    ["customers_attribution", "click_id = null"],
    ["customers_reason", "reason = 'no_click'"],
    ["customers_bound", "bound_at = null"],
    ["customers_locked", "partner_id = null, click_id = null, reason = 'no_click'"],
    ["invitations_role", "role = 'god'"],
    ["leads_settled", "unsettled_key = 'x'"],
    ["leads_provisional", "is_provisional = 1"],
    ["memberships_role", "role = 'god'"],
    ["memberships_status", "status = 'left'"],
    ["partners_status", "status = 'gone'"],
    ["programs_currency", "currency = 'EURO'"],
    ["programs_lead_auth", "lead_auth = 'none'"],
    ["programs_attribution_model", "attribution_model = 'linear'"],
    ["programs_attribution_window", "attribution_window_days = 0"],
    ["programs_window_until", "window_until = 'never'"],
    ["programs_cookie_window", "cookie_window_days = 366"],
    ["programs_minimum_payout", "minimum_payout_cents = 0"],
    ["programs_payout_approval", "payout_approval = 'nobody'"],
    ["programs_status", "status = 'gone'"],
    ["recent_hours_slot", "slot = slot + 1"],
    ["referral_links_code_key", "code_key = upper(code)"],
    ["referral_links_status", "status = 'gone'"],
    ["refunds_asked", "asked = 'nothing'"],
    ["refunds_asked", "asked = 'cancel', refund_id = null, told_cents = null"],
    ["refunds_told", "told_cents = -1"],
    ["refunds_told", "asked = 'rest'"],
    ["refunds_total", "refunded_total_cents = -1"],
    ["refunds_counted", "counted_cents = -1"],
    ["refunds_status", "status = 'gone'"],
    ["sales_amount", "amount_cents = 100000000001"],
    ["sales_refunded", "refunded_cents = amount_cents + 1"],
    ["sales_attributed", "reason = 'no_click'"],
    ["sessions_no_traces", "ip_address = '192.0.2.1'"],
    ["sessions_no_traces", "user_agent = 'Firefox'"],
    ["verification_runs_hour", "runs_in_hour = -1"],
  ];

  it.each(checks)("what %s forbids: %s", async (constraint, violation) => {
    const table = schema.table.split(/\s+/).find((name) => constraint.startsWith(`${name}_`)) ?? "";
    await expect(change(table, violation)).rejects.toThrow(`CHECK constraint failed: ${constraint}`);
  });

  it.each([
    ["ledger_entries_sign", { kind: "'rejected'", amount_cents: "1" }],
    ["ledger_entries_sign", { kind: "'restored'", amount_cents: "-1", refund_id: "-1" }],
    ["ledger_entries_of_line", { kind: "'paid'", amount_cents: "-1", commission_id: "null" }],
    ["ledger_entries_of_adjustment", { kind: "'adjusted'", amount_cents: "-1", commission_id: "null" }],
    ["ledger_entries_sign", { kind: "'given'", amount_cents: "0" }],
    ["ledger_entries_refund", { kind: "'reversed'", amount_cents: "-1" }],
    ["ledger_entries_of_commission", { kind: "'moved'", amount_cents: "-1", commission_id: "null" }],
  ])("what %s forbids of a new entry", async (constraint, changes) => {
    const entry = addCopy("ledger_entries", { id: "-1", refund_id: "null", ...changes });
    await expect(entry).rejects.toThrow(`CHECK constraint failed: ${constraint}`);
  });

  const ofNewRows: readonly [table: string, constraint: string, changes: Readonly<Record<string, string>>][] = [
    ["payouts", "payouts_status", { status: "'gone'" }],
    ["payouts", "payouts_phase", { phase: "'paying'" }],
    ["payouts", "payouts_currency", { currency: "'EURO'" }],
    ["payouts", "payouts_minimum", { minimum_cents: "0" }],
    ["payouts", "payouts_finalized", { finalized_by: "null" }],
    ["payouts", "payouts_confirmed", { confirmed_at: "0" }],
    ["payouts", "payouts_canceled", { canceled_at: "0" }],
    ["payout_lines", "payout_lines_state", { state: "'gone'" }],
    ["payout_lines", "payout_lines_reason", { reason: "'paused'" }],
    ["payout_lines", "payout_lines_skipped", { state: "'skipped'", reason: "'late'" }],
    ["payout_lines", "payout_lines_amount", { state: "'proposed'", amount_cents: "0" }],
    ["payout_lines", "payout_lines_held", { held_entries: "-1" }],
    ["payout_lines", "payout_lines_posted", { is_posted: "1" }],
    ["payout_lines", "payout_lines_failed", { state: "'failed'" }],
    ["adjustments", "adjustments_amount", { amount_cents: "0", reference: "'other'" }],
  ];

  it.each(ofNewRows)("in a new row of %s, what %s forbids", async (table, constraint, changes) => {
    await expect(addCopy(table, { id: "-1", ...changes })).rejects.toThrow(`CHECK constraint failed: ${constraint}`);
  });

  it("whatever else has a named constraint: each has its line above", async () => {
    const tables = await query("select sql from sqlite_master where type = 'table'");
    const named = tables.flatMap(({ sql }) => [...String(sql).matchAll(/CONSTRAINT "(\w+)"/g)].map(([, name]) => name));
    const ofEntries = ["sign", "refund", "of_commission", "of_line", "of_adjustment"].map(
      (name) => `ledger_entries_${name}`,
    );
    const tried = [...checks.map(([name]) => name), ...ofEntries, ...ofNewRows.map(([, name]) => name)];
    expect([...new Set(tried)].sort()).toEqual(named.sort());
  });

  it.each<[table: string, columns: string, fresh: Record<string, string>]>([
    ["click_event_ids", "program_id, is_test, link_id, event_id", {}],
    ["click_event_ids", "program_id, is_test, link_id, event_id", {}],
    ["clicks", "click_id", { id: "-1", event_id: "null" }],
    ["commission_policies", "program_id, version", { id: "-1" }],
    ["commissions", "sale_id", { id: "-1" }],
    ["customers", "program_id, is_test, customer_key", { id: "-1" }],
    ["leads", "customer_id", { id: "-1" }],
    [
      "leads",
      "program_id, is_test, unsettled_key",
      { id: "-1", customer_id: "null", unsettled_key: "'customer c2'", partner_id: "null" },
    ],
    ["memberships", "workspace_id, user_id", { id: "'-1'" }],
    ["program_keys", "hash", { id: "-1" }],
    ["referral_links", "code_key, program_id", { id: "-1" }],
    ["sales", "program_id, is_test, transaction_id", { id: "-1" }],
  ])("a second row in %s with the same %s", async (table, columns, fresh) => {
    const named = columns.split(", ").map((column) => `${table}.${column}`);
    await expect(addCopy(table, fresh)).rejects.toThrow(`UNIQUE constraint failed: ${named.join(", ")}`);
  });

  it("a row that points at none", async () => {
    const keys =
      await query(`select m.name as tab, f."from" as col from sqlite_master m, pragma_foreign_key_list(m.name) f
      where m.type = 'table' and m.name not in ('ledger_entries', 'audit_entries', 'workspace_audit_entries', 'pending_moves',
        'payout_line_entries', 'adjustments') and f."from" <> 'line_id' order by 1, 2`);
    expect(keys.length).toBeGreaterThan(25);
    for (const { tab, col } of keys) {
      const missing = ["workspace_id", "user_id", "invited_by", "used_by"].includes(String(col)) ? "'none'" : "-1";
      const isFinal = ["sales", "commissions"].includes(String(tab)) && col === "partner_id";
      const refused = isFinal ? "final" : "FOREIGN KEY constraint failed";
      await expect(change(String(tab), `${col} = ${missing}`), `${tab}.${col}`).rejects.toThrow(refused);
    }
    // The Ledger deletes moves without sales.
    await expect(attempt("insert into pending_moves values (-1, 0, 0, 1, 1, 0, 1)")).rejects.toThrow(
      "FOREIGN KEY constraint failed",
    );
    const audit = { id: "-1", operation_id: "'other'", program_id: "-2" };
    await expect(addCopy("audit_entries", audit)).rejects.toThrow("FOREIGN KEY constraint failed");
    const workspaceAudit = { id: "-1", operation_id: "'other'", workspace_id: "'none'" };
    await expect(addCopy("workspace_audit_entries", workspaceAudit)).rejects.toThrow("FOREIGN KEY constraint failed");
    for (const column of ["program_id", "commission_id", "partner_id", "refund_id"]) {
      const kind = column === "refund_id" ? "'reversed'" : "'moved'";
      const entry = { id: "-1", kind, amount_cents: "-1", refund_id: "null", [column]: "-2" };
      await expect(addCopy("ledger_entries", entry), column).rejects.toThrow("FOREIGN KEY constraint failed");
    }
  });

  it.each([
    [
      "an entry in a second line",
      "insert or replace into payout_line_entries (entry_id, line_id, amount_cents) values (-:program, :program, 5)",
      "an entry is in one line",
    ],
    [
      "another amount of an entry in a line",
      "update payout_line_entries set amount_cents = 6 where line_id = :program",
      "a line keeps its entries",
    ],
    [
      "an entry taken out of a live line",
      "delete from payout_line_entries where line_id = :program",
      "a live line keeps its entries",
    ],
    [
      "a payout that goes back",
      "update payouts set status = 'canceled', phase = null, canceled_at = 0 where id = :program",
      "a payout never goes back",
    ],
    ["a payout that is deleted", "delete from payouts where id = :program", "a payout is never deleted"],
    ["a line that is deleted", "delete from payout_lines where id = :program", "a line is never deleted"],
    [
      "another amount of an adjustment",
      "update adjustments set amount_cents = 6 where id = :program",
      "adjustments are append-only",
    ],
    ["an adjustment that is deleted", "delete from adjustments where id = :program", "adjustments are append-only"],
  ])("%s", async (_what, sql, refused) => {
    await expect(attempt(sql)).rejects.toThrow(refused);
  });

  it.each([
    ["another partner for an attributed sale", () => change("sales", `partner_id = ${till.bob.id}`)],
    ["no partner for an attributed sale", () => change("sales", "partner_id = null, reason = 'no_click'")],
  ])("%s", async (_what, attempted) => {
    await expect(attempted()).rejects.toThrow("the attribution of a sale is final");
  });

  describe.each([
    ["ledger_entries", "ledger entries", "day", 2],
    ["audit_entries", "audit entries", "subject", 1],
    ["workspace_audit_entries", "audit entries", "subject", 1],
  ] as const)("of %s", (table, called, column, count) => {
    it.each<[string, () => Promise<void>]>([
      ["an update", () => change(table, `${column} = 'other'`)],
      ["an update that changes nothing", () => change(table, `${column} = ${column}`)],
      ["a delete", () => attempt(`delete from ${table} where ${rowsOf(table)}`)],
      ["a replacement under its id", () => addCopy(table, { [column]: "'other'" }, "insert or replace")],
      ["a replacement by another id", () => addCopy(table, { id: "-1", [column]: "'other'" }, "insert or replace")],
      ["an insert that would be ignored", () => addCopy(table, { [column]: "'other'" }, "insert or ignore")],
    ])("%s", async (_what, attempted) => {
      const rows = () =>
        till.world.rows(
          `select * from ${table} where ${rowsOf(table)}`.replace(":program", String(till.world.programId)),
        );
      const before = await rows();
      expect(before).toHaveLength(count);
      await expect(attempted()).rejects.toThrow(`${called} are append-only`);
      expect(await rows()).toEqual(before);
    });
  });

  it("text where a number belongs", async () => {
    await expect(change("sales", "amount_cents = 'ten'")).rejects.toThrow("cannot store TEXT value in INTEGER column");
  });
});
