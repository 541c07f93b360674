import { amountCell, type ExportColumns, exportHead, exportLines } from "../export-file.ts";
import type { StatementEntryReply, StatementReply } from "./statement-reply.ts";

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

interface Line extends Omit<StatementEntryReply, "id" | "kind" | "day" | "amountCents"> {
  readonly kind: StatementEntryReply["kind"] | "opening" | "closing";
  /** Null for the opening and the closing. */
  readonly day: string | null;
  readonly amountCents: number | null;
  readonly balanceCents: number;
}

const columnsOf = ({ partnerCode, name, currency }: StatementHead["data"]): ExportColumns<Line> => ({
  posted_on: ({ postedOn }) => postedOn,
  event_date: ({ day }) => day,
  kind: ({ kind }) => kind,
  order_id: ({ transactionId }) => transactionId,
  refund_id: ({ refundId }) => refundId,
  adjustment: ({ reference }) => reference,
  payout: ({ payoutReference }) => payoutReference,
  note: ({ partnerNote }) => partnerNote,
  amount: ({ amountCents }) => (amountCents === null ? null : amountCell(amountCents, currency)),
  balance: ({ balanceCents }) => amountCell(balanceCents, currency),
  currency: () => currency,
  partner: () => name,
  partner_code: () => partnerCode,
});

const noEntry = {
  ...{ day: null, amountCents: null, commissionId: null, transactionId: null, refundId: null },
  ...{ reference: null, payoutId: null, payoutReference: null, partnerNote: null },
} as const;

/** Lines for the opening and the closing around the entries, with the balance after each. */
export async function* statementCsv(
  { data }: StatementHead,
  pages: AsyncIterable<EntryPage>,
): AsyncGenerator<string, undefined> {
  const columns = columnsOf(data);
  let balanceCents = data.openingCents;
  yield exportHead(columns);
  yield exportLines(columns, [{ ...noEntry, kind: "opening", postedOn: data.from, balanceCents }]);
  for await (const { entries } of pages) {
    const lines = entries.map((entry): Line => {
      balanceCents += entry.amountCents;
      return { ...entry, balanceCents };
    });
    yield exportLines(columns, lines);
  }
  yield exportLines(columns, [{ ...noEntry, kind: "closing", postedOn: data.to, balanceCents: data.closingCents }]);
}
