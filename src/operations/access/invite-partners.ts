import type { PartnerId } from "#domain/ids.ts";
import type { PartnerRole } from "#domain/partner-access.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { saveInvitation } from "#store/partner-access.ts";
import { partnersOfIds } from "#store/partners.ts";
import { accessLock } from "../locks.ts";
import { type MailTo, mailTo, withMails } from "../mail/mail-writes.ts";
import { auditedChange, type ChangeCall, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface InvitePartnersCall extends ChangeCall {
  readonly kind: "invite-partners";
  readonly role: PartnerRole;
  readonly expiresAt: number;
  /** By an owner: also an account that is a member of the workspace may accept. */
  readonly isForMember?: boolean;
  readonly invitations: readonly [Invitation, ...Invitation[]];
  /** Those that are mailed. */
  readonly mails?: readonly InvitationMail[];
}

interface Invitation {
  readonly partnerId: PartnerId;
  readonly tokenHash: string;
}

interface InvitationMail extends MailTo {
  readonly partnerId: PartnerId;
}

const gather = ({ operationId, programId, invitations }: InvitePartnersCall) => ({
  done: auditOfOperation({ operationId }),
  partners: partnersOfIds({ programId, ids: JSON.stringify(invitations.map(({ partnerId }) => partnerId)) }),
});

/** Each ends the partner's older invitation. */
export const invitePartners: Operation<InvitePartnersCall, ReturnType<typeof gather>, undefined> = {
  kind: "invite-partners",
  lane: "control",
  needs: () => [],
  gather,
  locks: ({ programId }) => ({ exclusive: [accessLock(programId)] }),

  decide(call, { done, partners }, context) {
    const { programId, actorId, invitations, role, expiresAt, isForMember = false, mails = [], at } = call;
    const known = new Map(partners.map(({ id, email }) => [id, email]));
    if (invitations.some(({ partnerId }) => !known.has(partnerId))) {
      return refuse(notFound("partner"));
    }
    if (partners.some(({ erasureId }) => erasureId !== null)) return refuse({ code: "partner_erased" });
    if (done !== undefined) return noChange(programId, undefined);
    const [first, second] = invitations;
    const change = {
      programId,
      action: "partner_invitation.created",
      subject: second === undefined ? `partner ${first.partnerId}` : `${invitations.length} partners`,
      before: null,
      after: {
        role,
        count: invitations.length,
        expiresAt: new Date(expiresAt).toISOString(),
        ...(isForMember && { member: true }),
      },
    };
    const common = { programId, role, expiresAt, usedBy: null, isForMember, invitedBy: actorId, createdAt: at };
    const writes = [
      ...invitations.map((each) => saveInvitation({ ...each, ...common })),
      ...mails.flatMap((mail) => mailTo(mail, known.get(mail.partnerId))),
    ];
    return withMails(
      auditedChange(call, change, { writes, answer: undefined }, context),
      mails.length > 0 ? at : undefined,
    );
  },
};
