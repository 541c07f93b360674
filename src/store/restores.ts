import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { ProgramId } from "#domain/ids.ts";
import type { RestoredSummary } from "#domain/refusal.ts";
import { auditEntries } from "./schema/audit.ts";
import { ledgerWriters } from "./schema/ledger-writers.ts";
import { payouts } from "./schema/payouts.ts";
import { programs } from "./schema/programs.ts";
import { type Compiler, readAll, readFirst } from "./statement.ts";

/** The operation of a program's acknowledgment, which an audit entry has once. */
export const acknowledgmentOf = ({ restoredAt, programId }: RestoredProgram): string =>
  `restore ${restoredAt} program ${programId}`;

const nameOf = sql`'restore ' || ${ledgerWriters.restoredAt}`;

/** The other shard asks for one that has left. */
const hasNotLeft = (place: SQLWrapper): SQL => sql`${place} in ('here', 'leaving')`;

/** Ids of programs on a further shard are home's, below the floor of that shard's Ledger. */
const wasRestored = (id: SQLWrapper, createdAt: SQLWrapper): SQL =>
  sql`${id} <= ${ledgerWriters.idFloor} and ${createdAt} < ${ledgerWriters.restoredAt}`;

const isAcknowledged = sql`not exists (select 1 from ${programs} p where ${wasRestored(sql`p.id`, sql`p.created_at`)}
  and ${hasNotLeft(sql`p.place`)} and not exists
  (select 1 from ${auditEntries} a where a.operation_id = ${nameOf} || ' program ' || p.id))`;

/**
 * Of a database that is restored from a backup of `known`. What is lost begins at an earlier one that some program hasn't
 * acknowledged.
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

const restoredPrograms = (db: Compiler) =>
  db
    .select(restored)
    .from(programs)
    .innerJoin(ledgerWriters, wasRestored(programs.id, programs.createdAt))
    .leftJoin(payouts, isLastPayout);

export interface RestoredProgram extends RestoredSummary {
  readonly programId: ProgramId;
  readonly programName: string;
}

export const listRestored = readAll<Record<string, never>, RestoredProgram>((db) =>
  restoredPrograms(db).where(hasNotLeft(programs.place)).orderBy(programs.id),
);

/** Undefined unless the program was restored from a backup, and nobody has acknowledged that yet. */
export const unacknowledgedRestore = readFirst<{ programId: ProgramId }, RestoredProgram>((db) =>
  restoredPrograms(db).where(
    and(
      hasNotLeft(programs.place),
      eq(programs.id, sql.placeholder("programId")),
      sql`not exists (select 1 from ${auditEntries}
        where ${auditEntries.operationId} = ${nameOf} || ' program ' || ${programs.id})`,
    ),
  ),
);

/** Whether a program that moves here is one whose restore somebody has to acknowledge. */
export const asksAfterRestore = readFirst<
  Pick<typeof programs.$inferSelect, "id" | "createdAt">,
  { restoredAt: number | null }
>((db) =>
  db
    .select({ restoredAt: ledgerWriters.restoredAt })
    .from(ledgerWriters)
    .where(wasRestored(sql.placeholder("id"), sql.placeholder("createdAt"))),
);
