import { type ExitCode, exit } from "../exit.ts";
import { UsageError } from "../flags.ts";
import { actionInWords, type Readiness, stateInWords } from "../gates.ts";
import { errorOf, isTakenUp } from "../refused.ts";
import { type Answer, openService, readKey, type ServiceWarning } from "../service.ts";
import type { Finding } from "./finding.ts";

export interface ProgramReport {
  readonly findings: readonly Finding[];
  /** Undefined if the key was refused. */
  readonly readiness?: Readiness;
  /** Set if the remaining checks could not run. */
  readonly code?: ExitCode;
}

/** Checks the key, and the readiness of its program. */
export async function checkProgram(base: string): Promise<ProgramReport> {
  const warnings: ServiceWarning[] = [];
  let service: ReturnType<typeof openService>;
  try {
    service = openService(base, readKey(), (warning) => warnings.push(warning));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const next_action = "Copy it from the program's settings in the dashboard. It starts with svc_.";
    return { findings: [{ name: "key", status: "fail", message: error.message, next_action }] };
  }
  const reply = await service.get("programs/me/readiness");
  if (!reply.isReached) {
    return { findings: [{ name: "key", status: "fail", message: reply.message }], code: exit.unreachable };
  }
  if (reply.status !== 200) return refusedKey(reply);

  const readiness = reply.body as unknown as Readiness;
  const [warning] = warnings;
  const key: Finding = warning
    ? { name: "key", status: "warn", message: warning.message, next_action: warning.hint }
    : { name: "key", status: "pass", message: `valid, for program ${service.programId}` };
  return { findings: [key, programOf(readiness), trackerOf(readiness)], readiness };
}

function refusedKey(reply: Answer): ProgramReport {
  const { message, hint } = errorOf(reply);
  if (!isTakenUp(reply)) {
    const next_action = `Try again in ${reply.retryAfterSeconds ?? 1} s.`;
    return {
      findings: [{ name: "key", status: "fail", message: `not checked: ${message}`, next_action }],
      code: exit.unreachable,
    };
  }
  const next_action =
    hint ?? "Compare it with the one in the program's settings. Does it belong to this service (--url)?";
  return { findings: [{ name: "key", status: "fail", message, next_action }] };
}

function programOf(readiness: Readiness): Finding {
  const { state, gates } = readiness;
  const message = `${state}: ${stateInWords(readiness)}`;
  // The tracker has a line of its own.
  const [name, gate] =
    Object.entries(gates).find(([name, { status }]) => name !== "tracking" && status !== "pass") ?? [];
  if (!gate) return { name: "program", status: "pass", message };
  // A chain that wasn't tried yet isn't a failure.
  return { name: "program", status: name === "live" ? "warn" : "fail", message, next_action: actionInWords(gate) };
}

function trackerOf({ gates }: Readiness): Finding {
  const { tracking } = gates;
  if (tracking?.status !== "pass") {
    const message = "no click in 30 days";
    return { name: "tracker", status: "fail", message, next_action: tracking && actionInWords(tracking) };
  }
  const message = tracking.detail === "tracker_installed" ? "the script sent a test click" : "clicks arrive";
  return { name: "tracker", status: "pass", message };
}
