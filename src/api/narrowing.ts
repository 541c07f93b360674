import * as fields from "#http/schema/fields.ts";
import type { Narrowing } from "#store/reports/narrowing.ts";

const described = (description: string) => ({ description });

export const saleId = () =>
  fields.programId("saleId").optional().openapi(described("Limits the result to this sale and its refunds."));
export const commissionId = () =>
  fields
    .programId("commissionId")
    .optional()
    .openapi(described("Limits the result to the sale with this commission and its refunds."));
export const transactionId = () =>
  fields
    .callerId("transactionId")
    .optional()
    .openapi(described("Limits the result to the sale with this `transaction_id` and its refunds."));
export const customerKey = () =>
  fields.callerId("customerKey").optional().openapi(described("Limits the result to this customer."));

export const narrowingOf = ({ saleId, commissionId, transactionId, customerKey }: Narrowing): Narrowing => ({
  saleId,
  commissionId,
  transactionId,
  customerKey,
});
