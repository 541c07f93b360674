import { isCallerId } from "#domain/caller-id.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { Refusal } from "#domain/refusal.ts";
import { isTrackingRoute, mostUnsignedAMinute, type RequestOutcome } from "#domain/request-log.ts";
import type { NotedCall } from "#requests/rpc.ts";
import { BoundedCache } from "./bounded-cache.ts";
import { bufferCall } from "./call-buffer.ts";
import type { CallLog, Ctx } from "./context.ts";
import { isRightKey } from "./known-keys.ts";
import { perEnv } from "./per-env.ts";
import { shardOfProgram } from "./places.ts";
import { Recently } from "./recently.ts";
import { entryOf } from "./refusal/table.ts";
import { isTest } from "./schema/fields.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;

interface Seen {
  /** Ids of programs that recent calls have shown to exist. Other ids may be invented by a caller. */
  readonly programs: Recently;
  /** The number of refused calls without a valid key in the current minute, by program. */
  readonly unsigned: BoundedCache<{ readonly minute: number; calls: number }>;
}

const seen = perEnv((): Seen => ({ programs: new Recently(hourMs, 10_000), unsigned: new BoundedCache(1_000) }));

/** Adds a tracking call and its response to the program's request log. */
export function noteCall(c: Ctx, status: number): void {
  const log = c.get("log");
  const { at } = c.get("call");
  if (log.programId !== undefined) seen(c).programs.note(String(log.programId), at);
  const route = c.req.path;
  const programId = programOf(c);
  if (programId === undefined || !isTrackingRoute(route)) return;
  const keyHash = rightKeyOf(c);
  const isWorthNoting = keyHash !== null || (log.refusal !== undefined && admitsUnsigned(c, programId));
  if (!isWorthNoting) return;
  const { shard = shardOfProgram(c.env, programId), hasErased = false } = log;
  const requestId = c.get("requestId");
  bufferCall(
    c,
    { programId, shard, hasErased },
    { requestId, at, route, keyHash, status, ...resultOf(log), ...namedIn(c.get("body") ?? {}) },
  );
}

/** Returns undefined if it isn't known that the program exists. */
function programOf(c: Ctx): ProgramId | undefined {
  const { programId } = c.get("log");
  const named = c.get("key")?.programId ?? programId ?? programIdIn(c.get("body") ?? {});
  return named !== undefined && seen(c).programs.has(String(named), c.get("call").at) ? named : undefined;
}

/** The body may be invalid, so the id can be anything. */
const programIdIn = ({ program_id: id }: Readonly<Record<string, unknown>>): ProgramId | undefined =>
  typeof id === "number" || (typeof id === "string" && /^\d{1,16}$/.test(id)) ? Number(id) : undefined;

/** The key's hash. Null unless the Ledger has accepted the key, in this call or recently. */
function rightKeyOf(c: Ctx): string | null {
  const key = c.get("key");
  const { programId, isKeyWrong } = c.get("log");
  if (key === undefined || isKeyWrong) return null;
  return programId === undefined && !isRightKey(c, key.hash) ? null : key.hash;
}

function admitsUnsigned(c: Ctx, programId: ProgramId): boolean {
  const { unsigned } = seen(c);
  const minute = Math.floor(c.get("call").at / minuteMs);
  const name = String(programId);
  const found = unsigned.get(name);
  const counted = found?.minute === minute ? found : unsigned.set(name, { minute, calls: 0 });
  counted.calls += 1;
  return counted.calls <= mostUnsignedAMinute;
}

type Result = Pick<NotedCall, "outcome" | "code">;

function resultOf({ refusal, noted = { outcome: "recorded", code: null } }: CallLog): Result {
  return refusal === undefined
    ? noted
    : { outcome: refusedOutcome(refusal), code: entryOf(refusal.code).typedCode ?? refusal.code };
}

function refusedOutcome(refusal: Refusal): RequestOutcome {
  if (refusal.code === "duplicate_transaction") return refusal.differences.length === 0 ? "duplicate" : "conflict";
  if (refusal.code === "refund_conflict") return "conflict";
  return entryOf(refusal.code).status >= 500 ? "unavailable" : "refused";
}

function idIn(value: unknown): string | null {
  const id = typeof value === "string" ? value.trim() : "";
  return isCallerId(id) ? id : null;
}

const namedIn = (body: Readonly<Record<string, unknown>>) => ({
  isTest: isTest(body),
  transactionId: idIn(body.transaction_id),
  customerKey: idIn(body.customer_key),
});
