import { countInvitationView } from "#api/account-limits.ts";
import { Terms, termsReply } from "#api/join.ts";
import { provesAddress, readInvitation, readOpenInvitation } from "#api/partner-invitation.ts";
import { readFromDatabase, readFromShards } from "#api/read-database.ts";
import { hourMs } from "#domain/calendar.ts";
import { addressDigests } from "#domain/email-digest.ts";
import type { Shard } from "#domain/ids.ts";
import { hashLinkToken } from "#domain/link-token.ts";
import { partnerRoles, readInvitationToken } from "#domain/partner-access.ts";
import { programStatus, programStatuses } from "#domain/program-status.ts";
import { home } from "#domain/shard.ts";
import { allShards, hashSecretOf } from "#env.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import {
  body,
  commonRefusals,
  createRoute,
  endpoint,
  refusals,
  refuse,
  returns,
  withJsonBody,
} from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import {
  type AccountPartner,
  enterAccountPartners,
  forgetAccountPartners,
  readAccountPartners,
} from "#store/accounts/account-partners.ts";
import { markVerified } from "#store/accounts/address-verifications.ts";
import { findProgramMembers } from "#store/accounts/program-members.ts";
import { findAccount } from "#store/accounts/users.ts";
import { type PendingApplication, readPendingApplications } from "#store/views/join-pages.ts";
import { findPartnerAccess, type PartnerOfAccount, readPartnersOfAccount } from "#store/views/partner-access.ts";
import { actorOf } from "../member/actor.ts";
import {
  fromOwnOrigin,
  inputRefusals,
  sessionRefusals,
  sessionWriteRefusals,
  signedIn,
  writeRefusals,
} from "../member/guards.ts";

const Token = z.object({ token: fields.nonBlank("token") }).openapi("PartnerInvitationToken");

const Preview = z
  .object({
    programName: z.string(),
    partnerName: z.string(),
    email: z.string().nullable().describe("The partner's email address, if the token was mailed to it."),
    role: z.enum(partnerRoles),
    terms: Terms.nullable().describe("The program's terms, which are accepted together with the invitation."),
  })
  .openapi("PartnerInvitationPreview");

