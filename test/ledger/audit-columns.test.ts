import type { SQLOutputValue } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { auditLedger, type Finding, rules } from "../../scripts/audit/ledger.ts";
import { schemaRule } from "../../scripts/audit/schema.ts";
import { isWhole, oneOfEach } from "../support/breadth.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { cases } from "./audit-cases.ts";
import { inSums, names, others, spoiled, unnoticed } from "./audit-columns.ts";
import { AuditCopy, type CopiedColumn as Column } from "./audit-copy.ts";
import { payoutCases } from "./audit-payout-cases.ts";
import { seedBooks } from "./audit-seed.ts";
import { correctionCases } from "./correction-cases.ts";
import { eventCases } from "./event-cases.ts";
import { rewardCases } from "./reward-cases.ts";

// Spoils each column of the books in one row of a copy of the database, which has no trigger, index, check or key that
// would reject the value. The audit must name the row.

type Cells = Readonly<Record<string, SQLOutputValue>>;

const own = isolatedService();
let copy: AuditCopy;
afterAll(() => copy?.close());

let columns: readonly Column[] = [];
const broken = new Set<string>([...cases, ...eventCases, ...payoutCases, ...rewardCases].map(([rule]) => rule));

beforeAll(async () => {
  await seedBooks(own);
  copy = await AuditCopy.of(openDatabaseClient(own.database.url));
  columns = copy.columns.filter(({ table }) => others[table] === undefined);
});

const columnsOf = (table: string) => columns.filter((column) => column.table === table);
const nameOf = ({ table, name }: Column) => `${table}.${name}`;

/**
 * The key of the first row that has a value in the column. If there is none, the key of another row, but only if no
 * rule can check the column or if `spoiled` contains the wrong value.
 */
function keyOf(column: Column): Cells | undefined {
  const { table, name } = column;
  const keys = columnsOf(table).filter((each) => each.isKey || nameOf(each) === "clicks.click_id");
  const { where = "1", to } = spoiled[nameOf(column)] ?? {};
  const [row] = copy.answerOf(
    `select ${keys.map((key) => `t.${key.name}`).join(", ")}, t.${name} as is_value from ${table} t
     where ${where} order by t.${name} is null, 1 limit 1`,
  ).rows;
  if (row === undefined) return undefined;
  if (row.is_value === null && to === undefined && unnoticed[nameOf(column)] === undefined) return undefined;
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
    if (table === "daily_counts" || table === "removed_clicks")
      return row.day === key.day && row.partner === key.partner_id;
    if (table === "customer_clicks" && row.click !== undefined) return row.click === key.click_id;
    if (table === "clicks" && row.click === key.click_id) return true;
    const id =
      names[table] === "partner" && table !== "partners"
        ? key.partner_id
        : (key.id ?? key.customer_id ?? key.commission_id ?? key.event_id ?? key.entry_id ?? key.name);
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
  return copy.rolledBack(async (within) => {
    const changed = within
      .prepare(
        `update ${table} as t set ${name} = ${spoiltValue(column)}
         where ${Object.keys(key)
           .map((part) => `${part} = ?`)
           .join(" and ")} returning ${name} as value`,
      )
      .get(...Object.values(key));
    const keys = [key, ...(changed !== undefined && name in key ? [{ ...key, [name]: changed.value ?? null }] : [])];
    const found = (await auditLedger(copy.database, { limit: 1_000 })).filter(
      (finding) => finding.broken !== schemaRule,
    );
    const naming = found.filter(({ rows }) => rows.some((row) => isNamed(row, column, keys)));
    return { found: found.map((finding) => finding.broken), naming: naming.map((finding) => finding.broken) };
  });
}

it("the audit finds nothing wrong in the unchanged copy of the database, except that its indexes and triggers are missing", async () => {
  expect((await auditLedger(copy.database)).map((finding) => finding.broken)).toEqual([schemaRule]);
});

it("the lists of columns and tables in this test contain only existing columns and tables", () => {
  expect(columns.map(nameOf)).toEqual(
    expect.arrayContaining([...Object.keys(unnoticed), ...Object.keys(spoiled), ...inSums]),
  );
  const tables = copy.answerOf("select name from sqlite_master where type = 'table'").rows.map(({ name }) => name);
  expect(tables).toEqual(expect.arrayContaining([...Object.keys(others), ...Object.keys(names)]));
});

it("the audit reports a row if any of its columns that can be verified has a wrong value", async () => {
  const missed: string[] = [];
  const verifiable = columns.filter((each) => unnoticed[nameOf(each)] === undefined);
  for (const column of isWhole ? verifiable : verifiable.filter((_, i) => i % 12 === 0)) {
    const { found, naming } = await spoil(column);
    for (const rule of found) broken.add(rule);
    if (naming.length === 0) missed.push(`${nameOf(column)}: ${found.join("; ") || "nothing"}`);
  }
  expect(missed).toEqual([]);
});

it("the audit doesn't notice changes to columns listed as unverifiable", { tags: "soak" }, async () => {
  const noticed: string[] = [];
  for (const column of columns.filter((each) => unnoticed[nameOf(each)] !== undefined)) {
    const { found } = await spoil(column);
    if (found.length > 0) noticed.push(`${nameOf(column)}: ${found.join("; ")}`);
  }
  expect(noticed).toEqual([]);
});

it.each([...oneOfEach(payoutCases, ([rule]) => rule), ...correctionCases, ...rewardCases])(
  "the audit finds %s: %s",
  async (rule, by) => {
    await copy.rolledBack(async (within) => {
      expect(within.prepare(by).run().changes).toBeGreaterThan(0);
      expect((await auditLedger(copy.database)).map((finding) => finding.broken)).toContain(rule);
    });
  },
);

it("for each rule of the audit, at least one test case breaks the rule", { tags: "soak" }, () => {
  expect(rules.filter((rule) => !broken.has(rule))).toEqual([]);
});
