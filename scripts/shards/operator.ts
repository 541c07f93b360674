import { mintOperatorToken } from "#domain/operator-token.ts";
import { ExplainedError, UnreachableError } from "../command.ts";
import type { Database } from "../database/migrate.ts";
import { type Move, type MovePlaces, type MoveStep, StepRefused } from "./move.ts";

const tokenValidMs = 60_000;
const answeredWithinMs = 30_000;

/** The Ledgers of a service, which knows its operator by the token of home's database. */
export function placesOf(
  service: { readonly url: string; readonly authToken: string },
  databaseOf: (shard: number) => Database,
): MovePlaces {
  const step = async (name: MoveStep, { programId, moveId, from, to }: Move, leaveBy: number): Promise<void> => {
    const token = mintOperatorToken(service.authToken, Date.now() + tokenValidMs);
    const response = await fetch(`${service.url}/api/operator/moves`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ step: name, programId, moveId, shard: from, to, leaveBy }),
      redirect: "error",
      signal: AbortSignal.timeout(answeredWithinMs),
    }).catch((error: unknown) => {
      throw new UnreachableError(`${service.url} can't be reached: ${error instanceof Error ? error.message : error}`);
    });
    if (response.ok) return void (await response.arrayBuffer());
    const text = await response.text();
    const reason = reasonIn(text);
    if (reason !== undefined) throw new StepRefused(name, reason);
    if (response.status === 503) throw new UnreachableError(`${service.url} answers 503.`);
    throw new ExplainedError(`${service.url} answers ${response.status}: ${text.slice(0, 200)}`);
  };
  return { databaseOf, step };
}

function reasonIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: { details?: { code?: string; reason?: string } } };
    return error?.details?.code === "move_refused" ? error.details.reason : undefined;
  } catch {
    return undefined;
  }
}
