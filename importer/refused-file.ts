import { csvLine } from "./csv.ts";
import { headerKey } from "./headers.ts";
import type { Problem } from "./problems.ts";
import type { Table } from "./table.ts";
import type { RefusedRow } from "./tally.ts";

const added = ["line", "code", "field"] as const;

/** The rows that weren't imported, as they are in the file, with why. Corrected, it can be imported as it is. */
export function refusedFile(
  { headers, rows }: Table,
  problems: readonly Problem[],
  refused: readonly RefusedRow[],
): string {
  const reasons = new Map<number, RefusedRow>();
  for (const { line, code, column } of problems)
    if (!reasons.has(line)) reasons.set(line, { line, code, field: column });
  for (const row of refused) reasons.set(row.line, row);
  // A file of refused rows has them already.
  const isAgain = added.every((name, i) => headerKey(headers.at(i - added.length) ?? "") === name);
  const own = isAgain ? headers.length - added.length : headers.length;
  const lines = rows.flatMap(({ line, cells }) => {
    const reason = reasons.get(line);
    if (reason === undefined) return [];
    const original = Array.from({ length: own }, (_, i) => cells[i] ?? "");
    return [csvLine([...original, String(line), reason.code, reason.field])];
  });
  return [csvLine([...headers.slice(0, own), ...added]), ...lines].join("");
}
