import type { BatchMode, SqlStatement } from "./sql-connection.ts";

export interface ThreadData {
  readonly file: string;
  readonly cacheKibibytes: number;
}

export type ThreadRequest = { readonly id: number } & (
  | { readonly kind: "batch"; readonly statements: readonly SqlStatement[]; readonly mode: BatchMode }
  | { readonly kind: "close" }
);

/** 0 is the id of the first one: the file is open. */
export interface ThreadAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly fault?: {
    readonly message: string;
    readonly code: string | undefined;
    readonly statementIndex: number | undefined;
  };
}
