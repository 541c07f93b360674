import { maxAmountCents } from "#domain/money.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { partnerNote, reason } from "./notes.ts";
import { currencyOrUnit } from "./units.ts";

export const NewAdjustment = z
  .object({
    amountCents: fields
      .integer("amountCents", -maxAmountCents, maxAmountCents)
      .refine((cents) => cents !== 0, "amountCents must not be 0")
      .describe("Positive for a bonus, negative for a write-off."),
    currency: currencyOrUnit(),
    reason: reason(),
    partnerNote: partnerNote(),
    reference: fields
      .exactId("reference")
      .describe("Your own id for the adjustment. Adjustments with the same reference are recorded once per partner."),
  })
  .openapi("NewAdjustment");
