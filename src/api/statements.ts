import { balanceOf } from "#domain/balance.ts";
import { dayAfter } from "#domain/calendar.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { clamped } from "#domain/money.ts";
import { PostingDays } from "#domain/posting-days.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import type { Units } from "#domain/units.ts";
import { refsOfProgram } from "#http/commission-ref.ts";
import type { Ctx } from "#http/context.ts";
import { download } from "#http/download.ts";
import { refusalOfSite } from "#http/same-site.ts";
import * as fields from "#http/schema/form-fields.ts";
import type { Caller } from "#http/turns.ts";
import {
  allEntries,
  type EntryRange,
  type LaterChanges,
  type PartnerAccount,
  readPaymentHead,
  readStatementEntries,
  readStatementHead,
  readStatementStart,
  type StatementStart,
  type StatementSums,
} from "#store/reports/partner-statement.ts";
import { issuerOf } from "#store/views/programs.ts";
import { allPages } from "./all-pages.ts";
import { periodName } from "./export-file.ts";
import { openDetails, type SealedVersion } from "./payment-details.ts";
import { day } from "./period.ts";
import { readFromDatabase } from "./read-database.ts";
import { type EntryPage, entryReply, type StatementHead } from "./statement-record.ts";
import { currencyOrUnit, unitsOf } from "./units.ts";

/**
 * Entries per read. The number is large enough that a statement of a million entries needs fewer than the 1,000
 * requests that Cloudflare allows for a call.
 */
const pageSize = 2_000;

export const statementFields = () => ({
  from: day("from")
    .optional()
    .describe("First day. Defaults to the day of the first entry. If it is after today, the statement is empty."),
  to: day("to")
    .optional()
    .describe(
      "Last day of the range, inclusive. Defaults to today. A later day counts as today unless `from` is also later.",
    ),
  currency: currencyOrUnit().optional().describe("Defaults to the program's currency."),
  number: fields
    .integerText("number", 1, 2 ** 31 - 1)
    .optional()
    .describe(
      "Returns the statement of one payment instead of a period. It has all entries in its currency since the partner's previous payment, and the payment itself. These and the sums never change; further fields report what happened later. Takes precedence over `from`, `to` and `currency`.",
    ),
});

export interface StatementQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly currency?: string | undefined;
  readonly number?: number | undefined;
  /** Maximum number of entries. Default: all. */
  readonly limit?: number | undefined;
  /** Leaves out the entries up to this id. The sums don't depend on it. */
  readonly after?: number | undefined;
}

const earlier = (a: string, b: string): string => (a < b ? a : b);

export interface StatementOf {
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
  /** The program's current time zone. */
  readonly timezone: string;
  readonly currency: string;
  /** True if the reader may see payment details set by this account. */
  readonly sees: (setBy: string) => boolean;
}

export interface ReadStatement {
  /** True if the statement has only one page. */
  readonly isShort: boolean;
  readonly head: StatementHead;
  /** The units of the statement's amounts. */
  readonly units: Units;
  readonly pages: AsyncIterable<EntryPage>;
  /** Number of entries of the period that come after those of `pages`. */
  readonly remaining: number;
  /** Id of the last entry of `pages`, if there are remaining ones. */
  readonly last: number | undefined;
}

interface StatementPeriod {
  /** Undefined if the period begins on the day of the first entry. */
  readonly from: string | undefined;
  readonly to: string;
  readonly range: EntryRange;
}

/**
 * The period ends today at the latest. A period that is wholly in the future is empty: it begins and ends with today's
 * balance.
 */
function statementPeriod({ from, to }: StatementQuery, days: PostingDays, today: string): StatementPeriod {
  if (from !== undefined && from > today) {
    const now = days.startOf(dayAfter(today));
    return { from, to: to ?? from, range: { ...allEntries, since: now, until: now } };
  }
  const last = earlier(to ?? today, today);
  const since = from === undefined ? 0 : days.startOf(from);
  return { from, to: last, range: { ...allEntries, since, until: days.startOf(dayAfter(last)) } };
}

