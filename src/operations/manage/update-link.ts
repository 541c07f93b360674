import type { PartnerId } from "#domain/ids.ts";
import type { ActiveStatus } from "#domain/program-status.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { linksOfCodes, updateLinkStatus } from "#store/partners.ts";
import { type Operation, refuse } from "../operation.ts";
import { type ChangeCall, noChange, settingsChange } from "./settings-change.ts";

export interface UpdateLinkCall extends ChangeCall {
  readonly kind: "update-link";
  readonly code: string;
  readonly status: ActiveStatus;
}

export interface LinkUpdated {
  readonly partnerId: PartnerId;
}

const gather = ({ operationId, programId, code }: UpdateLinkCall) => ({
  done: auditOfOperation({ operationId }),
  found: linksOfCodes({ programId, codeKeys: JSON.stringify([code.toLowerCase()]) }),
});

const isOfVerification = (code: string): boolean => code.startsWith("~");

/** Updates a code. Clicks on a paused code aren't recorded. Earlier attributions stay. */
export const updateLink: Operation<UpdateLinkCall, ReturnType<typeof gather>, LinkUpdated> = {
  kind: "update-link",
  lane: "control",
  isExclusive: true,
  needs: () => [],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, found: [link] }, context) {
    if (link === undefined || isOfVerification(link.code)) return refuse(notFound("code"));
    const { programId, status } = call;
    const { id, partnerId, code } = link;
    if (done !== undefined || link.status === status) return noChange(programId, { partnerId });
    const change = {
      programId,
      action: "link.updated",
      subject: `partner ${partnerId}`,
      before: { code, status: link.status },
      after: { code, status },
    };
    const effect = { writes: [updateLinkStatus({ id, status })], answer: { partnerId } };
    return { ...settingsChange(call, change, effect, context), changes: { programId, partnerIds: [partnerId] } };
  },
};
