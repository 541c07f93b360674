import { splitCodes } from "./cells.ts";
import type { ImportKind } from "./columns.ts";
import type { Problem, RowValues } from "./problems.ts";

/** A value that a file may contain only once: `key` is compared, and `shown` is displayed. */
interface Key {
  readonly column: string;
  readonly key: string;
  readonly shown: string;
}

/** The key of an id, which the service compares unchanged. */
const idKey = (column: string, value: RowValues[string] | undefined): readonly Key[] =>
  value === undefined ? [] : [{ column, key: String(value), shown: String(value) }];

const keysOf: Readonly<Record<ImportKind, (values: RowValues) => readonly Key[]>> = {
  partners: ({ code = "", external_id: externalId }) => [
    ...splitCodes(String(code)).map((shown) => ({ column: "code", key: shown.toLowerCase(), shown })),
    ...idKey("external_id", externalId),
  ],
  customers: ({ customer_key: key, subscription_id: subscriptionId }) => [
    ...idKey("customer_key", key),
    ...idKey("subscription_id", subscriptionId),
  ],
  coupons: ({ code = "" }) => [
    { column: "code", key: String(code).normalize("NFKC").toLowerCase(), shown: String(code) },
  ],
  balances: ({ partner_code: code, currency, reference }) =>
    code === undefined || currency === undefined || reference === undefined
      ? []
      : [
          {
            column: "reference",
            key: JSON.stringify([String(code).toLowerCase(), currency, reference]),
            shown: `${code} ${currency} ${reference}`,
          },
        ],
};

/**
 * Finds rows with a key that an earlier row has. `check` returns `same` if an earlier row has all the same values, for
 * example in a file that repeats a partner for each of their customers. Equal rows of balances are duplicates, too.
 */
export function createDuplicates(kind: ImportKind) {
  const lines = new Map<string, number>();
  const rows = new Set<string>();
  return {
    check(line: number, values: RowValues, isSent: boolean): Problem | "same" | undefined {
      const row = JSON.stringify(values);
      if (kind !== "balances" && rows.has(row)) return "same";
      if (isSent) rows.add(row);
      const keys = keysOf[kind](values).map((each) => ({ ...each, name: `${each.column} ${each.key}` }));
      const seen = keys.find(({ name }) => lines.has(name));
      const otherLine = lines.get(seen?.name ?? "") ?? line;
      for (const { name } of keys) if (!lines.has(name)) lines.set(name, line);
      if (seen === undefined) return undefined;
      const { column, shown } = seen;
      return { line, code: "duplicate", column, read: shown, expected: "once in the file", otherLine };
    },
  };
}
