import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { createClient } from "@libsql/client/http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type AuditedDatabase, auditLedger, type Finding, rules } from "../../scripts/audit/ledger.ts";
import { schemaRule } from "../../scripts/audit/schema.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { cases } from "./audit-cases.ts";
import { inSums, names, others, spoiled, unnoticed } from "./audit-columns.ts";
import { seedBooks } from "./audit-seed.ts";

// Each column of the books is made wrong in one row, in a copy of the database that has no trigger, index, check or key
// left to refuse it, and the audit must name the row.

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly isKey: boolean;
}

type Cells = Readonly<Record<string, SQLOutputValue>>;

const own = isolatedService();
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

let columns: readonly Column[] = [];
const broken = new Set<string>(cases.map(([rule]) => rule));

beforeAll(async () => {
  await seedBooks(own);
  const client = createClient({ url: own.database.url });
  const { rows } = await client.execute(
    `select m.name as in_table, c.name, lower(c.type) as type, c.pk from sqlite_master m join pragma_table_info(m.name) c
     where m.type = 'table' and m.name not like 'sqlite_%' order by m.name, c.cid`,
  );
  const all = rows.map(({ in_table, name, type, pk }) => ({
    table: String(in_table),
    name: String(name),
    type: String(type),
    isKey: pk !== 0,
  }));
  for (const [table, ofTable] of Map.groupBy(all, (column) => column.table)) {
    copy.exec(`create table ${table} (${ofTable.map(({ name, type }) => `${name} ${type}`).join(", ")})`);
    const insert = copy.prepare(`insert into ${table} values (${ofTable.map(() => "?").join(", ")})`);
    for (const row of (await client.execute(`select * from ${table}`)).rows) {
      insert.run(...ofTable.map(({ name }) => row[name] as string | number | null));
    }
  }
  client.close();
  columns = all.filter(({ table }) => others[table] === undefined);
});

const columnsOf = (table: string) => columns.filter((column) => column.table === table);
const nameOf = ({ table, name }: Column) => `${table}.${name}`;

/** The key of the first row with a value. Any row, if the column is one that nothing can check. */
function keyOf(column: Column): Cells | undefined {
  const { table, name } = column;
  const keys = columnsOf(table).filter((each) => each.isKey || nameOf(each) === "clicks.click_id");
  const { where = "1" } = spoiled[nameOf(column)] ?? {};
  const [row] = answerOf(
    `select ${keys.map((key) => `t.${key.name}`).join(", ")}, t.${name} as is_value from ${table} t
     where ${where} order by t.${name} is null, 1 limit 1`,
  ).rows;
  if (row === undefined || (row.is_value === null && unnoticed[nameOf(column)] === undefined)) return undefined;
  const { is_value, ...key } = row;
  return key;
}

/** A value other than the row's, as SQL over the table's alias `t`. */
function spoiltValue(column: Column): string {
  const { to } = spoiled[nameOf(column)] ?? {};
  if (to !== undefined) return to;
  if (/^(is|has)_/.test(column.name)) return `1 - t.${column.name}`;
  if (column.type !== "integer") return `coalesce(t.${column.name}, '') || 'x'`;
  return `coalesce(t.${column.name}, 0) + ${column.isKey ? 1_000_000_000 : 1}`;
}

function isNamed(row: Finding["rows"][number], column: Column, keys: readonly Cells[]): boolean {
  const { table } = column;
  if (inSums.includes(nameOf(column))) return row.day !== undefined && row.program !== undefined;
  return keys.some((key) => {
    if (table === "daily_counts") return row.day === key.day && row.partner === key.partner_id;
    if (table === "customer_clicks" && row.click !== undefined) return row.click === key.click_id;
    if (table === "clicks" && row.click === key.click_id) return true;
    const id =
      table === "partner_balances"
        ? key.partner_id
        : (key.id ?? key.customer_id ?? key.event_id ?? key.entry_id ?? key.name);
    return row[names[table] ?? ""] === id || row[table] === id || (row.in_table === table && row.id === id);
  });
}

/** Spoils one row's column. Returns the broken rules, and those of them that name the row. */
async function spoil(
  column: Column,
): Promise<{ readonly found: readonly string[]; readonly naming: readonly string[] }> {
  const { table, name } = column;
  const key = keyOf(column);
  if (key === undefined) return { found: ["no row has a value"], naming: [] };
  copy.exec("begin");
  try {
    const changed = copy
      .prepare(
        `update ${table} as t set ${name} = ${spoiltValue(column)}
         where ${Object.keys(key)
           .map((part) => `${part} = ?`)
           .join(" and ")} returning ${name} as value`,
      )
      .get(...Object.values(key));
    const keys = [key, ...(changed !== undefined && name in key ? [{ ...key, [name]: changed.value ?? null }] : [])];
    const found = (await auditLedger(database, { limit: 1_000 })).filter((finding) => finding.broken !== schemaRule);
    const naming = found.filter(({ rows }) => rows.some((row) => isNamed(row, column, keys)));
    return { found: found.map((finding) => finding.broken), naming: naming.map((finding) => finding.broken) };
  } finally {
    copy.exec("rollback");
  }
}

it("finds nothing else in the copy than that the indexes and triggers are gone", async () => {
  expect((await auditLedger(database)).map((finding) => finding.broken)).toEqual([schemaRule]);
});

it("has reasons for existing columns and tables alone", () => {
  expect(columns.map(nameOf)).toEqual(
    expect.arrayContaining([...Object.keys(unnoticed), ...Object.keys(spoiled), ...inSums]),
  );
  const tables = answerOf("select name from sqlite_master where type = 'table'").rows.map(({ name }) => name);
  expect(tables).toEqual(expect.arrayContaining([...Object.keys(others), ...Object.keys(names)]));
});

it("names the row in which a column is wrong, whichever it is but those that nothing can tell of", async () => {
  const missed: string[] = [];
  for (const column of columns.filter((each) => unnoticed[nameOf(each)] === undefined)) {
    const { found, naming } = await spoil(column);
    for (const rule of found) broken.add(rule);
    if (naming.length === 0) missed.push(`${nameOf(column)}: ${found.join("; ") || "nothing"}`);
  }
  expect(missed).toEqual([]);
}, 120_000);

it("notices nothing of the columns that are said to be told by nothing", async () => {
  const noticed: string[] = [];
  for (const column of columns.filter((each) => unnoticed[nameOf(each)] !== undefined)) {
    const { found } = await spoil(column);
    if (found.length > 0) noticed.push(`${nameOf(column)}: ${found.join("; ")}`);
  }
  expect(noticed).toEqual([]);
});

it("has something that breaks each of its rules", () => {
  expect(rules.filter((rule) => !broken.has(rule))).toEqual([]);
});
