import { caps } from "#domain/caps.ts";
import type { ApplicationId, GroupId, PartnerId } from "#domain/ids.ts";
import type { ApplicationStatus } from "#domain/join-page.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { groupOfProgram } from "#store/groups.ts";
import { type ApplicationRow, applicationById, joinPageOf, updateApplication } from "#store/join-pages.ts";
import type { MailRow } from "#store/mails.ts";
import { partnerCount } from "#store/partners.ts";
import { accessLock } from "../locks.ts";
import { mailed, withMails } from "../mail/mail-writes.ts";
import { noted } from "../manage/noted.ts";
import { auditedChange, type ChangeCall, isArchived, noChange } from "../manage/settings-change.ts";
import { type Commit, type Context, type Decision, type Gathered, type Operation, refuse } from "../operation.ts";
import { approvalWrites } from "./approval-writes.ts";

export type DecideApplicationCall = ApproveCall | DeclineCall;

interface DecideCall extends ChangeCall {
  readonly kind: "decide-application";
  readonly applicationId: ApplicationId;
  /** The mail to the applicant, if one is sent. */
  readonly mail: MailRow | undefined;
}

interface ApproveCall extends DecideCall {
  readonly decision: "approved";
  readonly code: string;
  /** The account's email address, which becomes the partner's. */
  readonly email: string | null;
  /** True if the account has become a member of the program's workspace since it applied. */
  readonly isMember: boolean;
  /** Undefined selects the group of the join page. */
  readonly groupId: GroupId | null | undefined;
}

interface DeclineCall extends DecideCall {
  readonly decision: "declined";
  readonly partnerNote: string | null;
}

export interface ApplicationDecided {
  readonly status: ApplicationStatus;
  readonly partnerId: PartnerId | null;
  readonly accountId: string;
}

const chosenGroup = (call: DecideApplicationCall) => (call.decision === "approved" ? call.groupId : undefined);

function gather(call: DecideApplicationCall) {
  const { operationId, programId, applicationId } = call;
  const groupId = chosenGroup(call);
  return {
    done: auditOfOperation({ operationId }),
    application: applicationById({ programId, id: applicationId }),
    partners: partnerCount({ programId }),
    page: joinPageOf({ programId }),
    group: groupId == null ? undefined : groupOfProgram({ programId, id: groupId }),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

/**
 * Approves or declines an application. An approval creates the partner, the account's access and the record of the
 * accepted terms in one commit.
 */
export const decideApplication: Operation<DecideApplicationCall, ReturnType<typeof gather>, ApplicationDecided> = {
  kind: "decide-application",
  lane: "control",
  isExclusive: true,
  needs: (call) => [
    { kind: "program", programId: call.programId },
    ...(call.decision === "approved"
      ? [{ kind: "code", codeKey: call.code.toLowerCase(), programId: call.programId } as const]
      : []),
  ],
  gather,
  locks: ({ programId }) => ({ exclusive: [accessLock(programId)] }),

  decide(call, found, context) {
    const { application } = found;
    if (application === undefined) return refuse(notFound("application"));
    const { programId, decision } = call;
    const { status, partnerId, accountId } = application;
    if (status === decision) return noChange(programId, { status, partnerId, accountId });
    if (status !== "pending") return refuse({ code: "decided", status });
    return decision === "approved" ? approve(call, application, found, context) : decline(call, application, context);
  },
};

function approve(
  call: ApproveCall,
  application: ApplicationRow,
  { partners, page, group }: Found,
  context: Context,
): Decision<ApplicationDecided> {
  const { programId, code, email, groupId = page?.groupId ?? null } = call;
  const { accountId } = application;
  if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
  if (call.isMember) return refuse({ code: "member_of_workspace" });
  const codeKey = code.toLowerCase();
  if (context.settings.linkByCode(codeKey, programId)) return refuse({ code: "code_taken" });
  if (partners >= caps.partners.max) return refuse({ code: "cap_reached", cap: "partners" });
  if (call.groupId != null && group === undefined) return refuse(notFound("group"));
  const { approved, writes: made } = approvalWrites(call, application, { code, email, groupId }, context);
  const { status, partnerId } = approved;
  const answer = { status, partnerId, accountId };
  const changes = { programId, addedCodes: [codeKey] };
  const writes = [...made, updateApplication(approved), ...mailed(call.mail)];
  return withMails({ kind: "commit", programId, answer, writes, changes }, call.mail?.createdAt);
}

function decline(call: DeclineCall, application: ApplicationRow, context: Context): Commit<ApplicationDecided> {
  const { programId, partnerNote, at } = call;
  const { id, accountId } = application;
  const subject = `application ${id}`;
  const texts = noted({ programId, subject }, { partnerNote }, context);
  const change = {
    programId,
    action: "application.declined",
    subject,
    before: null,
    after: { accountId, ...texts.named },
  };
  const partnerNoteId = texts.named.partnerNote?.note ?? null;
  const decided = { ...application, status: "declined", partnerNoteId, decidedAt: at } as const;
  const answer = { status: "declined", partnerId: null, accountId } as const;
  const writes = [...texts.writes, updateApplication(decided), ...mailed(call.mail)];
  return withMails(auditedChange(call, change, { writes, answer }, context), call.mail?.createdAt);
}
