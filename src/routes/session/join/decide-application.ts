import type { ApplicationId } from "#domain/ids.ts";
import { codeFromName } from "#domain/join-page.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { randomSecret } from "#http/secret.ts";
import type { ApplicationDecided } from "#operations/join/decide-application.ts";
import { enterAccountPartners } from "#store/accounts/account-partners.ts";
import { readEmails } from "#store/accounts/names.ts";
import { findApplications } from "#store/views/join-pages.ts";
import { callWithDirectory, type PlacedProgram } from "../../directory.ts";
import { readFromDatabase } from "../../read-database.ts";
import { actingMember } from "../actor.ts";

type MemberContext = Ctx & Parameters<typeof actingMember>[0];

/** Sent again, it comes to the same: each application is an operation of its own. In the order of the ids. */
export async function approveApplications(
  c: MemberContext,
  program: PlacedProgram,
  ids: readonly ApplicationId[],
  code: string | null,
): Promise<Result<readonly Result<ApplicationDecided>[]>> {
  const { programId } = actingMember(c);
  const found = await readFromDatabase(c, "program", (database) => findApplications(database, programId, ids));
  if (!found.ok) return found;
  const byId = new Map(found.value.map((application) => [application.id, application]));
  const accountIds = found.value.map(({ accountId }) => accountId);
  const emails = await readFromDatabase(c, "home", (database) => readEmails(database, accountIds));
  if (!emails.ok) return emails;
  const outcomes: Result<ApplicationDecided>[] = [];
  // One after the other, so that each code made from a name knows those before it.
  for (const id of ids) {
    const application = byId.get(id);
    const email = application && (emails.value.get(application.accountId) ?? null);
    outcomes.push(
      application === undefined
        ? refused({ code: "not_found", what: "application" })
        : await approve(c, program, { id, name: application.name, email: email ?? null, code }),
    );
  }
  const enteredAt = c.get("call").at;
  const entries = outcomes.flatMap((outcome) => {
    if (!outcome.ok || outcome.value.partnerId === null) return [];
    const { accountId, partnerId } = outcome.value;
    return [{ accountId, programId, partnerId, enteredAt }];
  });
  // So that the accounts' pages list the program. A visit by the program's address enters what is lost here.
  const entered = await readFromDatabase(c, "home", (database) => enterAccountPartners(database, entries));
  return entered.ok ? ok(outcomes) : entered;
}

interface Approved {
  readonly id: ApplicationId;
  readonly name: string;
  readonly email: string | null;
  readonly code: string | null;
}

/** Of codes made from a name: none, counted ones, and then one that nobody has. */
const endings = (): readonly string[] => [
  "",
  "2",
  "3",
  randomSecret()
    .replaceAll(/[^a-zA-Z0-9]/g, "")
    .slice(0, 8),
];

async function approve(
  c: MemberContext,
  program: PlacedProgram,
  { id, name, email, code: givenCode }: Approved,
): Promise<Result<ApplicationDecided>> {
  const member = actingMember(c);
  const operationId = `${member.operationId}.${id}`;
  const kind = "decide-application";
  const approval = { ...member, operationId, kind, applicationId: id, decision: "approved", email } as const;
  const codes = givenCode === null ? endings().map((ending) => codeFromName(name, ending)) : [givenCode];
  let last: Result<ApplicationDecided> = refused({ code: "code_taken" });
  for (const code of codes) {
    const call = { ...approval, code };
    const outcome = await callWithDirectory(c, program, call, {
      adds: { changes: {}, codes: [{ codeKey: code.toLowerCase(), destinationUrl: null, is: "new" }] },
    });
    last = outcome.ok ? ok(outcome.answer) : refused(outcome.refusal);
    if (outcome.ok || outcome.refusal.code !== "code_taken") return last;
  }
  return last;
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
