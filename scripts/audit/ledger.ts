import { accessInvariants } from "./access.ts";
import { adjustmentInvariants } from "./adjustments.ts";
import { approvalInvariants } from "./approvals.ts";
import { bindingInvariants } from "./bindings.ts";
import { bonusInvariants } from "./bonuses.ts";
import { bookInvariants } from "./books.ts";
import { claimInvariants } from "./claims.ts";
import { commissionInvariants } from "./commissions.ts";
import { countInvariants } from "./counts.ts";
import { couponInvariants } from "./coupons.ts";
import { clickInvariants, customerInvariants } from "./customers.ts";
import { entryInvariants } from "./entries.ts";
import { erasureInvariants } from "./erasures.ts";
import { eventInvariants } from "./events.ts";
import { firstSettingInvariants } from "./first-settings.ts";
import { freeNumberInvariants } from "./free-numbers.ts";
import { groupInvariants } from "./groups.ts";
import { instantInvariants } from "./instants.ts";
import type { Broken, Invariants, Read, Recount, Row, Scope } from "./invariant.ts";
import { keyInvariants } from "./keys.ts";
import { noteInvariants } from "./notes.ts";
import { numberInvariants } from "./numbers.ts";
import { offerInvariants } from "./offers.ts";
import { paymentInvariants } from "./payment-details.ts";
import { evidenceInvariants } from "./payout-evidence.ts";
import { payoutInvariants } from "./payouts.ts";
import { addressRecount } from "./recount-addresses.ts";
import { clickRecount } from "./recount-clicks.ts";
import { commissionRecount } from "./recount-commissions.ts";
import { leadRecount } from "./recount-leads.ts";
import { lineRecount } from "./recount-lines.ts";
import { payoutRecount } from "./recount-payouts.ts";
import { refundRecount } from "./recount-refunds.ts";
import { refundInvariants } from "./refunds.ts";
import { renewalInvariants } from "./renewals.ts";
import { riskInvariants } from "./risk.ts";
import { schemaBroken, schemaRule } from "./schema.ts";
import { statementInvariants } from "./statements.ts";
import { termInvariants } from "./terms.ts";
import { tierInvariants } from "./tiers.ts";
import { trailInvariants } from "./trail.ts";
import { unitInvariants } from "./units.ts";
import { valueInvariants } from "./values.ts";

export const invariants: Invariants = {
  ...commissionInvariants,
  ...renewalInvariants,
  ...entryInvariants,
  ...approvalInvariants,
  ...riskInvariants,
  ...adjustmentInvariants,
  ...refundInvariants,
  ...customerInvariants,
  ...clickInvariants,
  ...bookInvariants,
  ...instantInvariants,
  ...valueInvariants,
  ...trailInvariants,
  ...firstSettingInvariants,
  ...groupInvariants,
  ...offerInvariants,
  ...unitInvariants,
  ...couponInvariants,
  ...termInvariants,
  ...noteInvariants,
  ...claimInvariants,
  ...accessInvariants,
  ...paymentInvariants,
  ...bindingInvariants,
  ...keyInvariants,
  ...countInvariants,
  ...erasureInvariants,
  ...eventInvariants,
  ...numberInvariants,
  ...tierInvariants,
  ...bonusInvariants,
  ...payoutInvariants,
  ...freeNumberInvariants,
  ...evidenceInvariants,
  ...statementInvariants,
};

const newRecounts = (): readonly Recount<unknown>[] => [
  commissionRecount(),
  leadRecount,
  refundRecount,
  clickRecount,
  payoutRecount,
  lineRecount,
  addressRecount,
];

export const rules: readonly string[] = [...Object.keys(invariants), ...newRecounts().flatMap(({ finds }) => finds)];

export const allRules: readonly string[] = [schemaRule, ...rules];

