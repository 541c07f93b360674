import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Patch } from "#operations/manage/settings-change.ts";
import type { ProgramRow } from "#store/programs.ts";
import type { World } from "../../harness/world.ts";
import { memoryStorage } from "../../scripts/sample/node-ledger.ts";
import { type ChangeCall, ownLedger } from "./own-ledger.ts";

type RiskColumns = Pick<
  ProgramRow,
  "selfReferral" | "duplicateSource" | "blockedSource" | "manySources" | "blockedHosts" | "reviewDays"
>;

const clock = { now: () => Date.now(), sleep: (ms: number) => delay(ms), random: () => 0.5 };

/** Returns a member's decisions on suspicious commissions, sent to a Ledger without a runtime. */
export function reviewCalls({ programId, rows }: Pick<World, "programId" | "rows">, databaseUrl: string) {
  const ledger = ownLedger(databaseUrl, clock, memoryStorage(), false);
  const by = () => ({ operationId: randomBytes(8).toString("hex"), at: Date.now(), programId, actorId: "someone" });
  const change = async (call: ChangeCall) => {
    const outcome = await ledger.submit(ledger.changeTask(call, Date.now())).outcome;
    if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.refusal)} ${ledger.faults.map(String)}`);
  };
  const commissionOf = async (transactionId: string) => {
    const [found] = await rows(
      "select c.id from commissions c join sales s on s.id = c.sale_id where s.program_id = ? and s.transaction_id = ?",
      ...[programId, transactionId],
    );
    return Number(found?.id);
  };
  const reason = "an address that we know";
  return {
    set: (changes: Patch<RiskColumns>) => change({ ...by(), kind: "update-program", isOwner: true, changes }),
    change: (partnerId: number, changes: { readonly email?: string; readonly isRiskExempt?: boolean }) =>
      change({ ...by(), kind: "update-partner", partnerId, changes }),
    hold: async (transactionId: string) =>
      change({
        ...{ ...by(), kind: "review-commissions", commissionIds: [await commissionOf(transactionId)] },
        review: { action: "hold", reason, partnerNote: "We have a question" },
      }),
    release: async (transactionId: string) =>
      change({
        ...{ ...by(), kind: "review-commissions", commissionIds: [await commissionOf(transactionId)] },
        review: { action: "release", note: "answered" },
      }),
  };
}
