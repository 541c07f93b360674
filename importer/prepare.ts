import type { DecimalSign } from "./amounts.ts";
import { textOf } from "./cells.ts";
import type { ImportKind } from "./columns.ts";
import { centsOf, decimalText, type UnitDigits } from "./currency.ts";
import { roundedTogether } from "./damage.ts";
import { type DateOrder, dateOrderOf } from "./dates.ts";
import { createDuplicates } from "./duplicates.ts";
import { judgeRow } from "./judge-row.ts";
import type { MappedColumn, Mapping } from "./mapping.ts";
import type { Problem, RowValues } from "./problems.ts";
import { readColumn } from "./read-column.ts";
import type { Table, TableRow } from "./table.ts";

/** A row in the form in which the service accepts it. */
export type PreparedRow = Readonly<Record<string, string | boolean | number>> & { readonly line: number };

export interface CurrencyTotal {
  readonly currency: string;
  readonly rows: number;
  readonly cents: number;
  /** The sum as a decimal, for example "-9.80". */
  readonly amount: string;
}

export interface Prepared {
  readonly kind: ImportKind;
  readonly rows: readonly PreparedRow[];
  readonly problems: readonly Problem[];
  /** Lines that the preset leaves out, such as paid commissions. */
  readonly leftOut: readonly number[];
  /** Lines with the same content as an earlier one. */
  readonly repeated: readonly number[];
  /** Totals of the rows that are sent, if they are balances. */
  readonly totals: readonly CurrencyTotal[];
  /** Settings that can't be derived from the file, so that the user must choose. */
  readonly asks: readonly ("dateOrder" | "decimalSign")[];
}

export interface PrepareOptions {
  readonly kind: ImportKind;
  readonly table: Table;
  readonly mapping: Mapping;
  readonly dateOrder?: DateOrder | undefined;
  readonly decimalSign?: DecimalSign | undefined;
  /**
   * True if a customer's sales between `since` and the import earn commission too, unless the customer's row says
   * otherwise.
   */
  readonly paysPast?: boolean;
  /** Query parameters whose value in a partner's link is the code, if the file has links. */
  readonly linkParams?: readonly string[];
  /** The program's units. Balances may be in a unit. */
  readonly units?: UnitDigits | undefined;
}

/**
 * Reads all rows. The rows to send, those with problems, those left out and those repeated add up to the file's rows.
 */
export function prepareRows(options: PrepareOptions): Prepared {
  const { kind, table, mapping } = options;
  const rows: PreparedRow[] = [];
  const repeated: number[] = [];
  const duplicates = createDuplicates(kind);
  const judged = table.rows.map((row) => ({ row, is: judgeRow(row, table, mapping) }));
  const wanted = judged.flatMap(({ row, is }) => (is === "wanted" ? [row] : []));
  const leftOut = judged.flatMap(({ row, is }) => (is === "left out" ? [row.line] : []));
  const problems = judged.flatMap(({ is }) => (typeof is === "object" ? [is] : []));
  const readRow = rowReader(options, wanted);
  for (const row of wanted) {
    const { values, faults } = readRow(row);
    const duplicate = duplicates.check(row.line, values, faults.length === 0);
    if (duplicate === "same" && faults.length === 0) {
      repeated.push(row.line);
      continue;
    }
    const all = typeof duplicate === "object" ? [...faults, duplicate] : faults;
    if (all.length === 0) rows.push({ ...values, line: row.line });
    else problems.push(...all);
  }
  problems.sort((a, b) => a.line - b.line);
  const asks = [
    ...(problems.some(({ code }) => code === "ambiguous_date") ? (["dateOrder"] as const) : []),
    ...(problems.some(({ code }) => code === "ambiguous_amount") ? (["decimalSign"] as const) : []),
  ];
  return {
    kind,
    rows,
    problems,
    leftOut,
    repeated,
    totals: kind === "balances" ? totalsOf(rows, options.units) : [],
    asks,
  };
}

function rowReader({ mapping, linkParams = [], units, ...options }: PrepareOptions, wanted: readonly TableRow[]) {
  const textsOf = ({ at }: MappedColumn) => wanted.map(({ cells }) => textOf(cells, at));
  const orders = new Map(
    mapping.columns
      .filter(({ column }) => column.form === "instant")
      .map((mapped) => [mapped, options.dateOrder ?? dateOrderOf(textsOf(mapped))] as const),
  );
  const roundedIds = new Map(
    mapping.columns
      .filter(({ column }) => column.form === "id" || column.form === "code")
      .map((mapped) => [mapped, roundedTogether(textsOf(mapped))] as const),
  );
  const currencies = mapping.columns.find(({ column }) => column.form === "currency");

  return (row: TableRow) => {
    const { line, cells } = row;
    const values: Record<string, RowValues[string]> = {};
    const faults: Problem[] = [];
    const currency = currencies === undefined ? "" : textOf(cells, currencies.at).toUpperCase();
    for (const mapped of mapping.columns) {
      const { name } = mapped.column;
      const reading = readColumn(mapped, row, {
        decimalSign: options.decimalSign,
        currency,
        ...(units && { units }),
        dateOrder: orders.get(mapped),
        linkParams,
        roundedIds: roundedIds.get(mapped) ?? none,
      });
      if (reading?.ok === false) {
        const { code, text: read, expected } = reading;
        faults.push({ line, column: name, code, read, expected });
      } else if (reading !== undefined) values[name] = reading.value;
    }
    if (options.paysPast && values.since !== undefined) values.pay_past ??= true;
    return { values, faults };
  };
}

const none: ReadonlySet<string> = new Set();

/** Totals of balance rows by currency or unit. */
export function totalsOf(rows: readonly PreparedRow[], units?: UnitDigits): CurrencyTotal[] {
  const sums = new Map<string, { rows: number; cents: number }>();
  for (const { currency, amount } of rows) {
    const code = String(currency);
    const sum = sums.get(code) ?? { rows: 0, cents: 0 };
    sums.set(code, { rows: sum.rows + 1, cents: sum.cents + centsOf(String(amount), code, units) });
  }
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, sum]) => ({ currency, ...sum, amount: decimalText(sum.cents, currency, units) }));
}
