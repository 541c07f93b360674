import { and, count, desc, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { caps } from "#domain/caps.ts";
import type { GroupId, ProgramId } from "#domain/ids.ts";
import { newestMembershipsKept } from "#domain/policy-history.ts";
import type { Group, Membership } from "#domain/policy-in-force.ts";
import { groupMemberships, partnerGroups } from "./schema/partner-groups.ts";
import { partners } from "./schema/partners.ts";
import {
  type Compiler,
  everyColumn,
  given,
  insert,
  lookUp,
  lookUpFirst,
  readAll,
  readCount,
  readFirst,
  update,
} from "./statement.ts";

export type GroupRow = typeof partnerGroups.$inferSelect;
export type MembershipRow = typeof groupMemberships.$inferSelect;

const isOfProgram = eq(partnerGroups.programId, given("programId"));

export const groupOfProgram = readFirst<{ programId: ProgramId; id: GroupId }, GroupRow>((db) =>
  db
    .select()
    .from(partnerGroups)
    .where(and(eq(partnerGroups.id, given("id")), isOfProgram)),
);

/** Finds the group by name, ignoring the case of A to Z. */
export const groupOfName = readFirst<{ programId: ProgramId; name: string }, GroupRow>((db) =>
  db
    .select()
    .from(partnerGroups)
    .where(and(isOfProgram, sql`${partnerGroups.name} = ${given("name")} collate nocase`)),
);

/** Finds groups by name, ignoring the case of A to Z. `names` is a JSON array. */
export const groupsOfNames = readAll<{ programId: ProgramId; names: string }, Group>((db) =>
  db
    .select({ id: partnerGroups.id, name: partnerGroups.name })
    .from(partnerGroups)
    .where(
      and(isOfProgram, sql`${partnerGroups.name} collate nocase in (select value from json_each(${given("names")}))`),
    ),
);

export const groupCount = readCount<{ programId: ProgramId }>((db) =>
  db.select({ n: count() }).from(partnerGroups).where(isOfProgram),
);

export const insertGroup = insert<GroupRow>((db) => db.insert(partnerGroups).values(everyColumn(partnerGroups)));

export const updateGroup = update(partnerGroups, ["id"], ["name"]);

export const groupName = lookUpFirst<"groupId", Pick<Group, "name">>(["groupId"], (db, wanted, key) =>
  db
    .select({ name: partnerGroups.name })
    .from(wanted)
    .innerJoin(partnerGroups, sql`${partnerGroups.id} = ${key.groupId}`),
);

type OfPartner = Readonly<Record<"programId" | "partnerId", SQL>>;
const ofPartner = (alias: string, { programId, partnerId }: OfPartner): SQL =>
  sql`${sql.raw(alias)}.program_id = ${programId} and ${sql.raw(alias)}.partner_id = ${partnerId}`;

const membershipsAt = (db: Compiler, wanted: SQL, key: OfPartner, instants: SQL) =>
  db
    .select({ groupId: groupMemberships.groupId, effectiveFrom: groupMemberships.effectiveFrom })
    .from(wanted)
    .crossJoin(groupMemberships)
    .where(sql`${ofPartner("group_memberships", key)} and ${groupMemberships.effectiveFrom} in (${instants})`)
    .orderBy(desc(groupMemberships.effectiveFrom));

/**
 * Returns the partner's newest memberships, newest first. There is one row more than the limit, which shows whether
 * there are older ones.
 */
export const newestMembershipsOf = lookUp<keyof OfPartner, Membership>(["programId", "partnerId"], (db, wanted, key) =>
  membershipsAt(
    db,
    wanted,
    key,
    sql`select m.effective_from from group_memberships m where ${ofPartner("m", key)}
      order by m.effective_from desc limit ${sql.raw(String(newestMembershipsKept + 1))}`,
  ),
);

/** Returns the memberships that were in force at each of `instants`, a JSON array. */
export const membershipsThen = lookUp<keyof OfPartner | "instants", Membership>(
  ["programId", "partnerId", "instants"],
  (db, wanted, key) =>
    membershipsAt(
      db,
      wanted,
      key,
      sql`select (select max(m.effective_from) from group_memberships m
          where ${ofPartner("m", key)} and m.effective_from <= sold.value) from json_each(${key.instants}) sold`,
    ),
);

/** True if the row is the partner's current membership. */
export const isNewest = sql`${groupMemberships.effectiveFrom} = (
  select max(m.effective_from) from group_memberships m
  where m.program_id = ${groupMemberships.programId} and m.partner_id = ${groupMemberships.partnerId})`;

export interface NewestMembership extends Pick<MembershipRow, "partnerId" | "groupId" | "effectiveFrom"> {
  /**
   * True if the partner's group has changed as often as the cap allows. They can then only be removed from their group.
   */
  readonly isFull: boolean;
}

const isFull = sql<boolean>`(select count(*) from (
  select 1 from group_memberships m
  where m.program_id = group_memberships.program_id and m.partner_id = group_memberships.partner_id
  limit ${sql.raw(String(caps.memberships.max))})) = ${sql.raw(String(caps.memberships.max))}`.mapWith(Boolean);

/** Returns the newest membership of each partner that has one. */
export function newestMembershipsWhere(db: Compiler, isWanted: SQL) {
  const { programId, partnerId, groupId, effectiveFrom } = groupMemberships;
  return db
    .select({ partnerId, groupId, effectiveFrom, isFull })
    .from(groupMemberships)
    .where(sql`${programId} = ${given("programId")} and ${partnerId} in ${isWanted} and ${isNewest}`);
}

/** `partnerIds` is a JSON array. */
export const newestMemberships = readAll<{ programId: ProgramId; partnerIds: string }, NewestMembership>((db) =>
  newestMembershipsWhere(db, sql`(select value from json_each(${given("partnerIds")}))`),
);

/** The current group of the row's partner. */
export const presentGroup = (row: { readonly programId: SQLWrapper; readonly partnerId: SQLWrapper }) =>
  sql<GroupId | null>`(
    select m.group_id from group_memberships m where m.program_id = ${row.programId} and m.partner_id = ${row.partnerId}
    order by m.effective_from desc limit 1)`;

export const groupOfExternalId = readFirst<
  { programId: ProgramId; externalId: string },
  { readonly groupId: GroupId | null }
>((db) =>
  db
    .select({ groupId: presentGroup({ programId: partners.programId, partnerId: partners.id }) })
    .from(partners)
    .where(and(eq(partners.programId, given("programId")), eq(partners.externalId, given("externalId")))),
);

export const insertMembership = insert<MembershipRow>((db) =>
  db.insert(groupMemberships).values(everyColumn(groupMemberships)),
);
