import type { CallAnswer, RowResult, Sender } from "../../../importer/index.ts";
import { errorOf, isTakenUp } from "../refused.ts";
import type { Reply, Service } from "../service.ts";

export interface ImportSender {
  readonly send: Sender;
  /** The last reply that contained no rows. */
  readonly failure: () => Reply | undefined;
}

export function createImportSender(service: Service): ImportSender {
  let failure: Reply | undefined;
  let isReached = false;

  const answerOf = (reply: Reply): CallAnswer => {
    // If no call was ever answered at this address, the address is wrong.
    if (!reply.isReached) return { is: isReached ? "again" : "refused", why: reply.message };
    isReached = true;
    if (reply.status === 200) return { is: "answered", rows: Object(reply.body.data).rows as readonly RowResult[] };
    const why = errorOf(reply).message;
    if (isTakenUp(reply)) return { is: "refused", why };
    const retryAfterMs = reply.retryAfterSeconds === null ? undefined : reply.retryAfterSeconds * 1_000;
    return { is: "again", why, retryAfterMs, isBusy: reply.status === 429 };
  };

  return {
    failure: () => failure,
    send: async ({ isDryRun, ...call }) => {
      const reply = await service.post("programs/me/imports/rows", { ...call, dry_run: isDryRun });
      const answer = answerOf(reply);
      failure = answer.is === "answered" ? undefined : reply;
      return answer;
    },
  };
}
