/** The most rows of any list in an answer. */
export const mostRows = 50;

export interface Cut {
  /** RFC 6901 pointer to the list. */
  readonly list: string;
  /** The number of the list's rows before it was cut. */
  readonly rows: number;
}

/** Keeps the first rows of each list, at any depth. Adds the lists that had more to `cuts`. */
function withFewRows(value: unknown, cuts: Cut[], list = ""): unknown {
  if (Array.isArray(value)) {
    if (value.length > mostRows) cuts.push({ list, rows: value.length });
    return value.slice(0, mostRows).map((row, i) => withFewRows(row, cuts, `${list}/${i}`));
  }
  return typeof value === "object" && value !== null ? withFewRowsIn(value, cuts, list) : value;
}

export const withFewRowsIn = (value: object, cuts: Cut[], pointer = ""): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, withFewRows(child, cuts, `${pointer}/${escaped(name)}`)]),
  );

/** A name as part of an RFC 6901 pointer. */
export const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
