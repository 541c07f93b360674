import { policyScopes, policyTypes } from "#domain/policy-terms.ts";
import { encoded, instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { PolicyTerms } from "#store/policies.ts";

export const policyRecord = record("CommissionPolicy", {
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
  effectiveFrom: instant(),
});

export const policyVersionRecord = policyRecord.extend("CommissionPolicyVersion", {
  partnerName: z.string().nullable(),
  setByName: z.string().nullable().describe("Name of the user who set it. Null if no user did."),
  replaced: encoded(
    policyRecord.schema
      .nullable()
      .describe("The version before this one, of the program or of the same partner. Null for the first."),
    (replaced: PolicyTerms | null) => replaced && policyRecord.reply(replaced),
  ),
});
