import { deleteOldMails, type MailOutcome, settleMails as settle } from "#store/mails.ts";
import type { Call, Operation } from "../operation.ts";

const maxDeleted = 500;

export interface SettleMailsCall extends Call {
  readonly kind: "settle-mails";
  readonly outcomes: readonly MailOutcome[];
  /** Also deletes mails written before this instant (ms), up to a limit. */
  readonly before: number;
}

/**
 * Stores the outcomes of sent mails. Only mails of programs on this shard, and on the home shard also mails without a
 * program, are settled. Others stay due.
 */
export const settleMails: Operation<SettleMailsCall, Record<never, never>, undefined> = {
  kind: "settle-mails",
  lane: "control",
  needs: () => [],
  gather: () => ({}),
  locks: () => ({ exclusive: [] }),
  decide: ({ outcomes, before }) => ({
    kind: "commit",
    programId: 0,
    answer: undefined,
    writes: [settle(outcomes), ...(before > 0 ? [deleteOldMails({ before, limit: maxDeleted })] : [])],
  }),
};
