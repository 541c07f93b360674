import { readFromDatabase } from "#api/read-database.ts";
import { balanceOf } from "#domain/balance.ts";
import { dayAfter } from "#domain/calendar.ts";
import { clamped } from "#domain/money.ts";
import { PostingDays } from "#domain/posting-days.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { download } from "#http/download.ts";
import { refusalOfSite } from "#http/same-site.ts";
import type { Caller } from "#http/turns.ts";
import {
  type PartnerAccount,
  type PostingPeriod,
  readStatementEntries,
  readStatementHead,
  readTimezoneChanges,
  type StatementEntry,
} from "#store/reports/partner-statement.ts";
import { allPages } from "../all-pages.ts";
import type { EntryPage, StatementHead } from "./write-statement.ts";

/** A million entries stay below the 1,000 requests that Cloudflare allows a call. */
const pageSize = 2_000;

export const noPartner = { code: "not_found", what: "partner" } as const;

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
