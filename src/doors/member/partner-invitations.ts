import { admitMails, countBulkMail, countMail } from "#api/account-limits.ts";
import { csvContent, type ExportColumns, exportHead, exportHeaders, exportLines } from "#api/export-file.ts";
import { mailRow, sendMails, sendsMail } from "#api/mail.ts";
import { admitAddress, admitAddresses } from "#api/mails-to-strangers.ts";
import { tokenToMail } from "#api/partner-invitation.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { dayMs } from "#domain/calendar.ts";
import { maskAddress } from "#domain/email.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { hashLinkToken } from "#domain/link-token.ts";
import { partnerInvitation } from "#domain/mail/letters.ts";
import { invitationDays, partnerInvitationLink, partnerInvitationToken, partnerRoles } from "#domain/partner-access.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, created, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { originOf } from "#http/transport.ts";
import type { InvitePartnersCall } from "#operations/access/invite-partners.ts";
import type { ProgramScope } from "#store/accounts/scope.ts";
import { partnersWithoutAccess } from "#store/views/partner-access.ts";
import { findPartner } from "#store/views/partners.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "./guards.ts";
import { PartnerPath, ProgramPath } from "./params.ts";

type InvitationMail = NonNullable<InvitePartnersCall["mails"]>[number];

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
async function invitationMail(c: Ctx, invited: InvitationLink): Promise<Result<InvitationMail | undefined>> {
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

async function sealedInvitation(
  c: Ctx,
  { programId, programName, partnerId, token, days }: Omit<InvitationLink, "userId">,
  { name: partnerName, to }: { readonly name: string; readonly to: string },
): Promise<InvitationMail | undefined> {
  const link = partnerInvitationLink(originOf(c), tokenToMail(c, token, to));
  const mail = { to, ...partnerInvitation({ programName, partnerName, link, days }) };
  const row = await mailRow(c, { template: "partner_invitation", programId, mail, part: partnerId });
  return row && { partnerId, to, row };
}

const NewInvitation = z
  .object({
    role: fields
      .oneOf("role", partnerRoles)
      .default("manage")
      .describe("`view`: reads. `manage`: also makes codes and changes payment details."),
    mail: fields
      .flag("mail")
      .default(true)
      .describe("Also mails the link to the partner's address, where the service sends mail."),
    member: fields
      .flag("member")
      .default(false)
      .describe("Owners only: a member of the workspace may accept it too, who is refused otherwise."),
  })
  .openapi("NewPartnerInvitation");

const Invitation = z
  .object({
    inviteUrl: z
      .string()
      .describe(
        "Gives access to the first account that accepts it. Shown once: unless it is mailed, deliver it yourself.",
      ),
    expiresAt: z.iso.datetime(),
    mailedTo: z.string().nullable().describe("The address it is mailed to, masked. `null`: it isn't mailed."),
  })
  .openapi("PartnerInvitation");

export const invitePartner = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/{partnerId}/invitations",
    operationId: "invitePartner",
    tags: ["Partners' access"],
    summary: "Invite a partner to their side",
    description: `The link works once, within ${invitationDays} days, and ends the partner's older one.`,
    ...reauthenticated(withJsonBody(programMember("admin"))),
    request: { params: PartnerPath, body: body(NewInvitation) },
    responses: {
      ...created("Invitation created", z.object({ data: Invitation })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "partner_erased", "email_unverified"]),
    },
  }),
  handler: async (c) => {
    const { partnerId } = c.req.valid("param");
    const { id: programId, name: programName } = c.get("program");
    const token = partnerInvitationToken(programId, randomSecret());
    const expiresAt = c.get("call").at + invitationDays * dayMs;
    const { role, mail: isMailed, member: isForMember } = c.req.valid("json");
    if (isForMember && c.get("membership").role !== "owner")
      return refuse(c, { code: "role_too_low", needed: "owner" });
    const inviteUrl = partnerInvitationLink(originOf(c), token);
    const link = { programId, programName, userId: c.get("userId"), partnerId, token, days: invitationDays };
    const mail = isMailed ? await invitationMail(c, link) : ok(undefined);
    if (!mail.ok) return refuse(c, mail.refusal);
    const invitations = [{ partnerId, tokenHash: hashLinkToken(token) }] as const;
    const mails = mail.value === undefined ? [] : [mail.value];
    const invite = {
      ...actingMember(c),
      kind: "invite-partners",
      role,
      expiresAt,
      isForMember,
      invitations,
      mails,
    } as const;
    const invited = await runOperation(c, invite);
    if (!invited.ok) return refuse(c, invited.refusal);
    if (mails.length > 0) sendMails(c, "program");
    const mailedTo = mail.value === undefined ? null : maskAddress(mail.value.to);
    return c.json({ data: { inviteUrl, expiresAt: timestamp(expiresAt), mailedTo } }, 201);
  },
});

