import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { addMember } from "../../harness/world.ts";
import { schemaBroken } from "../../scripts/audit/schema.ts";
import { readTriggers } from "../../scripts/database/migrations.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { checks, danglingCopies, furtherRows, ofNewRows, ownFurtherRows } from "./schema-checks.ts";

const own = isolatedService();
const query = async (sql: string, ...args: string[]) =>
  (await openDatabaseClient(own.database.url).execute({ sql, args })).rows;

it("a migrated database has the tables and indexes of the migration, unchanged, and no others", async () => {
  expect(await schemaBroken(openDatabaseClient(own.database.url))).toEqual([]);
});

it("a migrated database has exactly the triggers of the source files, each of which begins with a comment", async () => {
  const sources = await readTriggers();
  for (const text of sources) expect(text).toMatch(/^-- /);
  const found = await query("select sql from sqlite_master where type = 'trigger'");
  const texts = sources.map((text) => text.replace(/^(-- .*\n)+/, ""));
  expect(found.map(({ sql }) => `${sql};`).sort()).toEqual(texts.sort());
});

it("every table is STRICT", async () => {
  const lax = "select name from pragma_table_list where schema = 'main' and not strict";
  expect(await query(lax)).toMatchObject([{ name: "sqlite_schema" }]);
});

