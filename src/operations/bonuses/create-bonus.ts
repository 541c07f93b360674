import { type BonusTerm, type BonusTerms, canBeginWith } from "#domain/bonuses.ts";
import { dayIn } from "#domain/calendar.ts";
import { caps } from "#domain/caps.ts";
import type { BonusId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { periodOfDay } from "#domain/tiers.ts";
import { auditOfOperation } from "#store/audit.ts";
import { type BonusRow, bonusesSince, insertBonus } from "#store/bonuses.ts";
import { bonusesLock } from "../locks.ts";
import { type ChangeCall, isArchived, noChange, settingsChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface CreateBonusCall extends ChangeCall {
  readonly kind: "create-bonus";
  readonly terms: Omit<BonusTerms, "salesCurrency">;
  /** The first period of the bonus. Null for the current period. */
  readonly from: string | null;
}

export interface BonusCreated {
  readonly bonusId: BonusId;
  /** False if the program already had a bonus with these terms that hasn't been ended. */
  readonly isNew: boolean;
}

/** A second bonus with the same terms would pay each partner twice. */
const isSame = (bonus: BonusRow, terms: BonusTerms): boolean =>
  bonus.untilPeriod === null && termNames.every((name) => bonus[name] === terms[name]);

const termNames = ["metric", "period", "threshold", "salesCurrency", "amountCents", "currency"] as const;

const gather = ({ operationId, programId, at }: CreateBonusCall) => ({
  done: auditOfOperation({ operationId }),
  running: bonusesSince({ programId, at }),
});

export const createBonus: Operation<CreateBonusCall, ReturnType<typeof gather>, BonusCreated> = {
  kind: "create-bonus",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [bonusesLock(programId)] }),

  decide(call, { done, running }, context) {
    const { programId, terms, at } = call;
    if (done?.after != null) {
      const { bonusId } = JSON.parse(done.after) as Pick<BonusCreated, "bonusId">;
      return noChange(programId, { bonusId, isNew: true });
    }
    const program = context.settings.program(programId);
    if (!program) return refuse(notFound("program"));
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    const today = dayIn(program.timezone, at);
    const fromPeriod = call.from ?? periodOfDay(terms.period, today);
    if (!canBeginWith(terms.period, fromPeriod, today)) {
      const message = `from must be the current ${terms.period} or an earlier one since January of last year`;
      return refuse({ code: "invalid_input", errors: [{ path: ["from"], message }] });
    }
    // The program's currency can change. Existing bonuses keep counting sales in the currency that they began with.
    const salesCurrency = terms.metric === "revenue" ? program.currency : null;
    const same = running.find((bonus) => isSame(bonus, { ...terms, salesCurrency }));
    if (same !== undefined) return noChange(programId, { bonusId: same.id, isNew: false });
    const isRunning = ({ period, untilPeriod }: BonusTerm) =>
      untilPeriod === null || untilPeriod >= periodOfDay(period, today);
    if (running.filter(isRunning).length >= caps.bonuses.max) return refuse({ code: "bonuses_full" });
    const bonusId = context.newId("bonuses");
    const set = { ...terms, salesCurrency, fromPeriod };
    const bonus: BonusRow = { id: bonusId, programId, ...set, untilPeriod: null, createdAt: at, dismissedAt: null };
    const change = {
      programId,
      action: "bonus.created",
      subject: `bonus ${bonusId}`,
      before: null,
      after: { bonusId, ...set },
    };
    return settingsChange(call, change, { writes: [insertBonus(bonus)], answer: { bonusId, isNew: true } }, context);
  },
};
