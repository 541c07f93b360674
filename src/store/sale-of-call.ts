import { eq } from "drizzle-orm";
import { heldBy } from "./payout-ranges.ts";
import { type Referrers, referrersOf } from "./referrers.ts";
import { byTransaction, hasTransaction, type RecordedSale, recordedColumns } from "./sales.ts";
import { commissions } from "./schema/commissions.ts";
import { commissionPolicies } from "./schema/policies.ts";
import { sales } from "./schema/sales.ts";
import { lookUpFirst, type Read, type SqlValue } from "./statement.ts";

const byCall = [...byTransaction, "clickIds"] as const;

/** Always returns one row: the sale with this transaction id, if recorded, and the referrers of the call's clicks. */
const saleOfCall = lookUpFirst(byCall, (db, wanted, key) =>
  db
    .select({
      ...recordedColumns,
      heldBy: heldBy(),
      referrers: referrersOf(key.clickIds),
    })
    .from(wanted)
    .leftJoin(sales, hasTransaction(key))
    .leftJoin(commissions, eq(commissions.saleId, sales.id))
    .leftJoin(commissionPolicies, eq(commissionPolicies.id, commissions.policyId)),
);

/** Returns two reads of the same statement. `clickIds` is a JSON array of the click ids in the call. */
export function readSaleOfCall(call: Readonly<Record<(typeof byCall)[number], SqlValue>>): {
  readonly recorded: Read<RecordedSale | undefined>;
  readonly referrers: Read<Referrers>;
} {
  const { decode, ...read } = saleOfCall(call);
  return {
    recorded: {
      ...read,
      decode(rows) {
        const { sale, commission, policyScope, heldBy } = decode(rows) ?? {};
        return sale == null || commission == null
          ? undefined
          : { sale, commission, policyScope: policyScope ?? null, heldBy: heldBy ?? null };
      },
    },
    referrers: { ...read, decode: (rows) => decode(rows)?.referrers ?? {} },
  };
}
