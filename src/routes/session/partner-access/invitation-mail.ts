import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { partnerInvitation } from "#domain/mail/letters.ts";
import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import type { InvitePartnersCall } from "#operations/access/invite-partners.ts";
import { findPartner } from "#store/views/partners.ts";
import { mailRow, sendsMail } from "../../mail.ts";
import { readFromDatabase } from "../../read-database.ts";

type InvitationMail = NonNullable<InvitePartnersCall["mails"]>[number];

interface InvitationLink {
  readonly programId: ProgramId;
  readonly programName: string;
  readonly partnerId: PartnerId;
  readonly inviteUrl: string;
  readonly days: number;
}

/** Undefined without a hook, and for a partner without an address. */
export async function invitationMail(c: Ctx, invited: InvitationLink): Promise<Result<InvitationMail | undefined>> {
  if (!sendsMail(c)) return ok(undefined);
  const { programId, partnerId } = invited;
  const found = await readFromDatabase(c, "program", (database) => findPartner(database, programId, partnerId));
  if (!found.ok) return found;
  const { name, email: to = null } = found.value ?? {};
  return ok(to === null ? undefined : await sealedInvitation(c, invited, { name: name ?? "", to }));
}

export async function sealedInvitation(
  c: Ctx,
  { programId, programName, partnerId, inviteUrl: link, days }: InvitationLink,
  { name: partnerName, to }: { readonly name: string; readonly to: string },
): Promise<InvitationMail | undefined> {
  const mail = { to, ...partnerInvitation({ programName, partnerName, link, days }) };
  const row = await mailRow(c, { template: "partner_invitation", programId, mail, part: partnerId });
  return row && { partnerId, to, row };
}
