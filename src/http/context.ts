import type { Context } from "hono";
import type { ProgramId, Shard } from "#domain/ids.ts";
import type { Refusal } from "#domain/refusal.ts";
import type { RequestOutcome } from "#domain/request-log.ts";
import type { Env } from "#env.ts";
import type { Call, PresentedKey } from "#operations/operation.ts";
import type { RefusalStyle } from "./refusal/table.ts";
import type { Transport } from "./transport.ts";

export interface Variables {
  requestId: string;
  /** Operation id and instant, minted once per request, so that a retry is the same call. */
  call: Call;
  log: CallLog;
  transport: Transport;
  refusalStyle?: RefusalStyle;
  key?: PresentedKey;
  body?: Readonly<Record<string, unknown>>;
}

export interface CallLog {
  /** Undefined: the call was accepted. */
  refusal?: Refusal;
  /** The presented key is none of its program's, whatever the answer says. */
  isKeyWrong?: boolean;
  /** Set for an accepted call with a special outcome. */
  noted?: { readonly outcome: RequestOutcome; readonly code: string | null };
  /** The call's program has erased customers. */
  hasErased?: boolean;
  programId?: ProgramId;
  /** The shard of the call's program. */
  shard?: Shard;
  roundTrips: number;
  /** Thrown by a call of the Ledger. */
  error?: unknown;
  /** Milliseconds; set if the presented key is being replaced. */
  keyRetiresAt?: number;
}

export interface AppEnv {
  Bindings: Env;
  Variables: Variables;
}

/** The part of the context that every route has. Leaves out `var`, whose getter copies all variables on each use. */
export type Ctx = Pick<Context<AppEnv>, "req" | "env" | "get" | "header" | "json" | "executionCtx">;
