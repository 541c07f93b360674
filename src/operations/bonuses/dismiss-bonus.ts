import type { BonusId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { type BonusRow, bonusById, dismissBonus as dismiss } from "#store/bonuses.ts";
import { removeDueOf } from "#store/due-bonuses.ts";
import { bonusesLock } from "../locks.ts";
import { auditedChange, type ChangeCall, isArchived, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface DismissBonusCall extends ChangeCall {
  readonly kind: "dismiss-bonus";
  readonly bonusId: BonusId;
}

const gather = ({ programId, bonusId }: DismissBonusCall) => ({ bonus: bonusById({ programId, id: bonusId }) });

/**
 * Dismisses a bonus that has ended: it is no longer due, and can no longer be awarded. Dismissing it again changes
 * nothing.
 */
export const dismissBonus: Operation<DismissBonusCall, ReturnType<typeof gather>, BonusRow> = {
  kind: "dismiss-bonus",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [bonusesLock(programId)] }),

  decide(call, { bonus }, context) {
    const { programId, at: dismissedAt } = call;
    if (context.settings.program(programId) === undefined || bonus === undefined) return refuse(notFound("bonus"));
    if (bonus.dismissedAt !== null) return noChange(programId, bonus);
    if (bonus.untilPeriod === null) return refuse({ code: "not_ended" });
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    const { id, programId: _, createdAt: __, dismissedAt: ___, ...before } = bonus;
    const change = {
      programId,
      action: "bonus.dismissed",
      subject: `bonus ${id}`,
      before,
      after: { ...before, dismissedAt },
    };
    const writes = [dismiss({ programId, id, dismissedAt }), removeDueOf({ programId, bonusId: id })];
    return auditedChange(call, change, { writes, answer: { ...bonus, dismissedAt } }, context);
  },
};
