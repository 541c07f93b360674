import type { CallOptions, Optional } from "../inputs.ts";
import type { Failure, PayoutLine, Success } from "../results.ts";
import type { List, PageFilter } from "./lists.ts";

export interface PayoutLineFilter extends PageFilter {
  readonly state?: Optional<PayoutLine["state"]>;
}

export interface SettledLine extends PayoutLine {
  /** True if the line had failed before, so that an adjustment deducted the settlement from the partner's balance. */
  readonly late: boolean;
}

export interface Settlement {
  /** Your own id for the settlement, such as the id of the credit. A line can be settled with only one id. */
  readonly settlementId: string;
  /** At most 400 days ago. A string is ISO 8601 with an offset. Default: now. */
  readonly settledAt?: Optional<Date | string>;
}

export interface LineFailure {
  /** Visible to your team. */
  readonly reason: string;
  /** Visible to the partner. */
  readonly partnerNote?: Optional<string>;
  /**
   * Whether you expect the line to be settled. If it isn't in this state, nothing changes: 409 `differs`. Send `open`
   * with a line that you give back, because another run of your job may have settled it.
   */
  readonly expectedState?: Optional<"open" | "settled">;
}

/**
 * Lines are sorted by id, and `list` returns 50 at a time. Listing needs the scope `read`. The other calls need
 * `settle`.
 */
export interface PayoutLines extends List<PayoutLine, PayoutLineFilter> {
  /** Reports that you have settled a line. Repeating the call with the same id changes nothing. */
  settle(lineId: number, settlement: Settlement, options?: CallOptions): Promise<Success<SettledLine> | Failure>;
  /** Gives a line back, or reports that a settled line has failed. The line's amount is payable again. */
  fail(lineId: number, failure: LineFailure, options?: CallOptions): Promise<Success<PayoutLine> | Failure>;
}

/** Settles one line in your own system and returns the settlement's id. Return null to leave the line due. */
export type SettleLine = (line: PayoutLine) => Promise<string | null> | string | null;

/** The result of `settlePayout`. `settled` is the number of lines, including late settlements. */
export interface SettledPayout {
  /** True if every due line was settled. */
  readonly ok: boolean;
  readonly settled: number;
  /** Lines for which your function returned null. */
  readonly left: readonly PayoutLine[];
  /** Lines for which your function threw an error. They stay due, so run it again. */
  readonly failed: readonly { readonly line: PayoutLine; readonly error: unknown }[];
  /** The call after which it stopped, because the service refused the call or can't be reached. Run it again. */
  readonly stopped: Failure | null;
}

/**
 * Settles the due lines one after the other. You can run it again at any time, if your function returns the same id for
 * a line that it has already settled.
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
