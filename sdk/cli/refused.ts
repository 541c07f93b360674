import { type ExitCode, exit } from "./exit.ts";
import { type Output, red } from "./output.ts";
import { remedies } from "./reasons.ts";
import type { Answer, Reply } from "./service.ts";

interface ServiceError {
  readonly message: string;
  readonly hint?: string;
  /** The code of a refusal by `readiness`, which sends no details. */
  readonly code?: string;
  readonly details?: { readonly code?: string; readonly errors?: readonly Fault[] };
}
interface Fault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** True if the service has decided about the call. False if it asks to send the call again later. */
export const isTakenUp = ({ status }: Answer): boolean => status !== 429 && status !== 503;

export const errorOf = ({ body }: Answer): ServiceError => body.error as ServiceError;

/** Remedies to print after the service's messages, which name the missing scope. */
export const keyRemedies = {
  insufficient_scope: "An owner can give the key this scope in the program's settings, or create a key that has it.",
  test_key: "Use test mode (send without --live, replay, explain and listen with --test), or a key for live events.",
} as const;
export type KeyLimit = keyof typeof keyRemedies;

/** Returns the reason why a valid key can't make this call. */
export function keyLimitOf(reply: Reply): KeyLimit | undefined {
  if (!reply.isReached || reply.status !== 403) return undefined;
  const { code, details } = errorOf(reply);
  const limit = details?.code ?? code;
  return limit === "insufficient_scope" || limit === "test_key" ? limit : undefined;
}

/** Prints why the call failed, and what to do about it. */
export function refused(output: Output, reply: Reply, flagOf: (field: string) => string = String): ExitCode {
  if (!reply.isReached) {
    output.data({ error: { name: "Unreachable", message: reply.message } });
    output.note(`${red("✗")} Service not reached. ${reply.message}`);
    return exit.unreachable;
  }
  output.data(reply.body);
  const error = errorOf(reply);
  const faults = error.details?.errors ?? [];
  const said =
    faults.length > 0 ? faults.map((fault) => `${fault.message} (${flagOf(String(fault.path[0]))})`) : [error.message];
  for (const message of said) output.note(`${red("✗")} ${message}`);
  const remedy = remedyOf(reply, error);
  if (remedy) output.note(`  ${remedy}`);
  return isTakenUp(reply) ? exit.refused : exit.unreachable;
}

const waitInWords = (seconds: number): string => (seconds < 7_200 ? `${seconds} s` : `${Math.ceil(seconds / 3_600)} h`);

function remedyOf(reply: Answer, { message, hint }: ServiceError): string | undefined {
  const { status, retryAfterSeconds } = reply;
  const limit = keyLimitOf(reply);
  if (limit !== undefined) return keyRemedies[limit];
  if (hint !== undefined) return hint;
  if (status === 401)
    return "Compare the key with the one in the program's settings. Does it belong to this service (--url)?";
  if (status === 429 || status === 503)
    return `Try again in ${waitInWords(retryAfterSeconds ?? 1)}. Nothing counts twice.`;
  return remedies[message];
}
