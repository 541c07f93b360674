import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { PayoutId, ProgramId } from "#domain/ids.ts";
import type { RestoredSummary } from "#domain/refusal.ts";
import { auditEntries } from "./schema/audit.ts";
import { ledgerWriters } from "./schema/ledger-writers.ts";
import { payouts } from "./schema/payouts.ts";
import { programs } from "./schema/programs.ts";
import { given, readAll, readFirst } from "./statement.ts";

/** The operation of an acknowledgment, which has at most one audit entry. */
const acknowledgmentOf = (what: "program" | "payout", id: SQLWrapper): SQL =>
  sql`'restore ' || ${ledgerWriters.restoredAt} || ${sql.raw(`' ${what} '`)} || ${id}`;

const isMissing = (acknowledgment: SQL): SQL =>
  sql`not exists (select 1 from ${auditEntries} a where a.operation_id = ${acknowledgment})`;

/** For a program that has left, the other shard asks. */
const hasNotLeft = (place: SQLWrapper): SQL => sql`${place} in ('here', 'leaving')`;

/** Ids of programs on a further shard are home's, below the floor of that shard's Ledger. */
const wasRestored = (id: SQLWrapper, createdAt: SQLWrapper): SQL =>
  sql`${id} <= ${ledgerWriters.idFloor} and ${createdAt} < ${ledgerWriters.restoredAt}`;

/** The payout was final. Numbers are from the shard that finalized it, which may be another one. */
const wasFinal = (finalizedNumber: SQLWrapper, finalizedAt: SQLWrapper): SQL =>
  sql`(${finalizedNumber} <= ${ledgerWriters.idFloor} or ${finalizedAt} < ${ledgerWriters.restoredAt})`;

const askingPayouts = (programId: SQLWrapper): SQL =>
  sql`from ${payouts} f where f.program_id = ${programId} and f.status = 'final'
    and ${wasFinal(sql`f.finalized_number`, sql`f.finalized_at`)} and ${isMissing(acknowledgmentOf("payout", sql`f.id`))}`;

/** The program asks once about the lost payouts, and each payout that was final asks once about its own outcome. */
const stillAsks = (programId: SQLWrapper): SQL =>
  sql`(${isMissing(acknowledgmentOf("program", programId))} or exists (select 1 ${askingPayouts(programId)}))`;

const isAcknowledged = sql`not exists (select 1 from ${programs} p where ${wasRestored(sql`p.id`, sql`p.created_at`)}
  and ${hasNotLeft(sql`p.place`)} and ${stillAsks(sql`p.id`)})`;

/**
 * For a database restored from a backup of `known`. If a program, or a payout that was final, hasn't acknowledged an
 * earlier restore, the loss begins at that one's backup.
 */
export const backupAtAfter = (known: SQLWrapper): SQL =>
  sql`iif(${ledgerWriters.backupAt} is null or ${isAcknowledged}, ${known}, coalesce(min(${ledgerWriters.backupAt}, ${known}), ${ledgerWriters.backupAt}))`;

/** The last payout that a program had finalized when the backup was made: later ones have ids above the floor. */
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
  /** Null: final, but not confirmed. */
  paidAt: sql<number | null>`iif(${payouts.confirmedAt} is null, null, ${payouts.paidAt})`,
};

export interface RestoredProgram extends RestoredSummary {
  readonly programId: ProgramId;
  readonly programName: string;
}

export const listRestored = readAll<Record<string, never>, RestoredProgram>((db) =>
  db
    .select(restored)
    .from(programs)
    .innerJoin(ledgerWriters, wasRestored(programs.id, programs.createdAt))
    .leftJoin(payouts, isLastPayout)
    .where(hasNotLeft(programs.place))
    .orderBy(programs.id),
);

export interface UnacknowledgedRestore extends RestoredProgram {
  /** The operation of the missing acknowledgment. */
  readonly acknowledgment: string;
}

const asked = alias(payouts, "asked");
const acknowledgment = sql<string>`iif(${asked.status} = 'final', ${acknowledgmentOf("payout", asked.id)}, ${acknowledgmentOf("program", programs.id)})`;

/** Undefined unless this payout asks, because it was final in the backup, or may pay again what was lost. */
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

/** Undefined unless a current or future payout of the program has yet to ask. */
export const programThatStillAsks = readFirst<{ programId: ProgramId }, { lastFinalizedAt: number | null }>((db) =>
  db
    .select({
      /** Latest finalization among the final payouts that still require a confirmation. */
      lastFinalizedAt: sql<number | null>`(select max(f.finalized_at) ${askingPayouts(programs.id)})`,
    })
    .from(programs)
    .innerJoin(ledgerWriters, wasRestored(programs.id, programs.createdAt))
    .where(and(hasNotLeft(programs.place), eq(programs.id, given("programId")), stillAsks(programs.id))),
);

/** A program moving here has a restore that must be acknowledged. */
export const asksAfterRestore = readFirst<
  Pick<typeof programs.$inferSelect, "id" | "createdAt">,
  { restoredAt: number | null }
>((db) =>
  db
    .select({ restoredAt: ledgerWriters.restoredAt })
    .from(ledgerWriters)
    .where(wasRestored(given("id"), given("createdAt"))),
);
