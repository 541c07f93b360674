import type { CustomerRow } from "#store/customers.ts";
import type { FoundSales } from "./earlier-sales.ts";
import { customerLock } from "./resolve-customer.ts";

type Buyer = Pick<CustomerRow, "id" | "emailHash" | "isTest">;

/**
 * Locks that two calls share if they may record the same payment, or if one refunds a payment that the other may record
 * again. With these locks, the second call is decided after the first.
 */
export const amountLocks = (
  { id, emailHash, isTest }: Buyer,
  { amountCents }: { readonly amountCents: number },
): readonly string[] => [
  `${customerLock(id)} ${amountCents}`,
  ...(emailHash === null ? [] : [`address ${emailHash} ${isTest} ${amountCents}`]),
];

/**
 * Locks of the earlier sales that a call may reattribute, in shared mode. Each of them may be flagged as a duplicate of
 * another sale, so a call that refunds the other sale is decided before.
 */
export const earlierAmountLocks = (sales: FoundSales["sales"], buyers: readonly Buyer[]): readonly string[] => [
  ...new Set(
    buyers
      .filter(({ id }) => id === sales?.of.customerId)
      .flatMap((buyer) => sales?.found.flatMap(({ sale }) => amountLocks(buyer, sale)) ?? []),
  ),
];
