import { deleteOldMails, type MailOutcome, settleMails as settle } from "#store/mails.ts";
import type { Call, Operation } from "../operation.ts";

const maxDeleted = 500;

export interface SettleMailsCall extends Call {
  readonly kind: "settle-mails";
  readonly outcomes: readonly MailOutcome[];
  /** Deletes a bounded number of mails that were written before this instant (ms). */
  readonly before: number;
}

/** For mails of home and of programs decided on this shard. Others stay due. */
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
