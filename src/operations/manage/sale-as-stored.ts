import { isDeepStrictEqual } from "node:util";
import { readClickId } from "#domain/click-id.ts";
import { correctableNow } from "#store/views/correctable-sale.ts";
import { transactionLock } from "../attribution/resolve-customer.ts";
import type { Context, Operation } from "../operation.ts";
import type { CorrectSaleCall } from "./correction.ts";

type Names = NonNullable<Operation<CorrectSaleCall, never, never>["names"]>;
type Stored = ReturnType<ReturnType<typeof correctableNow>["decode"]>;

/** Reads the sale again, because an erasure may have pseudonymized it since the call was built. */
export const saleAsStored: Names = {
  read: ({ programId, sale }) => correctableNow({ programId, id: sale.id }),
  changes: (sent, found, context) => changesOf(sent, found as Stored, context),
  lock: ({ programId, sale }) => transactionLock({ programId, isTest: false }, sale.transactionId),
};

function changesOf(
  { sale, customerKey, firstTransactionId }: CorrectSaleCall,
  found: Stored,
  { clickKeys }: Context,
): Partial<CorrectSaleCall> {
  if (found === undefined || isDeepStrictEqual(found, { sale, customerKey, firstTransactionId, isBeingErased: false }))
    return {};
  const clickId = found.sale.sentClickId;
  const click = clickId === null ? undefined : readClickId(clickKeys, clickId);
  return { ...found, clicks: clickId === null || click === undefined ? [] : [{ ...click, clickId }] };
}
