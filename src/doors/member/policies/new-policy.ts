import { namesMoney, noTerms } from "#domain/commission.ts";
import { maxAmountCents } from "#domain/money.ts";
import { policyScopes, policyTypes } from "#domain/policy-terms.ts";
import * as wire from "#http/schema/fields.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import type { SetPolicyCall } from "#operations/manage/set-policy.ts";
import { rules } from "./rule-fields.ts";

const defaultHoldDays = 15;

interface Terms {
  readonly type: string;
  readonly scope: string | null;
  readonly rateBps: number | null;
  readonly amountCents: number | null;
  readonly durationMonths: number | null;
}

/** Ignores the terms sent with type `none`, which ends a policy. */
const unlessNone = (field: keyof Terms, message: string, holds: (terms: Terms) => boolean) =>
  fields.rule([field], message, (terms: Terms) => terms.type === "none" || holds(terms));

const requiredFor = (field: keyof Terms, of: "type" | "scope", value: string) =>
  unlessNone(field, `${field} is required when ${of} is ${value}`, (terms) => {
    return terms[of] !== value || terms[field] != null;
  });

const allowedFor = (field: keyof Terms, of: "type" | "scope", value: string) =>
  unlessNone(field, `${field} is allowed only when ${of} is ${value}`, (terms) => {
    return terms[of] == null || terms[of] === value || terms[field] == null;
  });

const hasOneOwner = ({ partnerId, groupId }: Readonly<Record<"partnerId" | "groupId", number | null>>): boolean =>
  partnerId === null || groupId === null;

const cents = (field: string) => fields.optional(fields.integer(field, 0, maxAmountCents));

export const NewPolicy = z
  .object({
    type: fields.oneOf("type", policyTypes).describe("`none` ends the policy in force."),
    rateBps: fields
      .optional(fields.integer("rateBps", 0, 10_000))
      .describe("For `percent`: the rate in hundredths of a percent."),
    amountCents: cents("amountCents").describe("For `flat`: the commission for a sale."),
    currency: fields
      .optional(fields.currency("currency"))
      .describe("Currency of the policy's amounts. Defaults to the program's currency."),
    scope: wire
      .optional(fields.oneOf("scope", policyScopes))
      .describe(
        "Sales of a customer that earn a commission: the first, those of some months, or all. Not required for `none`.",
      ),
    durationMonths: fields
      .optional(fields.integer("durationMonths", 1, 1_200))
      .describe("For `recurring`: the number of months."),
    holdDays: fields.optional(fields.integer("holdDays", 0, 365)).describe(`Defaults to ${defaultHoldDays}.`),
    minSaleCents: cents("minSaleCents").describe("Minimum sale. Smaller sales earn nothing."),
    maxCommissionCents: cents("maxCommissionCents").describe("Maximum commission for a sale."),
    partnerId: fields
      .optional(fields.programId("partnerId"))
      .describe("Partner for whom this policy replaces those of the program and of groups."),
    groupId: fields
      .optional(fields.programId("groupId"))
      .describe("Group for whose partners this policy replaces the program's. Not together with `partnerId`."),
    rules: fields
      .optional(rules)
      .describe("The first rule that covers an item decides it, ahead of the policy's own rate or amount."),
  })
  .refine(...requiredFor("rateBps", "type", "percent"))
  .refine(...allowedFor("rateBps", "type", "percent"))
  .refine(...requiredFor("amountCents", "type", "flat"))
  .refine(...allowedFor("amountCents", "type", "flat"))
  .refine(...unlessNone("scope", "scope is required", ({ scope }) => scope != null))
  .refine(...requiredFor("durationMonths", "scope", "recurring"))
  .refine(...allowedFor("durationMonths", "scope", "recurring"))
  .refine(...fields.rule(["groupId"], "groupId and partnerId can't both be sent", hasOneOwner))
  .openapi("NewCommissionPolicy");
type NewPolicy = z.output<typeof NewPolicy>;

export function policyTerms(policy: NewPolicy, programCurrency: string): SetPolicyCall["policy"] {
  const { type, partnerId, groupId } = policy;
  if (type === "none") return { ...noTerms, type, scope: "lifetime", holdDays: defaultHoldDays, partnerId, groupId };
  const { rateBps, amountCents, durationMonths, minSaleCents, maxCommissionCents } = policy;
  const limits = { minSaleCents, maxCommissionCents, rules: policy.rules?.length ? policy.rules : null };
  const currency = policy.currency ?? (namesMoney({ type, ...limits }) ? programCurrency : null);
  const scope = policy.scope ?? "lifetime";
  const holdDays = policy.holdDays ?? defaultHoldDays;
  return { rateBps, amountCents, currency, ...limits, type, scope, durationMonths, holdDays, partnerId, groupId };
}
