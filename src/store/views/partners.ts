import { and, desc, eq, lt, sql } from "drizzle-orm";
import { containing } from "../containing.ts";
import { type Database, readBatch } from "../database.ts";
import { partners, referralLinks } from "../schema/partners.ts";
import { programs } from "../schema/programs.ts";
import { type Compiler, readAll, readFirst } from "../statement.ts";

export interface PartnerView {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly email: string | null;
  readonly status: "active" | "paused";
  readonly destinationUrl: string | null;
  readonly websiteUrl: string | null;
  readonly createdAt: number;
}

const given = sql.placeholder;

const selectPartners = (db: Compiler) =>
  db
    .select({
      id: partners.id,
      code: referralLinks.code,
      name: partners.name,
      email: partners.email,
      status: partners.status,
      destinationUrl: referralLinks.destinationUrl,
      websiteUrl: programs.websiteUrl,
      createdAt: partners.createdAt,
    })
    .from(partners)
    .innerJoin(referralLinks, eq(referralLinks.partnerId, partners.id))
    .innerJoin(programs, eq(programs.id, partners.programId));

/** Takes the placeholder `pattern`, of `containing`. */
export const matchesSearch = sql`(${partners.name} glob ${given("pattern")} or ${partners.email} glob ${given("pattern")}
  or exists (select 1 from ${referralLinks} l where l.partner_id = ${partners.id} and l.code_key glob ${given("pattern")}))`;

const isOfProgram = and(eq(partners.programId, given("programId")), eq(partners.isSynthetic, false));

const partnersOfProgram = readAll<{ programId: number; pattern: string; before: number; limit: number }, PartnerView>(
  (db) =>
    selectPartners(db)
      .where(and(isOfProgram, lt(partners.id, given("before")), matchesSearch))
      .orderBy(desc(partners.id))
      .limit(given("limit")),
);

export const partnerById = readFirst<{ programId: number; id: number }, PartnerView>((db) =>
  selectPartners(db).where(and(isOfProgram, eq(partners.id, given("id")))),
);

export async function listPartners(
  database: Database,
  programId: number,
  search: string,
  position: { readonly before: number; readonly limit: number },
): Promise<readonly PartnerView[]> {
  return (
    await readBatch(database, { found: partnersOfProgram({ programId, pattern: containing(search), ...position }) })
  ).found;
}

export async function findPartner(database: Database, programId: number, id: number): Promise<PartnerView | undefined> {
  return (await readBatch(database, { found: partnerById({ programId, id }) })).found;
}
