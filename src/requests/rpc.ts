import type { ProgramId, Shard } from "#domain/ids.ts";
import type { RequestOutcome, TrackingRoute } from "#domain/request-log.ts";

interface Noted {
  readonly requestId: string;
  /** Milliseconds. */
  readonly at: number;
  readonly route: TrackingRoute;
  /** Null: the call had no key, or a wrong one. */
  readonly keyHash: string | null;
  readonly status: number;
  /** The code of the refusal, or the reason for no attribution. */
  readonly code: string | null;
  readonly outcome: RequestOutcome;
  readonly isTest: boolean;
}

export interface NotedCall extends Noted {
  /** The transaction id as it was sent. */
  readonly transactionId: string | null;
  readonly customerKey: string | null;
}

export interface CallBatch {
  readonly programId: ProgramId;
  /** The shard that had the program. */
  readonly shard: Shard;
  /** Each as JSON of a `NotedCall`: one text costs the runtime less than as many objects. */
  readonly calls: readonly string[];
  /** Calls that there was no room for. */
  readonly dropped: number;
  /** The program has erased customers, whose names ids may contain. */
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
  /** Milliseconds: from the first up to the second, which isn't included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface RequestQuery {
  readonly programId: ProgramId;
  readonly filter: RequestFilter;
  /** The last one of the page before. */
  readonly after: Pick<LoggedCall, "at" | "number"> | undefined;
  readonly limit: number;
}

export interface RequestPage {
  /** The newest first. */
  readonly calls: readonly LoggedCall[];
  /** Calls of the last days that are not in the log. */
  readonly dropped: number;
}

/** The names of a customer in calls. */
export interface NamedPerson {
  readonly programId: ProgramId;
  readonly names: readonly string[];
}

export interface RequestLogRpc {
  add(batch: CallBatch): Promise<void>;
  list(query: RequestQuery): Promise<RequestPage>;
  /** Calls that name a customer. */
  listPerson(person: NamedPerson): Promise<readonly LoggedCall[]>;
  /** Removes what names a customer. With `isErased`, later calls are stored without the name, too. */
  erase(person: NamedPerson & { readonly isErased: boolean }): Promise<void>;
}
