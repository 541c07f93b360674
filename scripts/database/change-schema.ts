import { DatabaseSync } from "node:sqlite";
import { ExplainedError } from "../command.ts";
import { addedParts, type Column, tableOf } from "./table-definition.ts";

export interface Definition {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

export const definitionsQuery =
  "select type, name, sql from sqlite_master where sql is not null and name <> 'schema_migrations'";

/** Defers foreign keys until the commit checks them, because copying a table temporarily violates references to it. */
const deferred = "PRAGMA defer_foreign_keys = ON;";

/**
 * Changes a database to the schema of `statements`, each of which creates a table, an index or a trigger. Returns the
 * executed statements. Rows stay, except those of removed tables and columns.
 */
export function changeSchema(database: DatabaseSync, statements: readonly string[]): string[] {
  const goal = definitionsOf(statements);
  const executed: string[] = [];
  const run = (sql: string) => {
    database.exec(sql);
    executed.push(sql);
  };
  const current = () => new Map(definitionsIn(database).map((each) => [keyOf(each), each]));
  const wanted = new Map(goal.map((each) => [keyOf(each), each]));
  const changed = [...current()].filter(([key, is]) => !isSame(is, wanted.get(key)));
  for (const type of ["trigger", "index"]) {
    for (const [, is] of changed) if (is.type === type) run(`DROP ${type.toUpperCase()} \`${is.name}\`;`);
  }
  const tables = changed
    .filter(([, { type }]) => type === "table")
    .map(([key, is]) => changeTable(is, wanted.get(key)));
  if (tables.some(({ drops }) => drops)) run(deferred);
  for (const table of tables) for (const sql of table.statements) run(sql);
  for (const [i, sql] of statements.entries()) if (!current().has(keyOf(goal[i]))) run(sql);
  return executed;
}

/**
 * Returns the names of tables, indexes and triggers that a database lacks, has in addition, or defines differently from
 * `statements`.
 */
export function schemaDifferences(found: readonly Definition[], statements: readonly string[]): readonly string[] {
  const is = new Map(found.map((each) => [keyOf(each), each]));
  const wanted = new Map(definitionsOf(statements).map((each) => [keyOf(each), each]));
  return [...new Set([...is.keys(), ...wanted.keys()])].filter((key) => !isSame(is.get(key), wanted.get(key)));
}

export const definitionsIn = (database: DatabaseSync): readonly Definition[] =>
  database
    .prepare(`${definitionsQuery} order by rowid`)
    .all()
    .map(({ type, name, sql }) => ({ type: String(type), name: String(name), sql: String(sql) }));

/** The definitions in the order of the statements. */
function definitionsOf(statements: readonly string[]): readonly Definition[] {
  const fresh = new DatabaseSync(":memory:");
  try {
    for (const sql of statements) fresh.exec(sql);
    return definitionsIn(fresh);
  } finally {
    fresh.close();
  }
}

const keyOf = (definition: Pick<Definition, "type" | "name"> | undefined): string =>
  `${definition?.type} ${definition?.name}`;

function isSame(one: Definition | undefined, other: Definition | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (one.type !== "table") return one.sql === other.sql;
  const [is, should] = [tableOf(one.sql), tableOf(other.sql)];
  return is.options === should.options && addedParts(is, should).isEmpty && addedParts(should, is).isEmpty;
}

interface TableChange {
  readonly statements: readonly string[];
  readonly drops: boolean;
}

function changeTable({ name, sql }: Definition, wanted: Definition | undefined): TableChange {
  if (wanted === undefined) return { statements: [`DROP TABLE \`${name}\`;`], drops: true };
  const [is, should] = [tableOf(sql), tableOf(wanted.sql)];
  const { columns, rules } = addedParts(is, should);
  const unfilled = columns.find(({ name: column, isRequired }) => isRequired && !is.columns.has(column));
  if (unfilled !== undefined) {
    throw new ExplainedError(
      `${name}.${unfilled.name} is NOT NULL and has no default, which the rows of a release need. Give it one, or let it be null until a later release.`,
    );
  }
  const isAddition =
    is.options === should.options &&
    addedParts(should, is).isEmpty &&
    columns.length > 0 &&
    columns.every(({ isAddable }) => isAddable) &&
    rules.every((rule) => /^CONSTRAINT \S+ CHECK/.test(rule));
  if (isAddition) return { statements: additions(name, columns, rules), drops: false };
  const kept = [...should.columns.keys()].filter((column) => is.columns.has(column));
  return { statements: copies(name, wanted.sql, kept), drops: true };
}

/** Returns the statements that add columns. The last one gets the constraints, which may refer to all columns. */
function additions(table: string, columns: readonly Column[], rules: readonly string[]): string[] {
  return columns.map(({ text }, i) => {
    const whole = [text, ...(i === columns.length - 1 ? rules : [])].join(" ");
    return `ALTER TABLE \`${table}\` ADD ${whole};`;
  });
}

/**
 * Returns the statements that copy a table into one with another definition. No table is renamed, because SQLite would
 * rewrite references to it.
 */
function copies(table: string, sql: string, columns: readonly string[]): string[] {
  const copy = `${table}_copy`;
  const names = columns.map((column) => `\`${column}\``).join(", ");
  return [
    `CREATE TABLE \`${copy}\` AS SELECT * FROM \`${table}\`;`,
    `DROP TABLE \`${table}\`;`,
    `${sql};`,
    `INSERT INTO \`${table}\` (${names}) SELECT ${names} FROM \`${copy}\`;`,
    `DROP TABLE \`${copy}\`;`,
  ];
}
