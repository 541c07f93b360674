import type { VoidReason } from "../commission.ts";
import type { JudgedCoupon } from "../coupons.ts";
import { type ReviewReason, reviewReason } from "../review-reason.ts";
import { noUnits } from "../units.ts";
import type { ExplainFacts, StorySale } from "./facts.ts";
import { type FrozenCommission, readFrozenCommission } from "./frozen.ts";
import { countText, dateText, moneyText, quoted, sentence } from "./text.ts";

/** Reasons why there is no commission, or none yet. */
export type MissingCode = VoidReason | "one_time_used" | "provisional" | "unconfirmed" | "under_review" | "not_shown";

export interface Shortfall {
  readonly code: MissingCode;
  readonly message: string;
  readonly remedy: string;
}

/** The stored values that the text of a reason depends on. */
export interface ReasonFacts {
  readonly clickAgeDays?: number | null;
  readonly windowDays?: number | null;
  readonly sale?: Pick<StorySale, "amountCents" | "currency" | "occurredAt"> | undefined;
  readonly policy?: FrozenCommission["policy"];
  /** When the partner's attribution began (ms), if the sale was before that or no sale is explained. */
  readonly since?: number | undefined;
  readonly timezone?: string;
  /** True if a coupon of the sale was ignored because the customer had already bought before the sale. */
  readonly hasCoupon?: boolean;
  /** The sale's first coupon that was paused, or not valid at the time of the sale, or else its first unknown one. */
  readonly unusableCoupon?: JudgedCoupon | undefined;
  /** The reasons why the commission is under review. */
  readonly reviews?: readonly ReviewReason[];
}

/** The reader of a remedy. Integrators get fields of the API, owners the words of the dashboard. */
export type Audience = "integrator" | "owner";

type Clause = string | ((facts: ReasonFacts) => string);

interface Reason {
  /** Part of a sentence, without a capital letter and a full stop. */
  readonly clause: Clause;
  readonly remedy: Clause | Readonly<Record<Audience, Clause>>;
}

const younger = ({ clickAgeDays, windowDays }: ReasonFacts): string =>
  clickAgeDays == null || windowDays == null
    ? "younger"
    : `${countText(Math.max(1, clickAgeDays - windowDays), "day")} younger`;

function expired({ clickAgeDays, windowDays }: ReasonFacts): string {
  if (clickAgeDays == null || windowDays == null) return "the click was older than the attribution window";
  const window = countText(windowDays, "day");
  return clickAgeDays > windowDays
    ? `the click was ${countText(clickAgeDays, "day")} old, and the attribution window was ${window}`
    : `the click was a few hours older than the attribution window of ${window}`;
}

const minimum = ({ policy, sale }: ReasonFacts): string =>
  policy?.minSaleCents == null
    ? ""
    : ` of ${moneyText(policy.minSaleCents, policy.currency ?? sale?.currency ?? "EUR", noUnits)}`;

const saleText = ({ sale }: ReasonFacts): string =>
  sale === undefined ? "the sale" : `the sale of ${moneyText(sale.amountCents, sale.currency, noUnits)}`;

const unlessBefore =
  (remedy: string): Clause =>
  ({ since }) =>
    since === undefined ? remedy : "Nothing to do: later sales earn.";

