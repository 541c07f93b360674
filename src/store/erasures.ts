import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  isNotNull,
  isNull,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import type { ErasedSubject } from "#domain/erased-subject.ts";
import type { ProgramId } from "#domain/ids.ts";
import { type Database, readOne } from "./database.ts";
import { isReplaced } from "./sales.ts";
import { erasedIdentifiers } from "./schema/erased-identifiers.ts";
import { erasures } from "./schema/erasures.ts";
import { everyColumn, given, readAll, readCount, readFirst, unencoded, type Write, write } from "./statement.ts";

export type ErasureRow = typeof erasures.$inferSelect;

/** The running erasures `e` of a customer. */
export const runningWith = (programId: SQLWrapper, customerId: SQLWrapper): SQL => sql`
  erasures e join json_each(e.customer_ids) i on i.value = ${customerId}
  where e.erased_at is null and e.program_id = ${programId}`;

/**
 * JSON: the sums of the customers' sales, and of all balances of the program. Of a corrected sale, only the newest
 * version is included. An erasure must not change these sums.
 */
const sumsOf = (customerIds: SQL): SQL => sql`json_object(
  'sales', (select json_group_array(json_object('currency', currency, 'sales', n, 'amountCents', amount,
    'refundedCents', refunded, 'commissionCents', commission)) from (
      select s.currency, count(*) as n, sum(s.amount_cents) as amount, sum(s.refunded_cents) as refunded,
        sum(c.amount_cents) as commission
      from sales s join commissions c on c.sale_id = s.id
      where s.customer_id in (select value from json_each(${customerIds})) and not ${isReplaced} group by s.currency order by s.currency
  )),
  'balances', (select json_group_array(json_object('currency', currency, 'pendingCents', pending,
    'payableCents', payable, 'inPayoutCents', in_payout, 'paidCents', paid)) from (
      select b.currency, sum(b.pending_cents) as pending, sum(b.payable_cents) as payable,
        sum(b.in_payout_cents) as in_payout, sum(b.paid_cents) as paid
      from partner_balances b where b.program_id = ${unencoded("programId")} group by b.currency order by b.currency
  )))`;

interface NewErasure extends Record<string, unknown> {
  readonly id: string;
  readonly programId: ProgramId;
  readonly subject: ErasedSubject;
  readonly requestedBy: string;
  readonly requestedAt: number;
  readonly asked: string;
  readonly rows: string;
  /** A JSON array of customer ids. */
  readonly customerIds: string;
}

export const beginErasure = write<NewErasure>((db) =>
  db.insert(erasures).values({
    ...everyColumn(erasures),
    before: sql`${sumsOf(unencoded("customerIds"))}`,
    erasedAt: null,
    after: null,
    identifiers: 0,
  }),
);

/**
 * Fails if a sum has changed since `beginErasure` in the same commit. If `beginErasure` ran in an earlier commit, the
 * sums aren't compared, because other calls may have changed them since.
 */
export const endErasure = write<{
  id: string;
  programId: ProgramId;
  erasedAt: number;
  rows: string;
  customerIds: string;
}>((db) =>
  db
    .update(erasures)
    .set({
      erasedAt: sql`${unencoded("erasedAt")}`,
      asked: null,
      rows: sql`${unencoded("rows")}`,
      after: sql`${sumsOf(unencoded("customerIds"))}`,
    })
    .where(and(eq(erasures.id, given("id")), isNull(erasures.erasedAt))),
);

export const setErasureRows = write<{ id: string; rows: string }>((db) =>
  db
    .update(erasures)
    .set({ rows: sql`${unencoded("rows")}` })
    .where(and(eq(erasures.id, given("id")), isNull(erasures.erasedAt))),
);

export const erasureById = readFirst<{ programId: ProgramId; id: string }, ErasureRow>((db) =>
  db
    .select()
    .from(erasures)
    .where(and(eq(erasures.id, given("id")), eq(erasures.programId, given("programId")))),
);

