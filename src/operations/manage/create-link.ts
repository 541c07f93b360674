import { caps } from "#domain/caps.ts";
import type { PartnerId } from "#domain/ids.ts";
import type { LinkMaker } from "#domain/link-maker.ts";
import { auditOfOperation } from "#store/audit.ts";
import { insertLink, linksOfPartner, partnerOfProgram } from "#store/partners.ts";
import { type Operation, refuse } from "../operation.ts";
import { auditedChange, type ChangeCall, isArchived, noChange } from "./settings-change.ts";

export interface CreateLinkCall extends ChangeCall {
  readonly kind: "create-link";
  readonly partnerId: PartnerId;
  readonly code: string;
  readonly madeBy: LinkMaker;
}

const gather = ({ operationId, programId, partnerId }: CreateLinkCall) => ({
  done: auditOfOperation({ operationId }),
  partner: partnerOfProgram({ programId, id: partnerId }),
  links: linksOfPartner({ partnerId }),
});

/** A further code of a partner. Its link leads to where the others lead. */
export const createLink: Operation<CreateLinkCall, ReturnType<typeof gather>, undefined> = {
  kind: "create-link",
  lane: "control",
  isExclusive: true,
  needs: ({ code, programId }) => [
    { kind: "program", programId },
    { kind: "code", codeKey: code.toLowerCase(), programId },
  ],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, partner, links }, context) {
    const { programId, partnerId, code, madeBy, at } = call;
    const [first] = links;
    if (partner === undefined || first === undefined) return refuse({ code: "not_found", what: "partner" });
    if (done !== undefined) return noChange(programId, undefined);
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    const codeKey = code.toLowerCase();
    if (context.settings.linkByCode(codeKey, programId)) return refuse({ code: "code_taken" });
    if (links.length >= caps.codes.max) return refuse({ code: "links_full" });

    const link = {
      ...{ id: context.newId("referralLinks"), programId, partnerId, code, codeKey, madeBy },
      ...{ destinationUrl: first.destinationUrl, status: "active" as const, createdAt: at },
    };
    const change = {
      programId,
      action: "link.created",
      subject: `partner ${partnerId}`,
      before: null,
      after: { code, madeBy },
    };
    const made = auditedChange(call, change, { writes: [insertLink(link)], answer: undefined }, context);
    return { ...made, changes: { programId, addedCodes: [codeKey] } };
  },
};
