import { copyFileSync, rmSync, statSync, truncateSync } from "node:fs";

export interface JsonLog {
  say(level: Level, message: string): void;
  readonly from: (source: string) => (line: string) => void;
}

type Level = "info" | "warn" | "error";

export function jsonLog(write: (line: string) => void): JsonLog {
  const isRepeat = repeats();
  const tell = (source: string, level: Level, message: string) =>
    write(JSON.stringify({ time: new Date().toISOString(), source, level, message }));
  return {
    say: (level, message) => tell("serve", level, message),
    from: (source) => (line) => {
      if (isObject(line)) return write(line);
      const { level, message } = levelAndMessage(line);
      if (message !== "" && !isRepeat(`${source} ${message}`)) tell(source, level, message);
    },
  };
}

const repeatMs = 60_000;
const maxRemembered = 100;

/**
 * Returns a function that is true for a message that was logged shortly before, because a fault may be logged for every
 * call.
 */
function repeats(): (message: string) => boolean {
  const loggedAt = new Map<string, number>();
  return (message) => {
    const now = Date.now();
    if (now - (loggedAt.get(message) ?? Number.NEGATIVE_INFINITY) < repeatMs) return true;
    if (loggedAt.size >= maxRemembered) loggedAt.clear();
    loggedAt.set(message, now);
    return false;
  };
}

function isObject(line: string): boolean {
  if (!line.startsWith("{")) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/**
 * Parses a line that Node itself prints in a process that otherwise logs JSON, such as `(node:12) Warning: …` and
 * `FATAL ERROR: …`.
 */
function levelAndMessage(line: string): { level: Level; message: string } {
  const [, said = ""] = /(?:^|[:)]\s)(fatal error|error|fatal|warning):\s/i.exec(line) ?? [];
  const level = said.toLowerCase() === "warning" ? "warn" : "error";
  return { level: said === "" ? "info" : level, message: line.trim() };
}

/**
 * Limits a log to which another process appends, and its predecessor `<file>.1`, to about `maxBytes` each. Empties the
 * file in place, so that the writer can continue. Lines written during the copy may be lost.
 */
export function rotateLog(file: string, maxBytes: number): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= maxBytes) return;
  const older = `${file}.1`;
  try {
    copyFileSync(file, older);
  } catch {
    // The disk may be full. The service continues.
    rmSync(older, { force: true });
  }
  truncateSync(file);
}
