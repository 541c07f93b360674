import {
  type CodeCount,
  countCodes,
  decimalText,
  type Problem,
  problemInWords,
  rowResults,
  type Sent,
  type Tally,
  totalsOf,
} from "../../../importer/index.ts";
import { isUnit, money } from "../format.ts";
import { bold, dim } from "../output.ts";
import type { ImportPlan } from "./options.ts";

/** Maximum number of problems to print. The file of `--refused` contains all refused rows. */
const shownProblems = 20;

const rows = (count: number): string => `${count} row${count === 1 ? "" : "s"}`;

function columnsInWords(preset: ImportPlan["preset"], kind: ImportPlan["kind"]): string[] {
  const title = preset?.files[kind]?.title;
  return preset === undefined || title === undefined ? [] : [`Columns: the preset ${preset.id} (${title}).`];
}

/** The content read from the file, before anything is sent. */
export function fileInWords({ file, kind, table, prepared, preset, source, unused }: ImportPlan): string {
  const { problems, leftOut, repeated } = prepared;
  const faulty = new Set(problems.map(({ line }) => line)).size;
  return [
    bold(`${file}: ${rows(table.rows.length)} of ${kind}, from ${source}`),
    ...columnsInWords(preset, kind),
    ...(unused.length > 0 ? [dim(`Not imported: ${unused.join(", ")}.`)] : []),
    ...(leftOut.length > 0 ? [`${rows(leftOut.length)} left out: their status isn't one that is imported.`] : []),
    ...(repeated.length > 0 ? [`${rows(repeated.length)} left out: an earlier row says the same.`] : []),
    ...(faulty > 0 ? ["", `${rows(faulty)} with problems, which aren't sent:`, ...problemLines(problems)] : []),
    ...prepared.asks.map(
      (asked) =>
        ({ dateOrder: "Pass --date-order dmy or mdy.", decimalSign: "Pass --decimal-sign point or comma." })[asked],
    ),
  ].join("\n");
}

function problemLines(problems: readonly Problem[]): string[] {
  const left = problems.length - shownProblems;
  const shown = problems.slice(0, shownProblems).map((problem) => `  ${problemInWords(problem)}`);
  return left > 0 ? [...shown, `  and ${left} more`] : shown;
}

/** The results of the sent rows, or of the check. */
export function sentInWords(plan: ImportPlan, { tally, results }: Sent, isDryRun: boolean): string {
  const counts = rowResults.map((result) => `  ${result.padEnd(9)} ${String(tally[result]).padStart(7)}`);
  const { sales, amounts } = tally.effects;
  const earned = amounts.map(({ currency, cents }) =>
    isUnit(currency) ? money(cents, currency) : `${decimalText(cents, currency)} ${currency}`,
  );
  const booked = totalsOf(createdOf(plan, results)).map(({ amount, currency }) => `${amount} ${currency}`);
  return [
    bold(isDryRun ? "This is what an import would do" : "Imported"),
    ...counts,
    ...codeLines("refused", tally.refusals, (line) => cellInWords(plan, tally, line)),
    ...(tally.refusals.some(({ code }) => code === "owner_only") ? [ownerOnly] : []),
    ...codeLines("warning", tally.warnings, String),
    ...(sales > 0 ? [`  earlier sales that become the partners': ${sales}, earning ${earned.join(", ")}`] : []),
    ...(booked.length > 0 ? [`  balances ${isDryRun ? "to book" : "booked"}: ${booked.join(", ")}`] : []),
  ].join("\n");
}

export const ownerOnly =
  "Only owners import balances, and customers with --pay-past,\n" +
  "on the dashboard's page Partners, Add several, Import a file.";

const codeLines = (what: string, codes: readonly CodeCount[], inWords: (line: number) => string): string[] =>
  codes.map(({ code, count, lines }) => {
    const more = count > lines.length ? ", …" : "";
    const named = lines.map(inWords).join(", ");
    return `  ${what}: ${code}, ${rows(count)}: line${count === 1 ? "" : "s"} ${named}${more}`;
  });

/** Describes a refused row in one line, with the invalid cell. */
function cellInWords({ prepared }: ImportPlan, { refusedRows }: Tally, line: number): string {
  const field = refusedRows.find((row) => row.line === line)?.field ?? "";
  const value = prepared.rows.find((row) => row.line === line)?.[field];
  if (field === "") return String(line);
  return `${line} (${field}: ${value === undefined ? "nothing" : `"${value}"`})`;
}

function createdOf({ kind, prepared }: ImportPlan, results: Sent["results"]) {
  const lines = new Set(results.flatMap(({ result, line }) => (result === "created" ? [line] : [])));
  return kind === "balances" ? prepared.rows.filter(({ line }) => lines.has(line)) : [];
}

/** The results as JSON, for programs. */
export function asData(plan: ImportPlan, { tally, results, ended }: Sent, isDryRun: boolean) {
  const { rows: sent, created, updated, unchanged, refused, refusals, warnings, effects } = tally;
  const { problems, leftOut, repeated } = plan.prepared;
  return {
    dry_run: isDryRun,
    kind: plan.kind,
    source: plan.source,
    ended,
    file_rows: plan.table.rows.length,
    left_out: leftOut.length,
    repeated: repeated.length,
    problem_rows: new Set(problems.map(({ line }) => line)).size,
    rows: sent,
    created,
    updated,
    unchanged,
    refused,
    refusals,
    warnings,
    problem_codes: countCodes(problems),
    effects,
    balances: totalsOf(createdOf(plan, results)).map(({ currency, amount }) => ({ currency, amount })),
  };
}