/** A program with rows in every table. Every attempt to change it is rejected, so the tests share it. */
let shop: SalesFixture;
beforeAll(async () => {
  const world = await own.world({ partners: [{}, {}] });
  shop = salesFixture(programFixture(world, own.api()));
  await addMember(own.database.url, world.workspaceId, { user: { userId: randomUUID() }, role: "owner" });
  await shop.api.click({ affiliate_url: shop.alice.landingUrl, program_id: world.programId, event_id: "e1" });
  await shop.refer("c1");
  await shop.sell({ transaction_id: "t" });
  await shop.giveBack("t", { refund_amount_cents: 500, refund_id: "r1" });
  await shop.api.lead({ customer_key: "c2", click_id: shop.click(shop.bob, 0) }, { browser: true });
  for (const sql of [
    `insert into users (id, name, email, created_at, updated_at) values ('${person}', 'P', '${person}@example.com', 0, 0)`,
    `insert into accounts (id, account_id, provider_id, user_id, created_at, updated_at)
      values ('${person}', '${person}', 'credential', '${person}', 0, 0)`,
    `insert into sessions (id, token, user_id, expires_at, confirmed_at, created_at, updated_at)
      values ('${person}', '${person}', '${person}', 9e12, 0, 0, 0)`,
    `insert into second_factors (user_id, secret, last_step, created_at) values ('${person}', 'encrypted', 0, 0)`,
    `insert into recovery_codes (user_id, code_hash) values ('${person}', 'hash')`,
    `insert into account_events (user_id, operation_id, action, created_at) values ('${person}', '${person}', 'signed_in', 0)`,
    `insert into invitations (id, workspace_id, token_hash, role, invited_by, expires_at, created_at)
      select '${person}', workspace_id, '${person}', 'viewer', '${person}', 9e12, 0 from programs where id = :program`,
    `insert into partner_accounts (partner_id, account_id, program_id, role, created_at)
      select min(id), '${person}', program_id, 'view', 0 from partners where program_id = :program`,
    `insert into partner_invitations (partner_id, program_id, token_hash, role, expires_at, created_at)
      select min(id), program_id, '${person}', 'view', 0, 0 from partners where program_id = :program`,
    `insert into join_pages (program_id, mode, slug, headline, description, questions)
      values (:program, 'closed', 's', '', '', '[]')`,
    "insert into join_slugs (slug, program_id) values ('s', :program)",
    "insert into partner_terms (program_id, version, text, created_at) values (:program, 1, 't', 0)",
    `insert into accepted_terms (partner_id, version, account_id, program_id, accepted_at)
      select min(id), 1, '${person}', program_id, 0 from partners where program_id = :program`,
    `insert into applications (id, program_id, account_id, name, answers, status, created_at)
      values (:program, :program, '${person}', 'A', '{}', 'pending', 0)`,
    `insert into payment_details (id, program_id, partner_id, method, last4, ciphertext, seal_id, digest, set_by, created_at)
      select :program, program_id, min(id), 'other', 'ount', 'sealed', 's', 'digest', 'u', 0 from partners where program_id = :program`,
    "insert into foreign_codes (code_key, program_id) values ('x', :program)",
    "insert into shard_identity (number, installation) values (0, 'x')",
    `insert into program_moves (program_id, from_shard, to_shard, state, started_at)
      values (:program, 0, 1, 'open', 0)`,
    `insert into verification_runs (program_id, click, lead, sale, is_attributed, hour_at, runs_in_hour)
      values (:program, 'pending', 'pending', 'pending', 0, 0, 1)`,
    "insert into reconciliations values (:program, 'stripe', 0, 1, 0, 0, 0, 0, 0)",
    `insert into audit_entries (id, program_id, operation_id, actor_id, action, subject, created_at)
      values (-:program, :program, '${person}', '${person}', 'a', 's', 0)`,
    `insert into workspace_audit_entries (workspace_id, operation_id, actor_id, action, subject, created_at)
      select workspace_id, '${person}', '${person}', 'a', 's', 0 from programs where id = :program`,
    ...[":program", "-:program"].flatMap((id) => [
      `insert into payouts (id, program_id, currency, reference, status, until, cut, minimum_cents, total_cents, line_count,
          created_at, created_by)
        values (${id}, :program, ${id === ":program" ? "'EUR'" : "'USD'"}, 'r${id}', 'draft', 0, 1000, 1, 1, 1, 0, 'u')`,
      `insert into payout_lines (id, program_id, payout_id, partner_id, currency, state, name, amount_cents, commissions,
          commissions_cents, adjustments_cents)
        select ${id}, :program, ${id}, id, ${id === ":program" ? "'EUR'" : "'USD'"}, 'live', 'n', 1, 0, 0, 1 from partners
        where program_id = :program and id not in (select partner_id from commissions where program_id = :program)`,
    ]),
    "insert into partner_groups (id, program_id, name, created_at) values (:program, :program, 'Gold', 0)",
    `insert into group_memberships (program_id, partner_id, group_id, effective_from, operation_id)
      select program_id, min(id), program_id, 1, 'o' from partners where program_id = :program`,
    `insert into coupons (id, program_id, partner_id, status, created_at)
      select program_id, program_id, min(id), 'active', 0 from partners where program_id = :program`,
    "insert into coupon_codes values (:program, 'BEN10', 'Ben10', :program, 0)",
    "insert into notes (id, program_id, kind, subject, text) values (:program, :program, 'reason', 'partner 1', 'bonus')",
    `insert into commission_signals (commission_id, program_id, is_test, code, effect, evidence, raised_at)
      select min(id), program_id, is_test, 'self_referral', 'flag', '{}', 0 from commissions where program_id = :program`,
    `insert into adjustments (id, program_id, partner_id, amount_cents, currency, reason_id, reference, created_by, created_at)
      select :program, :program, partner_id, 5, 'EUR', :program, 'r', 'u', 0 from payout_lines where id = :program`,
    `insert into ledger_entries (id, program_id, is_test, partner_id, kind, amount_cents, currency, occurred_at, created_at,
        day, adjustment_id)
      select -:program, :program, 0, partner_id, 'adjusted', 5, 'EUR', 0, 0, '1970-01-01', id from adjustments
      where id = :program`,
    `update payouts set status = 'final', finalized_at = 0, finalized_by = 'u', finalized_number = 1001 where id = :program`,
    `insert into payout_ranges (program_id, currency, partner_id, from_number, to_number, payout_id)
      select :program, 'EUR', partner_id, 0, 1000, :program from payout_lines where id = :program`,
    ...furtherRows,
    "insert into mails (id, program_id, template, content, due_at, created_at) values ('m', :program, 'details_changed', 'x', 0, 0)",
    `insert into sign_up_tokens (token_hash, expires_at, used_by, used_at, created_at)
      values ('${person}', 0, '${person}', 0, 0)`,
    `insert into partner_sign_ups (token_hash, user_id, created_at) values ('${person}', '${person}', 0)`,
  ]) {
    await attempt(sql);
  }
});

const person = randomUUID();

