/** ISO 4217 currencies whose smallest unit doesn't have two decimals. For some, `Intl` differs from the standard. */
const digitsByCurrency: ReadonlyMap<string, number> = new Map(
  Object.entries({
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
  }).flatMap(([digits, codes]) => codes.split(" ").map((code) => [code, Number(digits)] as const)),
);

/** A reward that is counted like a currency, such as free months. */
export interface Unit {
  readonly code: string;
  readonly digits: number;
  /** The word after an amount of 1. */
  readonly one: string;
  /** The word after other amounts. */
  readonly other: string;
}

const units = new Map<string, Unit>();

/** Sets the units of the API key's program, as the service sent them. */
export function setUnits(known: readonly Unit[]): void {
  for (const unit of known) units.set(unit.code, unit);
}

export const isUnit = (code: string): boolean => code.length > 3;

/** Formats an amount in the smallest unit. 980 cents become "€9.80", and 2 of a unit become "2 free months". */
export function money(cents: number, currency: string): string {
  if (isUnit(currency)) return unitText(cents, units.get(currency));
  const digits = digitsByCurrency.get(currency) ?? 2;
  const format = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return format.format(cents / 10 ** digits).replaceAll("\u00a0", " ");
}

function unitText(scaled: number, unit: Unit | undefined): string {
  if (unit === undefined) throw new Error("The program's units could not be read. Use a key with the scope read.");
  const { digits, one, other } = unit;
  const format = new Intl.NumberFormat("en", { maximumFractionDigits: digits });
  return `${format.format(scaled / 10 ** digits)} ${plain(Math.abs(scaled) === 10 ** digits ? one : other)}`;
}

/** Formats an instant in UTC: "2026-05-07 09:12:44". */
export const time = (instant: string): string => instant.slice(0, 19).replace("T", " ");

export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

/**
 * Makes a text safe to print. Visitors supply some texts, which must not move the cursor, start a line or reverse
 * letters.
 */
export const plain = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, " ");

/** Formats rows as lines with aligned columns. The column `right` is aligned to the right. */
export function columns(rows: readonly (readonly string[])[], right?: number): string[] {
  const cells = rows.map((row) => row.map(plain));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const aligned = (cell: string, column: number) =>
    column === right ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return cells.map((row) => row.map(aligned).join("  ").trimEnd());
}
