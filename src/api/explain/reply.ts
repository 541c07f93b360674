import { clickOutcomes } from "#domain/attribution.ts";
import { entryKinds, shownStatuses } from "#domain/commission-status.ts";
import { couponOutcomes } from "#domain/coupons.ts";
import { evidences } from "#domain/evidence.ts";
import { calculationSteps } from "#domain/explain/calculation.ts";
import { entryPayoutStates } from "#domain/explain/entries.ts";
import { decidedStatuses } from "#domain/explain/facts.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { attributionModels, windowUntils } from "#domain/program-terms.ts";
import { refundStatuses } from "#domain/refund-status.ts";
import { saleTypes, subscriptionIntervals } from "#domain/sale-type.ts";
import { sourceOrNull } from "#http/schema/attribution-source.ts";
import { id, int32, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";

const instant = z.iso.datetime();
const text = z.string().nullable();
const cents = int64().describe("Amount in the currency's smallest unit.");

const Sum = z.object({
  currency: z.string(),
  sales: int64(),
  attributed_sales: int64(),
  amount_cents: cents,
  refunded_cents: cents,
  commission_cents: cents,
});

const Verdict = z.object({
  attributed: z.boolean(),
  partner_code: text,
  source: sourceOrNull,
  commission_cents: int64()
    .nullable()
    .describe(
      "Amount of the commissions. Null without sales, and for sales in several currencies, whose amounts are in `sums`.",
    ),
  currency: text,
  status: z
    .enum(shownStatuses)
    .nullable()
    .describe("Status of the commission. Null if the explanation has no sale or several."),
  reason: text.describe("Reason code, as in the response to the call. For a click that earned nothing, its outcome."),
  message: z.string().describe("The decision in one sentence, to show to people."),
  sales: int64().describe("Number of sales."),
  sums: z.array(Sum).describe("Sums of the sales, one per currency. Commissions in a unit have a sum of their own."),
});

const Customer = z.object({
  customer_key: text.describe("Key of the customer. Null if the customer is known only by a click."),
  known_since: instant,
  source: sourceOrNull,
  since: instant
    .nullable()
    .describe("Time from which sales are attributed to the partner. Null if the source is a click."),
  evidence: z.enum(evidences).nullable().describe("`browser` if only a browser reported the click."),
  locked_since: instant.nullable().describe("Time since which clicks no longer move the customer to another partner."),
});

const event = <Type extends string, Id extends z.ZodType>(type: Type, id: Id) => ({
  type: z.literal(type),
  id,
  occurred_at: instant,
  received_at: instant
    .nullable()
    .describe("Time at which the service received the event. Null for a click that is not stored yet."),
  partner_code: text,
});

const Event = z.discriminatedUnion("type", [
  z.object({
    ...event("click", z.string().describe("The click id.")),
    code_param: text.describe("Query parameter that held the code, if it wasn't `aff`."),
    sub: text.describe("The partner's sub-id, from the link's `aff_sub`."),
    channel: z.enum(["browser", "server"]).nullable(),
    is_bot: z.boolean().nullable(),
    page_url: text,
    referrer_url: text,
    country: text,
    device_type: text,
    os: text,
    browser: text,
  }),
  z.object({
    ...event("lead", id()),
    customer_key: text,
    click_id: text.describe("The click that the lead is attributed to."),
    evidence: z.enum(evidences),
    provisional: z.boolean(),
    reason: text,
    page_url: text,
    event_name: text,
  }),
  z.object({
    ...event("sale", id()),
    transaction_id: z.string(),
    amount_cents: cents,
    currency: z.string(),
    refunded_cents: cents,
    customer_key: text.describe("Customer key sent with the sale."),
    click_id: text.describe("Click id sent with the sale."),
    sale_type: z.enum(saleTypes),
    is_recurring: z.boolean(),
    subscription_id: text,
    subscription_interval: z.enum(subscriptionIntervals).nullable(),
    product_id: text,
    event_name: text,
    reason: text,
    commission_id: id(),
    commission_status: z.enum(shownStatuses),
    commission_cents: cents,
    commission_currency: z.string().describe("Currency or unit of `commission_cents`."),
  }),
  z.object({
    ...event("refund", id()),
    refund_id: text,
    sale_id: id(),
    transaction_id: z.string(),
    refunded_cents: int64().describe("Negative if a call with `cancel` restored part of the sale."),
    currency: z.string(),
    status: z.enum(refundStatuses),
    reason: text,
    refund_reason: text,
    commission_reversed_cents: int64(),
    commission_currency: z.string().describe("Currency or unit of `commission_reversed_cents`."),
  }),
]);

const Candidate = z.object({
  click_id: z.string(),
  at: instant.nullable().describe("Time of the click. Null if the click id is invalid."),
  partner_code: text,
  outcome: z
    .enum(clickOutcomes)
    .describe(
      "`older` and `newer`: the attribution model chose another click. `other_link_paused`: it chose another click, and this " +
        "click's link was paused. `after_the_event`: the click happened, or was first reported, after the " +
        "event that the attribution was decided for.",
    ),
  age_days: int32().optional().describe("Whole days from the click to the event that it was evaluated for."),
  window_days: int32().optional(),
});

const Coupon = z.object({
  code: z.string(),
  partner_code: text.describe("Code of the coupon's partner. Null for an unknown coupon."),
  outcome: z
    .enum(couponOutcomes)
    .describe(
      "`outranked`: the customer was already attributed by a click, an import, a member or the coupon of an " +
        "earlier sale. `other_coupon`: an earlier code in the list was used. `existing_customer`: the customer " +
        "had bought before.",
    ),
});

const memberName = text.describe("Name of the member who decided.");
const author = z.object({
  type: z.enum(["api_key", "member"]),
  name: text.describe("Name of the member or of the API key. An API key is named only if it imported the customer."),
});

const Decision = z.object({
  status: z.enum(decidedStatuses),
  at: instant,
  by: z.object({ type: z.literal("member"), name: memberName }),
  reason: text.describe("The member's reason for a rejection."),
});

const Entry = z.object({
  id: id(),
  kind: z.enum(entryKinds),
  amount_cents: int64(),
  currency: z.string(),
  partner_code: text,
  occurred_at: instant.describe("Time of the event that caused the entry."),
  posted_at: instant.describe("Time at which the entry was written."),
  stands_for: z.object({
    type: z.enum(["sale", "refund", "rejection", "move", "payout"]),
    id: text.describe("The event's `transaction_id` or `refund_id`."),
  }),
  by: author,
  payout: z
    .object({ reference: z.string(), state: z.enum(entryPayoutStates), by: author })
    .nullable()
    .describe("Payout that has reserved or paid the entry, and the member who finalized or confirmed it."),
});

const Commission = z.object({
  id: id(),
  status: z.enum(shownStatuses),
  partner_code: text,
  source: sourceOrNull,
  sub: text.describe("Sub-id of the click that the commission is based on."),
  policy_version: int32().nullable(),
  hold_until: instant.nullable(),
  decision: Decision.nullable().describe("Approval or rejection by a member. Null if no member decided."),
  calculation: z
    .array(z.object({ step: z.enum(calculationSteps), text: z.string(), cents, currency: z.string() }))
    .describe(
      "The arithmetic, step by step. `cents` is the amount after each step; the last one is the commission. `currency` is the currency or unit of `cents`.",
    ),
  entries: z
    .array(Entry)
    .describe(
      "The commission's first 100 ledger entries, in posting order. The refunds behind further entries are in `events`.",
    ),
  more_entries: int32().describe("Number of further entries, all for refunds."),
});

const settings = {
  model: z.enum(attributionModels).nullable(),
  window_days: int32().nullable(),
  window_until: z.enum(windowUntils).nullable(),
  policy_version: int32().nullable(),
  policy_group: z
    .object({ id: id(), name: z.string() })
    .nullable()
    .describe("Partner group that the policy belongs to. Null for a policy of the program or of the partner."),
  partner_status: z.enum(activeStatuses).nullable(),
};

const saleName = z.object({ sale_id: id(), transaction_id: z.string() }).nullable();

export const Explanation = z.object({
  subject: z.object({
    type: z.enum(["click", "lead", "sale", "commission", "refund", "customer"]),
    id: z.union([id(), z.string()]).describe("String for a click, a refund or a customer; number otherwise."),
  }),
  verdict: Verdict,
  erased: z.boolean().describe("True if the customer's personal data was erased. Amounts and dates are unchanged."),
  erasure: z
    .object({ receipt_id: z.string(), erased_at: z.iso.datetime().nullable() })
    .nullable()
    .describe("Receipt of the customer's erasure. Null if the customer wasn't erased."),
  customer: Customer.nullable(),
  events: z.array(Event).describe("The events of the chain, oldest first, 100 per page."),
  next_cursor: z.string().nullable().describe("Send it as `cursor` to get the next events. Null on the last page."),
  candidates: z.array(Candidate).describe("The chosen click and the clicks sent with the call, each with its outcome."),
  earlier_clicks: int32().describe(
    "Number of the customer's other clicks known before the decision, counted up to 1,000.",
  ),
  coupons: z.array(Coupon).describe("Coupons sent with the sale, in the order sent."),
  commission: Commission.nullable().describe("Null if the explanation has no sale or several."),
  corrects: saleName.describe("Earlier sale that this one corrects. Null if the explanation has no sale or several."),
  corrected_by: saleName.describe("Later sale that corrects this one. Null if the explanation has no sale or several."),
  renewal: z
    .object({ earlier_sale: saleName, imported: z.boolean() })
    .nullable()
    .describe(
      'Basis on which `is_recurring: "auto"` was decided: the newest other sale of the subscription that isn\'t later than this sale, ' +
        "or the subscription's import. If there is neither, the sale counts as the first payment. Null if the call sent " +
        "`true` or `false`, or if the explanation has no sale or several.",
    ),
  missing: z
    .array(z.object({ code: z.string(), message: z.string(), remedy: z.string(), docs_url: z.string() }))
    .describe("Conditions that are still missing, if nothing is payable."),
  settings_then: z.object(settings).nullable().describe("Settings in force at the decision."),
  settings_now: z
    .object(settings)
    .partial()
    .nullable()
    .describe("Settings that have changed since the decision, with their current values. Null if none has changed."),
});
export type Explanation = z.output<typeof Explanation>;
