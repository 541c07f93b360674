import { createHash } from "node:crypto";
import { emailHash } from "#domain/email-digest.ts";
import {
  type AccountAccess,
  accessesOfAccount,
  applicationTraces,
  forgetAddresses,
  forgetPaymentDetails,
  paymentsOfAccount,
} from "#store/account-traces.ts";
import { emptiedApplication } from "#store/erased-columns.ts";
import { type ApplicationRow, updateApplication } from "#store/join-pages.ts";
import { insertNote } from "#store/notes.ts";
import { deletePartnerAccount } from "#store/partner-access.ts";
import { updatePartner } from "#store/partners.ts";
import type { PaymentState } from "#store/payment-details.ts";
import type { Write } from "#store/statement.ts";
import { laterThan } from "../later-than.ts";
import { paymentVersionWrites } from "../manage/payment-writes.ts";
import { auditWrite, type ChangeCall } from "../manage/settings-change.ts";
import type { Context, Operation } from "../operation.ts";

/** `actorId` is the account that is being deleted. */
export interface ForgetAccountCall extends ChangeCall {
  readonly kind: "forget-account";
  /** Digest of the account's email address. */
  readonly emailDigest: string;
}

const gather = ({ programId, actorId: accountId }: ForgetAccountCall) => ({
  accesses: accessesOfAccount({ programId, accountId }),
  payments: paymentsOfAccount({ programId, accountId }),
  application: applicationTraces({ programId, accountId }),
});

/**
 * Ends an account's access to the partners of a program. It also removes the personal data that the account entered
 * there: an email address, payment details, an application. The partners and their names stay. Idempotent.
 */
export const forgetAccount: Operation<ForgetAccountCall, ReturnType<typeof gather>, undefined> = {
  kind: "forget-account",
  isEssential: true,
  lane: "control",
  isExclusive: true,
  needs: () => [],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { accesses, payments, application }, context) {
    const { programId } = call;
    const paymentOf = new Map(payments.map((payment) => [payment.partnerId, payment]));
    const writes = [
      ...accesses.flatMap((access) => forgottenAccess(call, access, paymentOf.get(access.partner.id), context)),
      ...(application === undefined ? [] : forgottenApplication(call, application, context)),
    ];
    return { kind: "commit", programId, answer: undefined, writes };
  },
};

/** The operation id for the change of one partner's email address. It has the same form as a call's operation id. */
const addressChangeId = (operationId: string, partnerId: number): string =>
  createHash("sha256").update(`${operationId} ${partnerId}`).digest("hex").slice(0, 16);

function forgottenAccess(
  call: ForgetAccountCall,
  { partner, role }: AccountAccess,
  payment: PaymentState | undefined,
  context: Context,
): readonly Write[] {
  const { operationId, programId, actorId: accountId } = call;
  const partnerId = partner.id;
  const isOwnAddress = partner.emailHash === emailHash(context.hashSecret, programId, call.emailDigest);
  const replacedAt = isOwnAddress ? laterThan(partner.detailsChangedAt, context) : partner.detailsChangedAt;
  const isOwnPayment = payment?.setBy === accountId && payment.method !== null;
  const clearing = { ...call, operationId: `${operationId} ${partnerId} payment` };
  const change = {
    programId,
    subject: `partner ${partnerId}`,
    action: "partner_access.ended",
    before: { accountId, role },
    after: null,
  };
  return [
    deletePartnerAccount({ partnerId, accountId }),
    auditWrite({ ...call, operationId: `${operationId} ${partnerId}` }, change, context),
    ...(isOwnAddress ? forgottenAddress(call, { ...partner, detailsChangedAt: replacedAt }, context) : []),
    ...(isOwnPayment
      ? paymentVersionWrites(clearing, { ...payment, detailsChangedAt: replacedAt }, null, context)
      : []),
    forgetPaymentDetails({ programId, partnerId, accountId }),
  ];
}

function forgottenAddress(
  call: ForgetAccountCall,
  partner: AccountAccess["partner"],
  context: Context,
): readonly Write[] {
  const { programId } = call;
  const subject = `partner ${partner.id}`;
  const note = context.newId("notes");
  const change = {
    programId,
    subject,
    action: "partner.updated",
    before: { email: { note } },
    after: { email: null },
  };
  const operationId = addressChangeId(call.operationId, partner.id);
  return [
    insertNote({ id: note, programId, kind: "email", subject, text: null }),
    updatePartner({ ...partner, email: null, emailHash: null, similarHash: null }),
    auditWrite({ ...call, operationId, at: partner.detailsChangedAt ?? call.at }, change, context),
    forgetAddresses({ programId, partnerId: partner.id }),
  ];
}

/** Removes what the account entered in its application, and declines the application if it hasn't been decided. */
export function forgottenApplication(
  call: ChangeCall,
  application: ApplicationRow,
  context: Context,
): readonly Write[] {
  const { operationId, programId, at } = call;
  const { id, accountId, status, decidedAt } = application;
  const isOpen = status === "pending";
  const change = {
    programId,
    subject: `application ${id}`,
    action: "application.declined",
    before: null,
    after: { accountId },
  };
  return [
    updateApplication({
      ...application,
      ...emptiedApplication,
      ...(isOpen ? { status: "declined", decidedAt: at } : { status, decidedAt }),
    }),
    ...(isOpen ? [auditWrite({ ...call, operationId: `${operationId} application ${id}` }, change, context)] : []),
  ];
}
