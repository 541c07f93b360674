import { policyScopes, policyTypes } from "#domain/policy-terms.ts";
import { subscriptionIntervals } from "#domain/sale-type.ts";
import { id, int32, int64 } from "#http/schema/integers.ts";
import { encoded, instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { PolicyTerms } from "#store/policies.ts";

const rule = z
  .object({
    label: z.string().optional(),
    rateBps: int32().optional(),
    amountCents: int64().optional().describe("For each piece."),
    excluded: z.literal(true).optional(),
    when: z.object({
      productIds: z.array(z.string()).readonly().optional(),
      isRecurring: z.boolean().optional(),
      isFirst: z.boolean().optional(),
      withinMonths: int32().optional(),
      interval: z.enum(subscriptionIntervals).optional(),
    }),
  })
  .openapi("CommissionRule");

export const policyRecord = record("CommissionPolicy", {
  version: int32(),
  partnerId: id()
    .nullable()
    .describe("Partner that the policy is for. Null for the program's policy and those of groups."),
  groupId: id()
    .nullable()
    .describe(
      "Group that the policy is for. Where this and `partnerId` are null, it is the program's policy, which covers every " +
        "partner without their own or their group's.",
    ),
  type: z.enum(policyTypes),
  rateBps: int32().nullable().describe("Rate in hundredths of a percent."),
  amountCents: int64().nullable(),
  currency: z.string().nullable().describe("Currency of the policy's amounts."),
  scope: z.enum(policyScopes),
  durationMonths: int32().nullable(),
  holdDays: int32(),
  minSaleCents: int64().nullable(),
  maxCommissionCents: int64().nullable(),
  rules: z.array(rule).readonly().nullable().describe("Null if the policy has none."),
  effectiveFrom: instant(),
});

export const policyVersionRecord = policyRecord.extend("CommissionPolicyVersion", {
  partnerName: z.string().nullable(),
  groupName: z.string().nullable(),
  setByName: z.string().nullable().describe("Name of the user who set it. Null if no user did."),
  replaced: encoded(
    policyRecord.schema.nullable().describe("The version before this one, of the same owner. Null for the first."),
    (replaced: PolicyTerms | null) => replaced && policyRecord.reply(replaced),
  ),
});
