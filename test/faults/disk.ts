import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A separate in-memory file system. */
export interface SmallDisk {
  readonly path: string;
  /** Fills the remaining space. May be called repeatedly. */
  fill(): void;
  free(): void;
  unmount(): void;
}

/** CI runners need sudo to mount, and it asks for no password. */
function asRoot(...command: readonly [string, ...string[]]): void {
  const [program, ...args] = process.getuid?.() === 0 ? command : ["sudo", "-n", ...command];
  execFileSync(String(program), args, { stdio: "pipe" });
}

/** Returns the mounted disk, or the reason why this machine can't mount one. */
export function mountSmallDisk(megabytes: number): SmallDisk | string {
  const path = mkdtempSync(join(tmpdir(), "tributary-disk-"));
  const owner = `uid=${process.getuid?.()},gid=${process.getgid?.()}`;
  try {
    asRoot("mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=700,${owner}`, "tmpfs", path);
  } catch (error) {
    rmdirSync(path);
    const reason = `a small file system can't be mounted: ${(error as Error).message.split("\n").join(" ").trim()}`;
    process.stderr.write(`Skipped: tests of a full disk (${reason})\n`);
    return reason;
  }
  const filler = join(path, "filler");
  return {
    path,
    fill: () => {
      const file = openSync(filler, "a");
      for (const bytes of [65_536, 4_096, 1]) writeUntilFull(file, Buffer.alloc(bytes));
      closeSync(file);
    },
    free: () => rmSync(filler, { force: true }),
    unmount: () => {
      asRoot("umount", "-l", path);
      rmdirSync(path);
    },
  };
}

function writeUntilFull(file: number, block: Buffer): void {
  try {
    while (writeSync(file, block) === block.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
