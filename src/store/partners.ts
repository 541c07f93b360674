import { and, type Column, count, eq, getTableColumns, type SQL, type SQLWrapper, sql, type Table } from "drizzle-orm";
import { caps } from "#domain/caps.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { partners, referralLinks } from "./schema/partners.ts";
import { verificationRuns } from "./schema/verification.ts";
import { everyColumn, given, insert, readAll, readCount, readFirst, update } from "./statement.ts";

export type PartnerRow = typeof partners.$inferSelect;
export type LinkRow = typeof referralLinks.$inferSelect;

const fixedColumns = [
  "id",
  "programId",
  "email",
  "emailHash",
  "similarHash",
  "detailsChangedAt",
  "isSynthetic",
  "isEmbedded",
  "createdAt",
  "erasureId",
] as const;
/** The columns that a change may set and that the audit trail contains. The email address isn't one of them. */
export type PartnerSettings = Omit<PartnerRow, (typeof fixedColumns)[number]>;

const isSetting = (name: string): name is keyof PartnerSettings => !fixedColumns.some((fixed) => fixed === name);
export const partnerSettingNames = Object.keys(getTableColumns(partners)).filter(isSetting);

/** The optional columns that the creation of a partner can set. */
export type PartnerDetails = Pick<PartnerRow, "email"> & Omit<PartnerSettings, "name" | "status" | "isRiskExempt">;
export const noPartnerDetails: PartnerDetails = { email: null, externalId: null };

const isDetail = (name: string): name is keyof PartnerDetails => name in noPartnerDetails;
export const partnerDetailNames = Object.keys(noPartnerDetails).filter(isDetail);

const hasId = eq(partners.id, given("id"));

export const partnerOfProgram = readFirst<{ programId: ProgramId; id: PartnerId }, PartnerRow>((db) =>
  db
    .select()
    .from(partners)
    .where(and(hasId, eq(partners.programId, given("programId")), eq(partners.isSynthetic, false))),
);

/** `ids` is a JSON array. */
export const partnersOfIds = readAll<
  { programId: ProgramId; ids: string },
  Pick<PartnerRow, "id" | "email" | "erasureId">
>((db) =>
  db
    .select({ id: partners.id, email: partners.email, erasureId: partners.erasureId })
    .from(partners)
    .where(
      and(
        sql`${partners.id} in (select value from json_each(${given("ids")}))`,
        eq(partners.programId, given("programId")),
        eq(partners.isSynthetic, false),
      ),
    ),
);

export const partnerOfExternalId = readFirst<{ programId: ProgramId; externalId: string }, PartnerRow>((db) =>
  db
    .select()
    .from(partners)
    .where(and(eq(partners.programId, given("programId")), eq(partners.externalId, given("externalId")))),
);

// The number of partners. Counting stops just above the cap. Reads only indexes: `is_synthetic` isn't indexed, so the
// query subtracts 1 if the program has been verified, because the verification created a synthetic partner.
export const partnerCount = readCount<{ programId: ProgramId }>((db) => {
  const isProgram = (column: Column) => eq(column, given("programId"));
  const synthetic = db.select({ n: count() }).from(verificationRuns).where(isProgram(verificationRuns.programId));
  const counted = db
    .select({ id: partners.id })
    .from(partners)
    .where(isProgram(partners.programId))
    .limit(caps.partners.max + 1)
    .as("counted");
  return db.select({ n: sql<number>`count(*) - (${synthetic})` }).from(counted);
});

/** `codeKeys` is a JSON array. */
export const linksOfCodes = readAll<{ programId: ProgramId; codeKeys: string }, LinkRow>((db) =>
  db
    .select()
    .from(referralLinks)
    .where(
      and(
        sql`${referralLinks.codeKey} in (select value from json_each(${given("codeKeys")}))`,
        eq(referralLinks.programId, given("programId")),
      ),
    ),
);

const isOfPartner = eq(referralLinks.partnerId, given("partnerId"));

const lowestId = (partnerId: SQLWrapper) =>
  sql`${referralLinks.id} = (select min(k.id) from ${referralLinks} k where k.partner_id = ${partnerId})`;

/** Returns the partner's first link. */
export const linkOfPartner = readFirst<{ partnerId: PartnerId }, LinkRow>((db) =>
  db
    .select()
    .from(referralLinks)
    .where(lowestId(given("partnerId"))),
);

/** Returns all links of the partner in any order. */
export const linksOfPartner = readAll<{ partnerId: PartnerId }, LinkRow>((db) =>
  db.select().from(referralLinks).where(isOfPartner),
);

/** True if the link is the partner's first. */
export const isFirstLink = lowestId(partners.id);

/** Returns the first link of the partner with this external id. */
export const linkOfExternalId = readFirst<{ programId: ProgramId; externalId: string }, LinkRow>((db) =>
  db
    .select(getTableColumns(referralLinks))
    .from(partners)
    .innerJoin(referralLinks, isFirstLink)
    .where(and(eq(partners.programId, given("programId")), eq(partners.externalId, given("externalId")))),
);

export const insertPartner = insert<PartnerRow>((db) => db.insert(partners).values(everyColumn(partners)));

export const insertLink = insert<LinkRow>((db) => db.insert(referralLinks).values(everyColumn(referralLinks)));

export const updatePartner = update(
  partners,
  ["id"],
  ["email", "emailHash", "similarHash", "detailsChangedAt", ...partnerSettingNames],
);

export const markDetailsChanged = update(partners, ["id"], ["detailsChangedAt"]);

export const updateLinkStatus = update(referralLinks, ["id"], ["status"]);

/** Updates all links of a partner, because they all have the same destination. */
export const updateDestination = update(referralLinks, ["partnerId"], ["destinationUrl"]);

/**
 * True if the partner was created by the setup verification. Uses the placeholder `programId`. Null for a row without a
 * partner.
 */
export const isSynthetic = (partnerId: SQLWrapper): SQL => sql`${partnerId} in (
  select p.id from partners p where p.program_id = ${given("programId")} and p.is_synthetic = 1)`;

export const syntheticLink = readFirst<{ programId: ProgramId }, LinkRow>((db) =>
  db
    .select(getTableColumns(referralLinks))
    .from(partners)
    .innerJoin(referralLinks, eq(referralLinks.partnerId, partners.id))
    .where(and(eq(partners.programId, given("programId")), eq(partners.isSynthetic, true))),
);

/** The code of the first link of the row's partner. */
export const codeOfPartner = (table: Table): SQL<string> =>
  sql<string>`(select k.code from ${referralLinks} k where k.partner_id = ${table}.partner_id order by k.id limit 1)`;
