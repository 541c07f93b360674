import { DatabaseSync } from "node:sqlite";
import { createClient } from "@libsql/client/http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type AuditedDatabase, auditLedger, type Finding, rules } from "../../scripts/audit/ledger.ts";
import { ownService } from "../support/own-service.ts";
import { cases } from "./audit-cases.ts";
import { seedBooks } from "./audit-seed.ts";

// Each column of the books is spoiled in one row, in a copy of the database that has no trigger, index, check or key left
// to refuse it, and the audit must name the row.

const own = ownService();

/** Tables that hold no books. */
const others: Readonly<Record<string, string>> = {
  workspaces: "who owns programs",
  memberships: "people",
  invitations: "people",
  users: "people",
  sessions: "people",
  accounts: "people",
  verifications: "people",
  sign_up_tokens: "people",
  workspace_audit_entries: "people",
  rate_limits: "attempts to sign in",
  program_keys: "credentials: only digests, and what they open is no money",
  verification_runs: "the last verification of each program, told by itself",
  ledger_writers: "the fence: its next batch finds it",
  schema_migrations: "the journal by which the audit knows the schema",
  click_events: "superseded by click_event_ids, and read by nothing",
};

const asSent = "as it was sent: nothing is decided by it, and nothing is made of it";
const identity = "tells a call that is sent again from another: no other row holds it";
const shownOnly = "shown, and frozen where it counts: in the explanation of each sale";

/** Columns of which nothing else in the books can tell whether they are right. */
const unnoticed: Readonly<Record<string, string>> = {
  "clicks.id": "no row names a click by it",
  "clicks.existing_click_id": asSent,
  "clicks.event_name": asSent,
  "clicks.page_url": asSent,
  "clicks.referrer_url": asSent,
  "clicks.page_title": asSent,
  "clicks.screen_resolution": asSent,
  "clicks.viewport_size": asSent,
  "clicks.language": asSent,
  "clicks.timezone": asSent,
  "clicks.country": asSent,
  "clicks.region": asSent,
  "clicks.city": asSent,
  "clicks.device_type": asSent,
  "clicks.os": asSent,
  "clicks.browser": asSent,
  "customers.click_age_days": shownOnly,
  "customers.email_hash": asSent,
  "customers.email_mask": asSent,
  "leads.id": "no row names a lead by it",
  "leads.operation_id": identity,
  "leads.moved_operation_id": identity,
  "leads.click_age_days": shownOnly,
  "leads.window_days": shownOnly,
  "leads.page_url": asSent,
  "leads.event_name": asSent,
  "sales.operation_id": identity,
  "sales.sent_click_id": "as it was sent, good or not: a repeat is compared with it",
  "sales.subscription_id": asSent,
  "sales.product_id": asSent,
  "sales.event_name": asSent,
  "refunds.operation_id": identity,
  "refunds.reason": asSent,
  "pending_moves.is_partner_active": "states have no history: it is the only row that knows",
  "pending_moves.is_program_active": "states have no history: it is the only row that knows",
  "pending_moves.created_at": "the order in which moves go on",
  "partners.email": asSent,
  "referral_links.destination_url": asSent,
  "referral_links.status": "no operation changes it",
  "audit_entries.id": "no row names an entry by it",
  "audit_entries.operation_id": identity,
  "audit_entries.actor_id": "people are removed, and their entries stay",
};

interface Spoiled {
  /** Which row; default: the first with a value. */
  readonly where?: string;
  /** Default: a number is one more, a flag the other, a text longer. */
  readonly to?: string;
}

