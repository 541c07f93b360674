import type { GroupId, PartnerId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { groupOfProgram, newestMemberships } from "#store/groups.ts";
import { partnersOfIds } from "#store/partners.ts";
import { auditWrite, type ChangeCall, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";
import { nextMembership } from "./membership-writes.ts";

export interface AddToGroupCall extends ChangeCall {
  readonly kind: "add-to-group";
  /** Null removes the partners from their groups. */
  readonly groupId: GroupId | null;
  /** At most 1,000 partners, without duplicates. */
  readonly partnerIds: readonly PartnerId[];
}

function gather({ operationId, programId, groupId, partnerIds }: AddToGroupCall) {
  const ids = JSON.stringify(partnerIds);
  return {
    done: auditOfOperation({ operationId }),
    group: groupOfProgram({ programId, id: groupId ?? 0 }),
    partners: partnersOfIds({ programId, ids }),
    memberships: newestMemberships({ programId, partnerIds: ids }),
  };
}

/** Moves partners to a group, or out of their groups. A partner is in at most one group. */
export const addToGroup: Operation<AddToGroupCall, ReturnType<typeof gather>, undefined> = {
  kind: "add-to-group",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, group, partners, memberships }, context) {
    const { programId, groupId, partnerIds, operationId } = call;
    if (groupId !== null && group === undefined) return refuse(notFound("group"));
    if (partners.length < partnerIds.length) return refuse(notFound("partner"));
    const present = new Map(memberships.map((membership) => [membership.partnerId, membership]));
    const added = partnerIds.filter((id) => (present.get(id)?.groupId ?? null) !== groupId);
    if (done !== undefined || added.length === 0) return noChange(programId, undefined);
    if (added.some((id) => present.get(id)?.isFull)) return refuse({ code: "too_many_memberships" });
    const ofEach = added.map((partnerId) => {
      const by = { ...call, operationId: `${operationId} ${partnerId}` };
      const before = present.get(partnerId);
      const change = {
        programId,
        action: "partner.updated",
        subject: `partner ${partnerId}`,
        before: { groupId: before?.groupId ?? null },
        after: { groupId },
      };
      return {
        row: nextMembership(by, { partnerId, groupId }, before, context),
        entry: auditWrite(by, change, context),
      };
    });
    const change = {
      programId,
      ...(groupId === null
        ? { action: "group.partners_removed", subject: `program ${programId}` }
        : { action: "group.partners_added", subject: `group ${groupId}` }),
      before: null,
      after: { partners: added.length },
    };
    const writes = [
      ...ofEach.map(({ row }) => row),
      ...ofEach.map(({ entry }) => entry),
      auditWrite(call, change, context),
    ];
    return { kind: "commit", programId, answer: undefined, writes, changes: { programId, membershipsOf: added } };
  },
};
