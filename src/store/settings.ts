import { and, eq, isNull, sql } from "drizzle-orm";
import { maxCodeOwners } from "#domain/code-owner.ts";
import type { KeyId, LinkId, PartnerId, ProgramId, Shard } from "#domain/ids.ts";
import type { LinkMaker } from "#domain/link-maker.ts";
import type { KeyGrant } from "#domain/program-key.ts";
import type { PlaceState } from "#domain/program-place.ts";
import type { ActiveStatus } from "#domain/program-status.ts";
import type { AttributionModel, LeadAuth, WindowUntil } from "#domain/program-terms.ts";
import type { RiskTerms } from "#domain/risk.ts";
import { home } from "#domain/shard.ts";
import { isRecognized } from "./keys.ts";
import { bonuses } from "./schema/bonuses.ts";
import { partners, referralLinks } from "./schema/partners.ts";
import { programKeys, programs } from "./schema/programs.ts";
import { webhooks } from "./schema/webhooks.ts";
import { given, readAll, readFirst, unencoded } from "./statement.ts";

export interface ProgramKey extends KeyGrant {
  readonly id: KeyId;
  readonly originId: KeyId | null;
  readonly hash: string;
  readonly createdAt: number;
  readonly retiresAt: number | null;
}

export interface Program extends RiskTerms {
  readonly id: ProgramId;
  readonly status: ActiveStatus;
  readonly place: PlaceState;
  readonly leftTo: Shard | null;
  readonly leaveBy: number | null;
  readonly archivedAt: number | null;
  readonly currency: string;
  readonly timezone: string;
  readonly leadAuth: LeadAuth;
  readonly attributionModel: AttributionModel;
  readonly attributionWindowDays: number;
  readonly windowUntil: WindowUntil;
  readonly cookieWindowDays: number;
  /** True if the program has an active webhook, so that each of its commits must wake the WebhookSender. */
  readonly hasWebhooks: boolean;
  /**
   * True if the program has or had bonuses, so that each of its commits must start the search for partners who reach
   * them.
   */
  readonly hasBonuses: boolean;
  /** True if the program has erased customers or clicks. Identifiers in a call may then have been pseudonymized. */
  readonly hasErased: boolean;
  readonly keys: readonly ProgramKey[];
}

export interface Link {
  readonly id: LinkId;
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
  readonly code: string;
  readonly madeBy: LinkMaker;
  /** True if both the link and the partner are active. Only then are clicks recorded. */
  readonly isActive: boolean;
  readonly isPartnerActive: boolean;
  readonly isPartnerExempt: boolean;
  readonly partnerExternalId: string | null;
}

type ById = { id: ProgramId };

const programRow = readFirst<ById, Omit<Program, "keys">>((db) =>
  db
    .select({
      id: programs.id,
      status: programs.status,
      place: programs.place,
      leftTo: programs.leftTo,
      leaveBy: programs.leaveBy,
      archivedAt: programs.archivedAt,
      currency: programs.currency,
      timezone: programs.timezone,
      leadAuth: programs.leadAuth,
      attributionModel: programs.attributionModel,
      attributionWindowDays: programs.attributionWindowDays,
      windowUntil: programs.windowUntil,
      cookieWindowDays: sql<number>`coalesce(${programs.cookieWindowDays}, ${programs.attributionWindowDays})`,
      hasWebhooks:
        sql<boolean>`exists (select 1 from ${webhooks} w where w.program_id = programs.id and w.status = 'active')`.mapWith(
          Boolean,
        ),
      hasBonuses: sql<boolean>`exists (select 1 from ${bonuses} b where b.program_id = programs.id)`.mapWith(Boolean),
      hasErased:
        sql<boolean>`exists (select 1 from erasures e where e.program_id = programs.id and e.subject <> 'partner')`.mapWith(
          Boolean,
        ),
      selfReferral: programs.selfReferral,
      duplicateSource: programs.duplicateSource,
      blockedSource: programs.blockedSource,
      manySources: programs.manySources,
      blockedHosts: sql<readonly string[]>`${programs.blockedHosts}`.mapWith(
        (text: string) => JSON.parse(text) as string[],
      ),
      reviewDays: programs.reviewDays,
    })
    .from(programs)
    .where(eq(programs.id, given("id"))),
);

const keysOfProgram = readAll<ById, ProgramKey>((db) =>
  db
    .select({
      id: programKeys.id,
      originId: programKeys.originId,
      name: programKeys.name,
      scopes: programKeys.scopes,
      book: programKeys.book,
      hash: programKeys.hash,
      createdAt: programKeys.createdAt,
      retiresAt: programKeys.retiresAt,
    })
    .from(programKeys)
    .where(isRecognized(unencoded("id"))),
);

export const programReads = (id: ProgramId) => ({
  row: programRow({ id }),
  keys: keysOfProgram({ id }),
});

const linkColumns = {
  id: referralLinks.id,
  programId: referralLinks.programId,
  partnerId: referralLinks.partnerId,
  code: referralLinks.code,
  madeBy: referralLinks.madeBy,
  isActive: sql<boolean>`${referralLinks.status} = 'active' and ${partners.status} = 'active'`.mapWith(Boolean),
  isPartnerActive: sql<boolean>`${partners.status} = 'active'`.mapWith(Boolean),
  isPartnerExempt: partners.isRiskExempt,
  partnerExternalId: partners.externalId,
};

export const linkByCode = readFirst<{ programId: ProgramId; codeKey: string }, Link>((db) =>
  db
    .select(linkColumns)
    .from(referralLinks)
    .innerJoin(partners, eq(partners.id, referralLinks.partnerId))
    .where(and(eq(referralLinks.codeKey, given("codeKey")), eq(referralLinks.programId, given("programId")))),
);

export interface LinkWithSites {
  readonly link: Link;
  readonly websiteUrl: string | null;
  readonly destinationUrl: string | null;
}

/**
 * Excludes archived programs. Returns at most `maxCodeOwners + 1` rows, so that the caller finds out if there are more.
 */
export const linksByCode = readAll<{ codeKey: string }, LinkWithSites>((db) =>
  db
    .select({ link: linkColumns, websiteUrl: programs.websiteUrl, destinationUrl: referralLinks.destinationUrl })
    .from(referralLinks)
    .innerJoin(partners, eq(partners.id, referralLinks.partnerId))
    .innerJoin(programs, eq(programs.id, referralLinks.programId))
    .where(
      and(
        eq(referralLinks.codeKey, given("codeKey")),
        isNull(programs.archivedAt),
        // Includes a program that has just left for another shard, until the home database has its new shard.
        sql`(${programs.place} in ('here', 'leaving') or (${programs.place} = 'left' and exists (
          select 1 from program_places p where p.program_id = ${programs.id} and p.shard = ${sql.raw(String(home))})))`,
      ),
    )
    .limit(maxCodeOwners + 1),
);

export const linkById = readFirst<{ id: LinkId }, Link>((db) =>
  db
    .select(linkColumns)
    .from(referralLinks)
    .innerJoin(partners, eq(partners.id, referralLinks.partnerId))
    .where(eq(referralLinks.id, given("id"))),
);