/** Where the default would be another right value, or another column of the row decides whether it matters. */
const spoiled: Readonly<Record<string, Spoiled>> = {
  "programs.status": {
    where: "exists (select 1 from audit_entries a where a.after like '%status%' and a.program_id = t.id)",
  },
  "programs.created_at": {
    where: "exists (select 1 from audit_entries a where a.action = 'program.created' and a.program_id = t.id)",
  },
  "clicks.occurred_at": { where: "click_id in (select click_id from customer_clicks)" },
  "clicks.click_id": { where: "event_id is not null" },
  "clicks.created_at": { where: "event_id is not null" },
  "clicks.program_id": { where: "link_id is not null" },
  "clicks.is_test": { where: "event_id is not null" },
  "customers.confirmed_at": { where: "evidence = 'key'", to: "null" },
  "customers.window_days": { where: "first_attributed_sale_at is not null and evidence = 'key'" },
  "customers.model": { where: "first_attributed_sale_at is not null and evidence = 'key'", to: "'first_click'" },
  "customers.window_until": { where: "first_attributed_sale_at is not null and evidence = 'key'", to: "'first_sale'" },
  "customers.bound_at": { where: "first_attributed_sale_at is not null and evidence = 'key'" },
  "customers.bound_by": {
    where: "bound_by = 'lead' and first_attributed_sale_at is not null and evidence = 'key'",
    to: "'sale'",
  },
  "customer_clicks.has_settled_in_browser": { where: "evidence = 'browser'" },
  "sales.is_recurring": { where: "is_recurring = 0 and partner_code = 'ONCE'" },
  "refunds.refund_id": { where: "refund_id = 'canceled'" },
  "refunds.told_at": { where: "told_at is not null" },
  "refunds.created_at": { to: "t.created_at - 1" },
  "leads.created_at": { to: "t.created_at - 1" },
  "leads.occurred_at": { where: "occurred_at = created_at" },
  "refunds.occurred_at": { where: "told_at is not null" },
  "commissions.approved_at": { where: "approved_by = 'person'" },
  "commissions.approved_by": { where: "approved_by = 'hold'", to: "'person'" },
  "commissions.reason": { to: "'below_minimum'" },
  "commissions.status": { where: "status = 'pending'", to: "'approved'" },
  "ledger_entries.created_at": { where: "id > (select min(id) from ledger_entries)", to: "1" },
  "ledger_entries.kind": { where: "kind = 'reversed'", to: "'restored'" },
  "pending_moves.after_occurred_at": { to: "t.after_occurred_at + 8640000000" },
  "pending_moves.after_sale_id": { to: "t.after_sale_id + 1000000" },
};

/** Columns that only their sum tells of: the audit names the program and the day. */
const inSums = ["clicks.is_bot", "clicks.is_prefetch", "clicks.visitor"];

const names: Readonly<Record<string, string>> = {
  programs: "program",
  partners: "partner",
  referral_links: "link",
  commission_policies: "policy",
  clicks: "click",
  leads: "lead",
  customers: "customer",
  customer_clicks: "customer",
  sales: "sale",
  refunds: "refund",
  commissions: "commission",
  ledger_entries: "entry",
  pending_moves: "customer",
  audit_entries: "audit_entry",
  click_event_ids: "event",
};

type Cells = Readonly<Record<string, unknown>>;

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly pk: number;
}

const copy = new DatabaseSync(":memory:", { enableForeignKeyConstraints: false });
afterAll(() => copy.close());

const answerOf = (query: string) => {
  const statement = copy.prepare(query);
  return { columns: statement.columns().map(({ name }) => name), rows: statement.all() };
};
const database: AuditedDatabase = {
  execute: async (query) => answerOf(query),
  batch: async (queries) => queries.map(answerOf),
};
const audit = async (programId: number) => auditLedger(database, { programId, limit: 1_000 });

let columns: readonly Column[] = [];
const fired = new Set<string>(cases.map(([broken]) => broken));

beforeAll(async () => {
  await seedBooks(own);
  const client = createClient({ url: own.database.url });
  const { rows: tables } = await client.execute(
    "select name, sql from sqlite_master where type = 'table' and sql is not null and name not like 'sqlite_%'",
  );
  copy.exec("pragma ignore_check_constraints = on");
  for (const { name, sql } of tables) {
    copy.exec(String(sql));
    const { rows, columns: named } = await client.execute(`select * from ${name}`);
    const insert = copy.prepare(`insert into ${name} values (${named.map(() => "?").join(", ")})`);
    for (const row of rows) insert.run(...named.map((column) => row[column] as string | number | null));
  }
  client.close();
  if (process.env.AUDIT_DUMP) copy.exec(`vacuum into '${process.env.AUDIT_DUMP}'`);
  columns = copy
    .prepare(
      `select m.name as "table", c.name, c.type, c.pk from sqlite_master m join pragma_table_info(m.name) c
       where m.type = 'table' order by m.name, c.cid`,
    )
    .all()
    .map(({ table, name, type, pk }) => ({
      table: String(table),
      name: String(name),
      type: String(type),
      pk: Number(pk),
    }))
    .filter(({ table }) => others[table] === undefined);
});

