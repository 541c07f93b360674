import { hourMs } from "#domain/calendar.ts";
import { erasedPartnerDigest } from "#domain/erasure.ts";
import type { PartnerId } from "#domain/ids.ts";
import { canWriteOff, type OpenBalance, openBalances } from "#domain/open-balance.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import {
  applicationsOfPartner,
  balancesToClose,
  erasedPartnerWrites,
  eraseNotes,
  type PartnerToErase,
  partnerToErase,
  writeOffReference,
} from "#store/erased-partners.ts";
import { beginErasure, endErasure, erasureById, privacyCallsSince, rememberErased } from "#store/erasures.ts";
import { accountsOfPartner } from "#store/partner-access.ts";
import { type PartnerRow, partnerOfProgram } from "#store/partners.ts";
import { type PaymentState, paymentStateOf } from "#store/payment-details.ts";
import type { Write } from "#store/statement.ts";
import { forgottenApplication } from "../access/forget-account.ts";
import { adjustmentWrites } from "../manage/create-adjustment.ts";
import { paymentVersionWrites } from "../manage/payment-writes.ts";
import { auditWrite, type ChangeCall } from "../manage/settings-change.ts";
import { type Context, type Deciding, type Decision, type Gathered, type Operation, refuse } from "../operation.ts";
import { receiptIdOf } from "./erasure-commits.ts";
import { limitOf } from "./person-call.ts";

export interface ErasePartnerCall extends ChangeCall {
  readonly kind: "erase-partner";
  readonly partnerId: PartnerId;
  /** Writes off a negative balance first, by an adjustment that brings it to 0. */
  readonly writesOff: boolean;
  /**
   * Repeats the erasure on a restored database. Payments made since the backup may be missing there, so the balances
   * keep their amounts.
   */
  readonly isRepeated?: true;
}

export interface PartnerErased {
  readonly receiptId: string;
  readonly erasedAt: number;
  readonly rows: Readonly<Record<string, number>>;
}

const gather = ({ operationId, programId, partnerId, at }: ErasePartnerCall) => ({
  done: auditOfOperation({ operationId }),
  lately: privacyCallsSince({ programId, since: at - hourMs }),
  receipt: erasureById({ programId, id: receiptIdOf(operationId) }),
  partner: partnerOfProgram({ programId, id: partnerId }),
  payment: paymentStateOf({ programId, partnerId }),
  accounts: accountsOfPartner({ programId, partnerId }),
  applications: applicationsOfPartner({ programId, partnerId }),
  balances: balancesToClose({ programId, partnerId }),
  size: partnerToErase({ programId, partnerId }),
});
type Found = Gathered<ReturnType<typeof gather>>;

/**
 * Erases a partner in one commit. Afterwards clicks, sales and commissions refer to the partner only by codes, which
 * stay reserved. Exclusive, so that no payout or sale is decided in the same round.
 */
export const erasePartner: Operation<ErasePartnerCall, ReturnType<typeof gather>, PartnerErased> = {
  kind: "erase-partner",
  isEssential: true,
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, found, context) {
    const { programId, partnerId, at, writesOff } = call;
    const { receipt, partner, payment, size } = found;
    const program = context.settings.program(programId);
    if (!program || partner === undefined || payment === undefined || size === undefined) {
      return refuse(notFound("partner"));
    }
    if (receipt?.erasedAt != null) {
      const answer = { receiptId: receipt.id, erasedAt: receipt.erasedAt, rows: JSON.parse(receipt.rows) };
      return { kind: "commit", programId, writes: [], answer };
    }
    if (partner.erasureId !== null) return refuse({ code: "person_not_found", receiptId: partner.erasureId });
    const open = call.isRepeated ? [] : openBalances(found.balances);
    const refused = call.isRepeated ? undefined : (limitOf(found) ?? refusalOf(open, writesOff));
    if (refused !== undefined) return refused;

    const rows = rowsOf(size);
    const answer = { receiptId: receiptIdOf(call.operationId), erasedAt: at, rows };
    const writes = [
      eraseNotes({ programId, partnerId }),
      ...open.flatMap((balance) => writeOff(call, balance, { program, context, at })),
      ...erasing(call, { ...found, partner, payment, name: `Partner ${size.number}` }, rows, context),
    ];
    return { kind: "commit", programId, answer, writes, changes: { programId, partnerIds: [partnerId] } };
  },
};

const refusalOf = (open: readonly OpenBalance[], writesOff: boolean): Decision<never> | undefined =>
  open.length > 0 && !(writesOff && open.every(canWriteOff))
    ? refuse({ code: "money_open", balances: open })
    : undefined;

const rowsOf = ({ number: _, ...counts }: PartnerToErase): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

const writeOffReason = "Written off when the partner was erased";

const writeOff = (call: ErasePartnerCall, { currency, carriedCents }: OpenBalance, deciding: Deciding) =>
  adjustmentWrites(
    {
      ...call,
      operationId: `${call.operationId} ${currency}`,
      currency,
      amountCents: -carriedCents,
      reason: writeOffReason,
      partnerNote: null,
      reference: writeOffReference(receiptIdOf(call.operationId), currency),
    },
    deciding,
  ).writes;

interface Erased extends Pick<Found, "accounts" | "applications"> {
  readonly partner: PartnerRow;
  readonly payment: PaymentState;
  readonly name: string;
}

function erasing(
  call: ErasePartnerCall,
  { partner, payment, accounts, applications, name }: Erased,
  rows: PartnerErased["rows"],
  context: Context,
): readonly Write[] {
  const { operationId, programId, partnerId, actorId, at } = call;
  const id = receiptIdOf(operationId);
  const receipt = { id, programId, subject: "partner" as const, requestedBy: actorId, requestedAt: at };
  const about = { programId, subject: `partner ${partnerId}` };
  const clearing = { ...call, operationId: `${operationId} payment` };
  const ended = accounts.map(({ accountId, role }) =>
    auditWrite(
      { ...call, operationId: `${operationId} ${accountId}` },
      { ...about, action: "partner_access.ended", before: { accountId, role }, after: null },
      context,
    ),
  );
  const change = {
    ...about,
    action: "partner.erased",
    before: { status: partner.status },
    after: { name, status: "paused", receiptId: id },
  };
  const { externalId } = partner;
  const digests =
    externalId === null ? [] : [erasedPartnerDigest({ programId, hashSecret: context.hashSecret }, externalId)];
  return [
    beginErasure({ ...receipt, asked: "{}", rows: "{}", customerIds: "[]" }),
    ...(digests.length === 0 ? [] : rememberErased({ programId, erasureId: id, digests: JSON.stringify(digests) })),
    ...(payment.method === null ? [] : paymentVersionWrites(clearing, payment, null, context)),
    ...erasedPartnerWrites({ programId, partnerId }, name, id),
    ...ended,
    ...applications.flatMap((application) => forgottenApplication(call, application, context)),
    auditWrite(call, change, context),
    endErasure({ id, programId, erasedAt: at, rows: JSON.stringify(rows), customerIds: "[]" }),
  ];
}
