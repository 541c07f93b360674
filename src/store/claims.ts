import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { type ClaimStatus, claimStatuses, maxClaimsPerDay } from "#domain/claim.ts";
import type { ClaimId, PartnerId, ProgramId, SaleId } from "#domain/ids.ts";
import { type KnownCustomer, knownCustomers } from "./customers.ts";
import { newestVersionOf } from "./sales.ts";
import { auditEntries } from "./schema/audit.ts";
import { claimCounts, claims } from "./schema/claims.ts";
import { customers } from "./schema/customers.ts";
import { notes } from "./schema/notes.ts";
import { sales } from "./schema/sales.ts";
import {
  everyColumn,
  given,
  insert,
  lookUpFirst,
  readAll,
  readCount,
  readFirst,
  unencoded,
  update,
  write,
} from "./statement.ts";

export type ClaimRow = typeof claims.$inferSelect;

export const claimById = readFirst<{ programId: ProgramId; id: ClaimId }, ClaimRow>((db) =>
  db
    .select()
    .from(claims)
    .where(and(eq(claims.id, given("id")), eq(claims.programId, given("programId")))),
);

interface OpenClaim {
  readonly id: ClaimId;
  readonly digest: string | null;
}

export const openClaimsOfPartner = readAll<{ programId: ProgramId; partnerId: PartnerId }, OpenClaim>((db) =>
  db
    .select({ id: claims.id, digest: claims.digest })
    .from(claims)
    .where(
      and(
        eq(claims.partnerId, given("partnerId")),
        eq(claims.status, "open"),
        sql`+${claims.programId} = ${given("programId")}`,
      ),
    ),
);

const newestOfStatus = (status: ClaimStatus): SQL => sql`select created_at from (
  select k.created_at from ${claims} k
  where k.partner_id = ${unencoded("partnerId")} and k.status = ${sql.raw(`'${status}'`)}
    and +k.program_id = ${unencoded("programId")}
  order by k.id desc limit ${sql.raw(String(maxClaimsPerDay))})`;

/**
 * The number of claims that the partner opened since an instant (ms), including decided claims. The number is exact up
 * to the daily limit of claims, because the query reads at most that many claims of each status.
 */
export const claimsOfPartnerSince = readCount<{ programId: ProgramId; partnerId: PartnerId; since: number }>((db) =>
  db
    .select({ n: sql<number>`count(*)` })
    .from(sql`(${sql.join(claimStatuses.map(newestOfStatus), sql` union all `)})`)
    .where(sql`created_at >= ${unencoded("since")}`),
);

/** The number of the program's open claims. Reads one row. */
export const openClaimCount = readCount<{ programId: ProgramId }>((db) =>
  db
    .select({ n: claimCounts.open })
    .from(claimCounts)
    .where(eq(claimCounts.programId, given("programId"))),
);

/** The audit entry of the claim's decision. Its `after` contains the decision's effects. */
export const decisionOfClaim = readFirst<{ programId: ProgramId; subject: string }, { after: string | null }>((db) =>
  db
    .select({ after: auditEntries.after })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.programId, given("programId")),
        eq(auditEntries.subject, given("subject")),
        sql`${auditEntries.action} in ('claim.theirs', 'claim.declined')`,
      ),
    )
    .orderBy(desc(auditEntries.id))
    .limit(1),
);

export interface SaleOfClaim {
  readonly id: SaleId;
  readonly partnerId: PartnerId | null;
  readonly occurredAt: number;
  /** True if the claim was decided with this sale, or with another version of it. */
  readonly isOfDecision: boolean;
}

/** The newest version of the sale. `saleId` is the id of any version. */
export const saleOfClaim = readFirst<{ programId: ProgramId; claimId: ClaimId; saleId: SaleId }, SaleOfClaim>((db) =>
  db
    .select({
      id: sales.id,
      partnerId: sales.partnerId,
      occurredAt: sales.occurredAt,
      isOfDecision: sql<boolean>`exists (
        select 1 from ${claims} k join ${sales} v on v.id = k.sale_id join ${sales} o on o.id = ${given("saleId")}
        where k.id = ${given("claimId")} and coalesce(v.corrected_sale_id, v.id) = coalesce(o.corrected_sale_id, o.id))`.mapWith(
        Boolean,
      ),
    })
    .from(sales)
    .where(
      and(
        eq(sales.id, newestVersionOf(sql`${given("saleId")}`)),
        eq(sales.programId, given("programId")),
        eq(sales.isTest, false),
      ),
    ),
);

/** The customer of the sale's newest version. */
export const customerOfSale = lookUpFirst<"programId" | "saleId", KnownCustomer>(
  ["programId", "saleId"],
  (db, wanted, key) =>
    knownCustomers(db, wanted).where(
      eq(
        customers.id,
        sql`(select s.customer_id from ${sales} s
          where s.id = ${newestVersionOf(key.saleId)} and s.program_id = ${key.programId} and s.is_test = 0)`,
      ),
    ),
);

/**
 * A person's names (identifiers) with fewer characters could occur by chance inside other words, so they must equal the
 * whole text.
 */
const minNameLength = 5;

const noteIdsOfClaims = sql.join(
  ["reference_id", "note_id", "partner_note_id"].flatMap((column) =>
    ["k.status = 'open'", "k.has_texts = 1 and k.decided_at is not null"].map(
      (isKept) => sql`select k.${sql.raw(column)} from ${claims} k
        where k.program_id = ${unencoded("programId")} and ${sql.raw(isKept)}`,
    ),
  ),
  sql` union all `,
);

/** Empties the texts of claims for which the condition on `names` (a JSON array) holds. */
const forgetClaimsIf = (isNamed: SQL) =>
  write<{ programId: ProgramId; names: string }>((db) =>
    db.update(notes).set({ text: null }).where(sql`${notes.id} in (${noteIdsOfClaims}) and ${isNamed}`),
  );

// The names are a set, which SQLite builds once per statement. This matters because a customer may have hundreds of
// ids, and a program thousands of claims.
const isName = sql`lower(trim(${notes.text})) in (select lower(w.value) from json_each(${given("names")}) w)`;

/** Empties the texts of claims that contain one of the names, in upper or lower case. */
export const forgetClaimsNaming = forgetClaimsIf(
  sql`(${isName} or exists (select 1 from json_each(${given("names")}) w
    where length(w.value) >= ${sql.raw(String(minNameLength))} and instr(lower(${notes.text}), lower(w.value)) > 0))`,
);

/** Empties the texts of claims that consist of one of the transaction ids. */
export const forgetClaimsAbout = forgetClaimsIf(isName);

export const insertClaim = insert<ClaimRow>((db) => db.insert(claims).values(everyColumn(claims)));

export const decideClaim = update(
  claims,
  ["id"],
  ["digest", "status", "saleId", "paysPast", "partnerNoteId", "decidedAt", "hasTexts"],
);
