import { execFileSync } from "node:child_process";

/** Undefined if this machine has the command. Otherwise the reason for skipping what needs it, which is printed. */
export function whyNot(command: string, ...check: readonly string[]): string | undefined {
  try {
    execFileSync(command, check.length > 0 ? check : ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    const reason = `${[command, ...check].join(" ")} fails on this machine, or isn't there`;
    console.info(`Skipped: ${reason}`);
    return reason;
  }
}
