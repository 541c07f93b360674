import { caps } from "#domain/caps.ts";
import type { PartnerId } from "#domain/ids.ts";
import type { Refusal } from "#domain/refusal.ts";
import { auditOfOperation } from "#store/audit.ts";
import {
  insertLink,
  insertPartner,
  type LinkRow,
  linkOfExternalId,
  type PartnerRow,
  partnerCount,
  partnerOfExternalId,
} from "#store/partners.ts";
import { type Operation, refuse } from "../operation.ts";
import { noted } from "./noted.ts";
import { acting, auditedChange, isArchived, type KeyedChangeCall, noChange } from "./settings-change.ts";

export interface CreatePartnerCall extends KeyedChangeCall {
  readonly kind: "create-partner";
  readonly name: string;
  readonly email: string | null;
  /** With it, the same call again finds the partner. */
  readonly externalId: string | null;
  readonly code: string;
  readonly destinationUrl: string | null;
}

export interface PartnerCreated {
  readonly partnerId: PartnerId;
  /** False if an earlier call created the partner. */
  readonly isNew: boolean;
}

const gather = ({ operationId, programId, externalId }: CreatePartnerCall) => ({
  done: auditOfOperation({ operationId }),
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

  decide(call, { done, partners, known, link }, context) {
    const { programId, name, email, code, externalId, destinationUrl } = call;
    if (done?.after != null) {
      const { partnerId } = JSON.parse(done.after) as Pick<PartnerCreated, "partnerId">;
      return noChange(programId, { partnerId, isNew: true });
    }
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    if (known !== undefined && link !== undefined) {
      const refusal = differing(call, known, link);
      return refusal ? refuse(refusal) : noChange(programId, { partnerId: known.id, isNew: false });
    }
    const codeKey = code.toLowerCase();
    if (context.settings.linkByCode(codeKey, programId)) return refuse({ code: "code_taken" });
    if (partners >= caps.partners.max) return refuse({ code: "cap_reached", cap: "partners" });

    const common = { programId, status: "active", createdAt: call.at } as const;
    const partner = {
      ...{ ...common, id: context.newId("partners"), name, externalId },
      ...{ email, emailChangedAt: null, isSynthetic: false },
    };
    const newLink = {
      ...common,
      id: context.newId("referralLinks"),
      partnerId: partner.id,
      code,
      codeKey,
      destinationUrl,
      madeBy: "owner" as const,
    };

    const subject = `partner ${partner.id}`;
    const texts = noted({ programId, subject }, { name }, context);
    const named = { partnerId: partner.id, ...texts.named, code, ...(externalId !== null && { externalId }) };
    const change = { programId, action: "partner.created", subject, before: null, after: named };
    const writes = [insertPartner(partner), insertLink(newLink), ...texts.writes];
    const answer = { partnerId: partner.id, isNew: true };
    const made = auditedChange(acting(call, context.settings), change, { writes, answer }, context);
    return { ...made, changes: { programId, addedCodes: [codeKey] } };
  },
};

/** What was left out may be anything. */
function differing(call: CreatePartnerCall, known: PartnerRow, link: LinkRow): Refusal | undefined {
  const differences = [
    ...(call.name === known.name ? [] : ["name"]),
    ...(call.code.toLowerCase() === link.codeKey ? [] : ["code"]),
    ...(call.email === null || call.email === known.email ? [] : ["email"]),
    ...(call.destinationUrl === null || call.destinationUrl === link.destinationUrl ? [] : ["destination_url"]),
  ];
  return differences.length === 0 ? undefined : { code: "differs", differences };
}