const ownRows: Readonly<Record<string, string>> = {
  programs: "id = :program",
  shard_identity: "number = 0",
  ledger_entries: "program_id = :program and commission_id is not null",
  payout_lines: "id = -:program",
  payouts: "id = -:program",
  leads: "program_id = :program and customer_key = 'c1'",
  memberships: "workspace_id = (select workspace_id from programs where id = :program)",
  users: `id = '${person}'`,
  accounts: `user_id = '${person}'`,
  sessions: `user_id = '${person}'`,
  second_factors: `user_id = '${person}'`,
  recovery_codes: `user_id = '${person}'`,
  account_events: `user_id = '${person}'`,
  invitations: `invited_by = '${person}'`,
  sign_up_tokens: `used_by = '${person}'`,
  partner_sign_ups: `user_id = '${person}'`,
  workspace_audit_entries: `operation_id = '${person}'`,
  ...ownFurtherRows,
};
const rowsOf = (table: string) => `(${ownRows[table] ?? "program_id = :program"})`;
const attempt = (sql: string) => shop.write(sql.replaceAll(":program", String(shop.world.programId)));
const change = (table: string, to: string) => attempt(`update ${table} set ${to} where ${rowsOf(table)}`);

/** Inserts a copy of the table's first row with these changes. */
async function addCopy(table: string, changes: Readonly<Record<string, string>>, verb = "insert"): Promise<void> {
  const columns = (await query(`select name from pragma_table_info('${table}')`)).map(({ name }) => String(name));
  const values = columns.map((column) => changes[column] ?? column);
  await attempt(`${verb} into ${table} (${columns}) select ${values} from ${table} where ${rowsOf(table)} limit 1`);
}

