import { caps } from "#domain/caps.ts";
import type { PartnerId } from "#domain/ids.ts";
import { auditOfOperation } from "#store/audit.ts";
import { insertLink, insertPartner, partnerCount } from "#store/partners.ts";
import { type Operation, refuse } from "../operation.ts";
import { noted } from "./noted.ts";
import { type ChangeCall, isArchived, noChange, settingsChange } from "./settings-change.ts";

export interface CreatePartnerCall extends ChangeCall {
  readonly kind: "create-partner";
  readonly name: string;
  readonly email: string | null;
  readonly code: string;
  readonly destinationUrl: string | null;
}

export interface PartnerCreated {
  readonly partnerId: PartnerId;
}

const gather = ({ operationId, programId }: CreatePartnerCall) => ({
  done: auditOfOperation({ operationId }),
  partners: partnerCount({ programId }),
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

  decide(call, { done, partners }, context) {
    const { programId, name, email, code, destinationUrl } = call;
    if (done?.after != null) {
      const { partnerId } = JSON.parse(done.after) as PartnerCreated;
      return noChange(programId, { partnerId });
    }
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    const codeKey = code.toLowerCase();
    if (context.settings.linkByCode(codeKey, programId)) return refuse({ code: "code_taken" });
    if (partners >= caps.partners.max) return refuse({ code: "cap_reached", cap: "partners" });

    const common = { programId, status: "active", createdAt: call.at } as const;
    const partner = {
      ...{ ...common, id: context.newId("partners"), name },
      ...{ email, emailChangedAt: null, isSynthetic: false },
    };
    const link = {
      ...common,
      id: context.newId("referralLinks"),
      partnerId: partner.id,
      code,
      codeKey,
      destinationUrl,
    };

    const subject = `partner ${partner.id}`;
    const texts = noted({ programId, subject }, { name }, context);
    const change = {
      programId,
      action: "partner.created",
      subject,
      before: null,
      after: { partnerId: partner.id, ...texts.named, code },
    };
    const writes = [insertPartner(partner), insertLink(link), ...texts.writes];
    return settingsChange(call, change, { writes, answer: { partnerId: partner.id } }, context);
  },
};
