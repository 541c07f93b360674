import type { Policy } from "#domain/commission.ts";
import { policyHistory } from "#domain/policy-history.ts";
import type { Group } from "#domain/policy-in-force.ts";
import type { OwnedPolicies, SettingRef } from "#operations/operation.ts";
import { foreignOwners } from "#store/foreign-codes.ts";
import { groupName, newestMembershipsOf } from "#store/groups.ts";
import { type AllPolicies, allPolicies, versionsOf } from "#store/policies.ts";
import { newestStepsOf } from "#store/reached-steps.ts";
import { linkByCode, linkById, linksByCode, type Program, programReads } from "#store/settings.ts";
import type { Read } from "#store/statement.ts";

export function readsOf(need: SettingRef): readonly Read<unknown>[] {
  switch (need.kind) {
    case "program": {
      const { row, keys } = programReads(need.programId);
      return [row, keys];
    }
    case "link":
      return [linkById({ id: need.linkId })];
    case "code":
      return [linkByCode({ codeKey: need.codeKey, programId: need.programId })];
    case "owners":
      return [linksByCode({ codeKey: need.codeKey }), foreignOwners({ codeKey: need.codeKey })];
    case "policies": {
      const { programId, owner } = need;
      const versions = versionsOf(programId, owner);
      if (owner.of === "partner") return [versions];
      return [versions, owner.of === "program" ? allPolicies({ programId }) : groupName({ groupId: owner.groupId })];
    }
    case "memberships":
      return [newestMembershipsOf({ programId: need.programId, partnerId: need.partnerId })];
    case "steps":
      return [newestStepsOf({ programId: need.programId, partnerId: need.partnerId })];
  }
}

export const policiesOf = ([versions, beside]: readonly unknown[]): OwnedPolicies => ({
  ...policyHistory(versions as readonly Policy[]),
  ...(beside as AllPolicies | Pick<Group, "name"> | undefined),
});

export function programOf([row, keys]: readonly unknown[]): Program | undefined {
  if (row === undefined) return undefined;
  return {
    ...(row as Omit<Program, "keys">),
    keys: keys as Program["keys"],
  };
}
