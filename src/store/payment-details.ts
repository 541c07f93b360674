import { and, asc, desc, eq, gt, inArray, isNotNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import type { PaymentVersionId } from "#domain/payment-details.ts";
import { type Database, readBatch } from "./database.ts";
import { writeWithRetry } from "./retrying-write.ts";
import { paymentDetails } from "./schema/payment-details.ts";
import { payoutLines, payouts } from "./schema/payouts.ts";
import { everyColumn, insert, param, readAll, readFirst, write } from "./statement.ts";

export type PaymentVersionRow = typeof paymentDetails.$inferSelect;

const given = sql.placeholder;

/** The partner's newest version, also one that says that there are none. */
export const newestPaymentDetails = readFirst<{ programId: ProgramId; partnerId: PartnerId }, PaymentVersionRow>((db) =>
  db
    .select()
    .from(paymentDetails)
    .where(and(eq(paymentDetails.partnerId, given("partnerId")), eq(paymentDetails.programId, given("programId"))))
    .orderBy(desc(paymentDetails.id))
    .limit(1),
);

/** Null for a partner without details. */
export const paymentVersionOf = (partnerId: SQLWrapper): SQL<PaymentVersionId | null> => sql<PaymentVersionId | null>`(
  select iif(d.method is null, null, d.id) from ${paymentDetails} d
  where d.partner_id = ${partnerId} order by d.id desc limit 1)`;

/** A line of the partner has been paid, or is being paid. */
export const paidLineOf = readFirst<{ partnerId: PartnerId }, { id: number }>((db) =>
  db
    .select({ id: payoutLines.id })
    .from(payoutLines)
    .innerJoin(payouts, eq(payouts.id, payoutLines.payoutId))
    .where(
      and(
        eq(payoutLines.partnerId, given("partnerId")),
        inArray(payoutLines.state, ["live", "failed"]),
        inArray(payouts.status, ["final", "paid"]),
      ),
    )
    .limit(1),
);

export const insertPaymentVersion = insert<PaymentVersionRow>((db) =>
  db.insert(paymentDetails).values(everyColumn(paymentDetails)),
);

const sealedVersions = readAll<{ after: number; limit: number }, SealedVersion>((db) =>
  db
    .select({
      id: paymentDetails.id,
      programId: paymentDetails.programId,
      sealId: paymentDetails.sealId,
      ciphertext: sql<string>`${paymentDetails.ciphertext}`,
    })
    .from(paymentDetails)
    .where(and(gt(paymentDetails.id, given("after")), isNotNull(paymentDetails.ciphertext)))
    .orderBy(asc(paymentDetails.id))
    .limit(given("limit")),
);
type SealedVersion = Pick<PaymentVersionRow, "id" | "programId" | "sealId"> & { readonly ciphertext: string };

export const listSealedDetails = async (
  database: Database,
  after: number,
  limit: number,
): Promise<readonly SealedVersion[]> => (await readBatch(database, { found: sealedVersions({ after, limit }) })).found;

const replaceCiphertext = write<{ id: number; before: string; after: string }>((db) =>
  db
    .update(paymentDetails)
    .set({ ciphertext: param("after") })
    .where(and(eq(paymentDetails.id, given("id")), eq(paymentDetails.ciphertext, given("before")))),
);

/** Leaves those that have changed in between. */
export async function replaceSealedDetails(
  database: Database,
  changes: readonly { readonly id: number; readonly before: string; readonly after: string }[],
): Promise<void> {
  if (changes.length > 0) await writeWithRetry(database, changes.map(replaceCiphertext));
}
