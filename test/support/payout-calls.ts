import { randomBytes } from "node:crypto";
import type { PayoutRow } from "#store/payouts.ts";
import type { World } from "../../harness/world.ts";
import type { ownLedger } from "./own-ledger.ts";

type Kind = `${"create" | "finalize" | "confirm" | "cancel"}-payout` | `${"fail" | "settle"}-line` | "mail-statements";

/** The optional fields of payout calls, with the values of fields that the caller omits. */
export const asksNothing = {
  ...{ until: null, minimumCents: null, partnerIds: null, reference: null, expectedStatus: null },
  ...{ settledBy: null, isByOwner: false },
  ...{ paidAt: null, note: null, expectedTotalCents: null, restoreAcknowledged: null, includesChangedUntil: 0 },
} as const;

/** Returns payout calls to a Ledger without a runtime. */
export function payoutCalls(
  { programId }: Pick<World, "programId">,
  ledger: ReturnType<typeof ownLedger>,
  now: number,
) {
  const change = async (kind: Kind, actorId: string, more: object) => {
    const operationId = randomBytes(8).toString("hex");
    const call = { kind, operationId, at: now, programId, actorId, ...asksNothing, ...more };
    return ledger.submit(ledger.changeTask(call as never, now)).outcome;
  };
  return {
    change,
    create: async (currency: string, more: object = {}): Promise<PayoutRow> => {
      const created = await change("create-payout", "one", { currency, ...more });
      if (!created.ok) throw new Error(`refused: ${created.refusal.code}`);
      return (created.answer as { payout: PayoutRow }).payout;
    },
  };
}
