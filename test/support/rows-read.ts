interface Cell {
  readonly value?: string;
}

/** A response of the database's HTTP interface. */
export interface RawAnswer {
  readonly cols: readonly { readonly name: string }[];
  readonly rows: readonly (readonly Cell[])[];
  readonly rows_read: number;
}

const typed = (value: unknown) => {
  if (value === null) return { type: "null" };
  return typeof value === "string"
    ? { type: "text", value }
    : { type: "integer", value: String(Math.trunc(Number(value))) };
};

/** Uses plain HTTP, because the database client doesn't return the number of rows read. */
export async function askRaw(
  url: string,
  { sql, args }: { readonly sql: string; readonly args: readonly unknown[] },
): Promise<RawAnswer> {
  const requests = [{ type: "execute", stmt: { sql, args: args.map(typed) } }, { type: "close" }];
  const answer = await fetch(`${url}/v3/pipeline`, { method: "POST", body: JSON.stringify({ requests }) });
  const text = await answer.text();
  const { results } = JSON.parse(text) as { results?: { response?: { result: RawAnswer } }[] };
  const result = results?.[0]?.response?.result;
  if (result === undefined) throw new Error(`${text}: ${sql}`);
  return result;
}
