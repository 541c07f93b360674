import type { PartnerId } from "#domain/ids.ts";
import { isLateAccess } from "#domain/partner-access.ts";
import type { Membership } from "#domain/policy-in-force.ts";
import type { Refusal } from "#domain/refusal.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { type GroupRow, groupOfProgram, type NewestMembership, newestMemberships } from "#store/groups.ts";
import { accountsOfPartner, earliestCommission } from "#store/partner-access.ts";
import { linkOfPartner, type PartnerSettings, partnerOfExternalId, partnerOfProgram } from "#store/partners.ts";
import { nextMembership } from "../groups/membership-writes.ts";
import { type MailTo, mailTo, withMails } from "../mail/mail-writes.ts";
import { type Operation, refuse } from "../operation.ts";
import { type PartnerValues, reviewsBeginAt, updatePartnerWrites } from "./partner-writes.ts";
import { acting, diff, type KeyedChangeCall, noChange, type Patch } from "./settings-change.ts";

type ChangeableValues = PartnerValues & PartnerSettings & Pick<Membership, "groupId">;

export interface UpdatePartnerCall extends KeyedChangeCall {
  readonly kind: "update-partner";
  readonly partnerId: PartnerId;
  readonly changes: Patch<ChangeableValues>;
  /** The name of the field that contains a placeholder id (such as `undefined`). The id isn't stored. */
  readonly placeholder?: string | undefined;
  /** True if the actor is an account with access to the partner. */
  readonly isByPartner?: boolean;
  /** The mail to the previous address, if the address changes. */
  readonly mail?: MailTo | undefined;
}

const gather = ({ operationId, programId, partnerId, changes, isByPartner }: UpdatePartnerCall) => ({
  done: auditOfOperation({ operationId }),
  partner: partnerOfProgram({ programId, id: partnerId }),
  link: linkOfPartner({ partnerId }),
  named: changes.externalId == null ? undefined : partnerOfExternalId({ programId, externalId: changes.externalId }),
  group: changes.groupId == null ? undefined : groupOfProgram({ programId, id: changes.groupId }),
  memberships:
    changes.groupId === undefined
      ? undefined
      : newestMemberships({ programId, partnerIds: JSON.stringify([partnerId]) }),
  accounts: isByPartner ? accountsOfPartner({ programId, partnerId }) : undefined,
  earliest: isByPartner ? earliestCommission({ programId, partnerId }) : undefined,
});

export const updatePartner: Operation<UpdatePartnerCall, ReturnType<typeof gather>, undefined> = {
  kind: "update-partner",
  lane: "control",
  isExclusive: true,
  needs: () => [],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, partner, link, named, group, memberships: [membership] = [], ...found }, context) {
    if (partner === undefined || link === undefined) return refuse(notFound("partner"));
    if (partner.erasureId !== null) return refuse({ code: "partner_erased" });
    const { destinationUrl } = link;
    const groupId = membership?.groupId ?? null;
    const changes = diff<ChangeableValues>({ ...partner, destinationUrl, groupId }, call.changes);
    if (done !== undefined || changes === undefined) return noChange(call.programId, undefined);

    if (call.placeholder !== undefined && changes.after.externalId !== undefined) {
      return refuse({ code: "placeholder_id", field: call.placeholder });
    }
    if (named !== undefined && named.id !== partner.id) return refuse({ code: "external_id_taken" });
    const noGroup = changes.after.groupId != null ? whyNotInGroup(group, membership) : undefined;
    if (noGroup !== undefined) return refuse(noGroup);

    const { programId, partnerId } = call;
    const access = found.accounts?.find(({ accountId }) => accountId === call.actorId);
    const by = { ...acting(call, context.settings), isByLateAccess: isLateAccess(access, found.earliest) };
    const mails = changes.after.email === undefined ? [] : mailTo(call.mail, partner.email);
    const writes = [
      ...updatePartnerWrites(by, partner, changes, context),
      ...(changes.after.groupId === undefined
        ? []
        : [nextMembership(call, { partnerId, groupId: changes.after.groupId }, membership, context)]),
      ...mails,
    ];
    const holdUntil = mayHold(changes.after) ? reviewsBeginAt(call) : undefined;
    const commit = { programId, answer: undefined, writes, holdUntil, changes: { programId, partnerIds: [partnerId] } };
    return withMails({ kind: "commit", ...commit }, call.mail?.row.createdAt);
  },
};

/** A new email address or external id can reveal that one of the partner's customers is the partner. */
const mayHold = ({ email, externalId }: Partial<ChangeableValues>): boolean => email != null || externalId != null;

function whyNotInGroup(group: GroupRow | undefined, membership: NewestMembership | undefined): Refusal | undefined {
  if (group === undefined) return notFound("group");
  return membership?.isFull ? { code: "too_many_memberships" } : undefined;
}
