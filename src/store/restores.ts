import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { PayoutId, ProgramId } from "#domain/ids.ts";
import type { RestoredSummary } from "#domain/refusal.ts";
import type { Unit } from "#domain/units.ts";
import { auditEntries } from "./schema/audit.ts";
import { ledgerWriters } from "./schema/ledger-writers.ts";
import { payouts } from "./schema/payouts.ts";
import { programs } from "./schema/programs.ts";
import { given, readAll, readFirst } from "./statement.ts";
import { unitIn } from "./units.ts";

/** The operation id of the acknowledgment of a restore. It has at most one audit entry. */
const acknowledgmentOf = (what: "program" | "payout", id: SQLWrapper): SQL =>
  sql`'restore ' || ${ledgerWriters.restoredAt} || ${sql.raw(`' ${what} '`)} || ${id}`;

const isMissing = (acknowledgment: SQL): SQL =>
  sql`not exists (select 1 from ${auditEntries} a where a.operation_id = ${acknowledgment})`;

/** True if the program hasn't left this shard. If it has, the shard to which it moved requires the acknowledgment. */
const hasNotLeft = (place: SQLWrapper): SQL => sql`${place} in ('here', 'leaving')`;

/**
 * True if the program already existed at the backup. On shards other than home, the program's id can't show this: the
 * home shard assigns program ids, so they are below the other shard's `id_floor`. The time of creation is therefore
 * compared too.
 */
const wasRestored = (id: SQLWrapper, createdAt: SQLWrapper): SQL =>
  sql`${id} <= ${ledgerWriters.idFloor} and ${createdAt} < ${ledgerWriters.restoredAt}`;

/**
 * True if the payout was final at the backup. Another shard may have finalized the payout and assigned its number, so
 * the instant is compared too.
 */
const wasFinal = (finalizedNumber: SQLWrapper, finalizedAt: SQLWrapper): SQL =>
  sql`(${finalizedNumber} <= ${ledgerWriters.idFloor} or ${finalizedAt} < ${ledgerWriters.restoredAt})`;

const askingPayouts = (programId: SQLWrapper): SQL =>
  sql`from ${payouts} f where f.program_id = ${programId} and f.status = 'final'
    and ${wasFinal(sql`f.finalized_number`, sql`f.finalized_at`)} and ${isMissing(acknowledgmentOf("payout", sql`f.id`))}`;

/**
 * True if an acknowledgment is missing. After a restore, the program needs one, because payouts may be lost. Each final
 * payout needs one as well, because its status may be outdated.
 */
const stillAsks = (programId: SQLWrapper): SQL =>
  sql`(${isMissing(acknowledgmentOf("program", programId))} or exists (select 1 ${askingPayouts(programId)}))`;

const isAcknowledged = sql`not exists (select 1 from ${programs} p where ${wasRestored(sql`p.id`, sql`p.created_at`)}
  and ${hasNotLeft(sql`p.place`)} and ${stillAsks(sql`p.id`)})`;

/**
 * The instant from which data may be lost, for a database restored from a backup made at `known`. If an earlier restore
 * isn't fully acknowledged, the result isn't later than the backup of that restore.
 */
export const backupAtAfter = (known: SQLWrapper): SQL =>
  sql`iif(${ledgerWriters.backupAt} is null or ${isAcknowledged}, ${known}, coalesce(min(${ledgerWriters.backupAt}, ${known}), ${ledgerWriters.backupAt}))`;

/** The last payout finalized before the backup. Later payouts have ids above `id_floor`. */
const isLastPayout = sql`${payouts.id} = (select max(p.id) from ${payouts} p where p.program_id = ${programs.id}
  and p.id <= ${ledgerWriters.idFloor} and p.status in ('final', 'paid'))`;

