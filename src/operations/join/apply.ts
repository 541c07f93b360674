import { caps } from "#domain/caps.ts";
import type { PartnerId } from "#domain/ids.ts";
import { type ApplicationStatus, appliesAgainAt, isShownIn } from "#domain/join-page.ts";
import { maxOpenedADay } from "#domain/open-page.ts";
import { programStatus } from "#domain/program-status.ts";
import { notFound } from "#domain/result.ts";
import {
  type ApplicationRow,
  applicationOfAccount,
  insertApplication,
  type JoinPageRow,
  joinPageOf,
  newestTerms,
  openApplicationCount,
  openedCount,
  updateApplication,
} from "#store/join-pages.ts";
import type { MailRow } from "#store/mails.ts";
import { accessCountOfAccount } from "#store/partner-access.ts";
import { partnerCount } from "#store/partners.ts";
import { accessLock } from "../locks.ts";
import { mailed, withMails } from "../mail/mail-writes.ts";
import { auditedChange, type ChangeCall, noChange } from "../manage/settings-change.ts";
import { type Context, type Decision, type Gathered, type Operation, refuse } from "../operation.ts";
import { approvalWrites } from "./approval-writes.ts";

/** `actorId` is the account that applies. */
export interface ApplyCall extends ChangeCall {
  readonly kind: "apply";
  readonly slug: string;
  readonly name: string;
  readonly website: string | null;
  /** JSON. */
  readonly answers: string;
  readonly termsVersion: number | null;
  /** The mail to the applicant, if one is sent. */
  readonly mail?: MailRow | undefined;
  /** True if the service can verify addresses and the account's address isn't verified. */
  readonly isUnverified?: boolean;
  /** True if the account is a member of the program's workspace. */
  readonly isMember: boolean;
  /**
   * Set if the join page was open when the route read it: the partner is created immediately. Otherwise the application
   * waits for a review.
   */
  readonly opening?: Opening | undefined;
}

export interface Opening {
  readonly code: string;
  /** The account's email address. */
  readonly email: string;
  /** The day of the call in the program's time zone ("YYYY-MM-DD"). */
  readonly day: string;
  /** The mail to the new partner. It is sent instead of the mail to the applicant. */
  readonly mail: MailRow | undefined;
}

export interface Applied {
  readonly status: ApplicationStatus;
  readonly partnerId: PartnerId | null;
  /** False if the account had already applied. */
  readonly isNew: boolean;
}

const gather = ({ programId, actorId: accountId, opening }: ApplyCall) => ({
  page: joinPageOf({ programId }),
  newest: newestTerms({ programId }),
  known: applicationOfAccount({ programId, accountId }),
  open: openApplicationCount({ programId }),
  opened: opening && openedCount({ programId, day: opening.day }),
  accesses: opening && accessCountOfAccount({ programId, accountId }),
  partners: opening && partnerCount({ programId }),
});
type Found = Gathered<ReturnType<typeof gather>>;

/** Applies to a program. An account has at most one application, which a repeated call returns. */
export const apply: Operation<ApplyCall, ReturnType<typeof gather>, Applied> = {
  kind: "apply",
  lane: "control",
  isExclusive: ({ opening }) => opening !== undefined,
  needs: ({ programId, opening }) => [
    { kind: "program", programId },
    ...(opening === undefined ? [] : [{ kind: "code", codeKey: opening.code.toLowerCase(), programId } as const]),
  ],
  gather,
  locks: ({ programId }) => ({ exclusive: [accessLock(programId)] }),

  decide(call, found, context) {
    const { page, newest, known, open } = found;
    const { programId, slug, termsVersion, at } = call;
    const program = context.settings.program(programId);
    const isShown =
      program != null && programStatus(program) === "active" && page !== undefined && isShownIn(page.mode);
    if (!isShown || page.slug !== slug) return refuse(notFound("page"));
    if (known !== undefined && known.status !== "declined") {
      const { status, partnerId } = known;
      return noChange(programId, { status, partnerId, isNew: false });
    }
    if (known !== undefined && at < appliesAgainAt(known.decidedAt ?? at))
      return refuse({ code: "declined", partnerNote: known.partnerNote });
    if (call.isMember) return refuse({ code: "member_of_workspace" });
    if (call.isUnverified === true) return refuse({ code: "email_unverified" });
    const version = newest?.version ?? null;
    if (termsVersion !== version) return refuse({ code: "terms_changed", version });
    if (call.opening !== undefined && isOpenTo(found))
      return admit(call, { ...call.opening, groupId: page.groupId }, context);
    if (open >= caps.openApplications.max) return refuse({ code: "join_full" });
    return receive(call, known, context);
  },
};

/**
 * True if the applicant becomes a partner without a review. The application is reviewed if a member has declined an
 * earlier one, if the account already has access to a partner, or once a limit of partners is reached.
 */
const isOpenTo = ({ page, known, opened = 0, accesses = 0, partners = 0 }: Found): boolean =>
  page?.mode === "open" &&
  known === undefined &&
  accesses === 0 &&
  opened < maxOpenedADay &&
  partners < caps.partners.max;

const pendingRow = ({ programId, actorId: accountId, name, website, answers, termsVersion, at }: ApplyCall) => ({
  programId,
  accountId,
  name,
  website,
  answers,
  termsVersion,
  status: "pending" as const,
  partnerId: null,
  partnerNoteId: null,
  decidedAt: null,
  openedOn: null,
  createdAt: at,
});

function admit(
  call: ApplyCall,
  { code, email, day, mail, groupId }: Opening & Pick<JoinPageRow, "groupId">,
  context: Context,
): Decision<Applied> {
  const { programId } = call;
  const codeKey = code.toLowerCase();
  if (context.settings.linkByCode(codeKey, programId)) return refuse({ code: "code_taken" });
  const application = { ...pendingRow(call), id: context.newId("applications"), openedOn: day };
  const { approved, writes: made } = approvalWrites(call, application, { code, email, groupId }, context);
  const { status, partnerId } = approved;
  const answer = { status, partnerId, isNew: true };
  const writes = [...made, insertApplication(approved), ...mailed(mail)];
  const changes = { programId, addedCodes: [codeKey] };
  return withMails({ kind: "commit", programId, answer, writes, changes }, mail?.createdAt);
}

function receive(call: ApplyCall, known: ApplicationRow | undefined, context: Context): Decision<Applied> {
  const { programId, termsVersion, actorId: accountId } = call;
  const row = { ...pendingRow(call), id: known?.id ?? context.newId("applications") };
  const change = {
    programId,
    action: "application.received",
    subject: `application ${row.id}`,
    before: null,
    after: { accountId, termsVersion },
  };
  const write = known === undefined ? insertApplication(row) : updateApplication(row);
  const answer = { status: "pending", partnerId: null, isNew: true } as const;
  const writes = [write, ...mailed(call.mail)];
  return withMails(auditedChange(call, change, { writes, answer }, context), call.mail?.createdAt);
}