export interface Finding {
  readonly broken: string;
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

export interface AuditScope {
  readonly programId?: number | readonly number[] | undefined;
  /** Selects the programs by an SQL condition, instead of by their ids. */
  readonly scope?: Scope | undefined;
  readonly limit?: number | undefined;
  readonly rowsOfPage?: number | undefined;
}

interface Answer {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

export interface AuditedDatabase {
  execute(query: string): Promise<Answer>;
  batch(queries: string[], mode: "read"): Promise<readonly Answer[]>;
}

/**
 * Audits the books: every stored sum, count and amount must equal that of the underlying rows, and related rows must
 * agree. Only reads, and may run while the service runs. Skips programs on another shard or in a migration, because
 * some of their rows may be missing.
 */
export async function auditLedger(
  database: AuditedDatabase,
  { limit = 20, rowsOfPage = 1_000, ...programs }: AuditScope = {},
): Promise<Finding[]> {
  const of = scopeOf(programs);
  const isWhole = of === isHere;
  const findings = new Findings(limit);

  for (const row of isWhole ? await schemaBroken(database) : []) findings.add(schemaRule, row);
  const queries = Object.values(invariants).map((find) => `select * from (${find(of)}) limit ${limit + 1}`);
  const paged = newRecounts().map((recount): Paged => {
    const pageAfter = (last: unknown) => `${recount.page(of, last)} limit ${rowsOfPage}`;
    return { recount, rowsOfPage, pageAfter };
  });
  const firstPages = paged.map(({ pageAfter }) => pageAfter(undefined));
  const answers = isWhole ? askInTurn(database, queries) : await database.batch([...queries, ...firstPages], "read");
  const pages: Answer[] = [];
  const names = Object.keys(invariants).values();
  for await (const answer of answers) {
    const { value: broken, done } = names.next();
    if (done) pages.push(answer);
    else for (const row of answer.rows) findings.add(broken, plain(answer.columns, row));
  }
  for (const [i, each] of paged.entries()) {
    for await (const { broken, row } of recounted(database, each, pages[i])) findings.add(broken, row);
  }
  return findings.all();
}

function scopeOf({ programId, scope }: Pick<AuditScope, "programId" | "scope">): Scope {
  if (scope !== undefined) return scope;
  if (programId === undefined) return isHere;
  const ids = [programId].flat();
  if (!ids.every(Number.isSafeInteger)) throw new RangeError("a program's id is an integer");
  return (alias, column = "program_id") => `${alias}.${column} in (${ids.join(", ")})`;
}

/**
 * Restricts rows to programs on this shard. Each statement checks this again, because a migration may begin between
 * statements. Uses the index of migrated programs.
 */
export const isHere: Scope = (alias, column = "program_id") =>
  `${alias}.${column} not in (select id from programs where move_id is not null and place <> 'here')`;

class Findings {
  readonly #limit: number;
  readonly #rows = new Map<string, Row[]>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(broken: string, row: Row): void {
    const rows = this.#rows.get(broken);
    if (rows === undefined) this.#rows.set(broken, [row]);
    else if (rows.length <= this.#limit) rows.push(row);
  }

  all(): Finding[] {
    return allRules.flatMap((broken) => {
      const rows = this.#rows.get(broken);
      if (rows === undefined) return [];
      return [{ broken, rows: rows.slice(0, this.#limit), hasMore: rows.length > this.#limit }];
    });
  }
}

const plain = (columns: readonly string[], row: Row): Row =>
  Object.fromEntries(columns.map((name) => [name, row[name]]));

/**
 * Sends each query in its own request, because all queries together over all programs could exceed the server's time
 * limit.
 */
async function* askInTurn(database: AuditedDatabase, queries: readonly string[]): AsyncIterable<Answer> {
  for (const query of queries) yield await database.execute(query);
}

interface Paged {
  readonly recount: Recount<unknown>;
  readonly rowsOfPage: number;
  pageAfter(last: unknown): string;
}

async function* recounted(
  database: AuditedDatabase,
  { recount, rowsOfPage, pageAfter }: Paged,
  first: Answer | undefined,
): AsyncIterable<Broken> {
  const read: Read = async (query) => recordsOf(await database.execute(query));
  let page = first === undefined ? await read(pageAfter(undefined)) : recordsOf(first);
  while (page.length > 0) {
    yield* recount.check(page, read);
    page = page.length < rowsOfPage ? [] : await read(pageAfter(page.at(-1)));
  }
}

const recordsOf = ({ rows, columns: [json = ""] }: Answer): readonly unknown[] =>
  rows.map((row) => JSON.parse(String(row[json])));
