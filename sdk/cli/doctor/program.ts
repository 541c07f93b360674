import { type ExitCode, exit } from "../exit.ts";
import { UsageError } from "../flags.ts";
import { actionInWords, type Readiness, stateInWords } from "../gates.ts";
import { errorOf, isTakenUp, type KeyLimit, keyLimitOf, keyRemedies } from "../refused.ts";
import { type Answer, openService, readKey, type Service, type ServiceWarning } from "../service.ts";
import type { Finding } from "./finding.ts";

export interface ProgramReport {
  readonly findings: readonly Finding[];
  /** Undefined if the key was refused. */
  readonly programId?: number;
  /** Undefined if the key was refused, or lacks the scope to read it. */
  readonly readiness?: Readiness;
  /** Set if the remaining checks could not run. */
  readonly code?: ExitCode;
}

/** Checks the key, and the readiness of its program. */
export async function checkProgram(base: string): Promise<ProgramReport> {
  const warnings: ServiceWarning[] = [];
  let service: Service;
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
  const unread = keyLimitOf(reply);
  if (reply.status !== 200 && unread === undefined) return refusedKey(reply);

  const { programId } = service;
  // The call has no effect: the service checks the key first, and refuses any refund without a transaction.
  const untracked = keyLimitOf(await service.post("track/refund", {}));
  const key = keyOf(programId, [unread, untracked], warnings);
  if (unread !== undefined) return { findings: [...key, notReadBecause(unread)], programId };
  const readiness = reply.body as unknown as Readiness;
  return { findings: [...key, programOf(readiness), trackerOf(readiness)], programId, readiness };
}

function keyOf(
  programId: number,
  limits: readonly [unread: KeyLimit | undefined, untracked: KeyLimit | undefined],
  warnings: readonly ServiceWarning[],
): Finding[] {
  const findings: Finding[] = warnings
    .slice(0, 1)
    .map(({ message, hint }) => ({ name: "key", status: "warn", message, next_action: hint }));
  if (limits[1] === "insufficient_scope") {
    const message = "can't report events: it doesn't have the scope track";
    findings.push({ name: "key", status: "fail", message, next_action: keyRemedies.insufficient_scope });
  }
  if (limits.includes("test_key")) {
    const message = "a test key: it works only in test mode";
    const next_action = "Use it for tests. Live events need another key.";
    findings.push({ name: "key", status: "warn", message, next_action });
  }
  return findings.length > 0 ? findings : [{ name: "key", status: "pass", message: `valid, for program ${programId}` }];
}

function notReadBecause(limit: KeyLimit): Finding {
  if (limit === "test_key")
    return { name: "program", status: "warn", message: "not checked: a test key can't read it" };
  const message = "not checked: the key doesn't have the scope read";
  const next_action = `${keyRemedies.insufficient_scope} Calls that report events don't need it.`;
  return { name: "program", status: "warn", message, next_action };
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
  // The check of the tracker has its own line.
  const [name, gate] =
    Object.entries(gates).find(([name, { status }]) => name !== "tracking" && status !== "pass") ?? [];
  if (!gate) return { name: "program", status: "pass", message };
  // A test chain that nobody has run yet isn't a failure.
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
