import type { Book } from "#domain/book.ts";
import { erasedId, keptId, namesOf } from "#domain/erasure.ts";
import { type CallNames, type ErasedNames, erasedNames, namesAsked } from "#store/erased-names.ts";
import { transactionLock } from "../attribution/resolve-customer.ts";
import type { Context, VerifiedClick } from "../operation.ts";

/** Parts of a call that identify or describe a customer, and that an erasure may have pseudonymized. */
interface Named extends CallNames {
  readonly refundId?: string | null;
  /** The refund id as sent, if `refundId` is a pseudonym. */
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
 * Replaces the identifiers of a call by the pseudonyms that are stored. A payment of an erased customer's subscription
 * keeps only the subscription as an identifier, and an id that contains an erased identifier is replaced by its digest.
 */
export const namesOfCall = <Call extends Named>(bookOf: (call: Call) => Book) => ({
  read: (call: Call, { hashSecret }: Context) => erasedNames(namesAsked(bookOf(call), call, hashSecret)),

  changes(call: Call, found: unknown, { hashSecret }: Context): Partial<Named> {
    return changesOf(call, found as ErasedNames, { programId: bookOf(call).programId, hashSecret });
  },

  lock: (call: Call): string => transactionLock(bookOf(call), call.transactionId),
});

function changesOf(call: Named, found: ErasedNames, secrets: Secrets): Partial<Named> {
  const { transactionId, refundId = null, subscriptionId, customerKey = null, reason = null } = call;
  const { isNaming, isSaleErased } = found;
  const isSubscribers = isOfErasedSubscriber(call, found);
  const transaction = storedId(secrets, transactionId, {
    isKept: found.isTransactionKept,
    isErased: found.isTransactionErased,
    isOfErased: isSubscribers,
    isNaming,
    names: customerKey === null ? [] : namesOf([customerKey]),
  });
  const refund =
    refundId &&
    storedId(secrets, refundId, {
      isKept: found.isRefundKept,
      isErased: found.isRefundErased,
      isOfErased: isSaleErased,
      isNaming,
      names: [],
    });
  return {
    ...(isSubscribers && nobody),
    ...(transaction !== transactionId && { transactionId: transaction }),
    ...(refundId !== null && refund !== refundId && { refundId: refund, sentRefundId: refundId }),
    ...(isSaleErased && reason !== null && { reason: null }),
    ...(subscriptionId != null && found.isSubscriptionErased && { subscriptionId: erasedId(secrets, subscriptionId) }),
  };
}

/** True if the subscription belongs to an erased customer, unless the call identifies another, known customer. */
function isOfErasedSubscriber({ customerKey = null }: Named, found: ErasedNames): boolean {
  const isElse = customerKey === null ? found.isClickKnown : found.isKeyKnown && !found.isKeyErased;
  return found.isSubscriberErased && !isElse;
}

interface Standing extends Pick<ErasedNames, "isNaming"> {
  /** A row is stored under the id as sent. */
  readonly isKept: boolean;
  /** A row is stored under the digest of the id. */
  readonly isErased: boolean;
  /** The id belongs to an erased customer. */
  readonly isOfErased: boolean;
  readonly names: readonly string[];
}

/**
 * Returns the id under which a row is or will be stored. A new id of an erased customer is stored as a digest if it
 * contains an identifier of the customer.
 */
function storedId(secrets: Secrets, id: string, { isKept, isErased, isOfErased, isNaming, names }: Standing): string {
  if (isKept || !(isErased || isOfErased)) return id;
  return isErased || isNaming ? erasedId(secrets, id) : keptId({ ...secrets, names }, id);
}