describe("the database rejects", () => {
  it.each(checks)("the database rejects a row that violates %s: %s", async (constraint, violation) => {
    const tables = await query(
      "select name from sqlite_master where type = 'table' and instr(?, name || '_') = 1",
      constraint,
    );
    await expect(change(String(tables[0]?.name), violation)).rejects.toThrow(`CHECK constraint failed: ${constraint}`);
  });

  it.each([
    ["ledger_entries_sign", { kind: "'rejected'", amount_cents: "1" }],
    ["ledger_entries_sign", { kind: "'restored'", amount_cents: "-1", refund_id: "-1" }],
    ["ledger_entries_of_line", { kind: "'paid'", amount_cents: "-1", commission_id: "null" }],
    ["ledger_entries_of_adjustment", { kind: "'adjusted'", amount_cents: "-1", commission_id: "null" }],
    ["ledger_entries_sign", { kind: "'given'", amount_cents: "0" }],
    ["ledger_entries_refund", { kind: "'reversed'", amount_cents: "-1" }],
    ["ledger_entries_of_commission", { kind: "'moved'", amount_cents: "-1", commission_id: "null" }],
  ])("the database rejects a new ledger entry that violates %s", async (constraint, changes) => {
    const entry = addCopy("ledger_entries", { id: "-1", refund_id: "null", ...changes });
    await expect(entry).rejects.toThrow(`CHECK constraint failed: ${constraint}`);
  });

  it.each(ofNewRows)("the database rejects a new row of %s that violates %s", async (table, constraint, changes) => {
    await expect(addCopy(table, { id: "-1", ...changes })).rejects.toThrow(`CHECK constraint failed: ${constraint}`);
  });

  it("each named constraint of the database has at least one case that violates it", async () => {
    const tables = await query("select sql from sqlite_master where type = 'table'");
    const named = tables.flatMap(({ sql }) => [...String(sql).matchAll(/CONSTRAINT "(\w+)"/g)].map(([, name]) => name));
    const ofEntries = ["sign", "refund", "of_commission", "of_line", "of_adjustment"].map(
      (name) => `ledger_entries_${name}`,
    );
    const tried = [...checks.map(([name]) => name), ...ofEntries, ...ofNewRows.map(([, name]) => name)];
    expect([...new Set(tried)].sort()).toEqual(named.sort());
  });

  it.each<[table: string, columns: string, fresh: Record<string, string>]>([
    ["click_event_ids", "program_id, is_test, event_id, link_id", {}],
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
    ["account_events", "operation_id", { id: "-1" }],
    ["referral_links", "code_key, program_id", { id: "-1" }],
    ["sales", "program_id, is_test, transaction_id", { id: "-1" }],
  ])("the database rejects a second row in %s with the same %s", async (table, columns, fresh) => {
    const named = columns.split(", ").map((column) => `${table}.${column}`);
    await expect(addCopy(table, fresh)).rejects.toThrow(`UNIQUE constraint failed: ${named.join(", ")}`);
  });

  const alsoNeeded: Readonly<Record<string, string>> = {
    "sales.corrected_sale_id": ", correction = 1",
    "applications.partner_id": ", status = 'approved', decided_at = 1",
    "mails.payout_line_id": ", content = null, origin = ''",
  };

  it("the database rejects a row with a foreign key to a missing row", async () => {
    const keys =
      await query(`select m.name as tab, f."from" as col from sqlite_master m, pragma_foreign_key_list(m.name) f
      where m.type = 'table' and m.name not in ('ledger_entries', 'audit_entries', 'workspace_audit_entries', 'pending_moves',
        'payout_ranges', 'adjustments', 'notes', 'partner_terms', 'accepted_terms', 'commission_signals',
        'group_memberships', 'offers', 'claims', 'tier_steps', 'coupons', 'coupon_codes', 'erasures', 'units', 'bonuses') and f."from" <> 'partner_note_id' and not (m.name = 'payouts' and f."from" = 'program_id')
      order by 1, 2`);
    expect(keys.length).toBeGreaterThan(25);
    for (const { tab, col } of keys) {
      const missing = ["workspace_id", "user_id", "invited_by", "used_by"].includes(String(col)) ? "'none'" : "-1";
      const isFinal = ["sales", "commissions"].includes(String(tab)) && col === "partner_id";
      const refused = isFinal ? "final" : "FOREIGN KEY constraint failed";
      const also = alsoNeeded[`${tab}.${col}`] ?? "";
      await expect(change(String(tab), `${col} = ${missing}${also}`), `${tab}.${col}`).rejects.toThrow(refused);
    }
    // Inserts a row, because `pending_moves` is empty: the Ledger deletes finished moves.
    await expect(attempt("insert into pending_moves values (-1, 0, 0, 1, 1, 0, 1)")).rejects.toThrow(
      "FOREIGN KEY constraint failed",
    );
    for (const row of ["partner_terms values (-1, 9, 't', 0)", "accepted_terms values (-1, 9, 'a', -1, 0)"]) {
      await expect(attempt(`insert into ${row}`)).rejects.toThrow("FOREIGN KEY constraint failed");
    }
    for (const column of ["program_id", "coupon_id"]) {
      const dangling = addCopy("coupon_codes", { code_key: "'OTHER'", [column]: "-1" });
      await expect(dangling, column).rejects.toThrow("FOREIGN KEY constraint failed");
    }
    for (const [table, changes] of danglingCopies)
      await expect(addCopy(table, { id: "-1", ...changes })).rejects.toThrow("FOREIGN KEY constraint failed");
    for (const column of ["program_id", "partner_id", "group_id"]) {
      const dangling = addCopy("group_memberships", { effective_from: "2", [column]: "-1" });
      await expect(dangling, column).rejects.toThrow("FOREIGN KEY constraint failed");
    }
    for (const column of ["commission_id", "note_id", "partner_id"]) {
      const code = column === "note_id" ? "'by_hand'" : "code";
      const dangling = addCopy("commission_signals", { raised_at: "1", code, [column]: "-1" });
      await expect(dangling, column).rejects.toThrow("FOREIGN KEY constraint failed");
    }
    const ofProgram = { id: "-1", operation_id: "'other'", program_id: "-2" };
    for (const table of ["audit_entries", "erasures"])
      await expect(addCopy(table, ofProgram)).rejects.toThrow("FOREIGN KEY constraint failed");
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
      "a number of one payout line in a second line",
      `insert into payout_ranges (program_id, currency, partner_id, from_number, to_number, payout_id)
        select program_id, currency, partner_id, 0, 11, payout_id from payout_ranges where payout_id = :program`,
      "a number is in one live line",
    ],
    [
      "a number range beyond the payout's cutoff",
      `insert into payout_ranges (program_id, currency, partner_id, from_number, to_number, payout_id)
        select program_id, currency, partner_id, 1000, 1001, payout_id from payout_ranges where payout_id = :program`,
      "a number is in one live line",
    ],
    [
      "a change of a live line's number range",
      "update payout_ranges set from_number = 9 where payout_id = :program",
      "the ranges of a live line never change",
    ],
    [
      "the deletion of a live line's number range",
      "delete from payout_ranges where payout_id = :program",
      "the ranges of a live line never change",
    ],
    [
      "a commission that is approved with a number in a live line's range",
      `update commissions set partner_id = (select partner_id from payout_lines where id = :program), approved_at = 0,
        approved_by = 'hold', payable_number = 10, status = 'approved', is_unconfirmed = 0 where program_id = :program`,
      "a live line keeps its commissions",
    ],
    ["a payout set to draft", "update payouts set status = 'draft' where id = :program", "a payout never goes back"],
    ["a change of the cutoff", "update payouts set cut = 999 where id = :program", "a final payout never changes"],
    [
      "a line that pays more than is payable",
      "update payouts set status = 'final', finalized_at = 0, finalized_by = 'u', finalized_number = 1001 where id = -:program",
      "a line pays what is payable",
    ],
    [
      "a change of a live line's amount",
      "update payout_lines set amount_cents = 2 where id = :program",
      "the lines of a final payout never change",
    ],
    [
      "a live line that fails before it is paid",
      "update payout_lines set state = 'failed', failed_at = 0, failed_by = 'u', failure_id = :program where id = :program",
      "the lines of a final payout never change",
    ],
    ["the deletion of a payout", "delete from payouts where id = :program", "a payout is never deleted"],
    ["the deletion of a payout line", "delete from payout_lines where id = :program", "a line is never deleted"],
    [
      "a change of an adjustment's amount",
      "update adjustments set amount_cents = 6 where id = :program",
      "adjustments are append-only",
    ],
    ["a change of a note's text", "update notes set text = 'other' where id = :program", "notes are append-only"],
    [
      "a change of an erased note's subject",
      "update notes set text = null, subject = 'x' where id = :program",
      "notes are append-only",
    ],
    ["the deletion of a note", "delete from notes where id = :program", "notes are append-only"],
    [
      "the replacement of a note",
      "insert or replace into notes (id, program_id, kind, subject, text) values (:program, :program, 'reason', 'x', 'other')",
      "notes are append-only",
    ],
    ["the deletion of an adjustment", "delete from adjustments where id = :program", "adjustments are append-only"],
  ])("the database rejects %s", async (_what, sql, refused) => {
    await expect(attempt(sql)).rejects.toThrow(refused);
  });

  it.each([
    ["a change of an attributed sale's partner", () => change("sales", `partner_id = ${shop.bob.id}`)],
    ["the removal of an attributed sale's partner", () => change("sales", "partner_id = null, reason = 'no_click'")],
  ])("the database rejects %s", async (_what, attempted) => {
    await expect(attempted()).rejects.toThrow("the attribution of a sale is final");
  });

  describe.each([
    ["ledger_entries", "ledger entries", "day", 2],
    ["audit_entries", "audit entries", "subject", 1],
    ["workspace_audit_entries", "audit entries", "subject", 1],
  ] as const)("a change of %s", (table, called, column, count) => {
    it.each<[string, () => Promise<void>]>([
      ["an update", () => change(table, `${column} = 'other'`)],
      ["an update that changes nothing", () => change(table, `${column} = ${column}`)],
      ["a delete", () => attempt(`delete from ${table} where ${rowsOf(table)}`)],
      ["a replacement with the same id", () => addCopy(table, { [column]: "'other'" }, "insert or replace")],
      ["a replacement with another id", () => addCopy(table, { id: "-1", [column]: "'other'" }, "insert or replace")],
      ["an insert that a unique index would ignore", () => addCopy(table, { [column]: "'other'" }, "insert or ignore")],
    ])("the database rejects a change of an append-only row by %s", async (_what, attempted) => {
      const rows = () =>
        shop.world.rows(
          `select * from ${table} where ${rowsOf(table)}`.replace(":program", String(shop.world.programId)),
        );
      const before = await rows();
      expect(before).toHaveLength(count);
      await expect(attempted()).rejects.toThrow(`${called} are append-only`);
      expect(await rows()).toEqual(before);
    });
  });

  it.each([
    ["an update", "update group_memberships set group_id = null where program_id = :program"],
    ["a delete", "delete from group_memberships where program_id = :program"],
    [
      "an insert earlier than the newest one",
      `insert into group_memberships (program_id, partner_id, group_id, effective_from, operation_id)
        select program_id, partner_id, null, 0, 'p' from group_memberships where program_id = :program`,
    ],
    [
      "a replacement",
      `insert or replace into group_memberships (program_id, partner_id, group_id, effective_from, operation_id)
        select program_id, partner_id, null, 1, 'p' from group_memberships where program_id = :program`,
    ],
  ])("the database rejects a change of group_memberships: %s", async (_what, sql) => {
    await expect(attempt(sql)).rejects.toThrow("group memberships are append-only");
  });

  it("the database rejects text in a numeric column", async () => {
    await expect(change("sales", "amount_cents = 'ten'")).rejects.toThrow("cannot store TEXT value in INTEGER column");
  });
});
