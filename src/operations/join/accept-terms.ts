import type { PartnerId } from "#domain/ids.ts";
import { acceptedVersion, insertAcceptedTerms, newestTerms } from "#store/join-pages.ts";
import { accessLock } from "../locks.ts";
import { auditedChange, type ChangeCall, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

/** `actorId` is the account that accepts the terms. */
export interface AcceptTermsCall extends ChangeCall {
  readonly kind: "accept-terms";
  readonly partnerId: PartnerId;
  readonly version: number;
}

const gather = ({ programId, partnerId, actorId }: AcceptTermsCall) => ({
  newest: newestTerms({ programId }),
  accepted: acceptedVersion({ partnerId, accountId: actorId }),
});

export const acceptTerms: Operation<AcceptTermsCall, ReturnType<typeof gather>, undefined> = {
  kind: "accept-terms",
  lane: "control",
  needs: () => [],
  gather,
  locks: ({ programId }) => ({ exclusive: [accessLock(programId)] }),

  decide(call, { newest, accepted }, context) {
    const { programId, partnerId, version, actorId: accountId, at } = call;
    if (accepted?.version === version && version === newest?.version) return noChange(programId, undefined);
    if (newest === undefined || newest.version !== version) {
      return refuse({ code: "terms_changed", version: newest?.version ?? null });
    }
    const change = {
      programId,
      action: "terms.accepted",
      subject: `partner ${partnerId}`,
      before: null,
      after: { version, accountId },
    };
    const writes = [insertAcceptedTerms({ partnerId, version, accountId, programId, acceptedAt: at })];
    return auditedChange(call, change, { writes, answer: undefined }, context);
  },
};
