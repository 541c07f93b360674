import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { type Database, DatabaseError } from "#store/database.ts";
import { fenceOf } from "#store/fenced-row.ts";
import type { Row, SqlValue, Statement } from "#store/statement.ts";
import { readMigrations } from "../database/migrate.ts";

/** An empty in-memory database of the current schema. It records every write except those of the writer's own row. */
export class MemoryDatabase implements Database {
  readonly #sqlite = new DatabaseSync(":memory:");
  readonly #prepared = new Map<string, StatementSync>();
  readonly #writes: Statement[] = [];
  roundTrips = 0;

  static async open(): Promise<MemoryDatabase> {
    const database = new MemoryDatabase();
    for (const { statements } of await readMigrations()) database.#sqlite.exec(statements.join("\n"));
    return database;
  }

  get writes(): readonly Statement[] {
    return this.#writes;
  }

  /** The last number that was assigned to an entry or a move. */
  get lastNumber(): number {
    return Number(this.#sqlite.prepare("select max(number) as number from ledger_writers").get()?.number);
  }

  /** Adds a workspace, without recording the write. */
  addWorkspace({ workspaceId, userId }: { readonly workspaceId: string; readonly userId: string }): void {
    const insert = (sql: string, ...args: string[]) => this.#sqlite.prepare(sql).run(...args);
    insert("insert into workspaces (id, name, created_at) values (?, ?, 0)", workspaceId, workspaceId);
    insert(
      "insert into memberships (id, workspace_id, user_id, role, status, created_at) values (?, ?, ?, 'owner', 'active', 0)",
      userId,
      workspaceId,
      userId,
    );
  }

  /** Writes the whole database to a new file. */
  save(file: string): void {
    this.#sqlite.prepare("vacuum into ?").run(file);
  }

  async read(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    this.roundTrips += 1;
    return statements.map((statement, i) => this.#run(statement, i));
  }

  async write(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    this.roundTrips += 1;
    this.#sqlite.exec("begin immediate");
    try {
      const results = statements.map((statement, i) => this.#run(statement, i));
      this.#sqlite.exec("commit");
      this.#writes.push(...statements.filter((statement) => this.#isRecorded(statement)));
      return results;
    } catch (error) {
      this.#sqlite.exec("rollback");
      throw error;
    }
  }

  #run({ sql, args }: Statement, index: number): readonly Row[] {
    try {
      // The prepared statement returns rows as arrays, which its type doesn't declare.
      return this.#prepare(sql).all(...args.map(encoded)) as unknown[] as Row[];
    } catch (error) {
      throw new DatabaseError({ kind: "statement", index }, error);
    }
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#sqlite.prepare(sql);
    statement.setReturnArrays(true);
    this.#prepared.set(sql, statement);
    return statement;
  }

  /** True for a statement whose write is recorded. Statements with columns are reads or claim the writer's row. */
  #isRecorded({ sql }: Statement): boolean {
    return sql !== fenceSql && this.#prepare(sql).columns().length === 0;
  }
}

const fenceSql = fenceOf({ epoch: 0, seq: 0 }, { at: 0, committedAt: null, number: 0 }).sql;

const encoded = (value: SqlValue): SQLInputValue => (typeof value === "boolean" ? Number(value) : value);
