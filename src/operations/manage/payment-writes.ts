import type { PartnerId, ProgramId } from "#domain/ids.ts";
import type { SealedPaymentDetails } from "#domain/payment-details.ts";
import { markDetailsChanged, type PartnerRow, partnerOfProgram } from "#store/partners.ts";
import {
  insertPaymentVersion,
  newestPaymentDetails,
  type PaymentVersionRow,
  paidLineOf,
} from "#store/payment-details.ts";
import type { Read, Write } from "#store/statement.ts";
import type { Context, Gathered } from "../operation.ts";
import { laterThan } from "./partner-writes.ts";
import { auditWrite, type ChangeCall } from "./settings-change.ts";

type By = Pick<ChangeCall, "operationId" | "programId" | "actorId">;

export const readPaymentDetails = ({
  programId,
  partnerId,
}: {
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
}) => ({
  partner: partnerOfProgram({ programId, id: partnerId }),
  newest: newestPaymentDetails({ programId, partnerId }),
  paidLine: paidLineOf({ partnerId }) as Read<unknown>,
});
type Known = Omit<Gathered<ReturnType<typeof readPaymentDetails>>, "partner"> & { readonly partner: PartnerRow };

const cleared = { method: null, last4: null, ciphertext: null, digest: null } as const;

/** A new version of where the partner is paid. Null: from now on there are no details. */
export function paymentVersionWrites(
  by: By,
  { partner, newest, paidLine }: Known,
  sealed: SealedPaymentDetails | null,
  context: Context,
): readonly Write[] {
  const { operationId, programId, actorId } = by;
  const createdAt = laterThan(Math.max(partner.detailsChangedAt ?? 0, newest?.createdAt ?? 0), context);
  const version: PaymentVersionRow = {
    ...{ id: context.newId("ledgerEntries"), programId, partnerId: partner.id },
    ...(sealed ?? { ...cleared, sealId: operationId }),
    ...{ setBy: actorId, createdAt },
  };
  // Nobody expects a payment to go elsewhere while there has been none.
  const replaces = newest !== undefined || paidLine !== undefined;
  const { id: paymentId, method } = version;
  const change = {
    programId,
    action: "payment_details.changed",
    subject: `partner ${partner.id}`,
    before: newest === undefined ? null : { paymentId: newest.id, method: newest.method },
    after: { paymentId, method, replaces },
  };
  return [
    insertPaymentVersion(version),
    ...(replaces ? [markDetailsChanged({ id: partner.id, detailsChangedAt: createdAt })] : []),
    auditWrite({ operationId, actorId, at: createdAt }, change, context),
  ];
}
