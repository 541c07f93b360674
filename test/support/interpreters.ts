import { execFileSync } from "node:child_process";

/**
 * Returns undefined if this machine has the command. Otherwise returns the reason for skipping the tests that need it,
 * and prints it.
 */
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
