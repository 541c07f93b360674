export interface Figure {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Returns the figure of several values. Undefined if any value is unknown. */
export function figureOf(values: readonly (number | undefined)[]): Figure | undefined {
  const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const [min] = known;
  const max = known.at(-1);
  if (known.length < values.length || min === undefined || max === undefined) return undefined;
  const upper = known[Math.floor(known.length / 2)] ?? max;
  const lower = known[Math.ceil(known.length / 2) - 1] ?? min;
  return { median: (lower + upper) / 2, min, max };
}

function rounded(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en");
  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** For example `1,234 (1,100–1,300)`. */
export const shown = (figure: Figure | undefined): string =>
  figure === undefined ? "-" : `${rounded(figure.median)} (${rounded(figure.min)}–${rounded(figure.max)})`;

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [line(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line)].join("\n");
}

export interface Limit {
  readonly what: string;
  readonly is: number | undefined;
  readonly atLeast?: number;
  readonly atMost?: number;
}

const isKept = ({ is, atLeast = -Infinity, atMost = Infinity }: Limit): boolean =>
  is !== undefined && is >= atLeast && is <= atMost;

export function judge(limits: readonly Limit[]): { readonly text: string; readonly areKept: boolean } {
  const measured = limits.filter(({ is }) => is !== undefined);
  const rows = measured.map((limit) => [
    isKept(limit) ? "kept" : "MISSED",
    limit.what,
    (limit.is ?? 0).toFixed(3),
    limit.atLeast === undefined ? `at most ${limit.atMost}` : `at least ${limit.atLeast}`,
  ]);
  return {
    text: rows.length === 0 ? "" : table(["", "limit", "is", "must be"], rows),
    areKept: measured.every(isKept),
  };
}
