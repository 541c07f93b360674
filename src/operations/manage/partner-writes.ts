import { isEmbedActor } from "#domain/actor.ts";
import { maskEmail } from "#domain/email.ts";
import type { GroupId, PartnerId } from "#domain/ids.ts";
import type { LinkMaker } from "#domain/link-maker.ts";
import { withdrawLineMails } from "#store/line-mails.ts";
import {
  insertLink,
  insertPartner,
  type LinkRow,
  noPartnerDetails,
  type PartnerDetails,
  type PartnerRow,
  partnerDetailNames,
  updateDestination,
  updatePartner,
} from "#store/partners.ts";
import { raiseOwnPurchases, raiseSelfReferrals } from "#store/signals.ts";
import type { Write } from "#store/statement.ts";
import { hashesOf } from "../attribution/customer.ts";
import { firstMembership } from "../groups/membership-writes.ts";
import { laterThan } from "../later-than.ts";
import type { Context } from "../operation.ts";
import { noted } from "./noted.ts";
import { auditWrite, type ChangeCall, type diff, isByKey } from "./settings-change.ts";

/** The change that the writes belong to. `operationId` is also the operation id of its audit entry. */
interface By extends Pick<ChangeCall, "operationId" | "programId" | "actorId" | "at"> {
  /** True if the account received its access after the partner had earned something. */
  readonly isByLateAccess?: boolean;
}

export type PartnerValues = Pick<PartnerRow, "name" | "email" | "externalId" | "status"> &
  Pick<LinkRow, "destinationUrl">;

type NewLink = Pick<LinkRow, "partnerId" | "code" | "destinationUrl"> & { readonly madeBy: LinkMaker };

interface NewPartner
  extends Readonly<Partial<PartnerDetails>>,
    Readonly<Pick<PartnerRow, "name" | "status"> & Pick<LinkRow, "destinationUrl">> {
  readonly groupId?: GroupId | null;
}

export function createPartnerWrites(
  by: By,
  { name, status, destinationUrl, groupId = null, ...sent }: NewPartner,
  { code, madeBy }: Pick<NewLink, "code" | "madeBy">,
  context: Context,
): { readonly partnerId: PartnerId; readonly writes: readonly Write[] } {
  const { programId, at } = by;
  const { email = null } = sent;
  const details = Object.fromEntries(partnerDetailNames.map((detail) => [detail, sent[detail] ?? null]));
  const partnerId = context.newId("partners");
  const detailsChangedAt = email !== null && isByKey(by) ? at : null;
  const partner = {
    id: partnerId,
    programId,
    name,
    status,
    ...noPartnerDetails,
    ...details,
    ...hashesOf(email, programId, context),
    detailsChangedAt,
    isRiskExempt: false,
    isSynthetic: false,
    isEmbedded: isEmbedActor(by.actorId),
    createdAt: at,
    erasureId: null,
  };
  const subject = `partner ${partnerId}`;
  const texts = noted({ programId, subject }, textsOf({ name, email }), context);
  const after = {
    partnerId,
    ...texts.named,
    code,
    ...Object.fromEntries(Object.entries(details).filter(([detail, value]) => detail !== "email" && value !== null)),
    ...(groupId !== null && { groupId }),
    ...(detailsChangedAt !== null && { unconfirmed: true }),
  };
  const change = { programId, action: "partner.created", subject, before: null, after };
  const link = linkWrite(by, { partnerId, code, destinationUrl, madeBy }, context);
  const ofGroup = groupId === null ? [] : [firstMembership(by, { partnerId, groupId })];
  const writes = [insertPartner(partner), link, ...ofGroup, ...texts.writes, auditWrite(by, change, context)];
  return { partnerId, writes };
}

export function updatePartnerWrites(
  by: By,
  partner: PartnerRow,
  changes: NonNullable<ReturnType<typeof diff<PartnerValues>>>,
  context: Context,
): readonly Write[] {
  const { programId } = by;
  const subject = `partner ${partner.id}`;
  const { destinationUrl, ...row } = changes.row;
  const before = noted({ programId, subject }, textsOf(changes.before), context);
  const after = noted({ programId, subject }, textsOf(changes.after), context);
  const change = {
    programId,
    action: "partner.updated",
    subject,
    before: { ...changes.before, ...before.named },
    after: {
      ...changes.after,
      ...after.named,
      ...(isFirst(partner, row.email) && isUnconfirmed(by) && { unconfirmed: true }),
    },
  };
  const { emailHash, similarHash } = partner;
  const hashes = row.email === partner.email ? { emailHash, similarHash } : hashesOf(row.email, programId, context);
  const replacedAt = isReplaced(by, partner, row.email) ? laterThan(partner.detailsChangedAt, context) : undefined;
  return [
    ...before.writes,
    ...after.writes,
    updatePartner({ ...partner, ...row, ...hashes, detailsChangedAt: replacedAt ?? partner.detailsChangedAt }),
    updateDestination({ partnerId: partner.id, destinationUrl }),
    ...(changes.after.email === undefined ? [] : [withdrawLineMails({ partnerId: partner.id })]),
    auditWrite({ ...by, at: replacedAt ?? by.at }, change, context),
    ...(hashes.emailHash === null || (hashes.emailHash === emailHash && hashes.similarHash === similarHash)
      ? []
      : raiseSelfReferrals({ programId, ...hashes, emailHash: hashes.emailHash, at: by.at })),
    ...(changes.after.externalId == null
      ? []
      : raiseOwnPurchases({ programId, externalId: changes.after.externalId, at: by.at })),
  ];
}

/**
 * The instant for which to set the alarm (ms). A new address can put commissions on hold, so the alarm runs immediately
 * and computes when the first review ends.
 */
export const reviewsBeginAt = ({ at }: Pick<By, "at">): number => at;

/**
 * Adds a further code. A partner's first code has no audit entry, because the entry of the partner's creation contains
 * it.
 */
export function createLinkWrites(by: By, link: NewLink, context: Context): readonly Write[] {
  const { programId } = by;
  const { partnerId, code, madeBy } = link;
  const subject = `partner ${partnerId}`;
  const change = { programId, action: "link.created", subject, before: null, after: { code, madeBy } };
  return [linkWrite(by, link, context), auditWrite(by, change, context)];
}

const linkWrite = ({ programId, at }: By, link: NewLink, { newId }: Context): Write =>
  insertLink({
    id: newId("referralLinks"),
    programId,
    ...link,
    codeKey: link.code.toLowerCase(),
    status: "active",
    createdAt: at,
  });

const isFirst = ({ email, detailsChangedAt }: PartnerRow, next: string | null): boolean =>
  next !== null && email === null && detailsChangedAt === null;

/** True if a member must confirm the new address before a payout uses it. */
const isUnconfirmed = (by: By): boolean => isByKey(by) || by.isByLateAccess === true;

/**
 * True if the change replaces an address, removes it, or sets one after a removal. False for the partner's first
 * address, unless a member must confirm it.
 */
const isReplaced = (by: By, partner: PartnerRow, next: string | null): boolean =>
  next !== partner.email && (!isFirst(partner, next) || isUnconfirmed(by));

const textsOf = ({ name, email }: Partial<PartnerValues>) => ({ name, email: email && maskEmail(email) });
