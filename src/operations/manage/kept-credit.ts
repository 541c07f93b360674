import { saleWithinWindow } from "#domain/attribution.ts";
import { countingCoupon, couponsOf } from "#domain/coupons.ts";
import { type FrozenCommission, readFrozenCommission } from "#domain/explain/frozen.ts";
import type { Credit, Credited } from "../attribution/commission-for-sale.ts";
import { couponsOfSale } from "../attribution/coupon.ts";
import { riskOfLink } from "../attribution/customer.ts";
import { takesPlace } from "../attribution/sales-history.ts";
import { type Deciding, type Decision, retryWith } from "../operation.ts";
import type { KeptCredit } from "../track/before-correction.ts";
import type { SaleCall } from "../track/sale.ts";
import type { Correctable } from "./read-correction.ts";

/**
 * Returns the credit that a corrected sale keeps, if the sale is from before an import or a member attributed the
 * customer. Such an attribution doesn't cover earlier sales. The sale stays with its partner if the evidence that
 * credited it is also valid at its new instant.
 */
export function keptCredit(
  again: Pick<SaleCall, "occurredAt" | "coupons" | "couponCodes" | "corrects">,
  found: Correctable,
  { context }: Deciding,
): KeptCredit | Decision<never> | undefined {
  const { newest, explanation, formerSales, subscriber } = found;
  const { sale, commission } = newest;
  const { occurredAt } = again;
  const since = subscriber?.since;
  const isBefore = since != null && occurredAt < since && sale.occurredAt < since;
  if (!isBefore || explanation === undefined) return undefined;
  const frozen = readFrozenCommission(explanation.json);
  const { partner } = frozen;
  if (partner === null) return undefined;
  const link = context.settings.linkByCode(partner.code.toLowerCase(), sale.programId);
  if (link === undefined) {
    return retryWith({ needs: [{ kind: "code", codeKey: partner.code.toLowerCase(), programId: sale.programId }] });
  }
  const credit = groundedAsBefore(
    frozen,
    { again, found },
    {
      partnerId: partner.id,
      partnerCode: partner.code,
      isPartnerActive: link?.isPartnerActive ?? false,
      isConfirmed: !commission.isUnconfirmed,
      // The referrer is null because the click was judged before, and the signals raised at that time are kept.
      risk: riskOfLink(
        { partnerId: partner.id, isPartnerExempt: link?.isPartnerExempt ?? false, partnerExternalId: null },
        subscriber,
        null,
      ),
    },
  );
  if (credit === undefined) return undefined;
  const history = {
    firstAttributedSaleAt: firstOfPartner(frozen, found),
    oneTime: formerSales?.hasOneTime && !hadPlace(frozen, commission) ? ("waiting" as const) : undefined,
    importedFirstSaleAt: undefined,
  };
  return { credit, history };
}

/**
 * The instant of the customer's first sale with the partner, without the corrected sale. If the customer has too many
 * sales to search, it is the instant known when the corrected sale was decided.
 */
function firstOfPartner(frozen: FrozenCommission, { formerSales }: Correctable): number | undefined {
  if (formerSales === undefined) return undefined;
  const { firstAt, hasMore } = formerSales;
  return firstAt ?? (hasMore ? frozen.past?.firstAttributedSaleAt : undefined) ?? undefined;
}

/** True if the corrected sale has earned its partner's `one_time` commission, and still has it. */
const hadPlace = (frozen: FrozenCommission, commission: Correctable["newest"]["commission"]): boolean =>
  frozen.decision === "earned" &&
  frozen.past?.isOneTimeTaken !== true &&
  (takesPlace(commission) || commission.approvedAt !== null);

interface Correcting {
  readonly again: Parameters<typeof keptCredit>[0];
  readonly found: Correctable;
}

function groundedAsBefore(frozen: FrozenCommission, correcting: Correcting, credited: Credited): Credit | undefined {
  const { click, direct, evidence, model, windowDays, windowUntil, bound } = frozen;
  if (direct !== undefined) {
    const since = direct.source === "coupon" ? couponSince(direct.since, correcting, credited) : direct.since;
    return since === undefined ? undefined : { ...credited, source: direct.source, since };
  }
  if (click === null || evidence === null || model === null || windowUntil === null || bound === null) return undefined;
  const binding = { clickAt: click.at, windowDays: windowDays ?? 0, windowUntil, boundAt: bound.at, boundBy: bound.by };
  const window = saleWithinWindow(binding, judgedAt(frozen, click.at, correcting));
  if (!window.ok) return undefined;
  const ofClick = { clickId: click.id, clickAt: click.at, clickAgeDays: window.clickAgeDays };
  const { clickAt, boundAt, boundBy, ...terms } = binding;
  return { ...credited, source: "click", ...ofClick, evidence, model, ...terms, bound };
}

/**
 * The instant since which a coupon credits this sale. It is the instant of the sale whose coupon attributed the
 * customer, or this sale's own instant if the sale itself had that coupon.
 */
function couponSince(
  before: number,
  { again, found: { newest, coupons, binding } }: Correcting,
  { partnerId }: Credited,
): number | undefined {
  const { occurredAt } = again;
  const isOwn = couponsOfSale(again, coupons).counting?.partnerId === partnerId;
  const wasOwn =
    newest.sale.occurredAt === before && countingCoupon(couponsOf(newest.sale.coupons))?.partnerId === partnerId;
  if (!wasOwn && occurredAt >= before) return before;
  if (isOwn) return occurredAt;
  return binding?.partnerId === partnerId && binding.occurredAt <= occurredAt ? binding.occurredAt : undefined;
}

/**
 * The instant for which the click is judged, as for a sale that is reported now: that of the first sale with the
 * partner. If there is none, or the corrected sale is from before the click, it is that of the customer's first sale.
 */
function judgedAt(frozen: FrozenCommission, clickAt: number, { again: { occurredAt }, found }: Correcting): number {
  const first = firstOfPartner(frozen, found);
  if (first !== undefined && occurredAt >= clickAt) return first;
  return Math.min(found.firstSales?.others.firstSaleAt ?? occurredAt, occurredAt);
}
