import { caps } from "#domain/caps.ts";
import { type AddressDigests, addressHashes } from "#domain/email-digest.ts";
import type { PartnerId } from "#domain/ids.ts";
import type { PartnerRole } from "#domain/partner-access.ts";
import type { Refusal } from "#domain/refusal.ts";
import { acceptedByInvited, insertAcceptedTerms, newestTerms } from "#store/join-pages.ts";
import {
  accountsOfInvitedPartner,
  markInvitationUsed,
  type PartnerInvitationRow,
  partnerInvitationOfToken,
  savePartnerAccount,
} from "#store/partner-access.ts";
import { raiseSelfReferrals } from "#store/signals.ts";
import { accessLock } from "../locks.ts";
import { reviewsBeginAt } from "../manage/partner-writes.ts";
import { auditedChange, type ChangeCall, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

/** `actorId` is the account that accepts the invitation. */
export interface AcceptPartnerInvitationCall extends ChangeCall {
  readonly kind: "accept-partner-invitation";
  readonly tokenHash: string;
  readonly termsVersion: number | null;
  /** Digests of the account's email address. */
  readonly address: AddressDigests;
  /** True if the account is a member of the program's workspace. */
  readonly isMember: boolean;
  /** True if the member who sent the invitation is no longer an active member. */
  readonly isInviterGone: boolean;
}

export interface PartnerAccessGranted {
  readonly partnerId: PartnerId;
  readonly role: PartnerRole;
}

const gather = ({ programId, tokenHash, actorId }: AcceptPartnerInvitationCall) => ({
  invitation: partnerInvitationOfToken({ programId, tokenHash }),
  accounts: accountsOfInvitedPartner({ programId, tokenHash }),
  terms: newestTerms({ programId }),
  accepted: acceptedByInvited({ programId, tokenHash, accountId: actorId }),
});

/**
 * Gives the account access to the partner if it presents the invitation's token. Only one account can use a token. If
 * the same account accepts again, nothing changes.
 */
export const acceptPartnerInvitation: Operation<
  AcceptPartnerInvitationCall,
  ReturnType<typeof gather>,
  PartnerAccessGranted
> = {
  kind: "accept-partner-invitation",
  lane: "control",
  // Exclusive (no other call is in its round), because a sale decided in the same round wouldn't be checked against the
  // account's email address.
  isExclusive: true,
  needs: () => [],
  gather,
  locks: ({ programId }) => ({ exclusive: [accessLock(programId)] }),

  decide(call, { invitation, accounts, terms, accepted }, context) {
    const { programId, tokenHash, termsVersion, actorId: accountId, at } = call;
    if (invitation === undefined) return refuse({ code: "invitation_invalid" });
    const { partnerId, role, usedBy } = invitation;
    const known = accounts.find((each) => each.accountId === accountId);
    if (known !== undefined && usedBy === accountId) return noChange(programId, { partnerId, role: known.role });
    const unusable = whyUnusable(call, invitation);
    if (unusable !== undefined) return refuse(unusable);
    if (known === undefined && accounts.length >= caps.partnerAccounts.max) {
      return refuse({ code: "cap_reached", cap: "partnerAccounts" });
    }
    const version = terms?.version ?? null;
    if (version !== null && termsVersion !== version) return refuse({ code: "terms_changed", version });
    const hashes = addressHashes(context.hashSecret, programId, call.address);
    const newlyAccepted = version !== null && accepted?.version !== version ? version : null;
    const change = {
      programId,
      action: "partner_access.granted",
      subject: `partner ${partnerId}`,
      before: known === undefined ? null : { accountId, role: known.role },
      after: { accountId, role, termsVersion: newlyAccepted },
    };
    const writes = [
      savePartnerAccount({ partnerId, accountId, programId, role, ...hashes, createdAt: at }),
      markInvitationUsed({ tokenHash, usedBy: accountId }),
      ...(newlyAccepted === null
        ? []
        : [insertAcceptedTerms({ partnerId, version: newlyAccepted, accountId, programId, acceptedAt: at })]),
      ...raiseSelfReferrals({ programId, ...hashes, at }),
    ];
    const granted = auditedChange(call, change, { writes, answer: { partnerId, role } }, context);
    return { ...granted, holdUntil: reviewsBeginAt(call) };
  },
};

function whyUnusable(
  { at, isMember, isInviterGone }: AcceptPartnerInvitationCall,
  { usedBy, expiresAt, isForMember }: PartnerInvitationRow,
): Refusal | undefined {
  if (usedBy !== null || at >= expiresAt || isInviterGone) return { code: "invitation_invalid" };
  return isMember && !isForMember ? { code: "member_of_workspace" } : undefined;
}
