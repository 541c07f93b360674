import { and, asc, eq, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { CustomerId, ProgramId } from "#domain/ids.ts";
import { isHere } from "./program-place.ts";
import { customers, pendingMoves } from "./schema/customers.ts";
import { sales } from "./schema/sales.ts";
import { change, everyColumn, given, insert, readAll } from "./statement.ts";

export const savePendingMove = insert<typeof pendingMoves.$inferSelect>((db) =>
  db
    .insert(pendingMoves)
    .values(everyColumn(pendingMoves))
    .onConflictDoUpdate({
      target: pendingMoves.customerId,
      set: {
        afterOccurredAt: sql`excluded.after_occurred_at`,
        afterSaleId: sql`excluded.after_sale_id`,
        isPartnerActive: sql`excluded.is_partner_active`,
        isProgramActive: sql`excluded.is_program_active`,
        policyVersion: sql`excluded.policy_version`,
      },
    }),
);

export const endPendingMove = change(["customerId"], (db, wanted, { customerId }) =>
  db.delete(pendingMoves).where(sql`${pendingMoves.customerId} in (select ${customerId} from ${wanted})`),
);

/** True if the customer was reattributed, and this sale hasn't been moved to the new partner yet. */
export const isMoving = (saleId: SQLWrapper): SQL<boolean> =>
  sql<boolean>`exists (
  select 1 from ${sales} s join ${pendingMoves} m on m.customer_id = s.customer_id
  where s.id = ${saleId} and (s.occurred_at, s.id) > (m.after_occurred_at, m.after_sale_id))`.mapWith(Boolean);

export interface PendingMove {
  readonly customerId: CustomerId;
  readonly programId: ProgramId;
}

/** Pending moves, sorted by customer id. The order begins after `after` and wraps around. */
export const nextPendingMoves = readAll<{ after: number; limit: number }, PendingMove>((db) =>
  db
    .select({ customerId: pendingMoves.customerId, programId: sql<number>`${customers.programId}` })
    .from(pendingMoves)
    // A cross join keeps SQLite from scanning all customers first.
    .crossJoin(customers)
    .where(and(eq(customers.id, pendingMoves.customerId), isHere(customers.programId)))
    .orderBy(lte(pendingMoves.customerId, given("after")), asc(pendingMoves.customerId))
    .limit(given("limit")),
);
