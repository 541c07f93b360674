import { sendMails, sendsMail } from "#api/mail.ts";
import { admitAddresses } from "#api/mails-to-strangers.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { dayMs } from "#domain/calendar.ts";
import type { PartnerId } from "#domain/ids.ts";
import { hashLinkToken } from "#domain/link-token.ts";
import { invitationDays, partnerInvitationLink, partnerInvitationToken } from "#domain/partner-access.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { originOf } from "#http/transport.ts";
import type { ProgramScope } from "#store/accounts/scope.ts";
import { partnersWithoutAccess } from "#store/views/partner-access.ts";
import { actingMember } from "../actor.ts";
import { admitMails, countBulkMail } from "../auth/limits.ts";
import { csvContent, type ExportColumns, exportHead, exportHeaders, exportLines } from "../export-file.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { type InvitationMail, sealedInvitation } from "./invitation-mail.ts";

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
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "partner_erased"]),
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
