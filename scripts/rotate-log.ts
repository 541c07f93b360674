import { copyFileSync, rmSync, statSync, truncateSync } from "node:fs";

/**
 * Keeps a log that another process appends to, and the one before it at `<file>.1`, at about `maxBytes` each. The file is
 * emptied in place, so whoever has it open writes on; lines written while it is copied may be lost.
 */
export function rotateLog(file: string, maxBytes: number): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= maxBytes) return;
  const older = `${file}.1`;
  try {
    copyFileSync(file, older);
  } catch {
    // The disk may be full, and the service goes on.
    rmSync(older, { force: true });
  }
  truncateSync(file);
}
