import { caps } from "#domain/caps.ts";
import type { GroupId, PartnerId } from "#domain/ids.ts";
import { hasSafeEnds, newCodeRule } from "#domain/partner-code.ts";
import type { Membership } from "#domain/policy-in-force.ts";
import type { Refusal } from "#domain/refusal.ts";
import { notFound } from "#domain/result.ts";
import { snakeCase } from "#domain/snake-case.ts";
import { auditOfOperation } from "#store/audit.ts";
import { groupOfExternalId, groupOfProgram } from "#store/groups.ts";
import {
  type LinkRow,
  linkOfExternalId,
  type PartnerDetails,
  type PartnerRow,
  partnerCount,
  partnerDetailNames,
  partnerOfExternalId,
} from "#store/partners.ts";
import { type Operation, refuse } from "../operation.ts";
import { createPartnerWrites } from "./partner-writes.ts";
import { acting, isArchived, type KeyedChangeCall, noChange } from "./settings-change.ts";

/** A repeated call with an `externalId` returns the existing partner. */
export interface CreatePartnerCall extends KeyedChangeCall, Readonly<Partial<PartnerDetails>> {
  readonly kind: "create-partner";
  readonly name: string;
  readonly code: string;
  readonly destinationUrl: string | null;
  readonly groupId?: GroupId | null;
  /** The name of the field that contains a placeholder id (such as `undefined`). If set, no partner is created. */
  readonly placeholder?: string | undefined;
}

export interface PartnerCreated {
  readonly partnerId: PartnerId;
  /** False if an earlier call created the partner. */
  readonly isNew: boolean;
}

const gather = ({ operationId, programId, externalId = null, groupId = null }: CreatePartnerCall) => ({
  done: auditOfOperation({ operationId }),
  group: groupId === null ? undefined : groupOfProgram({ programId, id: groupId }),
  knownGroup: externalId === null || groupId === null ? undefined : groupOfExternalId({ programId, externalId }),
  partners: partnerCount({ programId }),
  known: externalId === null ? undefined : partnerOfExternalId({ programId, externalId }),
  link: externalId === null ? undefined : linkOfExternalId({ programId, externalId }),
});

export const createPartner: Operation<CreatePartnerCall, ReturnType<typeof gather>, PartnerCreated> = {
  kind: "create-partner",
  lane: "control",
  isExclusive: true,
  needs: ({ code, programId }) => [
    { kind: "program", programId },
    { kind: "code", codeKey: code.toLowerCase(), programId },
  ],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, partners, known, link, ...ofGroup }, context) {
    const { programId, code, groupId = null } = call;
    if (done?.after != null) {
      const { partnerId } = JSON.parse(done.after) as Pick<PartnerCreated, "partnerId">;
      return noChange(programId, { partnerId, isNew: true });
    }
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    if (known !== undefined && link !== undefined) {
      const refusal = differing(call, { ...known, groupId: ofGroup.knownGroup?.groupId ?? null }, link);
      return refusal ? refuse(refusal) : noChange(programId, { partnerId: known.id, isNew: false });
    }
    if (call.placeholder !== undefined) return refuse({ code: "placeholder_id", field: call.placeholder });
    if (groupId !== null && ofGroup.group === undefined) return refuse(notFound("group"));
    const codeKey = code.toLowerCase();
    if (context.settings.linkByCode(codeKey, programId)) return refuse({ code: "code_taken" });
    if (!hasSafeEnds(code))
      return refuse({ code: "invalid_input", errors: [{ path: ["code"], message: newCodeRule }] });
    if (partners >= caps.partners.max) return refuse({ code: "cap_reached", cap: "partners" });

    const by = acting(call, context.settings);
    const values = { ...call, status: "active" } as const;
    const { partnerId, writes } = createPartnerWrites(by, values, { code, madeBy: "owner" }, context);
    const answer = { partnerId, isNew: true };
    return { kind: "commit", programId, answer, writes, changes: { programId, addedCodes: [codeKey] } };
  },
};

/** Compares the call with the existing partner. Fields that weren't sent aren't compared. */
function differing(
  call: CreatePartnerCall,
  known: PartnerRow & Pick<Membership, "groupId">,
  link: LinkRow,
): Refusal | undefined {
  const differences = [
    ...(call.name === known.name ? [] : ["name"]),
    ...(call.code.toLowerCase() === link.codeKey ? [] : ["code"]),
    ...partnerDetailNames.filter((name) => call[name] != null && call[name] !== known[name]).map(snakeCase),
    ...(call.destinationUrl === null || call.destinationUrl === link.destinationUrl ? [] : ["destination_url"]),
    ...(call.groupId == null || call.groupId === known.groupId ? [] : ["group_id"]),
  ];
  return differences.length === 0 ? undefined : { code: "differs", differences };
}