/** 1 if the program has erased a customer, a click or a partner, otherwise 0. */
export const hasErased = readCount<{ programId: ProgramId }>((db) =>
  db
    .select({
      n: sql<number>`exists (select 1 from ${erasures} where ${eq(erasures.programId, given("programId"))})`,
    })
    .from(sql`(select 1)`),
);

/** The erasure that stored one of these digests. `digests` is a JSON array. */
export const erasureOfDigests = readFirst<{ programId: ProgramId; digests: string }, ErasureRow>((db) =>
  db
    .select(getTableColumns(erasures))
    .from(erasedIdentifiers)
    .innerJoin(erasures, eq(erasures.id, erasedIdentifiers.erasureId))
    .where(
      and(
        eq(erasedIdentifiers.programId, given("programId")),
        sql`${erasedIdentifiers.digest} in (select value from json_each(${unencoded("digests")}))`,
      ),
    )
    .orderBy(isNotNull(erasures.erasedAt), desc(erasures.requestedAt))
    .limit(1),
);

const digestsAfter = readAll<{ programId: ProgramId; after: string; limit: number }, { digest: string }>((db) =>
  db
    .select({ digest: erasedIdentifiers.digest })
    .from(erasedIdentifiers)
    .where(and(eq(erasedIdentifiers.programId, given("programId")), gt(erasedIdentifiers.digest, given("after"))))
    .orderBy(asc(erasedIdentifiers.digest))
    .limit(given("limit")),
);

const digestsAtOnce = 1_000;

/** Reads all digests of a program's erasures, page by page. */
export async function* readErasedDigests(
  database: Pick<Database, "read">,
  programId: ProgramId,
): AsyncGenerator<readonly string[], undefined> {
  for (let after = ""; ; ) {
    const page = await readOne(database, digestsAfter({ programId, after, limit: digestsAtOnce }));
    const digests = page.map(({ digest }) => digest);
    yield digests;
    const last = digests.at(-1);
    if (last === undefined || digests.length < digestsAtOnce) return undefined;
    after = last;
  }
}

type Identifiers = { programId: ProgramId; erasureId: string; digests: string };

/** Place this write before the statement that inserts the identifiers. */
const countNewIdentifiers = write<Identifiers>((db) =>
  db
    .update(erasures)
    .set({
      identifiers: sql`${erasures.identifiers} + (
        select count(distinct value) from json_each(${unencoded("digests")}) where not exists (
          select 1 from ${erasedIdentifiers} i where i.program_id = ${unencoded("programId")} and i.digest = value))`,
    })
    .where(and(eq(erasures.id, given("erasureId")), isNull(erasures.erasedAt))),
);

/** If an identifier was erased twice, the row of the newer erasure stays. `digests` is a JSON array. */
const insertIdentifiers = write<Identifiers>((db) =>
  db
    .insert(erasedIdentifiers)
    .select(
      sql`select ${unencoded("programId")}, value, ${unencoded("erasureId")} from json_each(${unencoded("digests")}) where true`,
    )
    .onConflictDoUpdate({
      target: [erasedIdentifiers.programId, erasedIdentifiers.digest],
      set: { erasureId: sql`excluded.erasure_id` },
    }),
);

export const rememberErased = (identifiers: Identifiers): readonly Write[] => [
  countNewIdentifiers(identifiers),
  insertIdentifiers(identifiers),
];

/**
 * Counts a program's exports and erasures since an instant (ms). Exports and erasures of customers are counted by their
 * audit entries.
 */
export const privacyCallsSince = readCount<{ programId: ProgramId; since: number }>((db) =>
  db.select({ n: sql<number>`count(*)` }).from(sql`(
    select a.id from audit_entries a
    where a.program_id = ${unencoded("programId")} and a.subject = 'privacy' and a.created_at > ${unencoded("since")}
    union all select e.id from erasures e
    where e.program_id = ${unencoded("programId")} and e.subject = 'partner' and e.requested_at > ${unencoded("since")})`),
);
