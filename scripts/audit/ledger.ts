import type { Client } from "@libsql/client/http";
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
  const findings: Finding[] = [];
  for (const [broken, find] of Object.entries(invariants)) {
    const { rows, columns } = await client.execute(`select * from (${find(of)}) limit ${limit + 1}`);
    if (rows.length === 0) continue;
    const shown = rows.slice(0, limit).map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])));
    findings.push({ broken, rows: shown, hasMore: rows.length > limit });
  }
  return findings;
}
