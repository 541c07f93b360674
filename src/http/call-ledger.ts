import type { ProgramId, Shard } from "#domain/ids.ts";
import { unavailable } from "#domain/result.ts";
import { ledgerOf } from "#env.ts";
import type { LedgerRpc } from "#ledger/rpc.ts";
import type { Outcome } from "#operations/operation.ts";
import type { AnswerTo, AnyCall } from "#operations/table.ts";
import type { Ctx } from "./context.ts";
import { inTime } from "./in-time.ts";
import { noteRightKey } from "./known-keys.ts";
import { isMoving, rememberMoving, rememberShard, shardOfProgram } from "./places.ts";

const timeoutMs = 10_000;

/**
 * `isKept`: the Ledger accepts the call even during a shard migration of the program. `leaving`: work to do before the
 * call is sent to the program's new shard.
 */
interface OfProgram {
  readonly programId: ProgramId;
  readonly isKept?: true;
  readonly leaving?: { readonly from: Shard; before(): Promise<Outcome<undefined>> };
}

/** Identifies the Ledger for a call: by program or by shard. */
export type Locator = OfProgram | { readonly shard: Shard };

/**
 * Calls the Ledger. Never rejects: if the Ledger is unreachable, it returns a refusal. The call continues after the
 * client has disconnected, because browsers send clicks and leads while a page is closing.
 */
export async function callLedger<Answer>(
  c: Ctx,
  locator: Locator,
  send: (ledger: LedgerRpc) => Promise<Outcome<Answer>>,
): Promise<Outcome<Answer>> {
  const pending = inTime(ask(c, locator, send), timeoutMs, "the Ledger").catch((error: unknown) =>
    outcomeOfError(c, error),
  );
  c.executionCtx.waitUntil(pending);
  const outcome = await pending;
  if (outcome.ok) noteRightKey(c);
  logMeta(c, outcome);
  return outcome;
}

/** Runs an operation in the Ledger of the call's program. */
export const runOperation = <Call extends AnyCall & OfProgram>(c: Ctx, call: Call): Promise<Outcome<AnswerTo<Call>>> =>
  callLedger(c, call, (ledger) => ledger.run(call));

const noMeta = { programId: undefined, keyRetiresAt: undefined, roundTrips: 0 };

/**
 * During a program's shard migration, refuses calls as `unavailable`, so that clients retry them later. For some
 * seconds after a Ledger has reported the migration, it isn't called again.
 */
async function ask<Answer>(
  c: Ctx,
  locator: Locator,
  send: (ledger: LedgerRpc) => Promise<Outcome<Answer>>,
): Promise<Outcome<Answer>> {
  // Each attempt needs a new stub, because the stub of a Durable Object that was reset stays broken.
  const sendTo = (shard: Shard) => retryOnce(() => send(ledgerOf(c.env, shard)));
  if ("shard" in locator) return sendTo(locator.shard);
  if (!locator.isKept && isMoving(c, locator.programId)) return { ok: false, refusal: unavailable, meta: noMeta };
  const outcome = await follow(c, locator, sendTo);
  if (outcome.ok || outcome.refusal.code !== "program_moving") return outcome;
  rememberMoving(c, outcome.refusal.programId);
  return { ...outcome, refusal: unavailable };
}

const handOverMs = 5_000;
const pauseMs = 200;

/** Sends the call to a shard and, if the program has moved from there, to the next one. */
async function follow<Answer>(
  c: Ctx,
  { programId, leaving }: OfProgram,
  sendTo: (shard: Shard) => Promise<Outcome<Answer>>,
): Promise<Outcome<Answer>> {
  const until = Date.now() + handOverMs;
  let shard = leaving?.from ?? shardOfProgram(c.env, programId);
  for (const asked = new Set<Shard>(); ; ) {
    asked.add(shard);
    c.get("log").shard = shard;
    const outcome = await sendTo(shard);
    if (outcome.ok || outcome.refusal.code !== "program_moved") return outcome;
    const next = outcome.refusal.shard;
    // Two shards refer to each other while a program has left one shard and the other shard hasn't accepted the program
    // yet.
    if (asked.has(next)) {
      if (Date.now() > until) return { ok: false, refusal: unavailable, meta: outcome.meta };
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    rememberShard(outcome.refusal.programId, next);
    const prepared = await leaving?.before();
    if (prepared?.ok === false) return prepared;
    shard = next;
  }
}

/**
 * A retry is safe, because the call has an id: if the first attempt took effect, the second returns the same answer.
 */
const retryOnce = <T>(send: () => Promise<T>): Promise<T> =>
  send().catch((error: unknown) => (isRetryable(error) ? send() : Promise.reject(error)));

/**
 * Flags that the runtime sets on errors:
 * https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
 */
const has = (error: unknown, flag: "retryable" | "durableObjectReset" | "overloaded"): boolean =>
  typeof error === "object" && error !== null && Reflect.get(error, flag) === true;

const isRetryable = (error: unknown): boolean =>
  !has(error, "overloaded") && (has(error, "retryable") || has(error, "durableObjectReset"));

/** The Ledger returns refusals as answers. So if it throws an error, the outcome of the call is unknown. */
function outcomeOfError(c: Ctx, error: unknown): Outcome<never> {
  c.get("log").error = error;
  return { ok: false, refusal: unavailable, meta: noMeta };
}

function logMeta(c: Ctx, { meta }: Outcome<unknown>): void {
  const log = c.get("log");
  if (meta.programId !== undefined) log.programId = meta.programId;
  if (meta.keyRetiresAt !== undefined) log.keyRetiresAt = meta.keyRetiresAt;
  if (meta.hasErased) log.hasErased = true;
  log.roundTrips += meta.roundTrips;
}
