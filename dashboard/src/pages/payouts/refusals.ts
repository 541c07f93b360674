import type { Failure } from "../../api/failure.ts";
import type { LineChange } from "../../api/types.ts";

/** The first payout since the service was restored from a backup must acknowledge it. */
export interface Restored {
  readonly restoredAt: string;
  readonly backupAt: string | null;
  readonly lastPayout: {
    readonly reference: string;
    readonly totalCents: number;
    readonly currency: string;
    readonly paidAt: string | null;
  } | null;
}

/** A draft's lines have changed since it was made. */
export interface ChangedLines {
  readonly code: "total_differs" | "all_left_out";
  readonly changes: readonly LineChange[];
}

type Details = Failure["details"];

const isRestored = (details: Details): details is Restored =>
  details !== undefined && "code" in details && details.code === "restored";

const isChanged = (details: Details): details is ChangedLines =>
  details !== undefined && "code" in details && (details.code === "total_differs" || details.code === "all_left_out");

export const restoredIn = (failure: Failure | undefined): Restored | undefined =>
  isRestored(failure?.details) ? failure.details : undefined;

export const changedIn = (failure: Failure | undefined): ChangedLines | undefined =>
  isChanged(failure?.details) ? failure.details : undefined;

/** For an action whose dialog asks about a restore. */
export const failsUnlessRestored = (failure: Failure): "toast" | "form" =>
  restoredIn(failure) === undefined ? "toast" : "form";