const restored = {
  programId: programs.id,
  programName: programs.name,
  restoredAt: sql<number>`${ledgerWriters.restoredAt}`,
  backupAt: ledgerWriters.backupAt,
  payoutId: payouts.id,
  reference: payouts.reference,
  currency: payouts.currency,
  totalCents: payouts.totalCents,
  finalizedAt: payouts.finalizedAt,
  /** Null if the payout isn't paid, or no person has confirmed it. */
  paidAt: sql<number | null>`iif(${payouts.confirmedAt} is null, null, ${payouts.paidAt})`,
};

export interface RestoredProgram extends RestoredSummary {
  readonly programId: ProgramId;
  readonly programName: string;
}

export interface ListedRestore extends RestoredProgram {
  /** Null if the last payout is in a currency. */
  readonly unit: Unit | null;
}

export const listRestored = readAll<Record<string, never>, ListedRestore>((db) =>
  db
    .select({ ...restored, unit: unitIn(programs.id, payouts.currency) })
    .from(programs)
    .innerJoin(ledgerWriters, wasRestored(programs.id, programs.createdAt))
    .leftJoin(payouts, isLastPayout)
    .where(hasNotLeft(programs.place))
    .orderBy(programs.id),
);

export interface UnacknowledgedRestore extends RestoredProgram {
  /** Operation id of the missing acknowledgment. */
  readonly acknowledgment: string;
}

const asked = alias(payouts, "asked");
const acknowledgment = sql<string>`iif(${asked.status} = 'final', ${acknowledgmentOf("payout", asked.id)}, ${acknowledgmentOf("program", programs.id)})`;

/**
 * Returns undefined unless finalizing or confirming this payout requires an acknowledgment, because the payout was
 * final at the backup, or because it may pay again what a lost payout paid.
 */
export const unacknowledgedRestore = readFirst<{ programId: ProgramId; payoutId: PayoutId }, UnacknowledgedRestore>(
  (db) =>
    db
      .select({ ...restored, acknowledgment })
      .from(programs)
      .innerJoin(ledgerWriters, wasRestored(programs.id, programs.createdAt))
      .innerJoin(asked, and(eq(asked.programId, programs.id), eq(asked.id, given("payoutId"))))
      .leftJoin(payouts, isLastPayout)
      .where(
        and(
          hasNotLeft(programs.place),
          eq(programs.id, given("programId")),
          sql`(${asked.status} <> 'final' or ${wasFinal(asked.finalizedNumber, asked.finalizedAt)})`,
          isMissing(acknowledgment),
        ),
      ),
);

/** Returns when the database was restored, if the payout was final at the backup. */
export const restoreOfFinalized = readFirst<{ programId: ProgramId; payoutId: PayoutId }, { restoredAt: number }>(
  (db) =>
    db
      .select({ restoredAt: restored.restoredAt })
      .from(payouts)
      .innerJoin(programs, eq(programs.id, payouts.programId))
      .innerJoin(
        ledgerWriters,
        and(wasRestored(programs.id, programs.createdAt), wasFinal(payouts.finalizedNumber, payouts.finalizedAt)),
      )
      .where(and(eq(payouts.programId, given("programId")), eq(payouts.id, given("payoutId")))),
);

/** Returns undefined unless a current or future payout of the program still requires an acknowledgment. */
export const programThatStillAsks = readFirst<{ programId: ProgramId }, { lastFinalizedAt: number | null }>((db) =>
  db
    .select({
      /** When the last of the final payouts that still require an acknowledgment was finalized. */
      lastFinalizedAt: sql<number | null>`(select max(f.finalized_at) ${askingPayouts(programs.id)})`,
    })
    .from(programs)
    .innerJoin(ledgerWriters, wasRestored(programs.id, programs.createdAt))
    .where(and(hasNotLeft(programs.place), eq(programs.id, given("programId")), stillAsks(programs.id))),
);

/** The restore that must be acknowledged for a program, when a shard migration brings the program to this shard. */
export const asksAfterRestore = readFirst<
  Pick<typeof programs.$inferSelect, "id" | "createdAt">,
  { restoredAt: number | null }
>((db) =>
  db
    .select({ restoredAt: ledgerWriters.restoredAt })
    .from(ledgerWriters)
    .where(wasRestored(given("id"), given("createdAt"))),
);
