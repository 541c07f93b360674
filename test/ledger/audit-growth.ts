import type { Client } from "@libsql/client";
import { type AuditedDatabase, auditLedger, invariants, isHere } from "../../scripts/audit/ledger.ts";
import { askRaw } from "../support/rows-read.ts";
import { others } from "./audit-columns.ts";

/**
 * Returns whether each copy of a row gets its own owner in this column. The column contains an owner's id, such as
 * `partner_id`.
 */
export type Shape = (column: string) => boolean;

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Columns of a unique index, and its condition in SQL. */
interface Key {
  readonly columns: readonly string[];
  readonly where: string;
  readonly isWhole: boolean;
}

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly keys: readonly Key[];
}

interface Answer {
  readonly columns: string[];
  readonly rows: Readonly<Record<string, string | number | null>>[];
  readonly rowsRead: number;
}

async function ask(url: string, sql: string): Promise<Answer> {
  const { cols, rows: found, rows_read: rowsRead } = await askRaw(url, { sql, args: [] });
  const columns = cols.map(({ name }) => name);
  const rows = found.map((cells) => Object.fromEntries(columns.map((name, i) => [name, cells[i]?.value ?? null])));
  return { columns, rows, rowsRead };
}

/** Larger than any id in the database, so that copied ids don't collide. */
const step = 10 ** 12;
const rowsOfPage = 100;

/** Copies the rows of a database many times, and counts the rows that the audit then reads. Drops all triggers. */
export class GrowingBooks {
  readonly #url: string;
  readonly #client: Client;
  readonly #tables: readonly Table[];

  private constructor(url: string, client: Client, tables: readonly Table[]) {
    this.#url = url;
    this.#client = client;
    this.#tables = tables;
  }

  /**
   * `isGrown` selects the tables to copy by name. By default, these are the tables that the audit reads, except bonuses,
   * of which a program has few.
   */
  static async open(
    url: string,
    client: Client,
    isGrown = (name: string) => others[name] === undefined && name !== "bonuses",
  ): Promise<GrowingBooks> {
    const { rows: named } = await client.execute("select name, type from sqlite_master where name not like 'sqlite_%'");
    const namesOf = (type: string) => named.filter((each) => each.type === type).map(({ name }) => String(name));
    const tables = namesOf("table").filter(isGrown);
    await client.batch([
      ...namesOf("trigger").map((name) => `drop trigger ${name}`),
      ...tables.map((name) => `create table original_${name} as select * from ${name}`),
    ]);
    return new GrowingBooks(url, client, await Promise.all(tables.map((name) => describeTable(client, name))));
  }

  /** Inserts this many copies of each row. */
  async fill(shape: Shape, copies: number): Promise<void> {
    await this.#client.migrate(
      this.#tables.flatMap((table) => [
        `delete from ${table.name}`,
        // Ignores rows that a check or an index allows only once per program.
        `insert or ignore into ${table.name} (${table.columns.map(({ name }) => name).join(", ")})
         with recursive numbers(v) as (select 0 union all select v + 1 from numbers where v < ${copies})
         select ${table.columns.map((column) => copied(table, column, shape)).join(", ")}
         from original_${table.name}, numbers`,
      ]),
    );
  }

  /**
   * The rows that the database reads for each SQL rule, and for each page of rows that the audit checks outside SQL.
   */
  async rowsRead(): Promise<ReadonlyMap<string, number>> {
    const rules = new Map(Object.entries(invariants).map(([rule, find]) => [find(isHere), rule]));
    const ruleOf = (query: string) => rules.get(query.slice("select * from (".length, query.lastIndexOf(") limit")));
    const read = new Map<string, number>();
    const execute: AuditedDatabase["execute"] = async (query) => {
      const answer = await ask(this.#url, query);
      const rule = ruleOf(query) ?? query.trim().slice(0, 40);
      read.set(rule, (read.get(rule) ?? 0) + answer.rowsRead);
      return answer;
    };
    const batch: AuditedDatabase["batch"] = (queries) => Promise.all(queries.map(execute));
    await auditLedger({ execute, batch }, { limit: 10 ** 9, rowsOfPage });
    return read;
  }
}

