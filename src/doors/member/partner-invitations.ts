import { countMail } from "#api/account-limits.ts";
import { csvContent, type ExportColumns, exportHead, exportHeaders, exportLines } from "#api/export-file.ts";
import { sendMails, sendsMail } from "#api/mail.ts";
import { dryRun, MailOutcome } from "#api/mail-outcome.ts";
import { type InvitationMail, mailInvitations, type NewInvitation, sealedInvitation } from "#api/mailed-invitations.ts";
import { admitAddress, countingMailed, type Drafts, noDrafts } from "#api/mails-to-strangers.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { dayMs } from "#domain/calendar.ts";
import { maskAddress } from "#domain/email.ts";
import { hashLinkToken } from "#domain/link-token.ts";
import { invitationDays, partnerInvitationLink, partnerInvitationToken, partnerRoles } from "#domain/partner-access.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { noUnits } from "#domain/units.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { originOf } from "#http/transport.ts";
import { partnersWithoutAccess } from "#store/views/partner-access.ts";
import { findPartner } from "#store/views/partners.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember, reauthenticated } from "./guards.ts";
import { PartnerPath, ProgramPath } from "./params.ts";

interface InvitationLink extends NewInvitation {
  /** The user who sends the invitation. */
  readonly userId: string;
}

/** Returns no mail without a mail hook, or if the partner has no address. */
async function invitationMail(c: Ctx, invited: InvitationLink): Promise<Result<Drafts<InvitationMail>>> {
  if (!sendsMail(c)) return ok(noDrafts);
  const { programId, partnerId, userId } = invited;
  const found = await readFromDatabase(c, "program", (database) => findPartner(database, programId, partnerId));
  if (!found.ok) return found;
  const { name, email: to = null } = found.value ?? {};
  if (to === null) return ok(noDrafts);
  const overLimit = await countMail(c, "partner_invitation", to);
  if (overLimit !== undefined) return refused(overLimit);
  const admitted = await admitAddress(c, { programId, userId }, to);
  if (!admitted.ok) return admitted;
  const mail = await sealedInvitation(c, invited, { name: name ?? "", to });
  return ok({ mails: mail === undefined ? [] : [mail], counted: admitted.value });
}

const InvitationBody = z
  .object({
    role: fields
      .oneOf("role", partnerRoles)
      .default("manage")
      .describe(
        "`view`: can read. `manage`: can also create codes, report missing sales, accept terms, and change the profile and the payment details.",
      ),
    mail: fields
      .flag("mail")
      .default(true)
      .describe("True to mail the link to the partner's address too, if the service sends mail."),
    member: fields
      .flag("member")
      .default(false)
      .describe("Lets a member of the workspace accept the invitation. Without it, members are refused. Owners only."),
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
    mailedTo: z.string().nullable().describe("Masked address that it is mailed to. `null` if it isn't mailed."),
  })
  .openapi("PartnerInvitation");

export const invitePartner = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/{partnerId}/invitations",
    operationId: "invitePartner",
    tags: ["Partners' access"],
    summary: "Invite a partner to their pages",
    description: `The link works once, within ${invitationDays} days, and replaces the partner's older one.`,
    ...reauthenticated(withJsonBody(programMember("admin"))),
    request: { params: PartnerPath, body: body(InvitationBody) },
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
    const drafts = isMailed ? await invitationMail(c, link) : ok(noDrafts);
    if (!drafts.ok) return refuse(c, drafts.refusal);
    const invitations = [{ partnerId, tokenHash: hashLinkToken(token) }] as const;
    const { mails } = drafts.value;
    const invite = {
      ...actingMember(c),
      kind: "invite-partners",
      role,
      expiresAt,
      isForMember,
      invitations,
      mails,
    } as const;
    const invited = await countingMailed(c, drafts.value, () => runOperation(c, invite));
    if (!invited.ok) return refuse(c, invited.refusal);
    const [mail] = mails;
    if (mail !== undefined) sendMails(c, "program");
    const mailedTo = mail === undefined ? null : maskAddress(mail.to);
    return c.json({ data: { inviteUrl, expiresAt: timestamp(expiresAt), mailedTo } }, 201);
  },
});

const maxInvited = 1_000;
const maxDays = 14;
const idsMessage = `partnerIds must be 1 to ${maxInvited} ids`;

