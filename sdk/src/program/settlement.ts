import type { CallOptions, Optional } from "../inputs.ts";
import type { Failure, PayoutLine, Success } from "../results.ts";
import type { List, PageFilter } from "./lists.ts";

export interface PayoutLineFilter extends PageFilter {
  readonly state?: Optional<PayoutLine["state"]>;
}

export interface SettledLine extends PayoutLine {
  /** The line had failed before, so an adjustment deducts the settlement from the partner's balance. */
  readonly late: boolean;
}

export interface Settlement {
  /** Your own id of the settlement, such as that of the credit. A line is settled with one id only. */
  readonly settlementId: string;
  /** At most 400 days ago. A string is ISO 8601 with an offset. Default: now. */
  readonly settledAt?: Optional<Date | string>;
}

export interface LineFailure {
  /** For your team. */
  readonly reason: string;
  /** For the partner. */
  readonly partnerNote?: Optional<string>;
}

/** Lines start with the lowest id, and `list` has 50. Listing needs the scope `read`, the others need `settle`. */
export interface PayoutLines extends List<PayoutLine, PayoutLineFilter> {
  /** Reports that you have settled a line. Repeating it with the same id changes nothing. */
  settle(lineId: number, settlement: Settlement, options?: CallOptions): Promise<Success<SettledLine> | Failure>;
  /** Gives a line back, or reports that a settled one has failed. Its amount is payable again. */
  fail(lineId: number, failure: LineFailure, options?: CallOptions): Promise<Success<PayoutLine> | Failure>;
}

/** Settles one line in your own system and returns the id of the settlement. Null leaves the line due. */
export type SettleLine = (line: PayoutLine) => Promise<string | null> | string | null;

/** What `settlePayout` has done. `settled` counts lines, also late ones. */
export interface SettledPayout {
  /** True if each due line was settled. */
  readonly ok: boolean;
  readonly settled: number;
  /** Lines for which your function returned null. */
  readonly left: readonly PayoutLine[];
  /** Lines for which your function threw. They stay due: run it again. */
  readonly failed: readonly { readonly line: PayoutLine; readonly error: unknown }[];
  /** The call at which it stopped, because the service refused it or can't be reached. Run it again. */
  readonly stopped: Failure | null;
}

/**
 * Settles each line that is due, one after the other. Safe to run again at any time: your function must return the same
 * id for a line that it has settled before.
 */
export async function settleEach(lines: PayoutLines, settleLine: SettleLine): Promise<SettledPayout> {
  let settled = 0;
  const left: PayoutLine[] = [];
  const failed: { line: PayoutLine; error: unknown }[] = [];
  const done = (stopped: Failure | null): SettledPayout => ({
    ok: stopped === null && left.length + failed.length === 0,
    settled,
    left,
    failed,
    stopped,
  });
  for await (const page of lines.pages({ state: "due" })) {
    if (!page.ok) return done(page);
    for (const line of page.data) {
      try {
        const settlementId = await settleLine(line);
        if (settlementId === null) {
          left.push(line);
          continue;
        }
        const told = await lines.settle(line.lineId, { settlementId });
        if (!told.ok) return done(told);
        settled += 1;
      } catch (error) {
        failed.push({ line, error });
      }
    }
  }
  return done(null);
}
