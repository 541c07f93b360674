import { caps } from "#domain/caps.ts";
import { auditOfOperation } from "#store/audit.ts";
import { insertTerms, newestTerms } from "#store/join-pages.ts";
import { accessLock } from "../locks.ts";
import { auditedChange, type ChangeCall, isArchived, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface CreateTermsCall extends ChangeCall {
  readonly kind: "create-terms";
  readonly text: string;
}

export interface TermsCreated {
  readonly version: number;
  /** Milliseconds. */
  readonly createdAt: number;
}

const gather = ({ operationId, programId }: CreateTermsCall) => ({
  done: auditOfOperation({ operationId }),
  newest: newestTerms({ programId }),
});

/** Adds a version of the program's terms. If the text is the same as that of the newest version, adds none. */
export const createTerms: Operation<CreateTermsCall, ReturnType<typeof gather>, TermsCreated> = {
  kind: "create-terms",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [accessLock(programId)] }),

  decide(call, { done, newest }, context) {
    const { programId, text, at } = call;
    if (done?.after != null) return noChange(programId, JSON.parse(done.after) as TermsCreated);
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    if (newest?.text === text && newest.createdAt !== null) {
      return noChange(programId, { version: newest.version, createdAt: newest.createdAt });
    }
    // Versions count from 1 without gaps, so the newest version is also the number of versions.
    if ((newest?.version ?? 0) >= caps.terms.max) return refuse({ code: "terms_full" });
    const answer = { version: (newest?.version ?? 0) + 1, createdAt: at };
    const change = { programId, action: "terms.created", subject: "terms", before: null, after: answer };
    const writes = [insertTerms({ programId, text, ...answer })];
    return auditedChange(call, change, { writes, answer }, context);
  },
};
