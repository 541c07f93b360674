import type { PlacedProgram } from "#api/directory.ts";
import { applicationRecord, callWithFreeCode, codesFromName } from "#api/join.ts";
import { mailRow, type NewMail, sendMails, sendsMail } from "#api/mail.ts";
import { newPartnerCode } from "#api/partners.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { readPage } from "#api/read-page.ts";
import type { ApplicationId, GroupId } from "#domain/ids.ts";
import { applicationStatuses } from "#domain/join-page.ts";
import { applicationApproved, applicationDeclined } from "#domain/mail/letters.ts";
import type { Letter } from "#domain/mail/mail.ts";
import { maxPartnerNote } from "#domain/note.ts";
import type { RefusalCode } from "#domain/refusal.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { messageOf } from "#http/refusal/table.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { originOf } from "#http/transport.ts";
import type { ApplicationDecided } from "#operations/join/decide-application.ts";
import { enterAccountPartners } from "#store/accounts/account-partners.ts";
import { readEmails } from "#store/accounts/names.ts";
import { findProgramMembers } from "#store/accounts/program-members.ts";
import type { ProgramScope } from "#store/accounts/scope.ts";
import type { MailRow } from "#store/mails.ts";
import { type ApplicationView, findApplications, listApplications as list } from "#store/views/join-pages.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { ApplicationPath, ProgramPath } from "./params.ts";
import { proposable, proposableRefusals } from "./proposed.ts";

type MemberContext = Ctx & Parameters<typeof actingMember>[0] & { get(name: "program"): ProgramScope };

interface Chosen {
  readonly code?: string | null;
  readonly groupId?: GroupId | null | undefined;
}

/** Approves the applications in the given order. Idempotent, because each approval has its own operation id. */
async function approveEach(
  c: MemberContext,
  program: PlacedProgram,
  ids: readonly ApplicationId[],
  chosen: Chosen = {},
): Promise<Result<readonly Result<ApplicationDecided>[]>> {
  const { programId } = actingMember(c);
  const found = await readFromDatabase(c, "program", (database) => findApplications(database, programId, ids));
  if (!found.ok) return found;
  const byId = new Map(found.value.map((application) => [application.id, application]));
  const accountIds = found.value.map(({ accountId }) => accountId);
  const [emails, members] = await Promise.all([
    readFromDatabase(c, "home", (database) => readEmails(database, accountIds)),
    readFromDatabase(c, "home", (database) => findProgramMembers(database, programId, accountIds)),
  ]);
  if (!emails.ok) return emails;
  if (!members.ok) return members;
  const outcomes: Result<ApplicationDecided>[] = [];
  // Approves them one after the other, because a code made from a name must differ from the previous codes.
  for (const id of ids) {
    const application = byId.get(id);
    if (application === undefined) {
      outcomes.push(refused(notFound("application")));
      continue;
    }
    const { accountId } = application;
    const account = { email: emails.value.get(accountId) ?? null, isMember: members.value.has(accountId) };
    outcomes.push(await approve(c, program, { ...chosen, ...account, application }));
  }
  const enteredAt = c.get("call").at;
  const entries = outcomes.flatMap((outcome) => {
    if (!outcome.ok || outcome.value.partnerId === null) return [];
    const { accountId, partnerId } = outcome.value;
    return [{ accountId, programId, partnerId, enteredAt }];
  });
  // Adds the program to the accounts' lists. If this fails, an account's next visit of the program's pages adds it.
  const entered = await readFromDatabase(c, "home", (database) => enterAccountPartners(database, entries));
  sendMails(c, "program");
  return entered.ok ? ok(outcomes) : entered;
}

interface Approved extends Chosen {
  readonly application: Pick<ApplicationView, "id" | "name">;
  readonly email: string | null;
  readonly isMember: boolean;
}

async function approve(
  c: MemberContext,
  program: PlacedProgram,
  { application: { id, name }, email, isMember, code: givenCode = null, groupId }: Approved,
): Promise<Result<ApplicationDecided>> {
  const member = actingMember(c);
  const mail = await mailTo(c, email, { template: "application_approved", part: id }, applicationApproved);
  const approval = {
    ...member,
    operationId: `${member.operationId}.${id}`,
    kind: "decide-application",
    applicationId: id,
    decision: "approved",
    email,
    isMember,
    groupId,
    mail,
  } as const;
  const outcome = await callWithFreeCode(c, program, givenCode === null ? codesFromName(name) : [givenCode], {
    call: (code) => ({ ...approval, code }),
  });
  return outcome.ok ? ok(outcome.answer) : refused(outcome.refusal);
}

