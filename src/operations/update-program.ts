import { auditOfOperation, type ProgramRow, programById, updateProgram as write } from "../store/manage.ts";
import { type ChangeCall, type Changing, changed, difference, unchanged } from "./change.ts";
import { type Operation, refuse } from "./operation.ts";

export interface UpdateProgramCall extends ChangeCall {
  readonly kind: "update-program";
  readonly changes: Changing<Omit<ProgramRow, "id" | "workspaceId" | "createdAt">>;
}

const gather = ({ operationId, programId }: UpdateProgramCall) => ({
  done: auditOfOperation({ operationId }),
  program: programById({ id: programId }),
});

/** Holds for the next call; what was decided by the settings of its day stays. */
export const updateProgram: Operation<UpdateProgramCall, ReturnType<typeof gather>, undefined> = {
  isExclusive: true,
  needs: () => [],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, program }, context) {
    if (program === undefined) return refuse({ code: "not_found", what: "program" });
    const changes = difference(program, call.changes);
    if (done !== undefined || changes === undefined) return unchanged(call.programId, undefined);

    const { before, after } = changes;
    const subject = `program ${program.id}`;
    const change = { programId: program.id, action: "program.updated", subject, before, after };
    return changed(call, change, [write(changes.row)], undefined, context);
  },
};
