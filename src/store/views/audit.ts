import { and, desc, eq, gte, lt, type SQLWrapper, sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import { type Database, readBatch } from "../database.ts";
import { nameOfKey, nameOfKeyActor } from "../keys.ts";
import { auditEntries } from "../schema/audit.ts";
import { claims } from "../schema/claims.ts";
import { commissions } from "../schema/commissions.ts";
import { couponCodes } from "../schema/coupons.ts";
import { customers } from "../schema/customers.ts";
import { partners } from "../schema/partners.ts";
import { payouts } from "../schema/payouts.ts";
import { sales } from "../schema/sales.ts";
import { users } from "../schema/users.ts";
import { type Compiler, given, type RowOf, readAll, readFirst, unencoded } from "../statement.ts";

/** A null field matches every entry. */
export type AuditFilter = {
  readonly actorId: string | null;
  /** The part of the action before the dot. */
  readonly kind: string | null;
  /** Instants (ms): from `from` (inclusive) until `until` (exclusive). */
  readonly from: number | null;
  readonly until: number | null;
};

/** A page scans at most this many entries, even if few match the filter. */
const windowSize = 10_000;

type Window = { programId: ProgramId; before: number };

const lastOfWindow = readFirst<Window, { id: number }>((db) =>
  db
    .select({ id: auditEntries.id })
    .from(auditEntries)
    .where(and(eq(auditEntries.programId, given("programId")), lt(auditEntries.id, given("before"))))
    .orderBy(desc(auditEntries.id))
    .limit(1)
    .offset(windowSize - 1),
);

const subjectId = (kind: string) => sql`cast(substr(${auditEntries.subject}, ${kind.length + 2}) as integer)`;
const isAbout = (kind: string) => sql`${auditEntries.subject} like ${`${kind} %`}`;

const isOfLine = sql`${auditEntries.action} in ('payout.line_failed', 'payout.line_settled', 'payout.line_settled_late')`;
const namesPartner = sql`(${isOfLine} or ${isAbout("customer")} or ${isAbout("coupon")} or ${isAbout("claim")})`;

const groupName = sql`(select g.name from partner_groups g
  where ${isAbout("group")} and g.id = ${subjectId("group")} and g.program_id = ${auditEntries.programId})`;

const couponCode = sql`(select o.code from ${couponCodes} o
  where ${isAbout("coupon")} and o.coupon_id = ${subjectId("coupon")} and o.program_id = ${auditEntries.programId}
  order by o.position limit 1)`;

const claimedDay = sql`(select m.day from ${claims} m
  where ${isAbout("claim")} and m.id = ${subjectId("claim")} and m.program_id = ${auditEntries.programId})`;

const matches = () =>
  and(
    sql`(${unencoded("actorId")} is null or ${auditEntries.actorId} = ${unencoded("actorId")})`,
    sql`(${unencoded("kind")} is null or ${auditEntries.action} like ${unencoded("kind")} || '.%')`,
    sql`(${unencoded("from")} is null or ${auditEntries.createdAt} >= ${unencoded("from")})`,
    sql`(${unencoded("until")} is null or ${auditEntries.createdAt} < ${unencoded("until")})`,
  );

const namedIn = (json: SQLWrapper) => sql`select f.value ->> '$.note' from json_each(coalesce(${json}, '{}')) f
  where f.type = 'object'`;

const selectEntries = (db: Compiler) =>
  db
    .select({
      id: auditEntries.id,
      createdAt: auditEntries.createdAt,
      actorId: auditEntries.actorId,
      actorName: sql<
        string | null
      >`coalesce(${users.name}, 'API key ' || ${nameOfKeyActor(auditEntries.actorId, auditEntries.programId)},
        'Referral page, with a token of ' || ${nameOfKeyActor(auditEntries.actorId, auditEntries.programId, "embed")})`,
      action: auditEntries.action,
      subject: auditEntries.subject,
      /**
       * Depends on the subject: the partner's or group's name, the customer's key, the coupon's first code, the
       * transaction id of the sale or commission, the payout's reference, or for a claim the transaction id of the credited
       * sale or else the reported day.
       */
      subjectName: sql<
        string | null
      >`coalesce(${payouts.reference}, ${sales.transactionId}, ${customers.customerKey}, ${groupName}, ${couponCode}, ${claimedDay}, iif(${namesPartner}, null, ${partners.name}))`,
      /** The partner of a claim, of a new coupon or of a failed or settled line, or to whom a customer was assigned. */
      partnerName: sql<string | null>`iif(${namesPartner}, ${partners.name}, null)`,
      /** Currency of the commission or payout. */
      currency: sql<string | null>`coalesce(${payouts.currency}, ${commissions.currency})`,
      before: auditEntries.before,
      after: auditEntries.after,
      via: auditEntries.via,
      viaName: nameOfKey(sql`${auditEntries.via} ->> '$.keyId'`, auditEntries.programId),
      /** JSON object: the texts of the notes in `before` and `after`, by note id. */
      notes: sql<string>`(
        select json_group_object(n.id, n.text) from notes n
        where n.program_id = ${auditEntries.programId} and n.id in (
          ${namedIn(auditEntries.before)} union all ${namedIn(auditEntries.after)}))`,
    })
    .from(auditEntries)
    .leftJoin(users, eq(users.id, auditEntries.actorId))
    .leftJoin(
      partners,
      and(
        eq(
          partners.id,
          sql`case when ${isAbout("partner")} then ${subjectId("partner")}
            when ${namesPartner} then ${auditEntries.after} ->> '$.partnerId' end`,
        ),
        eq(partners.programId, auditEntries.programId),
      ),
    )
    .leftJoin(
      payouts,
      and(isAbout("payout"), eq(payouts.id, subjectId("payout")), eq(payouts.programId, auditEntries.programId)),
    )
    .leftJoin(
      commissions,
      and(
        isAbout("commission"),
        eq(commissions.id, subjectId("commission")),
        eq(commissions.programId, auditEntries.programId),
      ),
    )
    .leftJoin(
      sales,
      and(
        eq(
          sales.id,
          sql`case when ${isAbout("sale")} then ${subjectId("sale")}
            when ${isAbout("claim")} then ${auditEntries.after} ->> '$.saleId' else ${commissions.saleId} end`,
        ),
        eq(sales.programId, auditEntries.programId),
      ),
    )
    .leftJoin(
      customers,
      and(
        isAbout("customer"),
        eq(customers.id, subjectId("customer")),
        eq(customers.programId, auditEntries.programId),
      ),
    );
type AuditEntryView = RowOf<typeof selectEntries>;

const page = readAll<Window & AuditFilter & { windowSize: number; limit: number }, AuditEntryView>((db) =>
  selectEntries(db)
    .where(
      and(
        eq(auditEntries.programId, given("programId")),
        lt(auditEntries.id, given("before")),
        gte(
          auditEntries.id,
          sql`coalesce((select w.id from audit_entries w where w.program_id = ${given("programId")}
            and w.id < ${given("before")} order by w.id desc limit 1 offset ${given("windowSize")} - 1), 0)`,
        ),
        matches(),
      ),
    )
    .orderBy(desc(auditEntries.id))
    .limit(given("limit")),
);

export interface AuditPage {
  /** Newest first, at most `limit`. */
  readonly entries: readonly AuditEntryView[];
  /** The position at which the search stopped. Undefined if no older entries are left to scan. */
  readonly searchedTo: number | undefined;
}

export async function listAudit(
  database: Database,
  programId: ProgramId,
  filter: AuditFilter,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<AuditPage> {
  const found = await readBatch(database, {
    entries: page({ programId, ...filter, before, windowSize, limit }),
    last: lastOfWindow({ programId, before }),
  });
  return { entries: found.entries, searchedTo: found.last?.id };
}