/** Undefined without a mail hook, and if the account was deleted. */
async function mailTo(
  c: MemberContext,
  to: string | null,
  about: Pick<NewMail, "template" | "part">,
  write: (of: { readonly programName: string; readonly origin: string }) => Letter,
): Promise<MailRow | undefined> {
  const { id: programId, name: programName } = c.get("program");
  if (to === null) return undefined;
  const mail = { to, ...write({ programName, origin: originOf(c) }) };
  return mailRow(c, { ...about, programId, mail });
}

/** Reads the applicant's email address, but only if the service sends mail. */
async function emailOfApplicant(c: MemberContext, id: ApplicationId): Promise<Result<string | null>> {
  if (!sendsMail(c)) return ok(null);
  const { programId } = actingMember(c);
  const found = await readFromDatabase(c, "program", (database) => findApplications(database, programId, [id]));
  if (!found.ok) return found;
  const accountIds = found.value.map(({ accountId }) => accountId);
  const emails = await readFromDatabase(c, "home", (database) => readEmails(database, accountIds));
  return emails.ok ? ok(emails.value.get(accountIds[0] ?? "") ?? null) : emails;
}

async function decline(
  c: MemberContext,
  applicationId: ApplicationId,
  partnerNote: string | null,
): Promise<Result<ApplicationDecided>> {
  const member = actingMember(c);
  const operationId = `${member.operationId}.${applicationId}`;
  const kind = "decide-application";
  const email = await emailOfApplicant(c, applicationId);
  if (!email.ok) return email;
  const template = { template: "application_declined", part: applicationId } as const;
  const mail = await mailTo(c, email.value, template, (of) => applicationDeclined({ ...of, partnerNote }));
  const decline = { ...member, operationId, kind, applicationId, decision: "declined", partnerNote, mail } as const;
  const outcome = await runOperation(c, decline);
  if (outcome.ok) sendMails(c, "program");
  return outcome.ok ? ok(outcome.answer) : refused(outcome.refusal);
}

const cursors = idCursor("applications");

const Query = z.object({
  status: fields.oneOf("status", applicationStatuses).optional(),
  cursor: cursors.parameter(),
});

export const listApplications = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/applications",
    operationId: "listApplications",
    tags: ["Partners' access"],
    summary: "List applications",
    description: "The latest application of each account, newest first, 50 per page.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      ...returns("Applications", z.object({ data: z.array(applicationRecord.schema), meta: PageMeta })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { status = null, cursor: { id: before } = newest } = c.req.valid("query");
    const { id } = c.get("program");
    const found = await readPage(c, "program", { ...cursors, size: 50 }, (database, limit) =>
      list(database, id, { status, before, limit }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    return c.json({ data: page.map(applicationRecord.reply), meta }, 200);
  },
});

const Approve = z
  .object({
    code: fields.optional(newPartnerCode()).describe("Defaults to a code derived from the name."),
    groupId: fields
      .programId("groupId")
      .nullish()
      .describe("Group of the new partner. Defaults to that of the join page; null for none."),
  })
  .openapi("ApproveApplication");

const ApprovedReply = z.object({ status: z.literal("approved"), partnerId: id() }).openapi("ApplicationApproved");

export const approveApplication = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/applications/{applicationId}/approve",
    operationId: "approveApplication",
    tags: ["Partners' access"],
    summary: "Approve an application",
    description: "Creates the partner and gives the account access at once. A repeat changes nothing.",
    ...proposable(withJsonBody(programMember("admin"))),
    request: { params: ApplicationPath, body: body(Approve) },
    responses: {
      ...returns("Approved", z.object({ data: ApprovedReply })),
      ...refusals([
        ...proposableRefusals,
        "member_of_workspace",
        "decided",
        "code_taken",
        "cap_reached",
        "program_archived",
      ]),
    },
  }),
  handler: async (c) => {
    const { applicationId: id } = c.req.valid("param");
    const outcomes = await approveEach(c, c.get("program"), [id], c.req.valid("json"));
    if (!outcomes.ok) return refuse(c, outcomes.refusal);
    const [decided = refused({ code: "internal" })] = outcomes.value;
    if (!decided.ok) return refuse(c, decided.refusal);
    const { partnerId } = decided.value;
    if (partnerId === null) return refuse(c, { code: "internal" });
    return c.json({ data: { status: "approved" as const, partnerId } }, 200);
  },
});

