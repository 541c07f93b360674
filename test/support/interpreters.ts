import { execFileSync } from "node:child_process";

/** Undefined if this machine has the command. Otherwise the reason for skipping what needs it, which is printed. */
export function whyNot(command: string, versionFlag = "--version"): string | undefined {
  try {
    execFileSync(command, [versionFlag], { stdio: "ignore" });
    return undefined;
  } catch {
    const reason = `${command} isn't on this machine`;
    console.info(`Skipped: ${reason}`);
    return reason;
  }
}
