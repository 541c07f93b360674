import { mailRow, sendsMail } from "#api/mail.ts";
import { tokenToMail } from "#api/mailed-invitation.ts";
import { admitAddress } from "#api/mails-to-strangers.ts";
import { readFromDatabase } from "#api/read-database.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { partnerInvitation } from "#domain/mail/letters.ts";
import { partnerInvitationLink } from "#domain/partner-access.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { originOf } from "#http/transport.ts";
import type { InvitePartnersCall } from "#operations/access/invite-partners.ts";
import { findPartner } from "#store/views/partners.ts";
import { countMail } from "../auth/limits.ts";

export type InvitationMail = NonNullable<InvitePartnersCall["mails"]>[number];

interface InvitationLink {
  readonly programId: ProgramId;
  readonly programName: string;
  /** Who invites. */
  readonly userId: string;
  readonly partnerId: PartnerId;
  readonly token: string;
  readonly days: number;
}

/** Undefined without a hook, and for a partner without an address. */
export async function invitationMail(c: Ctx, invited: InvitationLink): Promise<Result<InvitationMail | undefined>> {
  if (!sendsMail(c)) return ok(undefined);
  const { programId, partnerId, userId } = invited;
  const found = await readFromDatabase(c, "program", (database) => findPartner(database, programId, partnerId));
  if (!found.ok) return found;
  const { name, email: to = null } = found.value ?? {};
  if (to === null) return ok(undefined);
  const overLimit = await countMail(c, "partner_invitation", to);
  if (overLimit !== undefined) return refused(overLimit);
  const admitted = await admitAddress(c, { programId, userId }, to);
  if (!admitted.ok) return admitted;
  return ok(await sealedInvitation(c, invited, { name: name ?? "", to }));
}

export async function sealedInvitation(
  c: Ctx,
  { programId, programName, partnerId, token, days }: Omit<InvitationLink, "userId">,
  { name: partnerName, to }: { readonly name: string; readonly to: string },
): Promise<InvitationMail | undefined> {
  const link = partnerInvitationLink(originOf(c), tokenToMail(c, token, to));
  const mail = { to, ...partnerInvitation({ programName, partnerName, link, days }) };
  const row = await mailRow(c, { template: "partner_invitation", programId, mail, part: partnerId });
  return row && { partnerId, to, row };
}
