import { sql } from "drizzle-orm";
import { isHere } from "./program-place.ts";
import { commissionSignals } from "./schema/commission-signals.ts";
import { commissions } from "./schema/commissions.ts";
import { given, unencoded, write } from "./statement.ts";

const overReviews = sql`(
  select c.id from ${commissions} c
  where c.review_until <= ${given("at")} and ${isHere(sql`c.program_id`)}
  order by c.review_until limit ${given("limit")} offset ${given("skip")})`;

type Over = { at: number; limit: number; skip: number };

const endOverSignals = write<Over>((db) =>
  db
    .update(commissionSignals)
    .set({ endedAt: unencoded("at"), endedBy: "time" })
    .where(
      sql`${commissionSignals.commissionId} in ${overReviews} and ${commissionSignals.effect} = 'hold'
        and ${commissionSignals.endedAt} is null`,
    ),
);

const endOverHolds = write<Over>((db) =>
  db.update(commissions).set({ heldAt: null, reviewUntil: null }).where(sql`${commissions.id} in ${overReviews}`),
);

/** Ends reviews of commissions whose holds all end automatically by `at`, except for the first `skip` commissions. */
export const endReviews = (over: Over) => [endOverSignals(over), endOverHolds(over)];
