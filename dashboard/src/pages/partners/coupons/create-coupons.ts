import type { PreparedRow } from "../../../../../importer/index.ts";
import type { Many } from "../../../api/use-many.ts";
import type { Refused } from "../../../components/outcome-list.tsx";
import { formatCount, pluralize } from "../../../format.ts";
import type { Program } from "../../../session.tsx";
import { type BulkResult, endOf } from "../bulk/verbs.ts";
import { type CheckedCoupons, refusalOf, rowsToCreate } from "./check-coupons.ts";
import { couponCalls } from "./coupon-calls.ts";

interface Creating {
  readonly many: Many;
  readonly program: Program;
  readonly source: string;
  readonly checked: CheckedCoupons;
  /** Returns the partner of a line. */
  readonly partnerOf?: (line: number) => number | undefined;
}

/** Creates the coupons that the check has found to be new. */
export async function createCoupons({ many, program, source, checked, partnerOf }: Creating): Promise<BulkResult> {
  const rows = rowsToCreate(checked);
  const sent = await couponCalls(many, program, source).create(rows);
  const faults = new Map(checked.faults);
  for (const result of sent.results) if (result.result === "refused") faults.set(result.line, refusalOf(result));
  const answered = new Set(sent.results.map(({ line }) => line));
  const made = new Set(sent.results.flatMap(({ line, result }) => (result === "created" ? [line] : [])));
  const known = sent.tally.unchanged + checked.present.size;
  const counts = [
    `${pluralize(made.size, "coupon")} created`,
    ...(known > 0 ? [`${formatCount(known)} known already`] : []),
    ...(faults.size > 0 ? [`${formatCount(faults.size)} left out`] : []),
  ];
  const isLeft = (line: number) => faults.has(line) || !(answered.has(line) || checked.present.has(line));
  const madeRows = rows.filter(({ line }) => made.has(line));
  return {
    text: `${counts.join(", ")}.${endOf(sent, rows.length)}`,
    refused: checked.lines.flatMap((each): readonly Refused[] => {
      const refusal = faults.get(each.line);
      return refusal === undefined ? [] : [{ name: each.partnerName ?? `line ${each.line}`, refusal }];
    }),
    isComplete: sent.ended === "done",
    left: new Set(checked.lines.flatMap(({ line }) => (isLeft(line) ? (partnerOf?.(line) ?? []) : []))),
    undo:
      made.size === 0
        ? undefined
        : {
            label: `Undo: pause ${made.size === 1 ? "the coupon" : `these ${formatCount(made.size)} coupons`}`,
            run: (again) => pauseCoupons({ many: again, program, source }, madeRows),
          },
  };
}

async function pauseCoupons(
  { many, program, source }: Pick<Creating, "many" | "program" | "source">,
  rows: readonly PreparedRow[],
): Promise<BulkResult> {
  const sent = await couponCalls(many, program, source).pause(rows);
  return {
    text: `${pluralize(sent.tally.updated, "coupon")} paused. Their codes stay taken.${endOf(sent, rows.length)}`,
    refused: [],
    isComplete: sent.ended === "done",
    left: new Set(),
  };
}
