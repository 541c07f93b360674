import type { Failure } from "../../api/failure.ts";
import type { LineChange } from "../../api/types.ts";

/** The details of the refusal that asks to acknowledge a restore before the first payout after it. */
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

/** The details of the refusal because a draft's lines have changed since it was made. */
export interface ChangedLines {
  readonly code: "total_differs" | "all_left_out";
  readonly changes: readonly LineChange[];
}

/** The details of the refusal because the currency already has a draft. */
interface Draft {
  readonly payoutId: number;
  readonly reference: string;
}

type Details = Failure["details"];

const isRestored = (details: Details): details is Restored =>
  details !== undefined && "code" in details && details.code === "restored";

const isChanged = (details: Details): details is ChangedLines =>
  details !== undefined && "code" in details && (details.code === "total_differs" || details.code === "all_left_out");

const isDraft = (details: Details): details is Draft =>
  details !== undefined && "payoutId" in details && "reference" in details;

export const restoredIn = (failure: Failure | undefined): Restored | undefined =>
  isRestored(failure?.details) ? failure.details : undefined;

export const changedIn = (failure: Failure | undefined): ChangedLines | undefined =>
  isChanged(failure?.details) ? failure.details : undefined;

export const draftIn = (failure: Failure | undefined): Draft | undefined =>
  isDraft(failure?.details) ? failure.details : undefined;

/** Shows an action's failure in a toast, unless its dialog asks about a restore instead. */
export const failsUnlessRestored = (failure: Failure): "toast" | "form" =>
  restoredIn(failure) === undefined ? "toast" : "form";