const reasons: Readonly<Record<MissingCode, Reason>> = {
  customer_not_found: {
    clause: "neither a lead nor a click identified the customer",
    remedy: {
      integrator:
        "Send the customer's lead with the same customer_key as the sale. A lead that you send now, with its occurred_at, still attributes the sale.",
      owner:
        "Have your developer report the customer's sign-up. A sign-up that is reported now, with its date, still attributes the sale.",
    },
  },
  no_click: {
    clause: ({ since, timezone }) =>
      since === undefined || timezone === undefined
        ? "no partner's click was reported for the customer"
        : `the customer's sales are attributed to their partner only from ${dateText(since, timezone)} on`,
    remedy: {
      integrator: unlessBefore(
        "If a partner referred them, send a lead with the click id that the browser script stored. Otherwise there is nothing to do.",
      ),
      owner: unlessBefore(
        "If a partner referred them, have your developer report the sign-up with the click ID from the browser script. Otherwise there is nothing to do.",
      ),
    },
  },
  invalid_click_id: {
    clause: "the click id that was sent isn't valid in this program",
    remedy: {
      integrator:
        "Forward the click id unchanged. Ids of other programs, ids from test mode in a live call, and altered ids don't count.",
      owner:
        "Have your developer pass the click ID on unchanged. IDs of other programs, IDs from test mode and altered IDs don't count.",
    },
  },
  existing_customer: {
    clause: ({ hasCoupon }) =>
      `the customer had already bought before ${hasCoupon ? "this sale, which came with a coupon" : "the click"}`,
    remedy: "Nothing to do: the partner didn't bring this customer.",
  },
  attribution_window_expired: {
    clause: expired,
    remedy: (facts) =>
      `A click ${younger(facts)} would have counted. Report sign-ups when they happen, or set a longer window for later customers.`,
  },
  no_commission_policy: {
    clause: ({ sale, timezone }) =>
      `no commission policy was in effect${
        sale === undefined || timezone === undefined ? "" : ` on ${dateText(sale.occurredAt, timezone)}`
      }`,
    remedy: {
      integrator: "Set a commission policy for the program or the partner. It applies to later sales.",
      owner: "Set a commission in Settings, or on the partner's page. It applies to later sales.",
    },
  },
  partner_inactive: {
    clause: "the partner was paused",
    remedy: "Resume the partner. Later sales earn commission again.",
  },
  program_inactive: {
    clause: "the program was paused",
    remedy: "Resume the program. Later sales earn commission again.",
  },
  commission_duration_over: {
    clause: ({ policy }) =>
      policy?.durationMonths == null
        ? "the policy's months after the customer's first sale were over"
        : `the policy pays for ${countText(policy.durationMonths, "month")} after the customer's first sale, and that time was over`,
    remedy: {
      integrator:
        "To pay for longer, set a policy with more months or with the scope lifetime. It applies to later sales.",
      owner:
        "To pay for longer, choose more months or “Every sale to a customer” in the commission's settings. That applies to later sales.",
    },
  },
  recurring_not_covered: {
    clause: "the policy pays for one sale per customer, and this is a renewal, or another sale earned the commission",
    remedy: {
      integrator:
        "To pay for more sales, set a policy with the scope recurring or lifetime. It applies to later sales.",
      owner:
        "To pay for more sales, choose “Every sale to a customer” or a number of months in the commission's settings. That applies to later sales.",
    },
  },
  excluded_by_rule: {
    clause: "a rule of the commission policy excludes all that was sold",
    remedy: {
      integrator: "To pay for these products, set a policy without that rule. It applies to later sales.",
      owner: "To pay for these products, remove that rule from the commission's settings. That applies to later sales.",
    },
  },
  one_time_used: {
    clause: "another sale earned the customer's only commission before this sale's refund was canceled",
    remedy: "Nothing to do: the policy pays for one sale per customer.",
  },
  currency_mismatch: {
    clause: ({ policy, sale }) =>
      policy?.currency == null || sale === undefined
        ? "the policy's amounts aren't in the currency of the sale"
        : `the policy's amounts are in ${policy.currency}, the sale is in ${sale.currency}, and amounts aren't converted`,
    remedy: {
      integrator:
        "Set a policy that is only a percentage, which takes any currency, or one in the currency of the sales.",
      owner:
        "Set a commission that is a percentage without minimum and maximum, which takes any currency, or use the currency of the sales.",
    },
  },
  below_minimum: {
    clause: (facts) => `${saleText(facts)} is below the policy's minimum${minimum(facts)}`,
    remedy: {
      integrator: "To pay for smaller sales, set a policy with a lower minimum. It applies to later sales.",
      owner:
        "To pay for smaller sales, lower “Minimum sale” in the commission's settings. That applies to later sales.",
    },
  },
  provisional: {
    clause: "a browser reported the lead, and this program accepts only leads that are sent with its API key",
    remedy: {
      integrator: "Send the lead from your server, with the API key, the same customer_key and the click id.",
      owner: "Have your developer report the sign-up from your server, with the same customer and the click ID.",
    },
  },
  unconfirmed: {
    clause: "only a browser reported the click",
    remedy: {
      integrator:
        "Send a lead or sale with the API key and the click id, or approve the commission. Until then it isn't approved automatically.",
      owner:
        "Approve the commission if you trust it, or have your developer report the customer from your server. Until then it isn't approved automatically.",
    },
  },
  under_review: {
    clause: ({ reviews = [] }) =>
      `a member of the program has yet to review it${
        reviews.length === 0
          ? ""
          : ` (${reviews
              .map(({ text }) => text)
              .join(" ")
              .replace(/\.$/, "")})`
      }`,
    remedy: {
      integrator: "Nothing to send: a member of the program releases, approves or rejects the commission.",
      owner: "Release, approve or reject the commission under Commissions, Held for review.",
    },
  },
  not_shown: {
    clause: "no recorded lead or sale used this click (a browser's lead for a known customer isn't recorded)",
    remedy: {
      integrator:
        "Forward the click id with the customer's lead. For a known customer, send that lead from your server, with the API key.",
      owner:
        "Have your developer report the customer's sign-up with this click ID. For a known customer, report it from your server.",
    },
  },
};

