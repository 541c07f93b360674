import { jsonItems, openJson } from "#http/json-parts.ts";
import { amountCell, type ExportColumns, exportHead, exportLines } from "../export-file.ts";
import type { StatementEntryReply, StatementReply } from "./statement-reply.ts";

export interface EntryPage<Entry> {
  readonly entries: readonly Entry[];
}

export type StatementHead = StatementReply & { readonly data: { readonly entries: readonly [] } };

const asNamed = (value: object): object => value;

/** A statement's JSON, which may be larger than memory. `rename`: its names. */
export async function* statementJson(
  { data, meta }: StatementHead,
  pages: AsyncIterable<EntryPage<object>>,
  rename = asNamed,
): AsyncGenerator<string, undefined> {
  const { openingCents, entries: _, closingCents, pendingCents, payableCents, inPayoutCents, ...about } = data;
  yield `{"data":${openJson(rename({ ...about, openingCents }))},"entries":[`;
  yield* jsonItems(entriesOf(pages, rename));
  const rest = JSON.stringify(rename({ closingCents, pendingCents, payableCents, inPayoutCents }));
  yield `],${rest.slice(1)},"meta":${JSON.stringify(rename(meta))}}`;
}

async function* entriesOf(
  pages: AsyncIterable<EntryPage<object>>,
  rename: typeof asNamed,
): AsyncGenerator<readonly object[], undefined> {
  for await (const { entries } of pages) yield entries.map(rename);
}

type ShownEntry = Pick<
  StatementEntryReply,
  "kind" | "day" | "postedOn" | "amountCents" | "payoutReference" | "partnerNote"
>;

export interface StatementLine<Entry> {
  readonly kind: StatementEntryReply["kind"] | "opening" | "closing";
  readonly postedOn: string;
  readonly balanceCents: number;
  /** Undefined for the opening and the closing. */
  readonly entry: Entry | undefined;
}

type Columns<Entry> = ExportColumns<StatementLine<Entry>>;

export const firstColumns: Columns<ShownEntry> = {
  posted_on: ({ postedOn }) => postedOn,
  event_date: ({ entry }) => entry?.day ?? null,
  kind: ({ kind }) => kind,
};

/** Of whom a statement is. */
export type StatementOwner = Pick<StatementHead["data"], "partnerCode" | "name" | "currency">;

export const exampleOwner: StatementOwner = { partnerCode: "anna", name: "Anna", currency: "EUR" };

export const lastColumns = ({ partnerCode, name, currency }: StatementOwner): Columns<ShownEntry> => ({
  payout: ({ entry }) => entry?.payoutReference ?? null,
  note: ({ entry }) => entry?.partnerNote ?? null,
  amount: ({ entry }) => (entry === undefined ? null : amountCell(entry.amountCents, currency)),
  balance: ({ balanceCents }) => amountCell(balanceCents, currency),
  currency: () => currency,
  partner: () => name,
  partner_code: () => partnerCode,
});

export const statementColumns = (owner: StatementOwner): Columns<StatementEntryReply> => ({
  ...firstColumns,
  order_id: ({ entry }) => entry?.transactionId ?? null,
  refund_id: ({ entry }) => entry?.refundId ?? null,
  adjustment: ({ entry }) => entry?.reference ?? null,
  ...lastColumns(owner),
});

/** Lines for the opening and the closing around the entries, with the balance after each. */
export async function* statementCsv<Entry extends ShownEntry>(
  { data }: StatementHead,
  pages: AsyncIterable<EntryPage<Entry>>,
  columns: Columns<Entry>,
): AsyncGenerator<string, undefined> {
  let balanceCents = data.openingCents;
  const noEntry = { entry: undefined };
  yield exportHead(columns);
  yield exportLines(columns, [{ ...noEntry, kind: "opening", postedOn: data.from, balanceCents }]);
  for await (const { entries } of pages) {
    const lines = entries.map((entry): StatementLine<Entry> => {
      balanceCents += entry.amountCents;
      return { kind: entry.kind, postedOn: entry.postedOn, balanceCents, entry };
    });
    yield exportLines(columns, lines);
  }
  yield exportLines(columns, [{ ...noEntry, kind: "closing", postedOn: data.to, balanceCents: data.closingCents }]);
}