type Payment = NonNullable<StatementStart["payment"]>;

/** The period begins after the partner's previous payment in this currency. */
const paymentPeriod = ({ entryId, postedAt, before }: Payment, days: PostingDays): StatementPeriod => ({
  from: before === null ? undefined : days.dayOf(before.postedAt),
  to: days.dayOf(postedAt),
  range: { ...allEntries, after: before?.entryId ?? 0, last: entryId },
});

type FoundHead = Awaited<ReturnType<typeof readStatementHead>> & { readonly later?: LaterChanges | undefined };

interface Located {
  readonly days: PostingDays;
  readonly today: string;
  readonly account: PartnerAccount;
  readonly period: StatementPeriod;
  /** The payment to which the statement belongs. Undefined for the statement of a period. */
  readonly payment: Payment | undefined;
}

async function locate(c: Ctx, of: StatementOf, query: StatementQuery): Promise<Result<Located>> {
  const { programId, partnerId, timezone } = of;
  const { number = null } = query;
  const started = await readFromDatabase(c, "program", (database) =>
    readStatementStart(database, { programId, partnerId, number }),
  );
  if (!started.ok) return started;
  const { timezoneChanges, payment } = started.value;
  if (number !== null && payment === undefined) return refused(notFound("statement"));
  const days = new PostingDays(timezone, timezoneChanges);
  const today = days.dayOf(c.get("call").at);
  const period = payment === undefined ? statementPeriod(query, days, today) : paymentPeriod(payment, days);
  const account = { programId, partnerId, currency: payment?.currency ?? query.currency ?? of.currency };
  return ok({ days, today, account, period, payment });
}

/** Reads the sums and the first page of entries. */
export async function readStatement(c: Ctx, of: StatementOf, query: StatementQuery): Promise<Result<ReadStatement>> {
  const located = await locate(c, of, query);
  if (!located.ok) return located;
  const { days, account, period, payment } = located.value;
  const units = await unitsOf(c, of.programId, account.currency);
  if (!units.ok) return units;
  const { limit, after: seen = 0 } = query;
  const asked = { ...account, ...period.range, seen };
  const read = await readFromDatabase(c, "program", (database): Promise<FoundHead> => {
    if (payment === undefined) return readStatementHead(database, asked);
    return readPaymentHead(database, { ...asked, payoutId: payment.payoutId });
  });
  if (!read.ok) return read;
  const { program, partner, link, sums } = read.value;
  if (program === undefined || partner === undefined || link === undefined || sums === undefined)
    return refused(notFound("partner"));
  const encode = entryReply(refsOfProgram(c, of.programId), days, payment === undefined ? c.get("call").at : null);
  const range = { ...period.range, last: Math.min(period.range.last, sums.lastId) };
  const readFrom = async (after: number) => {
    const found = await readEntries(c, account, { ...range, after, limit: limit ?? pageSize });
    return found.ok ? ok({ ...found.value, entries: found.value.entries.map(encode) }) : found;
  };
  const first = await readFrom(Math.max(range.after, seen));
  if (!first.ok) return first;
  const remaining = limit === undefined ? 0 : sums.unseen - first.value.entries.length;
  const next = limit === undefined ? first.value.next : undefined;
  const details = await detailsFor(c, of, payment === undefined ? read.value.newestDetails : payment.details);
  const head: StatementHead = {
    data: {
      number: query.number ?? null,
      programName: program.name,
      issuer: issuerOf(program),
      payoutTerms: program.payoutTerms,
      partnerId: of.partnerId,
      partnerCode: link.code,
      name: payment?.name ?? partner.name,
      address: details?.address ?? null,
      taxId: details?.taxId ?? null,
      entries: [],
      ...sumsOf(located.value, sums),
      ...sincePayment(located.value, read.value.later),
      ...openSums(located.value, read.value.balance),
    },
    meta: { timezone: of.timezone, otherCurrencies: otherCurrencies(located.value, read.value.currencies) },
  };
  return ok({
    isShort: next === undefined,
    head,
    units: units.value,
    pages: allPages({ ...first.value, next }, readFrom),
    remaining,
    last: remaining === 0 ? undefined : first.value.next,
  });
}

