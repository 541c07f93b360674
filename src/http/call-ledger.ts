import { type Locator, ledgerOf } from "../env.ts";
import type { LedgerRpc } from "../ledger/rpc.ts";
import type { Outcome } from "../operations/operation.ts";
import type { Ctx } from "./context.ts";
import { logError } from "./log.ts";

const timeoutMs = 10_000;
const unavailable = { code: "unavailable", retryAfterSeconds: 5 } as const;

type Ask<Answer> = (ledger: LedgerRpc) => Promise<Outcome<Answer>>;

/**
 * Asks the Ledger. What it answers and what it refuses are values, and so is its being out of reach. A caller who has
 * left does not cancel what they asked for: a browser sends clicks and leads while its page is closing.
 */
export async function callLedger<Answer>(c: Ctx, locator: Locator, ask: Ask<Answer>): Promise<Outcome<Answer>> {
  const asked = withinTime(askTwice(() => ask(ledgerOf(c.env, locator)))).catch((error: unknown) => failed(c, error));
  c.executionCtx.waitUntil(asked);
  const outcome = await asked;
  note(c, outcome);
  return outcome;
}

/** The call carries its own id: if the first attempt did have its effect, the second is told what the first was. */
const askTwice = <T>(ask: () => Promise<T>): Promise<T> =>
  ask().catch((error: unknown) => (isWorthRepeating(error) ? ask() : Promise.reject(error)));

/** What the runtime says of an error: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
const has = (error: unknown, flag: "retryable" | "durableObjectReset" | "overloaded"): boolean =>
  typeof error === "object" && error !== null && Reflect.get(error, flag) === true;

const isWorthRepeating = (error: unknown): boolean =>
  !has(error, "overloaded") && (has(error, "retryable") || has(error, "durableObjectReset"));

class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

const withinTime = <T>(answer: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError("the Ledger did not answer in time")), timeoutMs);
    const settle =
      <V>(with_: (value: V) => void) =>
      (value: V) => {
        clearTimeout(timer);
        with_(value);
      };
    answer.then(settle(resolve), settle(reject));
  });

function failed(c: Ctx, error: unknown): Outcome<never> {
  logError(c, error);
  const isOutOfReach = error instanceof TimeoutError || has(error, "overloaded") || isWorthRepeating(error);
  const meta = { programId: undefined, keyRetiresAt: undefined, roundTrips: 0 };
  return { ok: false, refusal: isOutOfReach ? unavailable : { code: "internal" }, meta };
}

function note(c: Ctx, { meta }: Outcome<unknown>): void {
  const notes = c.get("notes");
  if (meta.programId !== undefined) notes.programId = meta.programId;
  if (meta.keyRetiresAt !== undefined) notes.keyRetiresAt = meta.keyRetiresAt;
  notes.roundTrips += meta.roundTrips;
}
