import type { Context } from "hono";
import type { ProgramId, Shard } from "#domain/ids.ts";
import type { Via } from "#domain/proposal.ts";
import type { Refusal } from "#domain/refusal.ts";
import type { RequestOutcome } from "#domain/request-log.ts";
import type { Env } from "#env.ts";
import type { Call, PresentedKey } from "#operations/operation.ts";
import type { RefusalStyle } from "./refusal/table.ts";
import type { Transport } from "./transport.ts";

export interface Variables {
  requestId: string;
  /** Operation id and instant of the request. Created once, so that a retry within the request is the same call. */
  call: Call;
  log: CallLog;
  transport: Transport;
  refusalStyle?: RefusalStyle;
  key?: PresentedKey;
  body?: Readonly<Record<string, unknown>>;
  /** The proposal from which a member makes the change. */
  via?: Via;
}

export interface CallLog {
  /** Undefined if the call was accepted. */
  refusal?: Refusal;
  /** The key in the request is invalid. The response may be another refusal, such as `rate_limited`. */
  isKeyWrong?: boolean;
  /** Set for an accepted call that the request log must show with another outcome or code. */
  noted?: { readonly outcome: RequestOutcome; readonly code: string | null };
  /** The call's program has erased customers. */
  hasErased?: boolean;
  programId?: ProgramId;
  /** The shard of the call's program. */
  shard?: Shard;
  roundTrips: number;
  /** The error that a call of the Ledger threw. */
  error?: unknown;
  /** When the key in the request retires (ms). Set if the key was rotated. */
  keyRetiresAt?: number;
}

export interface AppEnv {
  Bindings: Env;
  Variables: Variables;
}

/**
 * The part of Hono's context that every route has. Excludes `var`, whose getter copies all variables at each access.
 */
export type Ctx = Pick<Context<AppEnv>, "req" | "env" | "get" | "header" | "json" | "executionCtx">;
