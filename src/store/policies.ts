import { and, desc, eq, getTableColumns, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { Policy } from "#domain/commission.ts";
import type { GroupId, PartnerId, PolicyId, ProgramId } from "#domain/ids.ts";
import { newestVersionsKept, type PolicyOwner } from "#domain/policy-history.ts";
import { commissionPolicies } from "./schema/policies.ts";
import {
  everyColumn,
  given,
  insert,
  lookUp,
  lookUpFirst,
  type Read,
  readAll,
  readCount,
  readFirst,
  unencoded,
} from "./statement.ts";

export type PolicyRow = typeof commissionPolicies.$inferSelect;

export type PolicyTerms = Omit<Policy, "id">;

const { id, programId, version, isLatest, operationId, createdAt, ...ownTerms } = getTableColumns(commissionPolicies);
const { partnerId, groupId, effectiveFrom } = ownTerms;

export const termsColumns = { version, ...ownTerms };
export const decidingColumns = { id, ...termsColumns };

type OwnerKey = Readonly<Record<"programId" | "partnerId" | "groupId", SQL>>;

const idsOf = (owner: OwnerKey, condition: SQL, newestFirst: boolean, limit: number): SQL => {
  const order = sql.raw(newestFirst ? "desc" : "asc");
  return sql`select v.id from ${commissionPolicies} v
    where v.program_id = ${owner.programId} and v.partner_id is ${owner.partnerId} and v.group_id is ${owner.groupId}
      and ${condition}
    order by v.effective_from ${order}, v.version ${order} limit ${sql.raw(String(limit))}`;
};

/** The columns that identify the owner of a version. */
export const ownerColumns = (owner: PolicyOwner) => ({
  partnerId: owner.of === "partner" ? owner.partnerId : null,
  groupId: owner.of === "group" ? owner.groupId : null,
});

export const ownerOf = ({ partnerId, groupId }: Pick<Policy, "partnerId" | "groupId">): PolicyOwner => {
  if (partnerId !== null) return { of: "partner", partnerId };
  return groupId === null ? { of: "program" } : { of: "group", groupId };
};

const any = sql`1 = 1`;

/** The owner's newest versions, newest first, and the owner's first version. */
const keptVersions = lookUp<keyof OwnerKey, Policy>(["programId", "partnerId", "groupId"], (db, wanted, key) =>
  db
    .select(decidingColumns)
    .from(wanted)
    .crossJoin(commissionPolicies)
    .where(
      sql`${id} in (
        select id from (${idsOf(key, any, true, newestVersionsKept)})
        union select id from (${idsOf(key, any, false, 1)})
      )`,
    )
    .orderBy(desc(effectiveFrom), desc(version)),
);

export const versionsOf = (ofProgram: number, owner: PolicyOwner): Read<readonly Policy[]> =>
  keptVersions({ programId: ofProgram, ...ownerColumns(owner) });

export interface AllPolicies {
  /** False if no partner of the program ever had a policy. Partners' policies are then not read. */
  readonly hasPartnerPolicies: boolean;
  /** False if no group of the program ever had a policy. Groups' policies are then not read. */
  readonly hasGroupPolicies: boolean;
  /** False if no policy of the program ever had tiers. In that case, the steps that partners reached aren't read. */
  readonly hasTiers: boolean;
  /** 0 if the program has no policy. */
  readonly newestVersion: number;
}

/** Facts about all policies of a program: the program's, groups' and partners'. */
export const allPolicies = lookUpFirst<"programId", AllPolicies>(["programId"], (db, wanted, key) =>
  db
    .select({
      hasPartnerPolicies: sql<boolean>`exists (
          select 1 from ${commissionPolicies} v where v.program_id = ${key.programId} and v.partner_id is not null
        )`.mapWith(Boolean),
      hasGroupPolicies: sql<boolean>`exists (
          select 1 from ${commissionPolicies} v
          where v.program_id = ${key.programId} and v.partner_id is null and v.group_id is not null
        )`.mapWith(Boolean),
      hasTiers: sql<boolean>`exists (
          select 1 from ${commissionPolicies} v where v.program_id = ${key.programId} and v.tiers is not null
        )`.mapWith(Boolean),
      newestVersion: sql<number>`coalesce((
          select max(v.version) from ${commissionPolicies} v where v.program_id = ${key.programId}
        ), 0)`,
    })
    .from(wanted),
);

/**
 * For each owner, instant and version number: the owner's newest version that had begun by the instant and whose
 * number isn't higher than the given one. All parameters are JSON arrays. An element of `owners` is a result of
 * `ownerColumns`.
 */
export const policiesInForce = lookUp<"programId" | "owners" | "instants" | "versions", Policy>(
  ["programId", "owners", "instants", "versions"],
  (db, wanted, key) =>
    db
      .select(decidingColumns)
      .from(wanted)
      .crossJoin(commissionPolicies)
      .where(
        sql`${id} in (
          select (${idsOf(
            {
              programId: key.programId,
              partnerId: sql`owner.value ->> 'partnerId'`,
              groupId: sql`owner.value ->> 'groupId'`,
            },
            sql`v.effective_from <= sold.value and v.version <= known.value`,
            true,
            1,
          )})
          from json_each(${key.owners}) owner, json_each(${key.instants}) sold, json_each(${key.versions}) known
        )`,
      ),
);

type ByOwner = { programId: ProgramId; partnerId: PartnerId | null; groupId: GroupId | null };
const isOfOwner = and(
  eq(programId, given("programId")),
  sql`${partnerId} is ${unencoded("partnerId")} and ${groupId} is ${unencoded("groupId")}`,
);

export const latestPolicy = readFirst<ByOwner, PolicyRow>((db) =>
  db.select().from(commissionPolicies).where(isOfOwner).orderBy(desc(effectiveFrom), desc(version)).limit(1),
);

export const countVersions = readCount<ByOwner>((db) =>
  db.select({ n: sql<number>`count(*)` }).from(commissionPolicies).where(isOfOwner),
);

export const newestOfProgram = readFirst<{ programId: ProgramId }, Pick<PolicyRow, "version" | "effectiveFrom">>((db) =>
  db
    .select({ version, effectiveFrom })
    .from(commissionPolicies)
    .where(eq(programId, given("programId")))
    .orderBy(desc(version))
    .limit(1),
);

export const policyOfVersion = readFirst<{ programId: ProgramId; version: number }, Policy>((db) =>
  db
    .select(decidingColumns)
    .from(commissionPolicies)
    .where(and(eq(programId, given("programId")), eq(version, given("version")))),
);

/** True if the version may decide sales now. The condition is the same as that of an index. */
export const isCurrent = sql`is_latest and type <> 'none'`;

const isBeneath = and(
  eq(programId, given("programId")),
  isNull(partnerId),
  sql`(${groupId} is null or ${groupId} in (
    select m.group_id from group_memberships m
    where m.program_id = ${given("programId")} and m.partner_id = ${unencoded("partnerId")}))`,
);

/**
 * Versions that decide a partner's sales once the partner's own policy has ended. If `partnerId` is null: versions that
 * decide the sales of a group's partners once the group's policy has ended.
 */
export const versionsBeneath = readAll<{ programId: ProgramId; partnerId: PartnerId | null }, Policy>((db) =>
  db.select(decidingColumns).from(commissionPolicies).where(isBeneath),
);

/** The versions of `versionsBeneath` that may decide sales now. */
export const currentBeneath = readAll<{ programId: ProgramId; partnerId: PartnerId | null }, Policy>((db) =>
  db.select(decidingColumns).from(commissionPolicies).where(and(isBeneath, isCurrent)),
);

export const hasCurrentPolicy = readFirst<{ programId: ProgramId }, { readonly id: PolicyId }>((db) =>
  db
    .select({ id })
    .from(commissionPolicies)
    .where(and(eq(programId, given("programId")), isCurrent))
    .limit(1),
);

export const countPartnersWithPolicy = readCount<{ programId: ProgramId }>((db) =>
  db
    .select({ n: sql<number>`count(*)` })
    .from(commissionPolicies)
    .where(and(eq(programId, given("programId")), isNotNull(partnerId), isCurrent)),
);

export const insertPolicy = insert<PolicyRow>((db) =>
  db.insert(commissionPolicies).values(everyColumn(commissionPolicies)),
);
