import type { Sender } from "../../../../importer/index.ts";
import { api, take } from "../../api/client.ts";
import { Failure } from "../../api/failure.ts";
import { withReauthentication } from "../../api/reauthentication.ts";
import { paramOf } from "../../session.tsx";

const again: readonly number[] = [0, 429, 502, 503, 504];

/** Makes the calls of an import by the session. */
export const senderFor =
  (program: Parameters<typeof paramOf>[0]): Sender =>
  async ({ kind, source, update, isDryRun, rows }, signal) => {
    const json = { kind, source, update, dryRun: isDryRun, rows: rows.map((row) => ({ ...row })) };
    const init = { ...(signal !== undefined && { signal }) };
    try {
      const call = () =>
        take(api.programs[":programId"].imports.rows.$post({ param: paramOf(program), json }, { init }));
      return { is: "answered", rows: (await withReauthentication(call)).data.rows };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { status, message, retryAfterSeconds } = error;
      if (!again.includes(status)) return { is: "refused", why: message };
      const retryAfterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
      return { is: "again", why: message, retryAfterMs, isBusy: status === 429 };
    }
  };
