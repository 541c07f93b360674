import { auditOfOperation } from "#store/audit.ts";
import { type EmbedRow, embedOf, saveEmbed as save } from "#store/embeds.ts";
import { auditedChange, type ChangeCall, diff, isArchived, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface SaveEmbedCall extends ChangeCall {
  readonly kind: "save-embed";
  /** The settings that the call changes. */
  readonly settings: Partial<Omit<EmbedRow, "programId" | "embedId" | "tokensEndedAt">>;
  /** The page's id and the defaults of its settings, if this call creates the page. */
  readonly newPage: Omit<EmbedRow, "programId" | "tokensEndedAt">;
  /** Ends all tokens that were issued before the call. */
  readonly endsTokens: boolean;
}

const gather = ({ operationId, programId }: SaveEmbedCall) => ({
  done: auditOfOperation({ operationId }),
  known: embedOf({ programId }),
});

/** Saves the settings of the referral page. The first call for a program creates the page. */
export const saveEmbed: Operation<SaveEmbedCall, ReturnType<typeof gather>, EmbedRow> = {
  kind: "save-embed",
  lane: "control",
  isExclusive: true,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, known }, context) {
    const { programId, settings, newPage, endsTokens, at } = call;
    if (done !== undefined && known !== undefined) return noChange(programId, known);
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    const tokensEndedAt = endsTokens ? at : (known?.tokensEndedAt ?? null);
    const saved = { programId, ...(known ?? newPage), ...settings, tokensEndedAt };
    const changes = known && diff<EmbedRow>(known, saved);
    if (known !== undefined && changes === undefined) return noChange(programId, known);
    const { programId: _, ...first } = saved;
    const change = {
      programId,
      action: "embed.saved",
      subject: "embed",
      before: changes?.before ?? null,
      after: changes?.after ?? first,
    };
    return auditedChange(call, change, { writes: [save(saved)], answer: saved }, context);
  },
};
