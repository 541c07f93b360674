import type { Book } from "#domain/book.ts";
import { erasedDigest, erasedId, keptId, namesOf } from "#domain/erasure.ts";
import { type ErasedNames, erasedNames } from "#store/erased-names.ts";
import { transactionLock } from "../attribution/resolve-customer.ts";
import type { Context } from "../operation.ts";

/** What a call may name that an erasure has replaced. */
interface Named {
  readonly transactionId: string;
  readonly refundId?: string | null;
  readonly subscriptionId?: string | null;
  readonly customerKey?: string | null;
}

/**
 * A call as it would name what is stored now. A key that was erased is stored no more: a renewal has its customer's new
 * one, and an id that contains the key is stored as its digest.
 */
export const namesOfCall = <Call extends Named>(bookOf: (call: Call) => Book) => ({
  read(call: Call, { hashSecret }: Context) {
    const { programId, isTest } = bookOf(call);
    const { transactionId, refundId = null, subscriptionId = null, customerKey = null } = call;
    const secrets = { programId, hashSecret };
    return erasedNames({
      ...{ programId, isTest, transactionId, subscriptionId, customerKey },
      erasedRefundId: refundId && erasedId(secrets, refundId),
      erasedTransactionId: erasedId(secrets, transactionId),
      erasedSubscriptionId: subscriptionId && erasedId(secrets, subscriptionId),
      keyDigest: customerKey && erasedDigest(secrets, customerKey),
    });
  },

  changes(call: Call, found: unknown, { hashSecret }: Context): Partial<Named> {
    return changesOf(call, found as ErasedNames, { programId: bookOf(call).programId, hashSecret });
  },

  lock: (call: Call): string => transactionLock(bookOf(call), call.transactionId),
});

function changesOf(
  { transactionId, refundId, subscriptionId, customerKey }: Named,
  {
    isTransactionKept,
    isTransactionErased,
    isRefundErased,
    isSubscriptionErased,
    isKeyErased,
    keyOfSubscriber,
  }: ErasedNames,
  secrets: Parameters<typeof erasedId>[0],
): Partial<Named> {
  const erasedKey = customerKey != null && isKeyErased && keyOfSubscriber !== null ? customerKey : undefined;
  const names = erasedKey === undefined ? undefined : namesOf([erasedKey]);
  return {
    ...(names && { customerKey: keyOfSubscriber }),
    ...(names && !isTransactionKept && { transactionId: keptId({ ...secrets, names }, transactionId) }),
    ...(isTransactionErased && { transactionId: erasedId(secrets, transactionId) }),
    ...(refundId != null && isRefundErased && { refundId: erasedId(secrets, refundId) }),
    ...(subscriptionId != null && isSubscriptionErased && { subscriptionId: erasedId(secrets, subscriptionId) }),
  };
}
