import type { CallOptions, Optional } from "../inputs.ts";
import type { Failure, PayoutLine, Success } from "../results.ts";
import type { List, PageFilter } from "./lists.ts";

export interface PayoutLineFilter extends PageFilter {
  readonly state?: Optional<PayoutLine["state"]>;
}

export interface SettledLine extends PayoutLine {
  /**
   * True if the line had failed or been given back before this report. An adjustment then deducts the settlement from
   * the partner's balance.
   */
  readonly late: boolean;
}

export interface Settlement {
  /** Your own id of the settlement, such as that of the credit. A line is settled with one id only. */
  readonly settlementId: string;
  /** At most 400 days ago. A string is ISO 8601 with an offset. Default: now. */
  readonly settledAt?: Optional<Date | string>;
}

export interface LineFailure {
  /** The reason, for your team. */
  readonly reason: string;
  /** A note for the partner. */
  readonly partnerNote?: Optional<string>;
  /**
   * The state in which you expect the line. If the line is in another state, nothing changes: 409 `differs`. Send
   * `open` with a line that you give back, because another run of your job may have settled it.
   */
  readonly expectedState?: Optional<"open" | "settled">;
}

/**
 * Lines start with the lowest id. A page of `list` has at most 50. Listing needs the scope `read`; `settle` and `fail`
 * need the scope `settle`.
 */
export interface PayoutLines extends List<PayoutLine, PayoutLineFilter> {
  /** Reports that you have settled a line. Repeating the report with the same id changes nothing. */
  settle(lineId: number, settlement: Settlement, options?: CallOptions): Promise<Success<SettledLine> | Failure>;
  /** Gives a line back, or reports that a settled line has failed. The line's amount is then payable again. */
  fail(lineId: number, failure: LineFailure, options?: CallOptions): Promise<Success<PayoutLine> | Failure>;
}

type SettlementId = Promise<string | null> | string | null;

export interface SettleLine {
  /** Settles one line in your own system and returns the id of the settlement. Null leaves the line due. */
  (line: PayoutLine): SettlementId;
  /**
   * Returns the id of the settlement of a line that was given back, if your system has settled the line, or null.
   * `find` must not settle the line, because its amount is payable again. Without `find`, `settlePayout` ignores such
   * lines.
   */
  find?(line: PayoutLine): SettlementId;
}

/** The result of `settlePayout`. */
export interface SettledPayout {
  /** True if each due line was settled, no line failed, and the call didn't stop early. */
  readonly ok: boolean;
  /** Number of lines whose settlement was reported, including the late ones. */
  readonly settled: number;
  /**
   * Number of settled lines that had been given back before, so that the settlement is deducted from the partner's
   * balance.
   */
  readonly late: number;
  /** Lines for which your function returned null. */
  readonly left: readonly PayoutLine[];
  /**
   * Lines for which your function or its `find` threw, or whose report failed. In the second case, `error` is the
   * `Failure`, and your system may have settled the line. The lines stay as they are: run `settlePayout` again.
   */
  readonly failed: readonly { readonly line: PayoutLine; readonly error: unknown }[];
  /**
   * The failed call at which `settlePayout` stopped, because the call would also fail for other lines, or because your
   * system may have settled a line twice. Run `settlePayout` again.
   */
  readonly stopped: Failure | null;
}

interface Tally {
  settled: number;
  late: number;
  readonly left: PayoutLine[];
  readonly failed: { line: PayoutLine; error: unknown }[];
}

/**
 * A `Failure`: the report of one line failed in a way that concerns the other lines too. True: list the lines again.
 */
type End = Failure | boolean;

/**
 * Settles each line that is due, one after the other. Then reports the settlements of lines that were given back
 * between their settlement and its report. Safe to run again at any time: your function must return the same id for a
 * line that it has settled before.
 */
export async function settleEach(lines: PayoutLines, settleLine: SettleLine): Promise<SettledPayout> {
  const tally: Tally = { settled: 0, late: 0, left: [], failed: [] };
  const report = (line: PayoutLine) => reportLine(lines, line, settleLine, tally);
  let stopped = await reportAll(lines, "due", report);
  if (!stopped && settleLine.find) stopped = await reportAll(lines, "given_back", report);
  return { ok: !(stopped || tally.left.length || tally.failed.length), ...tally, stopped };
}

/** Reports the lines with higher ids than `after`. Returns the failure at which it stopped. */
async function reportAll(
  lines: PayoutLines,
  state: "due" | "given_back",
  report: (line: PayoutLine) => Promise<End>,
  after = 0,
): Promise<Failure | null> {
  for await (const page of lines.pages({ state })) {
    if (!page.ok) return page;
    for (const line of page.data) {
      // If a given back line has a settlement id, it was settled before it failed, or its report came late.
      const end = line.settlementId === null && line.lineId > after && (await report(line));
      if (end) return end === true ? reportAll(lines, state, report, line.lineId) : end;
    }
  }
  return null;
}

async function reportLine(lines: PayoutLines, line: PayoutLine, settleLine: SettleLine, tally: Tally): Promise<End> {
  const isDue = line.state === "due";
  try {
    const settlementId = await (isDue ? settleLine(line) : (settleLine.find?.(line) ?? null));
    if (settlementId !== null) {
      const reported = await lines.settle(line.lineId, { settlementId });
      if (reported.ok) {
        tally.settled += 1;
        tally.late += Number(reported.data.late);
        // If a due line was given back meanwhile, other lines of the page may have been given back too: list them
        // again.
        return isDue && reported.data.late;
      }
      tally.failed.push({ line, error: reported });
      const { code } = reported.error.details;
      if (code === "not_due") return isDue;
      // If another run has settled a due line with another id, both runs might settle each further line: stop.
      return reported.status !== 400 && (isDue || code !== "differs") && reported;
    }
    if (isDue) tally.left.push(line);
  } catch (error) {
    tally.failed.push({ line, error });
  }
  return false;
}
