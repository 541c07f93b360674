import { open, stat } from "node:fs/promises";

const everyMs = 1_000;

/**
 * Has the system write out a file that grows without being synced, such as sqld's log, each second. By default it writes what thirty
 * seconds have brought, at once, and each commit on that disk waits meanwhile. Returns what ends that.
 */
export function writeOutOften(path: string): () => void {
  let writtenAt = 0;
  let isUnderWay = false;
  const writeOut = async () => {
    const { mtimeMs } = await stat(path);
    if (mtimeMs === writtenAt) return;
    const file = await open(path, "r");
    try {
      await file.datasync();
      writtenAt = mtimeMs;
    } finally {
      await file.close();
    }
  };
  const timer = setInterval(() => {
    if (isUnderWay) return;
    isUnderWay = true;
    // The system writes it out at its own time then.
    void writeOut()
      .catch(() => {})
      .finally(() => {
        isUnderWay = false;
      });
  }, everyMs).unref();
  return () => clearInterval(timer);
}
