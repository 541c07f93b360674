import { and, desc, eq, sql } from "drizzle-orm";
import type { Book } from "../../domain/book.ts";
import { type CommissionStatus, commissionStatuses } from "../../domain/commission-status.ts";
import { type Database, readBatch } from "../database.ts";
import { isConfirmed, isHeld } from "../reports/held-by-payout.ts";
import { byFilters, type EventFilter, filtersOf, type Narrowing, saleIdsOf } from "../reports/narrowing.ts";
import { commissions } from "../schema/commissions.ts";
import { customers } from "../schema/customers.ts";
import { payoutLines, payouts } from "../schema/payouts.ts";
import { sales } from "../schema/sales.ts";
import { type Compiler, param, readAll, readFirst } from "../statement.ts";

export interface CommissionView {
  readonly id: number;
  readonly saleId: number;
  readonly transactionId: string;
  readonly customerKey: string | null;
  readonly partnerId: number | null;
  readonly partnerCode: string | null;
  readonly status: CommissionStatus;
  readonly isUnconfirmed: boolean;
  readonly amountCents: number;
  readonly currency: string;
  readonly holdUntil: number | null;
  readonly createdAt: number;
  readonly explanation: string;
  /** Reserved by a payout that isn't paid yet. */
  readonly isInPayout: boolean;
}

export interface CommissionFilter {
  /** Absent: all but `void`. */
  readonly status: CommissionStatus | undefined;
  readonly partnerId: number | undefined;
  readonly narrowing: Narrowing;
}

const given = sql.placeholder;

const selectCommissions = (db: Compiler) =>
  db
    .select({
      id: commissions.id,
      saleId: commissions.saleId,
      transactionId: sales.transactionId,
      customerKey: customers.customerKey,
      partnerId: commissions.partnerId,
      partnerCode: sales.partnerCode,
      status: commissions.status,
      isUnconfirmed: commissions.isUnconfirmed,
      amountCents: commissions.amountCents,
      currency: commissions.currency,
      holdUntil: commissions.holdUntil,
      createdAt: commissions.createdAt,
      explanation: commissions.explanation,
      isInPayout: sql<boolean>`coalesce(${isHeld} and not ${isConfirmed}, 0)`.mapWith(Boolean),
    })
    .from(commissions)
    .innerJoin(sales, eq(sales.id, commissions.saleId))
    .leftJoin(payoutLines, eq(payoutLines.id, commissions.lineId))
    .leftJoin(payouts, eq(payouts.id, payoutLines.payoutId))
    .leftJoin(customers, eq(customers.id, sales.customerId));

const isLive = and(eq(commissions.programId, given("programId")), eq(commissions.isTest, false));

type Page = {
  programId: number;
  isTest: boolean;
  partnerId: number | null;
  before: number;
  limit: number;
} & Narrowing;

const inBook = () => sql`c.program_id = ${given("programId")} and c.is_test = ${param("isTest")}`;
const ofPartner = () =>
  sql`(${param("partnerId")} is null or c.partner_id = ${param("partnerId")}) and c.id < ${given("before")}`;
const newestFirst = () => sql`order by c.id desc limit ${given("limit")}`;

/** Each status is an index range of its own, so that a rare one isn't searched for among all. */
const newestWith = (statuses: readonly CommissionStatus[]) => {
  const ranges = statuses.map(
    (status) => sql`select * from (select c.id from commissions c
      where ${inBook()} and c.status = ${sql.raw(`'${status}'`)} and ${ofPartner()} ${newestFirst()})`,
  );
  return sql`select id from (${sql.join(ranges, sql` union all `)}) order by id desc limit ${given("limit")}`;
};

/** The commissions of one sale or customer are few. */
const narrowedTo = (filters: readonly EventFilter[], statuses: readonly CommissionStatus[]) => {
  const ofSales = filters.map((filter) => sql`c.sale_id in (${saleIdsOf(filter)})`);
  const named = statuses.map((status) => `'${status}'`).join(", ");
  return sql`select c.id from commissions c where ${sql.join(ofSales, sql` and `)}
    and c.status in (${sql.raw(named)}) and ${ofPartner()} ${newestFirst()}`;
};

const due = commissionStatuses.filter((status) => status !== "void");

const pages = (statuses: readonly CommissionStatus[]) =>
  byFilters((filters) =>
    readAll<Page, CommissionView>((db) =>
      selectCommissions(db)
        .where(
          sql`${commissions.id} in (${filters.length === 0 ? newestWith(statuses) : narrowedTo(filters, statuses)})`,
        )
        .orderBy(desc(commissions.id)),
    ),
  );

const pagesOfDue = pages(due);
const pagesByStatus = Object.fromEntries(commissionStatuses.map((status) => [status, pages([status])])) as Readonly<
  Record<CommissionStatus, typeof pagesOfDue>
>;

const byId = readFirst<{ programId: number; id: number }, CommissionView>((db) =>
  selectCommissions(db).where(and(isLive, eq(commissions.id, given("id")))),
);

export async function listCommissions(
  database: Database,
  book: Book,
  { status, partnerId, narrowing }: CommissionFilter,
  position: { readonly before: number; readonly limit: number },
): Promise<readonly CommissionView[]> {
  const page = status === undefined ? pagesOfDue : pagesByStatus[status];
  const query = { ...book, ...position, ...narrowing, partnerId: partnerId ?? null };
  return (await readBatch(database, { found: page(filtersOf(narrowing))(query) })).found;
}

export async function findCommission(
  database: Database,
  programId: number,
  id: number,
): Promise<CommissionView | undefined> {
  return (await readBatch(database, { found: byId({ programId, id }) })).found;
}
