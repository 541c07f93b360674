import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { GroupId, PartnerId, ProgramId } from "#domain/ids.ts";
import { containing } from "../containing.ts";
import { type Database, readBatch, readOne } from "../database.ts";
import { isNewest, presentGroup } from "../groups.ts";
import { isFirstLink, linksOfPartner } from "../partners.ts";
import { newestPaymentWithEarlier, partnersSharingAccount } from "../payment-details.ts";
import { isCurrent } from "../policies.ts";
import { groupMemberships } from "../schema/partner-groups.ts";
import { partners, referralLinks } from "../schema/partners.ts";
import { commissionPolicies } from "../schema/policies.ts";
import { programs } from "../schema/programs.ts";
import { type Compiler, given, type RowOf, readAll, readFirst } from "../statement.ts";
import { balancesOfPartner } from "./balances.ts";
import { policyNow } from "./policy-now.ts";

/** Columns of a partner joined with link and program. */
export const partnerColumns = {
  id: partners.id,
  code: referralLinks.code,
  name: partners.name,
  email: partners.email,
  externalId: partners.externalId,
  status: partners.status,
  groupId: presentGroup({ programId: partners.programId, partnerId: partners.id }),
  riskExempt: partners.isRiskExempt,
  erased: sql<boolean>`${partners.erasureId} is not null`.mapWith(Boolean).as("erased"),
  destinationUrl: referralLinks.destinationUrl,
  websiteUrl: programs.websiteUrl,
  createdAt: partners.createdAt,
};

const selectPartners = (db: Compiler) =>
  db
    .select(partnerColumns)
    .from(partners)
    .innerJoin(referralLinks, isFirstLink)
    .innerJoin(programs, eq(programs.id, partners.programId));
export type PartnerView = RowOf<typeof selectPartners>;

const selectListed = (db: Compiler) =>
  db
    .select({
      ...partnerColumns,
      hasOwnPolicy: sql<boolean>`exists (
        select 1 from ${commissionPolicies} v
        where v.program_id = ${partners.programId} and v.partner_id = ${partners.id} and v.group_id is null and v.${isCurrent}
      )`.mapWith(Boolean),
    })
    .from(partners)
    .innerJoin(referralLinks, isFirstLink)
    .innerJoin(programs, eq(programs.id, partners.programId));
export type ListedPartner = RowOf<typeof selectListed>;

export interface PartnerSearch {
  /**
   * Text to find in the name, a code or, if the caller may see it, the email address. An empty text matches every
   * partner.
   */
  readonly text: string;
  readonly inEmail: boolean;
}

/** Values for the placeholders of `matchesSearch`. A null pattern matches nothing. */
export const searchValues = ({ text, inEmail }: PartnerSearch) => {
  const pattern = containing(text);
  return { pattern, emailPattern: inEmail ? pattern : null };
};

export type SearchValues = ReturnType<typeof searchValues>;

export const matchesSearch = sql`(${partners.name} glob ${given("pattern")} or ${partners.email} glob ${given("emailPattern")}
  or exists (select 1 from ${referralLinks} l where l.partner_id = ${partners.id} and l.code_key glob ${given("pattern")}))`;

const isOfProgram = and(eq(partners.programId, given("programId")), eq(partners.isSynthetic, false));

const partnersOfProgram = readAll<
  { programId: ProgramId; before: number; limit: number } & SearchValues,
  ListedPartner
>((db) =>
  selectListed(db)
    .where(and(isOfProgram, lt(partners.id, given("before")), matchesSearch))
    .orderBy(desc(partners.id))
    .limit(given("limit")),
);

const partnersOfGroup = readAll<
  { programId: ProgramId; groupId: GroupId; before: number; limit: number } & SearchValues,
  ListedPartner
>((db) =>
  selectListed(db)
    .where(
      and(
        isOfProgram,
        sql`${partners.id} in (
          select ${groupMemberships.partnerId} from ${groupMemberships}
          where ${groupMemberships.groupId} = ${given("groupId")} and ${isNewest})`,
        lt(partners.id, given("before")),
        matchesSearch,
      ),
    )
    .orderBy(desc(partners.id))
    .limit(given("limit")),
);

const partnerWithExternalId = readFirst<{ programId: ProgramId; externalId: string }, PartnerView>((db) =>
  selectPartners(db).where(and(isOfProgram, eq(partners.externalId, given("externalId")))),
);

export const partnerById = readFirst<{ programId: ProgramId; id: PartnerId }, PartnerView>((db) =>
  selectPartners(db).where(and(isOfProgram, eq(partners.id, given("id")))),
);

export async function listPartners(
  database: Database,
  programId: ProgramId,
  { groupId, ...search }: PartnerSearch & { readonly groupId?: GroupId | undefined },
  position: { readonly before: number; readonly limit: number },
): Promise<readonly ListedPartner[]> {
  const wanted = { programId, ...searchValues(search), ...position };
  const found = groupId === undefined ? partnersOfProgram(wanted) : partnersOfGroup({ ...wanted, groupId });
  return await readOne(database, found);
}

export async function findPartnerByExternalId(
  database: Database,
  programId: ProgramId,
  externalId: string,
): Promise<PartnerView | undefined> {
  return await readOne(database, partnerWithExternalId({ programId, externalId }));
}

export async function findPartner(
  database: Database,
  programId: ProgramId,
  id: number,
): Promise<PartnerView | undefined> {
  return await readOne(database, partnerById({ programId, id }));
}

const partnersById = readAll<{ programId: ProgramId; ids: string }, PartnerView>((db) =>
  selectPartners(db).where(and(isOfProgram, sql`${partners.id} in (select value from json_each(${given("ids")}))`)),
);

/** Returns the program's partners with these ids, in any order. */
export async function findPartners(
  database: Database,
  programId: ProgramId,
  ids: readonly PartnerId[],
): Promise<readonly PartnerView[]> {
  return await readOne(database, partnersById({ programId, ids: JSON.stringify(ids) }));
}

export async function findPartnerWithLinks(database: Database, programId: ProgramId, partnerId: PartnerId) {
  return readBatch(database, {
    partner: partnerById({ programId, id: partnerId }),
    links: linksOfPartner({ partnerId }),
  });
}

/**
 * Reads the partner with links, payment details, partners who share the payment account, balances in the live book by
 * currency, and the current policy. `at` is now (ms).
 */
export async function findPartnerWithBalances(
  database: Database,
  programId: ProgramId,
  partnerId: PartnerId,
  at: number,
) {
  return readBatch(database, {
    partner: partnerById({ programId, id: partnerId }),
    links: linksOfPartner({ partnerId }),
    balances: balancesOfPartner({ programId, partnerId }),
    payment: newestPaymentWithEarlier({ programId, partnerId }),
    account: partnersSharingAccount({ programId, partnerId }),
    policy: policyNow({ programId, partnerId, at }),
  });
}