export const previewInvitation = endpoint({
  route: createRoute({
    method: "post",
    path: "/invitations/preview",
    operationId: "previewPartnerInvitation",
    tags: ["Access"],
    summary: "See what an invitation gives access to",
    description: "Requires only the token, not a session. Changes nothing; it is a POST to keep the token out of URLs.",
    ...withJsonBody(fromOwnOrigin(countInvitationView)),
    request: { body: body(Token) },
    responses: {
      ...returns("An open invitation", z.object({ data: Preview })),
      ...refusals([...writeRefusals, ...inputRefusals, "invitation_invalid", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const { token } = c.req.valid("json");
    const found = await readOpenInvitation(c, token);
    if (!found.ok) return refuse(c, found.refusal);
    const { program, partner, invitation, terms } = found.value;
    const { email } = partner;
    const data = {
      programName: program.name,
      partnerName: partner.name,
      email: email !== null && provesAddress(c, token, email) ? email : null,
      role: invitation.role,
      terms: terms === undefined ? null : termsReply(terms),
    };
    return c.json({ data }, 200);
  },
});

const Acceptance = z
  .object({
    token: fields.nonBlank("token"),
    termsVersion: fields
      .optional(fields.integer("termsVersion", 1, 1_000_000))
      .describe("Version of the terms that the person has read and accepts, if the program has terms."),
  })
  .openapi("PartnerAcceptance");

const Accepted = z.object({ programId: id(), partnerId: id(), role: z.enum(partnerRoles) }).openapi("PartnerAccepted");

export const acceptInvitation = endpoint({
  route: createRoute({
    method: "post",
    path: "/invitations/accept",
    operationId: "acceptPartnerInvitation",
    tags: ["Access"],
    summary: "Accept an invitation",
    description: "Gives your account access to the partner. A repeat by the same account changes nothing.",
    ...withJsonBody(signedIn()),
    request: { body: body(Acceptance) },
    responses: {
      ...returns("Your access", z.object({ data: Accepted })),
      ...refusals([
        ...sessionWriteRefusals,
        ...inputRefusals,
        "member_of_workspace",
        "invitation_invalid",
        "terms_changed",
        "cap_reached",
      ]),
    },
  }),
  handler: async (c) => {
    const { token, termsVersion } = c.req.valid("json");
    const found = await readInvitation(c, token);
    if (!found.ok) return refuse(c, found.refusal);
    const { id: programId } = found.value.program;
    const { partnerId, invitedBy } = found.value.invitation;
    const { actorId: accountId, ...call } = actorOf(c);
    const { at: enteredAt } = c.get("call");
    const enter = () =>
      readFromDatabase(c, "home", (database) =>
        enterAccountPartners(database, [{ accountId, programId, partnerId, enteredAt }]),
      );
    const [entered, account, members] = await Promise.all([
      enter(),
      readFromDatabase(c, "home", (database) => findAccount(database, accountId)),
      readFromDatabase(c, "home", (database) =>
        findProgramMembers(database, programId, [accountId, ...(invitedBy === null ? [] : [invitedBy])]),
      ),
    ]);
    if (!members.ok) return refuse(c, members.refusal);
    if (!entered.ok) return refuse(c, entered.refusal);
    if (!account.ok) return refuse(c, account.refusal);
    if (account.value === undefined) return refuse(c, { code: "no_session" });
    const tokenHash = hashLinkToken(readInvitationToken(token).token);
    const accept = {
      kind: "accept-partner-invitation",
      ...call,
      actorId: accountId,
      programId,
      tokenHash,
      termsVersion,
      address: addressDigests(hashSecretOf(c.env), account.value.email),
      isMember: members.value.has(accountId),
      isInviterGone: invitedBy !== null && members.value.get(invitedBy) !== "active",
    } as const;
    const accepted = await runOperation(c, accept);
    if (!accepted.ok) {
      if (accepted.refusal.code !== "unavailable") await leave(c, { accountId, programId, partnerId, enteredAt });
      return refuse(c, accepted.refusal);
    }
    const again = await enter();
    await verifyIfMailed(c, accountId, token);
    return again.ok ? c.json({ data: { programId, ...accepted.answer } }, 200) : refuse(c, again.refusal);
  },
});

/**
 * Verifies the account's address if the invitation was mailed to it. A failure is ignored, because the account can
 * request a verification link.
 */
async function verifyIfMailed(c: Ctx, accountId: string, token: string): Promise<void> {
  if (readInvitationToken(token).proof === undefined) return;
  await readFromDatabase(c, "home", async (database) => {
    const account = await findAccount(database, accountId);
    const isProven = account !== undefined && !account.emailVerified && provesAddress(c, token, account.email);
    if (isProven) await markVerified(database, accountId, c.get("call").at);
  });
}

/**
 * Removes the entry in the home database's index after the acceptance was refused, unless the account already has
 * access. If this fails, the audit reports the entry as lost access.
 */
async function leave(c: Ctx, entry: AccountPartner): Promise<void> {
  const { programId, partnerId, accountId } = entry;
  const access = await readFromDatabase(c, "program", (database) =>
    findPartnerAccess(database, { programId, partnerId, at: entry.enteredAt }),
  );
  if (!access.ok || access.value.accounts.some((each) => each.accountId === accountId)) return;
  await readFromDatabase(c, "home", (database) => forgetAccountPartners(database, [entry]));
}

const PartnerProgram = z
  .object({
    programId: id(),
    partnerId: id(),
    programName: z.string(),
    name: z.string().describe("Name of the partner."),
    role: z.enum(partnerRoles),
    status: z.enum(programStatuses).describe("Status of the program; `paused` also if the partner is paused."),
    isPaused: z
      .boolean()
      .describe(
        "True if the program has paused this partner. A payout leaves paused partners out, unless it was created for selected partners and they are among them.",
      ),
    currency: z.string(),
    termsPending: z
      .boolean()
      .describe(
        "True if the program has terms that your account hasn't accepted. Access isn't restricted before you accept them. Always false with the role `view`, which can't accept terms.",
      ),
  })
  .openapi("PartnerProgram");

export const listPrograms = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs",
    operationId: "listPartnerPrograms",
    tags: ["Access"],
    summary: "List the partners that your account has access to",
    description: "Lists partners of all programs. Access that has ended is not listed.",
    ...signedIn(),
    responses: {
      ...returns(
        "Partners, in the order of the programs' ids",
        z.object({
          data: z.array(PartnerProgram),
          meta: z.object({
            unavailable: int64().describe("Number of partners whose program can't be reached at the moment."),
            applications: z
              .array(z.object({ programId: id(), programName: z.string() }).openapi("PendingApplication"))
              .describe(
                "Programs that have yet to decide about your application. Empty if your account has access to a partner.",
              ),
          }),
        }),
      ),
      ...refusals(["oidc_required", ...sessionRefusals]),
    },
  }),
  handler: async (c) => {
    const accountId = c.get("userId");
    const entries = await readFromDatabase(c, "home", (database) => readAccountPartners(database, accountId));
    if (!entries.ok) return refuse(c, entries.refusal);
    const shards = [...new Set<Shard>([home, ...entries.value.map(({ shard }) => shard)])];
    const ids = entries.value.map(({ programId }) => programId);
    const read = await Promise.all(
      shards.map((shard) =>
        readFromShards(c, (databaseOf) => readPartnersOfAccount(databaseOf(shard), accountId, ids)),
      ),
    );
    const reached = read.flatMap((each) => (each.ok ? [each.value] : []));
    const found = reached.flatMap((each) => each.found);
    const here = new Set(reached.flatMap((each) => each.here.map(({ id }) => id)));
    const known = new Set(found.map(keyOf));
    const missing = entries.value.filter((entry) => !known.has(keyOf(entry)));
    // A program that is moving to another shard can't be checked, so its entry stays.
    const ended = missing.filter(({ programId }) => here.has(programId));
    const unavailable = missing.length - ended.length;
    const old = ended.filter(({ enteredAt }) => enteredAt < c.get("call").at - keptMs);
    if (old.length > 0) await readFromDatabase(c, "home", (database) => forgetAccountPartners(database, old));
    const applications = found.length > 0 ? [] : await pendingApplications(c, accountId);
    return c.json({ data: found.map(reply), meta: { unavailable, applications } }, 200);
  },
});

/** Reads the databases of all shards, because the home database has no index of applications. */
async function pendingApplications(c: Ctx, accountId: string): Promise<PendingApplication[]> {
  const read = await Promise.all(
    allShards(c.env).map((shard) =>
      readFromShards(c, (databaseOf) => readPendingApplications(databaseOf(shard), accountId)),
    ),
  );
  return read.flatMap((each) => (each.ok ? each.value : []));
}

/** Newer entries stay, because the access for which they were written may not be granted yet. */
const keptMs = hourMs;

const keyOf = ({ programId, partnerId }: { readonly programId: number; readonly partnerId: number }): string =>
  `${programId} ${partnerId}`;

function reply({ partnerStatus, programStatus: status, archivedAt, ...rest }: PartnerOfAccount) {
  const ofProgram = programStatus({ status, archivedAt });
  // Accounts with the role `view` can't accept terms.
  const termsPending = rest.termsPending && rest.role === "manage";
  const isPaused = partnerStatus === "paused";
  return { ...rest, termsPending, isPaused, status: ofProgram === "active" ? partnerStatus : ofProgram };
}
