import type { DecimalSign } from "./amounts.ts";
import { type CellOptions, readCell, splitCodes, textOf } from "./cells.ts";
import type { ImportKind } from "./columns.ts";
import { centsOf, decimalText } from "./currency.ts";
import { type DateOrder, dateOrderOf } from "./dates.ts";
import { createDuplicates } from "./duplicates.ts";
import type { MappedColumn, Mapping } from "./mapping.ts";
import type { Problem, RowValues } from "./problems.ts";
import type { Table, TableRow } from "./table.ts";

/** A row as the service takes it. */
export type PreparedRow = Readonly<Record<string, string | boolean | number>> & { readonly line: number };

export interface CurrencyTotal {
  readonly currency: string;
  readonly rows: number;
  readonly cents: number;
  /** Such as "-9.80". */
  readonly amount: string;
}

export interface Prepared {
  readonly kind: ImportKind;
  readonly rows: readonly PreparedRow[];
  readonly problems: readonly Problem[];
  /** Lines that the preset leaves out, such as commissions that were paid. */
  readonly leftOut: readonly number[];
  /** Lines that say the same as an earlier one. */
  readonly repeated: readonly number[];
  /** Of the rows that are sent, if they are balances. */
  readonly totals: readonly CurrencyTotal[];
  /** What the file doesn't tell, so that problems ask for it. */
  readonly asks: readonly ("dateOrder" | "decimalSign")[];
}

export interface PrepareOptions {
  readonly kind: ImportKind;
  readonly table: Table;
  readonly mapping: Mapping;
  readonly dateOrder?: DateOrder | undefined;
  readonly decimalSign?: DecimalSign | undefined;
  /** Earlier sales of customers with a `since` earn, unless their row says otherwise. */
  readonly paysPast?: boolean;
  /** Parameters of links that hold a code, if the file has links. */
  readonly linkParams?: readonly string[];
}

/** Reads each row. Rows + problem rows + left out + repeated are the file's rows. */
export function prepareRows(options: PrepareOptions): Prepared {
  const { kind, table, mapping } = options;
  const rows: PreparedRow[] = [];
  const problems: Problem[] = [];
  const leftOut: number[] = [];
  const repeated: number[] = [];
  const readRow = rowReader(options);
  const duplicates = createDuplicates(kind);
  for (const row of table.rows) {
    if (!isWanted(row, mapping)) {
      leftOut.push(row.line);
      continue;
    }
    const { values, faults } = readRow(row);
    const duplicate = duplicates.check(row.line, values);
    if (duplicate === "same" && faults.length === 0) {
      repeated.push(row.line);
      continue;
    }
    const all = typeof duplicate === "object" ? [...faults, duplicate] : faults;
    if (all.length === 0) rows.push({ ...values, line: row.line });
    else problems.push(...all);
  }
  const asks = [
    ...(problems.some(({ code }) => code === "ambiguous_date") ? (["dateOrder"] as const) : []),
    ...(problems.some(({ code }) => code === "ambiguous_amount") ? (["decimalSign"] as const) : []),
  ];
  return { kind, rows, problems, leftOut, repeated, totals: kind === "balances" ? totalsOf(rows) : [], asks };
}

const isWanted = ({ cells }: TableRow, { filters }: Mapping): boolean =>
  filters.every(({ at, values }) => values.includes((cells[at] ?? "").trim().toLowerCase()));

function rowReader({ table, mapping, linkParams = [], ...options }: PrepareOptions) {
  const wanted = table.rows.filter((row) => isWanted(row, mapping));
  const orders = new Map(
    mapping.columns
      .filter(({ column }) => column.form === "instant")
      .map((mapped) => {
        const cells = options.dateOrder === undefined ? wanted.map((row) => textOf(row.cells, mapped.at)) : [];
        return [mapped, options.dateOrder ?? dateOrderOf(cells)] as const;
      }),
  );
  const currencies = mapping.columns.find(({ column }) => column.form === "currency");

  return ({ line, cells }: TableRow) => {
    const values: Record<string, RowValues[string]> = {};
    const faults: Problem[] = [];
    const currency = currencies === undefined ? "" : textOf(cells, currencies.at).toUpperCase();
    for (const mapped of mapping.columns) {
      const cell = { decimalSign: options.decimalSign, currency, dateOrder: orders.get(mapped), linkParams };
      const { value, fault } = readColumn(mapped, cells, cell);
      if (value !== undefined) values[mapped.column.name] = value;
      if (fault !== undefined) faults.push({ line, column: mapped.column.name, ...fault });
    }
    if (options.paysPast && values.since !== undefined) values.pay_past ??= true;
    return { values, faults };
  };
}

type Fault = Pick<Problem, "code" | "read" | "expected">;

function readColumn(
  mapped: MappedColumn,
  cells: readonly string[],
  options: CellOptions,
): { readonly value?: RowValues[string]; readonly fault?: Fault } {
  const text = textOf(cells, mapped.at);
  const { isRequired, form } = mapped.column;
  if (text === "") return isRequired ? { fault: { code: "missing_value", read: "", expected: "a value" } } : {};
  const reading = readCell(mapped, text, options);
  if (!reading.ok) return { fault: { code: reading.code, read: text, expected: reading.expected } };
  if (form !== "codes") return { value: reading.value };
  const further = mapped.also.flatMap((at) => splitCodes(cells[at] ?? ""));
  return { value: [...new Set([reading.value, ...further])].join(";") };
}

/** Of rows of balances, per currency. */
export function totalsOf(rows: readonly PreparedRow[]): CurrencyTotal[] {
  const sums = new Map<string, { rows: number; cents: number }>();
  for (const { currency, amount } of rows) {
    const code = String(currency);
    const sum = sums.get(code) ?? { rows: 0, cents: 0 };
    sums.set(code, { rows: sum.rows + 1, cents: sum.cents + centsOf(String(amount), code) });
  }
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, sum]) => ({ currency, ...sum, amount: decimalText(sum.cents, currency) }));
}