/** Reasons why a sale has no partner. A usable coupon would have given it one. */
const instead: ReadonlySet<MissingCode> = new Set([
  "customer_not_found",
  "no_click",
  "invalid_click_id",
  "attribution_window_expired",
]);

const couponInstead = (code: MissingCode, { unusableCoupon, since }: ReasonFacts): JudgedCoupon | undefined =>
  instead.has(code) && since === undefined ? unusableCoupon : undefined;

function couponClause({ code, partnerCode, outcome }: JudgedCoupon): string {
  if (outcome === "unknown") return `no partner has the coupon ${quoted(code)}`;
  const coupon = `coupon ${quoted(code)} of partner ${partnerCode}`;
  return outcome === "paused"
    ? `${coupon} didn't count, because it or the partner was paused`
    : `${coupon} wasn't valid at the time of the sale`;
}

/** Owners aren't told to assign the customer, because the dashboard shows a link for it. */
function couponRemedy({ outcome }: JudgedCoupon, remedy: string, audience: Audience): string {
  if (outcome === "unknown")
    return `If a partner gave out this code, create the coupon. It counts for later sales. ${remedy}`;
  const change = outcome === "paused" ? "Resume the coupon, or the partner" : "Change when the coupon is valid";
  const ofThis = audience === "owner" ? "" : ": if it should earn, assign its customer to the partner";
  return `${change}, so that the coupon counts for later sales. This sale doesn't change${ofThis}.`;
}

const textOf = (clause: Clause, facts: ReasonFacts): string => (typeof clause === "string" ? clause : clause(facts));

export const missingCodes = Object.keys(reasons) as readonly MissingCode[];

export const isMissingCode = (code: string | null | undefined): code is MissingCode =>
  missingCodes.some((known) => known === code);

export function reasonClause(code: MissingCode, facts: ReasonFacts): string {
  const coupon = couponInstead(code, facts);
  const clause = textOf(reasons[code].clause, facts);
  return coupon === undefined ? clause : `${couponClause(coupon)}, and ${clause}`;
}

export function missingFor(code: MissingCode, facts: ReasonFacts, audience: Audience): Shortfall {
  const { remedy } = reasons[code];
  const own = textOf(typeof remedy === "object" ? remedy[audience] : remedy, facts);
  const coupon = couponInstead(code, facts);
  return {
    code,
    message: sentence(reasonClause(code, facts)),
    remedy: coupon === undefined ? own : couponRemedy(coupon, own, audience),
  };
}

export function reasonFactsOf({
  sale,
  lead,
  customer,
  timezone,
}: Pick<ExplainFacts, "sale" | "lead" | "customer" | "timezone">): ReasonFacts {
  if (sale === undefined) {
    const { clickAgeDays = null, windowDays = null } = lead ?? {};
    return { clickAgeDays, windowDays, timezone, since: customer?.since ?? undefined };
  }
  const { clickAgeDays, windowDays, occurredAt } = sale;
  const { policy, coupons = [] } = readFrozenCommission(sale.commission.explanation);
  return {
    clickAgeDays,
    windowDays,
    timezone,
    sale,
    since: customer?.since != null && occurredAt < customer.since ? customer.since : undefined,
    policy,
    hasCoupon: coupons.some(({ outcome }) => outcome === "existing_customer"),
    unusableCoupon:
      coupons.find(({ outcome }) => outcome === "paused" || outcome === "not_valid_then") ??
      coupons.find(({ outcome }) => outcome === "unknown"),
    reviews: (sale.commission.reviews ?? []).map((review) => reviewReason(review, occurredAt)),
  };
}
