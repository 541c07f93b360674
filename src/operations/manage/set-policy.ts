import { caps } from "#domain/caps.ts";
import type { Policy } from "#domain/commission.ts";
import type { PolicyId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { groupOfProgram } from "#store/groups.ts";
import { partnerOfProgram } from "#store/partners.ts";
import {
  countVersions,
  insertPolicy,
  latestPolicy,
  newestOfProgram,
  ownerOf,
  type PolicyRow,
} from "#store/policies.ts";
import { type Gathered, type Operation, refuse } from "../operation.ts";
import { auditedChange, type ChangeCall, isArchived, noChange } from "./settings-change.ts";

export interface SetPolicyCall extends ChangeCall {
  readonly kind: "set-policy";
  readonly policy: Omit<Policy, "id" | "version" | "effectiveFrom">;
}

export interface PolicySet {
  readonly version: number;
  readonly effectiveFrom: number;
}

function gather({ operationId, programId, policy: { partnerId, groupId } }: SetPolicyCall) {
  const owner = { programId, partnerId, groupId };
  return {
    done: auditOfOperation({ operationId }),
    partner: partnerId === null ? undefined : partnerOfProgram({ programId, id: partnerId }),
    group: groupId === null ? undefined : groupOfProgram({ programId, id: groupId }),
    latest: latestPolicy(owner),
    versions: countVersions(owner),
    newest: newestOfProgram({ programId }),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

export const setPolicy: Operation<SetPolicyCall, ReturnType<typeof gather>, PolicySet> = {
  kind: "set-policy",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, found, context) {
    const { programId, policy } = call;
    const { done, latest, versions } = found;
    if (!context.settings.program(programId)) return refuse(notFound("program"));
    const lacking = (["partner", "group"] as const).find(
      (what) => policy[`${what}Id`] !== null && found[what] === undefined,
    );
    if (lacking !== undefined) return refuse(notFound(lacking));
    if (done?.after != null) {
      const { version, effectiveFrom } = JSON.parse(done.after) as PolicySet;
      return noChange(programId, { version, effectiveFrom });
    }
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    if (latest !== undefined && isSame(policy, latest)) {
      const { version, effectiveFrom } = latest;
      return noChange(programId, { version, effectiveFrom });
    }
    // A policy with the maximum number of versions can still be ended.
    if (versions >= caps.versions.max && policy.type !== "none") return refuse({ code: "too_many_versions" });

    const row = nextVersion(call, found, context.newId("commissionPolicies"));
    const { version, effectiveFrom } = row;
    const change = {
      programId,
      action: "policy.set",
      subject: subjectOf(call),
      before: latest === undefined ? null : decidingTerms(latest),
      after: { version, effectiveFrom, ...policy },
    };
    const effect = { writes: [insertPolicy(row)], answer: { version, effectiveFrom } };
    return { ...auditedChange(call, change, effect, context), changes: { programId, policiesOf: ownerOf(policy) } };
  },
};

function subjectOf({ programId, policy }: SetPolicyCall): string {
  const owner = ownerOf(policy);
  if (owner.of === "program") return `program ${programId}`;
  return owner.of === "group" ? `group ${owner.groupId}` : `partner ${owner.partnerId}`;
}

const isSame = (policy: SetPolicyCall["policy"], latest: PolicyRow): boolean =>
  (Object.keys(policy) as (keyof typeof policy)[]).every(
    (term) => JSON.stringify(policy[term]) === JSON.stringify(latest[term]),
  );

const nextVersion = ({ programId, policy, at, operationId }: SetPolicyCall, found: Found, id: PolicyId): PolicyRow => ({
  ...policy,
  id,
  programId,
  version: (found.newest?.version ?? 0) + 1,
  // The previous call may have come from a machine whose clock was ahead. The version set last must still be in force.
  effectiveFrom: Math.max(at, found.newest?.effectiveFrom ?? at, found.latest?.effectiveFrom ?? at),
  isLatest: true,
  operationId,
  createdAt: at,
});

const decidingTerms = ({ programId: _, isLatest, operationId, createdAt, ...terms }: PolicyRow) => terms;
