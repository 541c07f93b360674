import type { Context } from "hono";
import type { Env } from "../env.ts";
import type { Call, PresentedKey } from "../operations/operation.ts";
import type { FailureStyle } from "./refusal/table.ts";
import type { Transport } from "./transport.ts";

export interface Variables {
  requestId: string;
  /** This request's operation id and instant: minted once, so that whatever is sent again is the same call. */
  call: Call;
  notes: RequestLog;
  transport: Transport;
  failureStyle?: FailureStyle;
  key?: PresentedKey;
  /** The JSON object that the body holds. */
  body?: Readonly<Record<string, unknown>>;
}

/** What comes to be known of a request on its way. */
export interface RequestLog {
  outcome: string;
  programId?: number;
  roundTrips: number;
  /** The instant the presented key retires, where it is being replaced. */
  keyRetiresAt?: number;
}

export interface AppEnv {
  Bindings: Env;
  Variables: Variables;
}

/** The part of a request's context that every route has. Without `var`, whose getter copies all variables at each use. */
export type Ctx = Pick<Context<AppEnv>, "req" | "env" | "get" | "header" | "json" | "executionCtx">;
