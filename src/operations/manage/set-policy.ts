import { newestVersion, type Policy } from "../../domain/commission.ts";
import { auditOfOperation } from "../../store/audit.ts";
import { partnerOfProgram } from "../../store/partners.ts";
import { insertPolicy } from "../../store/policies.ts";
import { type Operation, refuse } from "../operation.ts";
import { type ChangeCall, isArchived, noChange, settingsChange } from "./settings-change.ts";

export interface SetPolicyCall extends ChangeCall {
  readonly kind: "set-policy";
  readonly policy: Omit<Policy, "id" | "version" | "effectiveFrom">;
}

export interface PolicySet {
  readonly version: number;
  readonly effectiveFrom: number;
}

const gather = ({ operationId, programId, policy: { partnerId } }: SetPolicyCall) => ({
  done: auditOfOperation({ operationId }),
  partner: partnerId === null ? undefined : partnerOfProgram({ programId, id: partnerId }),
});

export const setPolicy: Operation<SetPolicyCall, ReturnType<typeof gather>, PolicySet> = {
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, partner }, context) {
    const { programId, policy } = call;
    const program = context.settings.program(programId);
    if (!program) return refuse({ code: "not_found", what: "program" });
    if (policy.partnerId !== null && partner === undefined) return refuse({ code: "not_found", what: "partner" });
    if (done?.after != null) {
      const { version, effectiveFrom } = JSON.parse(done.after) as PolicySet;
      return noChange(programId, { version, effectiveFrom });
    }
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });

    const version = newestVersion(program.policies) + 1;
    // The previous call's clock may have been ahead; the version set last must be the one in force.
    const effectiveFrom = Math.max(call.at, ...program.policies.map((each) => each.effectiveFrom));
    const row = {
      ...policy,
      id: context.newId("commissionPolicies"),
      programId,
      version,
      effectiveFrom,
      createdAt: call.at,
    };

    const replaced = program.policies.filter(({ partnerId }) => partnerId === policy.partnerId).at(-1);
    const change = {
      programId,
      action: "policy.set",
      subject: policy.partnerId === null ? `program ${programId}` : `partner ${policy.partnerId}`,
      before: replaced === undefined ? null : { ...replaced },
      after: { version, effectiveFrom, ...policy },
    };
    return settingsChange(call, change, { writes: [insertPolicy(row)], answer: { version, effectiveFrom } }, context);
  },
};
