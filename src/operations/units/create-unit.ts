import { caps } from "#domain/caps.ts";
import { notFound } from "#domain/result.ts";
import type { Unit } from "#domain/units.ts";
import { auditOfOperation } from "#store/audit.ts";
import { insertUnit, unitsOfProgram } from "#store/units.ts";
import { unitsLock } from "../locks.ts";
import { auditedChange, type ChangeCall, isArchived, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface CreateUnitCall extends ChangeCall {
  readonly kind: "create-unit";
  readonly unit: Unit;
}

export interface UnitCreated {
  readonly unit: Unit;
  readonly isNew: boolean;
}

const gather = ({ operationId, programId }: CreateUnitCall) => ({
  done: auditOfOperation({ operationId }),
  units: unitsOfProgram({ programId }),
});

const terms = ["code", "digits", "one", "other"] as const;

export const createUnit: Operation<CreateUnitCall, ReturnType<typeof gather>, UnitCreated> = {
  kind: "create-unit",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [unitsLock(programId)] }),

  decide(call, { done, units }, context) {
    const { programId, unit, at } = call;
    if (!context.settings.program(programId)) return refuse(notFound("program"));
    const known = units.find(({ code }) => code === unit.code);
    if (known !== undefined) {
      const isSame = terms.every((term) => known[term] === unit[term]);
      return isSame ? noChange(programId, { unit, isNew: done !== undefined }) : refuse({ code: "unit_taken" });
    }
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    if (units.length >= caps.units.max) return refuse({ code: "units_full" });
    const change = {
      programId,
      action: "unit.created",
      subject: `unit ${unit.code}`,
      before: null,
      after: { ...unit },
    };
    const writes = [insertUnit({ ...unit, programId, createdAt: at })];
    return auditedChange(call, change, { writes, answer: { unit, isNew: true } }, context);
  },
};
