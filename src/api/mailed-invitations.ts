import { dayMs } from "#domain/calendar.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { hashLinkToken } from "#domain/link-token.ts";
import { partnerInvitation } from "#domain/mail/letters.ts";
import { partnerInvitationLink, partnerInvitationToken } from "#domain/partner-access.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { randomSecret } from "#http/secret.ts";
import { originOf } from "#http/transport.ts";
import type { InvitePartnersCall } from "#operations/access/invite-partners.ts";
import type { Invitable } from "#store/views/partner-access.ts";
import { admitMails, countBulkMail } from "./account-limits.ts";
import { mailRow, sendMails, sendsMail } from "./mail.ts";
import { type MailOutcome, type MailResult, outcomesOf } from "./mail-outcome.ts";
import { type AdmittedAddresses, admitAddresses, countingMailed, releaseCounted } from "./mails-to-strangers.ts";
import { tokenToMail } from "./partner-invitation.ts";

export type InvitationMail = NonNullable<InvitePartnersCall["mails"]>[number];

export interface NewInvitation {
  readonly programId: ProgramId;
  readonly programName: string;
  readonly partnerId: PartnerId;
  readonly token: string;
  readonly days: number;
}

/** Undefined without a mail hook. */
export async function sealedInvitation(
  c: Ctx,
  { programId, programName, partnerId, token, days }: NewInvitation,
  { name: partnerName, to }: { readonly name: string; readonly to: string },
): Promise<InvitationMail | undefined> {
  const link = partnerInvitationLink(originOf(c), tokenToMail(c, token, to));
  const mail = { to, ...partnerInvitation({ programName, partnerName, link, days }) };
  const linkUntil = c.get("call").at + days * dayMs;
  const row = await mailRow(c, { template: "partner_invitation", programId, mail, linkUntil, part: partnerId });
  return row && { partnerId, to, row };
}

interface Mailing {
  readonly invite: Omit<InvitePartnersCall, "invitations" | "mails" | "isMailedOnce">;
  readonly program: { readonly id: ProgramId; readonly name: string };
  readonly userId: string;
  readonly days: number;
  /** True to mail nothing, and to return what the call would do. */
  readonly isDryRun: boolean;
}

/**
 * Mails invitations: one to each address, within the limits. Skips partners whose open invitation was already mailed.
 */
export async function mailInvitations(
  c: Ctx,
  mailing: Mailing,
  partners: readonly Invitable[],
): Promise<Result<MailOutcome[]>> {
  const byAddress = firstOfAddresses(partners);
  const whyNot = (each: Invitable): MailResult | undefined => {
    if (each.isMailed) return "already_mailed";
    if (each.email === null) return "no_address";
    if (byAddress.get(each.email.toLowerCase()) !== each) return "same_address";
    return sendsMail(c) ? undefined : "no_mail";
  };
  if (mailing.isDryRun) return ok(outcomesOf(partners, (each) => whyNot(each) ?? "mailed"));
  const admitted = await admittedOf(c, mailing, [...byAddress.keys()]);
  if (!admitted.ok) return admitted;
  const { addresses, counted } = admitted.value;
  const made = await Promise.all(
    [...byAddress].filter(([to]) => addresses.has(to)).map(([to, each]) => newInvitation(c, mailing, to, each)),
  );
  const mails = made.flatMap(({ mail }) => mail ?? []);
  const [first, ...others] = made.map(({ invitation }) => invitation);
  let mailed: ReadonlySet<PartnerId> = new Set();
  if (first !== undefined && mails.length > 0) {
    const invite = { ...mailing.invite, invitations: [first, ...others], mails, isMailedOnce: true } as const;
    const invited = await countingMailed(c, { mails, counted }, () => runOperation(c, invite));
    if (!invited.ok) return refused(invited.refusal);
    mailed = new Set(invited.answer.invited);
    sendMails(c, "program");
  } else releaseCounted(c, counted);
  const resultOf = (each: Invitable): MailResult => {
    if (mailed.has(each.id)) return "mailed";
    // The address is within the limit, but this call didn't mail it: a concurrent call did.
    const isAdmitted = addresses.has(each.email?.toLowerCase() ?? "");
    return whyNot(each) ?? (isAdmitted ? "already_mailed" : "over_limit");
  };
  return ok(outcomesOf(partners, resultOf));
}

/** The first partner of each address. Addresses to which an open invitation was mailed are left out. */
function firstOfAddresses(partners: readonly Invitable[]): ReadonlyMap<string, Invitable> {
  const found = new Map<string, Invitable>();
  for (const each of partners) {
    const address = each.email?.toLowerCase();
    if (address !== undefined && (each.isMailed || !found.has(address))) found.set(address, each);
  }
  return new Map([...found].filter(([, { isMailed }]) => !isMailed));
}

async function admittedOf(
  c: Ctx,
  { program: { id: programId }, userId }: Mailing,
  addresses: readonly string[],
): Promise<Result<AdmittedAddresses>> {
  if (!sendsMail(c) || addresses.length === 0) return ok({ addresses: new Set(), counted: undefined });
  const overLimit = await countBulkMail(c, programId);
  if (overLimit !== undefined) return refused(overLimit);
  const below = await admitMails(c, "partner_invitation", addresses);
  return below.ok ? admitAddresses(c, { programId, userId }, [...below.value]) : below;
}

async function newInvitation(
  c: Ctx,
  { program: { id: programId, name: programName }, days }: Mailing,
  to: string,
  { id: partnerId, name, email }: Invitable,
) {
  const token = partnerInvitationToken(programId, randomSecret());
  const link = { programId, programName, partnerId, token, days };
  const mail = await sealedInvitation(c, link, { name, to: email ?? to });
  return { invitation: { partnerId, tokenHash: hashLinkToken(token) }, mail };
}
