import { randomBytes } from "node:crypto";
import type { World } from "../../harness/world.ts";
import { continuePayout } from "../../src/operations/payouts/continue-payout.ts";
import type { PayoutRow } from "../../src/store/payouts.ts";
import type { ownLedger } from "./own-ledger.ts";

type Kind = "create-payout" | "finalize-payout" | "confirm-payout" | "cancel-payout";

/** Calls to payouts of a Ledger that takes no step by itself. */
export function payoutCalls(
  { programId, rows }: Pick<World, "programId" | "rows">,
  ledger: ReturnType<typeof ownLedger>,
  now: number,
) {
  const change = async (kind: Kind, actorId: string, more: object) => {
    const operationId = randomBytes(8).toString("hex");
    const call = { kind, operationId, at: now, programId, actorId, includesChangedUntil: 0, ...more };
    return ledger.submit(ledger.changeTasks[kind](call as never, now)).outcome;
  };
  return {
    change,
    create: async (currency: string, minimumCents?: number): Promise<PayoutRow> => {
      const created = await change("create-payout", "one", { currency, until: now, minimumCents });
      if (!created.ok) throw new Error(`refused: ${created.refusal.code}`);
      return (created.answer as { payout: PayoutRow }).payout;
    },
    /** Takes the steps that are left, and returns the payout's row. Undefined: it was removed. */
    finish: async (payoutId: number) => {
      for (let steps = 0; steps < 10; steps += 1) {
        const [row] = await rows(
          `select *, program_id as programId, cursor_partner_id as cursorPartnerId, partner_ids as partnerIds
           from payouts where id = ?`,
          payoutId,
        );
        if (row === undefined || row.phase === null) return row;
        const payout = row as unknown as PayoutRow;
        const step = { kind: "continue-payout", operationId: "step", at: now, programId, payout } as const;
        await ledger.submit(ledger.taskOf(continuePayout, step, now)).outcome;
      }
      throw new Error("a payout is stuck");
    },
  };
}
