import type { ProgramId, Shard } from "#domain/ids.ts";
import type { RequestOutcome, TrackingRoute } from "#domain/request-log.ts";

interface Noted {
  readonly requestId: string;
  /** Instant of the call (ms). */
  readonly at: number;
  readonly route: TrackingRoute;
  /** Null if the call had no key or a wrong one. */
  readonly keyHash: string | null;
  readonly status: number;
  /** The code of the refusal, or the reason why nothing was attributed. */
  readonly code: string | null;
  readonly outcome: RequestOutcome;
  readonly isTest: boolean;
}

export interface NotedCall extends Noted {
  /** The transaction id as sent. */
  readonly transactionId: string | null;
  readonly customerKey: string | null;
}

export interface CallBatch {
  readonly programId: ProgramId;
  /** The program's shard at the time of the calls. */
  readonly shard: Shard;
  /** Each call is JSON of a `NotedCall`, because the runtime transfers one string faster than an object. */
  readonly calls: readonly string[];
  /** Number of calls that didn't fit into the buffer. */
  readonly dropped: number;
  /** True if the program has erased customers. The ids in the calls may contain identifiers of these customers. */
  readonly hasErased: boolean;
}

export interface LoggedCall extends Noted {
  readonly number: number;
  readonly transactionId: string | null;
}

export interface RequestFilter {
  readonly requestId?: string | undefined;
  readonly transactionId?: string | undefined;
  readonly customerKey?: string | undefined;
  readonly outcome?: RequestOutcome | undefined;
  readonly route?: TrackingRoute | undefined;
  /** Instants (ms): from `from` (inclusive) until `to` (exclusive). */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface RequestQuery {
  readonly programId: ProgramId;
  readonly filter: RequestFilter;
  /** The last call of the previous page. */
  readonly after: Pick<LoggedCall, "at" | "number"> | undefined;
  readonly limit: number;
}

export interface RequestPage {
  /** The calls, newest first. */
  readonly calls: readonly LoggedCall[];
  /** Number of calls of the last days that didn't fit into the log. Calls without a valid key aren't all counted. */
  readonly dropped: number;
}

/** The identifiers of a customer that calls may contain. */
export interface NamedPerson {
  readonly programId: ProgramId;
  readonly names: readonly string[];
}

export interface RequestLogRpc {
  add(batch: CallBatch): Promise<void>;
  list(query: RequestQuery): Promise<RequestPage>;
  /** Returns the calls that contain an identifier of the customer. */
  listPerson(person: NamedPerson): Promise<readonly LoggedCall[]>;
  /** Removes the customer's identifiers from stored calls and, if `isErased`, from later calls too. */
  erase(person: NamedPerson & { readonly isErased: boolean }): Promise<void>;
}
