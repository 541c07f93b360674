import { approvalInvariants } from "./approvals.ts";
import { bookInvariants } from "./books.ts";
import { commissionInvariants, entryInvariants } from "./commissions.ts";
import { countInvariants } from "./counts.ts";
import { clickInvariants, customerInvariants } from "./customers.ts";
import { instantInvariants } from "./instants.ts";
import type { Invariants, Read, Recount, Row, Scope } from "./invariant.ts";
import { keyInvariants } from "./keys.ts";
import { clickRecount } from "./recount-clicks.ts";
import { commissionRecount } from "./recount-commissions.ts";
import { refundRecount } from "./recount-refunds.ts";
import { refundInvariants } from "./refunds.ts";
import { schemaBroken, schemaRule } from "./schema.ts";
import { trailInvariants } from "./trail.ts";
import { valueInvariants } from "./values.ts";

export const invariants: Invariants = {
  ...commissionInvariants,
  ...entryInvariants,
  ...approvalInvariants,
  ...refundInvariants,
  ...customerInvariants,
  ...clickInvariants,
  ...bookInvariants,
  ...instantInvariants,
  ...valueInvariants,
  ...trailInvariants,
  ...keyInvariants,
  ...countInvariants,
};

const recounts: readonly Recount[] = [commissionRecount, refundRecount, clickRecount];

/** Everything that is checked of a program's books. */
export const rules: readonly string[] = [...Object.keys(invariants), ...recounts.flatMap(({ finds }) => finds)];

/** Everything that is checked of a database. */
export const allRules: readonly string[] = [schemaRule, ...rules];

/** What should hold and does not. */
export interface Finding {
  readonly broken: string;
  /** The first of the rows that break it. */
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

export interface AuditScope {
  /** Default: all, and the schema. */
  readonly programId?: number | undefined;
  /** Rows to give of each finding. Default 20. */
  readonly limit?: number | undefined;
}

interface Answer {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** The part of a libSQL client that an audit needs. */
export interface AuditedDatabase {
  execute(query: string): Promise<Answer>;
  batch(queries: string[], mode: "read"): Promise<readonly Answer[]>;
}

/**
 * Looks whether the books are right: every sum, every count and every amount that is kept is what the rows it is made of
 * come to, and what belongs together agrees. It only reads, and may run beside a service at work.
 */
export async function auditLedger(
  database: AuditedDatabase,
  { programId, limit = 20 }: AuditScope = {},
): Promise<Finding[]> {
  if (programId !== undefined && !Number.isSafeInteger(programId)) throw new RangeError("a program's id is an integer");
  const of: Scope = (alias, column = "program_id") =>
    programId === undefined ? "1" : `${alias}.${column} = ${programId}`;
  const found = new Map<string, Row[]>();
  const add = (broken: string, row: Row) => {
    const rows = found.get(broken) ?? [];
    if (rows.length <= limit) found.set(broken, [...rows, row]);
  };

  if (programId === undefined) for (const row of await schemaBroken(database)) add(schemaRule, row);
  const queries = Object.values(invariants).map((find) => `select * from (${find(of)}) limit ${limit + 1}`);
  const answers = programId === undefined ? askInTurn(database, queries) : await database.batch(queries, "read");
  const names = Object.keys(invariants).values();
  for await (const { rows, columns } of answers) {
    const broken = names.next().value ?? "";
    for (const row of rows) add(broken, Object.fromEntries(columns.map((name) => [name, row[name]])));
  }
  const read: Read = async (query) => {
    const { rows, columns } = await database.execute(query);
    return rows.map((row) => JSON.parse(String(row[columns[0] ?? ""])));
  };
  for (const recount of recounts) for await (const { broken, row } of recount.run(read, of)) add(broken, row);

  return allRules.flatMap((broken) => {
    const rows = found.get(broken);
    return rows === undefined ? [] : [{ broken, rows: rows.slice(0, limit), hasMore: rows.length > limit }];
  });
}

/** Over all programs each query may take long: together they could outlast what a server allows a request. */
async function* askInTurn(database: AuditedDatabase, queries: readonly string[]): AsyncIterable<Answer> {
  for (const query of queries) yield await database.execute(query);
}
