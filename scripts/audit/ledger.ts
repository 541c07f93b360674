import type { Client, ResultSet } from "@libsql/client/http";
import { bookInvariants } from "./books.ts";
import { commissionInvariants, entryInvariants } from "./commissions.ts";
import { countInvariants } from "./counts.ts";
import { clickInvariants, customerInvariants } from "./customers.ts";
import type { Invariants, Scope } from "./invariant.ts";
import { refundInvariants } from "./refunds.ts";

export const invariants: Invariants = {
  ...commissionInvariants,
  ...entryInvariants,
  ...refundInvariants,
  ...customerInvariants,
  ...clickInvariants,
  ...bookInvariants,
  ...countInvariants,
};

/** What should hold and does not. */
export interface Finding {
  readonly broken: string;
  /** The first of the rows that break it. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly hasMore: boolean;
}

export interface AuditScope {
  /** Default: all. */
  readonly programId?: number | undefined;
  /** Rows to give of each finding. Default 20. */
  readonly limit?: number | undefined;
}

/**
 * Looks whether the books are right: every sum and every count that is kept is what the rows it is made of come to, and
 * what belongs together agrees. It only reads, and may run beside a service at work.
 */
export async function auditLedger(client: Client, { programId, limit = 20 }: AuditScope = {}): Promise<Finding[]> {
  if (programId !== undefined && !Number.isSafeInteger(programId)) throw new RangeError("a program's id is an integer");
  const of: Scope = (alias) => (programId === undefined ? "1" : `${alias}.program_id = ${programId}`);
  const queries = Object.values(invariants).map((find) => `select * from (${find(of)}) limit ${limit + 1}`);
  const results = await (programId === undefined ? askInTurn(client, queries) : client.batch(queries, "read"));
  return Object.keys(invariants).flatMap((broken, i) => {
    const { rows = [], columns = [] } = results[i] ?? {};
    if (rows.length === 0) return [];
    const shown = rows.slice(0, limit).map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])));
    return [{ broken, rows: shown, hasMore: rows.length > limit }];
  });
}

/** Over all programs each query may take long: together they could outlast what a server allows a request. */
async function askInTurn(client: Client, queries: readonly string[]): Promise<ResultSet[]> {
  const results: ResultSet[] = [];
  for (const query of queries) results.push(await client.execute(query));
  return results;
}
