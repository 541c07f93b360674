/** The service's result for a row. */
export interface RowResult {
  readonly line: number;
  readonly result: (typeof rowResults)[number];
  /** The reason for a refusal. */
  readonly code?: string | undefined;
  /** The column at fault. */
  readonly field?: string | undefined;
  readonly id?: number | undefined;
  readonly warnings?: readonly string[] | undefined;
  readonly effects?: Effects | undefined;
}

export const rowResults = ["created", "updated", "unchanged", "refused"] as const;

/** Number of customers' earlier sales that become attributed to the partner, and what they earn. */
export interface Effects {
  readonly sales: number;
  readonly amounts: readonly { readonly currency: string; readonly cents: number }[];
}

export interface RefusedRow {
  readonly line: number;
  readonly code: string;
  /** The column at fault; empty if there is none. */
  readonly field: string;
}

export interface CodeCount {
  readonly code: string;
  readonly count: number;
  /** The first lines with this code. */
  readonly lines: readonly number[];
}

/** The results so far: rows = created + updated + unchanged + refused. */
export interface Tally {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly refusedRows: readonly RefusedRow[];
  /** Refusals by code, in the order of their first lines. */
  readonly refusals: readonly CodeCount[];
  readonly warnings: readonly CodeCount[];
  readonly effects: Effects;
}

const shownLines = 5;

export function addUp(results: readonly RowResult[]): Tally {
  const count = (wanted: RowResult["result"]) => results.filter(({ result }) => result === wanted).length;
  const refusedRows = results.flatMap(({ line, result, code = "", field = "" }) =>
    result === "refused" ? [{ line, code, field }] : [],
  );
  return {
    rows: results.length,
    created: count("created"),
    updated: count("updated"),
    unchanged: count("unchanged"),
    refused: count("refused"),
    refusedRows,
    refusals: countCodes(refusedRows),
    warnings: countCodes(results.flatMap(({ line, warnings = [] }) => warnings.map((code) => ({ line, code })))),
    effects: addEffects(results.flatMap(({ effects }) => effects ?? [])),
  };
}

/** Counts each code, with its first lines. */
export function countCodes(rows: readonly { readonly line: number; readonly code: string }[]): readonly CodeCount[] {
  const lines = new Map<string, number[]>();
  for (const { line, code } of rows) {
    const those = lines.get(code);
    if (those === undefined) lines.set(code, [line]);
    else those.push(line);
  }
  return [...lines].map(([code, all]) => ({ code, count: all.length, lines: all.slice(0, shownLines) }));
}

function addEffects(all: readonly Effects[]): Effects {
  const sums = new Map<string, number>();
  for (const { currency, cents } of all.flatMap(({ amounts }) => amounts)) {
    sums.set(currency, (sums.get(currency) ?? 0) + cents);
  }
  const amounts = [...sums].map(([currency, cents]) => ({ currency, cents }));
  return {
    sales: all.reduce((sum, { sales }) => sum + sales, 0),
    amounts: amounts.sort((a, b) => (a.currency < b.currency ? -1 : 1)),
  };
}
