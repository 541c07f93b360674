import { copyFileSync, rmSync, statSync, truncateSync } from "node:fs";

/**
 * Keeps a log that another process appends to, and its predecessor `<file>.1`, at about `maxBytes` each. Empties the
 * file in place, so that the writer goes on; lines written during the copy may be lost.
 */
export function rotateLog(file: string, maxBytes: number): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= maxBytes) return;
  const older = `${file}.1`;
  try {
    copyFileSync(file, older);
  } catch {
    // The disk may be full; the service goes on.
    rmSync(older, { force: true });
  }
  truncateSync(file);
}
