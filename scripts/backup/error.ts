/** A backup that can't be made or restored, in words for whoever runs the command. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}

/** Full disks, quotas and limits to the size of files; SQLite has a code of its own. */
const noRoomCodes: readonly unknown[] = ["ENOSPC", "EDQUOT", "EFBIG"];
const sqliteFull = 13;

const isNoRoom = (error: Error): boolean =>
  ("code" in error && noRoomCodes.includes(error.code)) || ("errcode" in error && error.errcode === sqliteFull);

/** The same as a `BackupError`, told as a full disk where it is one. */
export function explained(error: unknown, attempt: string, folder: string): BackupError {
  if (error instanceof BackupError) return error;
  if (!(error instanceof Error)) return new BackupError(`${attempt}: ${error}`);
  const reason = isNoRoom(error) ? `there is no room in ${folder}` : error.message;
  return new BackupError(`${attempt}: ${reason}.`, { cause: error });
}
