import { policyScopes, policyTypes } from "../../../domain/policy-terms.ts";
import { timestamp } from "../../../http/schema/timestamp.ts";
import * as z from "../../../http/schema/zod.ts";
import type { PolicyTerms } from "../../../store/policies.ts";

export const PolicyReply = z
  .object({
    version: z.int(),
    partnerId: z
      .int()
      .nullable()
      .describe(
        "Partner that the policy is for. Null for the program's policy, which covers every partner without their own.",
      ),
    type: z.enum(policyTypes),
    rateBps: z.int().nullable().describe("Rate in hundredths of a percent."),
    amountCents: z.int().nullable(),
    currency: z.string().nullable().describe("Currency of the policy's amounts."),
    scope: z.enum(policyScopes),
    durationMonths: z.int().nullable(),
    holdDays: z.int(),
    minSaleCents: z.int().nullable(),
    maxCommissionCents: z.int().nullable(),
    effectiveFrom: z.iso.datetime(),
  })
  .openapi("CommissionPolicy");

export const PolicyVersion = PolicyReply.extend({
  partnerName: z.string().nullable(),
  setByName: z.string().nullable().describe("Name of the user who set it. Null if no user did."),
  replaced: PolicyReply.nullable().describe(
    "The version before this one, of the program or of the same partner. Null for the first.",
  ),
}).openapi("CommissionPolicyVersion");

export const policyReply = (policy: PolicyTerms): z.output<typeof PolicyReply> => ({
  version: policy.version,
  partnerId: policy.partnerId,
  type: policy.type,
  rateBps: policy.rateBps,
  amountCents: policy.amountCents,
  currency: policy.currency,
  scope: policy.scope,
  durationMonths: policy.durationMonths,
  holdDays: policy.holdDays,
  minSaleCents: policy.minSaleCents,
  maxCommissionCents: policy.maxCommissionCents,
  effectiveFrom: timestamp(policy.effectiveFrom),
});
