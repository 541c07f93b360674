import type { GroupId } from "#domain/ids.ts";
import type { JoinMode } from "#domain/join-page.ts";
import { missingForOpen } from "#domain/open-page.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { groupOfProgram } from "#store/groups.ts";
import { joinPageOf, saveJoinPage as save } from "#store/join-pages.ts";
import { accessLock } from "../locks.ts";
import { auditedChange, type ChangeCall, diff, isArchived, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface SaveJoinPageCall extends ChangeCall {
  readonly kind: "save-join-page";
  readonly page: {
    readonly mode: JoinMode;
    readonly slug: string;
    readonly headline: string;
    readonly description: string;
    /** JSON. */
    readonly questions: string;
    /** The group that partners who join through this page are added to. */
    readonly groupId: GroupId | null;
  };
}

export interface JoinPageSaved {
  /** The slug that this call replaced, if any. */
  readonly replacedSlug: string | null;
}

const gather = ({ operationId, programId, page: { groupId } }: SaveJoinPageCall) => ({
  done: auditOfOperation({ operationId }),
  known: joinPageOf({ programId }),
  group: groupId === null ? undefined : groupOfProgram({ programId, id: groupId }),
});

export const saveJoinPage: Operation<SaveJoinPageCall, ReturnType<typeof gather>, JoinPageSaved> = {
  kind: "save-join-page",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [accessLock(programId)] }),

  decide(call, { done, known, group }, context) {
    const { programId, page } = call;
    if (done !== undefined) return noChange(programId, { replacedSlug: null });
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    if (page.groupId !== null && group === undefined) return refuse(notFound("group"));
    const program = context.settings.program(programId);
    const missing = page.mode === "open" && program != null ? missingForOpen(program) : [];
    if (missing.length > 0) return refuse({ code: "open_needs", missing });
    const changes = known && diff<SaveJoinPageCall["page"]>(known, page);
    if (known !== undefined && changes === undefined) return noChange(programId, { replacedSlug: null });
    const change = {
      programId,
      action: "join_page.saved",
      subject: "join page",
      before: changes?.before ?? null,
      after: changes?.after ?? page,
    };
    const replacedSlug = known !== undefined && known.slug !== page.slug ? known.slug : null;
    return auditedChange(call, change, { writes: [save({ programId, ...page })], answer: { replacedSlug } }, context);
  },
};
