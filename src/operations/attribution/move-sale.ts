import { commissionLeft } from "#domain/commission.ts";
import { mostPartnersLeft } from "#domain/coupons.ts";
import type { MovedFrom } from "#domain/explain/frozen.ts";
import type { CommissionId, PartnerId, SaleId } from "#domain/ids.ts";
import type { PartnerPolicies } from "#domain/policy-in-force.ts";
import { attributeCommission, type CommissionRow, insertEntry } from "#store/commissions.ts";
import { attributeSale, type FollowingSale } from "#store/sales.ts";
import { endSignalsOfMove } from "#store/signals.ts";
import type { Write } from "#store/statement.ts";
import type { Deciding } from "../operation.ts";
import {
  attributionColumns,
  awaitedBy,
  type CommissionTerms,
  type Credit,
  decideCommission,
  type Entry,
  isCredit,
  ledgerEntry,
  type NoCredit,
  signalWrites,
} from "./commission-for-sale.ts";
import { postEarned, postMoved, type SaleWithRefunds } from "./posting.ts";
import type { SalesHistory } from "./sales-history.ts";

export interface MovedSale {
  readonly saleId: SaleId;
  readonly commissionId: CommissionId;
  readonly ofSale: Write;
  readonly ofCommission: Write;
  readonly entries: readonly Write[];
  readonly ofRefunds: readonly Write[];
  readonly endedSignals: readonly Write[];
  readonly raisedSignals: readonly Write[];
  readonly status: CommissionRow["status"];
  readonly leftCents: number;
  readonly currency: string;
  readonly holdUntil: number | undefined;
}

/**
 * Decides a sale as if it had always been credited to the new partner. A commission that was already earned moves by a
 * pair of `moved` entries. A sale that had earned nothing gets an `earned` entry, and its refunds get `reversed`
 * entries on the days of the refunds.
 */
export function moveSale(
  recorded: SaleWithRefunds,
  credit: Credit | NoCredit,
  history: SalesHistory,
  target: Deciding & { readonly policies: PartnerPolicies },
): MovedSale {
  const { sale, commission } = recorded;
  const kept = { hold: commission.keptHold ?? undefined, codes: [], lastAt: commission.lastSignalAt };
  const { terms, signals } = decideCommission(
    {
      sale,
      credit,
      history,
      movedFrom: movedFrom(recorded),
      policies: target.policies,
      kept,
      nearby: sale.nearbySale ?? undefined,
      renewal: commission.renewal ?? undefined,
    },
    target,
  );
  const isDue = terms.status !== "void";
  const status = isDue && sale.refundedCents === sale.amountCents ? ("reversed" as const) : terms.status;
  const posting = postingOf(
    recorded,
    isCredit(credit) ? credit.partnerId : null,
    isDue ? terms.initialCents : undefined,
  );
  const { programId, isTest } = sale;
  const { context, at } = target;
  const entries = posting.entries.map((entry) =>
    insertEntry(
      ledgerEntry(
        { id: commission.id, programId, isTest, currency: currencyOfEntry(entry, commission, terms) },
        entry,
        context,
      ),
    ),
  );
  const reversedNumber = status === "reversed" ? context.newId("ledgerEntries") : null;
  return {
    saleId: sale.id,
    commissionId: commission.id,
    ofSale: attributeSale({ id: sale.id, ...attributionColumns(credit) }),
    ofCommission: attributeCommission({ ...terms, id: commission.id, status, reversedNumber }),
    entries,
    ofRefunds: posting.ofRefunds,
    endedSignals: commission.lastSignalAt === null ? [] : [endSignalsOfMove({ commissionId: commission.id, at })],
    raisedSignals: signalWrites({ programId, isTest, id: commission.id }, signals),
    status,
    leftCents: isDue ? commissionLeft(terms.initialCents, sale.amountCents, sale.refundedCents) : 0,
    currency: terms.currency,
    holdUntil: awaitedBy({ ...terms, status }),
  };
}

/** The entry that takes the amount from the previous partner uses the commission's currency with that partner. */
const currencyOfEntry = (
  { kind, amountCents }: Entry,
  before: FollowingSale["commission"],
  after: CommissionTerms,
): string => (kind === "moved" && amountCents < 0 ? before.currency : after.currency);

/** The partner that the sale moves away from. For an unattributed sale, the last partner it had. */
function movedFrom({ sale, commission }: FollowingSale): MovedFrom | undefined {
  const former = commission.movedFrom ?? undefined;
  if (sale.partnerId === null) return former;
  return {
    partnerId: sale.partnerId,
    partnerCode: sale.partnerCode,
    amountCents: commission.amountCents,
    ...(former && { before: partnersBefore(former) }),
  };
}

const partnersBefore = ({ partnerId, before = [] }: MovedFrom): readonly PartnerId[] =>
  [...new Set([partnerId, ...before])].slice(0, mostPartnersLeft);

/** `initialCents` is the commission before refunds. Undefined if the sale earns nothing. */
function postingOf(
  recorded: SaleWithRefunds,
  partnerId: PartnerId | null,
  initialCents: number | undefined,
): ReturnType<typeof postMoved> {
  const { commission } = recorded;
  const previousPartnerId = commission.status === "void" ? null : commission.partnerId;
  const isEarned = previousPartnerId === null && initialCents !== undefined && !commission.hasEarned;
  return isEarned && partnerId !== null
    ? postEarned(recorded, partnerId, initialCents)
    : postMoved(recorded, partnerId, previousPartnerId, initialCents ?? 0);
}
