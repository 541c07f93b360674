/** ISO 4217 currencies whose smallest unit doesn't have two decimals. For some, `Intl` differs from the standard. */
const digitsByCurrency: ReadonlyMap<string, number> = new Map(
  Object.entries({
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
  }).flatMap(([digits, codes]) => codes.split(" ").map((code) => [code, Number(digits)] as const)),
);

/** Formats an amount in the currency's smallest unit: 980 becomes "€9.80". */
export function money(cents: number, currency: string): string {
  const digits = digitsByCurrency.get(currency) ?? 2;
  const format = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return format.format(cents / 10 ** digits).replaceAll("\u00a0", " ");
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