function sumsOf({ days, account: { currency }, period, payment }: Located, sums: StatementSums) {
  const { from = sums.firstPostedAt === null ? period.to : days.dayOf(sums.firstPostedAt), to } = period;
  return {
    currency,
    from,
    to,
    paidOn: payment?.day ?? null,
    openingCents: clamped(sums.openingCents),
    earnedCents: clamped(sums.earnedCents),
    refundedCents: clamped(sums.refundedCents),
    adjustedCents: clamped(sums.adjustedCents),
    paidCents: clamped(sums.paidCents),
    closingCents: clamped(sums.closingCents),
  };
}

/** Dated notices about what happened after the payment. All are null in the statement of a period. */
function sincePayment({ days, payment }: Located, later: LaterChanges | undefined) {
  const dayOrNull = (at: number | null | undefined) => (at == null ? null : days.dayOf(at));
  const changedOn = dayOrNull(later?.lastAt);
  const amountCents = clamped(later?.amountCents ?? 0n);
  return {
    returnedOn: dayOrNull(payment?.returnedAt),
    creditedOn: dayOrNull(payment?.lateSettledAt),
    changedLater: changedOn === null || amountCents === 0 ? null : { amountCents, lastOn: changedOn },
  };
}

/** Returns the pending, payable and in-payout sums, for the statement of a period that isn't over. */
function openSums({ payment, period, today }: Located, balance: Parameters<typeof balanceOf>[0] | undefined) {
  if (payment !== undefined || period.to < today) return {};
  const { pendingCents, payableCents, inPayoutCents } = balanceOf(balance ?? noBalance);
  return { pendingCents, payableCents, inPayoutCents };
}

/** Empty for the statement of a payment, because such a statement never changes. */
const otherCurrencies = (
  { account, payment }: Located,
  currencies: readonly { readonly currency: string }[],
): string[] =>
  payment === undefined ? currencies.map(({ currency }) => currency).filter((other) => other !== account.currency) : [];

/** Decrypts the partner's address and tax id, if the reader may see the payment details. */
const detailsFor = (c: Ctx, { sees }: StatementOf, version: (SealedVersion & { setBy: string }) | null | undefined) =>
  version != null && sees(version.setBy) ? openDetails(c, version) : undefined;

/** A statement of one page costs no more than a page of a list, so the number of concurrent downloads isn't limited. */
export async function downloadStatement(
  c: Ctx,
  by: Caller,
  { isShort }: Pick<ReadStatement, "isShort">,
  parts: AsyncGenerator<string, undefined>,
): Promise<Result<{ readonly parts: AsyncGenerator<string, undefined> }>> {
  if (!isShort) return download(c, by, async () => ok({ parts }));
  const foreign = refusalOfSite(c);
  return foreign === undefined ? ok({ parts }) : refused(foreign);
}

/** The parts of the file's name. */
export const statementName = ({ number, partnerCode, from, to, currency }: StatementHead["data"]): readonly string[] =>
  number === null ? [partnerCode, periodName(from, to), currency] : [partnerCode, String(number)];

const noBalance = { pendingCents: 0n, payableCents: 0n, inPayoutCents: 0n, paidCents: 0n };

async function readEntries(c: Ctx, account: PartnerAccount, query: EntryRange & { readonly limit: number }) {
  const found = await readFromDatabase(c, "program", (database) => readStatementEntries(database, account, query));
  if (!found.ok) return found;
  const entries = found.value;
  return ok({ entries, next: entries.length < query.limit ? undefined : entries.at(-1)?.id });
}
