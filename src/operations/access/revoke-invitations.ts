import { auditOfOperation } from "#store/audit.ts";
import { openInvitationCount, revokeInvitations as revoke } from "#store/partner-access.ts";
import { accessLock } from "../locks.ts";
import { auditedChange, type ChangeCall, noChange } from "../manage/settings-change.ts";
import type { Operation } from "../operation.ts";

export interface RevokeInvitationsCall extends ChangeCall {
  readonly kind: "revoke-partner-invitations";
  /** If set, only the invitations that this member created are revoked. */
  readonly madeBy?: string;
}

const gather = ({ operationId, programId, at, madeBy }: RevokeInvitationsCall) => ({
  done: auditOfOperation({ operationId }),
  open: openInvitationCount({ programId, at, madeBy: madeBy ?? null }),
});

/** Revokes open invitations. Accepted ones stay. */
export const revokeInvitations: Operation<RevokeInvitationsCall, ReturnType<typeof gather>, undefined> = {
  kind: "revoke-partner-invitations",
  lane: "control",
  needs: () => [],
  gather,
  locks: ({ programId }) => ({ exclusive: [accessLock(programId)] }),

  decide(call, { done, open }, context) {
    const { programId, madeBy = null } = call;
    if (done !== undefined || open === 0) return noChange(programId, undefined);
    const change = {
      programId,
      action: "partner_invitation.revoked",
      subject: "partner invitations",
      before: { count: open, ...(madeBy !== null && { invitedBy: madeBy }) },
      after: null,
    };
    return auditedChange(call, change, { writes: [revoke({ programId, madeBy })], answer: undefined }, context);
  },
};
