import { and, asc, count, eq, getTableColumns, gt, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { commissionStatuses } from "#domain/commission-status.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { commissions } from "./schema/commissions.ts";
import { partnerAccounts, partnerInvitations } from "./schema/partner-access.ts";
import {
  everyColumn,
  given,
  insert,
  newValuesOf,
  readAll,
  readCount,
  readFirst,
  unencoded,
  write,
} from "./statement.ts";

export type PartnerAccountRow = typeof partnerAccounts.$inferSelect;
export type PartnerInvitationRow = typeof partnerInvitations.$inferSelect;

/** Ids of the accounts with access to the partner, earliest access first. */
export const accountsInOrder = (partnerId: SQLWrapper): SQL<readonly string[]> =>
  sql`(select json_group_array(account_id) from (
    select a.account_id from partner_accounts a where a.partner_id = ${partnerId} order by a.created_at, a.account_id
  )) || ''`.mapWith((ids: string): readonly string[] => JSON.parse(ids));

export const hasAccounts = (partnerId: SQLWrapper): SQL<boolean> =>
  sql`exists (select 1 from partner_accounts a where a.partner_id = ${partnerId})`.mapWith(Boolean);

const isOfToken = and(
  eq(partnerInvitations.tokenHash, given("tokenHash")),
  eq(partnerInvitations.programId, given("programId")),
);

export const accountsOfPartner = readAll<{ programId: ProgramId; partnerId: PartnerId }, PartnerAccountRow>((db) =>
  db
    .select()
    .from(partnerAccounts)
    .where(and(eq(partnerAccounts.partnerId, given("partnerId")), eq(partnerAccounts.programId, given("programId"))))
    .orderBy(asc(partnerAccounts.createdAt), asc(partnerAccounts.accountId)),
);

/** Accounts with access to the partner whom the invitation with this token invites. */
export const accountsOfInvitedPartner = readAll<{ programId: ProgramId; tokenHash: string }, PartnerAccountRow>((db) =>
  db
    .select(getTableColumns(partnerAccounts))
    .from(partnerInvitations)
    .innerJoin(partnerAccounts, eq(partnerAccounts.partnerId, partnerInvitations.partnerId))
    .where(isOfToken),
);

const earningStatuses = commissionStatuses.filter((status) => status !== "void");

/** The instant (ms) of the partner's first commission. Makes one index lookup for each status. */
export const earliestCommission = readFirst<{ programId: ProgramId; partnerId: PartnerId }, { at: number | null }>(
  (db) => {
    const firstOf = (status: string) => sql`(select c.created_at from ${commissions} c
      where c.partner_id = ${given("partnerId")} and c.program_id = ${given("programId")} and c.is_test = 0
        and c.status = ${sql.raw(`'${status}'`)} order by c.id limit 1)`;
    const firsts = sql.join(
      earningStatuses.map((status) => sql`select ${firstOf(status)} as at`),
      sql` union all `,
    );
    return db.select({ at: sql<number | null>`min(first.at)`.as("at") }).from(sql`(${firsts}) as first`);
  },
);

/** The number of a program's partners to which an account has access. */
export const accessCountOfAccount = readCount<{ programId: ProgramId; accountId: string }>((db) =>
  db
    .select({ n: count() })
    .from(partnerAccounts)
    .where(and(eq(partnerAccounts.accountId, given("accountId")), eq(partnerAccounts.programId, given("programId")))),
);

/** If the account already has access, only the role and `createdAt` are replaced. */
export const savePartnerAccount = insert<PartnerAccountRow>((db) =>
  db
    .insert(partnerAccounts)
    .values(everyColumn(partnerAccounts))
    .onConflictDoUpdate({
      target: [partnerAccounts.partnerId, partnerAccounts.accountId],
      set: newValuesOf({ role: partnerAccounts.role, createdAt: partnerAccounts.createdAt }),
    }),
);

export const deletePartnerAccount = write<{ partnerId: PartnerId; accountId: string }>((db) =>
  db
    .delete(partnerAccounts)
    .where(and(eq(partnerAccounts.partnerId, given("partnerId")), eq(partnerAccounts.accountId, given("accountId")))),
);

export const partnerInvitationOfToken = readFirst<{ programId: ProgramId; tokenHash: string }, PartnerInvitationRow>(
  (db) => db.select().from(partnerInvitations).where(isOfToken),
);

/** `madeBy` is the inviting member. Null selects all members' invitations. */
const isUnused = () =>
  and(
    eq(partnerInvitations.programId, given("programId")),
    isNull(partnerInvitations.usedBy),
    sql`(${unencoded("madeBy")} is null or ${partnerInvitations.invitedBy} = ${unencoded("madeBy")})`,
  );
type Unused = { programId: ProgramId; madeBy: string | null };

export const openInvitationCount = readCount<Unused & { at: number }>((db) =>
  db
    .select({ n: count() })
    .from(partnerInvitations)
    .where(and(isUnused(), gt(partnerInvitations.expiresAt, given("at")))),
);

/** `ids` is a JSON array. */
export const invitationsOfPartners = readAll<{ programId: ProgramId; ids: string }, PartnerInvitationRow>((db) =>
  db
    .select()
    .from(partnerInvitations)
    .where(
      and(
        sql`${partnerInvitations.partnerId} in (select value from json_each(${given("ids")}))`,
        eq(partnerInvitations.programId, given("programId")),
      ),
    ),
);

const { partnerId: _, ...renewed } = getTableColumns(partnerInvitations);

/** Replaces the partner's earlier invitation. */
export const saveInvitation = insert<PartnerInvitationRow>((db) =>
  db
    .insert(partnerInvitations)
    .values(everyColumn(partnerInvitations))
    .onConflictDoUpdate({ target: partnerInvitations.partnerId, set: newValuesOf(renewed) }),
);

export const markInvitationUsed = write<{ tokenHash: string; usedBy: string }>((db) =>
  db
    .update(partnerInvitations)
    .set({ usedBy: sql`${given("usedBy")}` })
    .where(eq(partnerInvitations.tokenHash, given("tokenHash"))),
);

/** Revokes unused invitations. */
export const revokeInvitations = write<Unused>((db) => db.delete(partnerInvitations).where(isUnused()));
