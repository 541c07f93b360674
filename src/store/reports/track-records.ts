import { sql } from "drizzle-orm";
import type { Book } from "#domain/book.ts";
import { type CommissionStatus, commissionStatuses } from "#domain/commission-status.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { type Database, readOne } from "../database.ts";
import { commissionSignals } from "../schema/commission-signals.ts";
import { commissions } from "../schema/commissions.ts";
import { readAll, unencoded } from "../statement.ts";

/** A track record covers this many of a partner's newest commissions that aren't void. */
export const recordedCommissions = 50;

export interface TrackRecord {
  readonly partnerId: PartnerId;
  readonly commissions: number;
  /** Commissions that are, or were, held for review. */
  readonly held: number;
  readonly rejected: number;
  /** When the oldest of these commissions was recorded (ms). */
  readonly since: number;
}

type Wanted = { programId: ProgramId; isTest: boolean; partnerIds: string };

/** Reads only the newest rows of each status in the partner's index, so that SQLite reads no others. */
const newestOf = (status: CommissionStatus) => sql`select * from (
  select o.id from ${commissions} o where o.partner_id = wanted.value and o.is_test = ${unencoded("isTest")}
    and o.status = ${sql.raw(`'${status}'`)} order by o.id desc limit ${sql.raw(String(recordedCommissions))})`;

const newest = sql`select id from (${sql.join(
  commissionStatuses.filter((status) => status !== "void").map(newestOf),
  sql` union all `,
)}) order by id desc limit ${sql.raw(String(recordedCommissions))}`;

const records = readAll<Wanted, TrackRecord>((db) =>
  db
    .select({
      partnerId: sql<PartnerId>`c.partner_id`,
      commissions: sql<number>`count(*)`,
      held: sql<number>`sum(exists (select 1 from ${commissionSignals} g
        where g.commission_id = c.id and g.effect = 'hold'))`,
      rejected: sql<number>`sum(c.status = 'rejected')`,
      since: sql<number>`min(c.created_at)`,
    })
    .from(sql`json_each(${unencoded("partnerIds")}) wanted cross join ${commissions} c on c.id in (${newest})`)
    // The unary plus makes SQLite use the commission's id instead of the index of the whole book.
    .where(sql`+c.program_id = ${unencoded("programId")}`)
    .groupBy(sql`c.partner_id`),
);

/** Returns records for partners with commissions. Makes one database request. */
export async function readTrackRecords(
  database: Database,
  { programId, isTest }: Book,
  partnerIds: readonly PartnerId[],
): Promise<readonly TrackRecord[]> {
  const wanted = { programId, isTest, partnerIds: JSON.stringify(partnerIds) };
  return await readOne(database, records(wanted));
}
