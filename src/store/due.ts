import { and, count, lte, min, sql } from "drizzle-orm";
import { type Database, readAtOnce } from "./database.ts";
import { isMaturing } from "./sales.ts";
import { commissions } from "./schema/commissions.ts";
import { readFirst } from "./statement.ts";

const dueCommissions = readFirst<{ at: number }, { commissions: number; oldestAt: number | null }>((db) =>
  db
    .select({ commissions: count(), oldestAt: min(commissions.holdUntil) })
    .from(commissions)
    .where(and(isMaturing(), lte(commissions.holdUntil, sql.placeholder("at")))),
);

/** Pending commissions whose hold is over at an instant (ms), and when the first of these holds ended: one request. */
export async function readDue(
  database: Database,
  at: number,
): Promise<{ readonly commissions: number; readonly oldestAt: number | undefined }> {
  const { due } = await readAtOnce(database, { due: dueCommissions({ at }) });
  return { commissions: due?.commissions ?? 0, oldestAt: due?.oldestAt ?? undefined };
}
