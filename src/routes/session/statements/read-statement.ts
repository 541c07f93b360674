import { balanceOf } from "#domain/balance.ts";
import { dayAfter } from "#domain/calendar.ts";
import { PostingDays } from "#domain/posting-days.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import {
  type PartnerAccount,
  type PostingPeriod,
  readStatementEntries,
  readStatementHead,
  readTimezoneChanges,
} from "#store/reports/partner-statement.ts";
import { readFromDatabase } from "../../read-database.ts";
import { allPages } from "../all-pages.ts";
import { entryReply } from "./statement-reply.ts";
import type { EntryPage, StatementHead } from "./write-statement.ts";

/** A million entries stay below the 1,000 requests that Cloudflare allows a call. */
const pageSize = 2_000;

export const noPartner = { code: "not_found", what: "partner" } as const;

export interface StatementQuery {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const earlier = (a: string, b: string): string => (a < b ? a : b);

interface ReadStatement {
  readonly head: StatementHead;
  readonly pages: AsyncIterable<EntryPage>;
}

type ProgramCtx = Ctx & { readonly var: { readonly program: { readonly timezone: string } } };

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
export async function readStatement(
  c: ProgramCtx,
  account: PartnerAccount,
  query: StatementQuery,
): Promise<Result<ReadStatement>> {
  const { timezone } = c.var.program;
  const changes = await readFromDatabase(c, "program", (database) => readTimezoneChanges(database, account.programId));
  if (!changes.ok) return changes;
  const days = new PostingDays(timezone, changes.value);
  const today = days.dayOf(c.get("call").at);
  const { from, to, posted } = statementPeriod(query, days, today);
  const read = await readFromDatabase(c, "program", (database) => readStatementHead(database, account, posted));
  if (!read.ok) return read;
  const { partner, link, sums, balance, currencies } = read.value;
  if (partner === undefined || link === undefined || sums === undefined) return refused(noPartner);

  const readFrom = entriesReader(c, account, days, { ...posted, last: sums.lastId });
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
      openingCents: Number(sums.openingCents),
      entries: [],
      closingCents: Number(sums.closingCents),
      ...(to >= today && { pendingCents, payableCents, inPayoutCents }),
    },
    meta: {
      timezone,
      otherCurrencies: currencies.map(({ currency }) => currency).filter((other) => other !== account.currency),
    },
  };
  return ok({ head, pages: allPages(first.value, readFrom) });
}

const noBalance = { pendingCents: 0n, payableCents: 0n, inPayoutCents: 0n, paidCents: 0n };

const entriesReader =
  (c: ProgramCtx, account: PartnerAccount, days: PostingDays, query: PostingPeriod & { readonly last: number }) =>
  async (after: number): Promise<Result<EntryPage & { readonly next: number | undefined }>> => {
    const found = await readFromDatabase(c, "program", (database) =>
      readStatementEntries(database, account, { ...query, after, limit: pageSize }),
    );
    if (!found.ok) return found;
    const entries = found.value.map((entry) => entryReply(entry, days));
    return ok({ entries, next: entries.length < pageSize ? undefined : entries.at(-1)?.id });
  };
