import { splitCodes } from "./cells.ts";
import type { ImportKind } from "./columns.ts";
import type { Problem, RowValues } from "./problems.ts";

/** What may be in a file once, for each kind: as it is compared, and as it is shown. */
const keysOf: Readonly<Record<ImportKind, (values: RowValues) => readonly (readonly [key: string, shown: string])[]>> =
  {
    partners: ({ code = "" }) => splitCodes(String(code)).map((each) => [each.toLowerCase(), each]),
    customers: ({ customer_key: key }) => (key === undefined ? [] : [[String(key), String(key)]]),
    balances: ({ partner_code: code, currency, reference }) =>
      code === undefined || currency === undefined || reference === undefined
        ? []
        : [[JSON.stringify([String(code).toLowerCase(), currency, reference]), `${code} ${currency} ${reference}`]],
  };

const columns: Readonly<Record<ImportKind, string>> = {
  partners: "code",
  customers: "customer_key",
  balances: "reference",
};

/**
 * Compares each row with those before it. The first one counts. `same`: a partner or customer whose earlier row says the
 * same, as in a file with a row for each of a partner's customers.
 */
export function createDuplicates(kind: ImportKind) {
  const lines = new Map<string, number>();
  const rows = new Set<string>();
  return {
    check(line: number, values: RowValues): Problem | "same" | undefined {
      const row = JSON.stringify(values);
      if (kind !== "balances" && rows.has(row)) return "same";
      rows.add(row);
      const keys = keysOf[kind](values);
      const seen = keys.find(([key]) => lines.has(key));
      for (const [key] of keys) if (!lines.has(key)) lines.set(key, line);
      if (seen === undefined) return undefined;
      const [key, read] = seen;
      const otherLine = lines.get(key) ?? line;
      return { line, code: "duplicate", column: columns[kind], read, expected: "once in the file", otherLine };
    },
  };
}