const Decline = z
  .object({
    partnerNote: fields.optional(fields.nonBlank("partnerNote", maxPartnerNote)).describe("Shown to the applicant."),
  })
  .openapi("DeclineApplication");

const DeclinedReply = z.object({ status: z.literal("declined") }).openapi("ApplicationDeclined");

export const declineApplication = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/applications/{applicationId}/decline",
    operationId: "declineApplication",
    tags: ["Partners' access"],
    summary: "Decline an application",
    description: "The account can apply again after 30 days. A repeat changes nothing.",
    ...proposable(withJsonBody(programMember("admin"))),
    request: { params: ApplicationPath, body: body(Decline) },
    responses: {
      ...returns("Declined", z.object({ data: DeclinedReply })),
      ...refusals([...proposableRefusals, "decided"]),
    },
  }),
  handler: async (c) => {
    const { applicationId: id } = c.req.valid("param");
    const decided = await decline(c, id, c.req.valid("json").partnerNote);
    if (!decided.ok) return refuse(c, decided.refusal);

    return c.json({ data: { status: "declined" as const } }, 200);
  },
});

const maxPerCall = 500;
const idsMessage = `ids must be 1 to ${maxPerCall} ids`;
const ids = () => fields.ids("ids", maxPerCall, idsMessage);

const Approvals = z.object({ ids: ids() }).openapi("ApplicationApprovals");
const Declines = z
  .object({ ids: ids(), partnerNote: fields.optional(fields.nonBlank("partnerNote", maxPartnerNote)) })
  .openapi("ApplicationDeclines");

const Outcomes = z.object({
  data: z.array(
    z
      .object({
        id: id(),
        result: z.enum(["approved", "declined", "refused"]),
        code: z.string().optional().describe("Code of the refusal."),
        message: z.string().optional().describe("Reason for the refusal."),
      })
      .openapi("ApplicationOutcome"),
  ),
});

const description =
  "Decides each application separately and returns one outcome each: a refusal doesn't affect the others. Counts as one write for the rate limit.";

type Outcome = z.output<typeof Outcomes>["data"][number];

function outcomeOf<Decision extends "approved" | "declined">(
  id: ApplicationId,
  result: Decision,
  decided: Result<ApplicationDecided>,
): Outcome {
  if (decided.ok) return { id, result };
  const { refusal } = decided;
  const code = refusal.code satisfies RefusalCode;
  return { id, result: "refused", code, message: messageOf(refusal, undefined) };
}

export const approveApplications = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/applications/approve",
    operationId: "approveApplications",
    tags: ["Partners' access"],
    summary: "Approve applications",
    description,
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(Approvals) },
    responses: { ...returns("Outcomes", Outcomes), ...refusals([...memberWriteRefusals, ...inputRefusals]) },
  }),
  handler: async (c) => {
    const given = [...new Set(c.req.valid("json").ids)];
    const decided = await approveEach(c, c.get("program"), given);
    if (!decided.ok) return refuse(c, decided.refusal);
    const data = decided.value.flatMap((outcome, i) => {
      const id = given[i];
      return id === undefined ? [] : [outcomeOf(id, "approved", outcome)];
    });
    return c.json({ data }, 200);
  },
});

export const declineApplications = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/applications/decline",
    operationId: "declineApplications",
    tags: ["Partners' access"],
    summary: "Decline applications",
    description,
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(Declines) },
    responses: { ...returns("Outcomes", Outcomes), ...refusals([...memberWriteRefusals, ...inputRefusals]) },
  }),
  handler: async (c) => {
    const { ids: given, partnerNote } = c.req.valid("json");
    const data: Outcome[] = [];
    for (const id of new Set(given)) {
      data.push(outcomeOf(id, "declined", await decline(c, id, partnerNote)));
    }
    return c.json({ data }, 200);
  },
});
