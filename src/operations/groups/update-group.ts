import type { GroupId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { groupOfName, groupOfProgram, updateGroup as updateRow } from "#store/groups.ts";
import { groupsLock } from "../locks.ts";
import { auditedChange, type ChangeCall, isArchived, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface UpdateGroupCall extends ChangeCall {
  readonly kind: "update-group";
  readonly groupId: GroupId;
  readonly name: string;
}

const gather = ({ operationId, programId, groupId, name }: UpdateGroupCall) => ({
  done: auditOfOperation({ operationId }),
  group: groupOfProgram({ programId, id: groupId }),
  named: groupOfName({ programId, name }),
});

export const updateGroup: Operation<UpdateGroupCall, ReturnType<typeof gather>, undefined> = {
  kind: "update-group",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [groupsLock(programId)] }),

  decide(call, { done, group, named }, context) {
    const { programId, groupId, name } = call;
    if (group === undefined) return refuse(notFound("group"));
    if (done !== undefined || group.name === name) return noChange(programId, undefined);
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    if (named !== undefined && named.id !== groupId) return refuse({ code: "group_taken" });
    const change = {
      programId,
      action: "group.updated",
      subject: `group ${groupId}`,
      before: { name: group.name },
      after: { name },
    };
    const effect = { writes: [updateRow({ id: groupId, name })], answer: undefined };
    // Reloads the group's cached policies, because they contain the group's name, which is stored with each commission.
    const changes = { programId, policiesOf: { of: "group", groupId } } as const;
    return { ...auditedChange(call, change, effect, context), changes };
  },
};
