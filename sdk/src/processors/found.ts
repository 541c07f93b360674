import type { RefundInput, SaleInput } from "../inputs.ts";

interface Doubtful {
  /** A message for `onError` once the event is recorded; for a sale, only if no call has named its customer before. */
  readonly doubt?: string;
  /** A message for `onError` once the event is recorded. */
  readonly ignored?: string;
}

/** A call that an event leads to. */
export type Reported =
  | ({ readonly sale: SaleInput } & Doubtful)
  /** `ifUnknown`: the reason why the sale might be recorded under another id than the one that the refund names. */
  | ({ readonly refund: RefundInput; readonly ifUnknown?: string } & Doubtful);

/** The result of evaluating an event. */
export type Found =
  | Reported
  /** Nothing to report. */
  | { readonly skip: string }
  /** The event can't be reported. */
  | { readonly refused: string };
