import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import { type Database, readBatch } from "../database.ts";
import { auditEntries } from "../schema/audit.ts";
import { commissions } from "../schema/commissions.ts";
import { partners } from "../schema/partners.ts";
import { sales } from "../schema/sales.ts";
import { users } from "../schema/users.ts";
import { param, readAll, readFirst } from "../statement.ts";

export interface AuditEntryView {
  readonly id: number;
  readonly createdAt: number;
  readonly actorId: string;
  readonly actorName: string | null;
  readonly action: string;
  readonly subject: string;
  /** The partner's name, or the order of the commission. */
  readonly subjectName: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

/** Null: any. */
export type AuditFilter = {
  readonly actorId: string | null;
  /** The part of the action ahead of the dot. */
  readonly kind: string | null;
  /** In milliseconds: from inclusive, until exclusive. */
  readonly from: number | null;
  readonly until: number | null;
};

/** A page looks through this many entries at most, however few the filter lets through. */
const windowSize = 10_000;

const given = sql.placeholder;

type Window = { programId: number; before: number };

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

const matches = () =>
  and(
    sql`(${param("actorId")} is null or ${auditEntries.actorId} = ${param("actorId")})`,
    sql`(${param("kind")} is null or ${auditEntries.action} like ${param("kind")} || '.%')`,
    sql`(${param("from")} is null or ${auditEntries.createdAt} >= ${param("from")})`,
    sql`(${param("until")} is null or ${auditEntries.createdAt} < ${param("until")})`,
  );

const page = readAll<Window & AuditFilter & { windowSize: number; limit: number }, AuditEntryView>((db) =>
  db
    .select({
      id: auditEntries.id,
      createdAt: auditEntries.createdAt,
      actorId: auditEntries.actorId,
      actorName: users.name,
      action: auditEntries.action,
      subject: auditEntries.subject,
      subjectName: sql<string | null>`coalesce(${partners.name}, ${sales.transactionId})`,
      before: auditEntries.before,
      after: auditEntries.after,
    })
    .from(auditEntries)
    .leftJoin(users, eq(users.id, auditEntries.actorId))
    .leftJoin(
      partners,
      and(isAbout("partner"), eq(partners.id, subjectId("partner")), eq(partners.programId, auditEntries.programId)),
    )
    .leftJoin(
      commissions,
      and(
        isAbout("commission"),
        eq(commissions.id, subjectId("commission")),
        eq(commissions.programId, auditEntries.programId),
      ),
    )
    .leftJoin(sales, eq(sales.id, commissions.saleId))
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
  /** Where the search stopped, if older entries are left to look through. */
  readonly searchedTo: number | undefined;
}

export async function listAudit(
  database: Database,
  programId: number,
  filter: AuditFilter,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<AuditPage> {
  const found = await readBatch(database, {
    entries: page({ programId, ...filter, before, windowSize, limit }),
    last: lastOfWindow({ programId, before }),
  });
  return { entries: found.entries, searchedTo: found.last?.id };
}