const maxInvited = 1_000;
const maxDays = 14;
const idsMessage = `partnerIds must be 1 to ${maxInvited} ids`;

const NewInvitations = z
  .object({
    partnerIds: fields
      .optional(z.array(fields.programId("partnerIds"), idsMessage).min(1, idsMessage).max(maxInvited, idsMessage))
      .describe("Defaults to all partners, those first that haven't been invited."),
    days: fields.integer("days", 1, maxDays).default(invitationDays),
    mail: fields
      .flag("mail")
      .default(false)
      .describe(
        "Also mails each link to the partner's address, where the service sends mail: one to each address, ten a day, and 200 a day to addresses without a verified account. The column `mailed` says which were.",
      ),
  })
  .openapi("NewPartnerInvitations");

interface Line {
  readonly name: string;
  readonly email: string | null;
  readonly inviteUrl: string;
}

interface Invited extends Line {
  readonly id: PartnerId;
  readonly token: string;
}

const columns: ExportColumns<Line> = {
  name: ({ name }) => name,
  email: ({ email }) => email,
  invite_url: ({ inviteUrl }) => inviteUrl,
};

/** With what was mailed, if the caller asked for mail. */
const mailedColumns = (mails: readonly InvitationMail[]): ExportColumns<Invited> => {
  const mailed = new Set(mails.map(({ partnerId }) => partnerId));
  return { ...columns, mailed: ({ id }) => (mailed.has(id) ? "yes" : "no") };
};

/** At most one to each address, and none above the limits. */
async function mailsOf(
  c: Ctx & { get(name: "userId"): string },
  { id: programId, name: programName }: Pick<ProgramScope, "id" | "name">,
  invited: readonly Invited[],
  days: number,
): Promise<Result<readonly InvitationMail[]>> {
  if (!sendsMail(c)) return ok([]);
  const overLimit = await countBulkMail(c, programId);
  if (overLimit !== undefined) return refused(overLimit);
  const byAddress = new Map(invited.flatMap((each) => (each.email === null ? [] : [[each.email, each] as const])));
  const below = await admitMails(c, "partner_invitation", [...byAddress.keys()]);
  if (!below.ok) return below;
  const by = { programId, userId: c.get("userId") };
  const admitted = await admitAddresses(c, by, [...below.value]);
  if (!admitted.ok) return admitted;
  const mails = [...byAddress].map(([to, { id: partnerId, name, token }]) =>
    admitted.value.has(to)
      ? sealedInvitation(c, { programId, programName, partnerId, token, days }, { name, to })
      : undefined,
  );
  return ok((await Promise.all(mails)).filter((mail) => mail !== undefined));
}

export const invitePartners = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/invitations",
    operationId: "invitePartners",
    tags: ["Partners' access"],
    summary: "Invite many partners",
    description:
      "A file with a link for each active partner whom no account has access to, for your own mailing. " +
      "Each ends the partner's older link; sent again, the first file's links no longer work.",
    ...reauthenticated(withJsonBody(programMember("admin"))),
    request: { params: ProgramPath, body: body(NewInvitations) },
    responses: {
      200: { description: "The links", content: csvContent(columns) },
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "partner_erased", "email_unverified"]),
    },
  }),
  handler: async (c) => {
    const program = c.get("program");
    const { partnerIds, days, mail: isMailed } = c.req.valid("json");
    const asked = { programId: program.id, ids: partnerIds, limit: maxInvited, at: c.get("call").at };
    const found = await readFromDatabase(c, "program", (database) => partnersWithoutAccess(database, asked));
    if (!found.ok) return refuse(c, found.refusal);
    const origin = originOf(c);
    const invited = found.value.map(({ id, name, email }) => {
      const token = partnerInvitationToken(program.id, randomSecret());
      return { id, name, email, token, inviteUrl: partnerInvitationLink(origin, token) };
    });
    const mails = isMailed ? await mailsOf(c, program, invited, days) : ok([]);
    if (!mails.ok) return refuse(c, mails.refusal);
    const [first, ...others] = invited.map(({ id, token }) => ({ partnerId: id, tokenHash: hashLinkToken(token) }));
    if (first !== undefined) {
      const expiresAt = c.get("call").at + days * dayMs;
      const invitations = [first, ...others] as const;
      const invite = {
        ...actingMember(c),
        kind: "invite-partners",
        role: "manage",
        expiresAt,
        invitations,
        mails: mails.value,
      } as const;
      const saved = await runOperation(c, invite);
      if (!saved.ok) return refuse(c, saved.refusal);
      if (mails.value.length > 0) sendMails(c, "program");
    }
    const shown: ExportColumns<Invited> = isMailed ? mailedColumns(mails.value) : columns;
    return c.body(exportHead(shown) + exportLines(shown, invited), 200, exportHeaders(program, "invitations"));
  },
});
