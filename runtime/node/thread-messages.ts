import type { BatchMode, ConnectionOptions, SqlStatement } from "./sql-connection.ts";

export interface ThreadData extends ConnectionOptions {
  readonly file: string;
}

export interface BatchRequest {
  readonly id: number;
  readonly kind: "batch";
  readonly statements: readonly SqlStatement[];
  readonly mode: BatchMode;
  /** The instant at which the caller stops waiting. A read isn't executed after it. */
  readonly until: number;
}

export type ThreadRequest = BatchRequest | { readonly id: number; readonly kind: "close" };

/**
 * The thread's response to the request with this id. The first response has the id 0, and is sent once the file is
 * open.
 */
export interface ThreadAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly fault?: {
    readonly message: string;
    readonly code: string | undefined;
    readonly statementIndex: number | undefined;
  };
}

/** Milliseconds on a clock that all threads share and nobody sets. */
export const threadClock = (): number => performance.timeOrigin + performance.now();
