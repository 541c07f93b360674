import { namesMoney, noTerms } from "#domain/commission.ts";
import { maxAmountCents } from "#domain/money.ts";
import { policyScopes, policyTypes } from "#domain/policy-terms.ts";
import { maxRuleAmountCents, maxRuleProducts, maxRules, type Rule } from "#domain/rules.ts";
import { subscriptionIntervals } from "#domain/sale-type.ts";
import { isUnitCode, type Unit, type Units } from "#domain/units.ts";
import * as wire from "#http/schema/fields.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int32, int64 } from "#http/schema/integers.ts";
import { encoded, instant, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { SetPolicyCall } from "#operations/manage/set-policy.ts";
import type { PolicyTerms } from "#store/policies.ts";
import { areOfType, NewTiers, tiersRecord } from "./tiers.ts";

const rule = z
  .object({
    label: z.string().optional(),
    rateBps: int32().optional(),
    amountCents: int64().optional().describe("Commission for each unit sold."),
    excluded: z.literal(true).optional(),
    when: z.object({
      productIds: z.array(z.string()).readonly().optional(),
      isRecurring: z.boolean().optional(),
      isFirst: z.boolean().optional(),
      withinMonths: int32().optional(),
      interval: z.enum(subscriptionIntervals).optional(),
      coupon: z.boolean().optional(),
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
      "Group that the policy is for. If this and `partnerId` are null, it is the program's policy, which " +
        "applies to every partner without a policy of their own or of their group.",
    ),
  type: z.enum(policyTypes),
  rateBps: int32().nullable().describe("Rate in hundredths of a percent: 2000 is 20%."),
  amountCents: int64().nullable(),
  currency: z.string().nullable().describe("Currency of the policy's amounts."),
  unit: encoded(
    z
      .string()
      .nullable()
      .describe("Unit of `amountCents` and of the rules' amounts. Null if they are in the currency."),
    (unit: Unit | null) => unit?.code ?? null,
  ),
  scope: z.enum(policyScopes),
  durationMonths: int32().nullable(),
  holdDays: int32(),
  minSaleCents: int64().nullable(),
  maxCommissionCents: int64().nullable(),
  rules: z.array(rule).readonly().nullable().describe("Rules of the policy. Null if it has none."),
  tiers: tiersRecord.nullable().describe("Tiers of the policy. Null if it has none."),
  effectiveFrom: instant(),
});

export const policyVersionRecord = policyRecord.extend("CommissionPolicyVersion", {
  partnerName: z.string().nullable(),
  groupName: z.string().nullable(),
  setByName: z.string().nullable().describe("Name of the user who set the policy. Null if no user did."),
  replaced: encoded(
    policyRecord.schema
      .nullable()
      .describe("The previous version for the same program, group or partner. Null for the first version."),
    (replaced: PolicyTerms | null) => replaced && policyRecord.reply(replaced),
  ),
});

const productsRule = `rules.when.productIds must be an array of 1 to ${maxRuleProducts} product ids`;

const Conditions = z
  .strictObject(
    {
      productIds: fields
        .omittable(
          z
            .array(fields.callerId("rules.when.productIds"), productsRule)
            .min(1, productsRule)
            .max(maxRuleProducts, productsRule),
        )
        .describe("The item's product must be one of these."),
      isRecurring: fields
        .omittable(fields.flag("rules.when.isRecurring"))
        .describe("True: the sale must be a renewal. False: it must not be one."),
      isFirst: fields
        .omittable(fields.flag("rules.when.isFirst"))
        .describe(
          "True: the sale must be the customer's first one that earns the partner a commission. False: it must not be.",
        ),
      withinMonths: fields
        .omittable(fields.integer("rules.when.withinMonths", 1, 1_200))
        .describe("The sale must be at most this many calendar months after the customer's first attributed sale."),
      interval: fields
        .omittable(fields.oneOf("rules.when.interval", subscriptionIntervals))
        .describe("The sale's `subscription_interval` must be this one."),
      coupon: fields
        .omittable(fields.flag("rules.when.coupon"))
        .describe("True: the sale must have used a valid coupon of the partner. False: it must not have used one."),
    },
    "rules.when must be an object of known conditions",
  )
  .openapi("RuleConditions");

const termsRule = "rules must each have one of rateBps, amountCents and excluded";

const CommissionRule = z
  .strictObject(
    {
      label: fields
        .omittable(fields.nonBlank("rules.label", 60))
        .describe("Name of the rule, shown in explanations of commissions."),
      when: Conditions.describe("All given conditions must be met. Without any, the rule covers every item."),
      rateBps: fields
        .omittable(fields.integer("rules.rateBps", 0, 10_000))
        .describe("Rate in hundredths of a percent of the amount of all items that the rule covers."),
      amountCents: fields
        .omittable(fields.integer("rules.amountCents", 0, maxRuleAmountCents))
        .describe("Commission for each unit sold, in the policy's currency."),
      excluded: fields
        .omittable(z.literal(true, "rules.excluded must be true"))
        .describe("Items that the rule covers earn nothing."),
    },
    "rules must be objects of known fields",
  )
  .refine(
    ({ rateBps, amountCents, excluded }) =>
      [rateBps, amountCents, excluded].filter((each) => each !== undefined).length === 1,
    termsRule,
  )
  .openapi("NewCommissionRule");

const countRule = `rules must be an array of at most ${maxRules} objects`;

const present = <T extends object>(all: T): T =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as T;

/** Puts the fields of each rule in a fixed order, so that equal rules have equal JSON. */
export const rules = z
  .array(CommissionRule, countRule)
  .max(maxRules, countRule)
  .transform((all) => all.map(({ when, ...rule }): Rule => ({ ...present(rule), when: present(when) })));

const defaultHoldDays = 15;

const unitRule = "unit must be the code of a unit";

interface Terms {
  readonly type: string;
  readonly scope: string | null;
  readonly rateBps: number | null;
  readonly amountCents: number | null;
  readonly durationMonths: number | null;
  readonly tiers: unknown;
  readonly maxCommissionCents: number | null;
  readonly unit: string | null;
  readonly rules: readonly Rule[] | null;
}

/** Ignores the terms if the type is `none`, which ends a policy. */
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

/** A policy in a unit, such as free months, has only fixed amounts, because a rate is a share of an amount of money. */
const unitAllows = (field: keyof Terms, message: string, holds: (terms: Terms) => boolean) =>
  unlessNone(field, message, (terms) => terms.unit == null || holds(terms));

const hasOneOwner = ({ partnerId, groupId }: Readonly<Record<"partnerId" | "groupId", number | null>>): boolean =>
  partnerId === null || groupId === null;

const noMaximum = ({ maxCommissionCents }: Terms) => maxCommissionCents == null;
const noRates = ({ rules }: Terms) => !Array.isArray(rules) || rules.every((rule) => rule?.rateBps == null);

const cents = (field: string) => fields.optional(fields.integer(field, 0, maxAmountCents));

const tiersRule = "tiers.steps must have rateBps when type is percent, and amountCents when type is flat";

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
    unit: fields
      .optional(z.string(unitRule).toUpperCase().refine(isUnitCode, unitRule))
      .describe(
        "For `flat`: the unit of `amountCents` and of the rules' amounts, whatever the sale's currency. `currency` is then the currency of `minSaleCents` only.",
      )
      .openapi({ example: "MONTHS" }),
    scope: wire
      .optional(fields.oneOf("scope", policyScopes))
      .describe(
        "Sales of a customer that earn a commission: the first, those of some months, or all. Not required for `none`.",
      ),
    durationMonths: fields
      .optional(fields.integer("durationMonths", 1, 1_200))
      .describe("For `recurring`: the number of months."),
    holdDays: fields
      .optional(fields.integer("holdDays", 0, 365))
      .describe(`Hold period in days. Defaults to ${defaultHoldDays}.`),
    minSaleCents: cents("minSaleCents").describe("Minimum amount of a sale. Smaller sales earn nothing."),
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
    tiers: fields
      .optional(NewTiers)
      .describe(
        "Steps that replace the policy's own rate or amount once a partner reaches a number of sales or a revenue.",
      ),
  })
  .refine(...requiredFor("rateBps", "type", "percent"))
  .refine(...allowedFor("rateBps", "type", "percent"))
  .refine(...requiredFor("amountCents", "type", "flat"))
  .refine(...allowedFor("amountCents", "type", "flat"))
  .refine(...unlessNone("scope", "scope is required", ({ scope }) => scope != null))
  .refine(...requiredFor("durationMonths", "scope", "recurring"))
  .refine(...allowedFor("durationMonths", "scope", "recurring"))
  .refine(...unlessNone("tiers", tiersRule, ({ type, tiers }) => areOfType(type, tiers)))
  .refine(...allowedFor("unit", "type", "flat"))
  .refine(...unitAllows("maxCommissionCents", "maxCommissionCents can't be sent with a unit", noMaximum))
  .refine(...unitAllows("rules", "rules can't have a rateBps with a unit", noRates))
  .refine(...fields.rule(["groupId"], "groupId and partnerId can't both be sent", hasOneOwner))
  .openapi("NewCommissionPolicy");
type NewPolicy = z.output<typeof NewPolicy>;

export function policyTerms(
  policy: NewPolicy,
  { currency: programCurrency, units }: { readonly currency: string; readonly units: Units },
): SetPolicyCall["policy"] {
  const { type, partnerId, groupId } = policy;
  if (type === "none") return { ...noTerms, type, scope: "lifetime", holdDays: defaultHoldDays, partnerId, groupId };
  const { rateBps, amountCents, durationMonths, minSaleCents, maxCommissionCents } = policy;
  const unit = units.get(policy.unit ?? "") ?? null;
  const limits = {
    minSaleCents,
    maxCommissionCents,
    rules: policy.rules?.length ? policy.rules : null,
    tiers: policy.tiers,
  };
  const currency = policy.currency ?? (namesMoney({ type, unit, ...limits }) ? programCurrency : null);
  const scope = policy.scope ?? "lifetime";
  const holdDays = policy.holdDays ?? defaultHoldDays;
  return { rateBps, amountCents, currency, unit, ...limits, type, scope, durationMonths, holdDays, partnerId, groupId };
}
