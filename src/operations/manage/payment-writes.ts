import type { SealedPaymentDetails } from "#domain/payment-details.ts";
import { emptiedPayment } from "#store/erased-columns.ts";
import { markDetailsChanged } from "#store/partners.ts";
import { insertPaymentVersion, type PaymentState, type PaymentVersionRow } from "#store/payment-details.ts";
import type { Write } from "#store/statement.ts";
import { laterThan } from "../later-than.ts";
import type { Context } from "../operation.ts";
import { auditWrite, type ChangeCall } from "./settings-change.ts";

interface By extends Pick<ChangeCall, "operationId" | "programId" | "actorId"> {
  /** True if the account received its access after the partner had earned something. */
  readonly isByLateAccess?: boolean;
}
type Before = Omit<PaymentState, "email" | "digest" | "setBy" | "erasureId">;

const cleared = { method: null, ...emptiedPayment } as const;

/** Adds a version of the partner's payment details. Null clears them. */
export function paymentVersionWrites(
  { operationId, programId, actorId, isByLateAccess = false }: By,
  { partnerId, paymentId: replacedId, method: replacedMethod, detailsChangedAt, setAt, isPaid }: Before,
  sealed: SealedPaymentDetails | null,
  context: Context,
): readonly Write[] {
  const createdAt = laterThan(Math.max(detailsChangedAt ?? 0, setAt ?? 0), context);
  const version: PaymentVersionRow = {
    id: context.newId("ledgerEntries"),
    programId,
    partnerId,
    ...(sealed ?? { ...cleared, sealId: operationId }),
    setBy: actorId,
    createdAt,
  };
  // Details set for the first time, before the first payment, don't count as replaced. They do count if an earlier
  // change is waiting for confirmation.
  const isReplacing = replacedId !== null || isPaid || detailsChangedAt !== null;
  const replaces = isReplacing || isByLateAccess;
  const { id: paymentId, method } = version;
  const change = {
    programId,
    action: "payment_details.changed",
    subject: `partner ${partnerId}`,
    before: replacedId === null ? null : { paymentId: replacedId, method: replacedMethod },
    after: { paymentId, method, replaces, ...(isByLateAccess && !isReplacing && { unconfirmed: true }) },
  };
  return [
    insertPaymentVersion(version),
    ...(replaces ? [markDetailsChanged({ id: partnerId, detailsChangedAt: createdAt })] : []),
    auditWrite({ operationId, actorId, at: createdAt }, change, context),
  ];
}
