import { caps } from "#domain/caps.ts";
import type { GroupId } from "#domain/ids.ts";
import { auditOfOperation } from "#store/audit.ts";
import { groupCount, groupOfName, insertGroup } from "#store/groups.ts";
import { groupsLock } from "../locks.ts";
import { auditedChange, type ChangeCall, isArchived, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface CreateGroupCall extends ChangeCall {
  readonly kind: "create-group";
  readonly name: string;
}

export interface GroupCreated {
  readonly groupId: GroupId;
}

const gather = ({ operationId, programId, name }: CreateGroupCall) => ({
  done: auditOfOperation({ operationId }),
  named: groupOfName({ programId, name }),
  groups: groupCount({ programId }),
});

export const createGroup: Operation<CreateGroupCall, ReturnType<typeof gather>, GroupCreated> = {
  kind: "create-group",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [groupsLock(programId)] }),

  decide(call, { done, named, groups }, context) {
    const { programId, name, at } = call;
    if (done?.after != null) {
      const { groupId } = JSON.parse(done.after) as GroupCreated;
      return noChange(programId, { groupId });
    }
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    if (named !== undefined) return refuse({ code: "group_taken" });
    if (groups >= caps.groups.max) return refuse({ code: "cap_reached", cap: "groups" });
    const groupId = context.newId("partnerGroups");
    const subject = `group ${groupId}`;
    const change = { programId, action: "group.created", subject, before: null, after: { groupId, name } };
    const row = { id: groupId, programId, name, createdAt: at };
    return auditedChange(call, change, { writes: [insertGroup(row)], answer: { groupId } }, context);
  },
};
