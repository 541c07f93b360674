import type { UnattributedReason } from "#domain/attribution.ts";
import type { Book } from "#domain/book.ts";
import { clockToleranceMs } from "#domain/calendar.ts";
import type { VoidReason } from "#domain/commission.ts";
import { shownStatus } from "#domain/commission-status.ts";
import { couponsOf } from "#domain/coupons.ts";
import type { FrozenRenewal } from "#domain/explain/frozen.ts";
import type { ProgramId, SaleId } from "#domain/ids.ts";
import type { SaleSummary } from "#domain/refusal.ts";
import { comparedDetails, noDetails } from "#domain/sale-type.ts";
import { snakeCase } from "#domain/snake-case.ts";
import { earlierPayment, type RecordedSale, type SaleRow } from "#store/sales.ts";
import type { Program } from "#store/settings.ts";
import { type Call, type Credential, type Decision, refuse, type VerifiedClick } from "../operation.ts";

export type SaleDetails = Pick<SaleRow, keyof typeof noDetails>;

const detailNames = Object.keys(noDetails) as (keyof SaleDetails)[];
export const detailsOf = (sale: SaleDetails) =>
  Object.fromEntries(detailNames.map((name) => [name, sale[name]])) as unknown as SaleDetails;

export interface SaleCall extends Call, Omit<SaleDetails, "isRecurring"> {
  readonly kind: "sale";
  /** With `auto`, the sale is a renewal if its subscription was imported, or has a known payment that isn't later. */
  readonly isRecurring: boolean | "auto";
  readonly isTest: boolean;
  readonly key: Credential;
  readonly transactionId: string;
  readonly amountCents: number;
  /** Upper case. Null for the program's currency. */
  readonly currency: string | null;
  readonly customerKey: string | null;
  readonly clickId: string | null;
  /** Ids with a valid signature, from any program, live or test. The newest is last. */
  readonly clicks: readonly VerifiedClick[];
  /** Ids that were sent without a valid signature. None by default. */
  readonly invalidClickIds?: readonly string[];
  readonly sentClickId: boolean;
  readonly occurredAt: number;
  readonly sentOccurredAt: boolean;
  /** The name of the field that contains a placeholder id (such as `undefined`). If set, no sale is recorded. */
  readonly placeholder?: string | undefined;
  /** As sent. None by default. */
  readonly couponCodes?: readonly string[];
  /** Set only if a member corrects a sale. */
  readonly corrects?: Correction;
}

export interface JudgedSale extends SaleCall, SaleDetails {
  readonly isRecurring: boolean;
  /** The facts by which `isRecurring` was decided. Undefined if the call states it. */
  readonly renewal?: FrozenRenewal | undefined;
}

export const bookOf = ({ key, isTest }: SaleCall): Book => ({ programId: key.programId, isTest });

/** Reads nothing if the call states whether the sale is a renewal, or has no subscription. */
export function readEarlierPayment(call: SaleCall) {
  const { isRecurring, subscriptionId, occurredAt } = call;
  return isRecurring === "auto" && subscriptionId !== null
    ? earlierPayment({ ...bookOf(call), subscriptionId, occurredAt })
    : undefined;
}

const noRenewal: FrozenRenewal = { saleId: null, isImported: false };

export function judgeRenewal(
  { isRecurring }: SaleCall,
  renewal: FrozenRenewal = noRenewal,
): Pick<JudgedSale, "isRecurring" | "renewal"> {
  if (isRecurring !== "auto") return { isRecurring };
  return { isRecurring: renewal.saleId !== null || renewal.isImported, renewal };
}

export interface Correction {
  /** The original version of the sale. */
  readonly saleId: SaleId;
  /** Counts the corrections of the sale from 1. */
  readonly number: number;
  /** The instant of the sale before this correction (ms). */
  readonly occurredAt: number;
  /** True if the sale keeps its customer, who was erased. */
  readonly isErased: boolean;
}

export interface SaleAnswer extends SaleSummary {
  readonly programId: ProgramId;
  readonly reason: UnattributedReason | undefined;
  readonly clickAgeDays: number | undefined;
  readonly windowDays: number | undefined;
}

export function decideRepeatedSale(call: SaleCall, recorded: RecordedSale, program: Program): Decision<SaleAnswer> {
  if (recorded.sale.operationId === call.operationId) {
    return { kind: "commit", programId: program.id, answer: saleAnswer(recorded), writes: [] };
  }
  return refuse({
    code: "duplicate_transaction",
    sale: saleAnswer(recorded),
    differences: differencesFrom(recorded.sale, call, program),
  });
}

function differencesFrom(sale: RecordedSale["sale"], call: SaleCall, program: Program): readonly string[] {
  const sent = call.isRecurring === "auto" ? { ...call, isRecurring: sale.isRecurring } : call;
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ["amount_cents", sale.amountCents, call.amountCents],
    ["currency", sale.currency, call.currency ?? program.currency],
    ["customer_key", sale.sentCustomerKey, call.customerKey],
    ["click_id", sale.sentClickId, call.clickId],
    ...comparedDetails.map((name) => [snakeCase(name), sale[name], sent[name]] as const),
    ["items", sale.items, call.items ?? sale.items],
    ["coupon_codes", ...codesToCompare(sale, call)],
  ];
  const compared = pairs.filter(([field]) => !(sale.isErased && ofCustomer.includes(field)));
  const differing = compared.filter(([, recorded, sent]) => recorded !== sent).map(([field]) => field);
  return isSameInstant(sale, call) ? differing : [...differing, "occurred_at"];
}

/** Fields that aren't compared for an erased customer, because their values were removed or replaced. */
const ofCustomer: readonly string[] = ["customer_key", "click_id", "coupon_codes"];

/** Returns the stored and the sent codes. If none were sent, both are the stored ones. */
function codesToCompare({ coupons }: RecordedSale["sale"], { couponCodes = [] }: SaleCall) {
  const recorded = JSON.stringify(couponsOf(coupons).map(({ code }) => code));
  return [recorded, couponCodes.length === 0 ? recorded : JSON.stringify(couponCodes)] as const;
}

/**
 * True if the instants are equal. A sale that was reported with an instant in the near future was recorded with the
 * instant of its receipt.
 */
const isSameInstant = ({ occurredAt, createdAt }: RecordedSale["sale"], call: SaleCall): boolean =>
  !call.sentOccurredAt ||
  call.occurredAt === occurredAt ||
  (occurredAt === createdAt && call.occurredAt > createdAt && call.occurredAt <= createdAt + clockToleranceMs);

export function saleAnswer({ sale, commission, heldBy }: Omit<RecordedSale, "policyScope">): SaleAnswer {
  return {
    programId: sale.programId,
    saleId: sale.id,
    commissionId: commission.id,
    isRecurring: sale.isRecurring,
    attributed: sale.partnerId !== null,
    partnerCode: sale.partnerCode ?? undefined,
    source: commission.source ?? undefined,
    reason: (sale.reason as UnattributedReason | null) ?? undefined,
    clickAgeDays: sale.partnerId === null ? (sale.clickAgeDays ?? undefined) : undefined,
    windowDays: sale.partnerId === null ? (sale.windowDays ?? undefined) : undefined,
    commission: {
      amountCents: commission.amountCents,
      currency: commission.currency,
      status: shownStatus(commission.status, heldBy),
      holdUntil: commission.holdUntil ?? undefined,
      unconfirmed: commission.isUnconfirmed,
      held: commission.status === "pending" && commission.heldAt !== null,
      reason: (commission.reason as VoidReason | null) ?? undefined,
    },
  };
}
