import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { PartnerId } from "#domain/ids.ts";
import { type PaymentVersionId, paymentMethods } from "#domain/payment-details.ts";
import { id, instant } from "./columns.ts";
import { oneOf } from "./one-of.ts";
import { partners } from "./partners.ts";
import { programId } from "./programs.ts";

/**
 * Versions of a partner's payment details. The newest version is in force. A version without a method removes the
 * details.
 */
export const paymentDetails = sqliteTable(
  "payment_details",
  {
    id: id<PaymentVersionId>(),
    programId: programId(),
    partnerId: integer("partner_id")
      .$type<PartnerId>()
      .notNull()
      .references(() => partners.id),
    method: text("method", { enum: paymentMethods }),
    last4: text("last4"),
    ciphertext: text("ciphertext"),
    /** Id of this row within the encrypted data, so that the ciphertext of one row can't be used in another. */
    sealId: text("seal_id").notNull(),
    digest: text("digest"),
    /** Digest of the payment account, for comparison with other partners' payment accounts and email addresses. */
    accountDigest: text("account_digest"),
    setBy: text("set_by").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [
    index("payment_details_partner").on(t.partnerId),
    index("payment_details_program").on(t.programId),
    index("payment_details_account").on(t.programId, t.accountDigest).where(sql`account_digest is not null`),
    uniqueIndex("payment_details_seal").on(t.sealId),
    check("payment_details_method", oneOf(t.method, paymentMethods)),
    check(
      "payment_details_cleared",
      sql`${t.method} is not null or coalesce(${t.last4}, ${t.ciphertext}, ${t.digest}) is null`,
    ),
  ],
);
