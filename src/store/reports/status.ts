import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { type Database, readBatch } from "../database.ts";
import { isSynthetic } from "../partners.ts";
import { clicks } from "../schema/clicks.ts";
import { dailyCounts } from "../schema/daily-counts.ts";
import { leads } from "../schema/leads.ts";
import { partners } from "../schema/partners.ts";
import { sales } from "../schema/sales.ts";
import { given, readFirst, unencoded } from "../statement.ts";

type OfBook = { programId: ProgramId; isTest: boolean };

export interface LatestEvent {
  readonly id: number;
  readonly at: number;
}

const latest = (table: typeof clicks | typeof leads | typeof sales, also?: SQL) =>
  readFirst<OfBook, LatestEvent>((db) =>
    db
      .select({ id: table.id, at: table.occurredAt })
      .from(table)
      .where(
        and(
          eq(table.programId, given("programId")),
          eq(table.isTest, unencoded("isTest")),
          also,
          sql`not coalesce(${isSynthetic(table.partnerId)}, 0)`,
        ),
      )
      .orderBy(desc(table.occurredAt), desc(table.id))
      .limit(1),
  );

const latestClick = latest(clicks, and(eq(clicks.isBot, sql`0`), eq(clicks.isPrefetch, sql`0`)));
const latestLead = latest(leads);
const latestSale = latest(sales);

const counts = readFirst<OfBook, { clicks: number; leads: number; sales: number }>((db) =>
  db
    .select({
      clicks: sql<number>`coalesce(sum(${dailyCounts.clicks}), 0)`,
      leads: sql<number>`coalesce(sum(${dailyCounts.leads} + ${dailyCounts.unattributedLeads}), 0)`,
      sales: sql<number>`coalesce(sum(${dailyCounts.sales} + ${dailyCounts.organicSales}), 0)`,
    })
    .from(dailyCounts)
    .where(
      and(
        eq(dailyCounts.programId, given("programId")),
        eq(dailyCounts.isTest, unencoded("isTest")),
        sql`not ${isSynthetic(dailyCounts.partnerId)}`,
      ),
    ),
);

const somePartner = readFirst<{ programId: ProgramId }, { id: PartnerId }>((db) =>
  db
    .select({ id: partners.id })
    .from(partners)
    .where(and(eq(partners.programId, given("programId")), eq(partners.isSynthetic, sql`0`)))
    .limit(1),
);

const bookReads = (book: OfBook) => ({
  counts: counts(book),
  click: latestClick(book),
  lead: latestLead(book),
  sale: latestSale(book),
});

export interface BookStatus {
  /** Excludes clicks of bots and prefetches. Includes unattributed leads and sales. */
  readonly counts: { readonly clicks: number; readonly leads: number; readonly sales: number };
  readonly click: LatestEvent | undefined;
  readonly lead: LatestEvent | undefined;
  readonly sale: LatestEvent | undefined;
}

export interface TrackingStatus {
  readonly live: BookStatus;
  readonly test: BookStatus;
  readonly hasPartners: boolean;
}

/** Excludes synthetic events of the setup verification. Makes one database request. */
export async function readStatus(database: Database, { programId }: Pick<Book, "programId">): Promise<TrackingStatus> {
  const live = bookReads({ programId, isTest: false });
  const test = bookReads({ programId, isTest: true });
  const found = await readBatch(database, {
    partner: somePartner({ programId }),
    liveCounts: live.counts,
    liveClick: live.click,
    liveLead: live.lead,
    liveSale: live.sale,
    testCounts: test.counts,
    testClick: test.click,
    testLead: test.lead,
    testSale: test.sale,
  });
  const none = { clicks: 0, leads: 0, sales: 0 };
  return {
    live: { counts: found.liveCounts ?? none, click: found.liveClick, lead: found.liveLead, sale: found.liveSale },
    test: { counts: found.testCounts ?? none, click: found.testClick, lead: found.testLead, sale: found.testSale },
    hasPartners: found.partner !== undefined,
  };
}
