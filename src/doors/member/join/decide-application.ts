import type { PlacedProgram } from "#api/directory.ts";
import { mailRow, type NewMail, sendMails, sendsMail } from "#api/mail.ts";
import { readFromDatabase } from "#api/read-database.ts";
import type { ApplicationId, GroupId } from "#domain/ids.ts";
import { applicationApproved, applicationDeclined } from "#domain/mail/letters.ts";
import type { Letter } from "#domain/mail/mail.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { originOf } from "#http/transport.ts";
import type { ApplicationDecided } from "#operations/join/decide-application.ts";
import { enterAccountPartners } from "#store/accounts/account-partners.ts";
import { readEmails } from "#store/accounts/names.ts";
import { findProgramMembers } from "#store/accounts/program-members.ts";
import type { ProgramScope } from "#store/accounts/scope.ts";
import type { MailRow } from "#store/mails.ts";
import { type ApplicationView, findApplications } from "#store/views/join-pages.ts";
import { actingMember } from "../actor.ts";
import { callWithFreeCode, codesFromName } from "./free-code.ts";

type MemberContext = Ctx & Parameters<typeof actingMember>[0] & { get(name: "program"): ProgramScope };

interface Chosen {
  readonly code?: string | null;
  readonly groupId?: GroupId | null | undefined;
}

/** Sent again, it comes to the same: each application is an operation of its own. In the order of the ids. */
export async function approveApplications(
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
  // One after the other, so that each code made from a name knows those before it.
  for (const id of ids) {
    const application = byId.get(id);
    if (application === undefined) {
      outcomes.push(refused({ code: "not_found", what: "application" }));
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
  // So that the accounts' pages list the program. A visit by the program's address enters what is lost here.
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
  const operationId = `${member.operationId}.${id}`;
  const kind = "decide-application";
  const mail = await mailTo(c, email, { template: "application_approved", part: id }, applicationApproved);
  const approval = {
    ...member,
    operationId,
    kind,
    applicationId: id,
    decision: "approved",
    ...{ email, isMember, groupId, mail },
  } as const;
  const outcome = await callWithFreeCode(c, program, givenCode === null ? codesFromName(name) : [givenCode], {
    call: (code) => ({ ...approval, code }),
  });
  return outcome.ok ? ok(outcome.answer) : refused(outcome.refusal);
}

/** Undefined without a hook, and for an account that is gone. */
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

/** Only for a mail. */
async function emailOfApplicant(c: MemberContext, id: ApplicationId): Promise<Result<string | null>> {
  if (!sendsMail(c)) return ok(null);
  const { programId } = actingMember(c);
  const found = await readFromDatabase(c, "program", (database) => findApplications(database, programId, [id]));
  if (!found.ok) return found;
  const accountIds = found.value.map(({ accountId }) => accountId);
  const emails = await readFromDatabase(c, "home", (database) => readEmails(database, accountIds));
  return emails.ok ? ok(emails.value.get(accountIds[0] ?? "") ?? null) : emails;
}

export async function declineApplication(
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
