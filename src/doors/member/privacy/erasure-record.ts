import { erasedSubjects } from "#domain/erased-subject.ts";
import { int64 } from "#http/schema/integers.ts";
import { instant, instantOrNull, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";

const Rows = z.record(z.string(), int64()).describe("How many rows of each kind.");

const Sums = z
  .object({
    sales: z.array(
      z.object({
        currency: z.string(),
        sales: int64(),
        amountCents: int64(),
        refundedCents: int64(),
        commissionCents: int64(),
      }),
    ),
    balances: z.array(
      z.object({
        currency: z.string(),
        pendingCents: int64(),
        payableCents: int64(),
        inPayoutCents: int64(),
        paidCents: int64(),
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
  before: Sums.describe(
    "Of the customer's sales, and of all the program's balances. Of a partner's erasure: once a debt was written off.",
  ),
  after: Sums.nullable(),
  writeOffs: z
    .array(z.object({ currency: z.string(), amountCents: int64() }))
    .describe("Adjustments that brought a negative balance of the partner to 0."),
});

export const Requested = z
  .object({ requestId: z.string().describe("Ask `…/privacy/requests/{requestId}` for what becomes of it.") })
  .openapi("PrivacyRequested");

export const EraseRequest = z
  .object({
    state: z.enum(["running", "done"]),
    receiptId: z.string(),
    erasedAt: z.iso.datetime().nullable(),
    rows: Rows.describe("How many rows of each kind so far."),
  })
  .openapi("EraseRequest");

export const Erased = z.object({ receiptId: z.string(), erasedAt: z.iso.datetime(), rows: Rows }).openapi("Erased");
