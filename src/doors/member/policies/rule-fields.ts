import { maxRuleAmountCents, maxRuleProducts, maxRules, type Rule } from "#domain/rules.ts";
import { subscriptionIntervals } from "#domain/sale-type.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";

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
        .describe("The item's product is one of these."),
      isRecurring: fields
        .omittable(fields.flag("rules.when.isRecurring"))
        .describe("The sale is, or isn't, a renewal."),
      isFirst: fields
        .omittable(fields.flag("rules.when.isFirst"))
        .describe("The sale is, or isn't, the first of the customer that earns the partner a commission."),
      withinMonths: fields
        .omittable(fields.integer("rules.when.withinMonths", 1, 1_200))
        .describe("The sale is at most so many calendar months after the customer's first attributed sale."),
      interval: fields
        .omittable(fields.oneOf("rules.when.interval", subscriptionIntervals))
        .describe("The sale's `subscription_interval`."),
      coupon: fields
        .omittable(fields.flag("rules.when.coupon"))
        .describe("A valid coupon of the partner came, or didn't come, with the sale."),
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
        .describe("Name of the rule, which explanations of commissions show."),
      when: Conditions.describe("All conditions that are given must hold. Without any, the rule covers every item."),
      rateBps: fields
        .omittable(fields.integer("rules.rateBps", 0, 10_000))
        .describe("Rate in hundredths of a percent of the amount of all items that the rule covers."),
      amountCents: fields
        .omittable(fields.integer("rules.amountCents", 0, maxRuleAmountCents))
        .describe("Commission for each piece, in the policy's currency."),
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

/** In one order, so that equal rules are equal texts. */
export const rules = z
  .array(CommissionRule, countRule)
  .max(maxRules, countRule)
  .transform((all) => all.map(({ when, ...rule }): Rule => ({ ...present(rule), when: present(when) })));
