import { desc, eq, type SQL, sql } from "drizzle-orm";
import { type ClaimStatus, claimStatuses } from "#domain/claim.ts";
import type { ClaimId, PartnerId, ProgramId } from "#domain/ids.ts";
import { type Database, readBatch, readOne } from "../database.ts";
import { textOfNote } from "../notes.ts";
import { isMoving } from "../pending-moves.ts";
import { type Around, type NearbySale, nearestSales } from "../reports/missing-sale.ts";
import { newestVersionOf } from "../sales.ts";
import { claims } from "../schema/claims.ts";
import { partners } from "../schema/partners.ts";
import { sales } from "../schema/sales.ts";
import { type Compiler, given, type RowOf, readAll, readFirst, unencoded } from "../statement.ts";

const selectClaims = (db: Compiler) =>
  db
    .select({
      id: claims.id,
      partnerId: claims.partnerId,
      partnerName: partners.name,
      status: claims.status,
      day: claims.day,
      amountCents: claims.amountCents,
      currency: claims.currency,
      reference: textOfNote(claims.referenceId).as("reference"),
      note: textOfNote(claims.noteId).as("note"),
      partnerNote: textOfNote(claims.partnerNoteId).as("partner_note"),
      saleId: claims.saleId,
      transactionId: sql<string | null>`(select s.transaction_id from ${sales} s where s.id = ${claims.saleId})`.as(
        "transaction_id",
      ),
      payPast: claims.paysPast,
      /** True if the sale is credited to the partner, or a running reattribution will move it to them. */
      isSaleTheirs: sql<boolean>`exists (
        select 1 from ${sales} s where s.id = ${newestVersionOf(sql`${claims.saleId}`)}
          and (s.partner_id = ${claims.partnerId} or (${claims.paysPast} and ${isMoving(sql`s.id`)})))`
        .mapWith(Boolean)
        .as("is_sale_theirs"),
      createdAt: claims.createdAt,
      decidedAt: claims.decidedAt,
    })
    .from(claims)
    .innerJoin(partners, eq(partners.id, claims.partnerId));
export type ClaimView = RowOf<typeof selectClaims>;

type Page = { status: ClaimStatus | null; before: number; limit: number };

/** Reads a separate index range for each status, so that at most a page of each status is read. */
const pageOf = (scope: SQL): SQL => {
  const each = claimStatuses.map(
    (status) => sql`select * from (
      select k.id from claims k where ${scope} and k.status = ${sql.raw(`'${status}'`)}
        and coalesce(${unencoded("status")}, k.status) = k.status and k.id < ${unencoded("before")}
      order by k.id desc limit ${unencoded("limit")})`,
  );
  return sql`(select id from (${sql.join(each, sql` union all `)}) order by id desc limit ${unencoded("limit")})`;
};

const ofProgram = sql`k.program_id = ${unencoded("programId")}`;
const ofPartner = sql`k.partner_id = ${unencoded("partnerId")} and +${ofProgram}`;

const claimsOfProgram = readAll<{ programId: ProgramId } & Page, ClaimView>((db) =>
  selectClaims(db)
    .where(sql`${claims.id} in ${pageOf(ofProgram)}`)
    .orderBy(desc(claims.id)),
);

const claimsOfPartner = readAll<{ programId: ProgramId; partnerId: PartnerId } & Page, ClaimView>((db) =>
  selectClaims(db)
    .where(sql`${claims.id} in ${pageOf(ofPartner)}`)
    .orderBy(desc(claims.id)),
);

export const claimOfProgram = readFirst<{ programId: ProgramId; id: ClaimId }, ClaimView>((db) =>
  selectClaims(db).where(sql`${claims.id} = ${given("id")} and ${claims.programId} = ${given("programId")}`),
);

export interface ClaimsAsked extends Page {
  readonly programId: ProgramId;
  readonly partnerId?: PartnerId | undefined;
}

/** Lists claims, newest first. */
export async function listClaims(
  database: Database,
  { partnerId, ...asked }: ClaimsAsked,
): Promise<readonly ClaimView[]> {
  return await readOne(
    database,
    partnerId === undefined ? claimsOfProgram(asked) : claimsOfPartner({ ...asked, partnerId }),
  );
}

export async function findClaim(database: Database, programId: ProgramId, id: ClaimId) {
  return await readOne(database, claimOfProgram({ programId, id }));
}

/** Reads the sales that are closest to each claim in amount and time. Makes one database request. */
export async function readCandidates(
  database: Database,
  programId: ProgramId,
  each: ReadonlyMap<ClaimId, Around>,
): Promise<ReadonlyMap<ClaimId, readonly NearbySale[]>> {
  if (each.size === 0) return new Map();
  const reads = [...each].map(([id, around]) => [id, nearestSales({ programId, isTest: false, ...around })] as const);
  const found = await readBatch(database, Object.fromEntries(reads));
  return new Map([...each.keys()].map((id) => [id, found[id] ?? []]));
}
