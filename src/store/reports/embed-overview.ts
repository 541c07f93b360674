import { and, asc, eq, type SQLWrapper, sql } from "drizzle-orm";
import { balanceOf } from "#domain/balance.ts";
import type { GroupId, PartnerId, ProgramId } from "#domain/ids.ts";
import type { OfferTerms } from "#domain/offers.ts";
import { type Days, type Figures, listDays, sumFigures } from "#domain/performance.ts";
import { type Database, readBatch } from "../database.ts";
import { offerOfGroup, offerOfPartner } from "../offers.ts";
import { commissions } from "../schema/commissions.ts";
import { dailyCounts } from "../schema/daily-counts.ts";
import { reviewSince } from "../signals.ts";
import { asText, given, readAll, readFirst, unencoded } from "../statement.ts";
import { balancesOfPartner } from "../views/balances.ts";
import { policyNow, policyOfNewcomer } from "../views/policy-now.ts";
import { isOnHold, type PartnerOverview } from "./partner-overview.ts";

// The overview of a referral page. Users of the integrator's product open it often, so the number of rows it reads is
// limited, however much data the partner has.

/**
 * Limit on rows of daily counts. A day has one row without a currency, for clicks and leads, and one for each currency
 * of its sales and commissions.
 */
const maxCounts = 40;

/** Limit on the commissions on hold that are searched, oldest first, for the next end of a hold. */
const maxHolds = 10;

type Account = { programId: ProgramId; partnerId: PartnerId };

const cents = (column: SQLWrapper) => asText(column).mapWith(BigInt);

/** `days` is a JSON array, newest first. The cross join keeps this order, so that the limit drops the oldest days. */
const countsOfDays = readAll<Account & { days: string; limit: number }, DayCounts>((db) =>
  db
    .select({
      day: dailyCounts.day,
      currency: dailyCounts.currency,
      clicks: cents(dailyCounts.clicks),
      uniqueClicks: cents(dailyCounts.uniqueClicks),
      leads: cents(dailyCounts.leads),
      sales: cents(dailyCounts.sales),
      revenueCents: cents(dailyCounts.revenueCents),
      commissionCents: cents(dailyCounts.commissionCents),
    })
    .from(sql`json_each(${given("days")}) asked`)
    .crossJoin(dailyCounts)
    .where(
      and(
        eq(dailyCounts.programId, given("programId")),
        eq(dailyCounts.isTest, false),
        sql`${dailyCounts.day} = asked.value`,
        eq(dailyCounts.partnerId, given("partnerId")),
      ),
    )
    .limit(given("limit")),
);

interface DayCounts {
  readonly day: string;
  /** Empty in counts of clicks and leads. */
  readonly currency: string;
  readonly clicks: bigint;
  readonly uniqueClicks: bigint;
  readonly leads: bigint;
  readonly sales: bigint;
  readonly revenueCents: bigint;
  readonly commissionCents: bigint;
}

const soonHoldEnd = readFirst<Account & { currency: string; at: number }, { at: number | null }>((db) => {
  const oldest = db
    .select({
      holdUntil: commissions.holdUntil,
      currency: commissions.currency,
      amountCents: commissions.amountCents,
      reviewSince: sql<number | null>`${reviewSince}`.as("review_since"),
    })
    .from(commissions)
    .where(isOnHold)
    .orderBy(asc(commissions.id))
    .limit(maxHolds)
    .as("oldest");
  return db
    .select({ at: sql<number | null>`min(${oldest.holdUntil})` })
    .from(oldest)
    .where(
      sql`${oldest.currency} = ${unencoded("currency")} and ${oldest.amountCents} > 0
        and coalesce(${oldest.reviewSince} > ${unencoded("at")}, 1)`,
    );
});

export interface EmbedFound {
  readonly found: PartnerOverview;
  /** The requested days, or fewer if a row limit cut off the oldest ones. */
  readonly days: Days;
  /** The offer for customers that is in force now. It may have ended. */
  readonly offer: OfferTerms | undefined;
}

export interface EmbedOverviewQuery extends Account {
  readonly currency: string;
  readonly days: Days;
  /** Now (ms). */
  readonly at: number;
}

/** Reads the live book in one database request. */
export async function readEmbedOverview(
  database: Database,
  { programId, partnerId, currency, days, at }: EmbedOverviewQuery,
): Promise<EmbedFound> {
  const account = { programId, partnerId };
  const asked = listDays(days).toReversed();
  const { counts, hold, policy, balances, offer } = await readBatch(database, {
    counts: countsOfDays({ ...account, days: JSON.stringify(asked), limit: maxCounts + 1 }),
    balances: balancesOfPartner(account),
    policy: policyNow({ ...account, at }),
    hold: soonHoldEnd({ ...account, currency, at }),
    offer: offerOfPartner({ ...account, at }),
  });
  const covered = wholeDays(counts, days);
  const shown = counts.filter(({ day }) => day >= covered.from);
  const found = {
    days: [...Map.groupBy(shown, ({ day }) => day)].map(([day, rows]) => ({ day, ...figuresOf(rows, currency) })),
    currencies: [...new Set(shown.map((each) => each.currency))].filter(Boolean).sort(),
    balances: balances.map(({ currency: of, ...sums }) => ({ currency: of, ...balanceOf(sums) })),
    nextHoldEnd: hold?.at ?? null,
    policy,
  };
  return { found, days: covered, offer };
}

/** Omits the oldest day if the row limit may have cut off some of its rows. */
function wholeDays(counts: readonly DayCounts[], days: Days): Days {
  const oldest = counts.length > maxCounts ? counts.at(-1)?.day : undefined;
  if (oldest === undefined) return days;
  return { from: counts.findLast(({ day }) => day !== oldest)?.day ?? days.to, to: days.to };
}

const figuresOf = (rows: readonly DayCounts[], currency: string): Figures =>
  sumFigures(
    rows.map((row) => {
      const isAsked = row.currency === currency;
      return {
        ...sumFigures([]),
        ...row,
        revenueCents: isAsked ? row.revenueCents : 0n,
        commissionCents: isAsked ? row.commissionCents : 0n,
      };
    }),
  );

/** The overview for a user who isn't a partner yet: the policy and the offer that would apply to them. */
export async function readNewcomerOverview(
  database: Database,
  { days, at, ...asked }: Omit<EmbedOverviewQuery, "partnerId" | "currency"> & { readonly groupId: GroupId | null },
): Promise<EmbedFound> {
  const { policy, offer } = await readBatch(database, {
    policy: policyOfNewcomer({ ...asked, at }),
    offer: offerOfGroup({ ...asked, at }),
  });
  return { found: { days: [], currencies: [], balances: [], nextHoldEnd: null, policy }, days, offer };
}
