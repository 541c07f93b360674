import { and, asc, between, desc, eq, gt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Book } from "../../domain/book.ts";
import type { Days, Figures } from "../../domain/performance.ts";
import { type Database, readBatch } from "../database.ts";
import { dailyCounts } from "../schema/daily-counts.ts";
import { partners, referralLinks } from "../schema/partners.ts";
import { programs } from "../schema/programs.ts";
import { asText, type Compiler, param, readAll, readCount } from "../statement.ts";
import type { PartnerView } from "../views/partners.ts";
import { containing } from "./containing.ts";
import { currencies, ofCurrency } from "./performance.ts";

export const partnerSorts = ["revenue", "commission", "clicks", "sales", "leads", "name"] as const;
export type PartnerSort = (typeof partnerSorts)[number];
export const sortOrders = ["asc", "desc"] as const;
export type SortOrder = (typeof sortOrders)[number];

export type PartnerFigures = Omit<Figures, "salesInCurrency" | "organicSales" | "organicRevenueCents">;
export type PartnerPerformanceRow = PartnerView & PartnerFigures;

const given = sql.placeholder;

const figureNames = [
  ...(["clicks", "uniqueClicks", "leads", "sales", "refunds"] as const),
  ...(["revenueCents", "refundedCents", "commissionCents"] as const),
] satisfies readonly (keyof PartnerFigures)[];

const summed = <Name extends keyof PartnerFigures>(name: Name, column: SQLWrapper): SQL.Aliased<number> =>
  sql<number>`sum(${column})`.as(name);

/** Counts are over all currencies, amounts of one. */
const countsByPartner = (db: Compiler) =>
  db
    .select({
      partnerId: dailyCounts.partnerId,
      clicks: summed("clicks", dailyCounts.clicks),
      uniqueClicks: summed("uniqueClicks", dailyCounts.uniqueClicks),
      leads: summed("leads", dailyCounts.leads),
      sales: summed("sales", dailyCounts.sales),
      refunds: summed("refunds", dailyCounts.refunds),
      revenueCents: summed("revenueCents", ofCurrency(dailyCounts.revenueCents)),
      refundedCents: summed("refundedCents", ofCurrency(dailyCounts.refundedCents)),
      commissionCents: summed("commissionCents", ofCurrency(dailyCounts.commissionCents)),
    })
    .from(dailyCounts)
    .where(
      and(
        eq(dailyCounts.programId, given("programId")),
        eq(dailyCounts.isTest, param("isTest")),
        between(dailyCounts.day, given("from"), given("to")),
        gt(dailyCounts.partnerId, 0),
      ),
    )
    .groupBy(dailyCounts.partnerId)
    .as("counted");

const isSearched = sql`(${partners.name} glob ${given("pattern")}
  or exists (select 1 from ${referralLinks} l where l.partner_id = ${partners.id} and l.code_key glob ${given("pattern")}))`;

const isListed = and(eq(partners.programId, given("programId")), eq(partners.isSynthetic, false), isSearched);

type Values = {
  programId: number;
  isTest: boolean;
  from: string;
  to: string;
  currency: string;
  pattern: string;
  limit: number;
  offset: number;
};

const sortedBy = {
  revenue: "revenueCents",
  commission: "commissionCents",
  clicks: "clicks",
  sales: "sales",
  leads: "leads",
} as const satisfies Record<Exclude<PartnerSort, "name">, keyof PartnerFigures>;

const partnersSorted = (sort: PartnerSort, order: SortOrder) =>
  readAll<Values, PartnerPerformanceRow>((db) => {
    const counted = countsByPartner(db);
    const figureOf = (name: keyof PartnerFigures): SQL<number> => sql<number>`coalesce(${counted[name]}, 0)`;
    const figures = Object.fromEntries(
      figureNames.map((name) => [name, asText(figureOf(name)).mapWith(BigInt)]),
    ) as Record<keyof PartnerFigures, SQL<bigint>>;
    const byName = sql`${partners.name} collate nocase`;
    const direction = order === "asc" ? asc : desc;
    return db
      .select({
        id: partners.id,
        name: partners.name,
        email: partners.email,
        status: partners.status,
        code: referralLinks.code,
        destinationUrl: referralLinks.destinationUrl,
        websiteUrl: programs.websiteUrl,
        createdAt: partners.createdAt,
        ...figures,
      })
      .from(partners)
      .innerJoin(programs, eq(programs.id, partners.programId))
      .innerJoin(referralLinks, eq(referralLinks.partnerId, partners.id))
      .leftJoin(counted, eq(counted.partnerId, partners.id))
      .where(isListed)
      .orderBy(
        ...(sort === "name" ? [direction(byName)] : [direction(figureOf(sortedBy[sort])), asc(byName)]),
        asc(partners.id),
      )
      .limit(given("limit"))
      .offset(given("offset"));
  });

const listings = Object.fromEntries(
  partnerSorts.flatMap((sort) => sortOrders.map((order) => [`${sort} ${order}`, partnersSorted(sort, order)])),
) as Readonly<Record<`${PartnerSort} ${SortOrder}`, ReturnType<typeof partnersSorted>>>;

const listedCount = readCount<{ programId: number; pattern: string }>((db) =>
  db.select({ n: sql<number>`count(*)` }).from(partners).where(isListed),
);

export interface PartnerPerformanceQuery {
  readonly days: Days;
  readonly currency: string;
  readonly search: string;
  readonly sort: PartnerSort;
  readonly order: SortOrder;
  readonly limit: number;
  readonly offset: number;
}

/** One request. */
export async function readPartnerPerformance(
  database: Database,
  { programId, isTest }: Book,
  { days: { from, to }, currency, search, sort, order, limit, offset }: PartnerPerformanceQuery,
) {
  const pattern = containing(search);
  const found = await readBatch(database, {
    rows: listings[`${sort} ${order}`]({ programId, isTest, from, to, currency, pattern, limit, offset }),
    total: listedCount({ programId, pattern }),
    currencies: currencies({ programId, isTest, from, to, partnerId: null }),
  });
  return { ...found, currencies: found.currencies.map((row) => row.currency) };
}
