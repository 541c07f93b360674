import { and, eq, gt, sql } from "drizzle-orm";
import type { Balance } from "#domain/balance.ts";
import { balanceOf } from "#domain/balance.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import type { Days, Figures } from "#domain/performance.ts";
import { type Database, readBatch } from "../database.ts";
import { commissions } from "../schema/commissions.ts";
import { reviewSince } from "../signals.ts";
import { given, readFirst } from "../statement.ts";
import { balancesOfPartner } from "../views/balances.ts";
import { type PolicyNow, policyNow } from "../views/policy-now.ts";
import { countsOfPartner } from "./performance.ts";

type Account = { programId: ProgramId; partnerId: PartnerId; currency: string };

/** A live commission of the partner on hold. */
export const isOnHold = and(
  // The unary plus makes SQLite use the partner's index instead of the index of the whole book.
  sql`+${commissions.programId} = ${given("programId")}`,
  eq(commissions.partnerId, given("partnerId")),
  eq(commissions.isTest, false),
  eq(commissions.status, "pending"),
);

/**
 * The next time that a hold ends and commissions are approved. Commissions under review are excluded if the partner was
 * informed of the review.
 */
const nextHoldEnd = readFirst<Account & { at: number }, { at: number | null }>((db) =>
  db
    .select({ at: sql<number | null>`min(${commissions.holdUntil})` })
    .from(commissions)
    .where(
      and(
        isOnHold,
        eq(commissions.currency, given("currency")),
        gt(commissions.amountCents, 0),
        sql`coalesce(${reviewSince} > ${given("at")}, 1)`,
      ),
    ),
);

export interface OverviewQuery extends Account {
  readonly days: Days;
  /** Now (ms). */
  readonly at: number;
}

export interface PartnerOverview {
  /** Contains only days with events. */
  readonly days: readonly (Figures & { readonly day: string })[];
  /** Currencies with amounts on these days. */
  readonly currencies: readonly string[];
  readonly balances: readonly (Balance & { readonly currency: string })[];
  readonly nextHoldEnd: number | null;
  /** Undefined if the partner's sales currently earn nothing. */
  readonly policy: PolicyNow | undefined;
}

/** Reads the live book. Makes one database request. */
export async function readPartnerOverview(
  database: Database,
  { programId, partnerId, currency, days: { from, to }, at }: OverviewQuery,
): Promise<PartnerOverview> {
  const counted = { programId, isTest: false, partnerId, from, to };
  const found = await readBatch(database, {
    days: countsOfPartner.days({ ...counted, currency }),
    currencies: countsOfPartner.currencies(counted),
    balances: balancesOfPartner({ programId, partnerId }),
    policy: policyNow({ programId, partnerId, at }),
    hold: nextHoldEnd({ programId, partnerId, currency, at }),
  });
  return {
    days: found.days,
    currencies: found.currencies.map((row) => row.currency),
    balances: found.balances.map(({ currency: of, ...sums }) => ({ currency: of, ...balanceOf(sums) })),
    nextHoldEnd: found.hold?.at ?? null,
    policy: found.policy,
  };
}
