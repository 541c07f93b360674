import { csvLine } from "../../../http/csv.ts";
import { StatementEntryReply, type StatementReply } from "./statement-reply.ts";

export interface EntryPage {
  readonly entries: readonly StatementEntryReply[];
}

export type StatementHead = StatementReply & { readonly data: { readonly entries: readonly [] } };

/** A statement's JSON, which may be larger than memory. */
export async function* statementJson(
  { data, meta }: StatementHead,
  pages: AsyncIterable<EntryPage>,
): AsyncGenerator<string, undefined> {
  const { openingCents, entries: _, closingCents, pendingCents, payableCents, inPayoutCents, ...about } = data;
  yield `{"data":${open({ ...about, openingCents })},"entries":[`;
  let separator = "";
  for await (const { entries } of pages) {
    yield entries.map((entry) => `${entries[0] === entry ? separator : ","}${JSON.stringify(entry)}`).join("");
    separator = ",";
  }
  const rest = JSON.stringify({ closingCents, pendingCents, payableCents, inPayoutCents });
  yield `],${rest.slice(1)},"meta":${JSON.stringify(meta)}}`;
}

const open = (value: object): string => JSON.stringify(value).slice(0, -1);

const columns = Object.keys(StatementEntryReply.shape) as (keyof StatementEntryReply)[];

/** Lines for the opening and the closing around the entries, with the balance after each. */
export async function* statementCsv(
  { data: { from, to, currency, openingCents, closingCents } }: StatementHead,
  pages: AsyncIterable<EntryPage>,
): AsyncGenerator<string, undefined> {
  const edge = (kind: "opening" | "closing", postedOn: string, balanceCents: number) => {
    const cells: Partial<Record<(typeof columns)[number], string>> = { kind, postedOn };
    return csvLine([...columns.map((name) => cells[name] ?? null), currency, balanceCents]);
  };
  yield csvLine([...columns, "currency", "balanceCents"]) + edge("opening", from, openingCents);
  let balance = openingCents;
  for await (const { entries } of pages) {
    yield entries
      .map((entry) => {
        balance += entry.amountCents;
        return csvLine([...columns.map((name) => entry[name]), currency, balance]);
      })
      .join("");
  }
  yield edge("closing", to, closingCents);
}
