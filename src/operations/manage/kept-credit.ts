import { type FrozenCommission, readFrozenCommission } from "#domain/explain/frozen.ts";
import type { Credit, Credited } from "../attribution/commission-for-sale.ts";
import { riskOfLink } from "../attribution/customer.ts";
import { type Deciding, type Decision, retryWith } from "../operation.ts";
import type { KeptCredit } from "../track/record-sale.ts";
import type { SaleCall } from "../track/sale.ts";
import type { Correctable } from "./read-correction.ts";

/**
 * An import or an assignment concerns no sale from before it, so a correction leaves such a sale with the partner whom it
 * has.
 */
export function keptCredit(
  { occurredAt }: Pick<SaleCall, "occurredAt">,
  { newest: { sale, commission }, explanation, formerSales, subscriber }: Correctable,
  { context }: Deciding,
): KeptCredit | Decision<never> | undefined {
  const since = subscriber?.since ?? null;
  const isBefore = since !== null && occurredAt < since && sale.occurredAt < since;
  if (!isBefore || explanation === undefined) return undefined;
  const frozen = readFrozenCommission(explanation.json);
  const { partner } = frozen;
  if (partner === null) return undefined;
  const link = context.settings.linkByCode(partner.code.toLowerCase(), sale.programId);
  if (link === undefined) {
    return retryWith({ needs: [{ kind: "code", codeKey: partner.code.toLowerCase(), programId: sale.programId }] });
  }
  const credit = groundedAsBefore(frozen, occurredAt, {
    ...{ partnerId: partner.id, partnerCode: partner.code },
    ...{ isPartnerActive: link?.isPartnerActive ?? false, isConfirmed: !commission.isUnconfirmed },
    // The sale was judged by its click before: those signals are carried over.
    risk: riskOfLink({ partnerId: partner.id, isPartnerExempt: link?.isPartnerExempt ?? false }, subscriber, null),
  });
  if (credit === undefined) return undefined;
  const history = {
    firstAttributedSaleAt: formerSales?.firstAt ?? undefined,
    oneTime: formerSales?.hasOneTime ? ("waiting" as const) : undefined,
    importedFirstSaleAt: undefined,
  };
  return { credit, history };
}

/** A coupon that came with the sale goes with it to another instant. */
function groundedAsBefore(frozen: FrozenCommission, occurredAt: number, credited: Credited): Credit | undefined {
  const { click, direct, evidence, model, windowUntil, bound } = frozen;
  if (direct !== undefined) {
    return { ...credited, source: direct.source, since: Math.min(direct.since, occurredAt) };
  }
  if (click === null || evidence === null || model === null || windowUntil === null || bound === null) return undefined;
  const ofClick = { clickId: click.id, clickAt: click.at, clickAgeDays: frozen.clickAgeDays ?? 0 };
  return {
    ...credited,
    source: "click",
    ...ofClick,
    evidence,
    model,
    windowDays: frozen.windowDays ?? 0,
    windowUntil,
    bound,
  };
}
