import { balanceOf } from "#domain/balance.ts";
import { dayAfter } from "#domain/calendar.ts";
import { entryKinds } from "#domain/commission-status.ts";
import { clamped } from "#domain/money.ts";
import { PostingDays } from "#domain/posting-days.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { download } from "#http/download.ts";
import { jsonItems, openJson } from "#http/json-parts.ts";
import { refusalOfSite } from "#http/same-site.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import type { Caller } from "#http/turns.ts";
import {
  type PartnerAccount,
  type PostingPeriod,
  readStatementEntries,
  readStatementHead,
  readTimezoneChanges,
  type StatementEntry,
} from "#store/reports/partner-statement.ts";
import { allPages } from "./all-pages.ts";
import { amountCell, type ExportColumns, exportHead, exportLines } from "./export-file.ts";
import { day } from "./period.ts";
import { readFromDatabase } from "./read-database.ts";

/** A million entries stay below the 1,000 requests that Cloudflare allows a call. */
const pageSize = 2_000;

export const noPartner = notFound("partner");

export interface StatementQuery {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const earlier = (a: string, b: string): string => (a < b ? a : b);

interface ReadStatement<Entry> {
  /** There is one page. */
  readonly isShort: boolean;
  readonly head: StatementHead;
  readonly pages: AsyncIterable<EntryPage<Entry>>;
}

type EncodeEntry<Entry> = (entry: StatementEntry, days: PostingDays) => Entry;

interface StatementOf {
  readonly account: PartnerAccount;
  /** Of the program, now. */
  readonly timezone: string;
}

interface StatementPeriod {
  /** Undefined for the day of the first entry. */
  readonly from: string | undefined;
  readonly to: string;
  readonly posted: PostingPeriod;
}

/** Ends today at the latest, unless all of it is ahead: then it is empty, between two balances of today. */
function statementPeriod({ from, to }: StatementQuery, days: PostingDays, today: string): StatementPeriod {
  if (from !== undefined && from > today) {
    const now = days.startOf(dayAfter(today));
    return { from, to: to ?? from, posted: { since: now, until: now } };
  }
  const last = earlier(to ?? today, today);
  const since = from === undefined ? 0 : days.startOf(from);
  return { from, to: last, posted: { since, until: days.startOf(dayAfter(last)) } };
}

/** Reads the sums and the first entries. */
export async function readStatement<Entry>(
  c: Ctx,
  { account, timezone }: StatementOf,
  query: StatementQuery,
  encode: EncodeEntry<Entry>,
): Promise<Result<ReadStatement<Entry>>> {
  const changes = await readFromDatabase(c, "program", (database) => readTimezoneChanges(database, account.programId));
  if (!changes.ok) return changes;
  const days = new PostingDays(timezone, changes.value);
  const today = days.dayOf(c.get("call").at);
  const { from, to, posted } = statementPeriod(query, days, today);
  const read = await readFromDatabase(c, "program", (database) => readStatementHead(database, account, posted));
  if (!read.ok) return read;
  const { partner, link, sums, balance, currencies } = read.value;
  if (partner === undefined || link === undefined || sums === undefined) return refused(noPartner);

  const pageAfter = entriesReader(c, account, { ...posted, last: sums.lastId });
  const readFrom = async (after: number) => {
    const found = await pageAfter(after);
    if (!found.ok) return found;
    const { entries, next } = found.value;
    return ok({ entries: entries.map((entry) => encode(entry, days)), next });
  };
  const first = await readFrom(0);
  if (!first.ok) return first;
  const { pendingCents, payableCents, inPayoutCents } = balanceOf(balance ?? noBalance);
  const head: StatementHead = {
    data: {
      partnerId: account.partnerId,
      partnerCode: link.code,
      name: partner.name,
      currency: account.currency,
      from: from ?? (sums.firstPostedAt === null ? to : days.dayOf(sums.firstPostedAt)),
      to,
      openingCents: clamped(sums.openingCents),
      entries: [],
      closingCents: clamped(sums.closingCents),
      ...(to >= today && { pendingCents, payableCents, inPayoutCents }),
    },
    meta: {
      timezone,
      otherCurrencies: currencies.map(({ currency }) => currency).filter((other) => other !== account.currency),
    },
  };
  return ok({ isShort: first.value.next === undefined, head, pages: allPages(first.value, readFrom) });
}

/** Of a short one, which costs no more than a page of a list, there may be any number at once. */
export async function downloadStatement(
  c: Ctx,
  by: Caller,
  { isShort }: Pick<ReadStatement<unknown>, "isShort">,
  parts: AsyncGenerator<string, undefined>,
): Promise<Result<{ readonly parts: AsyncGenerator<string, undefined> }>> {
  if (!isShort) return download(c, by, async () => ok({ parts }));
  const foreign = refusalOfSite(c);
  return foreign === undefined ? ok({ parts }) : refused(foreign);
}

const noBalance = { pendingCents: 0n, payableCents: 0n, inPayoutCents: 0n, paidCents: 0n };

const entriesReader =
  (c: Ctx, account: PartnerAccount, query: PostingPeriod & { readonly last: number }) => async (after: number) => {
    const found = await readFromDatabase(c, "program", (database) =>
      readStatementEntries(database, account, { ...query, after, limit: pageSize }),
    );
    if (!found.ok) return found;
    const entries = found.value;
    return ok({ entries, next: entries.length < pageSize ? undefined : entries.at(-1)?.id });
  };

export const statementFields = () => ({
  from: day("from")
    .optional()
    .describe("First day. Defaults to the day of the first entry. After today, the statement is empty."),
  to: day("to")
    .optional()
    .describe("Last day, inclusive. Defaults to today, which a later day counts as too unless `from` is also later."),
  currency: fields.currency("currency").optional().describe("Defaults to the program's currency."),
  format: fields.oneOf("format", ["json", "csv"]).default("json"),
});

const cents = int64();
const text = z.string().nullable();

const StatementEntryReply = z
  .object({
    id: id(),
    day: z.string().describe("Day of the event."),
    postedOn: z.string().describe("Day on which the entry was written. Statements go by this day."),
    kind: z.enum(entryKinds),
    amountCents: cents,
    commissionId: id().nullable(),
    transactionId: text.describe("The sale's `transaction_id`."),
    refundId: text.describe("The refund's `refund_id`."),
    reference: text.describe("Reference of an adjustment."),
    payoutId: id().nullable(),
    payoutReference: text.describe("Reference of the payout that was paid or returned."),
    partnerNote: text.describe("Your note to the partner about a rejection, an adjustment or a returned payment."),
  })
  .openapi("StatementEntry");

type StatementEntryReply = z.output<typeof StatementEntryReply>;

const today = "Only if `to` is today or later.";

export const StatementReply = z.object({
  data: z
    .object({
      partnerId: id(),
      partnerCode: z.string().describe("The partner's `aff` code."),
      name: z.string(),
      currency: z.string(),
      from: z.string(),
      to: z.string(),
      openingCents: cents.describe("Balance before `from`."),
      entries: z.array(StatementEntryReply).describe("In the order in which they were posted."),
      closingCents: cents.describe("Balance after `to`: `openingCents` plus all entries."),
      pendingCents: cents.optional().describe(`On hold. ${today}`),
      payableCents: cents.optional().describe(`To pay. ${today}`),
      inPayoutCents: cents.optional().describe(`In payout. ${today}`),
    })
    .openapi("Statement"),
  meta: z.object({
    timezone: z.string(),
    otherCurrencies: z.array(z.string()).describe("Other currencies in which the partner has entries."),
  }),
});

export type StatementReply = z.output<typeof StatementReply>;

export const entryReply = (
  { postedAt, reviewSince: _, ...entry }: StatementEntry,
  days: PostingDays,
): StatementEntryReply => ({ ...entry, postedOn: days.dayOf(postedAt) });

interface EntryPage<Entry> {
  readonly entries: readonly Entry[];
}

type StatementHead = StatementReply & { readonly data: { readonly entries: readonly [] } };

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
