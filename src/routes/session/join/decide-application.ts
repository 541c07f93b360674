import type { ApplicationId } from "#domain/ids.ts";
import { codeFromName } from "#domain/join-page.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import type { ApplicationDecided } from "#operations/join/decide-application.ts";
import { enterAccountPartner } from "#store/accounts/account-partners.ts";
import { readEmails } from "#store/accounts/names.ts";
import { findApplication } from "#store/views/join-pages.ts";
import { callWithDirectory, type PlacedProgram } from "../../directory.ts";
import { readFromDatabase } from "../../read-database.ts";
import { actingMember } from "../actor.ts";

/** Codes made from one name that are tried. */
const maxTries = 20;

type MemberContext = Ctx & Parameters<typeof actingMember>[0];

/** Sent again, it comes to the same. `call` is one operation for each application. */
export async function approveApplication(
  c: MemberContext,
  program: PlacedProgram,
  applicationId: ApplicationId,
  givenCode: string | null,
): Promise<Result<ApplicationDecided>> {
  const member = actingMember(c);
  const { programId } = member;
  const found = await readFromDatabase(c, "program", (database) => findApplication(database, programId, applicationId));
  if (!found.ok) return found;
  const application = found.value;
  if (application === undefined) return refused({ code: "not_found", what: "application" });
  const { accountId, name } = application;
  const emails = await readFromDatabase(c, "home", (database) => readEmails(database, [accountId]));
  if (!emails.ok) return emails;
  const operationId = `${member.operationId}.${applicationId}`;
  const kind = "decide-application";
  const email = emails.value.get(accountId) ?? null;
  const approval = { ...member, operationId, kind, applicationId, decision: "approved", email } as const;
  for (let n = 0; ; n++) {
    const code = givenCode ?? codeFromName(name, n);
    const outcome = await callWithDirectory(
      c,
      program,
      { ...approval, code },
      {
        adds: { changes: {}, codes: [{ codeKey: code.toLowerCase(), destinationUrl: null, is: "new" }] },
      },
    );
    if (outcome.ok) return enter(c, programId, outcome.answer);
    const isTaken = outcome.refusal.code === "code_taken" && givenCode === null;
    if (!isTaken || n >= maxTries) return refused(outcome.refusal);
  }
}

/** So that the account's pages list the program. */
async function enter(c: Ctx, programId: number, decided: ApplicationDecided): Promise<Result<ApplicationDecided>> {
  const { partnerId, accountId } = decided;
  if (partnerId === null) return ok(decided);
  const entered = await readFromDatabase(c, "home", (database) =>
    enterAccountPartner(database, { accountId, programId, partnerId }),
  );
  return entered.ok ? ok(decided) : entered;
}

export async function declineApplication(
  c: MemberContext,
  applicationId: ApplicationId,
  partnerNote: string | null,
): Promise<Result<ApplicationDecided>> {
  const member = actingMember(c);
  const operationId = `${member.operationId}.${applicationId}`;
  const kind = "decide-application";
  const decline = { ...member, operationId, kind, applicationId, decision: "declined", partnerNote } as const;
  const outcome = await callLedger(c, decline, (ledger) => ledger.run(decline));
  return outcome.ok ? ok(outcome.answer) : refused(outcome.refusal);
}
