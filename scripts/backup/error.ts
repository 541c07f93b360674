import { ExplainedError } from "../command.ts";

/** The error codes for full disks, quotas and file size limits. SQLite has its own code. */
const noRoomCodes: readonly unknown[] = ["ENOSPC", "EDQUOT", "EFBIG"];
const sqliteFull = 13;

const isNoRoom = (error: Error): boolean =>
  ("code" in error && noRoomCodes.includes(error.code)) || ("errcode" in error && error.errcode === sqliteFull);

export function explained(error: unknown, attempt: string, folder: string): ExplainedError {
  if (error instanceof ExplainedError) return error;
  if (!(error instanceof Error)) return new ExplainedError(`${attempt}: ${error}`);
  const reason = isNoRoom(error) ? `there is no room in ${folder}` : error.message;
  return new ExplainedError(`${attempt}: ${reason}.`, { cause: error });
}
