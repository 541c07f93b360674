import type { Sql } from "./stored-calls.ts";

/** Stores digests of the identifiers of erased customers. */
export class ErasedNames {
  readonly #sql: Sql;
  hasAny: boolean;

  constructor(sql: Sql) {
    this.#sql = sql;
    sql.exec("create table if not exists erased (digest text primary key) strict, without rowid");
    this.hasAny = sql.exec("select 1 from erased limit 1").toArray().length > 0;
  }

  add(digests: readonly string[]): void {
    this.#sql.exec("insert or ignore into erased select value from json_each(?)", JSON.stringify(digests));
    this.hasAny ||= digests.length > 0;
  }

  has(digests: readonly string[]): boolean {
    const found = this.#sql.exec(
      "select 1 from erased where digest in (select value from json_each(?)) limit 1",
      JSON.stringify(digests),
    );
    return found.toArray().length > 0;
  }
}
