import { and, asc, eq, gt, isNull, notExists, sql } from "drizzle-orm";
import type { PartnerId, ProgramId, Shard } from "#domain/ids.ts";
import { readHomeAndProgram } from "../accounts/scope.ts";
import { type Database, readBatch, readOne } from "../database.ts";
import { newestTerms } from "../join-pages.ts";
import { accountsOfPartner, partnerInvitationOfToken } from "../partner-access.ts";
import { partnerOfProgram } from "../partners.ts";
import { programById } from "../programs.ts";
import { acceptedTerms, partnerTerms } from "../schema/join-pages.ts";
import { partnerAccounts, partnerInvitations } from "../schema/partner-access.ts";
import { partners } from "../schema/partners.ts";
import { programs } from "../schema/programs.ts";
import { given, readAll, readFirst } from "../statement.ts";

const openInvitationOf = readFirst<{ partnerId: PartnerId; at: number }, { expiresAt: number }>((db) =>
  db
    .select({ expiresAt: sql<number>`${partnerInvitations.expiresAt}` })
    .from(partnerInvitations)
    .where(
      and(
        eq(partnerInvitations.partnerId, given("partnerId")),
        isNull(partnerInvitations.usedBy),
        gt(partnerInvitations.expiresAt, given("at")),
      ),
    ),
);

interface AskedPartner {
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
  readonly at: number;
}

export async function findPartnerAccess(database: Database, { programId, partnerId, at }: AskedPartner) {
  return readBatch(database, {
    partner: partnerOfProgram({ programId, id: partnerId }),
    accounts: accountsOfPartner({ programId, partnerId }),
    invitation: openInvitationOf({ partnerId, at }),
  });
}

export interface Invitable {
  readonly id: PartnerId;
  readonly code: string;
  readonly name: string;
  readonly email: string | null;
  /** True if the partner has an open invitation whose link was mailed. */
  readonly isMailed: boolean;
}

/** `ids` is a JSON array. Null matches all partners. */
const invitable = readAll<{ programId: ProgramId; ids: string | null; at: number; limit: number }, Invitable>((db) =>
  db
    .select({
      id: partners.id,
      code: sql<string>`(select k.code from referral_links k where k.partner_id = ${partners.id} order by k.id limit 1)`,
      name: partners.name,
      email: partners.email,
      isMailed:
        sql<boolean>`coalesce(${partnerInvitations.mailedAt} is not null and ${partnerInvitations.usedBy} is null
        and ${partnerInvitations.expiresAt} > ${given("at")}, 0)`.mapWith(Boolean),
    })
    .from(partners)
    .leftJoin(partnerInvitations, eq(partnerInvitations.partnerId, partners.id))
    .where(
      and(
        eq(partners.programId, given("programId")),
        eq(partners.isSynthetic, false),
        eq(partners.status, "active"),
        sql`(${given("ids")} is null or ${partners.id} in (select value from json_each(${given("ids")})))`,
        notExists(
          db
            .select({ id: partnerAccounts.accountId })
            .from(partnerAccounts)
            .where(eq(partnerAccounts.partnerId, partners.id)),
        ),
      ),
    )
    .orderBy(asc(sql`${partnerInvitations.partnerId} is not null`), asc(partners.id))
    .limit(given("limit")),
);

export async function partnersWithoutAccess(
  database: Database,
  {
    programId,
    ids,
    at,
    limit,
  }: {
    readonly programId: ProgramId;
    readonly ids: readonly PartnerId[] | null;
    readonly at: number;
    readonly limit: number;
  },
): Promise<readonly Invitable[]> {
  const asked = { programId, ids: ids === null ? null : JSON.stringify(ids), at, limit };
  return await readOne(database, invitable(asked));
}

const invitedPartner = readFirst<
  { programId: ProgramId; tokenHash: string },
  { id: PartnerId; name: string; email: string | null }
>((db) =>
  db
    .select({ id: partners.id, name: partners.name, email: partners.email })
    .from(partnerInvitations)
    .innerJoin(partners, eq(partners.id, partnerInvitations.partnerId))
    .where(
      and(eq(partnerInvitations.tokenHash, given("tokenHash")), eq(partnerInvitations.programId, given("programId"))),
    ),
);

/** The visitor may not be signed in, so the invitation's token alone authorizes the read. */
export async function findPartnerInvitation(
  databaseOf: (shard: Shard) => Database,
  { programId, tokenHash }: { readonly programId: ProgramId; readonly tokenHash: string },
  guess: Shard,
) {
  const { there } = await readHomeAndProgram(
    databaseOf,
    { id: programId, guess },
    {},
    {
      program: programById({ id: programId }),
      invitation: partnerInvitationOfToken({ programId, tokenHash }),
      partner: invitedPartner({ programId, tokenHash }),
      terms: newestTerms({ programId }),
    },
  );
  return there;
}

export interface PartnerOfAccount {
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
  readonly programName: string;
  readonly name: string;
  readonly role: (typeof partnerAccounts.$inferSelect)["role"];
  readonly currency: string;
  readonly partnerStatus: (typeof partners.$inferSelect)["status"];
  readonly programStatus: (typeof programs.$inferSelect)["status"];
  readonly archivedAt: number | null;
  readonly termsPending: boolean;
}

const partnersOfAccount = readAll<{ accountId: string }, PartnerOfAccount>((db) =>
  db
    .select({
      programId: partnerAccounts.programId,
      partnerId: partnerAccounts.partnerId,
      programName: programs.name,
      name: partners.name,
      role: partnerAccounts.role,
      currency: programs.currency,
      partnerStatus: partners.status,
      programStatus: programs.status,
      archivedAt: programs.archivedAt,
      termsPending: sql<boolean>`coalesce((
        select max(t.version) from ${partnerTerms} t where t.program_id = ${partnerAccounts.programId}), 0)
        > coalesce((select max(a.version) from ${acceptedTerms} a
        where a.partner_id = ${partnerAccounts.partnerId} and a.account_id = ${partnerAccounts.accountId}), 0)`
        .mapWith(Boolean)
        .as("terms_pending"),
    })
    .from(partnerAccounts)
    .innerJoin(partners, eq(partners.id, partnerAccounts.partnerId))
    .innerJoin(programs, eq(programs.id, partnerAccounts.programId))
    .where(and(eq(partnerAccounts.accountId, given("accountId")), sql`${programs.place} in ('here', 'leaving')`))
    .orderBy(asc(partnerAccounts.createdAt), asc(partnerAccounts.partnerId)),
);

/** `ids` is a JSON array. */
const programsHere = readAll<{ ids: string }, { id: ProgramId }>((db) =>
  db
    .select({ id: programs.id })
    .from(programs)
    .where(and(sql`${programs.id} in (select value from json_each(${given("ids")}))`, eq(programs.place, "here"))),
);

/** `here` contains the requested programs that this database has. */
export async function readPartnersOfAccount(
  database: Database,
  accountId: string,
  programIds: readonly ProgramId[],
): Promise<{ readonly found: readonly PartnerOfAccount[]; readonly here: readonly { readonly id: ProgramId }[] }> {
  return readBatch(database, {
    found: partnersOfAccount({ accountId }),
    here: programsHere({ ids: JSON.stringify(programIds) }),
  });
}
