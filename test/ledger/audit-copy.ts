import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { DatabaseClient } from "../../harness/database-client.ts";
import type { AuditedDatabase } from "../../scripts/audit/ledger.ts";

export interface CopiedColumn {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly isKey: boolean;
}

/**
 * An in-memory copy of a database. It has no triggers, indexes, checks or keys, so that a test can write any wrong
 * value.
 */
export class AuditCopy {
  readonly #copy = new DatabaseSync(":memory:", { enableForeignKeyConstraints: false });
  /** Caches compiled statements, because compiling takes most of an audit's time. */
  readonly #statements = new Map<string, StatementSync>();
  readonly columns: readonly CopiedColumn[];

  private constructor(columns: readonly CopiedColumn[]) {
    this.columns = columns;
  }

  static async of(client: DatabaseClient): Promise<AuditCopy> {
    const { rows } = await client.execute(
      `select m.name as in_table, c.name, lower(c.type) as type, c.pk from sqlite_master m join pragma_table_info(m.name) c
       where m.type = 'table' and m.name not like 'sqlite_%' order by m.name, c.cid`,
    );
    const columns = rows.map(({ in_table, name, type, pk }) => ({
      table: String(in_table),
      name: String(name),
      type: String(type),
      isKey: pk !== 0,
    }));
    const made = new AuditCopy(columns);
    for (const [table, ofTable] of Map.groupBy(columns, (column) => column.table)) {
      made.#copy.exec(`create table ${table} (${ofTable.map(({ name, type }) => `${name} ${type}`).join(", ")})`);
      const insert = made.#copy.prepare(`insert into ${table} values (${ofTable.map(() => "?").join(", ")})`);
      for (const row of (await client.execute(`select * from ${table}`)).rows) {
        insert.run(...ofTable.map(({ name }) => row[name] as string | number | null));
      }
    }
    return made;
  }

  /** The copy as the database that `auditLedger` reads. */
  get database(): AuditedDatabase {
    return {
      execute: async (query) => this.answerOf(query),
      batch: async (queries) => queries.map((query) => this.answerOf(query)),
    };
  }

  answerOf(query: string) {
    const statement = this.#statements.get(query) ?? this.#copy.prepare(query);
    this.#statements.set(query, statement);
    return { columns: statement.columns().map(({ name }) => name), rows: statement.all() };
  }

  /** Runs `work`, then undoes its changes. */
  async rolledBack<T>(work: (copy: DatabaseSync) => Promise<T>): Promise<T> {
    this.#copy.exec("begin");
    try {
      return await work(this.#copy);
    } finally {
      this.#copy.exec("rollback");
    }
  }

  close(): void {
    this.#copy.close();
  }
}
