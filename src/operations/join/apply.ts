import { caps } from "#domain/caps.ts";
import type { PartnerId } from "#domain/ids.ts";
import { type ApplicationStatus, appliesAgainAt } from "#domain/join-page.ts";
import { programStatus } from "#domain/program-status.ts";
import {
  applicationOfAccount,
  insertApplication,
  joinPageOf,
  newestTerms,
  openApplicationCount,
  updateApplication,
} from "#store/join-pages.ts";
import type { MailRow } from "#store/mails.ts";
import { accessLock } from "../locks.ts";
import { mailed, withMails } from "../mail/mail-writes.ts";
import { auditedChange, type ChangeCall, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

/** The actor is the account. */
export interface ApplyCall extends ChangeCall {
  readonly kind: "apply";
  readonly slug: string;
  readonly name: string;
  readonly website: string | null;
  /** JSON. */
  readonly answers: string;
  readonly termsVersion: number | null;
  /** To the applicant. */
  readonly mail?: MailRow | undefined;
  /** Of a service that could have verified its address. */
  readonly isUnverified?: boolean;
}

export interface Applied {
  readonly status: ApplicationStatus;
  readonly partnerId: PartnerId | null;
  /** False if the account applied before. */
  readonly isNew: boolean;
}

const gather = ({ programId, actorId }: ApplyCall) => ({
  page: joinPageOf({ programId }),
  newest: newestTerms({ programId }),
  known: applicationOfAccount({ programId, accountId: actorId }),
  open: openApplicationCount({ programId }),
});

/** One application for each account: sent again, it is the first. */
export const apply: Operation<ApplyCall, ReturnType<typeof gather>, Applied> = {
  kind: "apply",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [accessLock(programId)] }),

  decide(call, { page, newest, known, open }, context) {
    const { programId, slug, name, website, answers, termsVersion, actorId: accountId, at } = call;
    const program = context.settings.program(programId);
    const isOpen = program != null && programStatus(program) === "active" && page?.mode === "approval";
    if (!isOpen || page.slug !== slug) return refuse({ code: "not_found", what: "page" });
    if (known !== undefined && known.status !== "declined") {
      const { status, partnerId } = known;
      return noChange(programId, { status, partnerId, isNew: false });
    }
    if (known !== undefined && at < appliesAgainAt(known.decidedAt ?? at))
      return refuse({ code: "declined", partnerNote: known.partnerNote });
    if (call.isUnverified === true) return refuse({ code: "email_unverified" });
    const version = newest?.version ?? null;
    if (termsVersion !== version) return refuse({ code: "terms_changed", version });
    if (open >= caps.openApplications.max) return refuse({ code: "join_full" });
    const values = { name, website, answers, termsVersion, status: "pending", partnerId: null } as const;
    const row = { ...values, partnerNoteId: null, decidedAt: null, createdAt: at };
    const id = known?.id ?? context.newId("applications");
    const change = {
      programId,
      action: "application.received",
      subject: `application ${id}`,
      before: null,
      after: { accountId, termsVersion },
    };
    const write =
      known === undefined ? insertApplication({ id, programId, accountId, ...row }) : updateApplication({ id, ...row });
    const answer = { status: "pending", partnerId: null, isNew: true } as const;
    const writes = [write, ...mailed(call.mail)];
    return withMails(auditedChange(call, change, { writes, answer }, context), call.mail?.createdAt);
  },
};
