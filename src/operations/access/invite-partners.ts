import type { PartnerId } from "#domain/ids.ts";
import type { PartnerRole } from "#domain/partner-access.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { invitationsOfPartners, type PartnerInvitationRow, saveInvitation } from "#store/partner-access.ts";
import { partnersOfIds } from "#store/partners.ts";
import { accessLock } from "../locks.ts";
import { type MailTo, mailTo, withMails } from "../mail/mail-writes.ts";
import { auditedChange, type ChangeCall, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface InvitePartnersCall extends ChangeCall {
  readonly kind: "invite-partners";
  readonly role: PartnerRole;
  readonly expiresAt: number;
  /** True if an owner sent the invitation, so that a member of the workspace may accept it too. */
  readonly isForMember?: boolean;
  readonly invitations: readonly [Invitation, ...Invitation[]];
  /** The mails to send, one for each invitation that is sent by mail. */
  readonly mails?: readonly InvitationMail[];
  /** Skips partners who already have an open invitation sent by mail, and partners who can no longer be sent mail. */
  readonly isMailedOnce?: boolean;
}

export interface InvitePartnersAnswer {
  /** The partners that this call invited. */
  readonly invited: readonly PartnerId[];
}

interface Invitation {
  readonly partnerId: PartnerId;
  readonly tokenHash: string;
}

interface InvitationMail extends MailTo {
  readonly partnerId: PartnerId;
}

const gather = ({ operationId, programId, invitations }: InvitePartnersCall) => {
  const asked = { programId, ids: JSON.stringify(invitations.map(({ partnerId }) => partnerId)) };
  return {
    done: auditOfOperation({ operationId }),
    partners: partnersOfIds(asked),
    stored: invitationsOfPartners(asked),
  };
};

/** Creates invitations. A partner's new invitation replaces the older one. */
export const invitePartners: Operation<InvitePartnersCall, ReturnType<typeof gather>, InvitePartnersAnswer> = {
  kind: "invite-partners",
  lane: "control",
  needs: () => [],
  gather,
  locks: ({ programId }) => ({ exclusive: [accessLock(programId)] }),

  decide(call, { done, partners, stored }, context) {
    const { programId, actorId, role, expiresAt, isForMember = false, mails = [], at } = call;
    const known = new Map(partners.map(({ id, email }) => [id, email]));
    if (call.invitations.some(({ partnerId }) => !known.has(partnerId))) {
      return refuse(notFound("partner"));
    }
    if (partners.some(({ erasureId }) => erasureId !== null)) return refuse({ code: "partner_erased" });
    if (done !== undefined) {
      const hashes = new Set(call.invitations.map(({ tokenHash }) => tokenHash));
      const invited = stored.filter(({ tokenHash }) => hashes.has(tokenHash)).map(({ partnerId }) => partnerId);
      return noChange(programId, { invited });
    }
    const sent = new Map(
      mails.flatMap((mail) => mailTo(mail, known.get(mail.partnerId)).map((write) => [mail.partnerId, write] as const)),
    );
    const mailedBefore = new Set(
      stored.filter((each) => isMailed(each) && isOpen(each, at)).map(({ partnerId }) => partnerId),
    );
    const isLeftOut = ({ partnerId }: Invitation) => mailedBefore.has(partnerId) || !sent.has(partnerId);
    const [first, ...others] = call.isMailedOnce
      ? call.invitations.filter((each) => !isLeftOut(each))
      : call.invitations;
    if (first === undefined) return noChange(programId, { invited: [] });
    const invitations = [first, ...others];
    const invited = invitations.map(({ partnerId }) => partnerId);
    const change = {
      programId,
      action: "partner_invitation.created",
      subject: others.length === 0 ? `partner ${first.partnerId}` : `${invitations.length} partners`,
      before: null,
      after: {
        role,
        count: invitations.length,
        expiresAt: new Date(expiresAt).toISOString(),
        ...(isForMember && { member: true }),
      },
    };
    const common = { programId, role, expiresAt, usedBy: null, isForMember, invitedBy: actorId, createdAt: at };
    const writes = invitations.flatMap((each) => {
      const mail = sent.get(each.partnerId);
      const saved = saveInvitation({ ...each, ...common, mailedAt: mail === undefined ? null : at });
      return mail === undefined ? [saved] : [saved, mail];
    });
    return withMails(
      auditedChange(call, change, { writes, answer: { invited } }, context),
      sent.size > 0 ? at : undefined,
    );
  },
};

const isMailed = ({ mailedAt }: PartnerInvitationRow): boolean => mailedAt !== null;
const isOpen = ({ usedBy, expiresAt }: PartnerInvitationRow, at: number): boolean => usedBy === null && at < expiresAt;
