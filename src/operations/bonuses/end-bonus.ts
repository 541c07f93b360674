import { dayIn } from "#domain/calendar.ts";
import type { BonusId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { periodOfDay } from "#domain/tiers.ts";
import { type BonusRow, bonusById, endBonus as end } from "#store/bonuses.ts";
import { bonusesLock } from "../locks.ts";
import { auditedChange, type ChangeCall, isArchived, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface EndBonusCall extends ChangeCall {
  readonly kind: "end-bonus";
  readonly bonusId: BonusId;
}

const gather = ({ programId, bonusId }: EndBonusCall) => ({ bonus: bonusById({ programId, id: bonusId }) });

/** Makes the current period the bonus's last. Ending the bonus again changes nothing. */
export const endBonus: Operation<EndBonusCall, ReturnType<typeof gather>, BonusRow> = {
  kind: "end-bonus",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [bonusesLock(programId)] }),

  decide(call, { bonus }, context) {
    const { programId, at } = call;
    const program = context.settings.program(programId);
    if (!program || bonus === undefined) return refuse(notFound("bonus"));
    if (bonus.untilPeriod !== null) return noChange(programId, bonus);
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    const { id, programId: _, createdAt: __, dismissedAt: ___, ...before } = bonus;
    const untilPeriod = periodOfDay(bonus.period, dayIn(program.timezone, at));
    const change = {
      programId,
      action: "bonus.ended",
      subject: `bonus ${id}`,
      before,
      after: { ...before, untilPeriod },
    };
    const writes = [end({ programId, id, untilPeriod })];
    return auditedChange(call, change, { writes, answer: { ...bonus, untilPeriod } }, context);
  },
};
