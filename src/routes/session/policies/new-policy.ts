import { maxAmountCents } from "../../../domain/money.ts";
import { policyScopes, policyTypes } from "../../../domain/policy-terms.ts";
import * as wire from "../../../http/schema/fields.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import type { SetPolicyCall } from "../../../operations/manage/set-policy.ts";

const defaultHoldDays = 15;

interface Terms {
  readonly type?: string | undefined;
  readonly scope?: string | undefined;
  readonly rateBps?: number | undefined;
  readonly amountCents?: number | undefined;
  readonly durationMonths?: number | undefined;
}

/** What ends a policy has no terms, and those sent along mean nothing. */
const unlessNone = (field: keyof Terms, message: string, holds: (terms: Terms) => boolean) =>
  wire.rule([field], message, (terms: Terms) => terms.type === "none" || holds(terms));

const neededFor = (field: keyof Terms, of: "type" | "scope", value: string) =>
  unlessNone(field, `${field} is required when ${of} is ${value}`, (terms) => {
    return terms[of] !== value || terms[field] !== undefined;
  });

const onlyFor = (field: keyof Terms, of: "type" | "scope", value: string) =>
  unlessNone(field, `${field} is allowed only when ${of} is ${value}`, (terms) => {
    return terms[of] === undefined || terms[of] === value || terms[field] === undefined;
  });

const cents = (field: string) => wire.optional(fields.whole(field, 0, maxAmountCents));

export const NewPolicy = z
  .object({
    type: fields.oneOf("type", policyTypes).describe("`none` ends the policy in force."),
    rateBps: wire
      .optional(fields.whole("rateBps", 0, 10_000))
      .describe("For `percent`: the rate in hundredths of a percent."),
    amountCents: cents("amountCents").describe("For `flat`: the commission for a sale."),
    currency: wire
      .optional(wire.currency("currency"))
      .describe("Currency of the policy's amounts. Defaults to the program's currency."),
    scope: wire
      .optional(fields.oneOf("scope", policyScopes))
      .describe(
        "Sales of a customer that earn a commission: the first, those of some months, or all. Not required for `none`.",
      ),
    durationMonths: wire
      .optional(fields.whole("durationMonths", 1, 1_200))
      .describe("For `recurring`: the number of months."),
    holdDays: wire.optional(fields.whole("holdDays", 0, 365)).describe(`Defaults to ${defaultHoldDays}.`),
    minSaleCents: cents("minSaleCents").describe("Minimum sale. Smaller sales earn nothing."),
    maxCommissionCents: cents("maxCommissionCents").describe("Maximum commission for a sale."),
    partnerId: wire
      .optional(wire.programId("partnerId"))
      .describe("Partner for whom this policy replaces the program's."),
  })
  .refine(...neededFor("rateBps", "type", "percent"))
  .refine(...onlyFor("rateBps", "type", "percent"))
  .refine(...neededFor("amountCents", "type", "flat"))
  .refine(...onlyFor("amountCents", "type", "flat"))
  .refine(...unlessNone("scope", "scope is required", ({ scope }) => scope !== undefined))
  .refine(...neededFor("durationMonths", "scope", "recurring"))
  .refine(...onlyFor("durationMonths", "scope", "recurring"))
  .openapi("NewCommissionPolicy");
type NewPolicy = z.output<typeof NewPolicy>;

/** What is set, with what was left to be understood. */
export function policyTerms(policy: NewPolicy, programCurrency: string): SetPolicyCall["policy"] {
  const { type, scope = "lifetime", holdDays = defaultHoldDays, partnerId = null } = policy;
  if (type === "none") return { ...noTerms, type, scope: "lifetime", holdDays, partnerId };
  const { amountCents = null, minSaleCents = null, maxCommissionCents = null } = policy;
  const namesMoney = [amountCents, minSaleCents, maxCommissionCents].some((amount) => amount !== null);
  const currency = policy.currency ?? (namesMoney ? programCurrency : null);
  const { rateBps = null, durationMonths = null } = policy;
  const amounts = { rateBps, amountCents, currency, minSaleCents, maxCommissionCents };
  return { ...amounts, type, scope, durationMonths, holdDays, partnerId };
}

const noTerms = {
  rateBps: null,
  amountCents: null,
  currency: null,
  durationMonths: null,
  minSaleCents: null,
  maxCommissionCents: null,
} as const;