/** The columns of a row's key, and its program. */
function rowOf({
  table,
  name,
}: Column): { readonly key: Cells; readonly where: string; readonly programId: number } | undefined {
  const keys = columns.filter((column) => column.table === table && column.pk > 0).map((column) => column.name);
  const { where = "1" } = spoiled[`${table}.${name}`] ?? {};
  const programId =
    table === "programs"
      ? "t.id"
      : columns.some((column) => column.table === table && column.name === "program_id")
        ? "t.program_id"
        : "(select u.program_id from customers u where u.id = t.customer_id)";
  const row = copy
    .prepare(
      `select ${keys.map((key) => `t.${key}`).join(", ")}, ${programId} as of_program from ${table} t
       where t.${name} is not null and ${where} order by 1 limit 1`,
    )
    .get();
  if (row === undefined) return undefined;
  const { of_program, ...key } = row;
  const text = (value: unknown) => (typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value));
  const condition = Object.entries(key).map(([column, value]) => `${column} = ${text(value)}`);
  return { key, where: condition.join(" and "), programId: Number(of_program) };
}

const spoilt = ({ table, name, type }: Column): string => {
  const { to } = spoiled[`${table}.${name}`] ?? {};
  if (to !== undefined) return to;
  if (/^(is|has)_/.test(name)) return `1 - t.${name}`;
  return type.toLowerCase() === "integer" ? `t.${name} + 1` : `t.${name} || 'x'`;
};

/** Whether a finding tells which row it is about. */
function isNamed({ rows }: Finding, table: string, keys: readonly Cells[], isSum: boolean): boolean {
  const name = names[table] ?? "";
  return rows.some((row) => {
    if (isSum) return row.day !== undefined && row.program !== undefined;
    return keys.some((key) => {
      if (table === "daily_counts") return row.day === key.day && row.partner === key.partner_id;
      if (table === "click_event_ids") return row.event === key.event_id;
      if (table === "customer_clicks" && row.click !== undefined) return row.click === key.click_id;
      const id = key.id ?? key.customer_id;
      return row[name] === id || row[table] === id || (row.in_table === table && row.id === id);
    });
  });
}

/** What the audit finds where one row's column is spoiled, among it what names the row. */
async function spoil(
  column: Column,
): Promise<{ readonly found: readonly Finding[]; readonly naming: readonly string[] }> {
  const { table, name } = column;
  const row = rowOf(column);
  if (row === undefined) throw new Error(`the books have no ${table} with a ${name}`);
  copy.exec("begin");
  try {
    copy.exec(`update ${table} as t set ${name} = ${spoilt(column)} where ${row.where}`);
    const after =
      column.pk > 0
        ? copy
            .prepare(
              `select ${spoilt(column)} as value from (select ${typeof row.key[name] === "number" ? row.key[name] : `'${row.key[name]}'`} as ${name}) t`,
            )
            .get()
        : undefined;
    const keys = after === undefined ? [row.key] : [row.key, { ...row.key, [name]: after.value }];
    const found = await audit(row.programId);
    const isSum = inSums.includes(`${table}.${name}`);
    return { found, naming: found.filter((each) => isNamed(each, table, keys, isSum)).map(({ broken }) => broken) };
  } finally {
    copy.exec("rollback");
  }
}

it("finds nothing in books that the service keeps", async () => {
  expect(
    await auditLedger({ ...database, execute: async (query) => answerOf(query) }, { programId: undefined }),
  ).toEqual([
    expect.objectContaining({ broken: "triggers, indexes and tables that are missing, changed or too many" }),
  ]);
});

it("has reasons for existing columns and tables alone", () => {
  const known = columns.map(({ table, name }) => `${table}.${name}`);
  for (const column of [...Object.keys(unnoticed), ...Object.keys(spoiled), ...inSums]) expect(known).toContain(column);
  const tables = copy
    .prepare("select name from sqlite_master where type = 'table'")
    .all()
    .map(({ name }) => name);
  for (const table of Object.keys(others)) expect(tables).toContain(table);
});

it("names the row in which any column is wrong, but for those that nothing can tell of", async () => {
  const missed: string[] = [];
  for (const column of columns) {
    const name = `${column.table}.${column.name}`;
    if (unnoticed[name] !== undefined) continue;
    const { found, naming } = await spoil(column);
    for (const { broken } of found) fired.add(broken);
    if (naming.length === 0) missed.push(`${name}: ${found.map(({ broken }) => broken).join("; ") || "nothing"}`);
  }
  expect(missed).toEqual([]);
});

it("has something that breaks each of its rules", () => {
  expect(rules.filter((rule) => !fired.has(rule))).toEqual([]);
});
