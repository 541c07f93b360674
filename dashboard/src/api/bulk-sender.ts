import type { CallAnswer, RowResult, Sender } from "../../../importer/index.ts";
import { paramOf } from "../session.tsx";
import { api, take } from "./client.ts";
import { Failure } from "./failure.ts";
import { withReauthentication } from "./reauthentication.ts";

const again: readonly number[] = [0, 429, 502, 503, 504];

/** Sends one of many calls. Returns whether it was answered, was refused for good, or may be sent again. */
export async function answerOf(call: () => Promise<readonly RowResult[]>): Promise<CallAnswer> {
  try {
    return { is: "answered", rows: await withReauthentication(call) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { status, message, retryAfterSeconds } = error;
    if (!again.includes(status)) return { is: "refused", why: message };
    const retryAfterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
    return { is: "again", why: message, retryAfterMs, isBusy: status === 429 };
  }
}

/** Sends the calls of an import as the signed-in user. */
export const importSender =
  (program: Parameters<typeof paramOf>[0]): Sender =>
  ({ kind, source, update, isDryRun, rows }, signal) => {
    const json = { kind, source, update, dryRun: isDryRun, rows: rows.map((row) => ({ ...row })) };
    const init = { ...(signal !== undefined && { signal }) };
    return answerOf(async () => {
      const sent = api.programs[":programId"].imports.rows.$post({ param: paramOf(program), json }, { init });
      return (await take(sent)).data.rows;
    });
  };
