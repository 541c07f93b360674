import { and, desc, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { GroupId, PartnerId, ProgramId } from "#domain/ids.ts";
import { type Database, readBatch } from "../database.ts";
import { countPartnersWithPolicy, latestPolicy, termsColumns } from "../policies.ts";
import { auditEntries } from "../schema/audit.ts";
import { partnerGroups } from "../schema/partner-groups.ts";
import { partners } from "../schema/partners.ts";
import { commissionPolicies } from "../schema/policies.ts";
import { users } from "../schema/users.ts";
import { type Compiler, given, type RowOf, readAll, unencoded } from "../statement.ts";

const { programId, partnerId, groupId, version, effectiveFrom } = commissionPolicies;
const replaced = alias(commissionPolicies, "replaced");
// Keeps `programId` as the first column: Drizzle treats a joined row as missing if its first column is null.
const { id, isLatest, operationId, createdAt, ...replacedTerms } = getTableColumns(replaced);

const idBefore = sql`(
  select v.id from commission_policies v
  where v.program_id = ${programId} and v.partner_id is ${partnerId} and v.group_id is ${groupId}
    and (v.effective_from, v.version) < (${effectiveFrom}, ${version})
  order by v.effective_from desc, v.version desc limit 1
)`;

const selectVersions = (db: Compiler) =>
  db
    .select({
      ...termsColumns,
      partnerName: partners.name,
      groupName: partnerGroups.name,
      /**
       * The user's name, or on shards other than home the user's id, because only the home database has names. Null if
       * no user set the version.
       */
      setByName: sql<string | null>`iif(${unencoded("isHome")}, ${users.name}, ${auditEntries.actorId})`,
      /** The previous version for the same partner, group or program. */
      replaced: replacedTerms,
    })
    .from(commissionPolicies)
    .leftJoin(replaced, eq(replaced.id, idBefore))
    .leftJoin(partners, eq(partners.id, partnerId))
    .leftJoin(partnerGroups, eq(partnerGroups.id, groupId))
    .leftJoin(auditEntries, eq(auditEntries.operationId, commissionPolicies.operationId))
    .leftJoin(users, eq(users.id, auditEntries.actorId));

type Page = { programId: ProgramId; before: number; limit: number; isHome: boolean };

/**
 * Sorted like the index on owner and instant, which is also the order of versions: a version never takes effect before
 * an earlier one.
 */
const pageOf = <P extends Page>(conditions: readonly SQL[], order: readonly SQL[]) =>
  readAll<P, RowOf<typeof selectVersions>>((db) =>
    selectVersions(db)
      .where(and(eq(programId, given("programId")), ...conditions))
      .orderBy(...order)
      .limit(given("limit")),
  );

const pageOfAll = pageOf([lt(version, given("before"))], [desc(version)]);
// The unary plus keeps SQLite from using the index of all versions.
const pageOfPartner = pageOf<Page & { partnerId: PartnerId }>(
  [eq(partnerId, given("partnerId")), sql`${groupId} is null`, sql`+${version} < ${given("before")}`],
  [desc(effectiveFrom), desc(version)],
);

const pageOfGroup = pageOf<Page & { groupId: GroupId }>(
  [sql`${partnerId} is null`, eq(groupId, given("groupId")), sql`+${version} < ${given("before")}`],
  [desc(effectiveFrom), desc(version)],
);

interface ListedOwner {
  readonly partnerId: PartnerId | undefined;
  readonly groupId: GroupId | undefined;
}

/** Makes one database request. */
export const listPolicies = (
  database: Database,
  ofProgram: number,
  { partnerId, groupId, ...page }: Omit<Page, "programId"> & ListedOwner,
) => {
  const shown = { programId: ofProgram, ...page };
  const ofGroup = groupId === undefined ? pageOfAll(shown) : pageOfGroup({ ...shown, groupId });
  return readBatch(database, {
    found: partnerId === undefined ? ofGroup : pageOfPartner({ ...shown, partnerId }),
    current: latestPolicy({ programId: ofProgram, partnerId: null, groupId: null }),
    customPartners: countPartnersWithPolicy({ programId: ofProgram }),
  });
};
