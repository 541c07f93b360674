import { readFromDatabase } from "#api/read-database.ts";
import type { Payer } from "#domain/payer.ts";
import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import type { PayoutRow } from "#store/payouts.ts";
import { readPayer } from "#store/views/programs.ts";
import { type LinesPage, type LinesQuery, readLines } from "../read-lines.ts";
import { lineSorter, type SortedLines } from "./sort-lines.ts";

export interface SortedPayout extends SortedLines {
  readonly payout: PayoutRow;
  readonly payer: Payer | null;
}

/** A payment that failed isn't sent again: the amount is payable by the next payout. */
export const withoutFailed = <Page extends Pick<LinesPage, "page">>(found: Page): Page => ({
  ...found,
  page: found.page.filter(({ state }) => state === "live"),
});

export async function sortPayout(c: Ctx, query: LinesQuery): Promise<Result<SortedPayout>> {
  const reading = readFromDatabase(c, "program", (database) => readPayer(database, query.programId));
  const sorter = lineSorter();
  let after = 0;
  for (;;) {
    const read = await readLines(c, query, after);
    if (!read.ok) return read;
    const { payout, page, next } = read.value;
    for (const line of page) sorter.add(line);
    if (next === undefined) {
      const payer = await reading;
      return payer.ok ? ok({ payout, payer: payer.value, ...sorter.sorted() }) : payer;
    }
    after = next;
  }
}