async function describeTable(client: Client, name: string): Promise<Table> {
  const read = async <Row>(sql: string, ...args: string[]) => (await client.execute({ sql, args })).rows as Row[];
  const columns = await read<Column & { readonly pk: number }>(
    "select name, lower(type) as type, pk from pragma_table_info(?)",
    name,
  );
  const indexed = await read<{ readonly key: string; readonly name: string; readonly sql: string | null }>(
    `select l.name as key, c.name, m.sql from pragma_index_list(?1) l join pragma_index_info(l.name) c
     left join sqlite_master m on m.name = l.name where l."unique" and c.name is not null`,
    name,
  );
  const primary = columns.filter(({ pk }) => pk > 0).map((column) => ({ name: column.name, sql: null }));
  const keys = [primary, ...Map.groupBy(indexed, ({ key }) => key).values()];
  return {
    name,
    columns,
    keys: keys.map((key) => {
      const where = key[0]?.sql?.split(" WHERE ")[1];
      return { columns: key.map((column) => column.name), where: where ?? "1", isWhole: where === undefined };
    }),
  };
}

const isIdentity = (name: string): boolean => /(^|_)(id|key|hash|reference)$/.test(name) && name !== "program_id";

/** True for columns of ledger numbers. These continue the sequence of the ids of ledger entries. */
const isNumber = (name: string): boolean => /(^|_)number$/.test(name) || name === "cut";

const isOwn = (name: string, shape: Shape): boolean =>
  isNumber(name) || (name.endsWith("_id") && isIdentity(name) && shape(name));

/** The columns in which each copy needs a unique value, with the SQL condition for the rows concerned. */
function tellingOf({ keys }: Table, shape: Shape): ReadonlyMap<string, string> {
  const telling = keys.flatMap(({ columns, where, isWhole }) => {
    if (columns.some((name) => isOwn(name, shape))) return [];
    const column = columns.findLast(isIdentity) ?? (isWhole ? columns.at(-1) : undefined);
    return column === undefined ? [] : [[column, where] as const];
  });
  return new Map(telling);
}

function copied(table: Table, { name, type }: Column, shape: Shape): string {
  const telling = tellingOf(table, shape);
  const where = isOwn(name, shape) ? "1" : (telling.get(name) ?? telling.get(`${name}_key`));
  if (where !== undefined) {
    return `iif(v > 0 and (${where}), ${type === "integer" ? `${name} + v * ${step}` : `${name} || '~' || v`}, ${name})`;
  }
  if (name.endsWith("_at")) return `${name} + v`;
  if (table.name === "audit_entries" && (name === "before" || name === "after")) return renamed(name, shape);
  if (name === "is_latest") {
    const owned = ["partner_id", "group_id"].filter(shape).map((owner) => `${owner} is not null`);
    return `iif(v = 0 or ${owned.join(" or ") || "0"}, is_latest, 0)`;
  }
  if (name !== "subject") return name;
  const [kind, id] = ["substr(subject, 1, instr(subject, ' ') - 1)", "substr(subject, instr(subject, ' ') + 1)"];
  const owners = ["partner", "commission", "sale", "payout", "customer", "coupon", "group", "application"];
  return `iif(${kind} in (${owners
    .filter((owner) => shape(`${owner}_id`))
    .concat("bonus")
    .map((owner) => `'${owner}'`)
    .join(", ")}),
    ${kind} || ' ' || (cast(${id} as integer) + v * ${step}), subject)`;
}

/**
 * SQL that changes ids in an audit entry's JSON, such as `partnerId`, in the same way as the ids in the copied rows.
 */
function renamed(name: string, shape: Shape): string {
  const owners = ["partner", "customer", "coupon", "group", "key", "origin", "payment"].filter((owner) =>
    shape(`${owner}_id`),
  );
  const isOfOwner = `j.type = 'integer' and j.key in (${owners.map((owner) => `'${owner}Id'`).join(", ")})`;
  const note = `json_object('note', (j.value ->> '$.note') + v * ${step})`;
  const value = `case when ${isOfOwner} then j.value + v * ${step} when j.key = 'code' then j.value || '~' || v
    when j.type = 'object' and j.value ->> '$.note' is not null then ${note}
    when j.type in ('object', 'array') then json(j.value) when j.type in ('true', 'false') then json(j.type) else j.value end`;
  return `iif(v > 0 and ${name} is not null, (select json_group_object(j.key, ${value}) from json_each(${name}) j), ${name})`;
}
