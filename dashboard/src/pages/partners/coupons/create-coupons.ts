import type { PreparedRow } from "../../../../../importer/index.ts";
import type { Many } from "../../../api/use-many.ts";
import type { Refused } from "../../../components/outcome-list.tsx";
import { formatCount, pluralize } from "../../../format.ts";
import type { Program } from "../../../session.tsx";
import { type BulkResult, endOf } from "../bulk/verbs.ts";
import { type CheckedCoupons, refusalOf, rowsToCreate, rowsToResume } from "./check-coupons.ts";
import { couponCalls } from "./coupon-calls.ts";

interface Creating {
  readonly many: Many;
  readonly program: Program;
  readonly source: string;
  readonly checked: CheckedCoupons;
  /** Returns the partner of a line. */
  readonly partnerOf?: (line: number) => number | undefined;
}

/** Creates the coupons that the check has found to be new, and resumes those that it has found to be paused. */
export async function createCoupons({ many, program, source, checked, partnerOf }: Creating): Promise<BulkResult> {
  const calls = couponCalls(many, program, source);
  const [rows, pausedRows] = [rowsToCreate(checked), rowsToResume(checked)];
  const sent = await calls.create(rows);
  const mayResume = sent.ended === "done" && pausedRows.length > 0;
  const resumed = mayResume ? await calls.setStatus(pausedRows, "active") : undefined;
  const results = [...sent.results, ...(resumed?.results ?? [])];
  const faults = new Map(checked.faults);
  for (const result of results) if (result.result === "refused") faults.set(result.line, refusalOf(result));
  const changed = new Set(results.flatMap(({ line, result }) => (wasChanged.includes(result) ? [line] : [])));
  const answered = new Set(results.map(({ line }) => line));
  const isKnown = (line: number) => checked.present.has(line) && !checked.paused.has(line);
  const active = checked.present.size - checked.paused.size;
  const known = sent.tally.unchanged + (resumed?.tally.unchanged ?? 0) + active;
  const counts = [
    `${pluralize(sent.tally.created, "coupon")} created`,
    ...(resumed === undefined ? [] : [`${formatCount(resumed.tally.updated)} resumed`]),
    ...(known > 0 ? [`${formatCount(known)} known already`] : []),
    ...(faults.size > 0 ? [`${formatCount(faults.size)} left out`] : []),
  ];
  const isLeft = (line: number) => faults.has(line) || !(answered.has(line) || isKnown(line));
  const [last, total] = resumed === undefined ? [sent, rows.length] : [resumed, pausedRows.length];
  return {
    text: `${counts.join(", ")}.${endOf(last, total)}`,
    refused: checked.lines.flatMap((each): readonly Refused[] => {
      const refusal = faults.get(each.line);
      return refusal === undefined ? [] : [{ name: each.partnerName ?? `line ${each.line}`, refusal }];
    }),
    isComplete: last.ended === "done",
    left: new Set(checked.lines.flatMap(({ line }) => (isLeft(line) ? (partnerOf?.(line) ?? []) : []))),
    undo: undoTo(
      "paused",
      { program, source },
      [...rows, ...pausedRows].filter(({ line }) => changed.has(line)),
    ),
  };
}

const wasChanged: readonly string[] = ["created", "updated"];

type Place = Pick<Creating, "program" | "source">;
type Status = "active" | "paused";

/** The undo of a change, which pauses or resumes the coupons. Undefined if no coupon was changed. */
function undoTo(status: Status, place: Place, rows: readonly PreparedRow[]): BulkResult["undo"] {
  if (rows.length === 0) return undefined;
  const verb = status === "paused" ? "pause" : "resume";
  return {
    label: `Undo: ${verb} ${rows.length === 1 ? "the coupon" : `these ${formatCount(rows.length)} coupons`}`,
    run: (many) => setStatus({ ...place, many }, rows, status),
  };
}

async function setStatus(
  { many, program, source }: Place & Pick<Creating, "many">,
  rows: readonly PreparedRow[],
  status: Status,
): Promise<BulkResult> {
  const sent = await couponCalls(many, program, source).setStatus(rows, status);
  const updated = new Set(sent.results.flatMap(({ line, result }) => (result === "updated" ? [line] : [])));
  const count = pluralize(sent.tally.updated, "coupon");
  const done = status === "paused" ? `${count} paused. Their codes stay taken.` : `${count} resumed.`;
  const other = status === "paused" ? "active" : "paused";
  return {
    text: `${done}${endOf(sent, rows.length)}`,
    refused: [],
    isComplete: sent.ended === "done",
    left: new Set(),
    undo: undoTo(
      other,
      { program, source },
      rows.filter(({ line }) => updated.has(line)),
    ),
  };
}
