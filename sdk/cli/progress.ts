/** A progress line that is redrawn on the terminal; does nothing if stderr isn't one. */
export interface Progress {
  draw(): void;
  clear(): void;
}

export interface Position {
  readonly lines: number;
  readonly problems: number;
  /** The processed part of the file, 0 to 1. */
  readonly share: number;
  /** Timestamp in milliseconds; not paused if it is in the past. */
  readonly pausedUntil: number;
}

const width = 24;

export function createProgress(position: () => Position): Progress {
  const { stderr } = process;
  if (!stderr.isTTY) return { draw: () => {}, clear: () => {} };
  const startedAt = Date.now();
  return {
    draw() {
      const now = Date.now();
      const { lines, problems, share, pausedUntil } = position();
      const full = Math.round(share * width);
      const bar = "█".repeat(full) + "░".repeat(width - full);
      const leftMs = ((now - startedAt) * (1 - share)) / share;
      const tail = pausedUntil > now ? `waiting ${duration(pausedUntil - now)}` : `${duration(leftMs)} left`;
      const faults = problems > 0 ? `  ${problems} refused` : "";
      stderr.write(`\r\x1b[K${bar} ${Math.floor(share * 100)} %  ${lines} lines${faults}  ${tail}`);
    },
    clear: () => void stderr.write("\r\x1b[K"),
  };
}

function duration(ms: number): string {
  if (!Number.isFinite(ms)) return "…";
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
