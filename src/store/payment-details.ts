import { and, desc, eq, inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import type { PaymentVersionId } from "#domain/payment-details.ts";
import { paymentDetails } from "./schema/payment-details.ts";
import { payoutLines, payouts } from "./schema/payouts.ts";
import { everyColumn, insert, readFirst } from "./statement.ts";

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
