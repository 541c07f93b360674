import type { Book } from "#domain/book.ts";
import { erasedId, keptId, namesOf } from "#domain/erasure.ts";
import { type CallNames, type ErasedNames, erasedNames, namesAsked } from "#store/erased-names.ts";
import { transactionLock } from "../attribution/resolve-customer.ts";
import type { Context, VerifiedClick } from "../operation.ts";

/** What a call may name that an erasure has replaced, or tell of a customer. */
interface Named extends CallNames {
  readonly refundId?: string | null;
  /** As it was sent, once another stands for it. */
  readonly sentRefundId?: string;
  readonly reason?: string | null;
  readonly clickId?: string | null;
  readonly clicks?: readonly VerifiedClick[];
  readonly invalidClickIds?: readonly string[];
  readonly sentClickId?: boolean;
}

type Secrets = Parameters<typeof erasedId>[0];

const nobody = { customerKey: null, clickId: null, clicks: [], invalidClickIds: [], sentClickId: false } as const;

/**
 * A call as it would name what is stored now. What an erased customer's subscription pays names them by nothing else, and
 * an id that contains their name is stored as its digest.
 */
export const namesOfCall = <Call extends Named>(bookOf: (call: Call) => Book) => ({
  read: (call: Call, { hashSecret }: Context) => erasedNames(namesAsked(bookOf(call), call, hashSecret)),

  changes(call: Call, found: unknown, { hashSecret }: Context): Partial<Named> {
    return changesOf(call, found as ErasedNames, { programId: bookOf(call).programId, hashSecret });
  },

  lock: (call: Call): string => transactionLock(bookOf(call), call.transactionId),
});

function changesOf(call: Named, found: ErasedNames, secrets: Secrets): Partial<Named> {
  const { transactionId, subscriptionId } = call;
  return {
    ...ofSubscriber(call, found, secrets),
    ...ofRefund(call, found, secrets),
    ...(found.isTransactionErased && { transactionId: erasedId(secrets, transactionId) }),
    ...(subscriptionId != null && found.isSubscriptionErased && { subscriptionId: erasedId(secrets, subscriptionId) }),
  };
}

/** Unless the call names somebody else, who is known. */
function ofSubscriber(call: Named, found: ErasedNames, secrets: Secrets): Partial<Named> {
  const { customerKey = null, transactionId } = call;
  const isElse = customerKey === null ? found.isClickKnown : found.isKeyKnown && !found.isKeyErased;
  if (!found.isSubscriberErased || isElse) return {};
  const kept = found.isTransactionKept ? transactionId : keptIdOf(transactionId, customerKey, found, secrets);
  return { ...nobody, ...(kept !== transactionId && { transactionId: kept }) };
}

function ofRefund({ refundId = null, reason = null }: Named, found: ErasedNames, secrets: Secrets): Partial<Named> {
  if (!found.isSaleErased) return {};
  const kept =
    refundId && (found.isRefundErased ? erasedId(secrets, refundId) : keptIdOf(refundId, null, found, secrets));
  return {
    ...(reason !== null && { reason: null }),
    ...(refundId !== null && kept !== refundId && { refundId: kept, sentRefundId: refundId }),
  };
}

const keptIdOf = (id: string, key: string | null, { isNaming }: ErasedNames, secrets: Secrets): string =>
  isNaming ? erasedId(secrets, id) : keptId({ ...secrets, names: key === null ? [] : namesOf([key]) }, id);