const NewInvitations = z
  .object({
    partnerIds: fields
      .optional(fields.ids("partnerIds", maxInvited, idsMessage))
      .describe("Defaults to all partners, starting with those who haven't been invited."),
    days: fields.integer("days", 1, maxDays).default(invitationDays),
    mail: fields
      .flag("mail")
      .default(false)
      .describe(
        "Mails each link to the partner's address, and returns the outcome of each instead of a file. Skips partners whose open invitation was already mailed. Sends one mail to each address, at most ten a day to the same one, and to addresses without a verified account only as many as the daily limit allows.",
      ),
    dryRun: dryRun(),
  })
  .refine(
    ...fields.rule(["dryRun"], "dryRun needs mail", (body: { dryRun?: boolean; mail?: boolean }) =>
      body.dryRun === true ? body.mail === true : true,
    ),
  )
  .openapi("NewPartnerInvitations");

interface Line {
  readonly name: string;
  readonly email: string | null;
  readonly inviteUrl: string;
}

const columns: ExportColumns<Line> = {
  name: ({ name }) => name,
  email: ({ email }) => email,
  invite_url: ({ inviteUrl }) => inviteUrl,
};

export const invitePartners = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/partners/invitations",
    operationId: "invitePartners",
    tags: ["Partners' access"],
    summary: "Invite many partners",
    description:
      "Returns a file with a link for each active partner without an account, for you to mail. Each link replaces the partner's older one, so after a repeat the first file's links no longer work. With `mail`, the service mails the links itself, and doesn't mail a partner again while their link works.",
    ...reauthenticated(withJsonBody(programMember("admin"))),
    request: { params: ProgramPath, body: body(NewInvitations) },
    responses: {
      200: { description: "The links", content: csvContent(columns) },
      202: {
        description: "With `mail`: outcome for each partner",
        content: { "application/json": { schema: z.object({ data: z.object({ outcomes: z.array(MailOutcome) }) }) } },
      },
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "partner_erased", "email_unverified"]),
    },
  }),
  handler: async (c) => {
    const program = c.get("program");
    const { partnerIds, days, mail: isMailed, dryRun: isDryRun } = c.req.valid("json");
    const { at } = c.get("call");
    const asked = { programId: program.id, ids: partnerIds, limit: maxInvited, at };
    const found = await readFromDatabase(c, "program", (database) => partnersWithoutAccess(database, asked));
    if (!found.ok) return refuse(c, found.refusal);
    const invite = {
      ...actingMember(c),
      kind: "invite-partners",
      role: "manage",
      expiresAt: at + days * dayMs,
    } as const;
    if (isMailed) {
      const mailed = await mailInvitations(
        c,
        { invite, days, program, userId: c.get("userId"), isDryRun },
        found.value,
      );
      return mailed.ok ? c.json({ data: { outcomes: mailed.value } }, 202) : refuse(c, mailed.refusal);
    }
    const origin = originOf(c);
    const invited = found.value.map(({ id, name, email }) => {
      const token = partnerInvitationToken(program.id, randomSecret());
      return { id, name, email, token, inviteUrl: partnerInvitationLink(origin, token) };
    });
    const [first, ...others] = invited.map(({ id, token }) => ({ partnerId: id, tokenHash: hashLinkToken(token) }));
    if (first !== undefined) {
      const saved = await runOperation(c, { ...invite, invitations: [first, ...others] });
      if (!saved.ok) return refuse(c, saved.refusal);
    }
    return c.body(
      exportHead(columns) + exportLines(columns, invited, noUnits),
      200,
      exportHeaders(program, "invitations"),
    );
  },
});

const Invitable = z
  .object({
    partnerId: id(),
    partnerCode: z.string().describe("The partner's first `aff` code."),
    name: z.string(),
    hasAddress: z
      .boolean()
      .describe("True if the partner has an email address. Invitations are mailed only if the service sends mail."),
    isMailed: z.boolean().describe("True if the partner has an open invitation whose link was mailed."),
  })
  .openapi("InvitablePartner");

export const listInvitablePartners = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/invitations",
    operationId: "listInvitablePartners",
    tags: ["Partners' access"],
    summary: "List partners without access",
    description: `Active partners without an account, starting with those who haven't been invited. At most ${maxInvited}.`,
    ...programMember("admin"),
    request: { params: ProgramPath },
    responses: {
      ...returns("The partners", z.object({ data: z.array(Invitable) })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const asked = { programId: c.get("program").id, ids: null, limit: maxInvited, at: c.get("call").at };
    const found = await readFromDatabase(c, "program", (database) => partnersWithoutAccess(database, asked));
    if (!found.ok) return refuse(c, found.refusal);
    const data = found.value.map(({ id: partnerId, code, name, email, isMailed }) => ({
      partnerId,
      partnerCode: code,
      name,
      hasAddress: email !== null,
      isMailed,
    }));
    return c.json({ data }, 200);
  },
});
