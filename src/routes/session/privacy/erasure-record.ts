import { erasedSubjects } from "#domain/erased-subject.ts";
import { instant, instantOrNull, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";

const Rows = z.record(z.string(), z.int()).describe("How many rows of each kind.");

const Sums = z
  .object({
    sales: z.array(
      z.object({
        currency: z.string(),
        sales: z.int(),
        amountCents: z.int(),
        refundedCents: z.int(),
        commissionCents: z.int(),
      }),
    ),
    balances: z.array(
      z.object({
        currency: z.string(),
        pendingCents: z.int(),
        payableCents: z.int(),
        inPayoutCents: z.int(),
        paidCents: z.int(),
      }),
    ),
  })
  .openapi("ErasureSums");

export const receiptRecord = record("ErasureReceipt", {
  id: z.string(),
  subject: z.enum(erasedSubjects),
  requestedAt: instant(),
  erasedAt: instantOrNull("Null: it goes on."),
  rows: Rows,
  before: Sums.describe("Of the customer's sales, and of all the program's balances."),
  after: Sums.nullable(),
});

export const Erased = z
  .object({ receiptId: z.string(), erasedAt: z.iso.datetime().nullable(), rows: Rows })
  .openapi("PersonErased");
