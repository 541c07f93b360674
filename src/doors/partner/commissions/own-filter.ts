import { subIdForm } from "#domain/sub-id.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { ownStatuses } from "./own-commission.ts";

const subRule = "sub must be 1 to 64 letters, digits, dots, hyphens or underscores";

export const filterFields = () => ({
  status: fields.oneOf("status", ownStatuses).optional(),
  sub: z
    .string(subRule)
    .regex(subIdForm, subRule)
    .optional()
    .describe("Lists only commissions from links with this `aff_sub`."),
});
