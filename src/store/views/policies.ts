import { and, desc, eq, getTableColumns, isNull, lt, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { type Database, readBatch } from "../database.ts";
import type { PolicyRow } from "../policies.ts";
import { auditEntries } from "../schema/audit.ts";
import { partners } from "../schema/partners.ts";
import { commissionPolicies } from "../schema/policies.ts";
import { users } from "../schema/users.ts";
import { param, readAll, readCount, readFirst } from "../statement.ts";

export interface PolicyView extends PolicyRow {
  readonly partnerName: string | null;
  /** Null for a version that no user set. */
  readonly setByName: string | null;
  /** The version before, of the program or of the same partner. */
  readonly replaced: PolicyRow | null;
}

const { programId, partnerId, version } = commissionPolicies;
const replaced = alias(commissionPolicies, "replaced");
const given = sql.placeholder;
const isOfProgram = eq(programId, given("programId"));

const versionsBefore = sql`(
  select version, lag(version) over (partition by partner_id order by version) as before
  from commission_policies where program_id = ${given("programId")}
) v`;

type Page = { programId: number; partnerId: number | null; before: number; limit: number };

const policyPage = readAll<Page, PolicyView>((db) =>
  db
    .select({
      ...getTableColumns(commissionPolicies),
      partnerName: partners.name,
      setByName: users.name,
      replaced: getTableColumns(replaced),
    })
    .from(commissionPolicies)
    .innerJoin(versionsBefore, sql`v.version = ${version}`)
    .leftJoin(replaced, and(eq(replaced.programId, programId), sql`${replaced.version} = v.before`))
    .leftJoin(partners, eq(partners.id, partnerId))
    .leftJoin(
      auditEntries,
      and(
        eq(auditEntries.programId, programId),
        eq(
          auditEntries.subject,
          sql`iif(${partnerId} is null, 'program ' || ${programId}, 'partner ' || ${partnerId})`,
        ),
        eq(auditEntries.action, "policy.set"),
        sql`json_extract(${auditEntries.after}, '$.version') = ${version}`,
      ),
    )
    .leftJoin(users, eq(users.id, auditEntries.actorId))
    .where(
      and(
        isOfProgram,
        lt(version, given("before")),
        sql`(${param("partnerId")} is null or ${partnerId} = ${param("partnerId")})`,
      ),
    )
    .orderBy(desc(version))
    .limit(given("limit")),
);

const programPolicy = readFirst<{ programId: number }, PolicyRow>((db) =>
  db
    .select()
    .from(commissionPolicies)
    .where(and(isOfProgram, isNull(partnerId)))
    .orderBy(desc(version))
    .limit(1),
);

/** Of each partner that ever had a policy, the type of the latest: SQLite takes it from the row of the maximum. */
const latestOfPartners: SQL = sql`(
  select type, max(version) from commission_policies
  where program_id = ${given("programId")} and partner_id is not null group by partner_id
)`;

const customPartners = readCount<{ programId: number }>((db) =>
  db.select({ n: sql<number>`count(*)` }).from(latestOfPartners).where(sql`type <> 'none'`),
);

/** One request. */
export const listPolicies = (
  database: Database,
  ofProgram: number,
  page: { readonly partnerId: number | undefined; readonly before: number; readonly limit: number },
) =>
  readBatch(database, {
    found: policyPage({ programId: ofProgram, ...page, partnerId: page.partnerId ?? null }),
    current: programPolicy({ programId: ofProgram }),
    customPartners: customPartners({ programId: ofProgram }),
  });
